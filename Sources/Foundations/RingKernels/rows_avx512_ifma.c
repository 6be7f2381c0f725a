// SPDX-License-Identifier: GPL-3.0-or-later
#include "transforms.h"

#if defined(__x86_64__)
#define USE_IFMA
#define SCAN_QUERIES 4
#define SCAN_PAIR_QUERIES 2
#include "lanes_avx512_64.h"
#include "vector_rows.h"
#include "vector_sums.h"
#include "vector_scan.h"
#include "vector_install.h"

bool rk_install_avx512_ifma(rk_ring *ring) {
    if (ring->degree < TILE_LANES || ring->modulus_bits > 50) { return true; }
    install_rows(ring);
    return ring->log_degree <= 2 * LOG_LANES || rk_install_transform_avx512_ifma(ring);
}
#endif
