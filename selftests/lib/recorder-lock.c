// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The recorder that paper 002, 4 begins with, to compare with: to be preloaded, it writes what is locked and
 * unlocked, from where, into a file for each thread (in $RECORDER_DIR), which it finds under one lock
 * by the thread's number in a dictionary that all threads share.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FRAMES 16

struct thread_file {
	long thread;
	FILE *file;
};

static int (*real_lock)(pthread_mutex_t *mutex), (*real_unlock)(pthread_mutex_t *mutex);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *dictionary;
static __thread int inside; /* what the recorder itself locks is not recorded */

static int compare(const void *a, const void *b)
{
	const struct thread_file *x = a, *y = b;

	return (x->thread > y->thread) - (x->thread < y->thread);
}

static FILE *open_file(long thread)
{
	const char *dir = getenv("RECORDER_DIR");
	char name[200];

	snprintf(name, sizeof(name), "%s/%ld", dir ? dir : "/tmp", thread);
	return fopen(name, "we");
}

static FILE *file_of(long thread)
{
	struct thread_file key = {.thread = thread}, *entry, **found;

	real_lock(&lock);
	found = tfind(&key, &dictionary, compare);
	if (!found) {
		entry = malloc(sizeof(*entry));
		if (!entry)
			abort();
		*entry = (struct thread_file){thread, open_file(thread)};
		found = tsearch(entry, &dictionary, compare);
	}
	entry = found ? *found : NULL;
	real_unlock(&lock);
	return entry ? entry->file : NULL;
}

static void record(const char *op, const void *object)
{
	void *frame[FRAMES];
	struct timespec now;
	FILE *file;
	int n, i;

	if (inside)
		return;
	inside = 1;
	file = file_of(syscall(SYS_gettid));
	clock_gettime(CLOCK_MONOTONIC, &now);
	n = backtrace(frame, FRAMES);
	if (file) {
		fprintf(file, "%lld.%09ld,%s,%p", (long long)now.tv_sec, now.tv_nsec, op, object);
		for (i = 0; i < n; i++)
			fprintf(file, ",%p", frame[i]);
		putc('\n', file);
	}
	inside = 0;
}

__attribute__((constructor)) static void find(void)
{
	real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	real_unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int ret;

	if (!real_lock)
		find();
	ret = real_lock(mutex);
	record("lock", mutex);
	return ret;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	if (!real_unlock)
		find();
	record("unlock", mutex);
	return real_unlock(mutex);
}
