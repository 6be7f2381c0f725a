// SPDX-License-Identifier: GPL-3.0-or-later
//
// What works on many rows: sums of products, database scans, conversions between sets of moduli.

#include "comparison.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TERMS = 4097, OWN_ROWS = 16, MOST_BASE = 17 };

// Calls `body` for some degrees, every edge modulus, and rows of largest and of random residues.
static void for_some_rings(void (*body)(const rings *rings, pattern pattern)) {
    static const size_t degrees[] = {2, 4, 8, 16, 32, 64, 256};
    for (size_t word_bytes = 4; word_bytes <= 8; word_bytes += 4) {
        for (size_t degree = 0; degree < sizeof degrees / sizeof *degrees; degree++) {
            uint64_t moduli[MOST_MODULI];
            size_t count = edge_moduli(word_bytes, degrees[degree], moduli);
            for (size_t i = 0; i < count; i++) {
                rings rings = create_rings(moduli[i], degrees[degree], word_bytes);
                body(&rings, LARGEST);
                body(&rings, RANDOM);
                destroy_rings(rings);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------- sums

static void sums(const rings *r, pattern pattern) {
    static const size_t counts[] = {1, 2, 3, 7, 15, 16, 17, 33, 255, 256, 257, 511, 513, MOST_TERMS};
    size_t bytes = r->degree * r->word_bytes;
    const void *rows[4][MOST_TERMS];
    for (int factor = 0; factor < 4; factor++) {
        for (size_t i = 0; i < MOST_TERMS; i++) {
            rows[factor][i] = i < OWN_ROWS ? new_row(r, pattern) : rows[factor][i % OWN_ROWS];
        }
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        COMPARE("multiply_sum", r, bytes, rk_multiply_sum(ring, dst, rows[0], rows[1], counts[i]));
        for (int wanted = 0; wanted < 3; wanted++) {
            COMPARE("tensor_sum", r, bytes, {
                void *dsts[3] = {dst, dst, dst};
                for (int other = 0; other < 3; other++) {
                    if (other != wanted) { dsts[other] = new_memory(bytes); }
                }
                rk_tensor_sum(ring, dsts[0], dsts[1], dsts[2], rows[0], rows[1], rows[2], rows[3], counts[i]);
            });
        }
    }
    release_memory();
}

void compare_sums(void) { for_some_rings(sums); }

// --------------------------------------------------------------------------------------------------- scans

// All results of a scan, one behind the other.
static void scan(const rk_ring *ring, const rings *r, void *dst, const void *const *plaintexts, size_t columns,
                 size_t rows, const void *const *selectors, size_t queries, size_t first) {
    size_t bytes = r->degree * r->word_bytes, count = columns - first;
    char *database = new_memory(bytes * columns * rows);
    for (size_t i = 0; i < columns * rows; i++) {
        rk_scan_store(ring, database, columns, rows, i / rows, i % rows, plaintexts[i]);
    }
    void *prepared = new_memory(rk_scan_query_bytes(ring, rows, queries));
    rk_scan_prepare(ring, prepared, selectors, rows, queries);
    void **results = calloc(queries * count * 2, sizeof *results);
    if (results == NULL) { abort(); }
    for (size_t i = 0; i < queries * count * 2; i++) { results[i] = new_memory(bytes); }
    rk_scan(ring, database, columns, rows, first, count, prepared, queries, results);
    for (size_t i = 0; i < queries * count * 2; i++) { memcpy((char *)dst + i * bytes, results[i], bytes); }
    free(results);
}

static void scans(const rings *r, pattern pattern) {
    enum { MOST_ROWS = 300, MOST_COLUMNS = 7, MOST_QUERIES = 9 };
    size_t bytes = r->degree * r->word_bytes;
    const void *plaintexts[MOST_COLUMNS * MOST_ROWS], *selectors[MOST_QUERIES * MOST_ROWS * 2];
    for (int shape = 0; shape < 4; shape++) {
        size_t rows = 1 + random_number() % (shape == 0 ? MOST_ROWS : 40);
        size_t columns = 1 + random_number() % MOST_COLUMNS, queries = 1 + random_number() % MOST_QUERIES;
        size_t first = shape % 2 == 0 ? 0 : columns / 2;
        for (size_t i = 0; i < columns * rows; i++) { plaintexts[i] = new_row(r, pattern); }
        for (size_t i = 0; i < queries * rows * 2; i++) { selectors[i] = new_row(r, pattern); }
        size_t results = queries * (columns - first) * 2;
        COMPARE("scan", r, results * bytes,
                scan(ring, r, dst, plaintexts, columns, rows, selectors, queries, first));
        release_memory();
    }
}

void compare_scans(void) { for_some_rings(scans); }

// ------------------------------------------------------------------------------------------------- scalings

// Moduli of a ciphertext: counts of primes below powers of two.
typedef struct base {
    size_t word_bytes;
    struct {
        unsigned bits;
        size_t count;
    } parts[2];
} base;

static void scaling(base base, size_t degree, uint64_t plaintext_modulus) {
    uint64_t moduli[2 * MOST_BASE + 1];
    size_t count = 0, bytes = degree * base.word_bytes;
    for (int part = 0; part < 2; part++) {
        count += primes_below(UINT64_C(1) << base.parts[part].bits, 2 * degree, moduli + count,
                              base.parts[part].count);
    }
    primes_from(base.word_bytes == 4 ? UINT64_C(1) << 28 : UINT64_C(1) << 60, 2 * degree, moduli + count,
                count + 1);
    rings all[2 * MOST_BASE + 1];
    const rk_ring *sides[2][2 * MOST_BASE + 1];
    for (size_t i = 0; i < 2 * count + 1; i++) {
        all[i] = create_rings(moduli[i], degree, base.word_bytes);
        sides[0][i] = all[i].portable;
        sides[1][i] = all[i].fast;
    }
    rk_scaling *scalings[2];
    for (int side = 0; side < 2; side++) {
        scalings[side] = rk_scaling_create(sides[side], count, sides[side] + count, plaintext_modulus,
                                           base.word_bytes == 4 ? 16 : 32);
        if (scalings[side] == NULL) { abort(); }
    }
    for (pattern pattern = ZERO; pattern < PATTERNS; pattern++) {
        const void *rows[2 * MOST_BASE + 1];
        char *lifted[2], *rounded[2];
        for (size_t i = 0; i < 2 * count + 1; i++) { rows[i] = new_row(&all[i], pattern); }
        for (int side = 0; side < 2; side++) {
            void *outputs[MOST_BASE + 1];
            lifted[side] = new_memory(bytes * (count + 1));
            rounded[side] = new_memory(bytes * count);
            // Rows on boundaries of 64 bytes; the results are copied behind each other.
            for (size_t i = 0; i <= count; i++) { outputs[i] = new_memory(bytes); }
            rk_scaling_lift(scalings[side], outputs, rows);
            for (size_t i = 0; i <= count; i++) { memcpy(lifted[side] + i * bytes, outputs[i], bytes); }
            rk_scaling_round(scalings[side], outputs, rows, rows + count);
            for (size_t i = 0; i < count; i++) { memcpy(rounded[side] + i * bytes, outputs[i], bytes); }
        }
        compare("scaling_lift", degree, moduli[0], lifted[0], lifted[1], bytes * (count + 1));
        compare("scaling_round", degree, moduli[0], rounded[0], rounded[1], bytes * count);
        release_memory();
    }
    for (int side = 0; side < 2; side++) { rk_scaling_destroy(scalings[side]); }
    for (size_t i = 0; i < 2 * count + 1; i++) { destroy_rings(all[i]); }
}

void compare_scalings(void) {
    static const base bases[] = {
        {4, {{27, 1}, {28, 1}}}, {4, {{28, 1}, {28, 0}}}, {4, {{20, 1}, {28, 3}}}, {4, {{30, 17}, {30, 0}}},
        {8, {{55, 2}, {55, 0}}}, {8, {{60, 3}, {60, 0}}}, {8, {{29, 1}, {60, 1}}}, {8, {{50, 6}, {50, 0}}},
        {8, {{62, 2}, {62, 0}}},
    };
    static const uint64_t plaintext_moduli[] = {17, 65537, 2199023288321};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        for (size_t degree = 4; degree <= 4096; degree *= 4) {
            for (int t = 0; t < 3; t++) { scaling(bases[i], degree, plaintext_moduli[t]); }
        }
    }
}
