// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's memory, for tests; benchmarks have large pages. */
#include "kernel.h"

#include <stdlib.h>

void *bench_alloc(size_t bytes)
{
	void *p = aligned_alloc(64, ALIGN(bytes, 64));

	return p ? memset(p, 0, bytes) : NULL;
}
