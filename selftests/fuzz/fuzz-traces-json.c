// SPDX-License-Identifier: GPL-2.0-or-later
/* Traces as OpenTelemetry, Jaeger or Zipkin write them. */
#include "fuzz.h"

#include "traces.h"

static int read_traces(const char *file, struct tl_error *err)
{
	struct tl_traces traces = { 0 };
	int code = tl_traces_read(&traces, file, err);

	if (!code)
		tl_traces_merge(&traces, 10);
	tl_traces_free(&traces);
	return code;
}

FUZZ_READS(read_traces)
