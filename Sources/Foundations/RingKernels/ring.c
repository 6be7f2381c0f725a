// SPDX-License-Identifier: GPL-3.0-or-later
#include "ring_internal.h"

#include <stdlib.h>

static uint64_t word(const rk_ring *ring, const void *row, size_t index) {
    return ring->word_bytes == 4 ? ((const uint32_t *)row)[index] : ((const uint64_t *)row)[index];
}

static void set_word(const rk_ring *ring, void *row, size_t index, uint64_t value) {
    if (ring->word_bytes == 4) {
        ((uint32_t *)row)[index] = (uint32_t)value;
    } else {
        ((uint64_t *)row)[index] = value;
    }
}

static void fill_powers(const rk_ring *ring, uint64_t root, void *factors, void *quotients) {
    unsigned word_bits = 8 * (unsigned)ring->word_bytes;
    uint64_t power = 1;
    for (size_t exponent = 0; exponent < ring->degree; exponent++) {
        size_t place = rk_bit_reversed(exponent, ring->log_degree);
        set_word(ring, factors, place, power);
        set_word(ring, quotients, place, rk_shoup_quotient(power, ring->modulus, word_bits));
        power = rk_multiply_modulo(power, root, ring->modulus);
    }
}

static bool has_order(uint64_t root, size_t half_order, uint64_t modulus) {
    if (root >= modulus) { return false; }
    for (; half_order > 1; half_order /= 2) { root = rk_multiply_modulo(root, root, modulus); }
    return root == modulus - 1;
}

// floor((2^2w - q) / (q - 1)^2): products beside one residue.
static size_t sum_capacity(uint64_t modulus, size_t word_bytes) {
    rk_uint128 limit = word_bytes == 4 ? (rk_uint128)UINT64_MAX : ~(rk_uint128)0;
    rk_uint128 capacity = (limit - (modulus - 1)) / ((rk_uint128)(modulus - 1) * (modulus - 1));
    return capacity > SIZE_MAX ? SIZE_MAX : (size_t)capacity;
}

static rk_limbs limbs_of(const rk_ring *ring, unsigned bits, size_t capacity) {
    uint64_t limb = (UINT64_C(1) << bits) % ring->modulus;
    uint64_t square = rk_multiply_modulo(limb, limb, ring->modulus);
    return (rk_limbs){bits, capacity, rk_factor_for(ring, limb), rk_factor_for(ring, square)};
}

static void set_limbs(rk_ring *ring) {
    if (ring->modulus_bits > 61) { return; }
    ring->limbs = limbs_of(ring, (ring->modulus_bits + 1) / 2, (size_t)1 << (63 - ring->modulus_bits));
    ring->mixed_limbs = limbs_of(ring, RK_MIXED_LIMB_BITS, 0);
    ring->ifma_limbs = limbs_of(ring, 52, 4095);
}

static bool install_kernels(rk_ring *ring) {
    bool is_narrow = ring->word_bytes == 4;
    ring->kernels = is_narrow ? rk_portable_kernels_32 : rk_portable_kernels_64;
    switch (ring->set) {
#if defined(__x86_64__)
    case RK_AVX512_IFMA:
        return is_narrow ? rk_install_avx512_32(ring)
                         : rk_install_avx512_64(ring) && rk_install_avx512_ifma(ring);
    case RK_AVX512:
        return is_narrow ? rk_install_avx512_32(ring) : rk_install_avx512_64(ring);
    case RK_AVX2:
        return is_narrow ? rk_install_avx2_32(ring) : rk_install_avx2_64(ring);
#elif defined(__aarch64__)
    case RK_NEON:
        // Words of 8 bytes stay with the scalar 128-bit products.
        return is_narrow ? rk_install_neon_32(ring) : true;
#endif
    default:
        return true;
    }
}

rk_ring *rk_ring_create(uint64_t modulus, uint64_t root, size_t degree, size_t word_bytes,
                        rk_instruction_set set) {
    bool fits = word_bytes == 4 ? modulus < UINT64_C(1) << 30
                                : word_bytes == 8 && modulus < UINT64_C(1) << 62;
    if (!fits || modulus < 3 || degree < 2 || degree > 32768 || (degree & (degree - 1)) != 0 ||
        !rk_is_supported(set) || modulus % (2 * degree) != 1 || !has_order(root, degree, modulus)) {
        return NULL;
    }
    rk_ring *ring = calloc(1, sizeof *ring);
    if (ring == NULL) { return NULL; }
    *ring = (rk_ring){.modulus = modulus, .degree = degree, .word_bytes = word_bytes, .set = set};
    while ((size_t)1 << ring->log_degree < degree) { ring->log_degree++; }
    while (modulus >> ring->modulus_bits != 0) { ring->modulus_bits++; }

    ring->forward_factors = malloc(4 * degree * word_bytes);
    if (ring->forward_factors == NULL) {
        free(ring);
        return NULL;
    }
    ring->forward_quotients = (char *)ring->forward_factors + degree * word_bytes;
    ring->inverse_factors = (char *)ring->forward_factors + 2 * degree * word_bytes;
    ring->inverse_quotients = (char *)ring->forward_factors + 3 * degree * word_bytes;
    fill_powers(ring, root, ring->forward_factors, ring->forward_quotients);
    fill_powers(ring, rk_inverse_modulo(root, modulus), ring->inverse_factors, ring->inverse_quotients);

    uint64_t scale = rk_inverse_modulo(degree, modulus);
    uint64_t last = word(ring, ring->inverse_factors, 1);
    uint64_t word_remainder = (uint64_t)(((rk_uint128)1 << 8 * word_bytes) % modulus);
    ring->scale = rk_factor_for(ring, scale);
    ring->scaled_last = rk_factor_for(ring, rk_multiply_modulo(scale, last, modulus));
    ring->word_remainder = rk_factor_for(ring, word_remainder);
    ring->word_quotient = (word_bytes == 4 ? UINT32_MAX : UINT64_MAX) / modulus;
    ring->wide_quotient = UINT64_MAX / modulus;
    ring->sum_capacity = sum_capacity(modulus, word_bytes);
    if (word_bytes == 8) {
        set_limbs(ring);
    } else {
        uint64_t limit = UINT64_C(1) << (31 + ring->modulus_bits);
        ring->short_shift = ring->modulus_bits - 1;
        ring->short_quotient = (uint32_t)(limit / modulus);
        ring->short_capacity = (size_t)((limit - 1) / ((modulus - 1) * (modulus - 1)));
    }
    if (!install_kernels(ring)) {
        rk_ring_destroy(ring);
        return NULL;
    }
    return ring;
}

void rk_ring_destroy(rk_ring *ring) {
    if (ring == NULL) { return; }
    free(ring->plan.tables);
    free(ring->forward_factors);
    free(ring);
}

void rk_forward(const rk_ring *ring, void *row) { ring->kernels.forward(ring, row, row); }

void rk_forward_reducing(const rk_ring *ring, void *dst, const void *src) {
    ring->kernels.forward_reducing(ring, dst, src);
}

void rk_inverse(const rk_ring *ring, void *row) { ring->kernels.inverse(ring, row); }

void rk_add(const rk_ring *ring, void *dst, const void *a, const void *b) {
    ring->kernels.add(ring, dst, a, b);
}

void rk_subtract(const rk_ring *ring, void *dst, const void *a, const void *b) {
    ring->kernels.subtract(ring, dst, a, b);
}

void rk_negate(const rk_ring *ring, void *dst, const void *a) { ring->kernels.negate(ring, dst, a); }

void rk_multiply(const rk_ring *ring, void *dst, const void *a, const void *b) {
    ring->kernels.multiply(ring, dst, a, b);
}

void rk_multiply_constant(const rk_ring *ring, void *dst, const void *a, uint64_t factor) {
    ring->kernels.multiply_constant(ring, dst, a, rk_factor_for(ring, factor));
}

void rk_reduce(const rk_ring *ring, void *dst, const void *src) { ring->kernels.reduce(ring, dst, src); }

void rk_multiply_sum(const rk_ring *ring, void *dst, const void *const *left, const void *const *right,
                     size_t count) {
    ring->kernels.multiply_sum(ring, dst, left, right, count);
}

void rk_multiply_sums(const rk_ring *ring, void *dst0, void *dst1, const void *const *left,
                      const void *const *right0, const void *const *right1, size_t count) {
    ring->kernels.multiply_sums(ring, dst0, dst1, left, right0, right1, count);
}

void rk_tensor_sum(const rk_ring *ring, void *dst0, void *dst1, void *dst2, const void *const *left0,
                   const void *const *left1, const void *const *right0, const void *const *right1,
                   size_t count) {
    ring->kernels.tensor_sum(ring, dst0, dst1, dst2, left0, left1, right0, right1, count);
}

void rk_divide_rounding(const rk_ring *ring, void *dst, const void *a, const void *p, const rk_ring *special,
                        const void *addend) {
    uint64_t half = special->modulus / 2;
    rk_division division = {
        .special_modulus = special->modulus,
        .special_half = half,
        .half = half % ring->modulus,
        .inverse = rk_factor_for(ring, rk_inverse_modulo(special->modulus, ring->modulus)),
    };
    // With an offset numbers stay below (multiple + 2) * modulus, which the factors of 8-byte words take to 4.
    uint64_t multiple = (special->modulus + ring->modulus - 1) / ring->modulus;
    if (multiple <= 2 || (ring->word_bytes == 4 && (multiple + 2) * ring->modulus <= UINT32_MAX)) {
        division.offset = division.half + multiple * ring->modulus;
    }
    ring->kernels.divide_rounding(ring, dst, a, p, &division, addend);
}

void rk_split(const rk_ring *ring, void *sum, void *difference, const void *c, const void *moved,
              size_t exponent) {
    ring->kernels.split(ring, sum, difference, c, moved, exponent);
}

void rk_split_evaluations(const rk_ring *ring, void *sum, void *difference, const void *c, const void *a,
                          const void *b, const void *more, const void *factor) {
    ring->kernels.split_evaluations(ring, sum, difference, c, a, b, more, factor);
}
