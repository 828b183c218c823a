// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens check-kernel: whether the module will work on a kernel, before it runs. */
#include "cmd.h"
#include "error.h"
#include "kernel-check.h"
#include "out.h"

#include <stdlib.h>

struct args {
	const char *path, *map, *config;
	bool json;
};

static int check(const struct args *args)
{
	struct tl_kernel_check *found = malloc(sizeof(*found));
	struct tl_error err;
	int status;

	if (!found) {
		tl_error_no_memory(&err);
		return tl_out_failed(&err);
	}
	if (tl_kernel_check(found, args->path, args->map, args->config, &err)) {
		status = tl_out_failed(&err);
	} else {
		status = args->json ? tl_out_json(tl_kernel_check_json(found)) : TL_EXIT_OK;
		if (!args->json)
			tl_kernel_check_print(found);
		if (!found->good)
			status = TL_EXIT_FAILED;
	}
	tl_kernel_tree_free(&found->tree);
	free(found);
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "map", required_argument, NULL, 'm' },
		{ "config", required_argument, NULL, 'c' },
		TL_COMMON_OPTIONS
	};
	struct args args = { 0 };
	int option;

	while ((option = tl_args_next(cmd, argc, argv, "m:c:", options)) >= 0) {
		if (option == 'm')
			args.map = optarg;
		else if (option == 'c')
			args.config = optarg;
		else
			args.json = true;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	if (optind >= argc)
		return tl_args_usage(cmd, "check-kernel needs a kernel's headers or its System.map");
	if (optind + 1 < argc)
		return tl_args_usage(cmd, "unexpected argument \"%s\"", argv[optind + 1]);
	args.path = argv[optind];
	return check(&args);
}

const struct tl_cmd tl_cmd_check_kernel = {
	.name = "check-kernel",
	.args = "PATH [--map FILE] [--config FILE] [--json]",
	.summary = "Whether the module will build for a kernel and find its hooks there, before it runs",
	.help = "  -m, --map FILE    its symbols: a System.map or a copy of its /proc/kallsyms\n"
		"  -c, --config FILE  its options: a .config or /boot/config-VERSION\n"
		TL_COMMON_HELP
		"PATH is a kernel's headers (/lib/modules/VERSION/build, /usr/src/linux-headers-VERSION, a\n"
		"directory into which its packages were unpacked), a System.map or /proc/kallsyms. Map and\n"
		"options are looked for where distributions put them. The exit status is 0 if the module will\n"
		"work there, 1 if not or if nobody can tell.\n"
		"\nExample:\n"
		"  tierlens check-kernel /lib/modules/6.1.0-56-amd64/build\n"
		"  tierlens check-kernel /proc/kallsyms --config /boot/config-$(uname -r)\n",
	.run = run,
};
