// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The functions of libraries by which threads synchronise
 *
 * A mutex that is free is taken, and a condition that nobody waits for is signalled, without
 * a system call; only the library's function sees it. Of each name all versions are watched,
 * as old programs have old ones, and where there is not room for all those first that
 * programs of today use.
 */
#include "sync-library.h"

#include "binary.h"
#include "ctl.h"
#include "error.h"
#include "lqn-faults.h"
#include "maps.h"

#include <errno.h>
#include <linux/tierlens-sync.h>
#include <stdlib.h>
#include <string.h>

/* Those first that matter most. */
static const struct {
	const char *name;
	enum tierlens_sync_function function;
} functions[] = {
	{ "pthread_mutex_lock", TIERLENS_SYNC_MUTEX_LOCK },
	{ "pthread_mutex_unlock", TIERLENS_SYNC_MUTEX_UNLOCK },
	{ "pthread_cond_wait", TIERLENS_SYNC_COND_WAIT },
	{ "pthread_cond_timedwait", TIERLENS_SYNC_COND_WAIT },
	{ "pthread_cond_clockwait", TIERLENS_SYNC_COND_WAIT },
	{ "pthread_cond_signal", TIERLENS_SYNC_COND_SIGNAL },
	{ "pthread_cond_broadcast", TIERLENS_SYNC_COND_BROADCAST },
	{ "sem_wait", TIERLENS_SYNC_SEM_WAIT },
	{ "sem_timedwait", TIERLENS_SYNC_SEM_WAIT },
	{ "sem_clockwait", TIERLENS_SYNC_SEM_WAIT },
	{ "sem_trywait", TIERLENS_SYNC_SEM_WAIT },
	{ "sem_post", TIERLENS_SYNC_SEM_POST },
	{ "pthread_mutex_trylock", TIERLENS_SYNC_MUTEX_LOCK },
	{ "pthread_mutex_timedlock", TIERLENS_SYNC_MUTEX_LOCK },
	{ "pthread_mutex_clocklock", TIERLENS_SYNC_MUTEX_LOCK },
	{ "pthread_rwlock_rdlock", TIERLENS_SYNC_MUTEX_LOCK },
	{ "pthread_rwlock_wrlock", TIERLENS_SYNC_MUTEX_LOCK },
	{ "pthread_rwlock_unlock", TIERLENS_SYNC_MUTEX_UNLOCK },
	{ "pthread_rwlock_tryrdlock", TIERLENS_SYNC_MUTEX_LOCK },
	{ "pthread_rwlock_trywrlock", TIERLENS_SYNC_MUTEX_LOCK },
	{ "pthread_rwlock_timedrdlock", TIERLENS_SYNC_MUTEX_LOCK },
	{ "pthread_rwlock_timedwrlock", TIERLENS_SYNC_MUTEX_LOCK },
	{ "pthread_rwlock_clockrdlock", TIERLENS_SYNC_MUTEX_LOCK },
	{ "pthread_rwlock_clockwrlock", TIERLENS_SYNC_MUTEX_LOCK },
};

/* A probe and how much it matters, the lowest most. */
struct ranked {
	struct tl_sync_probe probe;
	size_t rank;
};

static int ranked_compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->probe.fd != y->probe.fd)
		return x->probe.fd < y->probe.fd ? -1 : 1;
	return x->probe.offset < y->probe.offset ? -1 : x->probe.offset > y->probe.offset;
}

static bool is_there(const struct ranked *ranked, size_t n, int fd, u64 offset)
{
	while (n--)
		if (ranked[n].probe.fd == fd && ranked[n].probe.offset == offset)
			return true;
	return false;
}

static void exports_match(const struct tl_export *exports, size_t n, int fd, struct ranked *ranked, size_t *ranks)
{
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		for (k = 0; k < n; k++) {
			if (strcmp(exports[k].name, functions[i].name) ||
			    is_there(ranked, *ranks, fd, exports[k].offset))
				continue;
			ranked[(*ranks)++] = (struct ranked){
				{ fd, exports[k].offset, functions[i].function },
				i + exports[k].old * ARRAY_SIZE(functions)
			};
		}
}

/*
 * Those of one library more. @refused: set to why not all of it was read. Return: how many it has, or a
 * negative errno.
 */
static int library_add(struct ranked **ranked, size_t *n, int fd, bool any, const char **refused)
{
	struct tl_binary *binary = tl_binary_open(fd, NULL);
	struct tl_export *exports = NULL;
	struct ranked *grown;
	size_t of = 0, before = *n;
	int code = 0;

	if (!binary || (!any && !tl_binary_is_c(binary)))
		goto out;
	code = tl_binary_exports(binary, &exports, &of);
	*refused = tl_binary_refused(binary);
	grown = code ? NULL : reallocarray(*ranked, *n + of + 1, sizeof(*grown));
	if (!grown) {
		code = -ENOMEM;
		goto out;
	}
	*ranked = grown;
	exports_match(exports, of, fd, grown, n);
	code = (int)(*n - before);
out:
	free(exports);
	tl_binary_close(binary);
	return code;
}

/**
 * tl_sync_library() - The functions of a file by which threads synchronise
 * @fd: the file, open for reading
 * @probes: set to an array to be freed by the caller, what matters most first
 * @n: set to its length
 *
 * Return: 0 or -ENOMEM.
 */
int tl_sync_library(int fd, struct tl_sync_probe **probes, size_t *n)
{
	struct ranked *ranked = NULL;
	const char *refused;
	size_t i;
	int code = 0;

	*n = 0;
	*probes = NULL;
	if (library_add(&ranked, n, fd, true, &refused) >= 0)
		*probes = calloc(*n + 1, sizeof(**probes));
	if (!*probes)
		code = -ENOMEM;
	else if (*n)
		qsort(ranked, *n, sizeof(*ranked), ranked_compare);
	for (i = 0; !code && i < *n; i++)
		(*probes)[i] = ranked[i].probe;
	free(ranked);
	return code;
}

static bool maps_file(const struct tl_map_process *process, size_t file)
{
	size_t i;

	for (i = 0; i < process->n; i++)
		if (process->map[i].code && process->map[i].file == file)
			return true;
	return false;
}

static void note_without(const struct tl_maps *maps, const bool *has, struct tl_faults *notes)
{
	size_t i, k;

	for (i = 0; i < maps->processes; i++) {
		for (k = 0; k < maps->files; k++)
			if (has[k] && maps_file(&maps->process[i], k))
				break;
		if (k == maps->files)
			tl_faults_note(notes, 0, "process %u has no C library of its own to be watched: only its system "
				       "calls are recorded", maps->process[i].pid);
	}
}

/* As many as there is room for. */
static void probes_take(struct tl_sync_request *request, const struct ranked *ranked, size_t n,
			struct tl_faults *notes)
{
	for (request->probes = 0; request->probes < min(n, (size_t)TIERLENS_SYNC_PROBES_MAX); request->probes++)
		request->probe[request->probes] = ranked[request->probes].probe;
	if (n > request->probes)
		tl_faults_note(notes, 0, "%zu of %zu functions of several C libraries are not watched: record fewer "
			       "processes at once", n - request->probes, n);
}

/**
 * tl_sync_libraries() - The functions to be watched in processes
 * @maps: of the processes
 * @request: gets them
 * @notes: of what is not watched
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_sync_libraries(const struct tl_maps *maps, struct tl_sync_request *request, struct tl_faults *notes,
		      struct tl_error *err)
{
	bool *has = calloc(maps->files + 1, sizeof(*has));
	const char *refused = NULL;
	struct ranked *ranked = NULL;
	size_t n = 0, i;
	int got = has ? 0 : -ENOMEM;

	for (i = 0; i < maps->files && got >= 0; i++) {
		if (maps->file[i].fd < 0)
			continue;
		refused = NULL;
		got = library_add(&ranked, &n, maps->file[i].fd, false, &refused);
		if (refused)
			tl_faults_note(notes, 0, "%s: %s", maps->file[i].path, refused);
		has[i] = got > 0;
	}
	if (got >= 0) {
		note_without(maps, has, notes);
		if (n)
			qsort(ranked, n, sizeof(*ranked), ranked_compare);
		probes_take(request, ranked, n, notes);
	}
	free(ranked);
	free(has);
	return got < 0 ? tl_error_no_memory(err) : 0;
}
