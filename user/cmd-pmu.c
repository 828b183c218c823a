// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens pmu: hardware counters, of which there are less than events. */
#include "cmd.h"
#include "out.h"

#include <string.h>

static const struct {
	const char *name;
	const struct tl_cmd *cmd;
} words[] = {
	{ "list", &tl_cmd_pmu_list },
	{ "record", &tl_cmd_pmu_record },
	{ "learn", &tl_cmd_pmu_learn },
	{ "clean", &tl_cmd_pmu_clean },
	{ "compare", &tl_cmd_pmu_compare },
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
		return tl_args_usage(cmd, "pmu needs list, record, learn, clean or compare");
	return tl_args_usage(cmd, "pmu has no \"%s\"", argv[optind]);
}

const struct tl_cmd tl_cmd_pmu = {
	.name = "pmu",
	.args = "list | record -e EVENT,... | learn FILE... | clean FILE | compare FILE REF REF2",
	.summary = "Counts of events, also of more than there are counters, and cleaned",
	.help = TL_COMMON_HELP
		"tierlens pmu WORD --help tells more of each.\n"
		"\nExample:\n"
		"  tierlens pmu list\n"
		"  tierlens pmu record -e cycles,instructions -s 60 -o counts.csv\n"
		"  tierlens pmu clean counts.csv --app shop --kb pmu.db -o clean.csv\n",
	.run = run,
};
