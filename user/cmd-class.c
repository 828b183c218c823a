// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens class: which requests are of which class. */
#include "action.h"
#include "cmd.h"
#include "ctl.h"
#include "error.h"
#include "escape.h"
#include "out.h"

#include <inttypes.h>
#include <stdlib.h>

struct args {
	const char *prefix, *tier;
	struct tl_class_info class;
	bool json;
};

static json_t *class_json(const struct tl_class_info *class)
{
	char *prefix = tl_escape_text(class->prefix, class->prefix_len);
	char hex[2 * TIERLENS_PREFIX_MAX + 1] = "";
	json_t *object;
	size_t i;

	for (i = 0; i < class->prefix_len; i++)
		sprintf(hex + 2 * i, "%02x", class->prefix[i]);
	object = json_pack("{s:I, s:s, s:s, s:s, s:s?, s:I}",
			   "id", (json_int_t)class->id,
			   "name", class->name,
			   "prefix", prefix ? prefix : "",
			   "prefix_hex", hex,
			   "tier", class->tier[0] ? class->tier : NULL,
			   "hits", (json_int_t)class->hits);
	free(prefix);
	return object;
}

static void print(const struct tl_class_info *classes, size_t n)
{
	struct tl_grid *grid;
	char *prefix;
	size_t i;

	if (!n) {
		puts("no rules: every request is of class \"other\", and no byte of one is "
		     "read");
		return;
	}
	grid = tl_grid_new("class|tier|>requests|prefix");
	for (i = 0; i < n; i++) {
		prefix = tl_escape_text(classes[i].prefix, classes[i].prefix_len);
		tl_grid_add(grid, "%s", classes[i].name);
		tl_grid_add(grid, "%s", classes[i].tier[0] ? classes[i].tier : "any");
		tl_grid_add(grid, "%" PRIu64, classes[i].hits);
		tl_grid_add(grid, "%s", prefix ? prefix : "");
		free(prefix);
	}
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
}

static int list(struct tl_ctl *ctl, char **words, void *arg, struct tl_error *err)
{
	struct tl_class_info *classes = NULL;
	const struct args *args = arg;
	int status = TL_EXIT_OK;
	json_t *array;
	size_t n, i;

	(void)words;
	if (tl_ctl_classes(ctl, &classes, &n, err)) {
		status = tl_out_failed(err);
	} else if (args->json) {
		array = json_array();
		for (i = 0; i < n; i++)
			json_array_append_new(array, class_json(&classes[i]));
		status = tl_out_json(json_pack("{s:o}", "classes", array));
	} else {
		print(classes, n);
	}
	free(classes);
	return status;
}

static int done(const struct args *args, const char *what)
{
	return args->json ? tl_out_json(json_pack("{s:o}", what, tl_out_name(args->class.name))) :
			    TL_EXIT_OK;
}

static int add(struct tl_ctl *ctl, char **words, void *arg, struct tl_error *err)
{
	const struct args *args = arg;

	(void)words;
	if (tl_ctl_class_add(ctl, &args->class, err))
		return tl_out_failed(err);
	return done(args, "added");
}

static int del(struct tl_ctl *ctl, char **words, void *arg, struct tl_error *err)
{
	const struct args *args = arg;

	(void)words;
	if (tl_ctl_class_del(ctl, &args->class, err))
		return tl_out_failed(err);
	return done(args, "deleted");
}

static int read_prefix(const struct tl_cmd *cmd, const char *text,
		       struct tl_class_info *class)
{
	struct tl_error err;

	if (tl_escape_read(text, class->prefix, sizeof(class->prefix),
			   &class->prefix_len, &err))
		return tl_args_usage(cmd, "prefix: %s", err.text);
	if (!class->prefix_len)
		return tl_args_usage(cmd, "the prefix is empty, it must have 1 to %d bytes",
				     TIERLENS_PREFIX_MAX);
	return TL_EXIT_OK;
}

static int check_list(const struct tl_cmd *cmd, const struct tl_action *action,
		      char **words, void *arg)
{
	const struct args *args = arg;

	(void)action;
	(void)words;
	if (args->prefix || args->tier)
		return tl_args_usage(cmd, "class list takes neither --prefix nor --tier");
	return TL_EXIT_OK;
}

static int check_rule(const struct tl_cmd *cmd, const struct tl_action *action,
		      char **words, void *arg)
{
	struct args *args = arg;
	bool adds = action->least > 1;

	if (tl_action_name(cmd, "the name", words[0]))
		return TL_EXIT_USAGE;
	if (args->tier && tl_action_name(cmd, "the tier", args->tier))
		return TL_EXIT_USAGE;
	if (adds && args->prefix)
		return tl_args_usage(cmd, "class add takes its prefix without --prefix");
	snprintf(args->class.name, sizeof(args->class.name), "%s", words[0]);
	snprintf(args->class.tier, sizeof(args->class.tier), "%s",
		 args->tier ? args->tier : "");
	if (adds)
		args->prefix = words[1];
	return args->prefix ? read_prefix(cmd, args->prefix, &args->class) : TL_EXIT_OK;
}

static const struct tl_action actions[TL_ACTIONS] = {
	{ .name = "list", .check = check_list, .run = list },
	{ "add", "the name of a class and a prefix", 2, 2, check_rule, add },
	{ "del", "the name of a class", 1, 1, check_rule, del },
};

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "prefix", required_argument, NULL, 'p' },
		{ "tier", required_argument, NULL, 't' },
		TL_COMMON_OPTIONS
	};
	struct args args = { 0 };
	int option;

	while ((option = tl_args_next(cmd, argc, argv, "p:t:", options)) >= 0) {
		if (option == 'p')
			args.prefix = optarg;
		else if (option == 't')
			args.tier = optarg;
		else
			args.json = true;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	return tl_action_run(cmd, actions, argc, argv, &args);
}

const struct tl_cmd tl_cmd_class = {
	.name = "class",
	.args = "list | add NAME PREFIX [--tier T] | del NAME [--prefix P] [--tier T]\n"
		"                      [--json]",
	.summary = "List, add and delete the rules that tell classes of requests apart",
	.help = "  -p, --prefix P    of the rule to delete; without it all of the class go\n"
		"  -t, --tier T      the only tier that the rule is for; without it any\n"
		TL_COMMON_HELP
		"A request whose first bytes are PREFIX, 1 to 64 bytes, is of the class; the\n"
		"longest prefix that matches decides. \\xHH, \\n, \\r, \\t, \\\\ and \\0 stand for\n"
		"bytes that cannot be typed: put PREFIX in single quotes.\n"
		"\nExample:\n"
		"  tierlens class add cart 'GET /cart' --tier web\n",
	.run = run,
};
