// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where things are in a database and in a prepared query. A database is [tile][column][row][lane], a prepared
// query [tile][row][query][polynomial][lane]: while the selectors of a tile stay in the first-level cache,
// all columns of the database stream past them once.
#include "ring_internal.h"

#include <string.h>

// The bytes from one tile of a plaintext to the next one.
static size_t tile_stride(const rk_ring *ring, size_t columns, size_t rows) {
    return columns * rows * rk_tile_lanes(ring) * ring->word_bytes;
}

void rk_scan_store(const rk_ring *ring, void *database, size_t columns, size_t rows, size_t column,
                   size_t row, const void *plaintext) {
    size_t bytes = rk_tile_lanes(ring) * ring->word_bytes;
    char *place = (char *)database + (column * rows + row) * bytes;
    for (size_t offset = 0; offset < ring->degree * ring->word_bytes; offset += bytes) {
        memcpy(place, (const char *)plaintext + offset, bytes);
        place += tile_stride(ring, columns, rows);
    }
}

void rk_scan_load(const rk_ring *ring, const void *database, size_t columns, size_t rows, size_t column,
                  size_t row, void *plaintext) {
    size_t bytes = rk_tile_lanes(ring) * ring->word_bytes;
    const char *place = (const char *)database + (column * rows + row) * bytes;
    for (size_t offset = 0; offset < ring->degree * ring->word_bytes; offset += bytes) {
        memcpy((char *)plaintext + offset, place, bytes);
        place += tile_stride(ring, columns, rows);
    }
}

size_t rk_scan_query_bytes(const rk_ring *ring, size_t rows, size_t queries) {
    return ring->degree * ring->word_bytes * rows * queries * 2;
}

// A piece whose size the compiler knows where it is the usual one.
static inline void copy_piece(char *to, const char *from, size_t bytes) {
    if (bytes == RK_TILE_BYTES) {
        memcpy(to, from, RK_TILE_BYTES);
    } else {
        memcpy(to, from, bytes);
    }
}

void rk_scan_prepare(const rk_ring *ring, void *prepared, const void *const *selectors, size_t rows,
                     size_t queries) {
    size_t bytes = rk_tile_lanes(ring) * ring->word_bytes;
    char *place = prepared;
    for (size_t offset = 0; offset < ring->degree * ring->word_bytes; offset += bytes) {
        for (size_t row = 0; row < rows; row++) {
            for (size_t query = 0; query < queries; query++) {
                for (size_t polynomial = 0; polynomial < 2; polynomial++) {
                    const char *selector = selectors[(query * rows + row) * 2 + polynomial];
                    copy_piece(place, selector + offset, bytes);
                    place += bytes;
                }
            }
        }
    }
}

void rk_scan(const rk_ring *ring, const void *database, size_t columns, size_t rows, size_t first_column,
             size_t column_count, const void *prepared, size_t queries, void *const *results) {
    ring->kernels.scan(ring, database, columns, rows, first_column, column_count, prepared, queries, results);
}
