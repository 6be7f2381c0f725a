// SPDX-License-Identifier: GPL-3.0-or-later
#include "transforms.h"

#if defined(__x86_64__)
#define SCAN_QUERIES 1
#define SCAN_PAIR_QUERIES 1
#include "lanes_avx2_32.h"
#include "vector_rows.h"
#include "vector_sums.h"
#include "vector_scan.h"
#include "vector_scaling.h"
#include "vector_install.h"

bool rk_install_avx2_32(rk_ring *ring) {
    if (ring->degree < TILE_LANES) { return true; }
    install_rows(ring);
    ring->kernels.scaling_lift = row_scaling_lift;
    ring->kernels.scaling_round = row_scaling_round;
    // Lazy reduction was measured to be slower here: half the registers, and no table look-up in one.
    return ring->log_degree <= 2 * LOG_LANES || rk_install_transform_avx2_32(ring);
}
#endif
