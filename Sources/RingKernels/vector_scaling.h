// SPDX-License-Identifier: GPL-3.0-or-later
//
// Conversion between sets of moduli for any instruction set: included after the header of its lanes. The
// portable code says the same for one coefficient.

// A sum of products of residues of several moduli, modulo one of them.
typedef struct mixed_sum {
    wide sum;
    size_t terms;
} mixed_sum;

INLINE mixed_sum mixed_zero(void) { return (mixed_sum){wide_zero(), 0}; }

INLINE mixed_sum mixed_add(mixed_sum sum, V x, V y, size_t capacity, const constants *c) {
    if (sum.terms == capacity) { sum = (mixed_sum){wide_from(wide_reduce(sum.sum, c), c), 0}; }
    return (mixed_sum){wide_add(sum.sum, x, y, c), sum.terms + 1};
}

TARGET static void row_scaling_lift(const rk_scaling *scaling, void *const *auxiliary,
                                    const void *const *base) {
    size_t count = scaling->base_count, capacity = mixed_capacity(scaling);
    uint64_t correction_mask = (UINT64_C(1) << scaling->correction_bits) - 1;
    V mask = v_splat(correction_mask);
    for (size_t i = 0; i < scaling->degree; i += LANES) {
        V digits[RK_MAXIMUM_BASE_COUNT], correction = v_zero();
        for (size_t row = 0; row < count; row++) {
            V q = v_splat(scaling->base[row]->modulus);
            digits[row] = multiply_by(v_load((const WORD *)base[row] + i), scaling->lift_digit[row], q);
            V product = v_multiply_low(digits[row], v_splat(scaling->lift_correction[row]));
            correction = v_add(correction, product);
        }
        correction = v_and(correction, mask);
        // m~ is subtracted from the upper half.
        V upper = v_subtract(v_zero(), v_shift_right(correction, scaling->correction_bits - 1));
        for (size_t target = 0; target <= count; target++) {
            const rk_ring *ring = scaling->auxiliary[target];
            constants c = mixed_constants_of(ring);
            V offset = v_splat(ring->modulus - correction_mask - 1);
            V centered = v_add(correction, v_and(upper, offset));
            mixed_sum sum = mixed_zero();
            for (size_t row = 0; row < count; row++) {
                sum = mixed_add(sum, digits[row], v_splat(scaling->lift_sum[target][row]), capacity, &c);
            }
            sum = mixed_add(sum, centered, v_splat(scaling->lift_remainder[target]), capacity, &c);
            v_store((WORD *)auxiliary[target] + i, wide_reduce(sum.sum, &c));
        }
    }
}

TARGET static void row_scaling_round(const rk_scaling *scaling, void *const *output, const void *const *base,
                                     const void *const *auxiliary) {
    size_t count = scaling->base_count, capacity = mixed_capacity(scaling);
    const rk_ring *last = scaling->auxiliary[count];
    V half = v_splat(last->modulus / 2);
    for (size_t i = 0; i < scaling->degree; i += LANES) {
        V low[RK_MAXIMUM_BASE_COUNT], high[RK_MAXIMUM_BASE_COUNT + 1];
        for (size_t row = 0; row < count; row++) {
            V q = v_splat(scaling->base[row]->modulus);
            low[row] = multiply_by(v_load((const WORD *)base[row] + i), scaling->floor_digit[row], q);
        }
        for (size_t target = 0; target <= count; target++) {
            constants c = mixed_constants_of(scaling->auxiliary[target]);
            mixed_sum sum = mixed_zero();
            sum = mixed_add(sum, v_load((const WORD *)auxiliary[target] + i),
                            v_splat(scaling->floor_own[target]), capacity, &c);
            for (size_t row = 0; row < count; row++) {
                sum = mixed_add(sum, low[row], v_splat(scaling->floor_sum[target][row]), capacity, &c);
            }
            // The last target's own part of the excess needs no reduction of its own.
            if (target == count) {
                for (size_t digit = 0; digit < count; digit++) {
                    sum = mixed_add(sum, high[digit], v_splat(scaling->excess_sum[digit]), capacity, &c);
                }
            }
            high[target] = wide_reduce(sum.sum, &c);
        }
        V excess = high[count];
        // All ones above m_sk / 2, where the excess stands for a negative number.
        V upper = v_sign(v_subtract(half, excess));
        for (size_t row = 0; row < count; row++) {
            constants c = mixed_constants_of(scaling->base[row]);
            mixed_sum sum = mixed_zero();
            for (size_t target = 0; target < count; target++) {
                sum = mixed_add(sum, high[target], v_splat(scaling->back_sum[row][target]), capacity, &c);
            }
            sum = mixed_add(sum, excess, v_splat(scaling->back_excess[row]), capacity, &c);
            V wrapped = v_and(upper, v_splat(scaling->back_wrapped[row]));
            V result = v_correct(v_add(wide_reduce(sum.sum, &c), wrapped), c.q);
            v_store((WORD *)output[row] + i, result);
        }
    }
}
