// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bytes, messages and random numbers. These are loops that a compiler makes vectors from, so most of what can go wrong
// shows in the digests of two machines.

#include "comparison.h"

#include "arithmetic.h"

#include <string.h>

static const size_t counts[] = {0, 1, 2, 3, 7, 8, 9, 31, 33, 64, 1023, 4096};
enum { COUNTS = sizeof counts / sizeof *counts };

// ------------------------------------------------------------------------------------------------- messages

static void residues(const rings *r, size_t count) {
    size_t bytes = count * r->word_bytes;
    const uint8_t *random = new_words(8, 2 * count, UINT64_MAX, RANDOM);
    COMPARE("residues_of_random", r, bytes,
            rk_residues_of_random(set, r->word_bytes, dst, random, count, r->modulus));
    int8_t *numbers = new_memory(count);
    for (size_t i = 0; i < count; i++) { numbers[i] = (int8_t)(random_number() % 43 - 21); }
    COMPARE("lift_signed", r, bytes, rk_lift_signed(set, r->word_bytes, dst, numbers, count, r->modulus));
    COMPARE("errors_of_random", r, count, rk_errors_of_random(set, dst, random, count));
}

static void message(const rings *r, size_t count, uint64_t t, pattern pattern) {
    size_t bytes = count * r->word_bytes;
    const uint64_t *message = new_words(8, count, t, pattern);
    const void *row = new_words(r->word_bytes, count, r->modulus, RANDOM);
    uint64_t quotient = random_number() % r->modulus, remainder = random_number() % t;
    COMPARE("lift_message", r, bytes,
            rk_lift_message(set, r->word_bytes, dst, message, count, t, r->modulus));
    for (int subtract = 0; subtract < 2; subtract++) {
        COMPARE("add_scaled_message", r, bytes,
                (memcpy(dst, row, bytes), rk_add_scaled_message(r->word_bytes, dst, message, count, t, quotient,
                                                                remainder, r->modulus, subtract)));
    }
}

static void phases(size_t word_bytes, size_t row_count, size_t count, uint64_t t, pattern pattern) {
    enum { MOST_ROWS = 4 };
    uint64_t moduli[MOST_ROWS], inverses[MOST_ROWS];
    const void *rows[MOST_ROWS];
    primes_below(UINT64_C(1) << (word_bytes == 4 ? 28 : 55), 8192, moduli, row_count);
    for (size_t j = 0; j < row_count; j++) {
        uint64_t others = 1;
        for (size_t i = 0; i < row_count; i++) {
            if (i != j) { others = rk_multiply_modulo(others, moduli[i] % moduli[j], moduli[j]); }
        }
        inverses[j] = rk_inverse_modulo(others, moduli[j]);
        rows[j] = new_words(word_bytes, count, moduli[j], pattern);
    }
    rings none = {.modulus = moduli[0], .degree = count, .word_bytes = word_bytes};
    // The numbers, and how many are in doubt.
    COMPARE("round_phase", &none, (count + 1) * 8, {
        uint64_t *numbers = dst;
        numbers[count] = rk_round_phase(set, word_bytes, numbers, rows, row_count, count, moduli, inverses, t);
    });
}

void compare_messages(void) {
    static const uint64_t plaintext_moduli[] = {2, 17, 1153, 65537};
    for (size_t word_bytes = 4; word_bytes <= 8; word_bytes += 4) {
        uint64_t moduli[MOST_MODULI];
        size_t modulus_count = edge_moduli(word_bytes, 4096, moduli);
        for (int i = 0; i < COUNTS; i++) {
            for (size_t j = 0; j < modulus_count; j++) {
                rings r = {.modulus = moduli[j], .degree = counts[i], .word_bytes = word_bytes};
                residues(&r, counts[i]);
                for (pattern pattern = ZERO; pattern < PATTERNS; pattern++) {
                    for (int t = 0; t < 4; t++) { message(&r, counts[i], plaintext_moduli[t], pattern); }
                }
                release_memory();
            }
            for (size_t row_count = 1; row_count <= 4; row_count++) {
                for (pattern pattern = ZERO; pattern < PATTERNS; pattern++) {
                    for (int t = 0; t < 4; t++) {
                        phases(word_bytes, row_count, counts[i], plaintext_moduli[t], pattern);
                    }
                }
                release_memory();
            }
        }
    }
}

// -------------------------------------------------------------------------------------------------- packing

void compare_packing(void) {
    for (size_t word_bytes = 4; word_bytes <= 8; word_bytes += 4) {
        for (unsigned bits = 1; bits <= 8 * word_bytes; bits++) {
            for (unsigned skipped = 0; skipped < bits; skipped += 1 + bits / 4) {
                for (int i = 0; i < COUNTS; i++) {
                    size_t count = counts[i], byte_count = (count * (bits - skipped) + 7) / 8;
                    rings none = {.modulus = bits, .degree = count, .word_bytes = word_bytes};
                    uint64_t limit = bits == 64 ? UINT64_MAX : UINT64_C(1) << bits;
                    const void *words = new_words(word_bytes, count, limit, RANDOM);
                    COMPARE("pack_bits", &none, byte_count,
                            rk_pack_bits(word_bytes, dst, words, count, bits, skipped));
                    const uint8_t *bytes = new_words(8, byte_count / 8 + 1, UINT64_MAX, RANDOM);
                    // The numbers, and the largest.
                    COMPARE("unpack_bits", &none, count * word_bytes + 8, {
                        uint64_t largest = rk_unpack_bits(word_bytes, dst, count, bytes, byte_count, bits, skipped);
                        memcpy((char *)dst + count * word_bytes, &largest, 8);
                    });
                    release_memory();
                }
            }
        }
    }
}

// ------------------------------------------------------------------------------------------- random numbers

void compare_random_numbers(void) {
    static const uint64_t indices[] = {0, 5, 0xFFFFFFFE, UINT64_MAX - 2};
    // No logarithms, which libraries round differently, but every centre has a number of its own.
    rk_logarithm_centre centres[RK_LOGARITHM_CENTRES];
    for (uint64_t i = 0; i < RK_LOGARITHM_CENTRES; i++) {
        uint64_t bits = RK_LOGARITHM_FIRST + (i << RK_LOGARITHM_SPACING);
        double centre;
        memcpy(&centre, &bits, sizeof centre);
        centres[i] = (rk_logarithm_centre){1 / centre, 1 / centre - centre};
    }
    rings none = {.word_bytes = 8};
    for (int i = 0; i < COUNTS; i++) {
        for (int index = 0; index < 4; index++) {
            uint64_t key = random_number();
            size_t bytes = counts[i] * 16;
            COMPARE("random_uniforms", &none, bytes,
                    rk_random_uniforms(set, dst, counts[i], indices[index], UINT32_MAX, (uint32_t)i, key));
            COMPARE("negative_logarithms", &none, bytes, {
                rk_random_uniforms(RK_PORTABLE, dst, counts[i], indices[index], 3, 4, key);
                rk_negative_logarithms(set, dst, 2 * counts[i], 3, centres);
            });
        }
    }
}
