// SPDX-License-Identifier: GPL-3.0-or-later
//
// Messages to residues, and phases to messages.

#include "variants.h"
#include "wide.h"

// --------------------------------------------------------------------------------------------- centered lift

RK_BODY void lift32_body(uint32_t *restrict dst, const uint64_t *restrict message, size_t count,
                         uint64_t threshold, uint64_t offset) {
    for (size_t i = 0; i < count; i++) {
        uint64_t is_negative = ~(uint64_t)((int64_t)(message[i] - threshold) >> 63);
        dst[i] = (uint32_t)(message[i] + (is_negative & offset));
    }
}
RK_VARIANTS(void, lift32, (uint32_t *dst, const uint64_t *message, size_t count, uint64_t threshold,
                           uint64_t offset),
            (dst, message, count, threshold, offset))

RK_BODY void lift64_body(uint64_t *restrict dst, const uint64_t *restrict message, size_t count,
                         uint64_t threshold, uint64_t offset) {
    for (size_t i = 0; i < count; i++) {
        uint64_t is_negative = ~(uint64_t)((int64_t)(message[i] - threshold) >> 63);
        dst[i] = message[i] + (is_negative & offset);
    }
}
RK_VARIANTS(void, lift64, (uint64_t *dst, const uint64_t *message, size_t count, uint64_t threshold,
                           uint64_t offset),
            (dst, message, count, threshold, offset))

void rk_lift_message(rk_instruction_set set, size_t word_bytes, void *dst, const uint64_t *message,
                     size_t count, uint64_t plaintext_modulus, uint64_t modulus) {
    uint64_t threshold = (plaintext_modulus + 1) / 2;
    uint64_t offset = modulus - plaintext_modulus;
    if (word_bytes == 4) {
        RK_CALL(set, lift32, ((uint32_t *)dst, message, count, threshold, offset));
    } else {
        RK_CALL(set, lift64, ((uint64_t *)dst, message, count, threshold, offset));
    }
}

// ------------------------------------------------------------------------------------------ scaling to Q / t

typedef struct {
    uint64_t t, half, remainder;
    uint64_t modulus, quotient;
    uint64_t factor; // floor(2^64 / modulus * quotient), Shoup's
    uint64_t t_factor; // floor(2^64 / t)
    bool subtract;
} message_constants;

// Adds message * quotient + correction to one word, or subtracts it.
RK_BODY void add_scaled(size_t word_bytes, void *dst, size_t i, uint64_t message, uint64_t correction,
                        message_constants c) {
    uint64_t product = message * c.quotient - rk_high_product(message, c.factor) * c.modulus;
    product = rk_subtract_unless_below(product, c.modulus);
    uint64_t scaled = rk_subtract_unless_below(product + correction, c.modulus);
    scaled = c.subtract ? c.modulus - scaled : scaled;
    if (word_bytes == 4) {
        uint32_t *words = (uint32_t *)dst;
        words[i] = (uint32_t)rk_subtract_unless_below(words[i] + scaled, c.modulus);
    } else {
        uint64_t *words = (uint64_t *)dst;
        words[i] = rk_subtract_unless_below(words[i] + scaled, c.modulus);
    }
}

// t below 2^31, so that remainder * m + half is below 2^62.
RK_BODY void scaled_body(size_t word_bytes, void *dst, const uint64_t *message, size_t count,
                         message_constants c) {
    for (size_t i = 0; i < count; i++) {
        uint64_t numerator = c.remainder * message[i] + c.half;
        uint64_t correction = rk_high_product(numerator, c.t_factor);
        uint64_t rest = numerator - correction * c.t;
        correction += 1 - ((rest - c.t) >> 63);
        add_scaled(word_bytes, dst, i, message[i], correction, c);
    }
}

static void scaled_wide(size_t word_bytes, void *dst, const uint64_t *message, size_t count,
                        message_constants c) {
    for (size_t i = 0; i < count; i++) {
        unsigned __int128 numerator = (unsigned __int128)c.remainder * message[i] + c.half;
        uint64_t correction = (uint64_t)(numerator / c.t);
        add_scaled(word_bytes, dst, i, message[i], correction, c);
    }
}

void rk_add_scaled_message(size_t word_bytes, void *dst, const uint64_t *message, size_t count,
                           uint64_t plaintext_modulus, uint64_t quotient, uint64_t remainder,
                           uint64_t modulus, bool subtract) {
    message_constants constants = {
        .t = plaintext_modulus,
        .half = (plaintext_modulus + 1) / 2,
        .remainder = remainder,
        .modulus = modulus,
        .quotient = quotient,
        .factor = (uint64_t)(((unsigned __int128)quotient << 64) / modulus),
        .t_factor = (uint64_t)(((unsigned __int128)1 << 64) / plaintext_modulus),
        .subtract = subtract,
    };
    if (plaintext_modulus >> 31 != 0) {
        scaled_wide(word_bytes, dst, message, count, constants);
    } else if (word_bytes == 4) {
        scaled_body(4, dst, message, count, constants);
    } else {
        scaled_body(8, dst, message, count, constants);
    }
}

// ----------------------------------------------------------------------------------------- rounding by t / Q

enum { MOST_ROWS = 16 };

typedef struct {
    const uint32_t *row;
    uint64_t modulus, inverse, quotient; // quotient: floor(inverse * 2^32 / modulus)
    uint64_t high, low;                  // floor(t * 2^64 / modulus) in halves
} phase_row;

// In units of 2^-32, t/q_j times a digit is computed two units too small at most.
RK_BODY size_t round_phase_body(uint64_t *restrict message, const phase_row *rows, size_t row_count,
                                size_t count, uint64_t t) {
    const uint64_t low_half = 0xffffffff, half = (uint64_t)1 << 31;
    const uint64_t margin = 2 * row_count + 2;
    uint64_t doubtful = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t sum = 0;
        for (size_t j = 0; j < row_count; j++) {
            const phase_row r = rows[j];
            uint64_t residue = r.row[i];
            uint64_t estimate = (residue * r.quotient) >> 32;
            uint64_t digit = (residue * r.inverse - estimate * r.modulus) & low_half;
            digit = rk_subtract_unless_below(digit, r.modulus);
            sum += digit * r.high + ((digit * r.low) >> 32);
        }
        // Up to row_count * t, which is below 2^32, with 32 bits of fraction.
        uint64_t whole = (sum + half) >> 32;
        for (size_t j = 0; j < row_count; j++) { whole = rk_subtract_unless_below(whole, t); }
        // The true sum is not smaller, so only sums just below a half are in doubt.
        uint64_t is_doubtful = (((sum & low_half) - (half - margin)) & low_half) < margin;
        doubtful += is_doubtful;
        message[i] = is_doubtful ? t : whole;
    }
    return (size_t)doubtful;
}

RK_BODY size_t round_phase1_body(uint64_t *message, const phase_row *rows, size_t count, uint64_t t) {
    return round_phase_body(message, rows, 1, count, t);
}
RK_BODY size_t round_phase2_body(uint64_t *message, const phase_row *rows, size_t count, uint64_t t) {
    return round_phase_body(message, rows, 2, count, t);
}
RK_VARIANTS(size_t, round_phase1, (uint64_t *message, const phase_row *rows, size_t count, uint64_t t),
            (message, rows, count, t))
RK_VARIANTS(size_t, round_phase2, (uint64_t *message, const phase_row *rows, size_t count, uint64_t t),
            (message, rows, count, t))

// For words of 8 bytes, in units of 2^-64.
static size_t round_phase_wide(uint64_t *message, const void *const *rows, size_t row_count, size_t count,
                               const uint64_t *moduli, const uint64_t *inverses, uint64_t t) {
    typedef unsigned __int128 uint128;
    const uint64_t half = (uint64_t)1 << 63;
    const uint64_t margin = 2 * row_count + 2;
    uint64_t quotients[MOST_ROWS], high[MOST_ROWS], low[MOST_ROWS];
    for (size_t j = 0; j < row_count; j++) {
        quotients[j] = (uint64_t)(((uint128)inverses[j] << 64) / moduli[j]);
        uint128 numerator = (uint128)t << 64;
        high[j] = (uint64_t)(numerator / moduli[j]);
        low[j] = (uint64_t)(((numerator % moduli[j]) << 64) / moduli[j]);
    }
    size_t doubtful = 0;
    for (size_t i = 0; i < count; i++) {
        uint128 sum = 0;
        for (size_t j = 0; j < row_count; j++) {
            uint64_t residue = ((const uint64_t *)rows[j])[i];
            uint64_t digit = residue * inverses[j] - rk_high_product(residue, quotients[j]) * moduli[j];
            digit = rk_subtract_unless_below(digit, moduli[j]);
            sum += (uint128)digit * high[j] + rk_high_product(digit, low[j]);
        }
        uint64_t whole = (uint64_t)((sum + half) >> 64);
        for (size_t j = 0; j < row_count; j++) { whole = rk_subtract_unless_below(whole, t); }
        bool is_doubtful = (uint64_t)sum - (half - margin) < margin;
        doubtful += is_doubtful;
        message[i] = is_doubtful ? t : whole;
    }
    return doubtful;
}

size_t rk_round_phase(rk_instruction_set set, size_t word_bytes, uint64_t *message, const void *const *rows,
                      size_t row_count, size_t count, const uint64_t *moduli, const uint64_t *inverses,
                      uint64_t plaintext_modulus) {
    if (row_count > MOST_ROWS) { return count; }
    if (word_bytes == 8) {
        return round_phase_wide(message, rows, row_count, count, moduli, inverses, plaintext_modulus);
    }
    phase_row constants[MOST_ROWS] = {0};
    for (size_t j = 0; j < row_count; j++) {
        uint64_t factor = (uint64_t)(((unsigned __int128)plaintext_modulus << 64) / moduli[j]);
        constants[j] = (phase_row){
            .row = (const uint32_t *)rows[j],
            .modulus = moduli[j],
            .inverse = inverses[j],
            .quotient = (inverses[j] << 32) / moduli[j],
            .high = factor >> 32,
            .low = factor & 0xffffffff,
        };
    }
    if (row_count == 1) { return RK_CALL(set, round_phase1, (message, constants, count, plaintext_modulus)); }
    if (row_count == 2) { return RK_CALL(set, round_phase2, (message, constants, count, plaintext_modulus)); }
    return round_phase_body(message, constants, row_count, count, plaintext_modulus);
}
