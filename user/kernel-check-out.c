// SPDX-License-Identifier: GPL-2.0-or-later
/* What was found of a kernel, as text and as JSON. */
#include "kernel-check.h"
#include "out.h"

#include <stdio.h>

static const char *or_unknown(const char *text)
{
	return text ? text : "not found";
}

static void head_print(const struct tl_kernel_tree *tree)
{
	printf("kernel   %s\n", tree->release ? tree->release : "of unknown version");
	if (tree->build)
		printf("headers  %s\n", tree->build);
	printf("symbols  %s\n", or_unknown(tree->map));
	if (!tree->map && tree->stub)
		printf("         %s only says where the real one is: install linux-image-%s-dbg, or give a map with "
		       "--map\n", tree->stub, or_unknown(tree->release));
	printf("options  %s\n\n", or_unknown(tree->config));
}

static const char *hook_need(const struct tl_hook_check *hook)
{
	return hook->required ? "required" : hook->sync ? "tasks record" : "optional";
}

static void hooks_print(const struct tl_kernel_check *check)
{
	struct tl_grid *grid = tl_grid_new("hook|symbol|state|needed|note");
	const struct tl_hook_check *hook;

	for (hook = check->hooks; hook < check->hooks + check->n_hooks; hook++) {
		tl_grid_add(grid, "%s", hook->name);
		tl_grid_add(grid, "%s", hook->symbol[hook->taken].name);
		tl_grid_add(grid, "%s", tl_hook_found_names[hook->found]);
		tl_grid_add(grid, "%s", hook_need(hook));
		tl_grid_add(grid, "%s", hook->note);
	}
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
}

/* What an option's value means; "" if it is as it should be. */
static const char *option_tells(const struct tl_kernel_option *option)
{
	bool on = tl_kernel_option_is_on(option);

	if (!*option->value)
		return "";
	if (option->weight == TL_OPTION_TELLS)
		return on ? option->tells : "";
	if (on && !strcmp(option->value, "m"))
		return "a module: load it before tierlens";
	return on ? "" : option->tells;
}

static const char *option_need(const struct tl_kernel_option *option)
{
	static const char *const names[] = { "required", "optional", "" };

	return names[option->weight];
}

static void options_print(const struct tl_kernel_check *check)
{
	struct tl_grid *grid = tl_grid_new("option|value|needed|note");
	const struct tl_kernel_option *option;

	for (option = check->options; option < check->options + check->n_options; option++) {
		tl_grid_add(grid, "CONFIG_%s", option->name);
		tl_grid_add(grid, "%s", *option->value ? option->value : "?");
		tl_grid_add(grid, "%s", option_need(option));
		tl_grid_add(grid, "%s", option_tells(option));
	}
	putchar('\n');
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
}

static void builds_print(const struct tl_kernel_check *check)
{
	struct tl_grid *grid;
	const struct tl_build_check *build;

	if (!check->n_builds)
		return;
	grid = tl_grid_new("to build|state|note");
	for (build = check->builds; build < check->builds + check->n_builds; build++) {
		tl_grid_add(grid, "%s", build->what);
		tl_grid_add(grid, "%s", build->there ? "found" : "missing");
		tl_grid_add(grid, "%s", build->note);
	}
	putchar('\n');
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
}

/**
 * tl_kernel_check_print() - Print what was found, for people
 * @check: it
 */
void tl_kernel_check_print(const struct tl_kernel_check *check)
{
	head_print(&check->tree);
	hooks_print(check);
	if (check->tree.config)
		options_print(check);
	builds_print(check);
	printf("\n%s: %s\n", check->good ? "good" : "bad", check->verdict);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *hooks_json(const struct tl_kernel_check *check)
{
	const struct tl_hook_check *hook;
	json_t *list = json_array();

	for (hook = check->hooks; hook < check->hooks + check->n_hooks; hook++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:b, s:b, s:o}", "hook", hook->name, "symbol",
						      hook->symbol[hook->taken].name, "state",
						      tl_hook_found_names[hook->found], "required", hook->required,
						      "sync", hook->sync, "note", tl_out_name(hook->note)));
	return list;
}

static json_t *options_json(const struct tl_kernel_check *check)
{
	const struct tl_kernel_option *option;
	json_t *list = json_array();

	for (option = check->options; option < check->options + check->n_options; option++)
		json_array_append_new(list, json_pack("{s:s, s:o, s:b, s:s}", "option", option->name, "value",
						      *option->value ? tl_out_name(option->value) : json_null(),
						      "required", option->weight == TL_OPTION_NEEDED, "note",
						      option_tells(option)));
	return list;
}

static json_t *builds_json(const struct tl_kernel_check *check)
{
	const struct tl_build_check *build;
	json_t *list = json_array();

	for (build = check->builds; build < check->builds + check->n_builds; build++)
		json_array_append_new(list, json_pack("{s:o, s:b, s:o}", "what", tl_out_name(build->what), "there",
						      build->there, "note", tl_out_name(build->note)));
	return list;
}

static json_t *path_json(const char *path)
{
	return path ? tl_out_name(path) : json_null();
}

/**
 * tl_kernel_check_json() - What was found, for programs
 * @check: it
 *
 * Return: an object.
 */
json_t *tl_kernel_check_json(const struct tl_kernel_check *check)
{
	const struct tl_kernel_tree *tree = &check->tree;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "release", path_json(tree->release),
			 "headers", path_json(tree->build), "map", path_json(tree->map), "config",
			 path_json(tree->config), "hooks", hooks_json(check), "options", options_json(check), "build",
			 builds_json(check), "good", check->good, "verdict", tl_out_name(check->verdict));
}
