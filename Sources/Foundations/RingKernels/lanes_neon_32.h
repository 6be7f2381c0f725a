// SPDX-License-Identifier: GPL-3.0-or-later
//
// Four residues of 4 bytes in a NEON register. Where other instruction sets multiply even and odd lanes, this
// one multiplies the first and the second half.

#include "ring_internal.h"

#include <arm_neon.h>

#define TARGET
#define INLINE static inline __attribute__((always_inline))
#define WORD uint32_t
#define LOG_LANES 2
#define LANES 4
#define RADIX_BITS 4

typedef uint32x4_t V;

INLINE V v_load(const WORD *place) { return vld1q_u32(place); }
INLINE V v_load_unaligned(const WORD *place) { return vld1q_u32(place); }
INLINE void v_store(WORD *place, V x) { vst1q_u32(place, x); }
INLINE void v_store_unaligned(WORD *place, V x) { vst1q_u32(place, x); }
INLINE V v_splat(uint64_t x) { return vdupq_n_u32((uint32_t)x); }
INLINE V v_zero(void) { return vdupq_n_u32(0); }
INLINE V v_add(V x, V y) { return vaddq_u32(x, y); }
INLINE V v_subtract(V x, V y) { return vsubq_u32(x, y); }
INLINE V v_and(V x, V y) { return vandq_u32(x, y); }
INLINE V v_shift_right(V x, unsigned bits) { return vshlq_u32(x, vdupq_n_s32(-(int32_t)bits)); }
INLINE V v_multiply_low(V x, V y) { return vmulq_u32(x, y); }

// All ones where the top bit is set.
INLINE V v_sign(V x) { return vreinterpretq_u32_s32(vshrq_n_s32(vreinterpretq_s32_u32(x), 31)); }

// x - limit where that is not negative, else x.
INLINE V v_correct(V x, V limit) { return vminq_u32(x, vsubq_u32(x, limit)); }

// The high halves of the products of both halves of lanes, in their lanes.
INLINE V v_high_halves(V first, V second) { return vuzp2q_u32(first, second); }
INLINE V v_low_halves(V first, V second) { return vuzp1q_u32(first, second); }
INLINE V v_odd(V x) { return vextq_u32(x, x, 2); }
INLINE V v_multiply_even(V x, V y) {
    return vreinterpretq_u32_u64(vmull_u32(vget_low_u32(x), vget_low_u32(y)));
}
INLINE V v_add_even(V x, V y) {
    return vreinterpretq_u32_u64(vaddq_u64(vreinterpretq_u64_u32(x), vreinterpretq_u64_u32(y)));
}
INLINE V v_shift_even_right(V x, unsigned bits) {
    return vreinterpretq_u32_u64(vshlq_u64(vreinterpretq_u64_u32(x), vdupq_n_s64(-(int64_t)bits)));
}

// The words of row at the places of 4 indices, negated modulo q where the index has its top bit set.
INLINE V v_gather(const WORD *row, const uint32_t *places, V q) {
    WORD words[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        words[lane] = row[places[lane] & ~(UINT32_C(1) << RK_SIGN_BIT)];
    }
    V x = vld1q_u32(words);
    return vbslq_u32(v_sign(vld1q_u32(places)), v_correct(vsubq_u32(q, x), q), x);
}

// Words of one aligned vector of row, in the order of the low bits of 4 places in it: as bytes.
INLINE V v_permute(const WORD *row, const uint32_t *places) {
    V low = vandq_u32(vld1q_u32(places), vdupq_n_u32(LANES - 1));
    V bytes = vaddq_u32(vmulq_u32(low, vdupq_n_u32(0x04040404)), vdupq_n_u32(0x03020100));
    uint8x16_t block = vreinterpretq_u8_u32(v_load(row + places[0] / LANES * LANES));
    return vreinterpretq_u32_u8(vqtbl1q_u8(block, vreinterpretq_u8_u32(bytes)));
}

INLINE void v_prefetch(const void *place) { __builtin_prefetch(place); }

// Lane i of vector j becomes lane j of vector i.
INLINE void v_transpose(V *v) {
    uint64x2_t a = vreinterpretq_u64_u32(vtrn1q_u32(v[0], v[1])),
               b = vreinterpretq_u64_u32(vtrn2q_u32(v[0], v[1]));
    uint64x2_t c = vreinterpretq_u64_u32(vtrn1q_u32(v[2], v[3])),
               d = vreinterpretq_u64_u32(vtrn2q_u32(v[2], v[3]));
    v[0] = vreinterpretq_u32_u64(vtrn1q_u64(a, c));
    v[1] = vreinterpretq_u32_u64(vtrn1q_u64(b, d));
    v[2] = vreinterpretq_u32_u64(vtrn2q_u64(a, c));
    v[3] = vreinterpretq_u32_u64(vtrn2q_u64(b, d));
}

#include "lanes_32.h"
