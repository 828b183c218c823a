// SPDX-License-Identifier: GPL-2.0-or-later
/* A layered queueing network as XML. */
#include "lqn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_lqn(data, size, true);
}
