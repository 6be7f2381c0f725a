// SPDX-License-Identifier: GPL-3.0-or-later
#include "ring_internal.h"

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx512f"))) static uint64_t read_avx512(const char *memory, size_t bytes) {
    __m512i sums[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                       _mm512_setzero_si512()};
    for (size_t offset = 0; offset + 256 <= bytes; offset += 256) {
        UNROLL
        for (int i = 0; i < 4; i++) {
            sums[i] = _mm512_xor_si512(sums[i], _mm512_load_si512(memory + offset + 64 * i));
        }
    }
    __m512i sum = _mm512_xor_si512(_mm512_xor_si512(sums[0], sums[1]), _mm512_xor_si512(sums[2], sums[3]));
    return (uint64_t)_mm512_reduce_add_epi64(sum);
}
#endif

uint64_t rk_read_memory(const void *memory, size_t bytes) {
#if defined(__x86_64__)
    if (rk_is_supported(RK_AVX512)) { return read_avx512(memory, bytes); }
#endif
    const uint64_t *words = memory;
    uint64_t sums[4] = {0, 0, 0, 0};
    for (size_t i = 0; i + 4 <= bytes / 8; i += 4) {
        sums[0] ^= words[i];
        sums[1] ^= words[i + 1];
        sums[2] ^= words[i + 2];
        sums[3] ^= words[i + 3];
    }
    return sums[0] ^ sums[1] ^ sums[2] ^ sums[3];
}
