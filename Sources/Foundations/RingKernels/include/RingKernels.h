// SPDX-License-Identifier: GPL-3.0-or-later
//
// Arithmetic on rows of residues: the inner loops of homomorphic encryption.
//
// A row is the N residues of one polynomial for one modulus, in words of 4 or 8 bytes, on a 64-byte boundary,
// each residue below the modulus unless said otherwise. A ring fixes modulus, degree, word size and the
// instruction set; all rows of a call belong to the ring unless said otherwise. Output rows may be the same
// as input rows of the same call where the comment says "in place"; otherwise rows do not overlap.
//
// Every function gives the same bits on every instruction set. None allocates, except those that create
// something; none keeps state, so any number of threads may use one ring. Nothing branches on, or addresses
// memory by, a residue.

#ifndef RING_KERNELS_H
#define RING_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ------------------------------------------------------------------------------------------ instruction sets

typedef enum rk_instruction_set {
    RK_PORTABLE = 0,
    RK_NEON = 1,
    RK_AVX2 = 2,
    RK_AVX512 = 3,      // F, DQ, BW, VL
    RK_AVX512_IFMA = 4, // the same and 52-bit multiply-add
} rk_instruction_set;

// Whether this build and this processor have it.
bool rk_is_supported(rk_instruction_set set);

// The fastest supported one.
rk_instruction_set rk_best_instruction_set(void);

// For example "AVX-512 IFMA".
const char *rk_instruction_set_name(rk_instruction_set set);

// ------------------------------------------------------------------------------------------------------ ring

typedef struct rk_ring rk_ring;

// modulus: a prime congruent to 1 modulo 2 * degree; below 2^30 for 4-byte words, below 2^62 for 8-byte
// words. root: a primitive root of unity of order 2 * degree. degree: a power of two from 2 to 32768.
// set: must be supported. Degrees too small for its vectors use portable code.
// NULL when memory is short or an argument is outside these limits.
rk_ring *rk_ring_create(uint64_t modulus, uint64_t root, size_t degree, size_t word_bytes,
                        rk_instruction_set set);
void rk_ring_destroy(rk_ring *ring);

// ------------------------------------------------------------------------------------------------ transforms

// Coefficients to values at the odd powers of the root, bit-reversed order; and back. In place.
void rk_forward(const rk_ring *ring, void *row);
void rk_inverse(const rk_ring *ring, void *row);

// dst = forward transform of src, whose words may be any number that fits the word size below 2^30 or 2^62
// (residues of another modulus). dst may be src.
void rk_forward_reducing(const rk_ring *ring, void *dst, const void *src);

// ---------------------------------------------------------------------------------------- element by element

// dst may be the same row as a or b.
void rk_add(const rk_ring *ring, void *dst, const void *a, const void *b);
void rk_subtract(const rk_ring *ring, void *dst, const void *a, const void *b);
void rk_negate(const rk_ring *ring, void *dst, const void *a);
void rk_multiply(const rk_ring *ring, void *dst, const void *a, const void *b);
// factor below the modulus.
void rk_multiply_constant(const rk_ring *ring, void *dst, const void *a, uint64_t factor);

// dst = src modulo the modulus; src words may be any number below 2^30 or 2^62. In place.
void rk_reduce(const rk_ring *ring, void *dst, const void *src);

// dst = sum of left[i] * right[i] over i < count; count may be any number from 1. Reduced once where words
// allow it. dst is no input.
void rk_multiply_sum(const rk_ring *ring, void *dst, const void *const *left, const void *const *right,
                     size_t count);

// The same twice with the same left factors: dst0 = sum of left[i] * right0[i], dst1 = sum of left[i] * right1[i].
void rk_multiply_sums(const rk_ring *ring, void *dst0, void *dst1, const void *const *left,
                      const void *const *right0, const void *const *right1, size_t count);

// The three sums of a tensor product of ciphertexts: dst0 = sum l0*r0, dst1 = sum l0*r1 + l1*r0, dst2 = sum
// l1*r1.
void rk_tensor_sum(const rk_ring *ring, void *dst0, void *dst1, void *dst2, const void *const *left0,
                   const void *const *left1, const void *const *right0, const void *const *right1,
                   size_t count);

// dst = (a - [p]) / P + addend, where p is a row modulo P = special's modulus, [p] its centered
// representative rounded as by: a' = a + floor(P/2), p' = p + floor(P/2) mod P, dst = (a' - p') * P^-1 (both
// reduced modulo the ring's modulus). addend may be NULL. dst may be a. p is reduced modulo P, not shifted.
void rk_divide_rounding(const rk_ring *ring, void *dst, const void *a, const void *p, const rk_ring *special,
                        const void *addend);

// sum = c + moved, difference = (c - moved) * X^-exponent, coefficients; exponent below the degree. sum may
// be c or moved; difference is neither.
void rk_split(const rk_ring *ring, void *sum, void *difference, const void *c, const void *moved,
              size_t exponent);

// sum = c + image, difference = (c - image) * factor, evaluations, with image = a + b + more; more may be NULL. sum may
// be any of the inputs; difference may not.
void rk_split_evaluations(const rk_ring *ring, void *sum, void *difference, const void *c, const void *a,
                          const void *b, const void *more, const void *factor);

// --------------------------------------------------------------------------------------------- automorphisms

// The map X -> X^element for one degree; good for every modulus and word size.
typedef struct rk_automorphism rk_automorphism;

// element: odd, below 2 * degree. NULL when memory is short or an argument is wrong.
rk_automorphism *rk_automorphism_create(size_t degree, uint32_t element);
void rk_automorphism_destroy(rk_automorphism *automorphism);
void rk_move_coefficients(const rk_ring *ring, const rk_automorphism *automorphism, void *dst,
                          const void *src);
void rk_move_evaluations(const rk_ring *ring, const rk_automorphism *automorphism, void *dst,
                         const void *src);

// ------------------------------------------------------------------------- conversion between sets of moduli

// The lift to auxiliary primes and the scaling by t/Q of Bajard, Eynard, Hasan and Zucca (IACR ePrint
// 2016/510) with the constants of article "Homomorphic encryption", section "Products of ciphertexts".
typedef struct rk_scaling rk_scaling;

// base: rings of the ciphertext, their product is Q. auxiliary: base_count + 1 rings, the last is m_sk.
// correction_bits: log2 of m~ (16 or 32). All rings have one degree, word size and instruction set, and
// outlive it.
rk_scaling *rk_scaling_create(const rk_ring *const *base, size_t base_count, const rk_ring *const *auxiliary,
                              uint64_t plaintext_modulus, unsigned correction_bits);
void rk_scaling_destroy(rk_scaling *scaling);

// auxiliary: base_count + 1 output rows. base: base_count rows of coefficients.
void rk_scaling_lift(const rk_scaling *scaling, void *const *auxiliary, const void *const *base);

// output: base_count rows. base, auxiliary: the product's rows as coefficients, not yet multiplied by t.
void rk_scaling_round(const rk_scaling *scaling, void *const *output, const void *const *base,
                      const void *const *auxiliary);

// --------------------------------------------------------------------------------------------- database scan

// One modulus' rows of a database, in the order in which a scan reads them: [tile][column][row][lane] with 64
// bytes of lanes per tile, or all of a row that is shorter. A scan computes for each column
//     dst = sum over rows of selector[row] * plaintext[column][row], for two polynomials per selector.
// Stores plaintext (column, row). Bytes of the database: degree * word_bytes * columns * rows, on a 64-byte
// boundary.
void rk_scan_store(const rk_ring *ring, void *database, size_t columns, size_t rows, size_t column,
                   size_t row, const void *plaintext);

// The plaintext back out of the database.
void rk_scan_load(const rk_ring *ring, const void *database, size_t columns, size_t rows, size_t column,
                  size_t row, void *plaintext);

// Bytes of a prepared query for one modulus.
size_t rk_scan_query_bytes(const rk_ring *ring, size_t rows, size_t queries);

// Arranges selectors for the scan. selectors[(query * rows + row) * 2 + polynomial] is a row in evaluation
// form.
void rk_scan_prepare(const rk_ring *ring, void *prepared, const void *const *selectors, size_t rows,
                     size_t queries);

// results[(query * column_count + column) * 2 + polynomial] is an output row. One pass over the database for
// all queries. first_column, column_count: a part of the columns, so that threads can share a scan; results
// are indexed from first_column. prepared is on a 64-byte boundary.
void rk_scan(const rk_ring *ring, const void *database, size_t columns, size_t rows, size_t first_column,
             size_t column_count, const void *prepared, size_t queries, void *const *results);

#include "RandomNumbers.h" // random numbers of a simulation
#include "RingMessages.h" // bytes, messages and random numbers to rows and back

// Reads memory on a 64-byte boundary and does nearly nothing with it: what no scan can be faster than. For
// benchmarks; the result only keeps the reading from being left out.
uint64_t rk_read_memory(const void *memory, size_t bytes);

#endif
