// SPDX-License-Identifier: GPL-3.0-or-later
//
// The portable kernels for one word size: what every other instruction set must equal bit by bit. Included
// with
//     WORD, WIDE   unsigned types of w and 2w bits
//     WORD_BITS    w
//     NAME(x)      x with the word size appended
//
// Bounds: the modulus q is below 2^(w-2), so that 4q fits a word.

#include "ring_internal.h"

#include <string.h>

enum { NAME(BLOCK) = 64 };

// x, or x - limit if that is not negative; x below limit + 2^(w-1). Without a comparison: it neither branches
// on secrets nor stalls on unpredictable ones.
static inline WORD NAME(correct)(WORD x, WORD limit) {
    WORD difference = x - limit;
    WORD borrow = (WORD)0 - (difference >> (WORD_BITS - 1));
    return difference + (borrow & limit);
}

// x * value modulo q up to one q too much, for any x: with value * 2^w = quotient * q + s, s < q, the result
// is x * s / 2^w + q * (a fraction) < 2q.
static inline WORD NAME(multiply_lazily)(WORD x, WORD value, WORD quotient, WORD q) {
    WORD estimate = (WORD)((WIDE)x * quotient >> WORD_BITS);
    return (WORD)(x * value - estimate * q);
}

static inline WORD NAME(multiply_factor)(WORD x, rk_factor factor, WORD q) {
    return NAME(correct)(NAME(multiply_lazily)(x, (WORD)factor.value, (WORD)factor.quotient, q), q);
}

// Any word modulo q.
static inline WORD NAME(reduce_word)(WORD x, const rk_ring *ring) {
    WORD q = (WORD)ring->modulus;
    return NAME(correct)(NAME(multiply_lazily)(x, 1, (WORD)ring->word_quotient, q), q);
}

// Any two words modulo q.
static inline WORD NAME(reduce_wide)(WIDE x, const rk_ring *ring) {
#if WORD_BITS == 32
    // One wide estimate instead of three: at most one too small.
    uint64_t estimate = (uint64_t)((rk_uint128)x * ring->wide_quotient >> 64);
    return NAME(correct)((WORD)(x - estimate * ring->modulus), (WORD)ring->modulus);
#else
    WORD q = (WORD)ring->modulus;
    WORD high = NAME(multiply_factor)((WORD)(x >> WORD_BITS), ring->word_remainder, q);
    return NAME(correct)(high + NAME(reduce_word)((WORD)x, ring), q);
#endif
}

// ------------------------------------------------------------------------------------------------ transforms

// Harvey's butterflies (arXiv:1205.2926): values stay below 4q on the way.
static void NAME(forward)(const rk_ring *ring, void *dst, const void *src) {
    WORD *row = dst;
    const WORD *factors = ring->forward_factors, *quotients = ring->forward_quotients;
    WORD q = (WORD)ring->modulus, twice = 2 * q;
    if (dst != src) { memcpy(dst, src, ring->degree * sizeof(WORD)); }
    for (size_t groups = 1, stride = ring->degree / 2; groups < ring->degree; groups *= 2, stride /= 2) {
        for (size_t group = 0; group < groups; group++) {
            WORD factor = factors[groups + group], quotient = quotients[groups + group];
            WORD *restrict left = row + 2 * group * stride;
            WORD *restrict right = left + stride;
            for (size_t i = 0; i < stride; i++) {
                WORD x = NAME(correct)(left[i], twice);
                WORD y = NAME(multiply_lazily)(right[i], factor, quotient, q);
                left[i] = x + y;
                right[i] = x - y + twice;
            }
        }
    }
    for (size_t i = 0; i < ring->degree; i++) { row[i] = NAME(correct)(NAME(correct)(row[i], twice), q); }
}

static void NAME(reduce)(const rk_ring *ring, void *dst, const void *src) {
    WORD *to = dst;
    const WORD *from = src;
    for (size_t i = 0; i < ring->degree; i++) { to[i] = NAME(reduce_word)(from[i], ring); }
}

static void NAME(forward_reducing)(const rk_ring *ring, void *dst, const void *src) {
    NAME(reduce)(ring, dst, src);
    NAME(forward)(ring, dst, dst);
}

// The mirror image; values stay below 2q. The last stage multiplies by 1/degree as well.
static void NAME(inverse)(const rk_ring *ring, void *values) {
    WORD *row = values;
    const WORD *factors = ring->inverse_factors, *quotients = ring->inverse_quotients;
    WORD q = (WORD)ring->modulus, twice = 2 * q;
    size_t stride = 1;
    for (size_t groups = ring->degree / 2; groups > 1; groups /= 2, stride *= 2) {
        for (size_t group = 0; group < groups; group++) {
            WORD factor = factors[groups + group], quotient = quotients[groups + group];
            WORD *restrict left = row + 2 * group * stride;
            WORD *restrict right = left + stride;
            for (size_t i = 0; i < stride; i++) {
                WORD x = left[i], y = right[i];
                left[i] = NAME(correct)(x + y, twice);
                right[i] = NAME(multiply_lazily)(x - y + twice, factor, quotient, q);
            }
        }
    }
    WORD *restrict left = row;
    WORD *restrict right = row + stride;
    for (size_t i = 0; i < stride; i++) {
        WORD x = left[i], y = right[i];
        left[i] = NAME(multiply_factor)(x + y, ring->scale, q);
        right[i] = NAME(multiply_factor)(x - y + twice, ring->scaled_last, q);
    }
}

// ---------------------------------------------------------------------------------------- element by element

static void NAME(add)(const rk_ring *ring, void *dst, const void *a, const void *b) {
    WORD q = (WORD)ring->modulus, *to = dst;
    const WORD *x = a, *y = b;
    for (size_t i = 0; i < ring->degree; i++) { to[i] = NAME(correct)(x[i] + y[i], q); }
}

static void NAME(subtract)(const rk_ring *ring, void *dst, const void *a, const void *b) {
    WORD q = (WORD)ring->modulus, *to = dst;
    const WORD *x = a, *y = b;
    for (size_t i = 0; i < ring->degree; i++) { to[i] = NAME(correct)(x[i] + q - y[i], q); }
}

static inline WORD NAME(negated)(WORD x, WORD q) { return NAME(correct)(q - x, q); }

static void NAME(negate)(const rk_ring *ring, void *dst, const void *a) {
    WORD q = (WORD)ring->modulus, *to = dst;
    const WORD *x = a;
    for (size_t i = 0; i < ring->degree; i++) { to[i] = NAME(negated)(x[i], q); }
}

static void NAME(multiply)(const rk_ring *ring, void *dst, const void *a, const void *b) {
    WORD *to = dst;
    const WORD *x = a, *y = b;
    for (size_t i = 0; i < ring->degree; i++) { to[i] = NAME(reduce_wide)((WIDE)x[i] * y[i], ring); }
}

static void NAME(multiply_constant)(const rk_ring *ring, void *dst, const void *a, rk_factor factor) {
    WORD q = (WORD)ring->modulus, *to = dst;
    const WORD *x = a;
    for (size_t i = 0; i < ring->degree; i++) { to[i] = NAME(multiply_factor)(x[i], factor, q); }
}

static void NAME(divide_rounding)(const rk_ring *ring, void *dst, const void *a, const void *p,
                                  const rk_division *division, const void *addend) {
    WORD q = (WORD)ring->modulus, half = (WORD)division->half, *to = dst;
    WORD special = (WORD)division->special_modulus, special_half = (WORD)division->special_half;
    const WORD *x = a, *low = p, *more = addend;
    for (size_t i = 0; i < ring->degree; i++) {
        WORD shifted = NAME(reduce_word)(NAME(correct)(low[i] + special_half, special), ring);
        WORD difference = NAME(correct)(x[i] + half, q) + q - shifted;
        WORD quotient = NAME(multiply_factor)(difference, division->inverse, q);
        to[i] = more != NULL ? NAME(correct)(quotient + more[i], q) : quotient;
    }
}

// ------------------------------------------------------------------------------------------ sums of products

// A block of sums of two words each, reduced whenever the next products might not fit.
typedef struct NAME(block) {
    WIDE sums[NAME(BLOCK)];
    size_t terms;
} NAME(block);

static void NAME(add_products)(const rk_ring *ring, NAME(block) *block, const WORD *x, const WORD *y,
                               size_t count) {
    // A reduced sum is less than one product may be, and capacity leaves room for it.
    if (block->terms == ring->sum_capacity) {
        for (size_t i = 0; i < count; i++) { block->sums[i] = NAME(reduce_wide)(block->sums[i], ring); }
        block->terms = 0;
    }
    block->terms += 1;
    for (size_t i = 0; i < count; i++) { block->sums[i] += (WIDE)x[i] * y[i]; }
}

static void NAME(store_block)(const rk_ring *ring, const NAME(block) *block, WORD *dst, size_t count) {
    for (size_t i = 0; i < count; i++) { dst[i] = NAME(reduce_wide)(block->sums[i], ring); }
}

static void NAME(multiply_sum)(const rk_ring *ring, void *dst, const void *const *left,
                               const void *const *right, size_t count) {
    size_t size = ring->degree < NAME(BLOCK) ? ring->degree : NAME(BLOCK);
    for (size_t start = 0; start < ring->degree; start += size) {
        NAME(block) block = {{0}, 0};
        for (size_t term = 0; term < count; term++) {
            const WORD *x = left[term], *y = right[term];
            NAME(add_products)(ring, &block, x + start, y + start, size);
        }
        NAME(store_block)(ring, &block, (WORD *)dst + start, size);
    }
}

static void NAME(multiply_sums)(const rk_ring *ring, void *dst0, void *dst1, const void *const *left,
                                const void *const *right0, const void *const *right1, size_t count) {
    NAME(multiply_sum)(ring, dst0, left, right0, count);
    NAME(multiply_sum)(ring, dst1, left, right1, count);
}

static void NAME(tensor_sum)(const rk_ring *ring, void *dst0, void *dst1, void *dst2,
                             const void *const *left0, const void *const *left1, const void *const *right0,
                             const void *const *right1, size_t count) {
    size_t size = ring->degree < NAME(BLOCK) ? ring->degree : NAME(BLOCK);
    for (size_t start = 0; start < ring->degree; start += size) {
        NAME(block) low = {{0}, 0}, middle = {{0}, 0}, high = {{0}, 0};
        for (size_t term = 0; term < count; term++) {
            const WORD *l0 = (const WORD *)left0[term] + start, *l1 = (const WORD *)left1[term] + start;
            const WORD *r0 = (const WORD *)right0[term] + start, *r1 = (const WORD *)right1[term] + start;
            NAME(add_products)(ring, &low, l0, r0, size);
            NAME(add_products)(ring, &middle, l0, r1, size);
            NAME(add_products)(ring, &middle, l1, r0, size);
            NAME(add_products)(ring, &high, l1, r1, size);
        }
        NAME(store_block)(ring, &low, (WORD *)dst0 + start, size);
        NAME(store_block)(ring, &middle, (WORD *)dst1 + start, size);
        NAME(store_block)(ring, &high, (WORD *)dst2 + start, size);
    }
}

// prepared is [tile][row][query][polynomial][lane].
static void NAME(scan)(const rk_ring *ring, const void *database, size_t columns, size_t rows,
                       size_t first_column, size_t column_count, const void *prepared, size_t queries,
                       void *const *results) {
    size_t lanes = rk_tile_lanes(ring);
    for (size_t tile = 0; tile < ring->degree / lanes; tile++) {
        const WORD *selectors = (const WORD *)prepared + tile * rows * queries * 2 * lanes;
        for (size_t column = 0; column < column_count; column++) {
            const WORD *place = (const WORD *)database +
                                (tile * columns + first_column + column) * rows * lanes;
            for (size_t query = 0; query < queries; query++) {
                for (size_t polynomial = 0; polynomial < 2; polynomial++) {
                    NAME(block) block = {{0}, 0};
                    const WORD *selector = selectors + (query * 2 + polynomial) * lanes;
                    for (size_t row = 0; row < rows; row++) {
                        NAME(add_products)(ring, &block, place + row * lanes,
                                           selector + row * queries * 2 * lanes, lanes);
                    }
                    WORD *result = results[(query * column_count + column) * 2 + polynomial];
                    NAME(store_block)(ring, &block, result + tile * lanes, lanes);
                }
            }
        }
    }
}

// --------------------------------------------------------------------------------------- moving coefficients

static void NAME(split)(const rk_ring *ring, void *sum, void *difference, const void *c, const void *moved,
                        size_t exponent) {
    WORD q = (WORD)ring->modulus, *total = sum, *rest = difference;
    const WORD *x = c, *y = moved;
    size_t kept = ring->degree - exponent;
    // The difference comes first: sum may be one of the inputs.
    for (size_t i = 0; i < kept; i++) { rest[i] = NAME(correct)(x[i + exponent] + q - y[i + exponent], q); }
    for (size_t i = 0; i < exponent; i++) { rest[kept + i] = NAME(correct)(y[i] + q - x[i], q); }
    for (size_t i = 0; i < ring->degree; i++) { total[i] = NAME(correct)(x[i] + y[i], q); }
}

static void NAME(split_evaluations)(const rk_ring *ring, void *sum, void *difference, const void *c,
                                    const void *a, const void *b, const void *more, const void *factor) {
    WORD q = (WORD)ring->modulus, *total = sum, *rest = difference;
    const WORD *node = c, *x = a, *y = b, *z = more, *factors = factor;
    for (size_t i = 0; i < ring->degree; i++) {
        WORD image = NAME(correct)(x[i] + y[i], q);
        if (z != NULL) { image = NAME(correct)(image + z[i], q); }
        rest[i] = NAME(reduce_wide)((WIDE)(node[i] + q - image) * factors[i], ring);
        total[i] = NAME(correct)(node[i] + image, q);
    }
}

static void NAME(move_coefficients)(const rk_ring *ring, const rk_automorphism *automorphism, void *dst,
                                    const void *src) {
    WORD q = (WORD)ring->modulus, *to = dst;
    const WORD *from = src;
    for (size_t i = 0; i < ring->degree; i++) {
        uint32_t place = automorphism->coefficients[i];
        WORD x = from[place & ~(UINT32_C(1) << RK_SIGN_BIT)];
        to[i] = place >> RK_SIGN_BIT ? NAME(negated)(x, q) : x;
    }
}

static void NAME(move_evaluations)(const rk_ring *ring, const rk_automorphism *automorphism, void *dst,
                                   const void *src) {
    WORD *to = dst;
    const WORD *from = src;
    for (size_t i = 0; i < ring->degree; i++) { to[i] = from[automorphism->evaluations[i]]; }
}

// ------------------------------------------------------------------------- conversion between sets of moduli

// A sum of products of residues of several moduli, modulo one of them.
typedef struct NAME(mixed_sum) {
    WIDE sum;
    size_t terms;
} NAME(mixed_sum);

static inline void NAME(add_mixed)(NAME(mixed_sum) *sum, WORD x, uint64_t y, const rk_ring *ring,
                                   size_t capacity) {
    if (sum->terms == capacity) { *sum = (NAME(mixed_sum)){NAME(reduce_wide)(sum->sum, ring), 0}; }
    sum->sum += (WIDE)x * (WORD)y;
    sum->terms += 1;
}

static void NAME(scaling_lift)(const rk_scaling *scaling, void *const *auxiliary, const void *const *base) {
    WORD mask = ((WORD)1 << scaling->correction_bits) - 1;
    for (size_t i = 0; i < scaling->degree; i++) {
        WORD digits[RK_MAXIMUM_BASE_COUNT], correction = 0;
        for (size_t row = 0; row < scaling->base_count; row++) {
            WORD x = ((const WORD *)base[row])[i];
            digits[row] = NAME(multiply_factor)(x, scaling->lift_digit[row],
                                                (WORD)scaling->base[row]->modulus);
            correction += digits[row] * (WORD)scaling->lift_correction[row];
        }
        correction &= mask;
        // m~ is subtracted from the upper half.
        WORD upper = (WORD)0 - (correction >> (scaling->correction_bits - 1));
        for (size_t target = 0; target <= scaling->base_count; target++) {
            const rk_ring *ring = scaling->auxiliary[target];
            WORD centered = correction + (upper & ((WORD)ring->modulus - mask - 1));
            NAME(mixed_sum) sum = {0, 0};
            for (size_t row = 0; row < scaling->base_count; row++) {
                NAME(add_mixed)(&sum, digits[row], scaling->lift_sum[target][row], ring,
                                scaling->sum_capacity);
            }
            NAME(add_mixed)(&sum, centered, scaling->lift_remainder[target], ring, scaling->sum_capacity);
            ((WORD *)auxiliary[target])[i] = NAME(reduce_wide)(sum.sum, ring);
        }
    }
}

static void NAME(scaling_round)(const rk_scaling *scaling, void *const *output, const void *const *base,
                                const void *const *auxiliary) {
    size_t count = scaling->base_count, capacity = scaling->sum_capacity;
    const rk_ring *last = scaling->auxiliary[count];
    WORD half = (WORD)last->modulus / 2;
    for (size_t i = 0; i < scaling->degree; i++) {
        WORD low[RK_MAXIMUM_BASE_COUNT], high[RK_MAXIMUM_BASE_COUNT];
        for (size_t row = 0; row < count; row++) {
            WORD x = ((const WORD *)base[row])[i];
            low[row] = NAME(multiply_factor)(x, scaling->floor_digit[row], (WORD)scaling->base[row]->modulus);
        }
        NAME(mixed_sum) excess_sum = {0, 0};
        for (size_t target = 0; target <= count; target++) {
            const rk_ring *ring = scaling->auxiliary[target];
            NAME(mixed_sum) sum = {0, 0};
            NAME(add_mixed)(&sum, ((const WORD *)auxiliary[target])[i], scaling->floor_own[target], ring,
                            capacity);
            for (size_t row = 0; row < count; row++) {
                NAME(add_mixed)(&sum, low[row], scaling->floor_sum[target][row], ring, capacity);
            }
            if (target == count) {
                NAME(add_mixed)(&excess_sum, NAME(reduce_wide)(sum.sum, ring), 1, last, capacity);
            } else {
                high[target] = NAME(reduce_wide)(sum.sum, ring);
                NAME(add_mixed)(&excess_sum, high[target], scaling->excess_sum[target], last, capacity);
            }
        }
        WORD excess = NAME(reduce_wide)(excess_sum.sum, last);
        // All ones above m_sk / 2, where the excess stands for a negative number.
        WORD upper = (WORD)0 - ((half - excess) >> (WORD_BITS - 1));
        for (size_t row = 0; row < count; row++) {
            const rk_ring *ring = scaling->base[row];
            NAME(mixed_sum) sum = {0, 0};
            for (size_t target = 0; target < count; target++) {
                NAME(add_mixed)(&sum, high[target], scaling->back_sum[row][target], ring, capacity);
            }
            NAME(add_mixed)(&sum, excess, scaling->back_excess[row], ring, capacity);
            NAME(add_mixed)(&sum, 1, upper & (WORD)scaling->back_wrapped[row], ring, capacity);
            ((WORD *)output[row])[i] = NAME(reduce_wide)(sum.sum, ring);
        }
    }
}

const rk_kernels NAME(rk_portable_kernels) = {
    .forward = NAME(forward),
    .forward_reducing = NAME(forward_reducing),
    .inverse = NAME(inverse),
    .add = NAME(add),
    .subtract = NAME(subtract),
    .negate = NAME(negate),
    .multiply = NAME(multiply),
    .multiply_constant = NAME(multiply_constant),
    .reduce = NAME(reduce),
    .multiply_sum = NAME(multiply_sum),
    .multiply_sums = NAME(multiply_sums),
    .tensor_sum = NAME(tensor_sum),
    .divide_rounding = NAME(divide_rounding),
    .split = NAME(split),
    .split_evaluations = NAME(split_evaluations),
    .move_coefficients = NAME(move_coefficients),
    .move_evaluations = NAME(move_evaluations),
    .scaling_lift = NAME(scaling_lift),
    .scaling_round = NAME(scaling_round),
    .scan = NAME(scan),
};
