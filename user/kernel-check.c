// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether the module would find its hooks in a kernel that does not run. */
#include "kernel-check.h"

#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *const tl_hook_found_names[TL_HOOKS_FOUND] = {
	"found", "alternative", "declared", "unknown", "missing",
};

struct row {
	const char *name;
	bool required;
	const char *needs;
	const char *symbols[TL_HOOK_SYMBOLS_MAX];
	bool traced, sync;
};

#define TL_HOOK(n, level, r, handler, needed, ...) { n, r, needed, { __VA_ARGS__ }, false, false },
#define TL_TRACED(n, level, r, handler, tracepoint) { n, r, NULL, { tracepoint }, true, false },
#define TL_SYNC_HOOK(tracepoint, handler) { "sync", false, NULL, { tracepoint }, true, true },

/* The module's own table. */
static const struct row rows[] = {
#include <tierlens-hooks.h>
};

static_assert(ARRAY_SIZE(rows) <= TL_HOOK_CHECKS_MAX, "make room for all hooks");

static void rows_add(struct tl_kernel_check *check)
{
	struct tl_kernel_symbol *symbol = check->symbols;
	struct tl_hook_check *hook = check->hooks;
	const struct row *row;

	for (row = rows; row < rows + ARRAY_SIZE(rows); row++, hook++) {
		*hook = (struct tl_hook_check){ .name = row->name, .needs = row->needs, .required = row->required,
						.sync = row->sync, .symbol = symbol };
		for (; hook->n < TL_HOOK_SYMBOLS_MAX && row->symbols[hook->n]; hook->n++)
			*symbol++ = (struct tl_kernel_symbol){ .name = row->symbols[hook->n],
							       .traced = row->traced };
	}
	check->n_hooks = ARRAY_SIZE(rows);
	check->n_symbols = (size_t)(symbol - check->symbols);
}

/* ---- reading -------------------------------------------------------------------------------- */

static int symbols_read(struct tl_kernel_check *check, struct tl_error *err)
{
	const struct tl_kernel_tree *tree = &check->tree;
	char *exports = tree->build ? tl_kernel_path(tree->build, "Module.symvers") : NULL;
	int code = 0;

	if (exports)
		code = tl_kernel_exports_read(check->symbols, check->n_symbols, exports, err);
	free(exports);
	if (!code && tree->map)
		code = tl_kernel_map_read(check->symbols, check->n_symbols, tree->map, err);
	else if (!code && tree->source)
		code = tl_kernel_headers_read(check->symbols, check->n_symbols, tree->source, err);
	return code;
}

/* ---- judging -------------------------------------------------------------------------------- */

static enum tl_hook_found symbol_judge(const struct tl_kernel_check *check,
				       const struct tl_kernel_symbol *symbol)
{
	if (symbol->refused)
		return TL_HOOK_MISSING;
	if (symbol->mapped || symbol->exported)
		return TL_HOOK_FOUND;
	if (check->tree.map)
		return TL_HOOK_MISSING;
	return symbol->declared ? TL_HOOK_DECLARED : TL_HOOK_UNKNOWN;
}

static void hook_judge(const struct tl_kernel_check *check, struct tl_hook_check *hook)
{
	enum tl_hook_found found;
	size_t i;

	hook->found = symbol_judge(check, hook->symbol);
	for (i = 1; i < hook->n && hook->found > TL_HOOK_ALTERNATIVE; i++) {
		found = symbol_judge(check, &hook->symbol[i]);
		if (found == TL_HOOK_FOUND) {
			hook->found = TL_HOOK_ALTERNATIVE;
			hook->taken = i;
		} else if (found < hook->found) {
			hook->found = found;
			hook->taken = i;
		}
	}
}

static void hook_note(const struct tl_kernel_check *check, struct tl_hook_check *hook)
{
	const struct tl_kernel_symbol *symbol = &hook->symbol[hook->taken];

	if (symbol->refused)
		snprintf(hook->note, sizeof(hook->note), "the kernel lets nobody probe it");
	else if (hook->found == TL_HOOK_MISSING && *symbol->renamed)
		snprintf(hook->note, sizeof(hook->note), "the compiler has made %s of it", symbol->renamed);
	else if (hook->found <= TL_HOOK_ALTERNATIVE && *symbol->module)
		snprintf(hook->note, sizeof(hook->note), "in module %s: load that first", symbol->module);
	else if (hook->found == TL_HOOK_UNKNOWN)
		snprintf(hook->note, sizeof(hook->note), "only a map tells");
	else if (hook->found == TL_HOOK_DECLARED)
		snprintf(hook->note, sizeof(hook->note), "in its headers");
	else if (check->tree.map && hook->found == TL_HOOK_MISSING && hook->symbol->exported)
		snprintf(hook->note, sizeof(hook->note), "exported, but not in the map");
}

/* As the module does: half of a pair is dropped. */
static void pair_judge(struct tl_kernel_check *check, struct tl_hook_check *hook)
{
	size_t i;

	for (i = 0; hook->needs && i < check->n_hooks; i++)
		if (!strcmp(check->hooks[i].name, hook->needs) && check->hooks[i].found == TL_HOOK_MISSING &&
		    hook->found != TL_HOOK_MISSING) {
			hook->found = TL_HOOK_MISSING;
			snprintf(hook->note, sizeof(hook->note), "of no use without %s", hook->needs);
		}
}

static void hooks_judge(struct tl_kernel_check *check)
{
	size_t i;

	for (i = 0; i < check->n_hooks; i++) {
		hook_judge(check, &check->hooks[i]);
		hook_note(check, &check->hooks[i]);
	}
	for (i = 0; i < check->n_hooks; i++)
		pair_judge(check, &check->hooks[i]);
}

/* ---- verdict -------------------------------------------------------------------------------- */

/* Adds to a list of names. */
__attribute__((format(printf, 3, 4))) static void append(char *list, size_t size, const char *fmt, ...)
{
	size_t len = strlen(list);
	va_list args;

	if (len && len + 2 < size) {
		strcpy(list + len, ", ");
		len += 2;
	}
	va_start(args, fmt);
	vsnprintf(list + len, size - len, fmt, args);
	va_end(args);
}

static size_t faults_list(const struct tl_kernel_check *check, char *list, size_t size)
{
	size_t i, n = 0;

	for (i = 0; i < check->n_hooks; i++)
		if (check->hooks[i].required && check->hooks[i].found == TL_HOOK_MISSING && ++n)
			append(list, size, "no %s", check->hooks[i].symbol->name);
	for (i = 0; i < check->n_options; i++)
		if (check->options[i].weight == TL_OPTION_NEEDED && !strcmp(check->options[i].value, "n") && ++n)
			append(list, size, "no CONFIG_%s", check->options[i].name);
	for (i = 0; i < check->n_builds; i++)
		if (!check->builds[i].there && ++n)
			append(list, size, "no %s", check->builds[i].what);
	return n;
}

static size_t unknown_list(const struct tl_kernel_check *check, char *list, size_t size)
{
	size_t i, n = 0;

	for (i = 0; i < check->n_hooks; i++)
		if (check->hooks[i].required && check->hooks[i].found == TL_HOOK_UNKNOWN && ++n)
			append(list, size, "%s", check->hooks[i].symbol->name);
	return n;
}

static size_t optional_missing(const struct tl_kernel_check *check, enum tl_hook_found found)
{
	size_t i, n = 0;

	for (i = 0; i < check->n_hooks; i++)
		n += !check->hooks[i].required && check->hooks[i].found == found;
	return n;
}

static bool is_on(const struct tl_kernel_check *check, const char *option)
{
	return !strcmp(tl_kernel_option(check->options, check->n_options, option), "y");
}

static bool wants_signature(const struct tl_kernel_check *check)
{
	return is_on(check, "MODULE_SIG_FORCE") || is_on(check, "LOCK_DOWN_KERNEL_FORCE_INTEGRITY") ||
	       is_on(check, "LOCK_DOWN_KERNEL_FORCE_CONFIDENTIALITY");
}

static void verdict_good(struct tl_kernel_check *check)
{
	size_t missing = optional_missing(check, TL_HOOK_MISSING), unknown = optional_missing(check, TL_HOOK_UNKNOWN);
	char *text = check->verdict;
	size_t size = sizeof(check->verdict);

	check->good = true;
	snprintf(text, size, "%s", check->tree.build ? "the module will build and find the hooks that it must have" :
						      "the module will find the hooks that it must have");
	if (!check->tree.map)
		append(text, size, "as far as headers tell");
	if (!check->tree.config)
		append(text, size, "options are not known");
	if (wants_signature(check))
		append(text, size, "once it is signed, which this kernel asks for");
	if (missing)
		append(text, size, "optional hooks missing: %zu", missing);
	if (unknown)
		append(text, size, "only a map tells of %zu others", unknown);
}

static void verdict_find(struct tl_kernel_check *check)
{
	char list[300] = "";

	check->good = false;
	if (faults_list(check, list, sizeof(list)))
		snprintf(check->verdict, sizeof(check->verdict), "the module will not work there: %s", list);
	else if (unknown_list(check, list, sizeof(list)))
		snprintf(check->verdict, sizeof(check->verdict), "nobody can tell without a map: give the kernel's "
			 "System.map with --map, for %s", list);
	else
		verdict_good(check);
}

/**
 * tl_kernel_check() - Look at a kernel
 * @check: filled; @check->tree is to be given to tl_kernel_tree_free() in any case
 * @path: its headers, build directory or map
 * @map: its map, or NULL for what is found
 * @config: its options, or NULL for what is found
 * @err: why it could not be looked at
 *
 * Return: 0, whatever the verdict; or a negative errno.
 */
int tl_kernel_check(struct tl_kernel_check *check, const char *path, const char *map,
		    const char *config, struct tl_error *err)
{
	int code;

	memset(check, 0, sizeof(*check));
	rows_add(check);
	check->n_options = tl_kernel_options(check->options);
	code = tl_kernel_tree_find(&check->tree, path, map, config, err);
	if (!code && check->tree.map && tl_kernel_map_is_stub(check->tree.map))
		code = tl_error_set(err, -EINVAL, "%s: this is no map, it only says where it is: install the kernel's "
				    "package linux-image-VERSION-dbg and give its /usr/lib/debug/boot/System.map-VERSION",
				    check->tree.map);
	if (!code && check->tree.config)
		code = tl_kernel_config_read(check->options, check->n_options, check->tree.config, err);
	if (!code)
		code = symbols_read(check, err);
	if (code)
		return code;
	if (check->tree.build)
		tl_kernel_check_builds(check);
	hooks_judge(check);
	verdict_find(check);
	return 0;
}
