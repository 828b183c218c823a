// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs whose threads hand jobs to each other, and that say which thread worked on
 * which job when:
 *
 *   jobber pool | reactor | pipeline   [--jobs N] [--workers N] [--pause-us N] [--wait]
 *
 * pool: threads over a queue with a mutex and a condition. reactor: one thread that an
 * eventfd tells of each job. pipeline: three stages with a queue each. Jobs are of two types,
 * which differ in what is done for them. Prints JSON lines when all is done: from when on a
 * thread worked on which job. --wait: begin only when a line comes on standard input.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define QUEUE 256
#define STAGES 3
#define WORKERS_MAX 16

/* Functions keep their names, and their callers. */
#define STEP __attribute__((noinline, noclone, used)) static

static unsigned int jobs = 200, workers = 4, pause_us = 2000;

/* ---- who worked on what ------------------------------------------------------------------- */

struct turn {
	long tid;
	long long ns;
	int job; /* 0: none */
};

static struct turn *turns;
static unsigned int nturns, room;
static __thread int current_job;

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Without a lock, which would be a sync point. */
static void works_on(int job)
{
	unsigned int i = __atomic_fetch_add(&nturns, 1, __ATOMIC_RELAXED);

	if (i < room)
		turns[i] = (struct turn){syscall(SYS_gettid), now_ns(), job};
	current_job = job;
}

static bool is_large(int job)
{
	return (job * 2654435761U >> 16) % 3 == 0;
}

static void print_turns(const char *shape)
{
	unsigned int i;

	printf("{\"shape\": \"%s\", \"pid\": %d, \"jobs\": %u}\n", shape, getpid(), jobs);
	for (i = 0; i < nturns && i < room; i++)
		printf("{\"thread\": %ld, \"ns\": %lld, \"job\": %d, \"type\": %d}\n", turns[i].tid,
		       turns[i].ns, turns[i].job, turns[i].job ? is_large(turns[i].job) : -1);
}

/* ---- what is done for a job ----------------------------------------------------------------- */

static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long log_lines;
static volatile unsigned long sink;

static void burn(unsigned int rounds)
{
	while (rounds--)
		sink += rounds;
}

STEP void write_log(void)
{
	pthread_mutex_lock(&log_mutex);
	log_lines++;
	pthread_mutex_unlock(&log_mutex);
}

STEP void look_up(void)
{
	burn(3000);
	write_log();
}

STEP void read_file(void)
{
	burn(9000);
	write_log();
}

static unsigned int done;

static void is_done(void)
{
	__atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
}

STEP void serve(int job)
{
	if (is_large(job)) {
		look_up();
		look_up();
	} else {
		read_file();
	}
}

/* ---- a queue ---------------------------------------------------------------------------------- */

struct queue {
	pthread_mutex_t mutex;
	pthread_cond_t filled;
	int job[QUEUE];
	unsigned int head, tail;
};

static struct queue queues[STAGES];

static void queue_init(struct queue *q)
{
	pthread_mutex_init(&q->mutex, NULL);
	pthread_cond_init(&q->filled, NULL);
}

STEP void put(struct queue *q, int job)
{
	pthread_mutex_lock(&q->mutex);
	q->job[q->tail++ % QUEUE] = job;
	pthread_cond_signal(&q->filled);
	pthread_mutex_unlock(&q->mutex);
}

STEP int get(struct queue *q)
{
	int job;

	pthread_mutex_lock(&q->mutex);
	while (q->head == q->tail)
		pthread_cond_wait(&q->filled, &q->mutex);
	job = q->job[q->head++ % QUEUE];
	works_on(job);
	pthread_mutex_unlock(&q->mutex);
	return job;
}

/* ---- shapes ------------------------------------------------------------------------------------- */

static void make(void (*give)(int job))
{
	struct timespec pause = {0, pause_us * 1000L};
	unsigned int job;

	for (job = 1; job <= jobs; job++) {
		/* Sometimes two at once. */
		if (job % 4)
			nanosleep(&pause, NULL);
		works_on(job);
		give(job);
	}
	works_on(0);
	while (__atomic_load_n(&done, __ATOMIC_RELAXED) < jobs)
		nanosleep(&pause, NULL);
}

STEP void give_small(int job)
{
	put(&queues[0], job);
}

STEP void give_large(int job)
{
	put(&queues[0], job);
}

static void give_queue(int job)
{
	if (is_large(job))
		give_large(job);
	else
		give_small(job);
}

static void *worker(void *arg)
{
	for (;;) {
		serve(get(arg));
		is_done();
	}
	return NULL;
}

static void *stage(void *arg)
{
	struct queue *q = arg;
	int job;

	for (;;) {
		job = get(q);
		serve(job);
		if (q + 1 < queues + STAGES)
			put(q + 1, job);
		else
			is_done();
	}
	return NULL;
}

static void pool(void)
{
	pthread_t thread;
	unsigned int i;

	for (i = 0; i < workers; i++)
		pthread_create(&thread, NULL, worker, &queues[0]);
	make(give_queue);
}

static void pipeline(void)
{
	pthread_t thread;
	unsigned int i;

	for (i = 0; i < STAGES; i++)
		pthread_create(&thread, NULL, stage, &queues[i]);
	make(give_queue);
}

static int bell;

STEP void post(int job)
{
	struct queue *q = &queues[0];
	unsigned long long one = 1;

	pthread_mutex_lock(&q->mutex);
	q->job[q->tail++ % QUEUE] = job;
	pthread_mutex_unlock(&q->mutex);
	if (write(bell, &one, sizeof(one)) != sizeof(one))
		abort();
}

STEP void post_small(int job)
{
	post(job);
}

STEP void post_large(int job)
{
	post(job);
}

static void give_bell(int job)
{
	if (is_large(job))
		post_large(job);
	else
		post_small(job);
}

STEP int take(void)
{
	struct queue *q = &queues[0];
	int job;

	pthread_mutex_lock(&q->mutex);
	job = q->job[q->head++ % QUEUE];
	works_on(job);
	pthread_mutex_unlock(&q->mutex);
	return job;
}

static void *react(void *arg)
{
	struct epoll_event event = {.events = EPOLLIN};
	unsigned long long n;
	int poll = epoll_create1(0);

	(void)arg;
	epoll_ctl(poll, EPOLL_CTL_ADD, bell, &event);
	while (epoll_wait(poll, &event, 1, -1) == 1) {
		if (read(bell, &n, sizeof(n)) != sizeof(n))
			abort();
		serve(take());
		is_done();
	}
	return NULL;
}

static void reactor(void)
{
	pthread_t thread;

	bell = eventfd(0, EFD_SEMAPHORE);
	pthread_create(&thread, NULL, react, NULL);
	make(give_bell);
}

/* ---- the command line ------------------------------------------------------------------------------ */

static const struct shape {
	const char *name;
	void (*run)(void);
} shapes[] = {{"pool", pool}, {"reactor", reactor}, {"pipeline", pipeline}};

static const struct option longs[] = {
	{"jobs", required_argument, NULL, 'j'},
	{"workers", required_argument, NULL, 'w'},
	{"pause-us", required_argument, NULL, 'p'},
	{"wait", no_argument, NULL, 'a'},
	{NULL, 0, NULL, 0},
};

static int usage(void)
{
	fputs("usage: jobber [--jobs N] [--workers N] [--pause-us N] [--wait] pool|reactor|pipeline\n",
	      stderr);
	return 2;
}

static int run(const char *name, bool wait)
{
	unsigned int i;

	for (i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		if (strcmp(shapes[i].name, name))
			continue;
		room = 8 * jobs + 64;
		turns = calloc(room, sizeof(*turns));
		if (!turns)
			return 1;
		if (wait)
			getchar();
		shapes[i].run();
		print_turns(name);
		/* The others wait for more. */
		fflush(stdout);
		_exit(0);
	}
	return usage();
}

int main(int argc, char **argv)
{
	bool wait = false;
	unsigned int i;
	int option;

	while ((option = getopt_long(argc, argv, "", longs, NULL)) != -1)
		switch (option) {
		case 'j':
			jobs = atoi(optarg);
			break;
		case 'w':
			workers = atoi(optarg);
			break;
		case 'p':
			pause_us = atoi(optarg);
			break;
		case 'a':
			wait = true;
			break;
		default:
			return usage();
		}
	for (i = 0; i < STAGES; i++)
		queue_init(&queues[i]);
	if (optind + 1 != argc || workers > WORKERS_MAX || !workers)
		return usage();
	return run(argv[optind], wait);
}
