// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sums of products for any instruction set: included after the header of its lanes. Sums stay in registers; a sum is
// reduced before more products than its capacity could overflow it.

// One vector of a sum of products, of which first and step select the terms.
INLINE V product_sum(const void *const *left, const void *const *right, size_t count, size_t place, size_t capacity,
                     const constants *c) {
    wide sum = wide_zero();
    for (size_t start = 0; start < count;) {
        size_t end = count - start > capacity ? start + capacity : count;
        for (; start < end; start++) {
            sum = wide_add(sum, v_load((const WORD *)left[start] + place), v_load((const WORD *)right[start] + place), c);
        }
        if (start < count) { sum = wide_from(wide_reduce(sum, c), c); }
    }
    return wide_reduce(sum, c);
}

TARGET static void row_multiply_sum(const rk_ring *ring, void *dst, const void *const *left, const void *const *right,
                                    size_t count) {
    constants c = constants_of(ring);
    size_t capacity = wide_capacity(ring);
    for (size_t i = 0; i < ring->degree; i += LANES) {
        v_store((WORD *)dst + i, product_sum(left, right, count, i, capacity, &c));
    }
}

TARGET static void row_tensor_sum(const rk_ring *ring, void *dst0, void *dst1, void *dst2, const void *const *left0,
                                  const void *const *left1, const void *const *right0, const void *const *right1,
                                  size_t count) {
    constants c = constants_of(ring);
    // The middle sum takes two products for each term.
    size_t capacity = wide_capacity(ring) / 2;
    for (size_t i = 0; i < ring->degree; i += LANES) {
        wide low = wide_zero(), middle = wide_zero(), high = wide_zero();
        for (size_t start = 0; start < count;) {
            size_t end = count - start > capacity ? start + capacity : count;
            for (; start < end; start++) {
                V l0 = v_load((const WORD *)left0[start] + i), l1 = v_load((const WORD *)left1[start] + i);
                V r0 = v_load((const WORD *)right0[start] + i), r1 = v_load((const WORD *)right1[start] + i);
                low = wide_add(low, l0, r0, &c);
                middle = wide_add(wide_add(middle, l0, r1, &c), l1, r0, &c);
                high = wide_add(high, l1, r1, &c);
            }
            if (start < count) {
                low = wide_from(wide_reduce(low, &c), &c);
                middle = wide_from(wide_reduce(middle, &c), &c);
                high = wide_from(wide_reduce(high, &c), &c);
            }
        }
        v_store((WORD *)dst0 + i, wide_reduce(low, &c));
        v_store((WORD *)dst1 + i, wide_reduce(middle, &c));
        v_store((WORD *)dst2 + i, wide_reduce(high, &c));
    }
}

enum {
    TILE_LANES = RK_TILE_BYTES / sizeof(WORD),
    PREFETCH_BYTES = 8192, // about the distance that the memory latency costs at full speed
};

// The sums of one column, for some neighbouring queries and some lanes of a tile.
INLINE void scan_column(const WORD *place, const WORD *selectors, size_t rows, size_t selector_stride, int query_count,
                        size_t capacity, const constants *c, V *results) {
    wide sums[2 * MAXIMUM_QUERIES];
    for (int i = 0; i < 2 * query_count; i++) { sums[i] = wide_zero(); }
    for (size_t row = 0; row < rows;) {
        size_t end = rows - row > capacity ? row + capacity : rows;
        for (; row < end; row++) {
            v_prefetch((const char *)place + PREFETCH_BYTES);
            V x = v_load(place);
            UNROLL
            for (int i = 0; i < 2 * query_count; i++) {
                sums[i] = wide_add(sums[i], x, v_load(selectors + i * TILE_LANES), c);
            }
            place += TILE_LANES;
            selectors += selector_stride;
        }
        if (row < rows) {
            for (int i = 0; i < 2 * query_count; i++) { sums[i] = wide_from(wide_reduce(sums[i], c), c); }
        }
    }
    for (int i = 0; i < 2 * query_count; i++) { results[i] = wide_reduce(sums[i], c); }
}

INLINE void scan_queries(const rk_ring *ring, const WORD *place, const WORD *selectors, size_t rows, size_t queries,
                         size_t query, int query_count, size_t offset, void *const *results, size_t result_stride,
                         const constants *c) {
    V sums[2 * MAXIMUM_QUERIES];
    for (size_t lane = 0; lane < TILE_LANES; lane += LANES) {
        scan_column(place + lane, selectors + query * 2 * TILE_LANES + lane, rows, queries * 2 * TILE_LANES, query_count,
                    wide_capacity(ring), c, sums);
        for (int i = 0; i < 2 * query_count; i++) {
            WORD *result = results[(query + (size_t)i / 2) * result_stride + (size_t)i % 2];
            v_store(result + offset + lane, sums[i]);
        }
    }
}

TARGET static void row_scan(const rk_ring *ring, const void *database, size_t columns, size_t rows, size_t first_column,
                            size_t column_count, const void *prepared, size_t queries, void *const *results) {
    constants c = constants_of(ring);
    for (size_t offset = 0; offset < ring->degree; offset += TILE_LANES) {
        const WORD *selectors = (const WORD *)prepared + offset * rows * queries * 2;
        for (size_t column = 0; column < column_count; column++) {
            const WORD *place = (const WORD *)database + (offset * columns + (first_column + column) * TILE_LANES) * rows;
            void *const *outputs = results + column * 2;
            size_t query = 0, stride = column_count * 2;
#if MAXIMUM_QUERIES >= 4
            for (; query + 4 <= queries; query += 4) {
                scan_queries(ring, place, selectors, rows, queries, query, 4, offset, outputs, stride, &c);
            }
#endif
            for (; query + 2 <= queries; query += 2) {
                scan_queries(ring, place, selectors, rows, queries, query, 2, offset, outputs, stride, &c);
            }
            if (query < queries) {
                scan_queries(ring, place, selectors, rows, queries, query, 1, offset, outputs, stride, &c);
            }
        }
    }
}
