// SPDX-License-Identifier: GPL-3.0-or-later
#include "transforms.h"

#if defined(__aarch64__)
#include "lanes_neon_32.h"

// Below 2q: as in the portable code.
INLINE V transform_product(V x, V factor, V quotient, V q) {
    return v_subtract(v_multiply_low(x, factor), v_multiply_low(v_multiply_high(x, quotient), q));
}

#define PRODUCT_BOUND 2
#include "butterflies_harvey.h"
#include "vector_transform.h"

bool rk_install_transform_neon_32(rk_ring *ring) { return install_transform(ring, RK_QUOTIENT_WORD); }
#endif
