// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs that we use as filters: graphviz, gnuplot
 *
 * Without a shell, so that no name can become a command. What is written and what
 * is read are moved together: either side may fill its pipe first.
 */
#include "child.h"

#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { IN, OUT, ERR, PIPES };

struct child {
	pid_t pid;
	int fd[PIPES]; /* our ends; -1 when closed */
	const char *rest;
	size_t left;
	struct tl_bytes output, complaint;
};

static void end_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int spawn(struct child *child, const char *const *argv, int ends[PIPES])
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t defaults;
	int code, i;

	if (posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	if (posix_spawnattr_init(&attr)) {
		posix_spawn_file_actions_destroy(&actions);
		return -ENOMEM;
	}
	for (i = 0; i < PIPES; i++)
		posix_spawn_file_actions_adddup2(&actions, ends[i], i);
	/* We ignore SIGPIPE; other programs expect to die of it. */
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	code = posix_spawnp(&child->pid, argv[0], &actions, &attr, (char *const *)argv,
			    environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return -code;
}

static int start(struct child *child, const char *const *argv)
{
	int pipes[PIPES][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 } }, ends[PIPES];
	int i, code = 0;

	for (i = 0; i < PIPES && !code; i++) {
		if (pipe2(pipes[i], O_CLOEXEC))
			code = -errno;
		/* The child reads the first pipe, we read the others. */
		ends[i] = pipes[i][i == IN ? 0 : 1];
		child->fd[i] = pipes[i][i == IN ? 1 : 0];
	}
	for (; i < PIPES; i++)
		ends[i] = child->fd[i] = -1;
	if (!code)
		code = spawn(child, argv, ends);
	for (i = 0; i < PIPES; i++)
		end_close(&ends[i]);
	return code;
}

static void feed(struct child *child)
{
	ssize_t n = write(child->fd[IN], child->rest, child->left);

	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		end_close(&child->fd[IN]); /* it has read enough: its status tells */
		return;
	}
	if (n > 0) {
		child->rest += n;
		child->left -= (size_t)n;
	}
	if (!child->left)
		end_close(&child->fd[IN]);
}

static int drain(int *fd, struct tl_bytes *to)
{
	char block[16384], *grown;
	ssize_t n = read(*fd, block, sizeof(block));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		end_close(fd);
		return 0;
	}
	grown = realloc(to->data, to->len + (size_t)n + 1);
	if (!grown)
		return -ENOMEM;
	memcpy(grown + to->len, block, (size_t)n);
	to->data = grown;
	to->len += (size_t)n;
	grown[to->len] = '\0';
	return 0;
}

static int converse(struct child *child)
{
	int i, code = 0;

	for (i = 0; i < PIPES; i++)
		fcntl(child->fd[i], F_SETFL, O_NONBLOCK);
	if (!child->left)
		end_close(&child->fd[IN]);
	while (!code && (child->fd[OUT] >= 0 || child->fd[ERR] >= 0)) {
		struct pollfd fds[PIPES] = { { child->fd[IN], POLLOUT, 0 },
					     { child->fd[OUT], POLLIN, 0 },
					     { child->fd[ERR], POLLIN, 0 } };

		if (poll(fds, PIPES, -1) < 0 && errno != EINTR)
			return -errno;
		if (fds[IN].revents)
			feed(child);
		if (fds[OUT].revents)
			code = drain(&child->fd[OUT], &child->output);
		if (!code && fds[ERR].revents)
			code = drain(&child->fd[ERR], &child->complaint);
	}
	return code;
}

/* The last line that it wrote to stderr says most. */
static const char *last_line(struct tl_bytes *text)
{
	char *line;

	while (text->len && strchr("\n ", text->data[text->len - 1]))
		text->data[--text->len] = '\0';
	if (!text->len)
		return "it does not say why";
	line = strrchr(text->data, '\n');
	return line ? line + 1 : text->data;
}

static int failed(struct child *child, const char *name, struct tl_error *err)
{
	int status, code;

	do {
		code = waitpid(child->pid, &status, 0);
	} while (code < 0 && errno == EINTR);
	if (code < 0)
		return tl_error_set(err, -errno, "cannot wait for %s (%s): try again",
				    name, strerror(errno));
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return tl_error_set(err, -EIO, "%s failed (%s): check its installation", name,
			    last_line(&child->complaint));
}

/**
 * tl_child_filter() - Give a program some input and take its output
 * @argv: program and arguments, NULL at the end; the program is looked for in PATH
 * @input: what it reads
 * @output: set to what it wrote; data to be freed by the caller
 * @remedy: what to do if it is not there, for the sentence
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno, with nothing in @output.
 */
int tl_child_filter(const char *const *argv, const struct tl_bytes *input,
		    struct tl_bytes *output, const char *remedy, struct tl_error *err)
{
	struct child child = { .rest = input->data, .left = input->len };
	int code = start(&child, argv), i;

	memset(output, 0, sizeof(*output));
	if (code == -ENOENT || code == -EACCES)
		tl_error_set(err, code, "%s is not installed: %s", argv[0], remedy);
	else if (code)
		tl_error_set(err, code, "cannot start %s (%s): try again", argv[0],
			     strerror(-code));
	if (!code) {
		code = converse(&child);
		/* Closed first: without them it cannot wait for us in vain. */
		for (i = 0; i < PIPES; i++)
			end_close(&child.fd[i]);
		if (code) {
			tl_error_no_memory(err);
			waitpid(child.pid, NULL, 0);
		} else {
			code = failed(&child, argv[0], err);
		}
	}
	for (i = 0; i < PIPES; i++)
		end_close(&child.fd[i]);
	free(child.complaint.data);
	if (code)
		free(child.output.data);
	else
		*output = child.output;
	return code;
}
