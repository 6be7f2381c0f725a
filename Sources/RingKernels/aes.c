// SPDX-License-Identifier: GPL-3.0-or-later
//
// AES-128 in counter mode, with the instructions that processors have for it: their time depends on no data.

#include "RingKernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define RK_FOR_AES __attribute__((target("aes,ssse3,sse4.1")))

bool rk_aes_is_supported(void) {
    return __builtin_cpu_supports("aes") && __builtin_cpu_supports("ssse3") &&
           __builtin_cpu_supports("sse4.1");
}

RK_FOR_AES static inline __m128i next_round_key(__m128i key, __m128i assist) {
    assist = _mm_shuffle_epi32(assist, 0xff);
    key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
    key = _mm_xor_si128(key, _mm_slli_si128(key, 8));
    return _mm_xor_si128(key, assist);
}

RK_FOR_AES static void expand_key(const uint8_t key[16], __m128i rounds[11]) {
    rounds[0] = _mm_loadu_si128((const __m128i *)(const void *)key);
#define RK_ROUND_KEY(index, constant) \
    rounds[index] = next_round_key(rounds[index - 1], _mm_aeskeygenassist_si128(rounds[index - 1], constant))
    RK_ROUND_KEY(1, 0x01);
    RK_ROUND_KEY(2, 0x02);
    RK_ROUND_KEY(3, 0x04);
    RK_ROUND_KEY(4, 0x08);
    RK_ROUND_KEY(5, 0x10);
    RK_ROUND_KEY(6, 0x20);
    RK_ROUND_KEY(7, 0x40);
    RK_ROUND_KEY(8, 0x80);
    RK_ROUND_KEY(9, 0x1b);
    RK_ROUND_KEY(10, 0x36);
#undef RK_ROUND_KEY
}

// The counter as a number of 128 bits.
typedef struct {
    uint64_t high, low;
} counter128;

static inline counter128 next(counter128 counter) {
    counter.low++;
    counter.high += counter.low == 0;
    return counter;
}

RK_FOR_AES static inline __m128i block_of(counter128 counter) {
    return _mm_set_epi64x((int64_t)__builtin_bswap64(counter.low), (int64_t)__builtin_bswap64(counter.high));
}

enum { LANES = 8 };

RK_FOR_AES static counter128 keystream(const __m128i rounds[11], counter128 counter, uint8_t *output,
                                       size_t count) {
    while (count >= LANES) {
        __m128i blocks[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            counter = next(counter);
            blocks[lane] = _mm_xor_si128(block_of(counter), rounds[0]);
        }
        for (int round = 1; round < 10; round++) {
            for (int lane = 0; lane < LANES; lane++) {
                blocks[lane] = _mm_aesenc_si128(blocks[lane], rounds[round]);
            }
        }
        for (int lane = 0; lane < LANES; lane++) {
            blocks[lane] = _mm_aesenclast_si128(blocks[lane], rounds[10]);
            _mm_storeu_si128((__m128i *)(void *)(output + 16 * lane), blocks[lane]);
        }
        output += 16 * LANES;
        count -= LANES;
    }
    for (; count > 0; count--, output += 16) {
        counter = next(counter);
        __m128i block = _mm_xor_si128(block_of(counter), rounds[0]);
        for (int round = 1; round < 10; round++) { block = _mm_aesenc_si128(block, rounds[round]); }
        _mm_storeu_si128((__m128i *)(void *)output, _mm_aesenclast_si128(block, rounds[10]));
    }
    return counter;
}

RK_FOR_AES void rk_random_request(uint8_t key[16], uint8_t counter[16], uint8_t *output, size_t block_count) {
    __m128i rounds[11];
    uint64_t halves[2];
    uint8_t update[32];
    __builtin_memcpy(halves, counter, 16);
    counter128 position = {__builtin_bswap64(halves[0]), __builtin_bswap64(halves[1])};
    expand_key(key, rounds);
    position = keystream(rounds, position, output, block_count);
    keystream(rounds, position, update, 2);
    __builtin_memcpy(key, update, 16);
    __builtin_memcpy(counter, update + 16, 16);
}

#else

bool rk_aes_is_supported(void) { return false; }

void rk_random_request(uint8_t key[16], uint8_t counter[16], uint8_t *output, size_t block_count) {
    (void)key, (void)counter, (void)output, (void)block_count;
}

#endif
