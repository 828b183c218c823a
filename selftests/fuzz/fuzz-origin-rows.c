// SPDX-License-Identifier: GPL-2.0-or-later
/* Files and their labels. */
#include "fuzz.h"

#include "origin-rows.h"

static int read_rows(const char *file, struct tl_error *err)
{
	struct tl_origin_rows rows = { 0 };
	int code = tl_origin_rows_read(&rows, file, true, err);

	tl_origin_rows_free(&rows);
	return code;
}

FUZZ_READS(read_rows)
