// SPDX-License-Identifier: GPL-3.0-or-later
//
// Philox4x32-10 of Salmon, Moraes, Dror and Shaw (SC11, doi:10.1145/2063384.2063405) and logarithms, in loops
// that a compiler turns into vector instructions.

#include "variants.h"

#include <string.h>

RK_BODY double open_interval(uint64_t bits) {
    // 52 bits become the fraction of a number in [1, 2); subtracting 1 - 2^-53 is exact.
    uint64_t fraction = 0x3FF0000000000000 | bits >> 12;
    double number;
    memcpy(&number, &fraction, sizeof number);
    return number - (1 - 0x1p-53);
}

RK_BODY void uniforms_body(double *restrict dst, size_t blocks, uint64_t index, uint32_t entity,
                           uint32_t purpose, uint64_t key) {
    for (size_t i = 0; i < blocks; i++) {
        uint64_t counter = index + i;
        uint32_t x0 = (uint32_t)counter, x1 = (uint32_t)(counter >> 32), x2 = entity, x3 = purpose;
        uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
        for (int round = 0; round < 10; round++) {
            uint64_t left = (uint64_t)x0 * 0xD2511F53, right = (uint64_t)x2 * 0xCD9E8D57;
            x0 = (uint32_t)(right >> 32) ^ x1 ^ k0;
            x1 = (uint32_t)right;
            x2 = (uint32_t)(left >> 32) ^ x3 ^ k1;
            x3 = (uint32_t)left;
            k0 += 0x9E3779B9;
            k1 += 0xBB67AE85;
        }
        dst[2 * i] = open_interval(x0 | (uint64_t)x1 << 32);
        dst[2 * i + 1] = open_interval(x2 | (uint64_t)x3 << 32);
    }
}
RK_VARIANTS(void, uniforms,
            (double *dst, size_t blocks, uint64_t index, uint32_t entity, uint32_t purpose, uint64_t key),
            (dst, blocks, index, entity, purpose, key))

RK_BODY void logarithms_body(double *restrict values, size_t count, double factor,
                             const rk_logarithm_centre *restrict centres) {
    for (size_t i = 0; i < count; i++) { values[i] = factor * rk_negative_logarithm(values[i], centres); }
}
RK_VARIANTS(void, logarithms,
            (double *values, size_t count, double factor, const rk_logarithm_centre *centres),
            (values, count, factor, centres))

void rk_random_uniforms(rk_instruction_set set, double *dst, size_t blocks, uint64_t index, uint32_t entity,
                        uint32_t purpose, uint64_t key) {
    RK_CALL(set, uniforms, (dst, blocks, index, entity, purpose, key));
}

void rk_negative_logarithms(rk_instruction_set set, double *values, size_t count, double factor,
                            const rk_logarithm_centre *centres) {
    RK_CALL(set, logarithms, (values, count, factor, centres));
}
