// SPDX-License-Identifier: GPL-3.0-or-later
#include "transforms.h"

#if defined(__x86_64__)
#include "lanes_avx2_64.h"

INLINE V transform_product(V x, V factor, V quotient, V q) { return multiply_lazily(x, factor, quotient, q); }

#define PRODUCT_BOUND 4
#include "butterflies_harvey.h"
#include "vector_transform.h"

bool rk_install_transform_avx2_64(rk_ring *ring) { return install_transform(ring, RK_QUOTIENT_WORD); }
#endif
