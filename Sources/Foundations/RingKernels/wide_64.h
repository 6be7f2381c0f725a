// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sums of products of 8-byte residues, as three sums of products of limbs.

// The constants of a ring in all lanes. Residues are split into limbs of `limb_bits`, half of the modulus'
// bits.
typedef struct constants {
    V q, twice, fourfold;
    V word_quotient; // floor(2^64 / q)
    unsigned limb_bits;
    V limb_mask;
    V limb, limb_quotient;     // 2^limb_bits mod q
    V square, square_quotient; // 2^(2 limb_bits) mod q
    bool is_mixed;             // a limb may be above q
} constants;

INLINE constants limb_constants_of(const rk_ring *ring, const rk_limbs *limbs, bool is_mixed) {
    return (constants){
        .q = v_splat(ring->modulus),
        .twice = v_splat(2 * ring->modulus),
        .fourfold = v_splat(4 * ring->modulus),
        .word_quotient = v_splat(ring->word_quotient),
        .limb_bits = limbs->bits,
        .limb_mask = v_splat((UINT64_C(1) << limbs->bits) - 1),
        .limb = v_splat(limbs->limb.value),
        .limb_quotient = v_splat(limbs->limb.quotient),
        .square = v_splat(limbs->square.value),
        .square_quotient = v_splat(limbs->square.quotient),
        .is_mixed = is_mixed,
    };
}

INLINE constants constants_of(const rk_ring *ring) { return limb_constants_of(ring, &ring->limbs, false); }

// The same for sums over residues of several moduli.
INLINE constants mixed_constants_of(const rk_ring *ring) {
    return limb_constants_of(ring, &ring->mixed_limbs, true);
}

// Any word modulo q.
INLINE V reduce_word(V x, const constants *c) { return reduce_any(x, c->word_quotient, c->q); }

INLINE V multiply_factor(V x, V value, V quotient, V q) {
    return v_correct(v_correct(multiply_lazily(x, value, quotient, q), v_add(q, q)), q);
}

INLINE V multiply_by(V x, rk_factor factor, V q) {
    return multiply_factor(x, v_splat(factor.value), v_splat(factor.quotient), q);
}

// Sums of products of limbs: low * low, low * high and high * low, high * high.
//
// Moduli of b bits and limbs of l bits, b <= 2l: n = 2^(63 - b) products fit. With factors at most (2^l - 1)
// and (2^(b-l) - 1), the middle sum is below 2n * 2^b - n * 2^(b-l+1) - n * 2^(l+1) + 2n < 2^64 -
// 2^(l+1+63-b), which leaves room for the carry of the low sum, below 2^(64-l), and for a limb: 2l >= b gives
// 63 - b + l + 1 >= 64 - l. The low sum is below n * 2^2l - n * 2^(l+1) + n and 2l <= b + 1, so it fits with
// a limb; the high sum is below n * 2^(2b-2l) <= 2^63.
typedef struct wide {
    V low, middle, high;
} wide;

// Short sums have no reduction of their own.
INLINE size_t wide_short_capacity(const rk_ring *ring) {
    (void)ring;
    return 0;
}
static inline size_t mixed_short_capacity(const rk_scaling *scaling) { return scaling->limb_capacity; }
INLINE size_t wide_capacity(const rk_ring *ring) { return ring->limbs.capacity; }
static inline size_t mixed_capacity(const rk_scaling *scaling) { return scaling->limb_capacity; }
INLINE wide wide_zero(void) { return (wide){v_zero(), v_zero(), v_zero()}; }

// A residue as the first term of a sum.
INLINE wide wide_from(V x, const constants *c) {
    return (wide){v_and(x, c->limb_mask), v_shift_right(x, c->limb_bits), v_zero()};
}

INLINE wide wide_add(wide sum, V x, V y, const constants *c) {
    V x0 = v_and(x, c->limb_mask), x1 = v_shift_right(x, c->limb_bits);
    V y0 = v_and(y, c->limb_mask), y1 = v_shift_right(y, c->limb_bits);
    sum.low = v_add(sum.low, v_multiply_half(x0, y0));
    sum.middle = v_add(sum.middle, v_add(v_multiply_half(x0, y1), v_multiply_half(x1, y0)));
    sum.high = v_add(sum.high, v_multiply_half(x1, y1));
    return sum;
}

// high * 2^2l + middle * 2^l is below 8q after two lazy products and below 4q after a correction. The low
// limb is below q, or below 3q after its own estimate, which is at most two too small: less than 7q before
// the last corrections.
INLINE V wide_reduce(wide sum, const constants *c) {
    V middle = v_add(sum.middle, v_shift_right(sum.low, c->limb_bits)), low = v_and(sum.low, c->limb_mask);
    V estimate = v_add(v_multiply_high(sum.high, c->square_quotient),
                       v_multiply_high(middle, c->limb_quotient));
    V x = v_add(v_multiply_low(sum.high, c->square), v_multiply_low(middle, c->limb));
    x = v_correct(v_subtract(x, v_multiply_low(estimate, c->q)), c->fourfold);
    if (c->is_mixed) {
        // Limbs have 30 bits, so one product is enough.
        V small_estimate = v_high_half(v_multiply_half(low, v_high_half(c->word_quotient)));
        low = v_subtract(low, v_multiply_low(small_estimate, c->q));
    }
    x = v_correct(v_add(x, low), c->fourfold);
    return v_correct(v_correct(x, c->twice), c->q);
}

INLINE V wide_reduce_short(wide sum, const constants *c) { return wide_reduce(sum, c); }
