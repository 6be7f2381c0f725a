// SPDX-License-Identifier: GPL-3.0-or-later
//
// Products modulo q of vectors of 8-byte residues out of 32-bit products: what is the same for every
// instruction set. q is below 2^61, so that 8q fits a word.

// floor(x * y / 2^64) or up to two less: without the product of the low halves and two carries.
INLINE V v_multiply_high(V x, V y) {
    V x1 = v_high_half(x), y1 = v_high_half(y);
    V middle = v_add(v_high_half(v_multiply_half(x1, y)), v_high_half(v_multiply_half(x, y1)));
    return v_add(v_multiply_half(x1, y1), middle);
}

// x * factor modulo q below 4q, for any x: the exact quotient leaves less than 2q, the estimate is at most
// two less.
INLINE V multiply_lazily(V x, V value, V quotient, V q) {
    return v_subtract(v_multiply_low(x, value), v_multiply_low(v_multiply_high(x, quotient), q));
}

// Any word modulo q, with floor(2^64 / q).
INLINE V reduce_any(V x, V quotient, V q) {
    V rest = v_subtract(x, v_multiply_low(v_multiply_high(x, quotient), q));
    return v_correct(v_correct(rest, v_add(q, q)), q);
}
