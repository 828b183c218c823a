// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens origin train: learn where code comes from, from files of which that is known. */
#include "cmd.h"
#include "error.h"
#include "origin-learn.h"
#include "origin-out.h"
#include "out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SMOOTH 1
#define GROUPS 2

struct args {
	const char *file, *output, *root;
	double smooth;
	u64 groups;
	bool plain, json;
};

/* One label for all files can only be answered with itself. */
static int labels_check(const struct args *args, const struct tl_origin_rows *rows, struct tl_error *err)
{
	size_t i;

	for (i = 1; i < rows->n; i++)
		if (rows->row[i].label != rows->row[0].label)
			return 0;
	return tl_error_set(err, -EINVAL, "%s: all rows are \"%s\", nothing can be told from that: add files of another label",
			    args->file, tl_origin_labels[rows->row[0].label]);
}

static int command_set(const struct args *args, struct tl_origin_model *model)
{
	const char *name = strrchr(args->file, '/');
	int len = asprintf(&model->command, "tierlens origin train %s --smooth %g --groups %llu%s", name ? name + 1 : args->file,
			   args->smooth, (unsigned long long)args->groups, args->plain ? " --plain" : "");

	if (len >= 0)
		return 0;
	model->command = NULL;
	return -ENOMEM;
}

static int train(const struct args *args)
{
	struct tl_origin_rows rows = { 0 };
	struct tl_origin_learn learn = { &rows, args->file, args->root, (u32)args->groups, args->plain };
	struct tl_origin_model model;
	struct tl_error err;
	int status = TL_EXIT_OK, code;

	tl_origin_model_init(&model, args->smooth);
	code = tl_origin_rows_read(&rows, args->file, true, &err);
	code = code ? code : labels_check(args, &rows, &err);
	code = code ? code : tl_origin_learn(&learn, &model, &err);
	if (!code && command_set(args, &model))
		code = tl_error_no_memory(&err);
	code = code ? code : tl_origin_model_write(&model, args->output, &err);
	if (!code && args->json)
		status = tl_out_json(tl_origin_model_summary(&model));
	else if (!code)
		tl_origin_model_print(&model, stdout);
	tl_origin_model_free(&model);
	tl_origin_rows_free(&rows);
	return code ? tl_out_failed(&err) : status;
}

static int take(struct args *args, int option)
{
	switch (option) {
	case 'a':
		return tl_args_number("--smooth", optarg, 1e-6, &args->smooth);
	case 'g':
		return tl_args_u64("--groups", optarg, 1, 1000000, &args->groups);
	case 'o':
		args->output = optarg;
		break;
	case 'P':
		args->plain = true;
		break;
	case 'r':
		args->root = optarg;
		break;
	default:
		args->json = true;
	}
	return TL_EXIT_OK;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "root", required_argument, NULL, 'r' },
		{ "smooth", required_argument, NULL, 'a' },
		{ "groups", required_argument, NULL, 'g' },
		{ "plain", no_argument, NULL, 'P' },
		TL_COMMON_OPTIONS
	};
	struct args args = { .smooth = SMOOTH, .groups = GROUPS, .root = "" };
	int option, status;

	while ((option = tl_args_next(cmd, argc, argv, "o:", options)) >= 0) {
		status = take(&args, option);
		if (status)
			return status;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	if (argc - optind < 1)
		return tl_args_usage(cmd, "origin train needs files: a file with path,kind,mtime,size,label");
	if (argc - optind > 1)
		return tl_args_usage(cmd, "unexpected argument \"%s\"", argv[optind + 1]);
	if (!args.output)
		return tl_args_usage(cmd, "origin train needs -o, where the model goes");
	if (args.smooth > 1e6)
		return tl_args_usage(cmd, "--smooth is above 1e6");
	args.file = argv[optind];
	return train(&args);
}

const struct tl_cmd tl_cmd_origin_train = {
	.name = "origin train",
	.args = "FILE.csv -o MODEL [--root DIR] [--smooth A] [--groups N] [--plain] [--json]",
	.summary = "Learn where code comes from, from files of which that is known",
	.help = "  -o, --output FILE the model goes there\n"
		"      --root DIR    folder where the files are looked at\n"
		"      --smooth A    Laplace's: each count is taken to be so much more (1)\n"
		"      --groups N    names that fewer packages or programs have are not told apart (2)\n"
		"      --plain       as paper 004: all features count alike; else what they are worth is found, too\n"
		TL_COMMON_HELP
		"\nFILE has a row a file: path, label (user, system, third-party), and as far as they are known\n"
		"kind (elf, script, jar, class), mtime, size, program, program_mtime, package, archive.\n"
		"\nExample:\n"
		"  tierlens origin train files.csv -o model.json\n",
	.run = run,
};
