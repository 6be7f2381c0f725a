// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sixteen residues of 4 bytes in an AVX-512 register.

#include "ring_internal.h"

#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
#define INLINE static inline __attribute__((always_inline)) TARGET
#define WORD uint32_t
#define LOG_LANES 4
#define LANES 16
#define RADIX_BITS 4

typedef __m512i V;

INLINE V v_load(const WORD *place) { return _mm512_load_si512(place); }
INLINE V v_load_unaligned(const WORD *place) { return _mm512_loadu_si512(place); }
INLINE void v_store(WORD *place, V x) { _mm512_store_si512(place, x); }
INLINE void v_store_unaligned(WORD *place, V x) { _mm512_storeu_si512(place, x); }
INLINE V v_splat(uint64_t x) { return _mm512_set1_epi32((int32_t)x); }
INLINE V v_zero(void) { return _mm512_setzero_si512(); }
INLINE V v_add(V x, V y) { return _mm512_add_epi32(x, y); }
INLINE V v_subtract(V x, V y) { return _mm512_sub_epi32(x, y); }
INLINE V v_and(V x, V y) { return _mm512_and_si512(x, y); }
INLINE V v_shift_right(V x, unsigned bits) { return _mm512_srl_epi32(x, _mm_cvtsi32_si128((int)bits)); }
INLINE V v_multiply_low(V x, V y) { return _mm512_mullo_epi32(x, y); }

// All ones where the top bit is set.
INLINE V v_sign(V x) { return _mm512_srai_epi32(x, 31); }

// x - limit where that is not negative, else x.
INLINE V v_correct(V x, V limit) { return _mm512_min_epu32(x, _mm512_sub_epi32(x, limit)); }

// The high halves of the products in even lanes and those in odd lanes, in their lanes.
INLINE V v_high_halves(V even, V odd) { return _mm512_mask_shuffle_epi32(odd, 0x5555, even, 0xF5); }
INLINE V v_low_halves(V even, V odd) { return _mm512_mask_shuffle_epi32(even, 0xAAAA, odd, 0xA0); }
INLINE V v_odd(V x) { return _mm512_srli_epi64(x, 32); }
INLINE V v_multiply_even(V x, V y) { return _mm512_mul_epu32(x, y); }
INLINE V v_add_even(V x, V y) { return _mm512_add_epi64(x, y); }
INLINE V v_shift_even_right(V x, unsigned bits) { return _mm512_srl_epi64(x, _mm_cvtsi32_si128((int)bits)); }
INLINE V v_multiply_high_signed(V x, V y) {
    return v_high_halves(_mm512_mul_epi32(x, y), _mm512_mul_epi32(v_odd(x), v_odd(y)));
}

// The words of row at the places of 16 indices, negated modulo q where the index has its top bit set.
INLINE V v_gather(const WORD *row, const uint32_t *places, V q) {
    V index = _mm512_loadu_si512(places);
    V x = _mm512_i32gather_epi32(_mm512_and_si512(index, _mm512_set1_epi32(0x7fffffff)), row, 4);
    return _mm512_mask_sub_epi32(x, _mm512_movepi32_mask(index) & _mm512_test_epi32_mask(x, x), q, x);
}

// Words of one aligned vector of row, in the order of the low bits of 16 places in it.
INLINE V v_permute(const WORD *row, const uint32_t *places) {
    return _mm512_permutexvar_epi32(_mm512_loadu_si512(places), v_load(row + places[0] / LANES * LANES));
}

// x + q where x is negative, else x.
INLINE V v_raise(V x, V q) { return _mm512_min_epu32(x, _mm512_add_epi32(x, q)); }

// Multiples of q by the top bits of a number x in [i * 2^s, (i + 1) * 2^s), -8 <= i < 8, with s as in
// butterflies_lazy.h.
typedef struct reducer {
    V q;
    unsigned shift;
    V nearest; // by i modulo 16: the multiple nearest to the middle of the interval
    V below;   // by i modulo 16: the multiple at or below the interval
} reducer;

INLINE reducer reducer_of(const rk_ring *ring) {
    const rk_plan *plan = &ring->plan;
    return (reducer){v_splat(ring->modulus), plan->shift, _mm512_loadu_si512(plan->nearest),
                     _mm512_loadu_si512(plan->below)};
}

// At most (q + 2^s) / 2 <= U.
INLINE V reduced_nearly(V x, const reducer *r) {
    return _mm512_sub_epi32(x, _mm512_permutexvar_epi32(v_shift_right(x, r->shift), r->nearest));
}

// Less the multiple below the interval leaves [0, q + 2^s), which is below 3q.
INLINE V reduced_fully(V x, const reducer *r) {
    x = _mm512_sub_epi32(x, _mm512_permutexvar_epi32(v_shift_right(x, r->shift), r->below));
    return v_correct(v_correct(x, r->q), r->q);
}

INLINE void v_prefetch(const void *place) { _mm_prefetch((const char *)place, _MM_HINT_T0); }

// Lane i of vector j becomes lane j of vector i.
INLINE void v_transpose(V *v) {
    V a[16], b[16];
    UNROLL
    for (int i = 0; i < 16; i += 2) {
        a[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
        a[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
    }
    UNROLL
    for (int i = 0; i < 16; i += 4) {
        b[i] = _mm512_unpacklo_epi64(a[i], a[i + 2]);
        b[i + 1] = _mm512_unpackhi_epi64(a[i], a[i + 2]);
        b[i + 2] = _mm512_unpacklo_epi64(a[i + 1], a[i + 3]);
        b[i + 3] = _mm512_unpackhi_epi64(a[i + 1], a[i + 3]);
    }
    UNROLL
    for (int i = 0; i < 4; i++) {
        a[i] = _mm512_shuffle_i32x4(b[i], b[i + 4], 0x88);
        a[i + 4] = _mm512_shuffle_i32x4(b[i], b[i + 4], 0xdd);
        a[i + 8] = _mm512_shuffle_i32x4(b[i + 8], b[i + 12], 0x88);
        a[i + 12] = _mm512_shuffle_i32x4(b[i + 8], b[i + 12], 0xdd);
    }
    UNROLL
    for (int i = 0; i < 4; i++) {
        v[i] = _mm512_shuffle_i32x4(a[i], a[i + 8], 0x88);
        v[i + 8] = _mm512_shuffle_i32x4(a[i], a[i + 8], 0xdd);
        v[i + 4] = _mm512_shuffle_i32x4(a[i + 4], a[i + 12], 0x88);
        v[i + 12] = _mm512_shuffle_i32x4(a[i + 4], a[i + 12], 0xdd);
    }
}

#include "lanes_32.h"
