// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording, and what each command does first with its intervals: add them up and make rows of them. */
#include "fuzz.h"

#include "figures.h"
#include "recording.h"
#include "table.h"

static int add(const struct tl_interval *interval, void *arg)
{
	struct tl_interval *sum = arg;
	struct tl_figures figures;

	if (!tl_figures_make(&figures, interval))
		tl_figures_free(&figures);
	return tl_interval_add(sum, interval);
}

static int read_all(const char *file, struct tl_error *err)
{
	struct tl_interval *sum = tl_interval_new();
	char warning[400];
	int code = tl_recording_each(file, add, sum, warning, sizeof(warning), err);

	json_decref(tl_interval_json(sum));
	tl_interval_free(sum);
	/* What is added up may be refused by the sum alone, which has no file to name. */
	if (code && !*err->text)
		tl_error_set(err, code, "cannot be added up");
	return code;
}

FUZZ_READS(read_all)
