// SPDX-License-Identifier: GPL-3.0-or-later
//
// Four residues of 8 bytes in an AVX2 register.

#include "ring_internal.h"

#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline)) TARGET
#define WORD uint64_t
#define LOG_LANES 2
#define LANES 4
#define RADIX_BITS 3

typedef __m256i V;

INLINE V v_load(const WORD *place) { return _mm256_load_si256((const V *)place); }
INLINE V v_load_unaligned(const WORD *place) { return _mm256_loadu_si256((const V *)place); }
INLINE void v_store(WORD *place, V x) { _mm256_store_si256((V *)place, x); }
INLINE void v_store_unaligned(WORD *place, V x) { _mm256_storeu_si256((V *)place, x); }
INLINE V v_splat(uint64_t x) { return _mm256_set1_epi64x((int64_t)x); }
INLINE V v_zero(void) { return _mm256_setzero_si256(); }
INLINE V v_add(V x, V y) { return _mm256_add_epi64(x, y); }
INLINE V v_subtract(V x, V y) { return _mm256_sub_epi64(x, y); }
INLINE V v_and(V x, V y) { return _mm256_and_si256(x, y); }
INLINE V v_shift_right(V x, unsigned bits) { return _mm256_srl_epi64(x, _mm_cvtsi32_si128((int)bits)); }
INLINE V v_high_half(V x) { return _mm256_srli_epi64(x, 32); }

// The product of the low halves.
INLINE V v_multiply_half(V x, V y) { return _mm256_mul_epu32(x, y); }

INLINE V v_multiply_low(V x, V y) {
    V crossed = v_add(v_multiply_half(v_high_half(x), y), v_multiply_half(x, v_high_half(y)));
    return v_add(v_multiply_half(x, y), _mm256_slli_epi64(crossed, 32));
}

// y where the top bit of sign is set, else x.
INLINE V v_select(V x, V y, V sign) {
    return _mm256_castpd_si256(
        _mm256_blendv_pd(_mm256_castsi256_pd(x), _mm256_castsi256_pd(y), _mm256_castsi256_pd(sign)));
}

// All ones where the top bit is set.
INLINE V v_sign(V x) { return _mm256_cmpgt_epi64(v_zero(), x); }

// x - limit where that is not negative, else x; for x below limit + 2^63.
INLINE V v_correct(V x, V limit) {
    V difference = _mm256_sub_epi64(x, limit);
    return v_select(difference, x, difference);
}

// The words of row at the places of 4 indices, negated modulo q where the index has its top bit set.
INLINE V v_gather(const WORD *row, const uint32_t *places, V q) {
    __m128i index = _mm_loadu_si128((const __m128i *)places);
    V x = _mm256_i32gather_epi64((const long long *)row, _mm_and_si128(index, _mm_set1_epi32(0x7fffffff)), 8);
    return v_select(x, v_correct(_mm256_sub_epi64(q, x), q), _mm256_cvtepi32_epi64(index));
}

// Words of one aligned vector of row, in the order of the low bits of 4 places in it: as pairs of half words.
INLINE V v_permute(const WORD *row, const uint32_t *places) {
    V index = _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)places));
    V first = _mm256_slli_epi64(index, 1);
    V pairs = v_add(v_add(first, _mm256_slli_epi64(first, 32)), v_splat(UINT64_C(1) << 32));
    return _mm256_permutevar8x32_epi32(v_load(row + places[0] / LANES * LANES), pairs);
}

INLINE void v_prefetch(const void *place) { _mm_prefetch((const char *)place, _MM_HINT_T0); }

// Lane i of vector j becomes lane j of vector i.
INLINE void v_transpose(V *v) {
    V a[4];
    UNROLL
    for (int i = 0; i < 4; i += 2) {
        a[i] = _mm256_unpacklo_epi64(v[i], v[i + 1]);
        a[i + 1] = _mm256_unpackhi_epi64(v[i], v[i + 1]);
    }
    UNROLL
    for (int i = 0; i < 2; i++) {
        v[i] = _mm256_permute2x128_si256(a[i], a[i + 2], 0x20);
        v[i + 2] = _mm256_permute2x128_si256(a[i], a[i + 2], 0x31);
    }
}

#include "lanes_64.h"
#include "wide_64.h"
