// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pools of all kinds, whose results are told apart by order
 *
 * A pool is simulated event by event, with threads that are woken in any order and some
 * that are held up. Its queues keep an order or do not. What counts is how many answers are
 * paired, and how many of these wrongly.
 */
#include "any.h"
#include "tally.h"
#include "tap.h"

enum kept { FIFO, LIFO, RANDOM };

#define WORKERS 8
#define CLIENTS 64
#define QUEUE 128
#define REQUESTS 6000

struct queue {
	enum kept kept;
	unsigned int n;
	int entry[QUEUE];
};

static void put(struct queue *q, int entry)
{
	q->entry[q->n++] = entry;
}

static int take(struct queue *q)
{
	unsigned int at = q->kept == FIFO ? 0 : q->kept == LIFO ? q->n - 1 :
			  (unsigned int)any(0, q->n - 1);
	int entry = q->entry[at];

	q->n--;
	memmove(q->entry + at, q->entry + at + 1, (q->n - at) * sizeof(q->entry[0]));
	return entry;
}

enum step { IDLE, TAKES, PUTS, TELLS };

static struct pool {
	struct queue jobs, done;
	struct worker {
		enum step step;
		u64 at;
		int client;
		struct tl_order_result result;
	} workers[WORKERS];
	struct client {
		u64 asks; /* when; 0: it waits for its answer */
		u64 open;
	} clients[CLIENTS];
	unsigned int n_clients;
	u64 reader; /* when it goes on */
	bool told; /* something that it has not read yet */
	bool drains;
	int current; /* what it has read last, if it has not answered since */
	unsigned int held_up; /* of 100 workers */
	struct tl_tally tally;
	int result_of[TL_TALLY_MAX], answer_of[TL_TALLY_MAX];
	unsigned int answered, right, wrong;
} pool;

static void tell(const struct worker *w)
{
	struct pool *p = &pool;
	unsigned int n = p->tally.n_results;

	if (tl_tally_told(&p->tally, &w->result))
		p->result_of[n] = w->client;
	p->told = true;
}

static void worker_step(struct worker *w)
{
	struct pool *p = &pool;

	if (w->step == TAKES && !p->jobs.n) {
		w->step = IDLE;
	} else if (w->step == TAKES) {
		w->client = take(&p->jobs);
		w->result.begin_ns = w->at + (any(0, 99) < p->held_up ? any(500, 4000) :
						      any(10, 60));
		w->result.done_ns = w->result.begin_ns + any(1000, 4000);
		w->at = w->result.done_ns + any(10, 40);
		w->step = PUTS;
	} else if (w->step == PUTS) {
		put(&p->done, w->client);
		/* Some are held up before they have told. */
		w->at += any(0, 99) < p->held_up ? any(500, 4000) : any(5, 15);
		w->step = TELLS;
	} else {
		w->result.told_ns = w->at;
		tell(w);
		w->at += any(5, 20);
		w->step = TAKES;
	}
}

static void wake_one(u64 now)
{
	struct pool *p = &pool;
	unsigned int i, from = (unsigned int)any(0, WORKERS - 1);

	for (i = 0; i < WORKERS; i++) {
		struct worker *w = &p->workers[(from + i) % WORKERS];

		if (w->step != IDLE)
			continue;
		w->step = TAKES;
		w->at = now + any(20, 120);
		return;
	}
}

/* The reader's turn ends. */
static void settle(void)
{
	struct pool *p = &pool;
	struct tl_tally_done done;
	unsigned int k;

	tl_tally_settle(&p->tally, &done);
	for (k = 0; k < done.n_answers; k++) {
		if (!((done.pairs.sure | done.pairs.ordered) >> k & 1))
			continue;
		if (p->result_of[done.pairs.result[k]] == p->answer_of[k])
			p->right++;
		else
			p->wrong++;
	}
	memmove(p->result_of, p->result_of + done.n_results,
		p->tally.n_results * sizeof(p->result_of[0]));
	memmove(p->answer_of, p->answer_of + done.n_answers,
		p->tally.n_answers * sizeof(p->answer_of[0]));
}

static bool read_one(void)
{
	struct pool *p = &pool;
	unsigned int i;

	for (i = 0; i < p->n_clients; i++) {
		struct client *c = &p->clients[i];

		if (!c->asks || c->asks > p->reader)
			continue;
		c->asks = 0;
		c->open = p->reader;
		p->current = (int)i;
		put(&p->jobs, (int)i);
		p->reader += any(10, 30);
		wake_one(p->reader);
		return true;
	}
	return false;
}

static void answer_one(void)
{
	struct pool *p = &pool;
	int client = take(&p->done);
	unsigned int n = p->tally.n_answers;
	struct tl_order_answer answer = { p->clients[client].open, p->reader };

	/* For the kernel, it may have worked for what it has received last. */
	if (tl_tally_answered(&p->tally, &answer, client == p->current))
		p->answer_of[n] = client;
	p->current = -1;
	p->answered++;
	p->clients[client].asks = p->reader + any(200, 3000);
	p->reader += any(30, 200);
}

/* It sleeps until there is something. */
static void reader_wakes(void)
{
	struct pool *p = &pool;
	u64 next = U64_MAX;
	unsigned int k;

	for (k = 0; k < p->n_clients; k++)
		if (p->clients[k].asks)
			next = min(next, p->clients[k].asks);
	for (k = 0; k < WORKERS; k++)
		if (p->workers[k].step != IDLE)
			next = min(next, p->workers[k].at);
	/* Now and then it is held up itself, so that more than one waits. */
	p->reader = max(p->reader, next) + (any(0, 9) ? any(10, 100) : any(1000, 4000));
}

static void reader_step(void)
{
	struct pool *p = &pool;

	if (!p->drains && read_one())
		return;
	if (!p->drains && !p->told) {
		reader_wakes();
		return;
	}
	p->told &= p->drains;
	p->drains = p->done.n > 0;
	if (p->drains)
		answer_one();
	else
		settle();
}

static void pool_run(unsigned int n_clients, enum kept jobs, enum kept results,
		     unsigned int held_up)
{
	struct pool *p = &pool;
	unsigned int i;

	memset(p, 0, sizeof(*p));
	p->n_clients = n_clients;
	p->held_up = held_up;
	p->current = -1;
	p->jobs.kept = jobs;
	p->done.kept = results;
	p->reader = 1;
	for (i = 0; i < n_clients; i++)
		p->clients[i].asks = any(1, 3000);
	while (p->answered < REQUESTS) {
		struct worker *next = NULL;

		for (i = 0; i < WORKERS; i++)
			if (p->workers[i].step != IDLE &&
			    (!next || p->workers[i].at < next->at))
				next = &p->workers[i];
		if (next && next->at <= p->reader)
			worker_step(next);
		else
			reader_step();
	}
}

static void test_pool(unsigned int n_clients, enum kept jobs, enum kept results,
		      unsigned int held_up, double least)
{
	static const char *const names[] = { "fifo", "lifo", "random" };
	double part;

	pool_run(n_clients, jobs, results, held_up);
	part = (double)pool.right / REQUESTS;
	ok(part >= least, "pool: %u at once, jobs %s, results %s, %u %% held up: "
	   "%.1f %% right", n_clients, names[jobs], names[results], held_up, 100 * part);
	ok(pool.wrong * 200 <= REQUESTS, "pool: and %u of %u wrong", pool.wrong, REQUESTS);
}

/* What is right depends on how often threads are held up; and nothing may be wrong. */
static void test_pools(void)
{
	static const struct {
		unsigned int clients;
		double kept, by_results, none; /* both orders, that of the results, none */
	} runs[] = { { 1, 0.999, 0.999, 0.999 }, { 8, 0.945, 0.85, 0 }, { 64, 0.925, 0.7, 0 } };
	static const unsigned int held_up[] = { 0, 1, 2 };
	unsigned int i, jobs, results, h;

	for (i = 0; i < ARRAY_SIZE(runs); i++)
		for (jobs = FIFO; jobs <= RANDOM; jobs++)
			for (results = FIFO; results <= RANDOM; results++)
				for (h = 0; h < ARRAY_SIZE(held_up); h++)
					test_pool(runs[i].clients, (enum kept)jobs,
						  (enum kept)results, held_up[h],
						  results ? runs[i].none :
						  jobs ? runs[i].by_results : runs[i].kept);
}

int main(void)
{
	test_pools();
	return done();
}
