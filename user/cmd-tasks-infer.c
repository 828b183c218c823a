// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens tasks infer: leaf tasks, hand-offs and jobs of a process, from its sync points. */
#include "cmd.h"
#include "error.h"
#include "out.h"
#include "tasks-found.h"

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

static int infer(const char *file, const struct tl_task_mining *mining, bool json)
{
	struct tl_tasks_model model;
	struct tl_error err;
	int status;

	if (tl_tasks_model_make(&model, file, mining, &err))
		status = tl_out_failed(&err);
	else
		status = show(&model.found, json);
	tl_tasks_model_free(&model);
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		TL_TASKS_OPTIONS, TL_COMMON_OPTIONS
	};
	struct tl_task_mining mining = TL_TASKS_MINING;
	int option, status = TL_EXIT_OK;
	bool json = false;

	while (!status && (option = tl_args_next(cmd, argc, argv, TL_TASKS_LETTERS, options)) >= 0) {
		json |= option == 'J';
		status = option == 'J' ? TL_EXIT_OK : tl_tasks_option(option, &mining);
	}
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
	.help = TL_TASKS_HELP
		TL_COMMON_HELP
		"FILE.csv has the columns seq, time_us, thread, op (lock, unlock, signal, wait, enq,\n"
		"deq, send, recv, start, exit), object and stack (functions from outermost to\n"
		"innermost, separated by \";\"); cpu_us, wait_us, bytes, position and end may stand\n"
		"beside them.\n"
		"\nExample:\n"
		"  tierlens tasks infer sync.csv\n",
	.run = run,
};
