// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include "memory_hints.h"

#include <stdint.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

void mh_advise_huge_pages(void *start, size_t byte_count) {
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)2 << 20;
    uintptr_t first = ((uintptr_t)start + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)start + byte_count) / page * page;
    if (first < end) {
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
    }
#else
    (void)start;
    (void)byte_count;
#endif
}
