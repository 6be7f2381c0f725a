// SPDX-License-Identifier: GPL-3.0-or-later
//
// The constants of a scaling. Constants that multiply the same number are folded into one, so results are
// those of the procedure step by step, with fewer products.
#include "ring_internal.h"

#include <stdlib.h>

// The product of all moduli but one, modulo another number.
static uint64_t product_of_others(const rk_ring *const *rings, size_t count, size_t left_out,
                                  uint64_t modulus) {
    uint64_t product = 1 % modulus;
    for (size_t i = 0; i < count; i++) {
        if (i != left_out) { product = rk_multiply_modulo(product, rings[i]->modulus % modulus, modulus); }
    }
    return product;
}

static uint64_t inverse_for(const rk_ring *ring, uint64_t number) {
    return rk_inverse_modulo(number, ring->modulus);
}

static uint64_t multiply_for(const rk_ring *ring, uint64_t a, uint64_t b) {
    return rk_multiply_modulo(a, b, ring->modulus);
}

static uint64_t negated_for(const rk_ring *ring, uint64_t a) { return a == 0 ? 0 : ring->modulus - a; }

// 1/number modulo 2^64 for odd numbers, by Newton's iteration: each step doubles the number of correct low
// bits, of which a number is its own inverse for the first three.
static uint64_t inverse_modulo_power_of_two(uint64_t number) {
    uint64_t inverse = number;
    for (int i = 0; i < 5; i++) { inverse *= 2 - number * inverse; }
    return inverse;
}

static void set_lift(rk_scaling *scaling) {
    size_t count = scaling->base_count;
    uint64_t correction = UINT64_C(1) << scaling->correction_bits;
    for (size_t i = 0; i < count; i++) {
        const rk_ring *ring = scaling->base[i];
        uint64_t others = product_of_others(scaling->base, count, i, ring->modulus);
        scaling->lift_digit[i] =
            rk_factor_for(ring, multiply_for(ring, inverse_for(ring, others), correction % ring->modulus));
        scaling->lift_correction[i] = (0 - inverse_modulo_power_of_two(ring->modulus)) & (correction - 1);
    }
    for (size_t target = 0; target <= count; target++) {
        const rk_ring *ring = scaling->auxiliary[target];
        uint64_t inverse = inverse_for(ring, correction % ring->modulus);
        for (size_t i = 0; i < count; i++) {
            uint64_t others = product_of_others(scaling->base, count, i, ring->modulus);
            scaling->lift_sum[target][i] = multiply_for(ring, others, inverse);
        }
        uint64_t product = product_of_others(scaling->base, count, count, ring->modulus);
        scaling->lift_remainder[target] = multiply_for(ring, product, inverse);
    }
}

static void set_floor(rk_scaling *scaling, uint64_t plaintext_modulus) {
    size_t count = scaling->base_count;
    for (size_t i = 0; i < count; i++) {
        const rk_ring *ring = scaling->base[i];
        uint64_t others = product_of_others(scaling->base, count, i, ring->modulus);
        scaling->floor_digit[i] = rk_factor_for(
            ring, multiply_for(ring, inverse_for(ring, others), plaintext_modulus % ring->modulus));
    }
    for (size_t target = 0; target <= count; target++) {
        const rk_ring *ring = scaling->auxiliary[target];
        uint64_t scale = inverse_for(ring,
                                     product_of_others(scaling->auxiliary, count, target, ring->modulus));
        if (target == count) { scale = negated_for(ring, scale); }
        uint64_t product = product_of_others(scaling->base, count, count, ring->modulus);
        uint64_t own = multiply_for(ring, inverse_for(ring, product), plaintext_modulus % ring->modulus);
        scaling->floor_own[target] = multiply_for(ring, own, scale);
        for (size_t i = 0; i < count; i++) {
            uint64_t inverse = inverse_for(ring, scaling->base[i]->modulus % ring->modulus);
            scaling->floor_sum[target][i] = multiply_for(ring, negated_for(ring, inverse), scale);
        }
    }
}

static void set_back(rk_scaling *scaling) {
    size_t count = scaling->base_count;
    const rk_ring *last = scaling->auxiliary[count];
    for (size_t target = 0; target < count; target++) {
        scaling->excess_sum[target] = inverse_for(last, scaling->auxiliary[target]->modulus % last->modulus);
    }
    for (size_t i = 0; i < count; i++) {
        const rk_ring *ring = scaling->base[i];
        for (size_t target = 0; target < count; target++) {
            scaling->back_sum[i][target] = product_of_others(scaling->auxiliary, count, target,
                                                             ring->modulus);
        }
        uint64_t product = product_of_others(scaling->auxiliary, count, count, ring->modulus);
        scaling->back_excess[i] = negated_for(ring, product);
        scaling->back_wrapped[i] = multiply_for(ring, product, last->modulus % ring->modulus);
    }
}

// A ring that its instruction set does not suit has portable functions; they suit all.
static void choose_kernels(rk_scaling *scaling) {
    scaling->kernels = &scaling->base[0]->kernels;
    for (size_t i = 0; i <= scaling->base_count; i++) {
        const rk_ring *rings[2] = {scaling->auxiliary[i], scaling->base[i < scaling->base_count ? i : 0]};
        for (int kind = 0; kind < 2; kind++) {
            if (rings[kind]->kernels.scaling_lift != scaling->kernels->scaling_lift) {
                scaling->kernels = scaling->base[0]->word_bytes == 4 ? &rk_portable_kernels_32
                                                                     : &rk_portable_kernels_64;
                return;
            }
        }
    }
}

// floor((2^2w - m) / (m - 1)^2) for the largest modulus m.
static size_t mixed_capacity(const rk_scaling *scaling) {
    size_t capacity = SIZE_MAX;
    for (size_t i = 0; i <= scaling->base_count; i++) {
        if (i < scaling->base_count && scaling->base[i]->sum_capacity < capacity) {
            capacity = scaling->base[i]->sum_capacity;
        }
        if (scaling->auxiliary[i]->sum_capacity < capacity) {
            capacity = scaling->auxiliary[i]->sum_capacity;
        }
    }
    return capacity;
}

// See rk_scaling.
static size_t short_capacity(const rk_scaling *scaling) {
    if (scaling->base[0]->word_bytes != 4) { return 0; }
    uint64_t largest = 0;
    size_t capacity = SIZE_MAX, count = scaling->base_count;
    for (size_t i = 0; i < 2 * count + 1; i++) {
        const rk_ring *ring = i < count ? scaling->base[i] : scaling->auxiliary[i - count];
        if (ring->modulus > largest) { largest = ring->modulus; }
    }
    for (size_t i = 0; i < 2 * count + 1; i++) {
        const rk_ring *ring = i < count ? scaling->base[i] : scaling->auxiliary[i - count];
        uint64_t limit = (UINT64_C(1) << (31 + ring->modulus_bits)) - 1;
        size_t products = (size_t)(limit / ((largest - 1) * (ring->modulus - 1)));
        if (products < capacity) { capacity = products; }
    }
    return capacity;
}

// Products of residues below 2^61 that fit as sums of products of limbs. With n products the low sum is at
// most n * (2^l - 1)^2, the middle one n * 2 * (2^l - 1) * h with h the largest upper limb, the high one n *
// h^2. Room is left for one residue and, in the middle sum, for the carry of the low one, which is below
// 2^(64-l).
static size_t limb_capacity(const rk_scaling *scaling) {
    uint64_t largest = 0, limb = (UINT64_C(1) << RK_MIXED_LIMB_BITS) - 1,
             room = UINT64_MAX - (UINT64_C(1) << 36);
    for (size_t i = 0; i <= scaling->base_count; i++) {
        if (i < scaling->base_count && scaling->base[i]->modulus > largest) {
            largest = scaling->base[i]->modulus;
        }
        if (scaling->auxiliary[i]->modulus > largest) { largest = scaling->auxiliary[i]->modulus; }
    }
    uint64_t upper = largest >> RK_MIXED_LIMB_BITS;
    if (upper <= limb / 2) { return room / limb / limb; }
    uint64_t middle = room / (2 * limb * upper), high = room / (upper * upper);
    return middle < high ? middle : high;
}

// Whether inverses exist and rings are of one kind.
static bool is_consistent(const rk_scaling *scaling) {
    size_t count = scaling->base_count;
    const rk_ring *first = scaling->base[0];
    for (size_t i = 0; i < 2 * count + 1; i++) {
        const rk_ring *ring = i < count ? scaling->base[i] : scaling->auxiliary[i - count];
        if (ring->degree != first->degree || ring->word_bytes != first->word_bytes ||
            ring->set != first->set) {
            return false;
        }
        if (i >= count && ring->modulus <= UINT64_C(1) << scaling->correction_bits) { return false; }
        for (size_t j = 0; j < i; j++) {
            const rk_ring *other = j < count ? scaling->base[j] : scaling->auxiliary[j - count];
            if (ring->modulus == other->modulus) { return false; }
        }
    }
    return true;
}

rk_scaling *rk_scaling_create(const rk_ring *const *base, size_t base_count, const rk_ring *const *auxiliary,
                              uint64_t plaintext_modulus, unsigned correction_bits) {
    if (base_count < 1 || base_count > RK_MAXIMUM_BASE_COUNT ||
        (correction_bits != 16 && correction_bits != 32)) {
        return NULL;
    }
    if (correction_bits == 32 && base[0]->word_bytes == 4) { return NULL; }
    rk_scaling *scaling = calloc(1, sizeof *scaling);
    if (scaling == NULL) { return NULL; }
    scaling->base_count = base_count;
    scaling->degree = base[0]->degree;
    scaling->correction_bits = correction_bits;
    for (size_t i = 0; i < base_count; i++) { scaling->base[i] = base[i]; }
    for (size_t i = 0; i <= base_count; i++) { scaling->auxiliary[i] = auxiliary[i]; }
    if (!is_consistent(scaling)) {
        free(scaling);
        return NULL;
    }
    choose_kernels(scaling);
    scaling->sum_capacity = mixed_capacity(scaling);
    scaling->short_capacity = short_capacity(scaling);
    scaling->limb_capacity = limb_capacity(scaling);
    set_lift(scaling);
    set_floor(scaling, plaintext_modulus);
    set_back(scaling);
    return scaling;
}

void rk_scaling_destroy(rk_scaling *scaling) { free(scaling); }

void rk_scaling_lift(const rk_scaling *scaling, void *const *auxiliary, const void *const *base) {
    scaling->kernels->scaling_lift(scaling, auxiliary, base);
}

void rk_scaling_round(const rk_scaling *scaling, void *const *output, const void *const *base,
                      const void *const *auxiliary) {
    scaling->kernels->scaling_round(scaling, output, base, auxiliary);
}
