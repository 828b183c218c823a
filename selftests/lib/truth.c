// SPDX-License-Identifier: GPL-2.0-or-later
#include "truth.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* What this thread's CPU time is charged to. */
static _Thread_local struct {
	struct truth_request *q;
	uint64_t from_ns;
} charged;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

uint64_t truth_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* The pages of the array are touched by its use only, so a large maximum costs nothing.
 */
int truth_init(struct truth *t, uint64_t max_rows)
{
	memset(t, 0, sizeof(*t));
	t->rows = mmap(NULL, max_rows * sizeof(*t->rows), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (t->rows == MAP_FAILED)
		return -errno;
	t->max_rows = max_rows;
	return 0;
}

void truth_free(struct truth *t)
{
	munmap(t->rows, t->max_rows * sizeof(*t->rows));
}

void truth_open(struct truth_request *q)
{
	truth_charge(NULL);
	memset(q, 0, sizeof(*q));
}

/*
 * From here on the CPU time of this thread is @q's, or nobody's if it is NULL. Whoever
 * gives a request to another thread stops first. Return: whose it was.
 */
struct truth_request *truth_charge(struct truth_request *q)
{
	struct truth_request *last = charged.q;
	uint64_t now;

	if (q == last)
		return last;
	now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (last)
		last->row.cpu_ns += now - charged.from_ns;
	charged.q = q;
	charged.from_ns = now;
	return last;
}

/* A recv of the request returned bytes; the first one opens it. */
void truth_recv(struct truth_request *q, uint64_t now_ns)
{
	if (!q->row.recvs++)
		q->row.open_ns = now_ns;
	truth_charge(q);
}

/* A send of the answer that was called at @start_ns took @bytes; the last one closes. */
void truth_send(struct truth_request *q, uint64_t start_ns, uint64_t bytes)
{
	q->row.sends++;
	q->row.close_ns = start_ns;
	q->row.done_ns = truth_now_ns();
	q->row.bytes_out += bytes;
}

void truth_call_begin(struct truth_request *q, uint64_t now_ns)
{
	if (!q->calls_open++)
		q->union_from_ns = now_ns;
	q->row.calls++;
}

/* Begins and ends come in the order of time, so the union needs no list of intervals. */
void truth_call_end(struct truth_request *q, uint64_t begin_ns, uint64_t now_ns)
{
	q->row.call_sum_ns += now_ns - begin_ns;
	if (!--q->calls_open)
		q->row.call_ns += now_ns - q->union_from_ns;
}

/*
 * Call from the thread that ends @q. A request that was never answered closes here.
 * Return: true for the one that fills the array.
 */
bool truth_commit(struct truth *t, struct truth_request *q)
{
	uint64_t i;

	truth_charge(NULL);
	if (!q->row.sends)
		q->row.close_ns = q->row.done_ns = truth_now_ns();
	i = atomic_fetch_add(&t->count, 1);
	if (i < t->max_rows)
		t->rows[i] = q->row;
	return i + 1 == t->max_rows;
}
