// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a program is made of: what a process has mapped and opened, or what the program asks for before
 * it runs
 *
 * Libraries that a program asks for are looked for where the loader does: its own run path, and the
 * folders of libraries.
 */
#include "error.h"
#include "maps.h"
#include "model/ids.h"
#include "origin-file.h"
#include "origin-rows.h"
#include "sections.h"

#include <dirent.h>
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_MOST 4000
#define OBJECTS_MOST 10000

static bool has(const struct tl_origin_rows *rows, const char *path)
{
	size_t i;

	for (i = 0; i < rows->n; i++)
		if (!strcmp(rows->row[i].path, path))
			return true;
	return false;
}

static int add(struct tl_origin_rows *rows, const char *path, const char *program, enum tl_origin_kind kind, struct tl_error *err)
{
	struct tl_origin_item item = { .path = path, .program = program, .kind = kind, .mtime = TL_ORIGIN_NO_TIME,
				       .program_mtime = TL_ORIGIN_NO_TIME, .size = -1 };

	return has(rows, path) ? 0 : tl_origin_rows_add(rows, &item, err);
}

/* ---- a process --------------------------------------------------------------------------- */

/* Java machines read jars; they do not map them. */
static int jars_add(struct tl_origin_rows *rows, uint32_t pid, const char *program, struct tl_error *err)
{
	char folder[64], link[400], path[PATH_MOST];
	struct dirent *entry;
	int code = 0;
	ssize_t len;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%u/fd", pid);
	dir = opendir(folder);
	while (dir && !code && (entry = readdir(dir))) {
		snprintf(link, sizeof(link), "%s/%s", folder, entry->d_name);
		len = readlink(link, path, sizeof(path) - 1);
		if (len <= 4)
			continue;
		path[len] = '\0';
		if (*path == '/' && !strcasecmp(path + len - 4, ".jar"))
			code = add(rows, path, program, TL_ORIGIN_JAR, err);
	}
	if (dir)
		closedir(dir);
	return code;
}

static int maps_add(struct tl_origin_rows *rows, const struct tl_maps *maps, const char *program, struct tl_error *err)
{
	const struct tl_map_process *process = &maps->process[0];
	const char *path;
	size_t i;
	int code = 0;

	for (i = 0; !code && i < process->n; i++) {
		if (!process->map[i].code || process->map[i].file == TL_MAPS_NO_FILE)
			continue;
		path = maps->file[process->map[i].file].path;
		if (*path == '/')
			code = add(rows, path, program, TL_ORIGIN_ELF, err);
	}
	return code;
}

/**
 * tl_origin_rows_pid() - What a process has mapped of code, and jars that it has open
 * @rows: get them
 * @pid: of which
 * @root: set to the folder where its files are seen from here, to be freed
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_origin_rows_pid(struct tl_origin_rows *rows, uint32_t pid, char **root, struct tl_error *err)
{
	struct tl_maps maps = { 0 };
	char link[64], program[PATH_MOST];
	ssize_t len;
	int code;

	if (asprintf(root, "/proc/%u/root", pid) < 0) {
		*root = NULL;
		return tl_error_no_memory(err);
	}
	snprintf(link, sizeof(link), "/proc/%u/exe", pid);
	len = readlink(link, program, sizeof(program) - 1);
	code = len < 0 ? -errno : tl_maps_look(&maps, pid, NULL);
	if (code) {
		tl_maps_free(&maps);
		return tl_error_set(err, code, "process %u cannot be looked at (%s): give one that runs, as root if it is another's",
				    pid, strerror(-code));
	}
	program[len] = '\0';
	code = maps_add(rows, &maps, program, err);
	code = code ? code : jars_add(rows, pid, program, err);
	tl_maps_free(&maps);
	return code;
}

/* ---- a program that does not run --------------------------------------------------------- */

struct search {
	struct tl_origin_rows *rows;
	const char *root, *program;
	struct tl_error *err;
	struct tl_ids configured; /* folders, in the loader's order */
};

static const char *const usual[] = { "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
				     "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib" };

static bool is_there(const struct search *s, const char *path)
{
	int fd = tl_origin_open_at(s->root, path);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* "$ORIGIN/../lib:/opt/shop/lib" of the object at @from */
static bool run_path_find(const struct search *s, const char *run, const char *from, const char *name, char *path)
{
	const char *end, *rest, *slash = strrchr(from, '/');
	size_t len;

	for (; run && *run; run = *end ? end + 1 : end) {
		end = run + strcspn(run, ":");
		len = (size_t)(end - run);
		rest = run;
		if (len >= 7 && !memcmp(run, "$ORIGIN", 7))
			rest = run + 7;
		else if (len >= 9 && !memcmp(run, "${ORIGIN}", 9))
			rest = run + 9;
		snprintf(path, PATH_MOST, "%.*s%.*s/%s", rest > run ? (int)(slash - from) : 0, from, (int)(end - rest), rest, name);
		if (len && is_there(s, path))
			return true;
	}
	return false;
}

static bool folder_find(const struct search *s, const char *folder, const char *name, char *path)
{
	snprintf(path, PATH_MOST, "%s/%s", folder, name);
	return is_there(s, path);
}

static bool library_find(const struct search *s, const char *run, const char *from, const char *name, char *path)
{
	size_t i;

	if (strchr(name, '/')) {
		snprintf(path, PATH_MOST, "%s", name);
		return is_there(s, path);
	}
	if (run_path_find(s, run, from, name, path))
		return true;
	for (i = 0; i < s->configured.n; i++)
		if (folder_find(s, tl_ids_key(&s->configured, (uint32_t)i, NULL), name, path))
			return true;
	for (i = 0; i < ARRAY_SIZE(usual); i++)
		if (folder_find(s, usual[i], name, path))
			return true;
	return false;
}

/* ---- where the loader looks -------------------------------------------------------------- */

/*
 * The root may be anybody's: these files are opened as all of it are, and have bounds. Debian's are a few lines each. What
 * is beyond them, or no plain file, is as if it were not there: a library that is not found is left out anyway.
 */
#define CONF_FOLDER "/etc/ld.so.conf.d"
#define CONF_MOST 65536U
#define CONFS_MOST 1000
#define FOLDERS_MOST 1000U

/* @text: CONF_MOST bytes to read it into, and one. Return: 0 or -ENOMEM. */
static int conf_read(struct tl_ids *folders, const char *root, const char *conf, char *text)
{
	int fd = tl_origin_open_at(root, conf), code = 0;
	char *line, *rest = text;
	uint32_t number;
	ssize_t len;

	if (fd < 0)
		return 0;
	len = read(fd, text, CONF_MOST);
	close(fd);
	text[len < 0 ? 0 : len] = '\0';
	/* Where there is more, the last line may be half a name. */
	while (!code && (line = strsep(&rest, "\n")) && (rest || len < (ssize_t)CONF_MOST)) {
		line[strcspn(line, " \t\r#")] = '\0';
		if (*line == '/' && folders->n < FOLDERS_MOST)
			code = tl_ids_of(folders, line, strlen(line), &number);
	}
	return code;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Return: how many of *.conf there are in @dir, @name: [CONFS_MOST] of them, sorted as the loader does; or -ENOMEM. */
static int confs_list(DIR *dir, char **name)
{
	struct dirent *entry;
	int n = 0;

	while (n < CONFS_MOST && (entry = readdir(dir))) {
		const char *end = strrchr(entry->d_name, '.');

		if (!end || end == entry->d_name || strcmp(end, ".conf"))
			continue;
		name[n] = strdup(entry->d_name);
		if (!name[n])
			return -ENOMEM;
		n++;
	}
	qsort(name, (size_t)n, sizeof(*name), by_name);
	return n;
}

static int confs_read(struct tl_ids *folders, const char *root, DIR *dir)
{
	char *name[CONFS_MOST] = { NULL }, *text = malloc(CONF_MOST + 1), path[400];
	int n = text ? confs_list(dir, name) : -ENOMEM, code = n < 0 ? n : 0, i;

	for (i = 0; i < CONFS_MOST && name[i]; i++) {
		snprintf(path, sizeof(path), CONF_FOLDER "/%s", name[i]);
		code = code ? code : conf_read(folders, root, path, text);
		free(name[i]);
	}
	free(text);
	return code;
}

/* Return: 0, also where there are none, or -ENOMEM. */
static int folders_read(struct tl_ids *folders, const char *root)
{
	int fd = tl_origin_folder_at(root, CONF_FOLDER), code;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir)
		close(fd);
	if (!dir)
		return 0;
	code = confs_read(folders, root, dir);
	closedir(dir);
	return code;
}

/* ---- what an object asks for ------------------------------------------------------------- */

/* An object that is looked at. */
struct object {
	Elf *elf;
	const char *path;
	struct tl_sections sections;
};

static const char *dynamic_text(struct object *o, const GElf_Shdr *head, Elf_Data *data, int i, int64_t tag)
{
	GElf_Dyn dyn;

	if (!gelf_getdyn(data, i, &dyn) || dyn.d_tag != tag)
		return NULL;
	return tl_sections_name(&o->sections, o->elf, head->sh_link, dyn.d_un.d_val);
}

static int needed_add(const struct search *s, struct object *o, const GElf_Shdr *head, Elf_Data *data)
{
	int i, n = head->sh_entsize ? (int)(data->d_size / head->sh_entsize) : 0, code = 0;
	const char *run = NULL, *name;
	char path[PATH_MOST];

	for (i = 0; i < n && !run; i++) {
		run = dynamic_text(o, head, data, i, DT_RUNPATH);
		run = run ? run : dynamic_text(o, head, data, i, DT_RPATH);
	}
	for (i = 0; i < n && !code; i++) {
		name = dynamic_text(o, head, data, i, DT_NEEDED);
		if (name && library_find(s, run, o->path, name, path))
			code = add(s->rows, path, s->program, TL_ORIGIN_ELF, s->err);
	}
	return code;
}

static int object_read(const struct search *s, const char *path)
{
	int fd = tl_origin_open_at(s->root, path), code = 0;
	struct object o = { .path = path };
	Elf_Scn *section = NULL;
	Elf_Data *data;
	GElf_Shdr head;

	if (fd < 0)
		return tl_error_set(s->err, fd, "%s: cannot read (%s): give a program that is there", path, strerror(-fd));
	o.elf = tl_sections_begin(fd, &o.sections);
	if (!o.sections.refused && (!o.elf || elf_kind(o.elf) != ELF_K_ELF))
		code = tl_error_set(s->err, -ENOEXEC, "%s: this is no ELF file: give a program, or jars by --classpath", path);
	while (!code && (section = elf_nextscn(o.elf, section))) {
		if (!gelf_getshdr(section, &head) || head.sh_type != SHT_DYNAMIC)
			continue;
		data = tl_sections_data(&o.sections, section, &head);
		code = data ? needed_add(s, &o, &head, data) : 0;
	}
	if (!code && o.sections.refused)
		code = tl_error_set(s->err, -EFBIG, "%s: %s", path, o.sections.refused);
	elf_end(o.elf);
	close(fd);
	return code;
}

/**
 * tl_origin_rows_program() - A program and the libraries that it asks for, and those that they do
 * @rows: get them
 * @root: folder where files are looked at, "" for the machine's own
 * @program: path of the program
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_origin_rows_program(struct tl_origin_rows *rows, const char *root, const char *program, struct tl_error *err)
{
	char *full = *root || *program == '/' ? strdup(program) : realpath(program, NULL);
	struct search s = { .rows = rows, .root = root, .program = full, .err = err };
	size_t i = rows->n;
	int code;

	if (!full)
		return tl_error_set(err, -errno, "%s: cannot read (%s): give a program that is there", program, strerror(errno));
	code = folders_read(&s.configured, root) ? tl_error_no_memory(err) : add(rows, full, full, TL_ORIGIN_ELF, err);
	for (; !code && i < rows->n && i < OBJECTS_MOST; i++)
		code = object_read(&s, rows->row[i].path);
	tl_ids_free(&s.configured);
	free(full);
	return code;
}
