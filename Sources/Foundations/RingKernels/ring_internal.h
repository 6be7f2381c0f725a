// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a ring, an automorphism and a scaling are made of, and the table of functions that a ring calls
// through.

#ifndef RING_KERNELS_INTERNAL_H
#define RING_KERNELS_INTERNAL_H

#include "RingKernels.h"
#include "arithmetic.h"
#include "unroll.h"

enum { RK_TILE_BYTES = 64, RK_MAXIMUM_BASE_COUNT = 31, RK_MIXED_LIMB_BITS = 30 };

// A constant residue with floor(value * 2^w / modulus), w the bits of a word.
typedef struct rk_factor {
    uint64_t value;
    uint64_t quotient;
} rk_factor;

// The constants of a division by the modulus of another ring.
typedef struct rk_division {
    uint64_t special_modulus;
    uint64_t special_half; // floor(P/2)
    uint64_t half;         // the same modulo the ring's modulus
    rk_factor inverse;     // of P
    uint64_t offset; // half and the least multiple of the ring's modulus that is not below P; 0 if too much
} rk_division;

// How the quotients of Shoup's multiplication are stored in a plan.
typedef enum rk_quotient_kind {
    RK_QUOTIENT_WORD,      // floor(value * 2^w / q)
    RK_QUOTIENT_52,        // floor(value * 2^52 / q)
    RK_QUOTIENT_SIGNED_32, // values from -q/2 to q/2; round(value * 2^32 / q)
} rk_quotient_kind;

// The tables of a vector transform; see vector_transform.h. Words of the ring.
typedef struct rk_plan {
    void *tables; // owns what the pointers point to
    const void *forward_factors, *forward_quotients, *inverse_factors, *inverse_quotients;
    const void *forward_lanes, *inverse_lanes;

    // 1/degree, and the factor of the inverse transform's last stage times that.
    int64_t scale, scale_quotient, last, last_quotient;

    // For RK_QUOTIENT_SIGNED_32 only; see butterflies_lazy.h and lanes_avx512_32.h.
    unsigned shift;
    int32_t nearest[16], below[16];
    int32_t one_quotient;
} rk_plan;

// The constants of sums over products of limbs: see wide_64.h and wide_ifma.h.
typedef struct rk_limbs {
    unsigned bits;
    size_t capacity;
    rk_factor limb;   // 2^bits modulo the modulus
    rk_factor square; // 2^(2 bits) modulo the modulus
} rk_limbs;

typedef struct rk_kernels {
    void (*forward)(const rk_ring *ring, void *dst, const void *src);
    void (*forward_reducing)(const rk_ring *ring, void *dst, const void *src);
    void (*inverse)(const rk_ring *ring, void *row);
    void (*add)(const rk_ring *ring, void *dst, const void *a, const void *b);
    void (*subtract)(const rk_ring *ring, void *dst, const void *a, const void *b);
    void (*negate)(const rk_ring *ring, void *dst, const void *a);
    void (*multiply)(const rk_ring *ring, void *dst, const void *a, const void *b);
    void (*multiply_constant)(const rk_ring *ring, void *dst, const void *a, rk_factor factor);
    void (*reduce)(const rk_ring *ring, void *dst, const void *src);
    void (*multiply_sum)(const rk_ring *ring, void *dst, const void *const *left, const void *const *right,
                         size_t count);
    void (*multiply_sums)(const rk_ring *ring, void *dst0, void *dst1, const void *const *left,
                          const void *const *right0, const void *const *right1, size_t count);
    void (*tensor_sum)(const rk_ring *ring, void *dst0, void *dst1, void *dst2, const void *const *left0,
                       const void *const *left1, const void *const *right0, const void *const *right1,
                       size_t count);
    void (*divide_rounding)(const rk_ring *ring, void *dst, const void *a, const void *p,
                            const rk_division *division, const void *addend);
    void (*split)(const rk_ring *ring, void *sum, void *difference, const void *c, const void *moved,
                  size_t exponent);
    void (*split_evaluations)(const rk_ring *ring, void *sum, void *difference, const void *c, const void *a,
                              const void *b, const void *more, const void *factor);
    void (*move_coefficients)(const rk_ring *ring, const rk_automorphism *automorphism, void *dst,
                              const void *src);
    void (*move_evaluations)(const rk_ring *ring, const rk_automorphism *automorphism, void *dst,
                             const void *src);
    void (*scaling_lift)(const rk_scaling *scaling, void *const *auxiliary, const void *const *base);
    void (*scaling_round)(const rk_scaling *scaling, void *const *output, const void *const *base,
                          const void *const *auxiliary);
    void (*scan)(const rk_ring *ring, const void *database, size_t columns, size_t rows, size_t first_column,
                 size_t column_count, const void *prepared, size_t queries, void *const *results);
} rk_kernels;

struct rk_ring {
    rk_kernels kernels;
    uint64_t modulus;
    size_t degree;
    unsigned log_degree;
    unsigned modulus_bits;
    size_t word_bytes;
    rk_instruction_set set;

    // Powers of the root and of its inverse in the order in which a transform meets them (entry i is the
    // power of i with its bits reversed), each with its Shoup quotient; words of the ring, degree of each.
    void *forward_factors, *forward_quotients, *inverse_factors, *inverse_quotients;
    rk_factor scale;          // 1/degree
    rk_factor scaled_last;    // 1/degree times the factor of the inverse transform's last stage
    rk_factor word_remainder; // 2^w modulo the modulus
    uint64_t word_quotient;   // floor((2^w - 1) / modulus) = floor(2^w / modulus): moduli are odd
    uint64_t wide_quotient;   // floor(2^64 / modulus)

    // Products of two residues that fit two words beside one residue.
    size_t sum_capacity;

    // For words of 4 bytes: floor(2^(32 + short_shift) / modulus) with one bit less than the modulus has, and products
    // of two residues whose sum is below 2^(32 + short_shift).
    uint32_t short_quotient;
    unsigned short_shift;
    size_t short_capacity;

    // For words of 8 bytes: limbs for this modulus, for sums over several moduli below 2^61, and for 52-bit
    // products.
    rk_limbs limbs, mixed_limbs, ifma_limbs;

    rk_plan plan;
};

struct rk_automorphism {
    size_t degree;
    // For each place of the result the place in the source; for coefficients with the top bit set where the
    // sign changes.
    uint32_t *coefficients;
    uint32_t *evaluations;
};

enum { RK_SIGN_BIT = 31 };

struct rk_scaling {
    const rk_kernels *kernels;
    const rk_ring *base[RK_MAXIMUM_BASE_COUNT];
    const rk_ring *auxiliary[RK_MAXIMUM_BASE_COUNT + 1];
    size_t base_count;
    size_t degree;
    unsigned correction_bits;

    // Products of residues of any two of the moduli that fit two words beside one residue of any.
    size_t sum_capacity;

    // For words of 4 bytes: products of a residue of any of the moduli and one of the sum's modulus that add up to no
    // more than the modulus' short sums.
    size_t short_capacity;

    // The same for sums of products of limbs of RK_MIXED_LIMB_BITS: see wide_64.h.
    size_t limb_capacity;

    // Lift. Digits of the input: y_i = x_i * lift_digit[i] mod q_i, with m~ * (Q/q_i)^-1.
    rk_factor lift_digit[RK_MAXIMUM_BASE_COUNT];
    // r = sum of y_i * lift_correction[i] modulo m~, with -1/q_i.
    uint64_t lift_correction[RK_MAXIMUM_BASE_COUNT];
    // Result for b: sum of y_i * lift_sum[b][i] + r * lift_remainder[b], with (Q/q_i)/m~ and Q/m~.
    uint64_t lift_sum[RK_MAXIMUM_BASE_COUNT + 1][RK_MAXIMUM_BASE_COUNT];
    uint64_t lift_remainder[RK_MAXIMUM_BASE_COUNT + 1];

    // Floor. Digits of the product: y_i = x_i * floor_digit[i] mod q_i, with t * (Q/q_i)^-1.
    rk_factor floor_digit[RK_MAXIMUM_BASE_COUNT];
    // Digits of the quotient for b_j: z_j = x_j * floor_own[j] + sum of y_i * floor_sum[j][i], with t/Q *
    // (B/b_j)^-1 and -1/q_i * (B/b_j)^-1. For m_sk the part of the excess that depends on x: the same with
    // -1/B for (B/b_j)^-1.
    uint64_t floor_own[RK_MAXIMUM_BASE_COUNT + 1];
    uint64_t floor_sum[RK_MAXIMUM_BASE_COUNT + 1][RK_MAXIMUM_BASE_COUNT];
    // The rest of the excess: sum of z_j * excess_sum[j] modulo m_sk, with 1/b_j.
    uint64_t excess_sum[RK_MAXIMUM_BASE_COUNT];

    // Back. Result for q_i: sum of z_j * back_sum[i][j] + excess * back_excess[i], with B/b_j and -B, and
    // back_wrapped[i] = m_sk * B more where the excess is above m_sk / 2.
    uint64_t back_sum[RK_MAXIMUM_BASE_COUNT][RK_MAXIMUM_BASE_COUNT];
    uint64_t back_excess[RK_MAXIMUM_BASE_COUNT];
    uint64_t back_wrapped[RK_MAXIMUM_BASE_COUNT];
};

static inline size_t rk_tile_lanes(const rk_ring *ring) {
    size_t lanes = RK_TILE_BYTES / ring->word_bytes;
    return ring->degree < lanes ? ring->degree : lanes;
}

static inline rk_factor rk_factor_for(const rk_ring *ring, uint64_t value) {
    return (rk_factor){value, rk_shoup_quotient(value, ring->modulus, 8 * (unsigned)ring->word_bytes)};
}

// Builds ring->plan for vectors of `lanes` words.
bool rk_plan_create(rk_ring *ring, size_t lanes, rk_quotient_kind kind);

extern const rk_kernels rk_portable_kernels_32, rk_portable_kernels_64;

// These replace functions of the portable table by those that suit the ring. False when memory is short.
bool rk_install_avx512_32(rk_ring *ring);
bool rk_install_avx512_64(rk_ring *ring);
bool rk_install_avx512_ifma(rk_ring *ring);
bool rk_install_avx2_32(rk_ring *ring);
bool rk_install_avx2_64(rk_ring *ring);
bool rk_install_neon_32(rk_ring *ring);

#endif
