// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens tasks: what happens inside a process. */
#include "cmd.h"

#include <string.h>

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = { TL_COMMON_OPTIONS };
	int option;

	if (argc > 1 && !strcmp(argv[1], "record"))
		return tl_cmd_tasks_record.run(&tl_cmd_tasks_record, argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "infer"))
		return tl_cmd_tasks_infer.run(&tl_cmd_tasks_infer, argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "draw"))
		return tl_cmd_tasks_draw.run(&tl_cmd_tasks_draw, argc - 1, argv + 1);
	option = tl_args_next(cmd, argc, argv, "", options);
	if (option != TL_ARGS_END && option != 'J')
		return tl_args_status(option);
	if (optind >= argc)
		return tl_args_usage(cmd, "tasks needs record, infer or draw");
	return tl_args_usage(cmd, "tasks has no \"%s\"", argv[optind]);
}

const struct tl_cmd tl_cmd_tasks = {
	.name = "tasks",
	.args = "record -o FILE.csv ... | infer FILE.csv | draw FILE.csv",
	.summary = "What happens inside a process, from its threads' sync points",
	.help = TL_COMMON_HELP
		"tierlens tasks WORD --help tells more of each.\n"
		"\nExamples:\n"
		"  tierlens tasks record --comm mariadbd --seconds 10 -o sync.csv\n"
		"  tierlens tasks infer sync.csv\n"
		"  tierlens tasks draw sync.csv -o sync.html\n",
	.run = run,
};
