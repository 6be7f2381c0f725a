// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs kernels with portable code and with the fastest instruction set, and compares every byte that they write.

#ifndef COMPARISON_H
#define COMPARISON_H

#include "RingKernels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One ring twice.
typedef struct rings {
    rk_ring *portable, *fast;
    uint64_t modulus;
    size_t degree, word_bytes;
} rings;

enum { MOST_MODULI = 11 };

// What fills a row: zeros, largest residues, these in turns, residues around the half, random ones.
typedef enum pattern { ZERO, LARGEST, ALTERNATING, HALF, RANDOM, PATTERNS } pattern;

// SplitMix64: the same numbers in every run and on every machine.
uint64_t random_number(void);

// Memory on a 64-byte boundary, filled with a mark, with marks behind it; until release_memory.
void *new_memory(size_t byte_count);
void release_memory(void);

// count words, each below the limit.
void *new_words(size_t word_bytes, size_t count, uint64_t limit, pattern pattern);
void *new_row(const rings *rings, pattern pattern);

// The rings for a modulus that is prime and 1 modulo 2 * degree.
rings create_rings(uint64_t modulus, size_t degree, size_t word_bytes);
void destroy_rings(rings rings);

// The largest primes below a limit, or the smallest from one on, that are 1 modulo step. Returns how many there are.
size_t primes_below(uint64_t limit, uint64_t step, uint64_t *primes, size_t count);
void primes_from(uint64_t limit, uint64_t step, uint64_t *primes, size_t count);

// Moduli at the edges of each way of computing, as in the tests of RingKernels. Returns how many there are.
size_t edge_moduli(size_t word_bytes, size_t degree, uint64_t *moduli);

// Begins a group of comparisons, which are counted and printed together.
void begin_group(const char *name);

// Prints the group: how many comparisons, how many that differ, and a number made from all bytes of the portable code.
// That number has to be the same on every machine.
void end_group(void);

// Whether all comparisons of all groups so far were equal, and there were some in each.
bool is_all_equal(void);

// Compares what both sides wrote, and what stands in the 64 bytes behind.
void compare(const char *name, size_t degree, uint64_t modulus, const void *portable, const void *fast,
             size_t byte_count);

// Evaluates the last argument for both sides, with `ring`, `set` and `dst` (byte_count bytes) of each, and compares.
#define COMPARE(name, rings, byte_count, ...)                                                   \
    do {                                                                                        \
        void *outputs[2];                                                                       \
        for (int side = 0; side < 2; side++) {                                                  \
            const rk_ring *ring = side == 0 ? (rings)->portable : (rings)->fast;                \
            rk_instruction_set set = side == 0 ? RK_PORTABLE : rk_best_instruction_set();       \
            void *dst = outputs[side] = new_memory(byte_count);                                 \
            (void)ring, (void)set;                                                              \
            __VA_ARGS__;                                                                        \
        }                                                                                       \
        compare(name, (rings)->degree, (rings)->modulus, outputs[0], outputs[1], (byte_count)); \
    } while (0)

// The groups.
void compare_transforms(void);
void compare_rows(void);
void compare_sums(void);
void compare_scans(void);
void compare_scalings(void);
void compare_messages(void);
void compare_packing(void);
void compare_random_numbers(void);

#endif
