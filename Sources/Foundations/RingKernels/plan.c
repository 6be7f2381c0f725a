// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tables for vector transforms.
#include "ring_internal.h"

#include <stdlib.h>

typedef struct pair {
    int64_t value, quotient;
} pair;

static pair pair_of(const rk_ring *ring, rk_quotient_kind kind, uint64_t value) {
    uint64_t modulus = ring->modulus;
    switch (kind) {
    case RK_QUOTIENT_SIGNED_32: {
        bool is_negative = value > modulus / 2;
        int64_t magnitude = (int64_t)(is_negative ? modulus - value : value);
        int64_t quotient = (int64_t)((((uint64_t)magnitude << 33) + modulus) / (2 * modulus));
        return is_negative ? (pair){-magnitude, -quotient} : (pair){magnitude, quotient};
    }
    case RK_QUOTIENT_52:
        return (pair){(int64_t)value, (int64_t)rk_shoup_quotient(value, modulus, 52)};
    case RK_QUOTIENT_WORD:
        break;
    }
    return (pair){(int64_t)value, (int64_t)rk_shoup_quotient(value, modulus, 8 * (unsigned)ring->word_bytes)};
}

static uint64_t residue_at(const rk_ring *ring, const void *row, size_t index) {
    return ring->word_bytes == 4 ? ((const uint32_t *)row)[index] : ((const uint64_t *)row)[index];
}

static void put(const rk_ring *ring, void *table, size_t index, int64_t number) {
    if (ring->word_bytes == 4) {
        ((uint32_t *)table)[index] = (uint32_t)number;
    } else {
        ((uint64_t *)table)[index] = (uint64_t)number;
    }
}

// For each block the factors of its last stages: part by part, one factor for each lane, then their
// quotients.
static void fill_lanes(const rk_ring *ring, size_t lanes, rk_quotient_kind kind, const void *factors,
                       void *table) {
    size_t place = 0, blocks = ring->degree / (lanes * lanes);
    for (size_t block = 0; block < blocks; block++) {
        size_t node = (blocks + block) * lanes;
        for (size_t parts = 1; parts < lanes; parts *= 2) {
            for (size_t part = 0; part < parts; part++, place += 2 * lanes) {
                for (size_t lane = 0; lane < lanes; lane++) {
                    pair factor = pair_of(ring, kind,
                                          residue_at(ring, factors, (node + lane) * parts + part));
                    put(ring, table, place + lane, factor.value);
                    put(ring, table, place + lanes + lane, factor.quotient);
                }
            }
        }
    }
}

static void fill_factors(const rk_ring *ring, rk_quotient_kind kind, const void *source, void *factors,
                         void *quotients) {
    for (size_t i = 0; i < ring->degree; i++) {
        pair factor = pair_of(ring, kind, residue_at(ring, source, i));
        put(ring, factors, i, factor.value);
        put(ring, quotients, i, factor.quotient);
    }
}

// Multiples of q for intervals of 2^shift, by the interval's number modulo 16; see lanes_avx512_32.h.
static void set_multiples(rk_plan *plan, int64_t modulus, unsigned bits) {
    plan->shift = bits < 28 ? bits : 28;
    for (int64_t i = -8; i < 8; i++) {
        // Positive dividends, so that division rounds down.
        int64_t start = i * ((int64_t)1 << plan->shift), offset = modulus << 5;
        int64_t below = (start + offset) / modulus - 32;
        int64_t nearest = (2 * start + ((int64_t)1 << plan->shift) + modulus + 2 * offset) / (2 * modulus) -
                          32;
        plan->below[i & 15] = (int32_t)(below * modulus);
        plan->nearest[i & 15] = (int32_t)(nearest * modulus);
    }
    plan->one_quotient = (int32_t)(((INT64_C(1) << 33) + modulus) / (2 * modulus));
}

bool rk_plan_create(rk_ring *ring, size_t lanes, rk_quotient_kind kind) {
    rk_plan *plan = &ring->plan;
    size_t row_bytes = ring->degree * ring->word_bytes;
    size_t lane_bytes = ring->degree / lanes * (lanes - 1) * 2 * ring->word_bytes;
    free(plan->tables);
    // Vectors of the tables are loaded from 64-byte boundaries.
    plan->tables = aligned_alloc(RK_TILE_BYTES, 4 * row_bytes + 2 * lane_bytes);
    if (plan->tables == NULL) { return false; }
    char *place = plan->tables;
    fill_factors(ring, kind, ring->forward_factors, place, place + row_bytes);
    fill_factors(ring, kind, ring->inverse_factors, place + 2 * row_bytes, place + 3 * row_bytes);
    fill_lanes(ring, lanes, kind, ring->forward_factors, place + 4 * row_bytes);
    fill_lanes(ring, lanes, kind, ring->inverse_factors, place + 4 * row_bytes + lane_bytes);
    plan->forward_factors = place;
    plan->forward_quotients = place + row_bytes;
    plan->inverse_factors = place + 2 * row_bytes;
    plan->inverse_quotients = place + 3 * row_bytes;
    plan->forward_lanes = place + 4 * row_bytes;
    plan->inverse_lanes = place + 4 * row_bytes + lane_bytes;

    pair scale = pair_of(ring, kind, ring->scale.value), last = pair_of(ring, kind, ring->scaled_last.value);
    plan->scale = scale.value;
    plan->scale_quotient = scale.quotient;
    plan->last = last.value;
    plan->last_quotient = last.quotient;
    if (kind == RK_QUOTIENT_SIGNED_32) { set_multiples(plan, (int64_t)ring->modulus, ring->modulus_bits); }
    return true;
}
