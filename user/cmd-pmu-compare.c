// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens pmu compare: how far a record is off others of the same work. */
#include "child.h"
#include "cmd.h"
#include "error.h"
#include "out.h"
#include "pmu-out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct args {
	const char *output;
	bool json;
};

static int drawn(const struct args *args, const struct tl_pmu_differ *differ, size_t n,
		 struct tl_error *err)
{
	struct tl_bytes svg;
	int code = tl_pmu_plot(differ, n, &svg, err);

	code = code ? code : tl_out_file(args->output, &svg, err);
	free(svg.data);
	return code;
}

/* A picture to standard output is all that is printed. */
static int compared(const struct args *args, const struct tl_pmu_file file[3],
		    struct tl_error *err, int *status)
{
	struct tl_pmu_differ *differ = calloc(file[0].events, sizeof(*differ));
	bool table = !args->output || strcmp(args->output, "-");
	size_t n = 0;
	int code = differ ? tl_pmu_compare(file, differ, &n, err) : tl_error_no_memory(err);

	if (!code && !n)
		code = tl_error_set(err, -ENODATA, "no event is in all three: record the same");
	if (!code && args->output)
		code = drawn(args, differ, n, err);
	if (!code && table && args->json)
		*status = tl_out_json(tl_pmu_differ_json(differ, n));
	else if (!code && table)
		tl_pmu_differ_print(differ, n, stdout);
	tl_pmu_differ_free(differ, n);
	return code;
}

static int compare(const struct args *args, char **name)
{
	struct tl_pmu_file file[3] = { 0 };
	struct tl_error err;
	int status = TL_EXIT_OK, code = 0;
	size_t i;

	for (i = 0; !code && i < ARRAY_SIZE(file); i++)
		code = tl_pmu_file_read(&file[i], name[i], &err);
	code = code ? code : compared(args, file, &err, &status);
	for (i = 0; i < ARRAY_SIZE(file); i++)
		tl_pmu_file_free(&file[i]);
	return code ? tl_out_failed(&err) : status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		TL_COMMON_OPTIONS
	};
	struct args args = { 0 };
	int option;

	while ((option = tl_args_next(cmd, argc, argv, "o:", options)) >= 0) {
		if (option == 'o')
			args.output = optarg;
		else
			args.json = true;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	if (argc - optind < 3)
		return tl_args_usage(cmd, "pmu compare needs three records: one, and two references");
	if (argc - optind > 3)
		return tl_args_usage(cmd, "unexpected argument \"%s\"", argv[optind + 3]);
	return compare(&args, argv + optind);
}

const struct tl_cmd tl_cmd_pmu_compare = {
	.name = "pmu compare",
	.args = "FILE REF REF2 [-o PICTURE.svg] [--json]",
	.summary = "How far a record is off others of the same work",
	.help = "  -o, --output FILE draw all three as SVG, a plot an event; - for standard output\n"
		TL_COMMON_HELP
		"The distance (dynamic time warping) of each event from the first reference, in units of\n"
		"that reference's from the second.\n"
		"\nExample:\n"
		"  tierlens pmu compare clean.csv run1.csv run2.csv -o compared.svg\n",
	.run = run,
};
