// SPDX-License-Identifier: GPL-3.0-or-later
#include "RingKernels.h"

bool rk_is_supported(rk_instruction_set set) {
    switch (set) {
    case RK_PORTABLE:
        return true;
    case RK_NEON:
#if defined(__aarch64__)
        return true;
#else
        return false;
#endif
#if defined(__x86_64__)
    case RK_AVX2:
        return __builtin_cpu_supports("avx2");
    case RK_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    case RK_AVX512_IFMA:
        return rk_is_supported(RK_AVX512) && __builtin_cpu_supports("avx512ifma");
#else
    case RK_AVX2:
    case RK_AVX512:
    case RK_AVX512_IFMA:
        return false;
#endif
    }
    return false;
}

rk_instruction_set rk_best_instruction_set(void) {
    for (int set = RK_AVX512_IFMA; set > RK_PORTABLE; set--) {
        if (rk_is_supported((rk_instruction_set)set)) { return (rk_instruction_set)set; }
    }
    return RK_PORTABLE;
}

const char *rk_instruction_set_name(rk_instruction_set set) {
    switch (set) {
    case RK_PORTABLE:
        return "portable";
    case RK_NEON:
        return "NEON";
    case RK_AVX2:
        return "AVX2";
    case RK_AVX512:
        return "AVX-512";
    case RK_AVX512_IFMA:
        return "AVX-512 IFMA";
    }
    return "unknown";
}
