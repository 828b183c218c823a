// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ledgers: what a thread was told of, and what it has answered
 *
 * Their times are in the thread's tally, which tells when a turn of the thread ends what belongs
 * together, see core/tally.c and core/order.c; here is whose they are.
 *
 * A ledger belongs to its thread alone, so it needs no lock.
 */
#include "conn.h"
#include "errand.h"
#include "ledger.h"
#include "stats.h"
#include "core/tally.h"

struct tl_ledger {
	struct tl_pool_item item;
	const void *key; /* the eventfd or pipe that the results were told by */
	struct tl_tally tally;
	struct tl_request_ref errands[TL_TALLY_MAX]; /* of the tally's results */
	struct tl_request_ref requests[TL_TALLY_MAX]; /* of its answers */
};

static struct tl_pool ledgers;

int tl_ledger_init(void)
{
	return tl_pool_init(&ledgers, "ledgers", sizeof(struct tl_ledger), 8, NULL);
}

void tl_ledger_exit(void)
{
	tl_pool_exit(&ledgers);
}

static struct tl_ledger *ledger_get(struct tl_task *task)
{
	struct tl_ledger *ledger = task->ledger;

	if (ledger)
		return ledger;
	ledger = tl_pool_get(&ledgers);
	if (ledger)
		memset((char *)ledger + sizeof(ledger->item), 0,
		       sizeof(*ledger) - sizeof(ledger->item));
	task->ledger = ledger;
	return ledger;
}

/* What is told by two ways has no order, nor has what was learnt of one a meaning for another. */
static void use_key(struct tl_ledger *ledger, const void *key)
{
	if (ledger->key == key)
		return;
	ledger->tally.full |= ledger->tally.n_results > 0;
	ledger->key = key;
	memset(&ledger->tally.order, 0, sizeof(ledger->tally.order));
}

/**
 * tl_ledger_told() - A result has come to the thread
 * @task: the current thread
 * @key: the eventfd or pipe
 * @told: the result; its use of an errand goes to the ledger
 *
 * Context: task, interrupts off; no connection's lock is held.
 */
void tl_ledger_told(struct tl_task *task, const void *key, const struct tl_told *told)
{
	struct tl_ledger *ledger = ledger_get(task);
	unsigned int n;

	if (ledger) {
		use_key(ledger, key);
		ledger->tally.full |= told->missed;
		n = ledger->tally.n_results;
		if (tl_tally_told(&ledger->tally, &told->when)) {
			ledger->errands[n] = told->errand;
			return;
		}
	}
	this_cpu_inc(tl_stats.loss[TL_LOSS_HANDOFFS_DROPPED]);
	tl_errand_put(told->errand);
}

/* What the thread's results come by, if it has answered any; else NULL. It has a ledger. */
const void *tl_ledger_key(const struct tl_task *task)
{
	return task->ledger->tally.n_answers ? task->ledger->key : NULL;
}

/* The slow part of tl_ledger_answers(). */
noinline void
tl_ledger_add_answer(struct tl_task *task, struct tl_request *request, bool own, u64 now_ns)
{
	struct tl_order_answer answer = { request->open_ns, now_ns };
	struct tl_ledger *ledger = task->ledger;
	unsigned int n = ledger->tally.n_answers;

	if (!tl_tally_answered(&ledger->tally, &answer, own))
		return;
	ledger->requests[n].request = request;
	ledger->requests[n].seq = request->seq;
}

static void put_errands(struct tl_ledger *ledger, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		tl_errand_put(ledger->errands[i]);
}

/* The tally has dropped the first ones. */
static void follow(struct tl_ledger *ledger, unsigned int n_results, unsigned int n_answers)
{
	put_errands(ledger, n_results);
	memmove(ledger->errands, ledger->errands + n_results,
		ledger->tally.n_results * sizeof(ledger->errands[0]));
	memmove(ledger->requests, ledger->requests + n_answers,
		ledger->tally.n_answers * sizeof(ledger->requests[0]));
}

static void adopt(struct tl_request_ref answered, struct tl_request_ref errand, u8 by)
{
	struct tl_request *request = tl_conn_lock_request(answered);

	if (request && !request->errand)
		tl_errand_adopt(container_of(request, struct tl_server, request), errand, by);
	tl_conn_unlock_request(request);
}

static void adopt_pairs(struct tl_ledger *ledger, const struct tl_order_pairs *pairs,
			unsigned int n)
{
	unsigned int k;

	for (k = 0; k < n; k++) {
		struct tl_request_ref errand = ledger->errands[pairs->result[k]];

		if (errand.request && (pairs->sure | pairs->ordered) >> k & 1)
			adopt(ledger->requests[k], errand,
			      pairs->sure >> k & 1 ? TL_BY_HANDOFF : TL_BY_ORDER);
	}
}

/**
 * tl_ledger_settle() - The current thread's turn is over
 * @task: the current thread, which has a ledger
 *
 * Context: task, interrupts off; no connection's lock is held. The steps are those of
 * tl_order_pair() at most.
 */
void tl_ledger_settle(struct tl_task *task)
{
	struct tl_ledger *ledger = task->ledger;
	struct tl_tally_done done;

	tl_tally_settle(&ledger->tally, &done);
	adopt_pairs(ledger, &done.pairs, done.n_answers);
	follow(ledger, done.n_results, done.n_answers);
}

/**
 * tl_ledger_forget() - A thread goes
 * @task: the thread
 *
 * Context: interrupts off; no connection's lock is held.
 */
void tl_ledger_forget(struct tl_task *task)
{
	struct tl_ledger *ledger = task->ledger;

	if (!ledger)
		return;
	tl_ledger_settle(task);
	put_errands(ledger, ledger->tally.n_results);
	task->ledger = NULL;
	tl_pool_put(&ledgers, ledger);
}

unsigned int tl_ledger_count(void)
{
	return tl_pool_used(&ledgers);
}
