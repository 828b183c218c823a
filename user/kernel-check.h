/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_KERNEL_CHECK_H
#define TL_KERNEL_CHECK_H

#include "kernel-config.h"
#include "kernel-symbols.h"
#include "kernel-tree.h"

#include <jansson.h>

/* How far a hook is there. */
enum tl_hook_found {
	TL_HOOK_FOUND, /* in the map, or exported */
	TL_HOOK_ALTERNATIVE, /* another symbol that does as well */
	TL_HOOK_DECLARED, /* a header tells of it; there is no map */
	TL_HOOK_UNKNOWN, /* static to a file, and there is no map */
	TL_HOOK_MISSING,
	TL_HOOKS_FOUND
};

#define TL_HOOK_SYMBOLS_MAX 3

/**
 * struct tl_hook_check - A hook of the module, in a kernel that does not run
 * @name: as "tierlens status" calls it, or what it is for
 * @needs: the hook without which it is dropped, or NULL
 * @required: without it the module is not loaded
 * @sync: only recording sync points needs it
 * @symbol: the first is the wanted one
 * @n: how many symbols there are
 * @taken: which of them
 * @note: what else there is to tell, "" if nothing
 */
struct tl_hook_check {
	const char *name, *needs;
	bool required, sync;
	struct tl_kernel_symbol *symbol;
	size_t n, taken;
	enum tl_hook_found found;
	char note[160];
};

/**
 * struct tl_build_check - Something that building the module needs
 * @what: a file or a program
 * @there: whether it is there
 * @note: what to do, or where it is
 */
struct tl_build_check {
	char what[200];
	bool there;
	char note[200];
};

#define TL_HOOK_CHECKS_MAX 64
#define TL_BUILD_CHECKS_MAX 12

/**
 * struct tl_kernel_check - All that was looked at, and what follows
 * @good: it will build, be loaded and find what it must
 * @verdict: that as a sentence
 */
struct tl_kernel_check {
	struct tl_kernel_tree tree;
	struct tl_hook_check hooks[TL_HOOK_CHECKS_MAX];
	struct tl_kernel_symbol symbols[TL_HOOK_CHECKS_MAX * TL_HOOK_SYMBOLS_MAX];
	struct tl_kernel_option options[TL_KERNEL_OPTIONS_MAX];
	struct tl_build_check builds[TL_BUILD_CHECKS_MAX];
	size_t n_hooks, n_symbols, n_options, n_builds;
	bool good;
	char verdict[400];
};

extern const char *const tl_hook_found_names[TL_HOOKS_FOUND];

int tl_kernel_check(struct tl_kernel_check *check, const char *path, const char *map,
		    const char *config, struct tl_error *err);
void tl_kernel_check_builds(struct tl_kernel_check *check);
void tl_kernel_check_print(const struct tl_kernel_check *check);
json_t *tl_kernel_check_json(const struct tl_kernel_check *check);

#endif
