// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random bytes to residues.

#include "variants.h"
#include "wide.h"

#include <string.h>

// Modulus below 2^30. With the 32-bit words w_k of a number, sum w_k * 2^(32 k + 32) is below 2^64 when the
// powers are reduced, and a Montgomery step takes the factor 2^32 off again.
typedef struct {
    uint64_t powers[4];
    uint32_t modulus;
    uint32_t inverse; // of the modulus, modulo 2^32
} narrow_constants;

static narrow_constants narrow(uint64_t modulus) {
    narrow_constants constants = {.modulus = (uint32_t)modulus};
    uint64_t power = 1;
    for (int index = 0; index < 4; index++) {
        power = (power << 32) % modulus;
        constants.powers[index] = power;
    }
    uint32_t inverse = (uint32_t)modulus;
    for (int step = 0; step < 5; step++) { inverse *= 2 - (uint32_t)modulus * inverse; }
    constants.inverse = inverse;
    return constants;
}

RK_BODY void residues32_body(uint32_t *restrict dst, const uint64_t *restrict random, size_t count,
                             narrow_constants constants) {
    const uint64_t low_half = 0xffffffff;
    const uint64_t modulus = constants.modulus;
    const uint64_t inverse = constants.inverse;
    const uint64_t p0 = constants.powers[0], p1 = constants.powers[1];
    const uint64_t p2 = constants.powers[2], p3 = constants.powers[3];
    for (size_t i = 0; i < count; i++) {
        uint64_t low = random[2 * i], high = random[2 * i + 1];
        // Below 4 * 2^32 * modulus, and so below 2^64.
        uint64_t sum = (low & low_half) * p0 + (low >> 32) * p1 + (high & low_half) * p2 + (high >> 32) * p3;
        uint64_t factor = ((sum & low_half) * inverse) & low_half;
        // In 0...5 * modulus after the modulus is added to keep it positive.
        uint64_t value = (sum >> 32) + modulus - ((factor * modulus) >> 32);
        uint64_t less = value - 4 * modulus;
        value = less + ((uint64_t)((int64_t)less >> 63) & (4 * modulus));
        less = value - 2 * modulus;
        value = less + ((uint64_t)((int64_t)less >> 63) & (2 * modulus));
        less = value - modulus;
        dst[i] = (uint32_t)(less + ((uint64_t)((int64_t)less >> 63) & modulus));
    }
}
RK_VARIANTS(void, residues32, (uint32_t *dst, const uint64_t *random, size_t count,
                               narrow_constants constants),
            (dst, random, count, constants))

static void residues64(uint64_t *dst, const uint64_t *random, size_t count, uint64_t modulus) {
    // 2^64 modulo the modulus, and Shoup's quotients of it and of 1.
    uint64_t power = (uint64_t)(((unsigned __int128)1 << 64) % modulus);
    uint64_t quotient = (uint64_t)(((unsigned __int128)power << 64) / modulus);
    uint64_t one = (uint64_t)(((unsigned __int128)1 << 64) / modulus);
    for (size_t i = 0; i < count; i++) {
        uint64_t low = random[2 * i], high = random[2 * i + 1];
        uint64_t x = high * power - rk_high_product(high, quotient) * modulus;
        uint64_t y = low - rk_high_product(low, one) * modulus;
        // Both below twice the modulus, which is below 2^62.
        uint64_t sum = x + y;
        sum = rk_subtract_unless_below(sum, 2 * modulus);
        dst[i] = rk_subtract_unless_below(sum, modulus);
    }
}

void rk_residues_of_random(rk_instruction_set set, size_t word_bytes, void *dst, const uint8_t *random,
                           size_t count, uint64_t modulus) {
    const uint64_t *words = (const uint64_t *)(const void *)random;
    if (word_bytes == 4) {
        narrow_constants constants = narrow(modulus);
        RK_CALL(set, residues32, ((uint32_t *)dst, words, count, constants));
    } else {
        residues64((uint64_t *)dst, words, count, modulus);
    }
}

RK_BODY uint64_t ones(uint64_t x) {
    x = x - ((x >> 1) & 0x5555555555555555);
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
    x += x >> 8;
    x += x >> 16;
    return x;
}

RK_BODY void errors_body(int8_t *restrict dst, const uint64_t *restrict random, size_t count) {
    const uint64_t mask = ((uint64_t)1 << 21) - 1;
    for (size_t i = 0; i < count; i++) {
        // Both numbers in one word; their ones are counted side by side.
        uint64_t counts = ones((random[2 * i] & mask) | (random[2 * i + 1] & mask) << 32);
        dst[i] = (int8_t)((counts & 0xff) - ((counts >> 32) & 0xff));
    }
}
RK_VARIANTS(void, errors, (int8_t *dst, const uint64_t *random, size_t count), (dst, random, count))

void rk_errors_of_random(rk_instruction_set set, int8_t *dst, const uint8_t *random, size_t count) {
    RK_CALL(set, errors, (dst, (const uint64_t *)(const void *)random, count));
}

RK_BODY void lift_signed32_body(uint32_t *restrict dst, const int8_t *restrict numbers, size_t count,
                                uint32_t modulus) {
    for (size_t i = 0; i < count; i++) {
        int32_t wide = numbers[i];
        dst[i] = (uint32_t)wide + ((uint32_t)(wide >> 31) & modulus);
    }
}
RK_VARIANTS(void, lift_signed32, (uint32_t *dst, const int8_t *numbers, size_t count, uint32_t modulus),
            (dst, numbers, count, modulus))

RK_BODY void lift_signed64_body(uint64_t *restrict dst, const int8_t *restrict numbers, size_t count,
                                uint64_t modulus) {
    for (size_t i = 0; i < count; i++) {
        int64_t wide = numbers[i];
        dst[i] = (uint64_t)wide + ((uint64_t)(wide >> 63) & modulus);
    }
}
RK_VARIANTS(void, lift_signed64, (uint64_t *dst, const int8_t *numbers, size_t count, uint64_t modulus),
            (dst, numbers, count, modulus))

void rk_lift_signed(rk_instruction_set set, size_t word_bytes, void *dst, const int8_t *numbers, size_t count,
                    uint64_t modulus) {
    if (word_bytes == 4) {
        RK_CALL(set, lift_signed32, ((uint32_t *)dst, numbers, count, (uint32_t)modulus));
    } else {
        RK_CALL(set, lift_signed64, ((uint64_t *)dst, numbers, count, modulus));
    }
}
