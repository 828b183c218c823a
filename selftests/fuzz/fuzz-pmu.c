// SPDX-License-Identifier: GPL-2.0-or-later
/* A record of counters. */
#include "fuzz.h"

#include "pmu-csv.h"

static int read_record(const char *file, struct tl_error *err)
{
	struct tl_pmu_file record = { 0 };
	int code = tl_pmu_file_read(&record, file, err);

	tl_pmu_file_free(&record);
	return code;
}

FUZZ_READS(read_record)
