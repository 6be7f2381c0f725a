// SPDX-License-Identifier: GPL-3.0-or-later
//
// Advice to processor and system about memory that is about to be read. Advice changes no result, only time.

#ifndef MEMORY_HINTS_H
#define MEMORY_HINTS_H

#include <stddef.h>

// Starts to fetch the cache line of an address that will be read soon, and does not wait. Any address is allowed.
static inline void mh_prefetch(const void *address) {
    __builtin_prefetch(address, 0, 3);
}

// Asks for huge pages, as far as they fit into the memory. Best before the memory is first written.
void mh_advise_huge_pages(void *start, size_t byte_count);

#endif
