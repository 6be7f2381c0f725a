// SPDX-License-Identifier: GPL-3.0-or-later
//
// Database scans for any instruction set: included after the header of its lanes, with
//     SCAN_QUERIES        the most queries that are summed together for one column: 1 or 4
//     SCAN_PAIR_QUERIES   the same for a pair of columns: 1 or 2
//
// A group of columns and queries shares what it loads: each vector of the database serves all queries of the
// group, each selector all its columns. Memory is the limit for one query, and one column at a time keeps it
// busiest. Selectors of several queries that no longer fit the first-level cache are the limit otherwise, and
// pairs of columns halve it.

enum {
    SCAN_SUMS = (SCAN_QUERIES > 2 * SCAN_PAIR_QUERIES ? SCAN_QUERIES : 2 * SCAN_PAIR_QUERIES) * 2,
    // About what the memory delivers in the time that it takes to answer.
    SCAN_PREFETCH_BYTES = 8192,
    // Most bytes of the selectors of a tile that stay in the first-level cache beside what streams past.
    SCAN_SELECTOR_BYTES = 32768,
};

typedef struct scan_part {
    const WORD *place;     // first row of the group's first column
    const WORD *selectors; // first row of the group's first query
    size_t rows;
    size_t selector_stride; // from row to row
    size_t prefetch_bytes;
    size_t capacity;
} scan_part;

// The sums of all columns and queries of a group, in some lanes of a tile.
INLINE void scan_group(const scan_part *part, int columns, int queries, const constants *c, V *results) {
    const WORD *place = part->place, *selectors = part->selectors;
    int count = columns * queries * 2;
    wide sums[SCAN_SUMS];
    UNROLL
    for (int i = 0; i < count; i++) { sums[i] = wide_zero(); }
    for (size_t row = 0; row < part->rows;) {
        size_t end = part->rows - row > part->capacity ? row + part->capacity : part->rows;
        for (; row < end; row++) {
            V x[2];
            UNROLL
            for (int column = 0; column < columns; column++) {
                const WORD *source = place + (size_t)column * part->rows * TILE_LANES;
                v_prefetch((const char *)source + part->prefetch_bytes);
                x[column] = v_load(source);
            }
            UNROLL
            for (int i = 0; i < 2 * queries; i++) {
                V selector = v_load(selectors + i * TILE_LANES);
                UNROLL
                for (int column = 0; column < columns; column++) {
                    wide *sum = &sums[column * 2 * queries + i];
                    *sum = wide_add(*sum, x[column], selector, c);
                }
            }
            place += TILE_LANES;
            selectors += part->selector_stride;
        }
        if (row < part->rows) {
            UNROLL
            for (int i = 0; i < count; i++) { sums[i] = wide_from(wide_reduce(sums[i], c), c); }
        }
    }
    UNROLL
    for (int i = 0; i < count; i++) { results[i] = wide_reduce(sums[i], c); }
}

typedef struct scan_request {
    const rk_ring *ring;
    const WORD *database, *prepared;
    size_t columns, rows, first_column, column_count, queries;
    void *const *results;
} scan_request;

INLINE void scan_tile_group(const scan_request *r, size_t offset, size_t column, size_t query, int columns,
                            int queries, const constants *c) {
    // Results are rows apart, on pages of their own: their lines are fetched while the sums are made.
    WORD *results[SCAN_SUMS];
    for (int i = 0; i < columns * queries * 2; i++) {
        size_t result_query = query + (size_t)(i / 2 % queries),
               result_column = column + (size_t)(i / 2 / queries);
        results[i] =
            (WORD *)r->results[(result_query * r->column_count + result_column) * 2 + (size_t)(i % 2)] +
            offset;
        __builtin_prefetch(results[i], 1);
    }
    size_t column_bytes = r->rows * RK_TILE_BYTES;
    scan_part part = {
        .place = r->database + (offset * r->columns + (r->first_column + column) * TILE_LANES) * r->rows,
        .selectors = r->prepared + (offset * r->rows * r->queries + query * TILE_LANES) * 2,
        .rows = r->rows,
        .selector_stride = r->queries * 2 * TILE_LANES,
        .prefetch_bytes = columns == 1 ? SCAN_PREFETCH_BYTES : (size_t)columns * column_bytes,
        .capacity = wide_capacity(r->ring),
    };
    for (int lane = 0; lane < TILE_LANES; lane += LANES) {
        V sums[SCAN_SUMS];
        scan_group(&part, columns, queries, c, sums);
        UNROLL
        for (int i = 0; i < columns * queries * 2; i++) { v_store(results[i] + lane, sums[i]); }
        part.place += LANES;
        part.selectors += LANES;
    }
}

#define SCAN_GROUP(name, columns, queries)                                                       \
    TARGET static void name(const scan_request *r, size_t offset, size_t column, size_t query) { \
        constants c = constants_of(r->ring);                                                     \
        scan_tile_group(r, offset, column, query, columns, queries, &c);                         \
    }

SCAN_GROUP(scan_one, 1, 1)
SCAN_GROUP(scan_pair, 2, 1)
#if SCAN_QUERIES == 4
SCAN_GROUP(scan_two_queries, 1, 2)
SCAN_GROUP(scan_four_queries, 1, 4)
#endif
#if SCAN_PAIR_QUERIES == 2
SCAN_GROUP(scan_pair_two_queries, 2, 2)
#endif

static void scan_column(const scan_request *r, size_t offset, size_t column) {
    size_t query = 0;
#if SCAN_QUERIES == 4
    for (; query + 4 <= r->queries; query += 4) { scan_four_queries(r, offset, column, query); }
    for (; query + 2 <= r->queries; query += 2) { scan_two_queries(r, offset, column, query); }
#endif
    for (; query < r->queries; query++) { scan_one(r, offset, column, query); }
}

static void scan_column_pair(const scan_request *r, size_t offset, size_t column) {
    size_t query = 0;
#if SCAN_PAIR_QUERIES == 2
    for (; query + 2 <= r->queries; query += 2) { scan_pair_two_queries(r, offset, column, query); }
#endif
    for (; query < r->queries; query++) { scan_pair(r, offset, column, query); }
}

static void row_scan(const rk_ring *ring, const void *database, size_t columns, size_t rows,
                     size_t first_column, size_t column_count, const void *prepared, size_t queries,
                     void *const *results) {
    scan_request r = {ring, database, prepared, columns, rows, first_column, column_count, queries, results};
    bool selectors_fit = queries <= SCAN_QUERIES && rows * queries * 2 * RK_TILE_BYTES <= SCAN_SELECTOR_BYTES;
    size_t paired = queries == 1 || selectors_fit ? 0 : column_count / 2 * 2;
    for (size_t offset = 0; offset < ring->degree; offset += TILE_LANES) {
        for (size_t column = 0; column < paired; column += 2) { scan_column_pair(&r, offset, column); }
        for (size_t column = paired; column < column_count; column++) { scan_column(&r, offset, column); }
    }
}
