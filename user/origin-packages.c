// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which package of the distribution a file is of, and which packages are made of one source, by dpkg's
 * lists and status
 *
 * A list is a line a file, and the lists are a few hundred; all of them are read at once, which takes
 * less than asking dpkg for a few. /lib and /usr/lib are one folder on most machines while lists
 * have what was meant before, so /usr in front counts on neither side.
 */
#include "origin-packages.h"

#include "model/ids.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/**
 * struct tl_origin_packages - Files of packages
 * @files: their paths
 * @package: [@room] of each the number of its name in @names
 * @pairs: "package\nsource" of those whose source has another name
 */
struct tl_origin_packages {
	struct tl_ids files, names, pairs;
	uint32_t *package;
	size_t room;
};

static const char *without_usr(const char *path)
{
	return strncmp(path, "/usr/", 5) ? path : path + 4;
}

static int file_add(struct tl_origin_packages *p, const char *path, uint32_t package)
{
	size_t n = p->files.n, room = p->room ? 2 * p->room : 4096;
	uint32_t file, *grown;

	path = without_usr(path);
	if (tl_ids_of(&p->files, path, strlen(path), &file))
		return -ENOMEM;
	/* Of a folder that many have the first one stays: nobody asks. */
	if (p->files.n == n)
		return 0;
	if (file >= p->room) {
		grown = reallocarray(p->package, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		p->package = grown;
		p->room = room;
	}
	p->package[file] = package;
	return 0;
}

/* "name.list" or "name:architecture.list" */
static int list_read(struct tl_origin_packages *p, const char *folder, const char *name)
{
	size_t len = strcspn(name, ":");
	char path[4400], *line = NULL;
	uint32_t package;
	size_t room = 0;
	ssize_t got;
	FILE *from;
	int code = 0;

	if (!name[len])
		len = strlen(name) - strlen(".list");
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	from = fopen(path, "re");
	if (!from)
		return 0; /* one that was removed just now */
	if (tl_ids_of(&p->names, name, len, &package))
		code = -ENOMEM;
	while (!code && (got = getline(&line, &room, from)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		code = *line ? file_add(p, line, package) : 0;
	}
	free(line);
	fclose(from);
	return code;
}

static char *value_of(char *line, const char *key)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len))
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	return line + len;
}

static int status_read(struct tl_origin_packages *p, const char *root)
{
	char path[4400], package[256] = "", pair[600], *line = NULL, *value;
	size_t room = 0;
	uint32_t id;
	FILE *from;
	int code = 0;

	snprintf(path, sizeof(path), "%s/var/lib/dpkg/status", root);
	from = fopen(path, "re");
	while (from && !code && getline(&line, &room, from) > 0) {
		value = value_of(line, "Package: ");
		if (value)
			snprintf(package, sizeof(package), "%s", value);
		value = value_of(line, "Source: ");
		if (!value)
			continue;
		/* "gcc-12 (12.2.0-14)" */
		snprintf(pair, sizeof(pair), "%s\n%.*s", package, (int)strcspn(value, " "), value);
		code = tl_ids_of(&p->pairs, pair, strlen(pair), &id);
	}
	free(line);
	if (from)
		fclose(from);
	return code;
}

/**
 * tl_origin_packages_read() - Read which package each file is of
 * @packages: set to what is to be freed, NULL where there is no such database
 * @root: the folder that is the machine's, "" for this one's
 *
 * Return: 0 or -ENOMEM.
 */
int tl_origin_packages_read(struct tl_origin_packages **packages, const char *root)
{
	char folder[4200];
	struct dirent *entry;
	const char *end;
	int code = 0;
	DIR *dir;

	*packages = calloc(1, sizeof(**packages));
	if (!*packages)
		return -ENOMEM;
	code = status_read(*packages, root);
	snprintf(folder, sizeof(folder), "%s/var/lib/dpkg/info", root);
	dir = opendir(folder);
	while (dir && !code && (entry = readdir(dir))) {
		end = strrchr(entry->d_name, '.');
		if (end && end != entry->d_name && !strcmp(end, ".list"))
			code = list_read(*packages, folder, entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (code || (!(*packages)->files.n && !(*packages)->pairs.n)) {
		tl_origin_packages_free(*packages);
		*packages = NULL;
	}
	return code;
}

/**
 * tl_origin_package_of() - Which package a file is of
 * @packages: all; NULL for none
 * @path: the file's
 *
 * Return: the package's name, or NULL if it is of none.
 */
const char *tl_origin_package_of(const struct tl_origin_packages *packages, const char *path)
{
	uint32_t file;
	size_t len;

	if (!packages)
		return NULL;
	path = without_usr(path);
	if (!tl_ids_find(&packages->files, path, strlen(path), &file))
		return NULL;
	return tl_ids_key(&packages->names, packages->package[file], &len);
}

/**
 * tl_origin_packages_list() - Are the files of packages known?
 * @packages: all; NULL for none
 *
 * Return: whether a file that is in no list is of no package.
 */
bool tl_origin_packages_list(const struct tl_origin_packages *packages)
{
	return packages && packages->files.n;
}

/* @source: set to the name of the source; packages mostly have the same */
static void source_of(const struct tl_origin_packages *packages, const char *package, char *source, size_t room)
{
	size_t i, len, package_len = strlen(package);
	const char *pair;

	snprintf(source, room, "%s", package);
	for (i = 0; i < packages->pairs.n; i++) {
		pair = tl_ids_key(&packages->pairs, (uint32_t)i, &len);
		if (len > package_len && pair[package_len] == '\n' && !memcmp(pair, package, package_len))
			snprintf(source, room, "%s", pair + package_len + 1);
	}
}

/**
 * tl_origin_package_same() - Are two packages made of one source?
 * @packages: all; NULL for none
 * @a: a package
 * @b: another one, or the same
 *
 * Return: whether they are known to be.
 */
bool tl_origin_package_same(const struct tl_origin_packages *packages, const char *a, const char *b)
{
	char x[256], y[256];

	if (!strcmp(a, b))
		return true;
	if (!packages)
		return false;
	source_of(packages, a, x, sizeof(x));
	source_of(packages, b, y, sizeof(y));
	return !strcmp(x, y);
}

/**
 * tl_origin_packages_free() - Give back what the lists took
 * @packages: all, or NULL
 */
void tl_origin_packages_free(struct tl_origin_packages *packages)
{
	if (!packages)
		return;
	tl_ids_free(&packages->files);
	tl_ids_free(&packages->names);
	tl_ids_free(&packages->pairs);
	free(packages->package);
	free(packages);
}
