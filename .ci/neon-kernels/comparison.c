// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison.h"

#include "arithmetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTES = 64, MARK = 0xA5, ARENA_BYTES = 1 << 27, TOLD_DIFFERENCES = 5 };

static _Alignas(64) unsigned char arena[ARENA_BYTES];
static size_t arena_used;
static uint64_t random_state, digest;
static const char *group;
static size_t compared, different;
static bool has_failed;

uint64_t random_number(void) {
    random_state += 0x9e3779b97f4a7c15;
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

void *new_memory(size_t byte_count) {
    size_t taken = (byte_count + GUARD_BYTES + 63) / 64 * 64;
    if (taken > ARENA_BYTES - arena_used) {
        fputs("the memory for one comparison is too small\n", stderr);
        abort();
    }
    void *memory = arena + arena_used;
    arena_used += taken;
    return memset(memory, MARK, taken);
}

void release_memory(void) { arena_used = 0; }

void *new_words(size_t word_bytes, size_t count, uint64_t limit, pattern pattern) {
    void *words = new_memory(count * word_bytes);
    for (size_t i = 0; i < count; i++) {
        uint64_t values[PATTERNS] = {0, limit - 1, i % 2 == 0 ? limit - 1 : 0, limit / 2 + i % 2,
                                     random_number() % limit};
        if (word_bytes == 4) {
            ((uint32_t *)words)[i] = (uint32_t)values[pattern];
        } else {
            ((uint64_t *)words)[i] = values[pattern];
        }
    }
    return words;
}

void *new_row(const rings *rings, pattern pattern) {
    return new_words(rings->word_bytes, rings->degree, rings->modulus, pattern);
}

// ---------------------------------------------------------------------------------------------------- moduli

static uint64_t power_modulo(uint64_t base, uint64_t exponent, uint64_t modulus) {
    uint64_t result = 1;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1) { result = rk_multiply_modulo(result, base, modulus); }
        base = rk_multiply_modulo(base, base, modulus);
    }
    return result;
}

// Miller and Rabin's test; these bases decide for all numbers of 64 bits.
static bool is_prime(uint64_t number) {
    static const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        if (number % bases[i] == 0) { return number == bases[i]; }
        uint64_t exponent = number - 1;
        while (exponent % 2 == 0) { exponent /= 2; }
        uint64_t power = power_modulo(bases[i], exponent, number);
        if (power == 1) { continue; }
        while (power != number - 1 && exponent < (number - 1) / 2) {
            power = rk_multiply_modulo(power, power, number);
            exponent *= 2;
        }
        if (power != number - 1) { return false; }
    }
    return number > 1;
}

size_t primes_below(uint64_t limit, uint64_t step, uint64_t *primes, size_t count) {
    size_t found = 0;
    for (uint64_t candidate = (limit - 2) / step * step + 1; found < count && candidate > step; candidate -= step) {
        if (is_prime(candidate)) { primes[found++] = candidate; }
    }
    return found;
}

void primes_from(uint64_t limit, uint64_t step, uint64_t *primes, size_t count) {
    for (uint64_t candidate = limit / step * step + 1 + step; count > 0; candidate += step) {
        if (is_prime(candidate)) {
            *primes++ = candidate;
            count--;
        }
    }
}

size_t edge_moduli(size_t word_bytes, size_t degree, uint64_t *moduli) {
    static const uint64_t narrow[] = {1 << 20, 1 << 27,           3 << 26, 1 << 28, (1 << 28) + (1 << 24),
                                      1 << 29, UINT64_C(1) << 30, 0};
    static const unsigned bits[] = {20, 28, 33, 40, 50, 51, 55, 60, 61, 62, 0};
    size_t count = 0;
    for (size_t i = 0; word_bytes == 4 ? narrow[i] != 0 : bits[i] != 0; i++) {
        uint64_t limit = word_bytes == 4 ? narrow[i] : UINT64_C(1) << bits[i];
        count += primes_below(limit, 2 * degree, moduli + count, 1);
    }
    // The first of the auxiliary primes.
    if (count < MOST_MODULI) {
        primes_from(word_bytes == 4 ? UINT64_C(1) << 28 : UINT64_C(1) << 60, 2 * degree, moduli + count++, 1);
    }
    return count;
}

rings create_rings(uint64_t modulus, size_t degree, size_t word_bytes) {
    uint64_t root = 0;
    for (uint64_t candidate = 2; root == 0; candidate++) {
        uint64_t power = power_modulo(candidate, (modulus - 1) / (2 * degree), modulus);
        if (power_modulo(power, degree, modulus) == modulus - 1) { root = power; }
    }
    rings created = {rk_ring_create(modulus, root, degree, word_bytes, RK_PORTABLE),
                     rk_ring_create(modulus, root, degree, word_bytes, rk_best_instruction_set()), modulus,
                     degree, word_bytes};
    if (created.portable == NULL || created.fast == NULL) {
        fprintf(stderr, "no ring of %zu words of %zu bytes with modulus %llu\n", degree, word_bytes,
                (unsigned long long)modulus);
        abort();
    }
    return created;
}

void destroy_rings(rings rings) {
    rk_ring_destroy(rings.portable);
    rk_ring_destroy(rings.fast);
}

// ----------------------------------------------------------------------------------------------- comparisons

void begin_group(const char *name) {
    group = name;
    random_state = digest = 1;
    compared = different = 0;
}

void end_group(void) {
    if (compared == 0 || different > 0) { has_failed = true; }
    printf("%-15s %6zu compared, %zu differ, digest %016llx\n", group, compared, different,
           (unsigned long long)digest);
}

bool is_all_equal(void) { return !has_failed; }

void compare(const char *name, size_t degree, uint64_t modulus, const void *portable, const void *fast,
             size_t byte_count) {
    for (size_t offset = 0; offset < byte_count; offset += 8) {
        uint64_t word = 0;
        memcpy(&word, (const char *)portable + offset, byte_count - offset < 8 ? byte_count - offset : 8);
        digest = (digest ^ word) * 0x9e3779b97f4a7c15;
        digest ^= digest >> 29;
    }
    compared++;
    if (memcmp(portable, fast, byte_count + GUARD_BYTES) == 0) { return; }
    if (different++ < TOLD_DIFFERENCES) {
        fprintf(stderr, "%s: %s differs, degree %zu, modulus %llu\n", group, name, degree,
                (unsigned long long)modulus);
    }
}
