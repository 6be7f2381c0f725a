// SPDX-License-Identifier: GPL-3.0-or-later
//
// Advice to the processor about memory that is about to be read: an instruction that Swift has no name for.
// Advice changes no result, only time.

#ifndef MEMORY_HINTS_H
#define MEMORY_HINTS_H

// Starts to fetch the cache line of an address that will be read soon, and does not wait. Any address is allowed.
static inline void mh_prefetch(const void *address) {
    __builtin_prefetch(address, 0, 3);
}

#endif
