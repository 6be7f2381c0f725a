// SPDX-License-Identifier: GPL-3.0-or-later
//
// Eight residues of 8 bytes in an AVX-512 register. With USE_IFMA defined, products are those of 52 bits.

#include "ring_internal.h"

#include <immintrin.h>

#ifdef USE_IFMA
#define TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512ifma")))
#else
#define TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
#endif
#define INLINE static inline __attribute__((always_inline)) TARGET
#define WORD uint64_t
#define LOG_LANES 3
#define LANES 8
#define RADIX_BITS 4

typedef __m512i V;

INLINE V v_load(const WORD *place) { return _mm512_load_si512(place); }
INLINE V v_load_unaligned(const WORD *place) { return _mm512_loadu_si512(place); }
INLINE void v_store(WORD *place, V x) { _mm512_store_si512(place, x); }
INLINE void v_store_unaligned(WORD *place, V x) { _mm512_storeu_si512(place, x); }
INLINE V v_splat(uint64_t x) { return _mm512_set1_epi64((int64_t)x); }
INLINE V v_zero(void) { return _mm512_setzero_si512(); }
INLINE V v_add(V x, V y) { return _mm512_add_epi64(x, y); }
INLINE V v_subtract(V x, V y) { return _mm512_sub_epi64(x, y); }
INLINE V v_and(V x, V y) { return _mm512_and_si512(x, y); }
INLINE V v_shift_right(V x, unsigned bits) { return _mm512_srl_epi64(x, _mm_cvtsi32_si128((int)bits)); }
INLINE V v_high_half(V x) { return _mm512_srli_epi64(x, 32); }
INLINE V v_multiply_low(V x, V y) { return _mm512_mullo_epi64(x, y); }

// The product of the low halves.
INLINE V v_multiply_half(V x, V y) { return _mm512_mul_epu32(x, y); }

// All ones where the top bit is set.
INLINE V v_sign(V x) { return _mm512_srai_epi64(x, 63); }

// x - limit where that is not negative, else x.
INLINE V v_correct(V x, V limit) { return _mm512_min_epu64(x, _mm512_sub_epi64(x, limit)); }

// The words of row at the places of 8 indices, negated modulo q where the index has its top bit set.
INLINE V v_gather(const WORD *row, const uint32_t *places, V q) {
    __m256i index = _mm256_loadu_si256((const __m256i *)places);
    V x = _mm512_i32gather_epi64(_mm256_and_si256(index, _mm256_set1_epi32(0x7fffffff)), row, 8);
    return _mm512_mask_sub_epi64(x, _mm256_movepi32_mask(index) & _mm512_test_epi64_mask(x, x), q, x);
}

// Words of one aligned vector of row, in the order of the low bits of 8 places in it.
INLINE V v_permute(const WORD *row, const uint32_t *places) {
    V index = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)places));
    return _mm512_permutexvar_epi64(index, v_load(row + places[0] / LANES * LANES));
}

INLINE void v_prefetch(const void *place) { _mm_prefetch((const char *)place, _MM_HINT_T0); }

// Lane i of vector j becomes lane j of vector i.
INLINE void v_transpose(V *v) {
    V a[8], b[8];
    UNROLL
    for (int i = 0; i < 8; i += 2) {
        a[i] = _mm512_unpacklo_epi64(v[i], v[i + 1]);
        a[i + 1] = _mm512_unpackhi_epi64(v[i], v[i + 1]);
    }
    UNROLL
    for (int i = 0; i < 2; i++) {
        b[i] = _mm512_shuffle_i64x2(a[i], a[i + 2], 0x88);
        b[i + 2] = _mm512_shuffle_i64x2(a[i], a[i + 2], 0xdd);
        b[i + 4] = _mm512_shuffle_i64x2(a[i + 4], a[i + 6], 0x88);
        b[i + 6] = _mm512_shuffle_i64x2(a[i + 4], a[i + 6], 0xdd);
    }
    UNROLL
    for (int i = 0; i < 4; i++) {
        v[i] = _mm512_shuffle_i64x2(b[i], b[i + 4], 0x88);
        v[i + 4] = _mm512_shuffle_i64x2(b[i], b[i + 4], 0xdd);
    }
}

#include "lanes_64.h"
#ifdef USE_IFMA
#include "wide_ifma.h"
#else
#include "wide_64.h"
#endif
