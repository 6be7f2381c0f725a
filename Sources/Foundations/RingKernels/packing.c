// SPDX-License-Identifier: GPL-3.0-or-later
//
// Numbers as bit strings, most significant bit first.

#include "RingKernels.h"

#include <string.h>

#define RK_INLINE static inline __attribute__((always_inline))

RK_INLINE uint64_t load(const void *words, size_t word_bytes, size_t index) {
    return word_bytes == 4 ? ((const uint32_t *)words)[index] : ((const uint64_t *)words)[index];
}

RK_INLINE void store(void *words, size_t word_bytes, size_t index, uint64_t value) {
    if (word_bytes == 4) {
        ((uint32_t *)words)[index] = (uint32_t)value;
    } else {
        ((uint64_t *)words)[index] = value;
    }
}

RK_INLINE uint64_t load_big_endian(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, 8);
    return __builtin_bswap64(value);
}

// Writes whole words of 64 bits as they fill.
RK_INLINE void pack(size_t word_bytes, uint8_t *dst, const void *words, size_t count, unsigned width,
                    unsigned skipped) {
    uint64_t pending = 0; // bits not written yet, at the high end
    unsigned used = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t kept = load(words, word_bytes, i) >> skipped;
        uint64_t aligned = kept << (64 - width);
        pending |= aligned >> used;
        unsigned room = 64 - used;
        if (width >= room) {
            uint64_t full = __builtin_bswap64(pending);
            memcpy(dst, &full, 8);
            dst += 8;
            pending = room == 64 ? 0 : aligned << room;
            used = width - room;
        } else {
            used += width;
        }
    }
    for (; used > 0; used = used > 8 ? used - 8 : 0, pending <<= 8) { *dst++ = (uint8_t)(pending >> 56); }
}

void rk_pack_bits(size_t word_bytes, uint8_t *dst, const void *words, size_t count, unsigned bits,
                  unsigned skipped) {
    if (word_bytes == 4) {
        pack(4, dst, words, count, bits - skipped, skipped);
    } else {
        pack(8, dst, words, count, bits - skipped, skipped);
    }
}

// The `width` bits from bit `position`, slowly; bits past the end are zero.
static uint64_t bits_at(const uint8_t *bytes, size_t byte_count, uint64_t position, unsigned width) {
    uint64_t value = 0;
    if (position / 8 >= byte_count) { return 0; }
    for (unsigned bit = 0; bit < width; bit++, position++) {
        uint64_t byte = position / 8 < byte_count ? bytes[position / 8] : 0;
        value = value << 1 | (byte >> (7 - position % 8) & 1);
    }
    return value;
}

RK_INLINE uint64_t unpack(size_t word_bytes, void *words, size_t count, const uint8_t *bytes,
                          size_t byte_count, unsigned width, unsigned skipped) {
    uint64_t largest = 0;
    size_t i = 0;
    if (width <= 57) {
        // One load of 8 bytes has the number wherever it begins in the first byte. Whole groups of 8 numbers
        // begin at a byte.
        size_t groups = count / 8;
        for (size_t group = 0; group < groups && (group + 1) * width + 8 <= byte_count; group++) {
            const uint8_t *start = bytes + group * width;
            for (unsigned lane = 0; lane < 8; lane++) {
                unsigned bit = lane * width;
                uint64_t value = load_big_endian(start + bit / 8) << (bit % 8) >> (64 - width) << skipped;
                largest = value > largest ? value : largest;
                store(words, word_bytes, i++, value);
            }
        }
    } else {
        while (i < count && (i * width) / 8 + 9 <= byte_count) {
            uint64_t position = (uint64_t)i * width;
            unsigned bit = position % 8;
            uint64_t high = load_big_endian(bytes + position / 8) << bit;
            uint64_t low = bit == 0 ? 0 : bytes[position / 8 + 8] >> (8 - bit);
            uint64_t value = (high | low) >> (64 - width) << skipped;
            largest = value > largest ? value : largest;
            store(words, word_bytes, i++, value);
        }
    }
    for (; i < count; i++) {
        uint64_t value = bits_at(bytes, byte_count, (uint64_t)i * width, width) << skipped;
        largest = value > largest ? value : largest;
        store(words, word_bytes, i, value);
    }
    return largest;
}

uint64_t rk_unpack_bits(size_t word_bytes, void *words, size_t count, const uint8_t *bytes, size_t byte_count,
                        unsigned bits, unsigned skipped) {
    unsigned width = bits - skipped;
    // The usual width, known to the compiler.
    if (word_bytes == 4 && width == 28) { return unpack(4, words, count, bytes, byte_count, 28, skipped); }
    if (word_bytes == 4) { return unpack(4, words, count, bytes, byte_count, width, skipped); }
    return unpack(8, words, count, bytes, byte_count, width, skipped);
}
