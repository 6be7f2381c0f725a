// SPDX-License-Identifier: GPL-3.0-or-later
#define WORD uint64_t
#define WIDE rk_uint128
#define WORD_BITS 64
#define NAME(name) name##_64

#include "portable.h"
