// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random numbers of a simulation, many at a time. Every function gives the same bits on every instruction set.

#ifndef RANDOM_NUMBERS_H
#define RANDOM_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "RingKernels.h"

// dst[2 i] and dst[2 i + 1], i < blocks: the halves of the Philox4x32-10 block at counter (index + i, entity,
// purpose), low words first, as numbers of the open interval (0, 1): 52 high bits and half a unit more.
void rk_random_uniforms(rk_instruction_set set, double *dst, size_t blocks, uint64_t index, uint32_t entity,
                        uint32_t purpose, uint64_t key);

// What is known of one number c.
typedef struct {
    double inverse;            // 1 / c
    double negative_logarithm; // -ln(c)
} rk_logarithm_centre;

// The bits of the centres are a multiple of 2^RK_LOGARITHM_SPACING apart, so that 1 is one; the first is the
// last that is not above sqrt(1/2), and the last is the first that is not below sqrt(2).
enum { RK_LOGARITHM_CENTRES = 129, RK_LOGARITHM_SPACING = 45 };
#define RK_LOGARITHM_FIRST 0x3FE6A00000000000u

// values[i] = -ln(values[i]) * factor, as rk_negative_logarithm has it.
void rk_negative_logarithms(rk_instruction_set set, double *values, size_t count, double factor,
                            const rk_logarithm_centre *centres);

// -ln(u) for u in the open interval (0, 1), to 4 units in the last place.
//
// With u = 2^e m and m between sqrt(1/2) and sqrt(2), the table holds the logarithm of the nearest centre c;
// the rest is a short series of r = m / c - 1, at most 2^-8. m - c is exact and 1 is a centre, so results near
// 0 are as accurate as the others.
static inline double rk_negative_logarithm(double u, const rk_logarithm_centre *centres) {
    // A fused multiply-add rounds once where its two parts round twice.
#pragma STDC FP_CONTRACT OFF
    // ln 2 in two parts, the first short enough that its multiples are exact.
    const double ln2 = 0x1.62e42feep-1, ln2_rest = 1.9082149292705877e-10;
    union {
        double number;
        uint64_t bits;
    } whole = {.number = u}, m, c;
    // The exponent after moving sqrt(1/2) to the start of a power of two, plus 64 to stay positive.
    uint64_t exponent = (whole.bits + ((uint64_t)64 << 52) - 0x3FE6A09E667F3BCD) >> 52;
    m.bits = whole.bits - ((exponent - 64) << 52);
    c.bits = (m.bits + ((uint64_t)1 << (RK_LOGARITHM_SPACING - 1))) >> RK_LOGARITHM_SPACING
                                                                           << RK_LOGARITHM_SPACING;
    uint64_t place = (c.bits - RK_LOGARITHM_FIRST) >> RK_LOGARITHM_SPACING;
    double e = (double)((int64_t)exponent - 64);
    double r = (m.number - c.number) * centres[place].inverse;
    double square = r * r;
    // r^2/2 - r^3/3 + ... - r^7/7
    double sixth = 1 / 6.0 - r * (1 / 7.0);
    double fourth = 0.25 - r * 0.2;
    double second = 0.5 - r * (1 / 3.0);
    double tail = square * (second + square * (fourth + square * sixth));
    return (centres[place].negative_logarithm - e * ln2) + ((tail - e * ln2_rest) - r);
}

#endif
