// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Classes of a class path: folders, archives, and archives in archives (libzip)
 *
 * An archive's directory is read, not what is packed, but for archives in it. A damaged one is refused
 * by name; it would be silent about its classes otherwise.
 */
#include "error.h"
#include "origin-file.h"
#include "origin-rows.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#define INNER_MOST (256U << 20) /* bytes of an archive in an archive */
#define DEPTH_MOST 2
#define PATH_MOST 4000

struct reader {
	struct tl_origin_rows *rows;
	const char *root, *program;
	struct tl_error *err;
};

static bool ends(const char *text, const char *with)
{
	size_t n = strlen(text), len = strlen(with);

	return n > len && !strcasecmp(text + n - len, with);
}

static bool is_archive(const char *name)
{
	return ends(name, ".jar") || ends(name, ".war") || ends(name, ".ear");
}

/* What says something of a package or module only is no class. */
static bool is_class(const char *name)
{
	return ends(name, ".class") && !ends(name, "module-info.class") && !ends(name, "package-info.class");
}

static int add(const struct reader *r, const char *path, enum tl_origin_kind kind, int64_t mtime, int64_t size)
{
	struct tl_origin_item item = { .path = path, .program = r->program, .kind = kind, .mtime = mtime,
				       .program_mtime = TL_ORIGIN_NO_TIME, .size = size };

	return tl_origin_rows_add(r->rows, &item, r->err);
}

static int archive_read(const struct reader *r, zip_t *zip, const char *name, int depth);

static int damaged(const struct reader *r, const char *name, const char *why)
{
	return tl_error_set(r->err, -EINVAL, "%.300s: cannot read the archive (%s): get it anew, or leave it out of the class path",
			    name, why);
}

/* @bytes: the archive, which is freed. */
static int inner_open(const struct reader *r, char *bytes, size_t len, const char *name, int depth)
{
	zip_error_t fault;
	zip_source_t *source;
	zip_t *zip = NULL;
	int code;

	zip_error_init(&fault);
	source = zip_source_buffer_create(bytes, len, 1, &fault);
	if (!source)
		free(bytes);
	else
		zip = zip_open_from_source(source, ZIP_RDONLY, &fault);
	if (!zip && source)
		zip_source_free(source);
	code = zip ? archive_read(r, zip, name, depth) : damaged(r, name, zip_error_strerror(&fault));
	if (zip)
		zip_discard(zip);
	zip_error_fini(&fault);
	return code;
}

static int inner_read(const struct reader *r, zip_t *zip, const zip_stat_t *entry, const char *name, int depth)
{
	char *bytes;
	zip_file_t *file;
	zip_int64_t got;

	if (depth == DEPTH_MOST || entry->size > INNER_MOST)
		return damaged(r, name, depth == DEPTH_MOST ? "too deep in others" : "more than 256 MiB in another one");
	file = zip_fopen_index(zip, entry->index, 0);
	bytes = file ? malloc(entry->size + 1) : NULL;
	got = bytes ? zip_fread(file, bytes, entry->size) : -1;
	if (file)
		zip_fclose(file);
	if (got < 0 || (zip_uint64_t)got != entry->size) {
		free(bytes);
		return damaged(r, name, zip_strerror(zip));
	}
	return inner_open(r, bytes, entry->size, name, depth + 1);
}

static int archive_read(const struct reader *r, zip_t *zip, const char *name, int depth)
{
	zip_int64_t n = zip_get_num_entries(zip, 0), i;
	char path[PATH_MOST];
	zip_stat_t entry;
	int code = 0;

	for (i = 0; !code && i < n; i++) {
		if (zip_stat_index(zip, (zip_uint64_t)i, 0, &entry) || !(entry.valid & ZIP_STAT_NAME))
			return damaged(r, name, zip_strerror(zip));
		if ((size_t)snprintf(path, sizeof(path), "%s!/%s", name, entry.name) >= sizeof(path))
			return damaged(r, name, "a name in it is too long");
		if (is_class(entry.name))
			code = add(r, path, TL_ORIGIN_CLASS, entry.valid & ZIP_STAT_MTIME ? entry.mtime : TL_ORIGIN_NO_TIME,
				   entry.valid & ZIP_STAT_SIZE ? (int64_t)entry.size : -1);
		else if (is_archive(entry.name) && entry.valid & ZIP_STAT_SIZE)
			code = inner_read(r, zip, &entry, path, depth);
	}
	return code;
}

static int archive_open(const struct reader *r, const char *name)
{
	int fd = tl_origin_open_at(r->root, name), fault = 0, code;
	zip_error_t error;
	zip_t *zip;

	if (fd < 0)
		return tl_error_set(r->err, fd, "%s: cannot read the archive (%s): give jars and folders that are there", name,
				    strerror(-fd));
	zip = zip_fdopen(fd, 0, &fault); /* has the descriptor from now on */
	if (!zip) {
		close(fd);
		zip_error_init_with_code(&error, fault);
		code = damaged(r, name, zip_error_strerror(&error));
		zip_error_fini(&error);
		return code;
	}
	code = archive_read(r, zip, name, 0);
	zip_discard(zip);
	return code;
}

/* "Main-Class: org.shop.Main"; a start class is what a launcher starts in its turn. */
static bool manifest_find(char *text, const char *key, char *name, size_t room)
{
	char *line = strstr(text, key);

	if (!line || (line > text && line[-1] != '\n'))
		return false;
	line += strlen(key);
	line += strspn(line, " ");
	snprintf(name, room, "%.*s", (int)strcspn(line, " \r\n"), line);
	for (line = name; (line = strchr(line, '/'));)
		*line = '.';
	return *name;
}

static zip_t *quiet_open(const char *root, const char *name)
{
	int fd = tl_origin_open_at(root, name), fault;
	zip_t *zip = fd < 0 ? NULL : zip_fdopen(fd, 0, &fault);

	if (fd >= 0 && !zip)
		close(fd);
	return zip;
}

/**
 * tl_origin_main_class() - The main class that an archive says it has
 * @root: folder where files are looked at, "" for the machine's own
 * @archive: its path
 * @name: set to the class's name
 * @room: bytes there
 *
 * Return: whether it says so.
 */
bool tl_origin_main_class(const char *root, const char *archive, char *name, size_t room)
{
	char text[65536];
	zip_t *zip = is_archive(archive) ? quiet_open(root, archive) : NULL;
	zip_file_t *file = zip ? zip_fopen(zip, "META-INF/MANIFEST.MF", 0) : NULL;
	zip_int64_t got = file ? zip_fread(file, text, sizeof(text) - 1) : -1;
	bool found = false;

	if (got > 0) {
		text[got] = '\0';
		found = manifest_find(text, "Start-Class:", name, room) || manifest_find(text, "Main-Class:", name, room);
	}
	if (file)
		zip_fclose(file);
	if (zip)
		zip_discard(zip);
	return found;
}

static int folder_read(const struct reader *r, const char *name)
{
	char whole[2 * PATH_MOST], *const paths[] = { whole, NULL };
	size_t root = strlen(r->root);
	FTSENT *entry;
	int code = 0;
	FTS *fts;

	snprintf(whole, sizeof(whole), "%s%s", r->root, name);
	fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	if (!fts)
		return tl_error_no_memory(r->err);
	while (!code && (entry = fts_read(fts))) {
		if (entry->fts_info != FTS_F || entry->fts_pathlen >= PATH_MOST + root)
			continue;
		if (is_class(entry->fts_name))
			code = add(r, entry->fts_path + root, TL_ORIGIN_CLASS, entry->fts_statp->st_mtime,
				   entry->fts_statp->st_size);
		else if (is_archive(entry->fts_name))
			code = archive_open(r, entry->fts_path + root);
	}
	fts_close(fts);
	return code;
}

static int place_read(const struct reader *r, const char *name)
{
	char whole[2 * PATH_MOST], below[PATH_MOST];
	struct stat stat_;

	/* Within another root there is no folder that we are in. */
	snprintf(below, sizeof(below), "%s%s", *r->root && *name != '/' ? "/" : "", name);
	snprintf(whole, sizeof(whole), "%s%s", r->root, below);
	if (!stat(whole, &stat_) && S_ISDIR(stat_.st_mode))
		return folder_read(r, below);
	return archive_open(r, below);
}

/**
 * tl_origin_rows_classes() - The classes of a class path
 * @rows: get them
 * @root: folder where files are looked at, "" for the machine's own
 * @classpath: jars and folders, separated by colons
 * @program: whose classes they are, or NULL
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_origin_rows_classes(struct tl_origin_rows *rows, const char *root, const char *classpath, const char *program,
			   struct tl_error *err)
{
	struct reader r = { rows, root, program, err };
	char *all = strdup(classpath), *rest = all, *place, *full;
	size_t before = rows->n;
	int code = 0;

	if (!all)
		return tl_error_no_memory(err);
	while (!code && (place = strsep(&rest, ":"))) {
		if (!*place)
			continue;
		/* Paths are told whole, as a process's are. */
		full = *root || *place == '/' ? strdup(place) : realpath(place, NULL);
		if (full && strlen(full) < PATH_MOST)
			code = place_read(&r, full);
		else
			code = tl_error_set(err, -ENOENT, "%s: cannot read (%s): give jars and folders that are there", place,
					    full ? "too long" : strerror(errno));
		free(full);
	}
	free(all);
	if (!code && rows->n == before)
		return tl_error_set(err, -ENODATA, "%s: no class in it: give jars and folders with classes", classpath);
	return code;
}
