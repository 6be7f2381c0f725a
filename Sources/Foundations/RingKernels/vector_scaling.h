// SPDX-License-Identifier: GPL-3.0-or-later
//
// Conversion between sets of moduli for any instruction set: included after the header of its lanes. The
// portable code says the same for one coefficient.

// A sum of products of residues of several moduli, modulo one of them.
typedef struct mixed_sum {
    wide sum;
    size_t terms;
} mixed_sum;

INLINE mixed_sum mixed_zero(void) { return (mixed_sum){wide_zero(), 0}; }

INLINE mixed_sum mixed_add(mixed_sum sum, V x, V y, size_t capacity, const constants *c) {
    if (sum.terms == capacity) { sum = (mixed_sum){wide_from(wide_reduce(sum.sum, c), c), 0}; }
    return (mixed_sum){wide_add(sum.sum, x, y, c), sum.terms + 1};
}

// The usual number of moduli, of which no sum has more products than fit: digits stay in registers.
#define SCALING_NAME(name) two_moduli_##name
#define SCALING_COUNT 2
#define SCALING_CAPACITY SIZE_MAX
#define SCALING_REDUCE wide_reduce_short
#define SCALING_LOOP UNROLL
#include "scaling_rows.h"
#undef SCALING_NAME
#undef SCALING_COUNT
#undef SCALING_CAPACITY
#undef SCALING_REDUCE
#undef SCALING_LOOP

#define SCALING_NAME(name) any_moduli_##name
#define SCALING_COUNT scaling->base_count
#define SCALING_CAPACITY mixed_capacity(scaling)
#define SCALING_REDUCE wide_reduce
#define SCALING_LOOP
#include "scaling_rows.h"
#undef SCALING_NAME
#undef SCALING_COUNT
#undef SCALING_CAPACITY
#undef SCALING_REDUCE
#undef SCALING_LOOP

// A rounding adds at most five products: a residue, and a digit for each of two moduli of both kinds.
static bool has_two_moduli(const rk_scaling *scaling) {
    return scaling->base_count == 2 && mixed_short_capacity(scaling) >= 5;
}

static void row_scaling_lift(const rk_scaling *scaling, void *const *auxiliary, const void *const *base) {
    if (has_two_moduli(scaling)) {
        two_moduli_lift(scaling, auxiliary, base);
    } else {
        any_moduli_lift(scaling, auxiliary, base);
    }
}

static void row_scaling_round(const rk_scaling *scaling, void *const *output, const void *const *base,
                              const void *const *auxiliary) {
    if (has_two_moduli(scaling)) {
        two_moduli_round(scaling, output, base, auxiliary);
    } else {
        any_moduli_round(scaling, output, base, auxiliary);
    }
}
