// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens pmu: hardware and software counters. */
#include "cmd.h"
#include "out.h"

#include <string.h>

static const struct {
	const char *name;
	const struct tl_cmd *cmd;
} words[] = {
	{ "list", &tl_cmd_pmu_list },
	{ "record", &tl_cmd_pmu_record },
};

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = { TL_COMMON_OPTIONS };
	size_t i;
	int option;

	for (i = 0; argc > 1 && i < ARRAY_SIZE(words); i++)
		if (!strcmp(argv[1], words[i].name))
			return words[i].cmd->run(words[i].cmd, argc - 1, argv + 1);
	option = tl_args_next(cmd, argc, argv, "", options);
	if (option != TL_ARGS_END && option != 'J')
		return tl_args_status(option);
	if (optind >= argc)
		return tl_args_usage(cmd, "pmu needs list or record");
	return tl_args_usage(cmd, "pmu has no \"%s\"", argv[optind]);
}

const struct tl_cmd tl_cmd_pmu = {
	.name = "pmu",
	.args = "list | record -e EVENT,... [-o FILE.csv]",
	.summary = "Hardware and software counters: what there is, and what it counts",
	.help = TL_COMMON_HELP
		"tierlens pmu list --help, tierlens pmu record --help tell more.\n"
		"\nExample:\n"
		"  tierlens pmu list\n"
		"  tierlens pmu record -e cycles,instructions -s 60 -o counts.csv\n",
	.run = run,
};
