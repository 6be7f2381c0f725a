// SPDX-License-Identifier: GPL-3.0-or-later
#include "transforms.h"

#if defined(__x86_64__)
#define USE_IFMA
#include "lanes_avx512_64.h"

// Numbers are below 4q < 2^52.
INLINE V transform_product(V x, V factor, V quotient, V q) { return multiply_52(x, factor, quotient, q); }

#define PRODUCT_BOUND 2
#include "butterflies_harvey.h"
#include "vector_transform.h"

bool rk_install_transform_avx512_ifma(rk_ring *ring) {
    if (!rk_plan_create(ring, LANES, RK_QUOTIENT_52)) { return false; }
    ring->kernels.forward = row_forward;
    ring->kernels.forward_reducing = row_forward_reducing;
    ring->kernels.inverse = row_inverse;
    return true;
}
#endif
