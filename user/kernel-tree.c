// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a kernel's headers, symbols and options are, from one path
 *
 * Debian splits headers: linux-headers-VERSION-FLAVOUR has what was made for one configuration,
 * and its Makefile names linux-headers-VERSION-common, which has the rest. That is an absolute
 * path: of packages that are only unpacked, the other half is looked for beside this one.
 */
#include "kernel-tree.h"

#include "error.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define STUB "The real System.map is in"
#define STUB_LINES 3

static bool is_directory(const char *path)
{
	struct stat stat_;

	return !stat(path, &stat_) && S_ISDIR(stat_.st_mode);
}

/**
 * tl_kernel_path() - A path in a directory
 * @directory: "" for the root
 * @name: what follows the slash
 *
 * Return: the path, to be freed; NULL if there is no such file, or no memory.
 */
char *tl_kernel_path(const char *directory, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", directory, name) < 0)
		return NULL;
	if (!access(path, F_OK))
		return path;
	free(path);
	return NULL;
}

/* The first line of a file that begins so, behind that; NULL if there is none. */
static char *line_after(const char *path, const char *begin)
{
	FILE *from = fopen(path, "re");
	char *line = NULL, *found = NULL;
	size_t room = 0, n = strlen(begin);

	while (from && !found && getline(&line, &room, from) > 0)
		if (!strncmp(line, begin, n))
			found = strdup(line + n);
	if (found)
		found[strcspn(found, "\"\n")] = '\0';
	free(line);
	if (from)
		fclose(from);
	return found;
}

/**
 * tl_kernel_map_is_stub() - Whether a System.map only tells where the real one is
 * @path: its name
 *
 * Debian's images have such a one.
 */
bool tl_kernel_map_is_stub(const char *path)
{
	FILE *from = fopen(path, "re");
	bool stub = false;
	char *line = NULL;
	size_t room = 0;
	int i;

	for (i = 0; from && !stub && i < STUB_LINES && getline(&line, &room, from) > 0; i++)
		stub = strstr(line, STUB);
	free(line);
	if (from)
		fclose(from);
	return stub;
}

/* ---- from a directory ----------------------------------------------------------------------- */

static bool is_build(const char *path)
{
	char *configured = tl_kernel_path(path, "include/generated/autoconf.h");
	bool is = configured;

	free(configured);
	return is;
}

/* Packages that were unpacked below @path: there must be one that can be meant. */
static int from_packages(const char *path, char **build, struct tl_error *err)
{
	char *pattern;
	size_t i, n = 0;
	glob_t found;

	if (asprintf(&pattern, "%s/usr/src/linux-headers-*", path) < 0)
		return tl_error_no_memory(err);
	if (glob(pattern, 0, NULL, &found))
		found.gl_pathc = 0;
	free(pattern);
	for (i = 0; i < found.gl_pathc; i++) {
		if (!is_build(found.gl_pathv[i]))
			continue;
		if (!n++)
			*build = strdup(found.gl_pathv[i]);
	}
	globfree(&found);
	if (n == 1)
		return *build ? 0 : tl_error_no_memory(err);
	free(*build);
	*build = NULL;
	if (n)
		return tl_error_set(err, -EINVAL, "%s: there are headers of %zu kernels: name one, "
				    "%s/usr/src/linux-headers-VERSION", path, n, path);
	return tl_error_set(err, -ENOENT, "%s: no kernel's build directory: give the headers of one flavour "
			    "(/usr/src/linux-headers-VERSION, /lib/modules/VERSION/build) or a System.map", path);
}

/* /lib/modules/VERSION, its build, headers or a tree of packages. */
static int build_find(const char *path, char **build, struct tl_error *err)
{
	char *below;

	if (is_build(path)) {
		*build = strdup(path);
		return *build ? 0 : tl_error_no_memory(err);
	}
	below = tl_kernel_path(path, "build");
	if (below && is_build(below)) {
		*build = below;
		return 0;
	}
	free(below);
	return from_packages(path, build, err);
}

/* The directory that an included Makefile is in, or the one of that name beside @build. */
static char *included(const char *build, char *makefile)
{
	char *slash = strrchr(makefile, '/'), *real, *beside = NULL;

	if (!slash || strcmp(slash, "/Makefile"))
		return NULL;
	*slash = '\0';
	if (*makefile == '/' && is_directory(makefile))
		return strdup(makefile);
	slash = strrchr(makefile, '/');
	real = realpath(build, NULL);
	if (slash && real && asprintf(&beside, "%s/..%s", real, slash) < 0)
		beside = NULL;
	free(real);
	real = beside ? realpath(beside, NULL) : NULL;
	free(beside);
	return real;
}

static char *source_find(const char *build)
{
	char *makefile, *line, *source;

	source = tl_kernel_path(build, "include/linux/module.h");
	if (source) {
		free(source);
		return strdup(build);
	}
	source = tl_kernel_path(build, "source");
	if (source)
		return source;
	makefile = tl_kernel_path(build, "Makefile");
	line = makefile ? line_after(makefile, "include ") : NULL;
	source = line ? included(build, line) : NULL;
	free(makefile);
	free(line);
	return source;
}

/* What of a path stands before the first of the places that is in it; "" if none is. */
static char *before(const char *path, const char *const *places, size_t n)
{
	char *real = realpath(path, NULL), *at = NULL;
	size_t i;

	for (i = 0; real && !at && i < n; i++)
		at = strstr(real, places[i]);
	if (at)
		*at = '\0';
	else if (real)
		*real = '\0';
	return real;
}

/* What stands before the place where headers are; "" for this machine's, or if nobody can tell. */
static char *root_of(const char *build)
{
	static const char *const places[] = { "/usr/src/", "/usr/lib/modules/", "/lib/modules/" };

	return before(build, places, sizeof(places) / sizeof(*places));
}

static int from_directory(struct tl_kernel_tree *tree, const char *path, struct tl_error *err)
{
	char *at;
	int code = build_find(path, &tree->build, err);

	if (code)
		return code;
	at = tl_kernel_path(tree->build, "include/generated/utsrelease.h");
	tree->release = at ? line_after(at, "#define UTS_RELEASE \"") : NULL;
	free(at);
	tree->source = source_find(tree->build);
	tree->root = root_of(tree->build);
	return tree->root ? 0 : tl_error_no_memory(err);
}

/* ---- symbols and options -------------------------------------------------------------------- */

static bool is_running(const struct tl_kernel_tree *tree)
{
	struct utsname name;

	return tree->release && !*tree->root && !uname(&name) && !strcmp(name.release, tree->release);
}

/* A file whose name ends in the release; NULL if that is not known, or there is no such file. */
static char *of_release(const struct tl_kernel_tree *tree, const char *begin)
{
	char name[PATH_MAX];

	if (!tree->release)
		return NULL;
	snprintf(name, sizeof(name), "%s%s", begin, tree->release);
	return tl_kernel_path(tree->root, name);
}

static void map_take(struct tl_kernel_tree *tree, char *map)
{
	if (!map)
		return;
	if (!tree->map && !tl_kernel_map_is_stub(map))
		tree->map = map;
	else if (!tree->map && !tree->stub)
		tree->stub = map;
	else
		free(map);
}

static void map_find(struct tl_kernel_tree *tree)
{
	if (tree->build)
		map_take(tree, tl_kernel_path(tree->build, "System.map"));
	map_take(tree, of_release(tree, "boot/System.map-"));
	map_take(tree, of_release(tree, "usr/lib/debug/boot/System.map-"));
	if (!tree->map && is_running(tree))
		map_take(tree, strdup("/proc/kallsyms"));
}

static void config_find(struct tl_kernel_tree *tree)
{
	if (tree->build)
		tree->config = tl_kernel_path(tree->build, ".config");
	if (tree->build && !tree->config)
		tree->config = tl_kernel_path(tree->build, "include/config/auto.conf");
	if (!tree->config)
		tree->config = of_release(tree, "boot/config-");
}

/* What stands before the directory of a file boot/System.map-VERSION, with or without usr/lib/debug. */
static char *root_of_map(const char *map)
{
	static const char *const places[] = { "/usr/lib/debug/boot/", "/boot/" };

	return before(map, places, sizeof(places) / sizeof(*places));
}

static int from_map(struct tl_kernel_tree *tree, const char *path, struct tl_error *err)
{
	const char *dash = strstr(path, "System.map-");
	struct utsname name;

	if (dash)
		tree->release = strdup(dash + strlen("System.map-"));
	else if (!strncmp(path, "/proc/", 6) && !uname(&name))
		tree->release = strdup(name.release);
	tree->root = root_of_map(path);
	tree->map = strdup(path);
	return tree->root && tree->map ? 0 : tl_error_no_memory(err);
}

static int override(char **place, const char *path, struct tl_error *err)
{
	if (!path)
		return 0;
	if (access(path, R_OK))
		return tl_error_set(err, -errno, "%s: cannot read it (%s): give a file that can be read", path,
				    strerror(errno));
	free(*place);
	*place = strdup(path);
	return *place ? 0 : tl_error_no_memory(err);
}

/**
 * tl_kernel_tree_find() - Find what there is of a kernel
 * @tree: filled, to be given to tl_kernel_tree_free() in any case
 * @path: a build directory, headers, a tree of unpacked packages, or a file of symbols
 * @map: symbols to take instead of those that are found; NULL for these
 * @config: options to take instead; NULL for those that are found
 * @err: why it failed
 *
 * Return: 0 or a negative errno.
 */
int tl_kernel_tree_find(struct tl_kernel_tree *tree, const char *path, const char *map,
			const char *config, struct tl_error *err)
{
	int code;

	*tree = (struct tl_kernel_tree){ 0 };
	if (access(path, R_OK))
		return tl_error_set(err, -errno, "%s: cannot read it (%s): give a kernel's headers, its build "
				    "directory or a System.map", path, strerror(errno));
	code = is_directory(path) ? from_directory(tree, path, err) : from_map(tree, path, err);
	if (code)
		return code;
	if (!map && !tree->map)
		map_find(tree);
	if (!config)
		config_find(tree);
	code = override(&tree->map, map, err);
	return code ? code : override(&tree->config, config, err);
}

void tl_kernel_tree_free(struct tl_kernel_tree *tree)
{
	free(tree->release);
	free(tree->build);
	free(tree->source);
	free(tree->root);
	free(tree->map);
	free(tree->stub);
	free(tree->config);
}
