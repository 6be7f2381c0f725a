// SPDX-License-Identifier: GPL-3.0-or-later
//
// Butterflies on signed 4-byte numbers that are reduced only when the next sum might not fit, for moduli
// below 2^28 + 2^24.
//
// Bounds are counted in quarters of U = max(q, 2^s), where s is the smaller of 28 and the bits of q. Since q
// < 2^s * 17/16, a number below 7.5 U is below 7.97 * 2^s <= 2^31.
//   product    With a factor w in [-q/2, q/2], its quotient w' = round(w * 2^32 / q) and
//              k = floor(x * w' / 2^32): x * w - k * q = q * (x * (w/q - w'/2^32) + a fraction), and
//              |x| <= 2^31 gives [-q/4, 5q/4).
//   reduced    A number below 7.5 U less a multiple of q near it: at most U. How is up to the
//              instruction set.
// The compiler knows all bounds, so the tests on them cost nothing.

enum {
    BOUND_LIMIT = 30,
    BOUND_RESIDUE = 4,
    BOUND_REDUCED = 4,
    BOUND_PRODUCT = 5,
    BOUND_BETWEEN_FORWARD_PASSES = BOUND_LIMIT,
    BOUND_BETWEEN_INVERSE_PASSES = BOUND_PRODUCT,
};

typedef struct transform {
    V q;
    reducer reducer;
    V one_quotient; // round(2^32 / q)
    V scale, scale_quotient, last, last_quotient;
} transform;

INLINE transform transform_of(const rk_ring *ring) {
    const rk_plan *plan = &ring->plan;
    return (transform){
        .q = v_splat(ring->modulus),
        .reducer = reducer_of(ring),
        .one_quotient = v_splat((uint32_t)plan->one_quotient),
        .scale = v_splat((uint32_t)plan->scale),
        .scale_quotient = v_splat((uint32_t)plan->scale_quotient),
        .last = v_splat((uint32_t)plan->last),
        .last_quotient = v_splat((uint32_t)plan->last_quotient),
    };
}

INLINE V lazy_product(V x, V factor, V quotient, const transform *t) {
    V estimate = v_multiply_high_signed(x, quotient);
    return v_subtract(v_multiply_low(x, factor), v_multiply_low(estimate, t->q));
}

// Words below 2^30.
INLINE V load_reducing(V x, const transform *t) {
    return v_subtract(x, v_multiply_low(v_multiply_high_signed(x, t->one_quotient), t->q));
}

INLINE void forward_butterfly(V *a, V *b, int *bound_a, int *bound_b, V factor, V quotient,
                              const transform *t) {
    if (*bound_a + BOUND_PRODUCT > BOUND_LIMIT) {
        *a = reduced_nearly(*a, &t->reducer);
        *bound_a = BOUND_REDUCED;
    }
    V product = lazy_product(*b, factor, quotient, t);
    *b = v_subtract(*a, product);
    *a = v_add(*a, product);
    *bound_a += BOUND_PRODUCT;
    *bound_b = *bound_a;
}

INLINE void reduce_beyond(V *x, int *bound, int limit, const transform *t) {
    if (*bound > limit) {
        *x = reduced_nearly(*x, &t->reducer);
        *bound = BOUND_REDUCED;
    }
}

INLINE void inverse_sums(V *a, V *b, int *bound_a, int *bound_b, const transform *t) {
    // One is often enough.
    if (*bound_a + *bound_b > BOUND_LIMIT) { reduce_beyond(a, bound_a, BOUND_REDUCED, t); }
    if (*bound_a + *bound_b > BOUND_LIMIT) { reduce_beyond(b, bound_b, BOUND_REDUCED, t); }
    V difference = v_subtract(*a, *b);
    *a = v_add(*a, *b);
    *b = difference;
    *bound_a += *bound_b;
    *bound_b = *bound_a;
}

INLINE void inverse_butterfly(V *a, V *b, int *bound_a, int *bound_b, V factor, V quotient,
                              const transform *t) {
    inverse_sums(a, b, bound_a, bound_b, t);
    *b = lazy_product(*b, factor, quotient, t);
    *bound_b = BOUND_PRODUCT;
}

// At the end of an inverse pass.
INLINE V between_passes(V x, int bound, const transform *t) {
    reduce_beyond(&x, &bound, BOUND_BETWEEN_INVERSE_PASSES, t);
    return x;
}

// From below 7.5 U to residues.
INLINE V forward_result(V x, const transform *t) { return reduced_fully(x, &t->reducer); }

// The last butterfly of an inverse transform, with 1/degree.
INLINE void inverse_results(V *a, V *b, int bound_a, int bound_b, const transform *t) {
    inverse_sums(a, b, &bound_a, &bound_b, t);
    V x = lazy_product(*a, t->scale, t->scale_quotient, t),
      y = lazy_product(*b, t->last, t->last_quotient, t);
    *a = v_correct(v_raise(x, t->q), t->q);
    *b = v_correct(v_raise(y, t->q), t->q);
}
