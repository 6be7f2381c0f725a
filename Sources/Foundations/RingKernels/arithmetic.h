// SPDX-License-Identifier: GPL-3.0-or-later
//
// Modular arithmetic on single numbers, for tables and constants. Not fast, and not for secrets: run time
// depends on the numbers.

#ifndef RING_KERNELS_ARITHMETIC_H
#define RING_KERNELS_ARITHMETIC_H

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 rk_uint128;

static inline uint64_t rk_multiply_modulo(uint64_t a, uint64_t b, uint64_t modulus) {
    return (uint64_t)((rk_uint128)a * b % modulus);
}

// floor(value * 2^bits / modulus) for value below the modulus: the constant of Shoup's multiplication.
static inline uint64_t rk_shoup_quotient(uint64_t value, uint64_t modulus, unsigned bits) {
    return (uint64_t)(((rk_uint128)value << bits) / modulus);
}

// The inverse of a number modulo a prime by Euclid's algorithm; 0 for multiples of the prime.
static inline uint64_t rk_inverse_modulo(uint64_t number, uint64_t modulus) {
    uint64_t rest = modulus, divisor = number % modulus;
    // Coefficients of number, of alternating sign and at most the modulus, below 2^62.
    int64_t previous = 0, current = 1;
    if (divisor == 0) { return 0; }
    while (divisor != 0) {
        uint64_t quotient = rest / divisor, next_divisor = rest % divisor;
        int64_t next = previous - (int64_t)quotient * current;
        rest = divisor;
        divisor = next_divisor;
        previous = current;
        current = next;
    }
    return previous < 0 ? (uint64_t)(previous + (int64_t)modulus) : (uint64_t)previous;
}

// The low bits of a number in reverse order.
static inline size_t rk_bit_reversed(size_t number, unsigned bits) {
    size_t result = 0;
    for (unsigned bit = 0; bit < bits; bit++) { result |= (number >> bit & 1) << (bits - 1 - bit); }
    return result;
}

#endif
