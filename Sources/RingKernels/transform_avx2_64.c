// SPDX-License-Identifier: GPL-3.0-or-later
#include "transforms.h"

#if defined(__x86_64__)
#include "lanes_avx2_64.h"

INLINE V transform_product(V x, V factor, V quotient, V q) { return multiply_lazily(x, factor, quotient, q); }

#define PRODUCT_BOUND 4
#include "butterflies_harvey.h"
#include "vector_transform.h"

bool rk_install_transform_avx2_64(rk_ring *ring) {
    if (!rk_plan_create(ring, LANES, RK_QUOTIENT_WORD)) { return false; }
    ring->kernels.forward = row_forward;
    ring->kernels.forward_reducing = row_forward_reducing;
    ring->kernels.inverse = row_inverse;
    return true;
}
#endif
