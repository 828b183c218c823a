// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens pmu learn: what a program does where its counters were always on. */
#include "cmd.h"
#include "error.h"
#include "out.h"
#include "pmu-kb.h"

struct args {
	struct tl_pmu_what what;
	const char *kb;
	bool json, beside;
};

/* A program whose counters were not always on was not seen as it is. */
static void multiplexed_warn(const struct tl_pmu_file *file, const char *name)
{
	double enabled = 0, running = 0;
	size_t p, i;

	for (p = 0; p < file->parts; p++)
		for (i = 0; i < file->part[p].record.intervals * file->events; i++) {
			enabled += file->part[p].record.enabled_s[i];
			running += file->part[p].record.running_s[i];
		}
	if (running < 0.99 * enabled)
		tl_out_error("%s: counted %.0f %% of the time, the rest is not known: record less events "
			     "at a time to learn from", name, 100 * running / enabled);
}

static int learn_one(const struct args *args, const char *name, bool beside,
		     struct tl_pmu_learned *learned, struct tl_error *err)
{
	struct tl_pmu_kb *kb = NULL;
	struct tl_pmu_file file;
	int code = tl_pmu_file_read(&file, name, err);

	if (!code)
		multiplexed_warn(&file, name);
	code = code ? code : tl_pmu_kb_open(&kb, args->kb, true, err);
	code = code ? code : tl_pmu_kb_learn(kb, &args->what, &file, beside, learned, err);
	tl_pmu_kb_close(kb);
	tl_pmu_file_free(&file);
	return code;
}

static int learned_print(const struct args *args, size_t files, const struct tl_pmu_learned *sum)
{
	if (args->json)
		return tl_out_json(json_pack("{s:o, s:o, s:I, s:I, s:I}", "app",
					     tl_out_name(args->what.app), "environment",
					     tl_out_name(args->what.environment), "files", (json_int_t)files, "added",
					     (json_int_t)sum->added, "replaced",
					     (json_int_t)sum->replaced));
	printf("%s: %zu series learned, %zu replaced\n", args->kb, sum->added, sum->replaced);
	return TL_EXIT_OK;
}

/* The files of one call are all kept: they are meant to be learned together. */
static int learn(const struct args *args, char **file)
{
	struct tl_pmu_learned sum = { 0 }, one;
	struct tl_error err;
	size_t n;

	for (n = 0; file[n]; n++) {
		if (learn_one(args, file[n], args->beside || n, &one, &err))
			return tl_out_failed(&err);
		sum.added += one.added;
		sum.replaced += one.replaced;
	}
	return learned_print(args, n, &sum);
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "app", required_argument, NULL, 'a' },
		{ "environment", required_argument, NULL, 'e' },
		{ "kb", required_argument, NULL, 'k' },
		{ "beside", no_argument, NULL, 'b' },
		TL_COMMON_OPTIONS
	};
	struct args args = { .what = { NULL, "" } };
	int option;

	while ((option = tl_args_next(cmd, argc, argv, "a:", options)) >= 0) {
		if (option == 'a')
			args.what.app = optarg;
		else if (option == 'e')
			args.what.environment = optarg;
		else if (option == 'k')
			args.kb = optarg;
		else if (option == 'b')
			args.beside = true;
		else
			args.json = true;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	if (optind == argc)
		return tl_args_usage(cmd, "pmu learn needs a record");
	if (!args.what.app || !args.kb)
		return tl_args_usage(cmd, "pmu learn needs --app, the program's name, and --kb, the file of "
				     "the knowledge base");
	return learn(&args, argv + optind);
}

const struct tl_cmd tl_cmd_pmu_learn = {
	.name = "pmu learn",
	.args = "FILE... --app NAME --kb BASE [--environment E] [--beside] [--json]",
	.summary = "Learn from records of few events what a program does",
	.help = "  -a, --app NAME    the program that was recorded\n"
		"  --environment E   of what machine and what is below it, if there are several\n"
		"  --kb BASE         file of the knowledge base; it is made if there is none\n"
		"  --beside          keep what is known of the same events, too; else it is replaced\n"
		TL_COMMON_HELP
		"FILE is CSV as of tierlens pmu record. Learn from records of few events at a time, of\n"
		"which nothing was missed; two runs or more are best, and those of one call are all kept.\n"
		"\nExample:\n"
		"  tierlens pmu learn run1.csv run2.csv --app shop --kb pmu.db\n",
	.run = run,
};
