// SPDX-License-Identifier: GPL-3.0-or-later
//
// What happens between bytes, messages and rows: random residues, packed bits, scaling by t/Q and Q/t.
//
// Rows are as in RingKernels.h; random bytes are on an 8-byte boundary. Every function gives the same bits on
// every instruction set, allocates nothing and neither branches on, nor addresses memory by, a number that it
// is given, except where it says so.

#ifndef RING_MESSAGES_H
#define RING_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "RingKernels.h"

// -------------------------------------------------------------------------------------------- random numbers

// dst[i] = the i-th 16 bytes of random as a little-endian number, modulo the modulus.
void rk_residues_of_random(rk_instruction_set set, size_t word_bytes, void *dst, const uint8_t *random,
                           size_t count, uint64_t modulus);

// dst[i] = ones in the low 21 bits of the first 8 of the i-th 16 bytes of random, minus those of the second
// 8.
void rk_errors_of_random(rk_instruction_set set, int8_t *dst, const uint8_t *random, size_t count);

// Residues of small signed numbers.
void rk_lift_signed(rk_instruction_set set, size_t word_bytes, void *dst, const int8_t *numbers, size_t count,
                    uint64_t modulus);

// -------------------------------------------------------------------------------------------------- messages

// Residues of message coefficients below the plaintext modulus t; those of (t + 1) / 2 and more stand for
// negative numbers.
void rk_lift_message(rk_instruction_set set, size_t word_bytes, void *dst, const uint64_t *message,
                     size_t count, uint64_t plaintext_modulus, uint64_t modulus);

// dst[i] += or -= round(Q m / t) modulo the modulus, computed as quotient * m + floor((remainder * m + (t +
// 1) / 2) / t) with quotient = floor(Q/t) modulo the modulus and remainder = Q mod t. In place. The
// same code on every instruction set: none has vectors of the high halves of products of 64 bits.
void rk_add_scaled_message(size_t word_bytes, void *dst, const uint64_t *message, size_t count,
                           uint64_t plaintext_modulus, uint64_t quotient, uint64_t remainder,
                           uint64_t modulus, bool subtract);

// message[i] = round(t v / Q) modulo t from the rows of a phase v, with inverses[j] = (Q/q_j)^-1 modulo q_j.
// At most 16 rows; plaintext_modulus * row_count below 2^32 for words of 4 bytes, below 2^62 for words of 8.
// Returns how many of the sums were too close to a half to be rounded for certain: their places are to be
// computed by other means, and message[i] is t there.
size_t rk_round_phase(rk_instruction_set set, size_t word_bytes, uint64_t *message, const void *const *rows,
                      size_t row_count, size_t count, const uint64_t *moduli, const uint64_t *inverses,
                      uint64_t plaintext_modulus);

// ----------------------------------------------------------------------------------------------- packed bits

// Writes count numbers as bit strings of `bits` each, most significant bit first, after dropping `skipped`
// low bits of each: (count * (bits - skipped) + 7) / 8 bytes, the last one padded with zeros. 1 <= bits -
// skipped <= 64. Words are of 4 or 8 bytes, each below 2^bits.
void rk_pack_bits(size_t word_bytes, uint8_t *dst, const void *words, size_t count, unsigned bits,
                  unsigned skipped);

// Reads what rk_pack_bits wrote; bits past the end of the bytes are zero. Returns the largest number.
uint64_t rk_unpack_bits(size_t word_bytes, void *words, size_t count, const uint8_t *bytes, size_t byte_count,
                        unsigned bits, unsigned skipped);

#endif
