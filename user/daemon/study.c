// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What takes longer than a page may wait for: demands, capacity
 *
 * A study is computed by a process of its own, of this very program (study-run.c), when somebody asks and what is there is
 * old. Whoever asks gets at once what there is, or that it is being made. The process has little memory and little time;
 * whatever becomes of it, the loop and the server go on. One runs at a time, on a thread that waits for it.
 */
#include "daemon/study.h"

#include "clock.h"
#include "daemon/board.h"

#include <errno.h>
#include <poll.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define AGE_S 60 /* of a study that is made anew */
#define WAIT_S 120 /* for a process that is not given a processor, at most */
#define SPAN_S 3600 /* that it is made of, */
#define INTERVALS 3600 /* and so many intervals at most */
#define ANSWER_BYTES (4UL << 20)
#define PROGRAM "/proc/self/exe"
#define NO_HISTORY "{\"state\":\"failed\",\"error\":\"no history is kept: start tierlensd with --history FILE\"}"
#define WORKING "{\"state\":\"working\"}"
#define TOO_MUCH "{\"error\":\"it took more memory or time than there is for it: ask the command tierlens of the same file\"}"

/**
 * struct study - One of them
 * @text: the last answer, NULL for none; made at @made_s on the monotonic clock
 * @wanted: somebody waits for another
 */
struct study {
	char *text;
	double made_s;
	bool wanted;
};

/**
 * struct tl_studies - All of them, and the thread that makes them
 * @lock: protects all else
 * @running: the thread is, or was and has not been joined
 * @done: it has nothing more to do
 * @pid: of the process that it waits for, 0 for none
 */
struct tl_studies {
	pthread_mutex_t lock;
	struct tl_board *board;
	struct study study[TL_STUDY_KINDS];
	pthread_t thread;
	bool running, done, ending;
	pid_t pid;
};

/* ---- the process --------------------------------------------------------- */

/* Return: -1 if it does not start. */
static pid_t start(char *const *argv, int out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	pid_t pid = -1;

	if (posix_spawn_file_actions_init(&actions))
		return -1;
	if (!posix_spawnattr_init(&attr)) {
		sigemptyset(&none);
		posix_spawnattr_setsigmask(&attr, &none);
		posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
		posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
		posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
		if (posix_spawn(&pid, PROGRAM, &actions, &attr, argv, environ))
			pid = -1;
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

/* All that it says, as text; NULL if that is too much, takes too long, or there is no memory. */
static char *listen_to(int fd)
{
	size_t len = 0, room = 1 << 16;
	char *text = malloc(room), *grown;
	struct pollfd from = { fd, POLLIN, 0 };
	double until_s = tl_clock_s(CLOCK_MONOTONIC) + WAIT_S;
	ssize_t n = 1;

	while (text && n && len + 1 < ANSWER_BYTES && tl_clock_s(CLOCK_MONOTONIC) < until_s) {
		if (poll(&from, 1, 1000) <= 0)
			continue;
		n = read(fd, text + len, room - len - 1);
		if (n < 0 && errno != EINTR)
			break;
		len += n > 0 ? (size_t)n : 0;
		if (len + 1 < room)
			continue;
		grown = realloc(text, room *= 2);
		if (!grown)
			break;
		text = grown;
	}
	if (text && !n && len) {
		text[len] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

/* Return: whether it may go on, and is known. */
static bool tell_pid(struct tl_studies *studies, pid_t pid)
{
	bool may;

	pthread_mutex_lock(&studies->lock);
	studies->pid = pid;
	may = !studies->ending;
	pthread_mutex_unlock(&studies->lock);
	return may;
}

/* What the process says; NULL if it came to nothing. */
static char *converse(struct tl_studies *studies, char *const *argv)
{
	int ends[2], status = 0;
	char *text = NULL;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	pid = start(argv, ends[1]);
	close(ends[1]);
	if (pid > 0) {
		if (!tell_pid(studies, pid))
			kill(pid, SIGKILL);
		text = listen_to(ends[0]);
		if (!text)
			kill(pid, SIGKILL);
		/* Nobody kills it after it is waited for: its number may be another's then. */
		waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
		tell_pid(studies, 0);
		waitpid(pid, &status, 0);
	}
	close(ends[0]);
	if (text && (!WIFEXITED(status) || WEXITSTATUS(status))) {
		free(text);
		text = NULL;
	}
	return text;
}

/* ---- the thread ---------------------------------------------------------- */

/* The last hour, but not more intervals than can be looked at. */
static void span_of(struct tl_board *board, double *from_s, double *to_s)
{
	double length_s;

	pthread_mutex_lock(&board->lock);
	length_s = tl_ns_to_s(board->length_ns);
	*to_s = tl_ns_to_s(board->start_ns) + length_s;
	pthread_mutex_unlock(&board->lock);
	*from_s = *to_s - min((double)SPAN_S, INTERVALS * length_s);
}

static char *make(struct tl_studies *studies, enum tl_study which)
{
	char from[40], *text, *answer = NULL, *argv[7];
	double from_s, to_s;
	size_t n = 0;

	span_of(studies->board, &from_s, &to_s);
	snprintf(from, sizeof(from), "%.6f", max(from_s, 0.0));
	argv[n++] = (char *)"tierlensd";
	argv[n++] = (char *)TL_STUDY_OPTION;
	argv[n++] = (char *)tl_study_names[which];
	argv[n++] = (char *)studies->board->history;
	argv[n++] = from;
	argv[n] = NULL;
	text = converse(studies, argv);
	if (asprintf(&answer, "{\"state\":\"%s\",\"from_t\":%.3f,\"to_t\":%.3f,%s",
		     text && strncmp(text, "{\"error\"", 8) ? "ready" : "failed", from_s, to_s,
		     (text ? text : TOO_MUCH) + 1) < 0)
		answer = NULL;
	free(text);
	return answer;
}

/* The next that somebody waits for; TL_STUDY_KINDS for none. */
static enum tl_study next(struct tl_studies *studies)
{
	unsigned int i;

	for (i = 0; i < TL_STUDY_KINDS && (!studies->study[i].wanted || studies->ending); i++)
		;
	return (enum tl_study)i;
}

static void *work(void *arg)
{
	struct tl_studies *studies = arg;
	enum tl_study which;
	char *text;

	pthread_mutex_lock(&studies->lock);
	while ((which = next(studies)) < TL_STUDY_KINDS) {
		pthread_mutex_unlock(&studies->lock);
		text = make(studies, which);
		pthread_mutex_lock(&studies->lock);
		free(studies->study[which].text);
		studies->study[which] = (struct study){ .text = text, .made_s = tl_clock_s(CLOCK_MONOTONIC) };
	}
	studies->done = true;
	pthread_mutex_unlock(&studies->lock);
	return NULL;
}

/* Signals are the loop's. */
static void thread_start(struct tl_studies *studies)
{
	sigset_t all, before;

	if (studies->running && !studies->done)
		return;
	if (studies->running)
		pthread_join(studies->thread, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	studies->done = false;
	studies->running = !pthread_create(&studies->thread, NULL, work, studies);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Before the first interval nobody knows which time is meant. */
static bool is_something(struct tl_board *board)
{
	bool is;

	pthread_mutex_lock(&board->lock);
	is = board->length_ns;
	pthread_mutex_unlock(&board->lock);
	return is;
}

/**
 * tl_study_answer() - What is known, and see that it becomes newer
 * @studies: studies
 * @which: of them
 *
 * Never waits for a study.
 *
 * Return: JSON, to be freed by the caller; NULL without memory.
 */
char *tl_study_answer(struct tl_studies *studies, enum tl_study which)
{
	struct study *study = &studies->study[which];
	char *text;

	if (!studies->board->history)
		return strdup(NO_HISTORY);
	pthread_mutex_lock(&studies->lock);
	if (!study->wanted && (!study->text || tl_clock_s(CLOCK_MONOTONIC) - study->made_s > AGE_S)) {
		study->wanted = is_something(studies->board);
	}
	/* Also if it could not be started before. */
	if (study->wanted)
		thread_start(studies);
	text = strdup(study->text ? study->text : WORKING);
	pthread_mutex_unlock(&studies->lock);
	return text;
}

/**
 * tl_studies_new() - Nothing is known yet
 * @board: tells the time and the history
 *
 * Return: to be given to tl_studies_free(); NULL without memory.
 */
struct tl_studies *tl_studies_new(struct tl_board *board)
{
	struct tl_studies *studies = calloc(1, sizeof(*studies));

	if (!studies)
		return NULL;
	pthread_mutex_init(&studies->lock, NULL);
	studies->board = board;
	return studies;
}

/**
 * tl_studies_free() - End what is under way, and forget all
 * @studies: studies that nobody asks for any more, or NULL
 */
void tl_studies_free(struct tl_studies *studies)
{
	unsigned int i;

	if (!studies)
		return;
	pthread_mutex_lock(&studies->lock);
	studies->ending = true;
	if (studies->pid > 0)
		kill(studies->pid, SIGKILL);
	pthread_mutex_unlock(&studies->lock);
	if (studies->running)
		pthread_join(studies->thread, NULL);
	for (i = 0; i < TL_STUDY_KINDS; i++)
		free(studies->study[i].text);
	pthread_mutex_destroy(&studies->lock);
	free(studies);
}
