// SPDX-License-Identifier: GPL-3.0-or-later
#include "ring_internal.h"

#include <stdlib.h>

rk_automorphism *rk_automorphism_create(size_t degree, uint32_t element) {
    if (degree < 2 || degree > 32768 || (degree & (degree - 1)) != 0 || element % 2 == 0 ||
        element >= 2 * degree) {
        return NULL;
    }
    rk_automorphism *automorphism = malloc(sizeof *automorphism);
    uint32_t *tables = malloc(2 * degree * sizeof *tables);
    if (automorphism == NULL || tables == NULL) {
        free(automorphism);
        free(tables);
        return NULL;
    }
    *automorphism = (rk_automorphism){degree, tables, tables + degree};
    unsigned bits = 0;
    while ((size_t)1 << bits < degree) { bits++; }
    for (size_t i = 0; i < degree; i++) {
        // Coefficient i moves to i * element, X^N being -1.
        size_t target = i * element % (2 * degree);
        uint32_t sign = target >= degree ? UINT32_C(1) << RK_SIGN_BIT : 0;
        automorphism->coefficients[target % degree] = (uint32_t)i | sign;
        // Place i holds the value at the root to the power of 2 * reversed(i) + 1.
        size_t exponent = element * (2 * rk_bit_reversed(i, bits) + 1) % (2 * degree);
        automorphism->evaluations[i] = (uint32_t)rk_bit_reversed((exponent - 1) / 2, bits);
    }
    return automorphism;
}

void rk_automorphism_destroy(rk_automorphism *automorphism) {
    if (automorphism == NULL) { return; }
    free(automorphism->coefficients);
    free(automorphism);
}

void rk_move_coefficients(const rk_ring *ring, const rk_automorphism *automorphism, void *dst,
                          const void *src) {
    ring->kernels.move_coefficients(ring, automorphism, dst, src);
}

void rk_move_evaluations(const rk_ring *ring, const rk_automorphism *automorphism, void *dst,
                         const void *src) {
    ring->kernels.move_evaluations(ring, automorphism, dst, src);
}
