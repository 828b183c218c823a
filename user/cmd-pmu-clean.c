// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens pmu clean: what more events than counters would have counted. */
#include "child.h"
#include "cmd.h"
#include "error.h"
#include "out.h"
#include "pmu-kb.h"
#include "pmu-out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct args {
	struct tl_pmu_what what;
	const char *kb, *output;
	bool json;
	double sd;
	int (*method)(const struct tl_pmu_in *in, struct tl_pmu_out *out);
};

static const struct {
	const char *name;
	int (*clean)(const struct tl_pmu_in *in, struct tl_pmu_out *out);
} methods[] = {
	{ "best", tl_pmu_clean },
	{ "printed", tl_pmu_printed },
	{ "gdp", tl_pmu_gdp },
	{ "scale", tl_pmu_nothing },
};

static int recall(const struct args *args, const struct tl_pmu_file *file,
		  struct tl_pmu_recall *known, struct tl_error *err)
{
	struct tl_pmu_kb *kb;
	int code = tl_pmu_kb_open(&kb, args->kb, false, err);

	*known = (struct tl_pmu_recall){ 0 };
	code = code ? code : tl_pmu_kb_recall(kb, &args->what, file, known, err);
	tl_pmu_kb_close(kb);
	return code;
}

static int parts_clean(const struct args *args, const struct tl_pmu_file *file,
		       const struct tl_pmu_recall *known, struct tl_pmu_out *out,
		       struct tl_error *err)
{
	size_t p;
	int code = 0;

	for (p = 0; !code && p < file->parts; p++) {
		struct tl_pmu_in in = { &file->part[p].record, known->run, known->runs, args->sd };

		tl_out_progress("processor %ld", file->part[p].cpu);
		code = args->method(&in, &out[p]);
	}
	tl_out_progress_end();
	if (code == -ENOMEM)
		return tl_error_no_memory(err);
	return code ? tl_error_set(err, code, "processor %ld: rates that no counter reaches: mend the "
				   "record", file->part[p - 1].cpu) : 0;
}

static int cleaned_write(const struct args *args, const struct tl_pmu_file *file,
			 const struct tl_pmu_out *out, struct tl_error *err)
{
	struct tl_bytes text = { 0 };
	FILE *to = open_memstream(&text.data, &text.len);
	int code = -ENOMEM;

	if (to) {
		tl_pmu_file_write(file, out, to);
		code = fclose(to) ? -ENOMEM : 0;
	}
	code = code ? tl_error_no_memory(err) : tl_out_file(args->output, &text, err);
	free(text.data);
	return code;
}

static int cleaned(const struct args *args, const struct tl_pmu_file *file,
		   const struct tl_pmu_recall *known, struct tl_error *err, int *status)
{
	struct tl_pmu_out *out = calloc(file->parts, sizeof(*out));
	bool table = !args->output || strcmp(args->output, "-");
	int code = out ? parts_clean(args, file, known, out, err) : tl_error_no_memory(err);
	size_t p;

	if (!code && args->output)
		code = cleaned_write(args, file, out, err);
	if (!code && table && args->json)
		*status = tl_out_json(tl_pmu_cleaned_json(file, out, args->what.app, known->runs));
	else if (!code && table)
		tl_pmu_cleaned_print(file, out, args->what.app, known->runs, stdout);
	for (p = 0; out && p < file->parts; p++)
		tl_pmu_out_free(&out[p]);
	free(out);
	return code;
}

static int clean(const struct args *args, const char *name)
{
	struct tl_pmu_recall known = { 0 };
	struct tl_pmu_file file;
	struct tl_error err;
	int status = TL_EXIT_OK, code = tl_pmu_file_read(&file, name, &err);

	if (!code && file.cleaned)
		code = tl_error_set(&err, -EINVAL, "%s: it was cleaned already: give what was recorded",
				    name);
	code = code ? code : recall(args, &file, &known, &err);
	code = code ? code : cleaned(args, &file, &known, &err, &status);
	tl_pmu_recall_free(&known);
	tl_pmu_file_free(&file);
	return code ? tl_out_failed(&err) : status;
}

static int method_read(const struct tl_cmd *cmd, struct args *args)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(methods); i++)
		if (!strcmp(optarg, methods[i].name)) {
			args->method = methods[i].clean;
			return TL_EXIT_OK;
		}
	return tl_args_usage(cmd, "unknown method \"%s\": best, printed, gdp or scale", optarg);
}

static int option_read(const struct tl_cmd *cmd, struct args *args, int option)
{
	switch (option) {
	case 'a':
		args->what.app = optarg;
		return TL_EXIT_OK;
	case 'e':
		args->what.environment = optarg;
		return TL_EXIT_OK;
	case 'k':
		args->kb = optarg;
		return TL_EXIT_OK;
	case 'o':
		args->output = optarg;
		return TL_EXIT_OK;
	case 'n':
		return tl_args_number("--sd", optarg, 0.5, &args->sd);
	case 'm':
		return method_read(cmd, args);
	default:
		args->json = true;
		return TL_EXIT_OK;
	}
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "app", required_argument, NULL, 'a' },
		{ "environment", required_argument, NULL, 'e' },
		{ "kb", required_argument, NULL, 'k' },
		{ "output", required_argument, NULL, 'o' },
		{ "sd", required_argument, NULL, 'n' },
		{ "method", required_argument, NULL, 'm' },
		TL_COMMON_OPTIONS
	};
	struct args args = { .what = { NULL, "" }, .sd = TL_PMU_SD, .method = tl_pmu_clean };
	int option;

	while ((option = tl_args_next(cmd, argc, argv, "a:o:m:", options)) >= 0)
		if (option_read(cmd, &args, option))
			return TL_EXIT_USAGE;
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	if (optind == argc)
		return tl_args_usage(cmd, "pmu clean needs a record");
	if (argc - optind > 1)
		return tl_args_usage(cmd, "unexpected argument \"%s\"", argv[optind + 1]);
	if (!args.what.app || !args.kb)
		return tl_args_usage(cmd, "pmu clean needs --app, the program's name, and --kb, the file of "
				     "the knowledge base");
	return clean(&args, argv[optind]);
}

const struct tl_cmd tl_cmd_pmu_clean = {
	.name = "pmu clean",
	.args = "FILE --app NAME --kb BASE [--environment E] [-o FILE] [--method M] [--sd N] [--json]",
	.summary = "Clean a record of more events than there are counters",
	.help = "  -a, --app NAME    the program that was recorded\n"
		"  --environment E   of what machine and what is below it, if there are several\n"
		"  --kb BASE         file of the knowledge base, made by tierlens pmu learn\n"
		"  -o, --output FILE write the record with what was done to each value and 95 %\n"
		"                    intervals; - for standard output\n"
		"  -m, --method M    best; printed, the paper's; gdp, means; scale, nothing else\n"
		"  --sd N            what is above mean + N deviations of an event that is not known is\n"
		"                    an outlier (5)\n"
		TL_COMMON_HELP
		"FILE is CSV as of tierlens pmu record: t,cpu,event,value,enabled,running in seconds.\n"
		"\nExample:\n"
		"  tierlens pmu clean today.csv --app shop --kb pmu.db -o clean.csv\n",
	.run = run,
};
