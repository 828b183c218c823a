// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs one benchmark once; selftests/bench/run calls it for all of them, in turn
 *
 *   bench list                     what there is: name, of what, size, on how many processors, a line each
 *   bench NAME SIZE CPUS [OPS]     measures, and prints how many were done and nanoseconds for each
 *
 * What is measured is inside bench_measured(), for callgrind to count instructions of that alone.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

static pthread_barrier_t barrier;
static volatile u64 kept;

struct part {
	pthread_t thread;
	const struct bench *bench;
	unsigned int cpu;
	u64 ops;
	u64 done;
	u64 ns;
};

/* splitmix64 */
u64 bench_random(u64 *state)
{
	u64 x = *state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* One at random for the k-th, that can be no other's. */
u64 bench_pair(u64 *state, u64 pairs, unsigned int under_way, unsigned int k)
{
	return bench_random(state) % (pairs / under_way) * under_way + k;
}

#define ARENA (64UL << 20)
#define LARGE (2UL << 20) /* a large page */

/* Zeroed, and never given back. The kernel maps its memory by large pages, so this asks for them, too. */
void *bench_alloc(size_t bytes)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static u8 *arena;
	static size_t left;
	u8 *p;

	bytes = (bytes + 63) / 64 * 64;
	/* Pools grow while several processors are measured. */
	pthread_mutex_lock(&lock);
	if (bytes > left) {
		left = (max(bytes, ARENA) + LARGE - 1) / LARGE * LARGE;
		arena = aligned_alloc(LARGE, left);
		if (!arena) {
			fprintf(stderr, "bench: no memory for %zu bytes: choose a smaller size\n", bytes);
			exit(1);
		}
		madvise(arena, left, MADV_HUGEPAGE);
	}
	p = arena;
	arena += bytes;
	left -= bytes;
	pthread_mutex_unlock(&lock);
	return memset(p, 0, bytes);
}

void bench_keep(u64 value)
{
	kept = value;
}

/* The thread's own time on a processor: others may run beside it, and do. */
static u64 now_ns(const struct bench *bench)
{
	struct rusage used;
	struct timespec now;

	if (bench->children) {
		getrusage(RUSAGE_CHILDREN, &used);
		return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000ULL +
		       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000ULL;
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

u64 bench_measured(const struct bench *bench, unsigned int cpu, u64 ops);

__attribute__((noinline)) u64 bench_measured(const struct bench *bench, unsigned int cpu, u64 ops)
{
	return bench->run(cpu, ops);
}

static void pin(unsigned int n)
{
	cpu_set_t all, one;
	unsigned int cpu;

	if (sched_getaffinity(0, sizeof(all), &all))
		return;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all) || n--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static void *part_run(void *arg)
{
	struct part *part = arg;
	u64 began_ns;

	pin(part->cpu);
	bench_processor(part->cpu);
	/* What is there is there in the caches, as far as they are large enough. */
	part->bench->run(part->cpu, part->ops / 4);
	pthread_barrier_wait(&barrier);
	began_ns = now_ns(part->bench);
	part->done = bench_measured(part->bench, part->cpu, part->ops);
	part->ns = now_ns(part->bench) - began_ns;
	return NULL;
}

static int measure(const struct bench *bench, u64 size, unsigned int cpus, u64 ops)
{
	struct part *parts = calloc(cpus, sizeof(*parts));
	double ns = 0;
	unsigned int i;
	u64 done = 0;

	bench_processor(0);
	bench->prepare(size, cpus);
	pthread_barrier_init(&barrier, NULL, cpus);
	for (i = 0; i < cpus; i++) {
		parts[i] = (struct part){ .bench = bench, .cpu = i, .ops = ops };
		if (pthread_create(&parts[i].thread, NULL, part_run, &parts[i]))
			return 1;
	}
	for (i = 0; i < cpus; i++) {
		pthread_join(parts[i].thread, NULL);
		done += parts[i].done;
		ns += (double)parts[i].ns / parts[i].done / cpus;
	}
	printf("%" PRIu64 "\t%.4f\n", done, ns);
	free(parts);
	return 0;
}

static void list(const struct bench *bench)
{
	unsigned int i, cpus, most = sysconf(_SC_NPROCESSORS_ONLN);

	for (; bench->name; bench++)
		for (i = 0; !i || (i < BENCH_SIZES && bench->sizes[i]); i++)
			for (cpus = 1; cpus <= (bench->many ? most : 1); cpus++)
				printf("%s\t%s\t%s\t%" PRIu64 "\t%u\t%d\n", bench->name, bench->of,
				       bench->size_is ? bench->size_is : "", bench->sizes[i], cpus, bench->children);
}

static const struct bench *find(const char *name)
{
	const struct bench *const *list, *bench;

	for (list = bench_lists; *list; list++)
		for (bench = *list; bench->name; bench++)
			if (!strcmp(bench->name, name))
				return bench;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct bench *const *benches, *bench;

	if (argc == 2 && !strcmp(argv[1], "list")) {
		for (benches = bench_lists; *benches; benches++)
			list(*benches);
		return 0;
	}
	bench = argc >= 4 ? find(argv[1]) : NULL;
	if (!bench) {
		fputs("usage: bench list | bench NAME SIZE CPUS [OPS]\n", stderr);
		return 2;
	}
	return measure(bench, strtoull(argv[2], NULL, 10), atoi(argv[3]),
		       argc > 4 ? strtoull(argv[4], NULL, 10) : bench->ops);
}
