// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rows element by element, and moved coefficients, for any instruction set: included after the header of its
// lanes.

enum { TILE_LANES = RK_TILE_BYTES / sizeof(WORD) };

TARGET static void row_add(const rk_ring *ring, void *dst, const void *a, const void *b) {
    V q = v_splat(ring->modulus);
    WORD *to = dst;
    const WORD *x = a, *y = b;
    for (size_t i = 0; i < ring->degree; i += LANES) {
        v_store(to + i, v_correct(v_add(v_load(x + i), v_load(y + i)), q));
    }
}

TARGET static void row_subtract(const rk_ring *ring, void *dst, const void *a, const void *b) {
    V q = v_splat(ring->modulus);
    WORD *to = dst;
    const WORD *x = a, *y = b;
    for (size_t i = 0; i < ring->degree; i += LANES) {
        v_store(to + i, v_correct(v_subtract(v_add(v_load(x + i), q), v_load(y + i)), q));
    }
}

TARGET static void row_negate(const rk_ring *ring, void *dst, const void *a) {
    V q = v_splat(ring->modulus);
    WORD *to = dst;
    const WORD *x = a;
    for (size_t i = 0; i < ring->degree; i += LANES) {
        v_store(to + i, v_correct(v_subtract(q, v_load(x + i)), q));
    }
}

TARGET static void row_multiply(const rk_ring *ring, void *dst, const void *a, const void *b) {
    constants c = constants_of(ring);
    WORD *to = dst;
    const WORD *x = a, *y = b;
    for (size_t i = 0; i < ring->degree; i += LANES) {
        v_store(to + i, wide_reduce_short(wide_add(wide_zero(), v_load(x + i), v_load(y + i), &c), &c));
    }
}

TARGET static void row_multiply_constant(const rk_ring *ring, void *dst, const void *a, rk_factor factor) {
    V q = v_splat(ring->modulus);
    WORD *to = dst;
    const WORD *x = a;
    for (size_t i = 0; i < ring->degree; i += LANES) {
        v_store(to + i, multiply_by(v_load(x + i), factor, q));
    }
}

TARGET static void row_reduce(const rk_ring *ring, void *dst, const void *src) {
    constants c = constants_of(ring);
    WORD *to = dst;
    const WORD *from = src;
    for (size_t i = 0; i < ring->degree; i += LANES) { v_store(to + i, reduce_word(v_load(from + i), &c)); }
}

INLINE V divided(const rk_division *division, const constants *c, V x, V low) {
    V half = v_splat(division->half), special = v_splat(division->special_modulus);
    V shifted = v_correct(v_add(low, v_splat(division->special_half)), special);
    if (division->offset != 0) {
        V difference = v_subtract(v_add(x, v_splat(division->offset)), shifted);
        return multiply_by(difference, division->inverse, c->q);
    }
    V difference = v_subtract(v_add(v_correct(v_add(x, half), c->q), c->q), reduce_word(shifted, c));
    return multiply_by(difference, division->inverse, c->q);
}

TARGET static void row_divide_rounding(const rk_ring *ring, void *dst, const void *a, const void *p,
                                       const rk_division *division, const void *addend) {
    constants c = constants_of(ring);
    WORD *to = dst;
    const WORD *x = a, *low = p, *more = addend;
    if (more == NULL) {
        for (size_t i = 0; i < ring->degree; i += LANES) {
            v_store(to + i, divided(division, &c, v_load(x + i), v_load(low + i)));
        }
    } else {
        for (size_t i = 0; i < ring->degree; i += LANES) {
            V quotient = divided(division, &c, v_load(x + i), v_load(low + i));
            v_store(to + i, v_correct(v_add(quotient, v_load(more + i)), c.q));
        }
    }
}

// to = x - y for count words on any boundary. The last vector overlaps the one before it;
// fewer words than lanes go one by one.
INLINE void subtract_run(WORD *to, const WORD *x, const WORD *y, size_t count, WORD modulus) {
    V q = v_splat(modulus);
    if (count < LANES) {
        for (size_t i = 0; i < count; i++) {
            WORD difference = x[i] - y[i];
            WORD borrow = (WORD)0 - (difference >> (8 * sizeof(WORD) - 1));
            to[i] = difference + (borrow & modulus);
        }
        return;
    }
    for (size_t start = 0; start < count; start += LANES) {
        size_t i = start + LANES <= count ? start : count - LANES;
        V difference = v_subtract(v_add(v_load_unaligned(x + i), q), v_load_unaligned(y + i));
        v_store_unaligned(to + i, v_correct(difference, q));
    }
}

TARGET static void row_split(const rk_ring *ring, void *sum, void *difference, const void *c,
                             const void *moved, size_t exponent) {
    WORD *rest = difference;
    const WORD *x = c, *y = moved;
    size_t kept = ring->degree - exponent;
    // The difference comes first: sum may be one of the inputs.
    subtract_run(rest, x + exponent, y + exponent, kept, (WORD)ring->modulus);
    subtract_run(rest + kept, y, x, exponent, (WORD)ring->modulus);
    row_add(ring, sum, c, moved);
}

INLINE void split_evaluations(const rk_ring *ring, WORD *sum, WORD *difference, const WORD *node, const WORD *a,
                              const WORD *b, const WORD *more, const WORD *factor) {
    constants c = constants_of(ring);
    for (size_t i = 0; i < ring->degree; i += LANES) {
        V image = v_correct(v_add(v_load(a + i), v_load(b + i)), c.q);
        if (more != NULL) { image = v_correct(v_add(image, v_load(more + i)), c.q); }
        V x = v_load(node + i), rest = v_correct(v_subtract(v_add(x, c.q), image), c.q);
        v_store(difference + i, wide_reduce_short(wide_add(wide_zero(), rest, v_load(factor + i), &c), &c));
        v_store(sum + i, v_correct(v_add(x, image), c.q));
    }
}

TARGET static void row_split_evaluations(const rk_ring *ring, void *sum, void *difference, const void *c,
                                         const void *a, const void *b, const void *more, const void *factor) {
    if (more == NULL) {
        split_evaluations(ring, sum, difference, c, a, b, NULL, factor);
    } else {
        split_evaluations(ring, sum, difference, c, a, b, more, factor);
    }
}

TARGET static void row_move_coefficients(const rk_ring *ring, const rk_automorphism *automorphism, void *dst,
                                         const void *src) {
    V q = v_splat(ring->modulus);
    WORD *to = dst;
    for (size_t i = 0; i < ring->degree; i += LANES) {
        v_store(to + i, v_gather(src, automorphism->coefficients + i, q));
    }
}

// The values of an aligned block are those at powers of the root whose exponents agree in their low bits; so
// do the exponents times the element: a block comes from one block.
TARGET static void row_move_evaluations(const rk_ring *ring, const rk_automorphism *automorphism, void *dst,
                                        const void *src) {
    WORD *to = dst;
    for (size_t i = 0; i < ring->degree; i += LANES) {
        v_store(to + i, v_permute(src, automorphism->evaluations + i));
    }
}
