// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which functions of a tier are looked at
 *
 * The processes that have its sockets are found as for recordings of sync points, their programs through
 * /proc/PID/exe, which leads to the very file also if it was deleted or replaced, or is in another mount
 * namespace; libraries through maps.c, in the same way. A function is where its symbol says; the largest are first, since
 * those do most. Where libraries are in the program, linkers put them behind what is its own: there those are first
 * that follow main().
 *
 * Not everything that is called a function can be probed at its return: a part that the compiler has moved away
 * is jumped to, so what lies on the stack is no return address; a program in Go moves its stacks, and one with greenlet
 * copies them to and fro at one place. Of others that go on with other stacks the module knows (kmod/stack.c).
 */
#include "choose.h"

#include "binary.h"
#include "ctl.h"
#include "error.h"
#include "maps.h"
#include "origin.h"
#include "sync-choice.h"
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what is wanted ---------------------------------------------------------------------- */

static bool matches(char **pattern, size_t n, const char *text)
{
	while (n--)
		if (!fnmatch(pattern[n], text, 0))
			return true;
	return false;
}

static bool is_by_origin(const struct tl_origin *origin, const char *path, const char *program)
{
	const struct tl_origin_item item = { .path = path, .program = program, .kind = TL_ORIGIN_ELF,
					     .mtime = TL_ORIGIN_NO_TIME, .program_mtime = TL_ORIGIN_NO_TIME, .size = -1 };
	struct tl_origin_verdict verdict;

	return !tl_origin_judge(origin, &item, &verdict) && tl_origin_probed(&verdict);
}

/**
 * tl_choose_is_user() - Is it code of the user's own?
 * @options: patterns of files
 * @path: of the file, as its process sees it
 * @program: path of the program
 *
 * Return: whether it is the program itself, or a library that a pattern names, or one that is the user's own as far as can
 * be told; without a model for that, one next to the program or below.
 */
bool tl_choose_is_user(const struct tl_choose_options *options, const char *path, const char *program)
{
	const char *slash = strrchr(program, '/');
	size_t len = slash ? (size_t)(slash - program) + 1 : 0;

	if (!strcmp(path, program) || matches(options->user, options->users, path))
		return true;
	if (options->origin)
		return is_by_origin(options->origin, path, program);
	/* What distributions put everything into says nothing. */
	if (!len || !strncmp(program, "/usr/bin/", len) || !strncmp(program, "/usr/sbin/", len) ||
	    !strncmp(program, "/bin/", len) || !strncmp(program, "/sbin/", len))
		return false;
	return !strncmp(path, program, len);
}

/* Parts that are jumped to, and what runs as long as its thread. */
static bool can_be(const char *name)
{
	return strlen(name) <= TIERLENS_FUNCTION_NAME_MAX && !strstr(name, ".cold") && strcmp(name, "_start") &&
	       strcmp(name, "main") && strcmp(name, "_init") && strcmp(name, "_fini");
}

static bool is_wanted(const struct tl_choose_options *options, const struct tl_code *code)
{
	if (!can_be(code->name) || matches(options->not, options->nots, code->name))
		return false;
	if (options->names)
		return matches(options->name, options->names, code->name);
	return code->size >= TL_CHOOSE_BYTES && strncmp(code->name, "__", 2);
}

/* ---- a file ------------------------------------------------------------------------------ */

static void note_text(struct tl_choice *choice, const char *text)
{
	size_t used = strlen(choice->note);

	snprintf(choice->note + used, sizeof(choice->note) - used, "%s%s", used ? "; " : "", text);
}

static void note(struct tl_choice *choice, const char *path, const char *what)
{
	char text[sizeof(choice->note)];

	snprintf(text, sizeof(text), "%s: %s", path, what);
	note_text(choice, text);
}

/* Where main() is in a program that has libraries in itself; 0 if it has none, or nobody knows. */
static u64 main_of(const struct tl_binary *binary, const struct tl_code *code, size_t n)
{
	bool is_static = tl_binary_is_static(binary);
	size_t i;

	for (i = 0; i < n && is_static; i++)
		if (!strcmp(code[i].name, "main"))
			return code[i].offset;
	return 0;
}

/* What is before it is behind all. */
static u64 far_from(u64 main_at, u64 offset)
{
	if (!main_at)
		return 0;
	return offset >= main_at ? offset - main_at : (1ULL << 62) + main_at - offset;
}

static int by_likelihood(const void *a, const void *b)
{
	const struct tl_chosen *x = a, *y = b;

	if (x->far != y->far)
		return x->far < y->far ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return strcmp(x->name, y->name);
}

/**
 * tl_choice_sort() - The likeliest first
 * @choice: functions
 */
void tl_choice_sort(struct tl_choice *choice)
{
	if (choice->functions)
		qsort(choice->function, choice->functions, sizeof(*choice->function), by_likelihood);
}

/* The memory is ours, while millions of symbols may be nothing but a program's whim. */
static void least_likely_leave(struct tl_choice *choice)
{
	if (choice->functions < 2 * TL_CHOOSE_MOST)
		return;
	tl_choice_sort(choice);
	while (choice->functions > TL_CHOOSE_MOST)
		free(choice->function[--choice->functions].name);
	if (!choice->cut)
		note(choice, "functions",
		     "more than 131072 of them, so the smallest are left out: give patterns of those that matter");
	choice->cut = true;
}

static int code_add(struct tl_choice *choice, const struct tl_choose_options *options, const struct tl_code *code,
		    size_t n, struct tl_chosen like, u64 main_at)
{
	struct tl_chosen *to;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!is_wanted(options, &code[i]))
			continue;
		to = tl_array_append((void **)&choice->function, &choice->functions, sizeof(*to));
		if (!to)
			return -ENOMEM;
		*to = like;
		to->name = strdup(code[i].name);
		to->offset = code[i].offset;
		to->size = code[i].size;
		to->far = far_from(main_at, code[i].offset);
		if (!to->name) {
			choice->functions--;
			return -ENOMEM;
		}
		least_likely_leave(choice);
	}
	return 0;
}

static int binary_look(struct tl_choice *choice, const struct tl_choose_options *options, int fd, size_t file,
		       size_t program, const char *path)
{
	const char *why;
	struct tl_binary *binary = tl_binary_open(fd, &why);
	size_t n = 0, before = choice->functions;
	struct tl_code *code = NULL;
	int failed = 0;

	if (!binary) {
		note(choice, path, why);
	} else if (tl_binary_is_go(binary)) {
		note(choice, path, "is a program in Go, whose stacks move: probes at returns would break it");
	} else {
		failed = tl_binary_code(binary, &code, &n);
		failed = failed ? failed : code_add(choice, options, code, n, (struct tl_chosen){ .file = file, .program = program },
						    main_of(binary, code, n));
		if (!failed && tl_binary_refused(binary))
			note(choice, path, tl_binary_refused(binary));
		else if (!failed && !n)
			note(choice, path, "is stripped, no name of a function is left in it: install its debugging symbols");
		else if (!failed && choice->functions == before)
			note(choice, path, "has no function that is asked for");
	}
	free(code);
	tl_binary_close(binary);
	return failed;
}

/**
 * tl_choose_file() - The functions of a program or library
 * @choice: gets them
 * @options: which
 * @fd: open for reading; the choice's from now on, also after an error
 * @program: index of the file that is the program's; TL_MAPS_NO_FILE for this one
 * @path: what to call it in a note
 *
 * Return: 0, also if there are none, which is then noted; or -ENOMEM.
 */
int tl_choose_file(struct tl_choice *choice, const struct tl_choose_options *options, int fd, size_t program,
		   const char *path)
{
	size_t file = choice->files;
	int *to = tl_array_append((void **)&choice->fd, &choice->files, sizeof(*to));

	if (!to) {
		close(fd);
		return -ENOMEM;
	}
	*to = fd;
	return binary_look(choice, options, fd, file, program == TL_MAPS_NO_FILE ? file : program, path);
}

/* ---- a tier ------------------------------------------------------------------------------ */

static bool is_same(int a, int b)
{
	struct stat x, y;

	return !fstat(a, &x) && !fstat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool is_same_path(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The index of a file that is there already; TL_MAPS_NO_FILE if it is not. */
static size_t file_find(const struct tl_choice *choice, int fd)
{
	size_t i;

	for (i = 0; i < choice->files; i++)
		if (is_same(choice->fd[i], fd))
			return i;
	return TL_MAPS_NO_FILE;
}

static int libraries_add(struct tl_choice *choice, const struct tl_choose_options *options, u32 pid, size_t program,
			 const char *path)
{
	struct tl_maps maps = { 0 };
	size_t process, i;
	int code = tl_maps_look(&maps, pid, &process), fd;

	for (i = 0; !code && i < maps.files; i++) {
		const struct tl_map_file *file = &maps.file[i];

		if (file->fd < 0 || !tl_choose_is_user(options, file->path, path) ||
		    file_find(choice, file->fd) != TL_MAPS_NO_FILE)
			continue;
		fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
		code = fd < 0 ? -errno : tl_choose_file(choice, options, fd, program, file->path);
	}
	tl_maps_free(&maps);
	/* It has ended meanwhile: then there is nothing of it. */
	return code == -ENOMEM ? code : 0;
}

/* In a container it is its files that tell. */
static int libraries_of(struct tl_choice *choice, const struct tl_choose_options *options, u32 pid, size_t program,
			const char *path)
{
	struct tl_origin inside = { .sure = TL_ORIGIN_SURE };
	struct tl_choose_options all = *options;
	struct tl_error err;
	char root[64];
	int code;

	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	if (options->origin && !is_same_path(root, "/")) {
		code = tl_origin_open(&inside, NULL, root, &err);
		all.origin = code ? NULL : &inside;
		if (*inside.note)
			note_text(choice, inside.note);
	}
	code = libraries_add(choice, &all, pid, program, path);
	tl_origin_close(&inside);
	return code;
}

static int process_add(struct tl_choice *choice, const struct tl_choose_options *options, u32 pid)
{
	char link[64], path[4096];
	ssize_t len;
	size_t program;
	int fd, code;

	snprintf(link, sizeof(link), "/proc/%u/exe", pid);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	len = readlink(link, path, sizeof(path) - 1);
	if (fd < 0 || len < 0) {
		if (fd >= 0)
			close(fd);
		else if (errno != ENOENT && errno != ESRCH)
			note(choice, link, strerror(errno));
		return 0;
	}
	path[len] = '\0';
	program = file_find(choice, fd);
	if (program != TL_MAPS_NO_FILE) {
		close(fd);
		return 0;
	}
	program = choice->files;
	code = tl_choose_file(choice, options, fd, TL_MAPS_NO_FILE, path);
	return code ? code : libraries_of(choice, options, pid, program, path);
}

/**
 * tl_choose_copies_stacks() - Does a process go on with stacks that are copied to and fro at one place?
 * @pid: the process
 *
 * greenlet does, and what is made with it (gevent, eventlet).
 *
 * Return: whether it has that loaded; false if nobody may look.
 */
bool tl_choose_copies_stacks(u32 pid)
{
	char path[64], *line = NULL;
	const char *name;
	bool found = false;
	size_t size = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	maps = fopen(path, "re");
	while (maps && !found && getline(&line, &size, maps) > 0) {
		name = strrchr(line, '/');
		found = name && (!strncmp(name, "/_greenlet.", 11) || !strncmp(name, "/greenlet.", 10));
	}
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

/**
 * tl_choose() - Functions that a tier's processes may be in
 * @choice: filled in, to be given to tl_choice_free(), after an error too
 * @options: which
 * @tiers: [@n] all
 * @tier: name of the tier
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_choose(struct tl_choice *choice, const struct tl_choose_options *options, const struct tl_tier_info *tiers,
	      size_t n, const char *tier, struct tl_error *err)
{
	struct tl_sync_request processes = { 0 };
	size_t i;
	int code;

	memset(choice, 0, sizeof(*choice));
	code = tl_sync_choose_tier(&processes, tiers, n, tier, err);
	/* More of them than it takes run the same program, mostly. */
	if (code && !processes.processes)
		return code;
	for (i = 0; i < processes.processes; i++) {
		if (tl_choose_copies_stacks(processes.process[i]))
			return tl_error_set(err, -EOPNOTSUPP, "no function of tier %s can be probed: process %u has greenlet, which copies stacks "
					    "to and fro, and probes at returns would break it", tier, processes.process[i]);
		if (process_add(choice, options, processes.process[i]))
			return tl_error_no_memory(err);
	}
	tl_choice_sort(choice);
	if (!choice->functions)
		return tl_error_set(err, -ENOENT, "no function of tier %s can be probed: %s", tier,
				    *choice->note ? choice->note : "its processes have ended");
	return 0;
}

/**
 * tl_choice_probe() - Have one of them probed
 * @choice: functions
 * @chosen: the one
 * @ctl: connection
 * @tier: that is at method
 * @rate_max: calls a second above which the kernel drops it, 0 for its own bound
 * @id: set to its number
 * @err: the kernel's sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_choice_probe(const struct tl_choice *choice, const struct tl_chosen *chosen, struct tl_ctl *ctl,
		    const char *tier, u32 rate_max, u32 *id, struct tl_error *err)
{
	const struct tl_function_request request = {
		.tier = tier, .name = chosen->name, .file = choice->fd[chosen->file],
		.program = choice->fd[chosen->program], .offset = chosen->offset, .rate_max = rate_max,
	};

	return tl_ctl_function_add(ctl, &request, id, err);
}

/**
 * tl_choice_is_over() - Whether no other function will be probed either
 * @code: what tl_choice_probe() has returned
 */
bool tl_choice_is_over(int code)
{
	return code == -ENOSPC || code == -ENOMEM || code == -EBUSY || code == -EPERM || code == -EOPNOTSUPP ||
	       code == -ETIMEDOUT;
}

/**
 * tl_choice_free() - Free what was chosen
 * @choice: choice
 */
void tl_choice_free(struct tl_choice *choice)
{
	size_t i;

	for (i = 0; i < choice->functions; i++)
		free(choice->function[i].name);
	for (i = 0; i < choice->files; i++)
		close(choice->fd[i]);
	free(choice->function);
	free(choice->fd);
	memset(choice, 0, sizeof(*choice));
}
