// SPDX-License-Identifier: GPL-2.0-or-later
/* A trace of sync points, and the tasks in it. */
#include "fuzz.h"

#include "model/tasks.h"
#include "tasks-trace.h"

static int read_trace(const char *file, struct tl_error *err)
{
	struct tl_tasks_trace trace;
	struct tl_tasks tasks = { 0 };
	int code = tl_tasks_trace_read(&trace, file, err);

	if (!code && trace.trace.n < 2000 && !tl_tasks_infer(&trace.trace, &tasks))
		tl_tasks_free(&tasks);
	tl_tasks_trace_free(&trace);
	return code;
}

FUZZ_READS(read_trace)
