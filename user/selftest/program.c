// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The test programs: where they are, starting and stopping them
 *
 * They write to files of a directory of their own, so that none can wait for us, and
 * run in a process group of their own, so that Ctrl-C reaches us alone and whoever
 * puts things in order after us finds all of them.
 */
#include "selftest/program.h"

#include "error.h"
#include "hist.h"
#include "signals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STOP_S 8.0 /* a server gives requests in flight five */
#define LOOK_S 0.005
#define NAME "/tierlens.XXXXXX"

#if defined(__x86_64__)
#define BUILT "guest/amd64"
#elif defined(__aarch64__)
#define BUILT "guest/arm64"
#else
#define BUILT "guest"
#endif

static bool has(const char *dir, const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path) &&
	       !access(path, X_OK);
}

static bool take(struct tl_programs *programs, const char *dir, const char *below)
{
	int n = snprintf(programs->from, sizeof(programs->from), "%s%s%s", dir,
			 *below ? "/" : "", below);

	return n < (int)sizeof(programs->from) && has(programs->from, "tierserver") &&
	       has(programs->from, "load");
}

/**
 * tl_programs_find() - Find the test programs
 * @programs: from is set
 * @from: the only directory to look in; NULL for those that build and installation use
 * @err: the sentence if they are not there
 *
 * Return: 0 or a negative errno.
 */
int tl_programs_find(struct tl_programs *programs, const char *from, struct tl_error *err)
{
	static const char *const places[] = { BUILT, "../libexec/tierlens", "" };
	char self[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t i;

	if (from && take(programs, from, ""))
		return 0;
	if (from)
		return tl_error_set(err, -ENOENT, "the test programs tierserver and load "
				    "are not in %s: name another directory", from);
	self[max(n, (ssize_t)0)] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	for (i = 0; slash && i < ARRAY_SIZE(places); i++)
		if (take(programs, self, places[i]))
			return 0;
	return tl_error_set(err, -ENOENT, "the test programs tierserver and load are "
			    "neither installed nor built: make install, or name their "
			    "directory by --programs");
}

/**
 * tl_programs_open() - Make the directory that they write into
 * @programs: dir is set
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_programs_open(struct tl_programs *programs, struct tl_error *err)
{
	const char *in = getenv("TMPDIR");
	int code;

	/* Sockets have their paths in it, which must not be long. */
	if (!in || *in != '/' || strlen(in) > sizeof(programs->dir) - sizeof(NAME))
		in = "/tmp";
	sprintf(programs->dir, "%s" NAME, in);
	if (mkdtemp(programs->dir))
		return 0;
	code = -errno;
	programs->dir[0] = '\0';
	return tl_error_set(err, code, "cannot make a directory in %s (%s): make room there", in,
			    strerror(-code));
}

/**
 * tl_programs_close() - Remove the directory with all that is in it
 * @programs: opened, or not
 */
void tl_programs_close(const struct tl_programs *programs)
{
	DIR *dir = *programs->dir ? opendir(programs->dir) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	if (*programs->dir)
		rmdir(programs->dir);
}

/* Signals as a program expects them: neither caught nor ignored. */
static void set_attributes(posix_spawnattr_t *attr, pid_t group)
{
	sigset_t all;

	sigfillset(&all);
	posix_spawnattr_setsigdefault(attr, &all);
	posix_spawnattr_setpgroup(attr, group);
	posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGDEF |
				 (group ? POSIX_SPAWN_SETPGROUP : 0));
}

static void set_files(posix_spawn_file_actions_t *actions, const struct tl_program *program)
{
	char path[sizeof(program->path) + 4];
	int fd;

	posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	for (fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		sprintf(path, "%s.%s", program->path, fd == STDOUT_FILENO ? "out" : "err");
		posix_spawn_file_actions_addopen(actions, fd, path,
						 O_WRONLY | O_CREAT | O_TRUNC, 0600);
	}
}

static int spawn(const struct tl_programs *programs, struct tl_program *program,
		 const char *path, const char *const *argv)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int code;

	if (posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	if (posix_spawnattr_init(&attr)) {
		posix_spawn_file_actions_destroy(&actions);
		return -ENOMEM;
	}
	set_attributes(&attr, programs->group);
	set_files(&actions, program);
	code = posix_spawn(&program->pid, path, &actions, &attr, (char *const *)argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return -code;
}

/**
 * tl_program_start() - Start one
 * @programs: where it is
 * @program: filled in
 * @name: for sentences
 * @argv: its name in that directory and its arguments, NULL at the end; a word "LOG"
 *        is replaced by the name of a file for it
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_program_start(struct tl_programs *programs, struct tl_program *program,
		     const char *name, const char *const *argv, struct tl_error *err)
{
	const char *words[TL_PROGRAM_WORDS];
	char path[PATH_MAX];
	size_t i;
	int code;

	memset(program, 0, sizeof(*program));
	snprintf(program->name, sizeof(program->name), "%s", name);
	snprintf(program->path, sizeof(program->path), "%s/%u-%s", programs->dir,
		 programs->started++, name);
	for (i = 0; i < ARRAY_SIZE(words) - 1 && argv[i]; i++)
		words[i] = strcmp(argv[i], "LOG") ? argv[i] : program->path;
	words[i] = NULL;
	snprintf(path, sizeof(path), "%s/%s", programs->from, argv[0]);
	code = spawn(programs, program, path, words);
	if (!code)
		return 0;
	program->pid = 0;
	return tl_error_set(err, code, "cannot start %s (%s): see that it can be run", path,
			    strerror(-code));
}

/**
 * tl_program_ended() - Has it ended by itself?
 * @program: one that was started
 * @status: set to how, as waitpid() does, if it has
 *
 * Return: true if it has.
 */
bool tl_program_ended(struct tl_program *program, int *status)
{
	if (!program->pid || waitpid(program->pid, status, WNOHANG) <= 0)
		return false;
	program->pid = 0;
	return true;
}

static bool wait_for_end(struct tl_program *program, int *status, double seconds)
{
	for (; seconds > 0; seconds -= LOOK_S) {
		if (tl_program_ended(program, status))
			return true;
		tl_signals_sleep(LOOK_S);
	}
	return tl_program_ended(program, status);
}

/**
 * tl_program_stop() - Stop one in good order, or otherwise
 * @program: one that was started; nothing is done if it has ended
 * @err: the sentence if it did not end well
 *
 * Return: 0 or a negative errno.
 */
int tl_program_stop(struct tl_program *program, struct tl_error *err)
{
	int status = 0;

	if (!program->pid)
		return 0;
	if (!tl_program_ended(program, &status)) {
		kill(program->pid, SIGTERM);
		if (!wait_for_end(program, &status, STOP_S)) {
			kill(program->pid, SIGKILL);
			waitpid(program->pid, &status, 0);
			program->pid = 0;
		}
	}
	return status ? tl_program_failed(program, status, err) : 0;
}

/* The last line of a file. */
static void last_line(const char *path, char *line, size_t room)
{
	char text[400];
	FILE *from = fopen(path, "re");

	*line = '\0';
	while (from && fgets(text, sizeof(text), from))
		snprintf(line, room, "%.*s", (int)strcspn(text, "\n"), text);
	if (from)
		fclose(from);
}

/**
 * tl_program_failed() - Say why one has ended
 * @program: one that has
 * @status: as waitpid() gave it
 * @err: the sentence
 *
 * Return: a negative errno: -EOPNOTSUPP if it cannot do what it was asked for.
 */
int tl_program_failed(const struct tl_program *program, int status, struct tl_error *err)
{
	char path[sizeof(program->path) + 4], line[300];

	sprintf(path, "%s.err", program->path);
	last_line(path, line, sizeof(line));
	if (WIFSIGNALED(status))
		return tl_error_set(err, -EIO, "%s was ended by signal %d (%s): see whether "
				    "memory is short", program->name, WTERMSIG(status),
				    *line ? line : "it does not say why");
	return tl_error_set(err, WEXITSTATUS(status) == 2 ? -EOPNOTSUPP : -EIO,
			    "%s failed with status %d (%s): try again", program->name,
			    WEXITSTATUS(status), *line ? line : "it does not say why");
}

/**
 * tl_program_said() - What it has printed after a word
 * @program: one that was started
 * @after: the word that a line begins with
 * @word: set to the line's next word
 * @room: of @word
 *
 * Return: 0, or -EAGAIN if it has not yet.
 */
int tl_program_said(const struct tl_program *program, const char *after, char *word,
		    size_t room)
{
	char path[sizeof(program->path) + 4], line[300];
	size_t len = strlen(after);

	sprintf(path, "%s.out", program->path);
	last_line(path, line, sizeof(line));
	if (strncmp(line, after, len) || line[len] != ' ')
		return -EAGAIN;
	snprintf(word, room, "%s", line + len + 1);
	return 0;
}
