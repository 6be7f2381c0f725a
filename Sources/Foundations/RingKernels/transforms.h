// SPDX-License-Identifier: GPL-3.0-or-later
//
// The transforms of each instruction set. Each makes its plan; false when memory is short.

#ifndef RING_KERNELS_TRANSFORMS_H
#define RING_KERNELS_TRANSFORMS_H

#include "ring_internal.h"

// Moduli of lazily reduced transforms are below: see butterflies_lazy.h.
#define RK_LAZY_LIMIT ((UINT64_C(1) << 28) + (UINT64_C(1) << 24))

bool rk_install_lazy_transform_avx512_32(rk_ring *ring);
bool rk_install_transform_avx512_32(rk_ring *ring);
bool rk_install_transform_avx512_64(rk_ring *ring);
bool rk_install_transform_avx512_ifma(rk_ring *ring);
bool rk_install_transform_avx2_32(rk_ring *ring);
bool rk_install_transform_avx2_64(rk_ring *ring);
bool rk_install_transform_neon_32(rk_ring *ring);

#endif
