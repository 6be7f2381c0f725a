// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sums of products for any instruction set: included after the header of its lanes. Sums stay in registers; a
// sum is reduced before more products than its capacity could overflow it.

// One vector of a sum of products; short ones have a shorter end.
INLINE V product_sum(const void *const *left, const void *const *right, size_t count, size_t place,
                     size_t capacity, bool is_short, const constants *c) {
    wide sum = wide_zero();
    for (size_t start = 0; start < count;) {
        size_t end = count - start > capacity ? start + capacity : count;
        for (; start < end; start++) {
            sum = wide_add(sum, v_load((const WORD *)left[start] + place),
                           v_load((const WORD *)right[start] + place), c);
        }
        if (start < count) { sum = wide_from(wide_reduce(sum, c), c); }
    }
    return is_short ? wide_reduce_short(sum, c) : wide_reduce(sum, c);
}

TARGET static void row_multiply_sum(const rk_ring *ring, void *dst, const void *const *left,
                                    const void *const *right, size_t count) {
    constants c = constants_of(ring);
    size_t capacity = wide_capacity(ring);
    if (count == 2 && wide_short_capacity(ring) >= 2) {
        // The digits of the usual number of moduli.
        for (size_t i = 0; i < ring->degree; i += LANES) {
            v_store((WORD *)dst + i, product_sum(left, right, 2, i, SIZE_MAX, true, &c));
        }
        return;
    }
    for (size_t i = 0; i < ring->degree; i += LANES) {
        v_store((WORD *)dst + i, product_sum(left, right, count, i, capacity, false, &c));
    }
}

TARGET static void row_multiply_sums(const rk_ring *ring, void *dst0, void *dst1, const void *const *left,
                                     const void *const *right0, const void *const *right1, size_t count) {
    if (count != 2 || wide_short_capacity(ring) < 2) {
        row_multiply_sum(ring, dst0, left, right0, count);
        row_multiply_sum(ring, dst1, left, right1, count);
        return;
    }
    constants c = constants_of(ring);
    for (size_t i = 0; i < ring->degree; i += LANES) {
        V first = product_sum(left, right0, 2, i, SIZE_MAX, true, &c);
        V second = product_sum(left, right1, 2, i, SIZE_MAX, true, &c);
        v_store((WORD *)dst0 + i, first);
        v_store((WORD *)dst1 + i, second);
    }
}

// The middle sum takes two products for each term.
INLINE void tensor_sum(const rk_ring *ring, void *dst0, void *dst1, void *dst2, const void *const *left0,
                       const void *const *left1, const void *const *right0, const void *const *right1,
                       size_t count, size_t capacity, bool is_short) {
    constants c = constants_of(ring);
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
        v_store((WORD *)dst0 + i, is_short ? wide_reduce_short(low, &c) : wide_reduce(low, &c));
        v_store((WORD *)dst1 + i, is_short ? wide_reduce_short(middle, &c) : wide_reduce(middle, &c));
        v_store((WORD *)dst2 + i, is_short ? wide_reduce_short(high, &c) : wide_reduce(high, &c));
    }
}

TARGET static void row_tensor_sum(const rk_ring *ring, void *dst0, void *dst1, void *dst2,
                                  const void *const *left0, const void *const *left1,
                                  const void *const *right0, const void *const *right1, size_t count) {
    if (count == 2 && wide_short_capacity(ring) >= 4) {
        tensor_sum(ring, dst0, dst1, dst2, left0, left1, right0, right1, 2, SIZE_MAX, true);
    } else {
        size_t capacity = wide_capacity(ring) / 2;
        tensor_sum(ring, dst0, dst1, dst2, left0, left1, right0, right1, count, capacity, false);
    }
}
