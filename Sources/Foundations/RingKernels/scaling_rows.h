// SPDX-License-Identifier: GPL-3.0-or-later
//
// The lift and the rounding for one way of counting moduli: included by vector_scaling.h with
//     SCALING_NAME(x)     the name of a function
//     SCALING_COUNT       moduli of the ciphertext
//     SCALING_CAPACITY    products that a sum takes before it must be reduced
//     SCALING_REDUCE      what reduces such a sum
//     SCALING_LOOP        UNROLL where the compiler knows the count

TARGET static void SCALING_NAME(lift)(const rk_scaling *scaling, void *const *auxiliary,
                                      const void *const *base) {
    const size_t count = SCALING_COUNT, capacity = SCALING_CAPACITY;
    uint64_t correction_mask = (UINT64_C(1) << scaling->correction_bits) - 1;
    V mask = v_splat(correction_mask);
    for (size_t i = 0; i < scaling->degree; i += LANES) {
        V digits[RK_MAXIMUM_BASE_COUNT], correction = v_zero();
        SCALING_LOOP
        for (size_t row = 0; row < count; row++) {
            V q = v_splat(scaling->base[row]->modulus);
            digits[row] = multiply_by(v_load((const WORD *)base[row] + i), scaling->lift_digit[row], q);
            V product = v_multiply_low(digits[row], v_splat(scaling->lift_correction[row]));
            correction = v_add(correction, product);
        }
        correction = v_and(correction, mask);
        // m~ is subtracted from the upper half.
        V upper = v_subtract(v_zero(), v_shift_right(correction, scaling->correction_bits - 1));
        SCALING_LOOP
        for (size_t target = 0; target <= count; target++) {
            const rk_ring *ring = scaling->auxiliary[target];
            constants c = mixed_constants_of(ring);
            V offset = v_splat(ring->modulus - correction_mask - 1);
            V centered = v_add(correction, v_and(upper, offset));
            mixed_sum sum = mixed_zero();
            SCALING_LOOP
            for (size_t row = 0; row < count; row++) {
                sum = mixed_add(sum, digits[row], v_splat(scaling->lift_sum[target][row]), capacity, &c);
            }
            sum = mixed_add(sum, centered, v_splat(scaling->lift_remainder[target]), capacity, &c);
            v_store((WORD *)auxiliary[target] + i, SCALING_REDUCE(sum.sum, &c));
        }
    }
}

TARGET static void SCALING_NAME(round)(const rk_scaling *scaling, void *const *output,
                                       const void *const *base, const void *const *auxiliary) {
    const size_t count = SCALING_COUNT, capacity = SCALING_CAPACITY;
    const rk_ring *last = scaling->auxiliary[count];
    V half = v_splat(last->modulus / 2);
    for (size_t i = 0; i < scaling->degree; i += LANES) {
        V low[RK_MAXIMUM_BASE_COUNT], high[RK_MAXIMUM_BASE_COUNT + 1];
        SCALING_LOOP
        for (size_t row = 0; row < count; row++) {
            V q = v_splat(scaling->base[row]->modulus);
            low[row] = multiply_by(v_load((const WORD *)base[row] + i), scaling->floor_digit[row], q);
        }
        SCALING_LOOP
        for (size_t target = 0; target <= count; target++) {
            constants c = mixed_constants_of(scaling->auxiliary[target]);
            mixed_sum sum = mixed_zero();
            sum = mixed_add(sum, v_load((const WORD *)auxiliary[target] + i),
                            v_splat(scaling->floor_own[target]), capacity, &c);
            SCALING_LOOP
            for (size_t row = 0; row < count; row++) {
                sum = mixed_add(sum, low[row], v_splat(scaling->floor_sum[target][row]), capacity, &c);
            }
            // The last target's own part of the excess needs no reduction of its own.
            if (target == count) {
                SCALING_LOOP
                for (size_t digit = 0; digit < count; digit++) {
                    sum = mixed_add(sum, high[digit], v_splat(scaling->excess_sum[digit]), capacity, &c);
                }
            }
            high[target] = SCALING_REDUCE(sum.sum, &c);
        }
        V excess = high[count];
        // All ones above m_sk / 2, where the excess stands for a negative number.
        V upper = v_sign(v_subtract(half, excess));
        SCALING_LOOP
        for (size_t row = 0; row < count; row++) {
            constants c = mixed_constants_of(scaling->base[row]);
            mixed_sum sum = mixed_zero();
            SCALING_LOOP
            for (size_t target = 0; target < count; target++) {
                sum = mixed_add(sum, high[target], v_splat(scaling->back_sum[row][target]), capacity, &c);
            }
            sum = mixed_add(sum, excess, v_splat(scaling->back_excess[row]), capacity, &c);
            V wrapped = v_and(upper, v_splat(scaling->back_wrapped[row]));
            V result = v_correct(v_add(SCALING_REDUCE(sum.sum, &c), wrapped), c.q);
            v_store((WORD *)output[row] + i, result);
        }
    }
}
