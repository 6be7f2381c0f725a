// SPDX-License-Identifier: GPL-3.0-or-later
#define WORD uint32_t
#define WIDE uint64_t
#define WORD_BITS 32
#define NAME(name) name##_32

#include "portable.h"
