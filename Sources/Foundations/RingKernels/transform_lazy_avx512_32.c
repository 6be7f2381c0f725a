// SPDX-License-Identifier: GPL-3.0-or-later
#include "transforms.h"

#if defined(__x86_64__)
#include "lanes_avx512_32.h"

#include "butterflies_lazy.h"
#include "vector_transform.h"

bool rk_install_lazy_transform_avx512_32(rk_ring *ring) { return install_transform(ring, RK_QUOTIENT_SIGNED_32); }
#endif
