// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens origin classify, explain: where files, a process's objects or classes come from, and why. */
#include "cmd.h"
#include "error.h"
#include "origin-out.h"
#include "origin-rows.h"
#include "out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>


struct args {
	const char *file, *model, *output, *root, *program, *classpath, *kind, *mtime, *package;
	u64 pid;
	bool has_pid, functions, json;
	struct tl_origin origin;
};

/* ---- what is asked about ----------------------------------------------------------------- */

static void program_set(const struct args *args, struct tl_origin_rows *rows)
{
	size_t i;

	for (i = 0; args->program && i < rows->n; i++)
		if (!rows->row[i].item.program)
			rows->row[i].item.program = args->program;
}

/* @process_root: set if a process has one of its own */
static int rows_get(const struct args *args, struct tl_origin_rows *rows, char **process_root, struct tl_error *err)
{
	int code = 0;

	if (args->file)
		code = tl_origin_rows_read(rows, args->file, false, err);
	if (!code && args->has_pid)
		code = tl_origin_rows_pid(rows, (u32)args->pid, process_root, err);
	if (!code && args->classpath)
		code = tl_origin_rows_classes(rows, *process_root ? *process_root : args->root, args->classpath, args->program, err);
	if (!code && args->program && !args->file && !args->has_pid && !args->classpath)
		code = tl_origin_rows_program(rows, args->root, args->program, err);
	if (!code)
		program_set(args, rows);
	return code;
}

static int judge_all(const struct tl_origin *origin, const struct tl_origin_rows *rows, struct tl_origin_verdict **verdict,
		     struct tl_error *err)
{
	size_t i;

	*verdict = calloc(rows->n + 1, sizeof(**verdict));
	if (!*verdict)
		return tl_error_no_memory(err);
	for (i = 0; i < rows->n; i++) {
		int code = tl_origin_judge(origin, &rows->row[i].item, &(*verdict)[i]);

		if (code)
			return tl_error_set(err, code, "%.300s: cannot be judged (%s): mend the path", rows->row[i].path,
					    strerror(-code));
		if ((*verdict)[i].refused)
			tl_out_error("%s: %s", rows->row[i].path, (*verdict)[i].refused);
		if (!(i % 1000))
			tl_out_progress("%zu of %zu files", i, rows->n);
	}
	tl_out_progress_end();
	return 0;
}

/* ---- what is said ------------------------------------------------------------------------ */

static int rows_write(const struct args *args, const struct tl_origins *found, struct tl_error *err)
{
	char *part;
	FILE *to;

	if (!args->output) {
		tl_origins_write(found, stdout);
		return 0;
	}
	to = tl_out_begin(args->output, &part, err);
	if (!to)
		return -EIO;
	tl_origins_write(found, to);
	return tl_out_end(to, args->output, part, 0, err);
}

static int tell(const struct args *args, const struct tl_origins *found, struct tl_error *err, int *status)
{
	int code = 0;

	if (args->functions)
		return tl_origins_functions(found, args->json, err);
	if (!args->json || args->output)
		code = rows_write(args, found, err);
	if (!code && args->json)
		*status = tl_out_json(tl_origins_json(found));
	return code;
}

static int classify(struct args *args)
{
	struct tl_origin_rows rows = { 0 };
	struct tl_origin_verdict *verdict = NULL;
	struct tl_error err;
	char *process_root = NULL;
	int status = TL_EXIT_OK, code = rows_get(args, &rows, &process_root, &err);

	code = code ? code : tl_origin_open(&args->origin, args->model, process_root ? process_root : args->root, &err);
	if (*args->origin.note)
		tl_out_error("%s", args->origin.note);
	code = code ? code : judge_all(&args->origin, &rows, &verdict, &err);
	if (!code) {
		struct tl_origins found = { &args->origin, &rows, verdict };

		code = tell(args, &found, &err, &status);
	}
	free(verdict);
	free(process_root);
	tl_origin_rows_free(&rows);
	return code ? tl_out_failed(&err) : status;
}

static int kind_of(const char *text, enum tl_origin_kind *kind)
{
	int k;

	for (k = 0; text && k < TL_ORIGIN_KINDS && strcmp(text, tl_origin_kinds[k]);)
		k++;
	*kind = text ? (enum tl_origin_kind)k : TL_ORIGIN_KINDS;
	return text && k == TL_ORIGIN_KINDS;
}

static int explain_row(struct args *args, struct tl_origin_row *row, struct tl_error *err, int *status)
{
	struct tl_origin_verdict verdict;
	int code = tl_origin_open(&args->origin, args->model, args->root, err);

	if (code)
		return code;
	if (*args->origin.note)
		tl_out_error("%s", args->origin.note);
	code = tl_origin_judge(&args->origin, &row->item, &verdict);
	if (code)
		return tl_error_set(err, code, "%.300s: cannot be judged (%s): give another path", row->path, strerror(-code));
	if (verdict.refused)
		tl_out_error("%s: %s", row->path, verdict.refused);
	if (args->json)
		*status = tl_out_json(tl_origin_explain_json(&args->origin, row, &verdict));
	else
		tl_origin_explain_print(&args->origin, row, &verdict, stdout);
	return 0;
}

static int explain(struct args *args)
{
	struct tl_origin_item item = { .path = args->file, .program = args->program,
				       .package = args->package && !strcmp(args->package, "-") ? "" : args->package,
				       .mtime = TL_ORIGIN_NO_TIME, .program_mtime = TL_ORIGIN_NO_TIME, .size = -1 };
	struct tl_origin_rows rows = { 0 };
	struct tl_error err;
	int status = TL_EXIT_OK, code;

	kind_of(args->kind, &item.kind);
	code = tl_origin_rows_add(&rows, &item, &err);
	code = code ? code : explain_row(args, &rows.row[0], &err, &status);
	tl_origin_rows_free(&rows);
	return code ? tl_out_failed(&err) : status;
}

/* ---- arguments --------------------------------------------------------------------------- */

static const struct option options[] = {
	{ "model", required_argument, NULL, 'm' },
	{ "output", required_argument, NULL, 'o' },
	{ "root", required_argument, NULL, 'r' },
	{ "program", required_argument, NULL, 'p' },
	{ "classpath", required_argument, NULL, 'c' },
	{ "pid", required_argument, NULL, 'i' },
	{ "user", required_argument, NULL, 'U' },
	{ "system", required_argument, NULL, 'S' },
	{ "third-party", required_argument, NULL, 'T' },
	{ "sure", required_argument, NULL, 's' },
	{ "functions", no_argument, NULL, 'f' },
	TL_COMMON_OPTIONS
};

static const struct option explain_options[] = {
	{ "model", required_argument, NULL, 'm' },
	{ "root", required_argument, NULL, 'r' },
	{ "program", required_argument, NULL, 'p' },
	{ "kind", required_argument, NULL, 'k' },
	{ "package", required_argument, NULL, 'P' },
	{ "user", required_argument, NULL, 'U' },
	{ "system", required_argument, NULL, 'S' },
	{ "third-party", required_argument, NULL, 'T' },
	{ "sure", required_argument, NULL, 's' },
	TL_COMMON_OPTIONS
};

static int pattern_take(struct args *args, enum tl_origin_label label)
{
	struct tl_error err;

	if (!tl_origin_pattern(&args->origin, label, optarg))
		return TL_EXIT_OK;
	tl_error_no_memory(&err);
	return tl_out_failed(&err);
}

static int text_take(struct args *args, int option)
{
	const char **text = option == 'm' ? &args->model : option == 'o' ? &args->output : option == 'r' ? &args->root :
			    option == 'p' ? &args->program : option == 'k' ? &args->kind : option == 'P' ? &args->package :
			    &args->classpath;

	*text = optarg;
	return TL_EXIT_OK;
}

static int take(const struct tl_cmd *cmd, struct args *args, int option)
{
	switch (option) {
	case 'U':
		return pattern_take(args, TL_ORIGIN_USER);
	case 'S':
		return pattern_take(args, TL_ORIGIN_SYSTEM);
	case 'T':
		return pattern_take(args, TL_ORIGIN_THIRD_PARTY);
	case 's':
		return tl_args_part(cmd, "--sure", optarg, &args->origin.sure);
	case 'i':
		args->has_pid = true;
		return tl_args_u64("--pid", optarg, 1, 4194304, &args->pid);
	case 'f':
		args->functions = true;
		break;
	case 'J':
		args->json = true;
		break;
	default:
		return text_take(args, option);
	}
	return TL_EXIT_OK;
}

static int check(const struct tl_cmd *cmd, const struct args *args)
{
	enum tl_origin_kind kind;

	if (args->has_pid && *args->root)
		return tl_args_usage(cmd, "--pid has a root of its own, leave --root out");
	if (kind_of(args->kind, &kind))
		return tl_args_usage(cmd, "unknown kind \"%s\", there are elf, script, jar and class", args->kind);
	if (args->functions && args->output)
		return tl_args_usage(cmd, "--functions are printed, leave -o out");
	return TL_EXIT_OK;
}

static int args_read(const struct tl_cmd *cmd, struct args *args, int argc, char **argv, const struct option *known)
{
	int option, status;

	while ((option = tl_args_next(cmd, argc, argv, "o:m:p:", known)) >= 0) {
		status = take(cmd, args, option);
		if (status)
			return status;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	if (argc - optind > 1)
		return tl_args_usage(cmd, "unexpected argument \"%s\"", argv[optind + 1]);
	args->file = argv[optind];
	status = check(cmd, args);
	return status ? status : TL_GO_ON;
}

static int run_classify(const struct tl_cmd *cmd, int argc, char **argv)
{
	struct args args = { .root = "", .origin.sure = TL_ORIGIN_SURE };
	int status = args_read(cmd, &args, argc, argv, options);

	if (status == TL_GO_ON && !args.file && !args.has_pid && !args.program && !args.classpath)
		status = tl_args_usage(cmd, "origin classify needs files: a file with path, --pid, --program or --classpath");
	if (status == TL_GO_ON)
		status = classify(&args);
	tl_origin_close(&args.origin);
	return status;
}

static int run_explain(const struct tl_cmd *cmd, int argc, char **argv)
{
	struct args args = { .root = "", .origin.sure = TL_ORIGIN_SURE };
	int status = args_read(cmd, &args, argc, argv, explain_options);

	if (status == TL_GO_ON && (!args.file || !*args.file))
		status = tl_args_usage(cmd, "origin explain needs the path of a file or class");
	if (status == TL_GO_ON && strlen(args.file) > 4000)
		status = tl_args_usage(cmd, "the path has more than 4000 bytes");
	if (status == TL_GO_ON)
		status = explain(&args);
	tl_origin_close(&args.origin);
	return status;
}

#define PATTERN_HELP \
	"      --user PATTERN        what fits is the user's; the last pattern that fits is right\n" \
	"      --system PATTERN      the system's\n" \
	"      --third-party PATTERN a third party's\n" \
	"      --sure P              what is less likely is unsure (0.5)\n" \
	"      --root DIR            folder where files are looked at\n"

const struct tl_cmd tl_cmd_origin_classify = {
	.name = "origin classify",
	.args = "[FILE.csv] [--model MODEL] [--program PATH] [--pid PID] [--classpath JARS] [--functions] [-o FILE] [--json]",
	.summary = "Tell whose code it is: of files, a process, a program or a class path",
	.help = "  -m, --model MODEL         by tierlens origin train (the one that comes with tierlens)\n"
		"  -p, --program PATH        program that has the files, or its main class; alone: it and its libraries\n"
		"      --pid PID             what a process has mapped, as it sees its files\n"
		"      --classpath JARS      classes of jars and folders, separated by colons\n"
		PATTERN_HELP
		"      --functions           functions of the user's objects, for probes\n"
		"  -o, --output FILE         rows to there\n"
		TL_COMMON_HELP
		"\nFILE has a row a file: path, and as far as they are known kind, mtime, size, program,\n"
		"program_mtime, package, archive. Rows come out as path,label,posterior.\n"
		"\nExample:\n"
		"  tierlens origin classify --pid 4711 --user '/opt/shop/*'\n",
	.run = run_classify,
};

const struct tl_cmd tl_cmd_origin_explain = {
	.name = "origin explain",
	.args = "PATH [--model MODEL] [--program PATH] [--kind KIND] [--package NAME] [--json]",
	.summary = "Tell why code is taken for the user's, the system's or a third party's",
	.help = "  -m, --model MODEL         by tierlens origin train (the one that comes with tierlens)\n"
		"  -p, --program PATH        program that has the file, or its main class\n"
		"      --kind KIND           elf, script, jar or class (as the file or its name tells)\n"
		"      --package NAME        that the file is of, - for none (as the package database tells)\n"
		PATTERN_HELP
		TL_COMMON_HELP
		"\nExample:\n"
		"  tierlens origin explain /opt/shop/lib/libssl.so.3 --program /opt/shop/bin/shopd\n",
	.run = run_explain,
};
