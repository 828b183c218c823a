// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens tasks draw: tasks of all levels as a picture or a page, also of two recordings. */
#include "child.h"
#include "cmd.h"
#include "dot.h"
#include "error.h"
#include "lqn-out.h"
#include "out.h"
#include "tasks-diff.h"
#include "tasks-found.h"

#include <stdlib.h>
#include <string.h>

enum form { FORM_NONE, FORM_SVG, FORM_DOT, FORM_HTML };

struct args {
	const struct tl_cmd *cmd;
	const char *output, *other;
	enum form form;
	bool json;
	u64 given; /* bits: options that are there already */
	struct tl_task_mining mining;
};

/* What is made of one or two recordings; @diff is NULL for one. */
struct made {
	const struct tl_tasks_view *view;
	const struct tl_tasks_diff *diff;
};

/* ---- arguments ----------------------------------------------------------------------- */

static enum form form_of(const char *output)
{
	static const char *const endings[] = { [FORM_SVG] = ".svg", [FORM_DOT] = ".dot", [FORM_HTML] = ".html" };
	size_t len = strlen(output), i;

	for (i = FORM_SVG; i <= FORM_HTML; i++)
		if (len > strlen(endings[i]) && !strcasecmp(output + len - strlen(endings[i]), endings[i]))
			return i;
	return FORM_NONE;
}

static int output_read(struct args *args)
{
	args->output = optarg;
	args->form = form_of(optarg);
	if (args->form == FORM_NONE)
		return tl_args_usage(args->cmd, "--output \"%s\" ends with none of .svg, .dot and .html", optarg);
	return TL_EXIT_OK;
}

static const char *name_of(int option, const struct option *options)
{
	for (; options->name; options++)
		if (options->val == option)
			return options->name;
	return "";
}

static int option_read(struct args *args, int option, const struct option *options)
{
	u64 bit = 1ULL << (option & 63);

	if (option == 'J') {
		args->json = true;
		return TL_EXIT_OK;
	}
	if (args->given & bit)
		return tl_args_usage(args->cmd, "--%s is there twice", name_of(option, options));
	args->given |= bit;
	if (option == 'o')
		return output_read(args);
	if (option != 'd')
		return tl_tasks_option(option, &args->mining);
	args->other = optarg;
	return TL_EXIT_OK;
}

/* ---- what is made -------------------------------------------------------------------- */

static void dot_print(const void *arg, FILE *to)
{
	const struct made *made = arg;

	tl_tasks_dot(made->view, made->diff, TL_TASK_NONE, to);
}

static int page_write(const struct made *made, const char *output, struct tl_error *err)
{
	struct tl_bytes page = { 0 };
	int code = tl_tasks_page(made->view, made->diff, &page, err);

	code = code ? code : tl_out_file(output, &page, err);
	free(page.data);
	return code;
}

static int show(const struct made *made, const struct args *args)
{
	struct tl_error err;
	int code = 0;

	if (args->form == FORM_HTML)
		code = page_write(made, args->output, &err);
	else if (args->form != FORM_NONE)
		code = tl_dot_write(args->output, args->form == FORM_SVG, dot_print, made, &err);
	if (code)
		return tl_out_failed(&err);
	if (args->json)
		return tl_out_json(made->diff ? tl_tasks_diff_json(made->diff) : tl_tasks_view_json(made->view));
	if (made->diff)
		tl_tasks_diff_print(made->diff, stdout);
	else
		tl_tasks_view_print(made->view, stdout);
	return TL_EXIT_OK;
}

static int diff_show(const struct tl_tasks_view *before, const struct tl_tasks_view *after,
		     const struct args *args)
{
	struct tl_tasks_diff diff;
	struct made made = { after, &diff };
	struct tl_error err;
	int status;

	if (tl_tasks_diff_make(&diff, before, after)) {
		tl_error_no_memory(&err);
		status = tl_out_failed(&err);
	} else {
		status = show(&made, args);
	}
	tl_tasks_diff_free(&diff);
	return status;
}

/* A recording, and what is seen of it. */
struct side {
	struct tl_tasks_model model;
	struct tl_tasks_view view;
};

static int side_make(struct side *side, const char *file, const struct args *args, struct tl_error *err)
{
	int code = tl_tasks_model_make(&side->model, file, &args->mining, err);

	if (code)
		return code;
	if (!args->json)
		tl_lqn_notes_print(&side->model.trace.notes);
	code = tl_tasks_view_make(&side->view, &side->model.found);
	return code ? tl_error_no_memory(err) : 0;
}

static void side_free(struct side *side)
{
	tl_tasks_view_free(&side->view);
	tl_tasks_model_free(&side->model);
}

static int draw(const char *file, const struct args *args)
{
	struct side first = { 0 }, second = { 0 };
	struct made made = { &first.view, NULL };
	struct tl_error err;
	int status, code = side_make(&first, file, args, &err);

	if (!code && args->other)
		code = side_make(&second, args->other, args, &err);
	if (code)
		status = tl_out_failed(&err);
	else if (args->other)
		status = diff_show(&first.view, &second.view, args);
	else
		status = show(&made, args);
	side_free(&first);
	side_free(&second);
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "diff", required_argument, NULL, 'd' },
		TL_TASKS_OPTIONS, TL_COMMON_OPTIONS
	};
	struct args args = { .cmd = cmd, .mining = TL_TASKS_MINING };
	int option, status = TL_EXIT_OK;

	while (!status && (option = tl_args_next(cmd, argc, argv, "o:d:" TL_TASKS_LETTERS, options)) >= 0)
		status = option_read(&args, option, options);
	if (status)
		return status;
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	if (argc - optind != 1)
		return tl_args_usage(cmd, "tasks draw needs one file of sync points");
	return draw(argv[optind], &args);
}

const struct tl_cmd tl_cmd_tasks_draw = {
	.name = "tasks draw",
	.args = "FILE.csv [-o OUT.svg|OUT.dot|OUT.html] [--diff OTHER.csv] [--support N] [--size N] [--json]",
	.summary = "Tasks of all levels as a picture or a page, down to the slowest; or what differs",
	.help = "  -o, --output FILE a picture (.svg, .dot) or a page (.html)\n"
		"  -d, --diff FILE   compare with these sync points, which are of later\n"
		TL_TASKS_HELP
		TL_COMMON_HELP
		"FILE.csv is as for tierlens tasks infer. Of two, each task's count per job, time,\n"
		"processor time and sleep are compared, and told where that is more than chance.\n"
		".svg and .html need graphviz.\n"
		"\nExample:\n"
		"  tierlens tasks draw sync.csv -o sync.html\n",
	.run = run,
};
