/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers at random, the same ones in each run: any(). */
#ifndef TL_ANY_H
#define TL_ANY_H

#include <stdint.h>

static uint64_t any_seed = 88172645463325252ULL;

/* Return: from @from to @to (xorshift, Marsaglia 2003). */
static inline uint64_t any(uint64_t from, uint64_t to)
{
	any_seed ^= any_seed << 13;
	any_seed ^= any_seed >> 7;
	any_seed ^= any_seed << 17;
	return from + any_seed % (to - from + 1);
}

#endif
