// SPDX-License-Identifier: GPL-2.0-or-later
/* What building the module in a kernel's headers needs, and whether it is there. */
#include "kernel-check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

static struct tl_build_check *build_add(struct tl_kernel_check *check, const char *what, bool there,
					const char *note)
{
	struct tl_build_check *build = &check->builds[check->n_builds++];

	snprintf(build->what, sizeof(build->what), "%s", what);
	snprintf(build->note, sizeof(build->note), "%s", note);
	build->there = there;
	return build;
}

static bool is_there(const char *directory, const char *name)
{
	char *path = directory ? tl_kernel_path(directory, name) : NULL;
	bool is = path;

	free(path);
	return is;
}

static void file_check(struct tl_kernel_check *check, const char *directory, const char *name,
		       const char *remedy)
{
	bool there = is_there(directory, name);

	build_add(check, name, there, there ? "" : remedy);
}

/* Where a program is found, as a shell would. */
static bool program_find(const char *name, char *path, size_t size)
{
	const char *at = getenv("PATH"), *end;

	for (; at && *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, ':');
		snprintf(path, size, "%.*s/%s", (int)(end - at), at, name);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

static void program_check(struct tl_kernel_check *check, const char *name, const char *package)
{
	char path[PATH_MAX], remedy[160];
	bool there = program_find(name, path, sizeof(path));

	snprintf(remedy, sizeof(remedy), "apt install %s", package);
	build_add(check, name, there, there ? "" : remedy);
}

/* What a compiler's name begins with, if the kernel is for another processor than this machine's. */
static const char *cross_prefix(const struct tl_kernel_check *check)
{
	static const struct {
		const char *option, *machine, *prefix;
	} known[] = {
		{ "ARM64", "aarch64", "aarch64-linux-gnu-" },
		{ "X86_64", "x86_64", "x86_64-linux-gnu-" },
	};
	struct utsname name;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(tl_kernel_option(check->options, check->n_options, known[i].option), "y") &&
		    !uname(&name) && strcmp(name.machine, known[i].machine))
			return known[i].prefix;
	return "";
}

/*
 * "gcc-12 (Debian 12.2.0-14) 12.2.0", or "x86_64-linux-gnu-gcc-12 (…": the same program, or another whose
 * module may fit as well.
 */
static void compiler_check(struct tl_kernel_check *check)
{
	const char *text = tl_kernel_option(check->options, check->n_options, "CC_VERSION_TEXT");
	const char *prefix = cross_prefix(check);
	char word[64] = "", name[96], other[96], path[PATH_MAX];

	if (sscanf(text, "%63s", word) != 1 || !strcmp(word, "n"))
		snprintf(word, sizeof(word), "gcc");
	snprintf(name, sizeof(name), "%s%s", strstr(word, "-linux-gnu") ? "" : prefix, word);
	snprintf(other, sizeof(other), "%sgcc", prefix);
	if (program_find(name, path, sizeof(path)) || !program_find(other, path, sizeof(path)) ||
	    strstr(name, "clang")) {
		program_check(check, name, name);
		return;
	}
	snprintf(build_add(check, other, true, "")->note, sizeof(check->builds->note),
		 "the kernel was built with %s, which is not here: the same is safer", name);
}

/* The first of the headers that the module includes and this kernel lacks: it is too old, or too new. */
static void headers_check(struct tl_kernel_check *check)
{
	static const char *const headers[] = {
#include <kernel-headers.inc>
	};
	const char *lacks = NULL;
	char name[128], note[200] = "";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(headers) && !lacks; i++) {
		snprintf(name, sizeof(name), "include/%s", headers[i]);
		if (is_there(check->tree.source, name))
			continue;
		snprintf(name, sizeof(name), "include/uapi/%s", headers[i]);
		lacks = is_there(check->tree.source, name) ? NULL : headers[i];
	}
	if (lacks)
		snprintf(note, sizeof(note), "no include/%s: the module is not made for so old or so new a kernel", lacks);
	build_add(check, "headers that the module includes", !lacks, note);
}

/**
 * tl_kernel_check_builds() - Look for what building the module needs
 * @check: its tree and options are known; what is found goes to @check->builds
 */
void tl_kernel_check_builds(struct tl_kernel_check *check)
{
	const struct tl_kernel_tree *tree = &check->tree;

	file_check(check, tree->build, "Makefile", "install the kernel's headers");
	file_check(check, tree->build, "include/generated/autoconf.h", "run make modules_prepare there");
	file_check(check, tree->build, "include/generated/utsrelease.h", "run make modules_prepare there");
	file_check(check, tree->build, "Module.symvers",
		   "install the kernel's headers, or build the kernel: it has the symbols' versions");
	file_check(check, tree->build, "scripts/mod/modpost", "install linux-kbuild of that version");
	file_check(check, tree->build, "scripts/basic/fixdep", "install linux-kbuild of that version");
	file_check(check, tree->source, "include/net/tcp.h", "install linux-headers-VERSION-common of that version");
	if (check->builds[check->n_builds - 1].there)
		headers_check(check);
	program_check(check, "make", "make");
	compiler_check(check);
}
