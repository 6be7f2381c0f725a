// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiles one body for several instruction sets and calls the right one.

#ifndef RING_VARIANTS_H
#define RING_VARIANTS_H

#include "RingKernels.h"

#define RK_BODY static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define RK_FOR_AVX2 __attribute__((target("avx2")))
#define RK_FOR_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
#define RK_VARIANTS(result, name, parameters, arguments) \
    static result name##_portable parameters { return name##_body arguments; } \
    RK_FOR_AVX2 static result name##_avx2 parameters { return name##_body arguments; } \
    RK_FOR_AVX512 static result name##_avx512 parameters { return name##_body arguments; }
#define RK_CALL(set, name, arguments) \
    ((set) >= RK_AVX512 ? name##_avx512 arguments \
                        : (set) == RK_AVX2 ? name##_avx2 arguments : name##_portable arguments)
#else
#define RK_VARIANTS(result, name, parameters, arguments) \
    static result name##_portable parameters { return name##_body arguments; }
#define RK_CALL(set, name, arguments) ((void)(set), name##_portable arguments)
#endif

#endif
