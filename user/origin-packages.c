// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which package of the distribution a file is of, and which packages are made of one source, by dpkg's
 * lists and status
 *
 * A list is a line a file, and the lists are a few hundred; all of them are read at once, which takes
 * less than asking dpkg for a few. /lib and /usr/lib are one folder on most machines while lists
 * have what was meant before, so /usr in front counts on neither side.
 *
 * The root may be that of a process that is measured, where anything may lie in place of these files: they are
 * opened as all files of such a root are, and have bounds. Where one of them cannot be used nothing is known of
 * packages, as if there were none: with half of the lists a file of the other half would be of no package.
 */
#include "origin-packages.h"

#include "error.h"
#include "model/ids.h"
#include "origin-file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define STATUS "/var/lib/dpkg/status"
#define INFO "/var/lib/dpkg/info"

/*
 * Of large systems the largest list has 4 MB, the status 10, all lists 30 with half a million lines, and the longest
 * line is what a package depends on. All of Debian is 60,000 packages, each with some six files in the folder.
 */
#define FILE_MOST (32U << 20)
#define LINE_MOST (1U << 20)
#define READ_MOST (128U << 20)
#define ENTRIES_MOST 1000000U

/* Of memory, of which tierlensd has 256 MiB: texts, and of each the number and its slots. */
#define KEY_COST 32
#define KEPT_MOST (48U << 20)
#define KEPT_MOST_OWN (128U << 20) /* this machine's own files are root's */

/**
 * struct tl_origin_packages - Files of packages
 * @files: their paths
 * @package: [@room] of each the number of its name in @names
 * @pairs: "package\nsource" of those whose source has another name
 */
struct tl_origin_packages {
	struct tl_ids files, names, pairs;
	uint32_t *package;
	size_t room, kept;
};

/**
 * struct reader - What reads them
 * @p: gets them
 * @from: the file, @line: [@len] its last line, without the newline
 * @in_file: bytes of it, @in_all: of all
 * @kept_most: bytes of memory
 * @note: why nothing is known
 */
struct reader {
	struct tl_origin_packages *p;
	const char *root;
	FILE *from;
	char *line;
	size_t len, in_file, in_all, kept_most;
	struct tl_error *note;
};

/* Return: -EBADF, as of all that makes the whole useless. */
static int useless(const struct reader *r, const char *path, const char *why)
{
	return tl_error_set(r->note, -EBADF, "%.200s%.290s: %s: origins are told as if no package were known there",
			    r->root, path, why);
}

/* ---- lines ------------------------------------------------------------------------------- */

/* Return: 1 with @from open, 0 if there is no such file, or a negative errno. */
static int file_open(struct reader *r, const char *path)
{
	int fd = tl_origin_open_at(r->root, path);
	struct stat stat;

	if (fd == -ENOENT)
		return tl_origin_is_at(r->root, path) ? useless(r, path, "this is a link that leads nowhere there") : 0;
	if (fd < 0)
		return useless(r, path, fd == -EINVAL ? "this is no plain file" : strerror(-fd));
	if (!fstat(fd, &stat) && stat.st_size > FILE_MOST) {
		close(fd);
		return useless(r, path, "more than 32 MiB");
	}
	r->from = fdopen(fd, "r");
	if (!r->from) {
		close(fd);
		return -ENOMEM;
	}
	r->in_file = 0;
	return 1;
}

/* It may grow meanwhile, so what was read counts. Return: 1, 0 at the end, or a negative errno. */
static int line_get(struct reader *r, const char *path)
{
	int c;

	r->len = 0;
	while ((c = getc_unlocked(r->from)) != EOF && c != '\n') {
		if (r->len == LINE_MOST)
			return useless(r, path, "a line of more than 1 MiB");
		r->line[r->len++] = (char)c;
	}
	r->line[r->len] = '\0';
	r->in_file += r->len + 1;
	r->in_all += r->len + 1;
	if (ferror(r->from))
		return useless(r, path, strerror(errno));
	if (r->in_file > FILE_MOST)
		return useless(r, path, "more than 32 MiB");
	if (r->in_all > READ_MOST)
		return useless(r, INFO, "more than 128 MiB in all");
	return c != EOF || r->len;
}

static int key_of(struct reader *r, struct tl_ids *ids, const char *key, size_t len, uint32_t *id)
{
	size_t n = ids->n;

	if (tl_ids_of(ids, key, len, id))
		return -ENOMEM;
	if (ids->n > n)
		r->p->kept += len + KEY_COST;
	return r->p->kept > r->kept_most ? useless(r, INFO, "more files and packages than there are in Debian") : 0;
}

/* ---- lists and status -------------------------------------------------------------------- */

static const char *without_usr(const char *path)
{
	return strncmp(path, "/usr/", 5) ? path : path + 4;
}

static int file_add(struct reader *r, const char *path, uint32_t package)
{
	struct tl_origin_packages *p = r->p;
	size_t n = p->files.n, room = p->room ? 2 * p->room : 4096;
	uint32_t file, *grown;
	int code;

	path = without_usr(path);
	code = key_of(r, &p->files, path, strlen(path), &file);
	/* Of a folder that many have the first one stays: nobody asks. */
	if (code || p->files.n == n)
		return code;
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
static int list_read(struct reader *r, const char *name)
{
	size_t len = strcspn(name, ":");
	char path[400];
	uint32_t package;
	int code;

	if (!name[len])
		len = strlen(name) - strlen(".list");
	snprintf(path, sizeof(path), INFO "/%s", name);
	code = file_open(r, path);
	if (code <= 0)
		return code; /* one that was removed just now */
	code = key_of(r, &r->p->names, name, len, &package);
	while (!code && (code = line_get(r, path)) > 0)
		code = *r->line ? file_add(r, r->line, package) : 0;
	fclose(r->from);
	return code;
}

static const char *value_of(const char *line, const char *key)
{
	size_t len = strlen(key);

	return strncmp(line, key, len) ? NULL : line + len;
}

static int status_read(struct reader *r)
{
	char package[256] = "", pair[600];
	const char *value;
	uint32_t id;
	int code = file_open(r, STATUS);

	if (code <= 0)
		return code;
	for (code = 0; !code && (code = line_get(r, STATUS)) > 0;) {
		code = 0;
		value = value_of(r->line, "Package: ");
		if (value)
			snprintf(package, sizeof(package), "%s", value);
		value = value_of(r->line, "Source: ");
		if (!value)
			continue;
		/* "gcc-12 (12.2.0-14)" */
		snprintf(pair, sizeof(pair), "%s\n%.*s", package, (int)strcspn(value, " "), value);
		code = key_of(r, &r->p->pairs, pair, strlen(pair), &id);
	}
	fclose(r->from);
	return code;
}

static int lists_read(struct reader *r)
{
	int fd = tl_origin_folder_at(r->root, INFO), code = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	size_t entries = 0;
	const char *end;

	if (fd >= 0 && !dir) {
		close(fd);
		return -ENOMEM;
	}
	if (fd < 0)
		return fd == -ENOENT && !tl_origin_is_at(r->root, INFO) ? 0 : useless(r, INFO, strerror(-fd));
	while (!code && (entry = readdir(dir))) {
		end = strrchr(entry->d_name, '.');
		if (++entries > ENTRIES_MOST)
			code = useless(r, INFO, "more than 1000000 files");
		else if (end && end != entry->d_name && !strcmp(end, ".list"))
			code = list_read(r, entry->d_name);
	}
	closedir(dir);
	return code;
}

/**
 * tl_origin_packages_read() - Read which package each file is of
 * @packages: set to what is to be freed, NULL where there is no such database, or none that can be used
 * @root: the folder that is the machine's, "" for this one's
 * @note: set to why it cannot be used, "" if it can or there is none
 *
 * Return: 0 or -ENOMEM.
 */
int tl_origin_packages_read(struct tl_origin_packages **packages, const char *root, struct tl_error *note)
{
	struct reader r = { .p = calloc(1, sizeof(*r.p)), .root = root, .line = malloc(LINE_MOST + 1), .note = note };
	int code = -ENOMEM;

	r.kept_most = *root ? KEPT_MOST : KEPT_MOST_OWN;
	*note->text = '\0';
	if (r.line && r.p)
		code = status_read(&r);
	code = code ? code : lists_read(&r);
	free(r.line);
	if (code || (!r.p->files.n && !r.p->pairs.n)) {
		tl_origin_packages_free(r.p);
		r.p = NULL;
	}
	*packages = r.p;
	return code == -EBADF ? 0 : code;
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
