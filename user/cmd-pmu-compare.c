// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens pmu compare: how far a record is off others of the same work. */
#include "cmd.h"
#include "error.h"
#include "out.h"
#include "pmu-out.h"

#include <errno.h>
#include <stdlib.h>

static int compared(bool json, const struct tl_pmu_file file[3],
		    struct tl_error *err, int *status)
{
	struct tl_pmu_differ *differ = calloc(file[0].events, sizeof(*differ));
	size_t n = 0;
	int code = differ ? tl_pmu_compare(file, differ, &n, err) : tl_error_no_memory(err);

	if (!code && !n)
		code = tl_error_set(err, -ENODATA, "no event is in all three: record the same");
	if (!code && json)
		*status = tl_out_json(tl_pmu_differ_json(differ, n));
	else if (!code)
		tl_pmu_differ_print(differ, n, stdout);
	free(differ);
	return code;
}

static int compare(bool json, char **name)
{
	struct tl_pmu_file file[3] = { 0 };
	struct tl_error err;
	int status = TL_EXIT_OK, code = 0;
	size_t i;

	for (i = 0; !code && i < ARRAY_SIZE(file); i++)
		code = tl_pmu_file_read(&file[i], name[i], &err);
	code = code ? code : compared(json, file, &err, &status);
	for (i = 0; i < ARRAY_SIZE(file); i++)
		tl_pmu_file_free(&file[i]);
	return code ? tl_out_failed(&err) : status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = { TL_COMMON_OPTIONS };
	bool json = false;
	int option;

	while ((option = tl_args_next(cmd, argc, argv, "", options)) >= 0)
		json = true;
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	if (argc - optind < 3)
		return tl_args_usage(cmd, "pmu compare needs three records: one, and two references");
	if (argc - optind > 3)
		return tl_args_usage(cmd, "unexpected argument \"%s\"", argv[optind + 3]);
	return compare(json, argv + optind);
}

const struct tl_cmd tl_cmd_pmu_compare = {
	.name = "pmu compare",
	.args = "FILE REF REF2 [--json]",
	.summary = "How far a record is off others of the same work",
	.help = TL_COMMON_HELP
		"The distance (dynamic time warping) of each event from the first reference, in units of\n"
		"that reference's from the second.\n"
		"\nExample:\n"
		"  tierlens pmu compare clean.csv run1.csv run2.csv\n",
	.run = run,
};
