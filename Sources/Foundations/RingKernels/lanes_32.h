// SPDX-License-Identifier: GPL-3.0-or-later
//
// Modular arithmetic on vectors of 4-byte residues: what is the same for every instruction set. q is below
// 2^30.

// The constants of a ring in all lanes.
typedef struct constants {
    V q, twice;
    V word_quotient;                 // floor(2^32 / q)
    V remainder, remainder_quotient; // 2^32 mod q
    V short_quotient;
    unsigned short_shift;
} constants;

INLINE constants constants_of(const rk_ring *ring) {
    return (constants){
        .q = v_splat(ring->modulus),
        .twice = v_splat(2 * ring->modulus),
        .word_quotient = v_splat(ring->word_quotient),
        .remainder = v_splat(ring->word_remainder.value),
        .remainder_quotient = v_splat(ring->word_remainder.quotient),
        .short_quotient = v_splat(ring->short_quotient),
        .short_shift = ring->short_shift,
    };
}

// The same for sums over residues of several moduli.
INLINE constants mixed_constants_of(const rk_ring *ring) { return constants_of(ring); }

// The high halves of the products of all lanes.
INLINE V v_multiply_high(V x, V y) {
    return v_high_halves(v_multiply_even(x, y), v_multiply_even(v_odd(x), v_odd(y)));
}

// x * factor modulo q, for any x. As in the portable code the product is below 2q before the correction.
INLINE V multiply_factor(V x, V value, V quotient, V q) {
    V estimate = v_multiply_high(x, quotient);
    return v_correct(v_subtract(v_multiply_low(x, value), v_multiply_low(estimate, q)), q);
}

INLINE V multiply_by(V x, rk_factor factor, V q) {
    return multiply_factor(x, v_splat(factor.value), v_splat(factor.quotient), q);
}

// Any word modulo q.
INLINE V reduce_word(V x, const constants *c) {
    return v_correct(v_subtract(x, v_multiply_low(v_multiply_high(x, c->word_quotient), c->q)), c->q);
}

// Sums of products, in 64 bits each: those of the even and those of the odd lanes.
typedef struct wide {
    V even, odd;
} wide;

// Products of two residues whose sum wide_reduce_short takes.
INLINE size_t wide_short_capacity(const rk_ring *ring) { return ring->short_capacity; }
static inline size_t mixed_short_capacity(const rk_scaling *scaling) { return scaling->short_capacity; }
INLINE size_t wide_capacity(const rk_ring *ring) { return ring->sum_capacity; }
static inline size_t mixed_capacity(const rk_scaling *scaling) { return scaling->sum_capacity; }
INLINE wide wide_zero(void) { return (wide){v_zero(), v_zero()}; }

// A residue as the first term of a sum.
INLINE wide wide_from(V x, const constants *c) {
    (void)c;
    return (wide){v_multiply_even(x, v_splat(1)), v_multiply_even(v_odd(x), v_splat(1))};
}

INLINE wide wide_add(wide sum, V x, V y, const constants *c) {
    (void)c;
    sum.even = v_add_even(sum.even, v_multiply_even(x, y));
    sum.odd = v_add_even(sum.odd, v_multiply_even(v_odd(x), v_odd(y)));
    return sum;
}

// With high and low halves the sum is high * (2^32 mod q) + low. Each of the two lazy products is below 2q,
// the sum below 4q, a word.
INLINE V wide_reduce(wide sum, const constants *c) {
    V high = v_high_halves(sum.even, sum.odd), low = v_low_halves(sum.even, sum.odd);
    V estimate = v_add(v_multiply_high(high, c->remainder_quotient), v_multiply_high(low, c->word_quotient));
    V x = v_add(v_subtract(v_multiply_low(high, c->remainder), v_multiply_low(estimate, c->q)), low);
    return v_correct(v_correct(x, c->twice), c->q);
}

// The same for a sum below 2^(32 + s), s one less than the bits of q. The estimate is the sum's upper word, from bit s
// on, times floor(2^(32 + s) / q): each of the two drops less than one q, and so does the product's lower word.
INLINE V wide_reduce_short(wide sum, const constants *c) {
    V even = v_multiply_even(v_shift_even_right(sum.even, c->short_shift), c->short_quotient);
    V odd = v_multiply_even(v_shift_even_right(sum.odd, c->short_shift), c->short_quotient);
    V multiple = v_multiply_low(v_high_halves(even, odd), c->q);
    V x = v_subtract(v_low_halves(sum.even, sum.odd), multiple);
    return v_correct(v_correct(x, c->twice), c->q);
}
