// SPDX-License-Identifier: GPL-3.0-or-later
//
// Before a loop whose number of turns the compiler knows and that must be unrolled, because it indexes
// vectors that are meant to be in registers.

#ifndef RING_KERNELS_UNROLL_H
#define RING_KERNELS_UNROLL_H

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#endif
