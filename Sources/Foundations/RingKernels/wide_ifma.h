// SPDX-License-Identifier: GPL-3.0-or-later
//
// Products of residues below 2^50, and sums of them, with 52-bit multiply-add.

// The constants of a ring in all lanes. Quotients are those of Shoup's method for 52 bits: a quotient for 64
// bits without its low 12 bits, since rounding down twice is rounding down once.
typedef struct constants {
    V q, twice, fourfold;
    V word_quotient;           // floor(2^64 / q)
    V mask;                    // 2^52 - 1
    V one_quotient;            // floor(2^52 / q)
    V limb, limb_quotient;     // 2^52 mod q
    V square, square_quotient; // 2^104 mod q
} constants;

INLINE constants constants_of(const rk_ring *ring) {
    return (constants){
        .q = v_splat(ring->modulus),
        .twice = v_splat(2 * ring->modulus),
        .fourfold = v_splat(4 * ring->modulus),
        .word_quotient = v_splat(ring->word_quotient),
        .mask = v_splat((UINT64_C(1) << 52) - 1),
        .one_quotient = v_splat(ring->word_quotient >> 12),
        .limb = v_splat(ring->ifma_limbs.limb.value),
        .limb_quotient = v_splat(ring->ifma_limbs.limb.quotient >> 12),
        .square = v_splat(ring->ifma_limbs.square.value),
        .square_quotient = v_splat(ring->ifma_limbs.square.quotient >> 12),
    };
}

// x * factor modulo q below 2q, for x below 2^52; the difference is exact modulo 2^52.
INLINE V multiply_52(V x, V value, V quotient, V q) {
    V estimate = _mm512_madd52hi_epu64(v_zero(), x, quotient);
    V rest = v_subtract(_mm512_madd52lo_epu64(v_zero(), x, value),
                        _mm512_madd52lo_epu64(v_zero(), estimate, q));
    return v_and(rest, v_splat((UINT64_C(1) << 52) - 1));
}

// x * factor modulo q, for x below 2^52.
INLINE V multiply_by(V x, rk_factor factor, V q) {
    return v_correct(multiply_52(x, v_splat(factor.value), v_splat(factor.quotient >> 12), q), q);
}

// Any word modulo q.
INLINE V reduce_word(V x, const constants *c) { return reduce_any(x, c->word_quotient, c->q); }

// The low and the high 52 bits of products, summed.
typedef struct wide {
    V low, high;
} wide;

// Short sums have no reduction of their own.
INLINE size_t wide_short_capacity(const rk_ring *ring) {
    (void)ring;
    return 0;
}
// 2^12 low halves fit, less one for a residue.
INLINE size_t wide_capacity(const rk_ring *ring) {
    (void)ring;
    return 4095;
}
INLINE wide wide_zero(void) { return (wide){v_zero(), v_zero()}; }

// A residue as the first term of a sum.
INLINE wide wide_from(V x, const constants *c) {
    (void)c;
    return (wide){x, v_zero()};
}

INLINE wide wide_add(wide sum, V x, V y, const constants *c) {
    (void)c;
    sum.low = _mm512_madd52lo_epu64(sum.low, x, y);
    sum.high = _mm512_madd52hi_epu64(sum.high, x, y);
    return sum;
}

// With the carry the high sum is below 2^61, so its upper part is below 2^9; three lazy products are below
// 6q.
INLINE V wide_reduce(wide sum, const constants *c) {
    V high = v_add(sum.high, v_shift_right(sum.low, 52)), low = v_and(sum.low, c->mask);
    V x = multiply_52(v_shift_right(high, 52), c->square, c->square_quotient, c->q);
    x = v_add(x, multiply_52(v_and(high, c->mask), c->limb, c->limb_quotient, c->q));
    x = v_add(x, multiply_52(low, v_splat(1), c->one_quotient, c->q));
    return v_correct(v_correct(v_correct(x, c->fourfold), c->twice), c->q);
}

INLINE V wide_reduce_short(wide sum, const constants *c) { return wide_reduce(sum, c); }
