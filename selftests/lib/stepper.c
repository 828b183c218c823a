// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A tier whose functions know how often and how long they were called:
 *
 *   stepper --port PORT [--lookup-us N] [--render-us N] [--delay-us N] [--tiny N] [--jump N]
 *           [--folds N] [--also PORT]
 *
 * A thread a connection, the line protocol of frame.h; of a request only class, number and
 * size matter. Each request is served by serve(), which calls check(), lookup() (sleeps),
 * fold() (calls itself, --folds deep in all: 4), render() (works) and, of every N-th, jump(), which
 * comes back without a return. --tiny: tiny() so many times. SIGUSR1: lookup() takes --delay-us
 * longer from now on; SIGUSR2: no more. --also: it serves at that port, too. At SIGTERM it prints one line of JSON a class and
 * function: how often it was called and how long that took, by its own clock.
 */
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "addr.h"
#include "frame.h"
#include "opt.h"

/* Functions keep their names, and their callers. */
#define STEP __attribute__((noinline, noclone, used)) static
#define CLASSES 8

enum step { SERVE, CHECK, LOOKUP, FOLD, RENDER, JUMP, TINY, STEPS };

static const char *const names[STEPS] = {"serve", "check", "lookup", "fold", "render", "jump",
					 "tiny"};

static unsigned int lookup_us = 2000, render_us = 500, delay_us = 20000, tinies, jumps, folds = 4;
static volatile sig_atomic_t delayed;

struct truth {
	unsigned long long calls, ns;
};

static struct truths {
	char class[FRAME_CLASS];
	struct truth step[STEPS];
} truths[CLASSES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects truths */

/* Of one request, in its thread. */
struct job {
	struct frame_request request;
	struct truth step[STEPS];
	jmp_buf back;
};

static unsigned long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void did(struct job *job, enum step step, unsigned long long began_ns)
{
	job->step[step].calls++;
	job->step[step].ns += now_ns() - began_ns;
}

static void pause_us(unsigned int us)
{
	struct timespec time = {us / 1000000, us % 1000000 * 1000L};

	while (nanosleep(&time, &time))
		;
}

STEP void check(struct job *job)
{
	unsigned long long began = now_ns();

	__asm__ volatile("" : : "r"(job) : "memory");
	did(job, CHECK, began);
}

STEP void lookup(struct job *job)
{
	unsigned long long began = now_ns();

	pause_us(lookup_us + (delayed ? delay_us : 0));
	did(job, LOOKUP, began);
}

/* What it calls itself is in its time once. */
STEP unsigned int fold(struct job *job, unsigned int depth)
{
	unsigned long long began = now_ns();
	unsigned int sum = depth;

	if (depth)
		sum += fold(job, depth - 1);
	pause_us(100);
	if (depth == folds - 1)
		job->step[FOLD].ns += now_ns() - began;
	job->step[FOLD].calls++;
	return sum;
}

STEP void render(struct job *job)
{
	unsigned long long began = now_ns();
	struct timespec cpu;
	long long end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	end = cpu.tv_sec * 1000000000LL + cpu.tv_nsec + render_us * 1000LL;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	while (cpu.tv_sec * 1000000000LL + cpu.tv_nsec < end);
	did(job, RENDER, began);
}

STEP void jump(struct job *job)
{
	job->step[JUMP].calls++;
	longjmp(job->back, 1);
}

/* Called so, and cannot be probed: there is a trap already. Nobody calls it. */
__asm__(".pushsection .text\n"
	".type trapped, %function\n"
	"trapped:\n"
#ifdef __x86_64__
	"int3\n"
#else
	"brk #0\n"
#endif
	".size trapped, . - trapped\n"
	".popsection");

STEP void tiny(struct job *job)
{
	job->step[TINY].calls++;
	__asm__ volatile("" : : "r"(job) : "memory");
}

STEP void serve(struct job *job)
{
	unsigned long long began = now_ns();
	unsigned int i;

	check(job);
	lookup(job);
	fold(job, folds - 1);
	if (jumps && job->request.id % jumps == 0 && !setjmp(job->back))
		jump(job);
	for (i = 0; i < tinies; i++)
		tiny(job);
	render(job);
	did(job, SERVE, began);
}

static void account(const struct job *job)
{
	unsigned int i, step;

	pthread_mutex_lock(&lock);
	for (i = 0; i < CLASSES - 1 && truths[i].class[0] &&
		    strcmp(truths[i].class, job->request.class);
	     i++)
		;
	strcpy(truths[i].class, job->request.class);
	for (step = 0; step < STEPS; step++) {
		truths[i].step[step].calls += job->step[step].calls;
		truths[i].step[step].ns += job->step[step].ns;
	}
	pthread_mutex_unlock(&lock);
}

static bool answer(int fd, const struct job *job)
{
	char head[FRAME_LINE];
	uint32_t size = job->request.knob[FRAME_SIZE][0];
	int n = snprintf(head, sizeof(head), "OK %llu %u\n",
			 (unsigned long long)job->request.id, size == FRAME_UNSET ? 0 : size);
	struct iovec iov[FRAME_IOV];
	struct msghdr msg = {.msg_iov = iov};
	size_t all = n + (size == FRAME_UNSET ? 0 : size);

	msg.msg_iovlen = frame_iov(iov, head, n, 0, all);
	return sendmsg(fd, &msg, MSG_NOSIGNAL) == (ssize_t)all;
}

static bool take(int fd, struct frame_reader *reader)
{
	int done = frame_take(reader, 0);
	size_t room;
	ssize_t n;

	while (!done) {
		void *to = frame_space(reader, &room);

		n = recv(fd, to, room, 0);
		if (n <= 0)
			return false;
		done = frame_take(reader, n);
	}
	return done > 0;
}

static void *connection(void *arg)
{
	struct frame_reader *reader = calloc(1, sizeof(*reader));
	int fd = (int)(long)arg;
	struct job job;

	while (reader && take(fd, reader)) {
		memset(&job, 0, sizeof(job));
		if (frame_request_parse(&job.request, reader->line))
			break;
		serve(&job);
		account(&job);
		if (!answer(fd, &job))
			break;
		frame_next(reader);
	}
	close(fd);
	free(reader);
	return NULL;
}

static void print(void)
{
	unsigned int i, step;

	pthread_mutex_lock(&lock);
	for (i = 0; i < CLASSES && truths[i].class[0]; i++)
		for (step = 0; step < STEPS; step++)
			printf("{\"class\":\"%s\",\"function\":\"%s\",\"count\":%llu,\"total_ns\":%llu}\n",
			       truths[i].class, names[step], truths[i].step[step].calls,
			       truths[i].step[step].ns);
	fflush(stdout);
}

static void *listener(void *arg)
{
	pthread_t thread;
	int fd;

	while ((fd = accept((int)(long)arg, NULL, NULL)) >= 0) {
		addr_nodelay(fd);
		if (pthread_create(&thread, NULL, connection, (void *)(long)fd))
			exit(1);
		pthread_detach(thread);
	}
	return NULL;
}

static void options(int argc, char **argv, struct addr *at, struct addr *also)
{
	static const struct option longs[] = {{"port", 1, NULL, 'p'},	{"lookup-us", 1, NULL, 'l'},
					      {"render-us", 1, NULL, 'r'}, {"delay-us", 1, NULL, 'd'},
					      {"tiny", 1, NULL, 't'},	{"jump", 1, NULL, 'j'},
					      {"folds", 1, NULL, 'f'},	{"also", 1, NULL, 'a'},
					      {NULL, 0, NULL, 0}};
	int option;

	at->len = also->len = 0;
	while ((option = getopt_long(argc, argv, "", longs, NULL)) != -1)
		switch (option) {
		case 'p':
			opt_addr(at, optarg);
			break;
		case 'l':
			lookup_us = opt_number(optarg, 0, 10000000);
			break;
		case 'r':
			render_us = opt_number(optarg, 0, 10000000);
			break;
		case 'd':
			delay_us = opt_number(optarg, 0, 10000000);
			break;
		case 't':
			tinies = opt_number(optarg, 0, 1000000);
			break;
		case 'j':
			jumps = opt_number(optarg, 0, 1000000);
			break;
		case 'f':
			folds = opt_number(optarg, 1, 1000);
			break;
		case 'a':
			opt_addr(also, optarg);
			break;
		default:
			exit(2);
		}
	if (!at->len)
		opt_usage("--port is missing", "");
}

static void listen_at(struct addr *at)
{
	pthread_t thread;
	int fd = addr_listen(at);

	if (fd < 0) {
		fprintf(stderr, "stepper: cannot listen on %s: %s\n", at->text, strerror(-fd));
		exit(1);
	}
	/* It came as one that does not wait. */
	if (fcntl(fd, F_SETFL, 0) || pthread_create(&thread, NULL, listener, (void *)(long)fd))
		exit(1);
}

int main(int argc, char **argv)
{
	struct addr at, also;
	sigset_t set;
	int got;

	options(argc, argv, &at, &also);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	listen_at(&at);
	if (also.len)
		listen_at(&also);
	for (;;) {
		sigwait(&set, &got);
		if (got == SIGTERM)
			break;
		delayed = got == SIGUSR1;
	}
	print();
	_exit(0);
}
