// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is mapped where in processes that are recorded
 *
 * A process is looked at several times, for libraries come while it runs and it may end any
 * time; each look adds to what is known. Files are opened as soon as they are seen, because
 * afterwards nobody knows their names any more: through map_files, which leads to the very
 * file also if it was deleted or is in another mount namespace; where that is not allowed by
 * path, if mapping it here shows the same device and inode, which fstat() does not tell of
 * an overlay.
 */
#include "maps.h"

#include "clock.h"
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct line {
	struct tl_map map;
	u64 dev, inode;
	const char *path;
};

/* "start-end rwxp offset major:minor inode   path" */
static bool line_read(char *text, struct line *line)
{
	unsigned int major, minor;
	char how[5];
	int path = 0;

	text[strcspn(text, "\n")] = '\0';
	memset(line, 0, sizeof(*line));
	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &line->map.start,
		   &line->map.end, how, &line->map.offset, &major, &minor, &line->inode, &path) < 7 || !path)
		return false;
	line->map.code = strlen(how) == 4 && how[2] == 'x';
	line->map.shared = strlen(how) == 4 && how[3] == 's';
	line->dev = (u64)major << 32 | minor;
	line->path = text + path;
	return line->map.start < line->map.end;
}

static FILE *maps_open(const char *process)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/maps", process);
	return fopen(path, "re");
}

/* ---- files --------------------------------------------------------------------------- */

/* What maps says of a file that is open here. */
static bool is_file(int fd, const struct line *wanted)
{
	void *at = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	FILE *from = at == MAP_FAILED ? NULL : maps_open("self");
	struct line line;
	bool same = false;
	char *text = NULL;
	size_t room = 0;

	while (from && !same && getline(&text, &room, from) > 0)
		same = line_read(text, &line) && line.map.start == (uintptr_t)at &&
		       line.dev == wanted->dev && line.inode == wanted->inode;
	free(text);
	if (from)
		fclose(from);
	if (at != MAP_FAILED)
		munmap(at, 1);
	return same;
}

static int code_open(u32 pid, const struct line *line)
{
	char path[4200];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid, line->map.start,
		 line->map.end);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%u/root%s", pid, line->path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && !is_file(fd, line)) {
		close(fd);
		fd = -ESTALE;
	}
	return fd;
}

/* Those without an inode are the kernel's, and the same in all processes. */
static bool same_file(const struct tl_map_file *file, const struct line *line)
{
	return file->dev == line->dev && file->inode == line->inode &&
	       (line->inode || !strcmp(file->path, line->path));
}

static u32 file_of(struct tl_maps *maps, u32 pid, const struct line *line)
{
	struct tl_map_file *file;
	char *path;
	size_t i;

	if (!line->inode && *line->path != '[')
		return TL_MAPS_NO_FILE;
	for (i = 0; i < maps->files; i++)
		if (same_file(&maps->file[i], line))
			break;
	if (i == maps->files) {
		path = strdup(line->path);
		file = path ? tl_array_append((void **)&maps->file, &maps->files, sizeof(*file)) : NULL;
		if (!file) {
			free(path);
			return TL_MAPS_NO_FILE;
		}
		*file = (struct tl_map_file){ line->dev, line->inode, path, -1 };
	}
	file = &maps->file[i];
	if (file->fd < 0 && line->map.code && line->inode)
		file->fd = code_open(pid, line);
	return (u32)i;
}

/* ---- processes ----------------------------------------------------------------------- */

/* Index of the first one that ends beyond an address. */
static size_t place_of(const struct tl_map_process *process, u64 address)
{
	size_t low = 0, high = process->n, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (process->map[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* In place of all that it covers. */
static int map_add(struct tl_map_process *process, const struct tl_map *map)
{
	size_t at = place_of(process, map->start), end = at;
	struct tl_map *grown;

	while (end < process->n && process->map[end].start < map->end)
		end++;
	if (end == at) {
		grown = reallocarray(process->map, process->n + 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		process->map = grown;
	}
	memmove(process->map + at + 1, process->map + end, (process->n - end) * sizeof(*map));
	process->n += at + 1;
	process->n -= end;
	process->map[at] = *map;
	return 0;
}

static int maps_read(struct tl_maps *maps, size_t process, FILE *from)
{
	struct tl_map_process *to = &maps->process[process];
	size_t room = 0, n = 0;
	struct line line;
	char *text = NULL;
	int code = 0;

	while (!code && getline(&text, &room, from) > 0) {
		if (!line_read(text, &line))
			continue;
		n++;
		if (!line.map.code && !line.map.shared)
			continue;
		line.map.file = file_of(maps, to->pid, &line);
		code = map_add(to, &line.map);
	}
	free(text);
	return code ? code : n ? 0 : -ESRCH; /* one that ends has no memory any more */
}

/**
 * tl_maps_process() - What is known of a process
 * @maps: of all
 * @pid: its number
 *
 * Return: it, or NULL; it moves when another one is added.
 */
struct tl_map_process *tl_maps_process(const struct tl_maps *maps, u32 pid)
{
	size_t i;

	for (i = 0; i < maps->processes; i++)
		if (maps->process[i].pid == pid)
			return &maps->process[i];
	return NULL;
}

/**
 * tl_maps_look() - Look at what a process has mapped now
 * @maps: gets it
 * @pid: its number
 * @process: set to its index; may be NULL
 *
 * Return: 0; -ENOMEM; another negative errno if it is not there, what was known of it stays.
 */
int tl_maps_look(struct tl_maps *maps, u32 pid, size_t *process)
{
	struct tl_map_process *it = tl_maps_process(maps, pid);
	char name[16];
	FILE *from;
	int code;

	if (!it)
		it = tl_array_append((void **)&maps->process, &maps->processes, sizeof(*it));
	if (!it)
		return -ENOMEM;
	it->pid = pid;
	it->looked_ns = tl_clock_ns(CLOCK_MONOTONIC);
	if (process)
		*process = (size_t)(it - maps->process);
	if (it->gone)
		return -ESRCH;
	snprintf(name, sizeof(name), "%u", pid);
	from = maps_open(name);
	if (!from)
		return -errno;
	code = maps_read(maps, (size_t)(it - maps->process), from);
	fclose(from);
	return code;
}

/**
 * tl_maps_fork() - A process has what the one has that made it, until it runs another program
 * @maps: gets it
 * @parent: number of the one that made it
 * @child: its number
 *
 * Return: 0; -ENOMEM; -ESRCH if the parent is not known.
 */
int tl_maps_fork(struct tl_maps *maps, u32 parent, u32 child)
{
	struct tl_map_process *to, *from;

	if (!tl_maps_process(maps, parent))
		return -ESRCH;
	to = tl_array_append((void **)&maps->process, &maps->processes, sizeof(*to));
	if (!to)
		return -ENOMEM;
	to->pid = child;
	from = tl_maps_process(maps, parent);
	to->map = calloc(from->n + 1, sizeof(*to->map));
	if (!to->map)
		return -ENOMEM;
	memcpy(to->map, from->map, from->n * sizeof(*to->map));
	to->n = from->n;
	to->gone = from->gone;
	to->looked_ns = tl_clock_ns(CLOCK_MONOTONIC);
	return 0;
}

/**
 * tl_maps_find() - What is mapped at an address
 * @process: of which
 * @address: where
 *
 * Return: it, or NULL if that is neither code nor shared, or nothing.
 */
const struct tl_map *tl_maps_find(const struct tl_map_process *process, u64 address)
{
	size_t at = place_of(process, address);

	return at < process->n && process->map[at].start <= address ? &process->map[at] : NULL;
}

/**
 * tl_maps_free() - Free what is known, and close the files
 * @maps: of all
 */
void tl_maps_free(struct tl_maps *maps)
{
	size_t i;

	for (i = 0; i < maps->processes; i++)
		free(maps->process[i].map);
	for (i = 0; i < maps->files; i++) {
		free(maps->file[i].path);
		if (maps->file[i].fd >= 0)
			close(maps->file[i].fd);
	}
	free(maps->process);
	free(maps->file);
	*maps = (struct tl_maps){ 0 };
}
