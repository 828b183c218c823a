// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens tasks infer: leaf tasks, hand-offs and jobs of a process, from its sync points. */
#include "cmd.h"
#include "error.h"
#include "out.h"
#include "tasks-out.h"
#include "tasks-trace.h"

#include <errno.h>
#include <stdlib.h>

/* Pieces of graphs that are looked at, if nothing is asked for: half a minute of a slow machine. */
#define EFFORT 50000000

static int show(const struct tl_tasks_found *found, bool json)
{
	struct tl_error err;

	if (!json) {
		tl_tasks_print(found, stdout);
		return TL_EXIT_OK;
	}
	if (!tl_tasks_json(found, stdout))
		return TL_EXIT_OK;
	tl_error_no_memory(&err);
	return tl_out_failed(&err);
}

/* What is asked for, or else each hundredth job, and three at least. */
static uint64_t support_of(const struct tl_tasks *tasks, uint64_t asked)
{
	uint64_t part = tasks->jobs / 100;

	return asked ? asked : part > 3 ? part : 3;
}

/* What is found beside the tasks themselves. Return: 0 or -ENOMEM. */
static int look(const struct tl_tasks *tasks, const struct tl_task_mining *mining,
		struct tl_task_mined *mined, struct tl_task_waits *waits, struct tl_task_path *path)
{
	int code = tl_tasks_mine(tasks, mining, mined);

	code = code ? code : tl_tasks_waits(tasks, waits);
	return code ? code : tl_tasks_paths(tasks, waits, path);
}

static int found_show(const struct tl_tasks_trace *trace, const struct tl_tasks *tasks,
		      struct tl_task_mining *mining, bool json)
{
	struct tl_task_figures *figures = calloc(tasks->classes + 1, sizeof(*figures));
	struct tl_task_path *path = calloc(tasks->types + 1, sizeof(*path));
	struct tl_task_mined mined = { 0 };
	struct tl_task_waits waits = { 0 };
	struct tl_tasks_found found = { trace, tasks, figures, mining, &mined, &waits, path };
	struct tl_error err;
	int status;

	mining->support = support_of(tasks, mining->support);
	if (!figures || !path || look(tasks, mining, &mined, &waits, path)) {
		tl_error_no_memory(&err);
		status = tl_out_failed(&err);
	} else {
		tl_tasks_figures(tasks, figures);
		status = show(&found, json);
	}
	tl_tasks_mined_free(&mined);
	tl_tasks_waits_free(&waits);
	free(figures);
	free(path);
	return status;
}

static int infer(const char *file, struct tl_task_mining *mining, bool json)
{
	struct tl_tasks_trace trace = { 0 };
	struct tl_tasks tasks = { 0 };
	struct tl_error err;
	int status, code = tl_tasks_trace_read(&trace, file, &err);

	if (!code && tl_tasks_infer(&trace.trace, &tasks))
		code = tl_error_no_memory(&err);
	status = code ? tl_out_failed(&err) : found_show(&trace, &tasks, mining, json);
	tl_tasks_free(&tasks);
	tl_tasks_trace_free(&trace);
	return status;
}

static int option_read(int option, struct tl_task_mining *mining, bool *json)
{
	u64 size = mining->size;
	int status = TL_EXIT_OK;

	if (option == 'J') {
		*json = true;
	} else if (option == 's') {
		status = tl_args_u64("--support", optarg, 1, UINT32_MAX, &mining->support);
	} else if (option == 'e') {
		status = tl_args_u64("--effort", optarg, 1, UINT32_MAX, &mining->effort);
	} else {
		status = tl_args_u64("--size", optarg, 2, TL_TASK_SIZE_MAX, &size);
		mining->size = size;
	}
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "support", required_argument, NULL, 's' },
		{ "size", required_argument, NULL, 'k' },
		{ "effort", required_argument, NULL, 'e' },
		TL_COMMON_OPTIONS
	};
	struct tl_task_mining mining = { .size = 4, .effort = EFFORT };
	int option, status = TL_EXIT_OK;
	bool json = false;

	while (!status && (option = tl_args_next(cmd, argc, argv, "s:k:e:", options)) >= 0)
		status = option_read(option, &mining, &json);
	if (status)
		return status;
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	if (argc - optind != 1)
		return tl_args_usage(cmd, "tasks infer needs one file of sync points");
	return infer(argv[optind], &mining, json);
}

const struct tl_cmd tl_cmd_tasks_infer = {
	.name = "tasks infer",
	.args = "FILE.csv [--support N] [--size N] [--effort N] [--json]",
	.summary = "Tasks of all levels, hand-offs between threads and jobs, from sync points",
	.help = "  -s, --support N   a higher task is what occurs so often at least (each hundredth job,\n"
		"                    and three)\n"
		"  -k, --size N      and has so many members at most (4)\n"
		"  -e, --effort N    pieces of the jobs' graphs that are looked at for them (50000000)\n"
		TL_COMMON_HELP
		"FILE.csv has the columns seq, time_us, thread, op (lock, unlock, signal, wait, enq,\n"
		"deq, send, recv, start, exit), object and stack (functions from outermost to\n"
		"innermost, separated by \";\"); cpu_us, wait_us, bytes, position, end,\n"
		"read_bytes and written_bytes may stand beside them.\n"
		"\nExample:\n"
		"  tierlens tasks infer sync.csv\n",
	.run = run,
};
