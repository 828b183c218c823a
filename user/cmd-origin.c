// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens origin: where code comes from. */
#include "cmd.h"

#include <string.h>

static const struct tl_cmd *const words[] = { &tl_cmd_origin_train, &tl_cmd_origin_classify, &tl_cmd_origin_explain };

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = { TL_COMMON_OPTIONS };
	size_t i;
	int option;

	for (i = 0; argc > 1 && i < ARRAY_SIZE(words); i++)
		if (!strcmp(argv[1], strchr(words[i]->name, ' ') + 1))
			return words[i]->run(words[i], argc - 1, argv + 1);
	option = tl_args_next(cmd, argc, argv, "", options);
	if (option != TL_ARGS_END && option != 'J')
		return tl_args_status(option);
	if (optind >= argc)
		return tl_args_usage(cmd, "origin needs train, classify or explain");
	return tl_args_usage(cmd, "origin has no \"%s\"", argv[optind]);
}

const struct tl_cmd tl_cmd_origin = {
	.name = "origin",
	.args = "classify [FILE.csv] ... | explain PATH ... | train FILE.csv -o MODEL",
	.summary = "Tell whose code it is: the user's own, the system's, or a third party's",
	.help = TL_COMMON_HELP
		"tierlens origin WORD --help tells more of each.\n"
		"\nExamples:\n"
		"  tierlens origin classify --pid 4711\n"
		"  tierlens origin explain /opt/shop/lib/libssl.so.3 --program /opt/shop/bin/shopd\n"
		"  tierlens origin train files.csv -o model.json\n",
	.run = run,
};
