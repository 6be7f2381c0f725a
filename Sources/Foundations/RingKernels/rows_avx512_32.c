// SPDX-License-Identifier: GPL-3.0-or-later
#include "transforms.h"

#if defined(__x86_64__)
#define SCAN_QUERIES 4
#define SCAN_PAIR_QUERIES 2
#include "lanes_avx512_32.h"
#include "vector_rows.h"
#include "vector_sums.h"
#include "vector_scan.h"
#include "vector_scaling.h"
#include "vector_install.h"

bool rk_install_avx512_32(rk_ring *ring) {
    if (ring->degree < TILE_LANES) { return true; }
    install_rows(ring);
    ring->kernels.scaling_lift = row_scaling_lift;
    ring->kernels.scaling_round = row_scaling_round;
    if (ring->log_degree <= 2 * LOG_LANES) { return true; }
    return ring->modulus < RK_LAZY_LIMIT ? rk_install_lazy_transform_avx512_32(ring)
                                         : rk_install_transform_avx512_32(ring);
}
#endif
