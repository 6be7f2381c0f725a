// SPDX-License-Identifier: GPL-3.0-or-later
//
// Harvey's butterflies (arXiv:1205.2926) on unsigned numbers, for products below PRODUCT_BOUND * q: numbers
// stay below twice that, which fits a word.

enum {
    BOUND_LIMIT = 2 * PRODUCT_BOUND,
    BOUND_RESIDUE = 1,
    BOUND_PRODUCT = PRODUCT_BOUND,
    BOUND_BETWEEN_FORWARD_PASSES = BOUND_LIMIT,
    BOUND_BETWEEN_INVERSE_PASSES = PRODUCT_BOUND,
};

typedef struct transform {
    V q;
    V offset;        // PRODUCT_BOUND * q
    V word_quotient; // floor(2^w / q)
    V scale, scale_quotient, last, last_quotient;
} transform;

INLINE transform transform_of(const rk_ring *ring) {
    const rk_plan *plan = &ring->plan;
    return (transform){
        .q = v_splat(ring->modulus),
        .offset = v_splat(PRODUCT_BOUND * ring->modulus),
        .word_quotient = v_splat(ring->word_quotient),
        .scale = v_splat((uint64_t)plan->scale),
        .scale_quotient = v_splat((uint64_t)plan->scale_quotient),
        .last = v_splat((uint64_t)plan->last),
        .last_quotient = v_splat((uint64_t)plan->last_quotient),
    };
}

INLINE V load_reducing(V x, const transform *t) {
    return v_subtract(x, v_multiply_low(v_multiply_high(x, t->word_quotient), t->q));
}

INLINE void forward_butterfly(V *a, V *b, int *bound_a, int *bound_b, V factor, V quotient,
                              const transform *t) {
    if (*bound_a + BOUND_PRODUCT > BOUND_LIMIT) {
        *a = v_correct(*a, t->offset);
        *bound_a = BOUND_PRODUCT;
    }
    V product = transform_product(*b, factor, quotient, t->q);
    *b = v_subtract(v_add(*a, t->offset), product);
    *a = v_add(*a, product);
    *bound_a += BOUND_PRODUCT;
    *bound_b = *bound_a;
}

INLINE void inverse_butterfly(V *a, V *b, int *bound_a, int *bound_b, V factor, V quotient,
                              const transform *t) {
    V difference = v_subtract(v_add(*a, t->offset), *b);
    *a = v_correct(v_add(*a, *b), t->offset);
    *b = transform_product(difference, factor, quotient, t->q);
    *bound_a = *bound_b = BOUND_PRODUCT;
}

INLINE V between_passes(V x, int bound, const transform *t) {
    (void)bound;
    (void)t;
    return x;
}

// From below PRODUCT_BOUND * q to residues.
INLINE V product_result(V x, const transform *t) {
    if (PRODUCT_BOUND == 4) { x = v_correct(x, v_add(t->q, t->q)); }
    return v_correct(x, t->q);
}

INLINE V forward_result(V x, const transform *t) { return product_result(v_correct(x, t->offset), t); }

// The last butterfly of an inverse transform, with 1/degree.
INLINE void inverse_results(V *a, V *b, int bound_a, int bound_b, const transform *t) {
    (void)bound_a;
    (void)bound_b;
    V sum = v_add(*a, *b), difference = v_subtract(v_add(*a, t->offset), *b);
    *a = product_result(transform_product(sum, t->scale, t->scale_quotient, t->q), t);
    *b = product_result(transform_product(difference, t->last, t->last_quotient, t->q), t);
}
