// SPDX-License-Identifier: GPL-2.0-or-later
/* A figures table, or a recording as one. */
#include "fuzz.h"

#include "windows.h"

static int read_table(const char *file, struct tl_error *err)
{
	struct tl_windows windows = { 0 };
	int code = tl_windows_read(&windows, file, err);

	tl_windows_free(&windows);
	return code;
}

FUZZ_READS(read_table)
