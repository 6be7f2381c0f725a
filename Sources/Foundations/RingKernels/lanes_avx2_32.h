// SPDX-License-Identifier: GPL-3.0-or-later
//
// Eight residues of 4 bytes in an AVX2 register.

#include "ring_internal.h"

#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline)) TARGET
#define WORD uint32_t
#define LOG_LANES 3
#define LANES 8
#define RADIX_BITS 3

typedef __m256i V;

INLINE V v_load(const WORD *place) { return _mm256_load_si256((const V *)place); }
INLINE V v_load_unaligned(const WORD *place) { return _mm256_loadu_si256((const V *)place); }
INLINE void v_store(WORD *place, V x) { _mm256_store_si256((V *)place, x); }
INLINE void v_store_unaligned(WORD *place, V x) { _mm256_storeu_si256((V *)place, x); }
INLINE V v_splat(uint64_t x) { return _mm256_set1_epi32((int32_t)x); }
INLINE V v_zero(void) { return _mm256_setzero_si256(); }
INLINE V v_add(V x, V y) { return _mm256_add_epi32(x, y); }
INLINE V v_subtract(V x, V y) { return _mm256_sub_epi32(x, y); }
INLINE V v_and(V x, V y) { return _mm256_and_si256(x, y); }
INLINE V v_shift_right(V x, unsigned bits) { return _mm256_srl_epi32(x, _mm_cvtsi32_si128((int)bits)); }
INLINE V v_multiply_low(V x, V y) { return _mm256_mullo_epi32(x, y); }

// All ones where the top bit is set.
INLINE V v_sign(V x) { return _mm256_srai_epi32(x, 31); }

// x - limit where that is not negative, else x.
INLINE V v_correct(V x, V limit) { return _mm256_min_epu32(x, _mm256_sub_epi32(x, limit)); }

// The high halves of the products in even lanes and those in odd lanes, in their lanes.
INLINE V v_high_halves(V even, V odd) { return _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA); }
INLINE V v_low_halves(V even, V odd) { return _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA); }
INLINE V v_odd(V x) { return _mm256_srli_epi64(x, 32); }
INLINE V v_multiply_even(V x, V y) { return _mm256_mul_epu32(x, y); }
INLINE V v_add_even(V x, V y) { return _mm256_add_epi64(x, y); }
INLINE V v_shift_even_right(V x, unsigned bits) { return _mm256_srl_epi64(x, _mm_cvtsi32_si128((int)bits)); }

// The words of row at the places of 8 indices, negated modulo q where the index has its top bit set.
INLINE V v_gather(const WORD *row, const uint32_t *places, V q) {
    V index = v_load_unaligned(places);
    V x = _mm256_i32gather_epi32((const int *)row, _mm256_and_si256(index, _mm256_set1_epi32(0x7fffffff)), 4);
    V negated = v_correct(_mm256_sub_epi32(q, x), q);
    return _mm256_blendv_epi8(x, negated, v_sign(index));
}

// Words of one aligned vector of row, in the order of the low bits of 8 places in it.
INLINE V v_permute(const WORD *row, const uint32_t *places) {
    return _mm256_permutevar8x32_epi32(v_load(row + places[0] / LANES * LANES), v_load_unaligned(places));
}

INLINE void v_prefetch(const void *place) { _mm_prefetch((const char *)place, _MM_HINT_T0); }

// Lane i of vector j becomes lane j of vector i.
INLINE void v_transpose(V *v) {
    V a[8], b[8];
    UNROLL
    for (int i = 0; i < 8; i += 2) {
        a[i] = _mm256_unpacklo_epi32(v[i], v[i + 1]);
        a[i + 1] = _mm256_unpackhi_epi32(v[i], v[i + 1]);
    }
    UNROLL
    for (int i = 0; i < 8; i += 4) {
        b[i] = _mm256_unpacklo_epi64(a[i], a[i + 2]);
        b[i + 1] = _mm256_unpackhi_epi64(a[i], a[i + 2]);
        b[i + 2] = _mm256_unpacklo_epi64(a[i + 1], a[i + 3]);
        b[i + 3] = _mm256_unpackhi_epi64(a[i + 1], a[i + 3]);
    }
    UNROLL
    for (int i = 0; i < 4; i++) {
        v[i] = _mm256_permute2x128_si256(b[i], b[i + 4], 0x20);
        v[i + 4] = _mm256_permute2x128_si256(b[i], b[i + 4], 0x31);
    }
}

#include "lanes_32.h"
