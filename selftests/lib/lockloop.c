// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that do nothing but lock and unlock, each a mutex of its own:
 *
 *   lockloop --threads N --rounds N [--wait]
 *
 * Prints how long a round took, in nanoseconds; none ends before all have done theirs. --wait: begin only
 * when a line comes on standard input; the threads are there then.
 */
#include <getopt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "opt.h"

#define THREADS_MAX 8192

static unsigned long rounds = 1000;
static pthread_barrier_t barrier;

/* On cache lines of their own. */
static struct {
	pthread_mutex_t mutex;
} __attribute__((aligned(256))) own[THREADS_MAX];

__attribute__((noinline, noclone)) static void empty(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
}

static void *loop(void *mutex)
{
	unsigned long i;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < rounds; i++)
		empty(mutex);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static const struct option longs[] = {
	{"threads", required_argument, NULL, 't'},
	{"rounds", required_argument, NULL, 'r'},
	{"wait", no_argument, NULL, 'w'},
	{NULL, 0, NULL, 0},
};

int main(int argc, char **argv)
{
	unsigned int threads = 1, i;
	static pthread_t thread[THREADS_MAX];
	struct timespec begin, end;
	bool wait = false;
	int option;

	while ((option = getopt_long(argc, argv, "", longs, NULL)) != -1)
		switch (option) {
		case 't':
			threads = opt_number(optarg, 1, THREADS_MAX);
			break;
		case 'r':
			rounds = opt_number(optarg, 1, 1000000000);
			break;
		case 'w':
			wait = true;
			break;
		default:
			fputs("usage: lockloop --threads N --rounds N [--wait]\n", stderr);
			return 2;
		}
	pthread_barrier_init(&barrier, NULL, threads + 1);
	for (i = 0; i < threads; i++) {
		pthread_mutex_init(&own[i].mutex, NULL);
		if (pthread_create(&thread[i], NULL, loop, &own[i].mutex))
			return 1;
	}
	if (wait)
		getchar();
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	clock_gettime(CLOCK_MONOTONIC, &end);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	printf("%.1f\n", ((end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec)) / rounds);
	return 0;
}
