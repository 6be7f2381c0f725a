// SPDX-License-Identifier: GPL-3.0-or-later
//
// What works on the rows of one ring: transforms, operations on each element, automorphisms.

#include "comparison.h"

#include <string.h>

enum { LARGEST_LOG_DEGREE = 15 };

static uint64_t word_limit(size_t word_bytes) { return UINT64_C(1) << (word_bytes == 4 ? 30 : 62); }

static void copy(const rings *r, void *dst, const void *src) { memcpy(dst, src, r->degree * r->word_bytes); }

// Calls `body` for every degree, edge modulus and pattern.
static void for_all_rings(void (*body)(const rings *rings, pattern pattern)) {
    for (size_t word_bytes = 4; word_bytes <= 8; word_bytes += 4) {
        for (unsigned bits = 1; bits <= LARGEST_LOG_DEGREE; bits++) {
            uint64_t moduli[MOST_MODULI];
            size_t count = edge_moduli(word_bytes, (size_t)1 << bits, moduli);
            for (size_t i = 0; i < count; i++) {
                rings rings = create_rings(moduli[i], (size_t)1 << bits, word_bytes);
                for (pattern pattern = ZERO; pattern < PATTERNS; pattern++) {
                    body(&rings, pattern);
                    release_memory();
                }
                destroy_rings(rings);
            }
        }
    }
}

static void transforms(const rings *r, pattern pattern) {
    size_t bytes = r->degree * r->word_bytes;
    const void *a = new_row(r, pattern);
    const void *wide = new_words(r->word_bytes, r->degree, word_limit(r->word_bytes), pattern);
    COMPARE("forward", r, bytes, (copy(r, dst, a), rk_forward(ring, dst)));
    COMPARE("inverse", r, bytes, (copy(r, dst, a), rk_inverse(ring, dst)));
    COMPARE("forward_reducing", r, bytes, rk_forward_reducing(ring, dst, wide));
    COMPARE("forward_reducing in place", r, bytes,
            (copy(r, dst, wide), rk_forward_reducing(ring, dst, dst)));
}

void compare_transforms(void) { for_all_rings(transforms); }

static void elements(const rings *r, pattern pattern) {
    size_t bytes = r->degree * r->word_bytes;
    const void *a = new_row(r, pattern), *b = new_row(r, RANDOM);
    const void *wide = new_words(r->word_bytes, r->degree, word_limit(r->word_bytes), pattern);
    uint64_t factor = random_number() % r->modulus;
    size_t exponent = random_number() % r->degree;
    COMPARE("add", r, bytes, rk_add(ring, dst, a, b));
    COMPARE("add in place", r, bytes, (copy(r, dst, b), rk_add(ring, dst, a, dst)));
    COMPARE("subtract", r, bytes, rk_subtract(ring, dst, a, b));
    COMPARE("negate", r, bytes, rk_negate(ring, dst, a));
    COMPARE("multiply", r, bytes, rk_multiply(ring, dst, a, b));
    COMPARE("multiply_constant", r, bytes, rk_multiply_constant(ring, dst, a, factor));
    COMPARE("multiply_constant, largest", r, bytes, rk_multiply_constant(ring, dst, a, r->modulus - 1));
    COMPARE("reduce", r, bytes, rk_reduce(ring, dst, wide));
    COMPARE("multiply_inverse_power", r, bytes, rk_multiply_inverse_power(ring, dst, a, exponent));
    COMPARE("split, sum", r, bytes, {
        void *difference = new_memory(bytes);
        rk_split(ring, dst, difference, a, b, exponent);
    });
    COMPARE("split, difference", r, bytes, {
        void *sum = new_memory(bytes);
        rk_split(ring, sum, dst, a, b, exponent);
    });
}

static void divisions(const rings *r, pattern pattern) {
    size_t bytes = r->degree * r->word_bytes;
    uint64_t special_moduli[2];
    size_t count = primes_below(word_limit(r->word_bytes), 2 * r->degree, special_moduli, 2);
    rings special = create_rings(special_moduli[count - 1], r->degree, r->word_bytes);
    const void *a = new_row(r, pattern), *addend = new_row(r, RANDOM), *p = new_row(&special, pattern);
    COMPARE("divide_rounding", r, bytes, rk_divide_rounding(ring, dst, a, p, special.portable, NULL));
    COMPARE("divide_rounding, addend", r, bytes,
            rk_divide_rounding(ring, dst, a, p, special.portable, addend));
    destroy_rings(special);
}

static void automorphisms(const rings *r, pattern pattern) {
    size_t bytes = r->degree * r->word_bytes;
    const void *a = new_row(r, pattern);
    const uint32_t elements[] = {1, 3, (uint32_t)r->degree + 1, 2 * (uint32_t)r->degree - 1,
                                 (uint32_t)(random_number() % r->degree) * 2 + 1};
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        rk_automorphism *automorphism = rk_automorphism_create(r->degree, elements[i]);
        if (automorphism == NULL) { continue; }
        COMPARE("move_coefficients", r, bytes, rk_move_coefficients(ring, automorphism, dst, a));
        COMPARE("move_evaluations", r, bytes, rk_move_evaluations(ring, automorphism, dst, a));
        rk_automorphism_destroy(automorphism);
    }
}

void compare_rows(void) {
    for_all_rings(elements);
    for_all_rings(divisions);
    for_all_rings(automorphisms);
}
