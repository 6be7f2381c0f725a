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

bool rk_install_transform_avx512_ifma(rk_ring *ring) { return install_transform(ring, RK_QUOTIENT_52); }
#endif
