// SPDX-License-Identifier: GPL-3.0-or-later
#include "transforms.h"

#if defined(__x86_64__)
#include "lanes_avx512_32.h"

#include "butterflies_lazy.h"
#include "vector_transform.h"

bool rk_install_lazy_transform_avx512_32(rk_ring *ring) {
    if (!rk_plan_create(ring, LANES, RK_QUOTIENT_SIGNED_32)) { return false; }
    ring->kernels.forward = row_forward;
    ring->kernels.forward_reducing = row_forward_reducing;
    ring->kernels.inverse = row_inverse;
    return true;
}
#endif
