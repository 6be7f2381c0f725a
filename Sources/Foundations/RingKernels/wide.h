// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef RING_WIDE_H
#define RING_WIDE_H

#include <stdint.h>

static inline __attribute__((always_inline)) uint64_t rk_high_product(uint64_t x, uint64_t y) {
    return (uint64_t)(((unsigned __int128)x * y) >> 64);
}

// x - limit, or x if that is negative; the difference must be below 2^63.
static inline __attribute__((always_inline)) uint64_t rk_subtract_unless_below(uint64_t x, uint64_t limit) {
    uint64_t less = x - limit;
    return less + ((uint64_t)((int64_t)less >> 63) & limit);
}

#endif
