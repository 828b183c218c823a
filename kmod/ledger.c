// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ledgers: what a thread was told of, and what it has answered
 *
 * Both are kept in their order until they are paired, see core/order.c. That is done when a
 * turn of the thread ends, for by then it has taken all results that were there, and what it
 * has answered cannot have ended before. Then there are as many results as answers; or some
 * more, which came after the thread had looked for the last time and are answered in its next
 * turn; or some less, when a thread was held up between its result and its word. For that one
 * all wait, some turns at most.
 *
 * Results that stay although the thread answers nothing in a turn are of no answer. Whatever
 * else brings the two out of step is forgotten with all that is there, and nothing is paired
 * until they are seen to be in step again: as many of one as of the other, and nothing told
 * that might be answered later.
 *
 * A ledger belongs to its thread alone, so it needs no lock.
 */
#include "conn.h"
#include "errand.h"
#include "ledger.h"
#include "stats.h"

#define ENTRIES TL_ORDER_MAX /* results and answers of one thread that are not paired */
#define TURNS 8 /* to wait for a thread that is held up */

struct tl_ledger {
	struct tl_pool_item item;
	const void *key; /* the eventfd or pipe that the results were told by */
	unsigned int n_results;
	unsigned int n_answers;
	unsigned int before; /* of both, when the last turn ended */
	unsigned int turns; /* with more answers than results */
	bool full; /* something is missing */
	bool own; /* of the answers, some may be to work of the thread's own */
	bool astray; /* it is not known whether the two are in step */
	struct tl_order order;
	struct tl_request_ref errands[ENTRIES];
	struct tl_order_result results[ENTRIES];
	struct tl_request_ref requests[ENTRIES];
	struct tl_order_answer answers[ENTRIES];
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
	ledger->full |= ledger->n_results > 0;
	ledger->key = key;
	memset(&ledger->order, 0, sizeof(ledger->order));
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

	if (ledger) {
		use_key(ledger, key);
		ledger->full |= told->missed;
	}
	if (ledger && ledger->n_results < ENTRIES) {
		ledger->errands[ledger->n_results] = told->errand;
		ledger->results[ledger->n_results++] = told->when;
		return;
	}
	if (ledger)
		ledger->full = true;
	this_cpu_inc(tl_stats.loss[TL_LOSS_HANDOFFS_DROPPED]);
	tl_errand_put(told->errand);
}

/* What the thread's results come by, if it has answered any; else NULL. It has a ledger. */
const void *tl_ledger_key(const struct tl_task *task)
{
	return task->ledger->n_answers ? task->ledger->key : NULL;
}

/**
 * tl_ledger_answers() - The current thread answers what it has not worked for
 * @task: the current thread
 * @request: the request, its lock held
 * @own: it may have done the work itself
 * @now_ns: time
 */
void tl_ledger_answers(struct tl_task *task, struct tl_request *request, bool own,
		       u64 now_ns)
{
	struct tl_ledger *ledger = task->ledger;
	unsigned int n;

	if (!ledger)
		return;
	if (ledger->n_answers == ENTRIES) {
		ledger->full = true;
		return;
	}
	n = ledger->n_answers++;
	ledger->own |= own;
	ledger->requests[n].request = request;
	ledger->requests[n].seq = request->seq;
	ledger->answers[n].open_ns = request->open_ns;
	ledger->answers[n].sent_ns = now_ns;
}

/* The first ones are done with. */
static void drop(struct tl_ledger *ledger, unsigned int n_results, unsigned int n_answers)
{
	unsigned int i;

	for (i = 0; i < n_results; i++)
		tl_errand_put(ledger->errands[i]);
	ledger->n_results -= n_results;
	ledger->n_answers -= n_answers;
	memmove(ledger->errands, ledger->errands + n_results,
		ledger->n_results * sizeof(ledger->errands[0]));
	memmove(ledger->results, ledger->results + n_results,
		ledger->n_results * sizeof(ledger->results[0]));
	memmove(ledger->requests, ledger->requests + n_answers,
		ledger->n_answers * sizeof(ledger->requests[0]));
	memmove(ledger->answers, ledger->answers + n_answers,
		ledger->n_answers * sizeof(ledger->answers[0]));
}

static void drop_all(struct tl_ledger *ledger)
{
	drop(ledger, ledger->n_results, ledger->n_answers);
}

static void adopt(struct tl_request_ref answered, struct tl_request_ref errand, u8 by)
{
	struct tl_request *request = tl_conn_lock_request(answered);

	if (request && !request->errand)
		tl_errand_adopt(container_of(request, struct tl_server, request), errand, by);
	tl_conn_unlock_request(request);
}

static void go_astray(struct tl_ledger *ledger)
{
	drop_all(ledger);
	ledger->astray = true;
	ledger->full = false;
	ledger->turns = 0;
}

/* There are as many results as answers, or more. */
static void pair(struct tl_ledger *ledger)
{
	unsigned int n = ledger->n_answers, k;
	struct tl_order_pairs pairs;

	if (!tl_order_pair(&ledger->order, ledger->results, ledger->n_results,
			   ledger->answers, n, !ledger->before, &pairs)) {
		go_astray(ledger);
		return;
	}
	for (k = 0; k < n; k++) {
		if (!ledger->errands[k].request || !((pairs.sure | pairs.ordered) >> k & 1))
			continue;
		adopt(ledger->requests[k], ledger->errands[k],
		      pairs.sure >> k & 1 ? TL_BY_HANDOFF : TL_BY_ORDER);
	}
	drop(ledger, n, n);
	ledger->turns = 0;
}

/* Whether nothing is there, or all that was told was answered after that. */
static bool in_step(const struct tl_ledger *ledger)
{
	unsigned int n = ledger->n_results;

	return n == ledger->n_answers &&
	       (!n || ledger->results[n - 1].told_ns <= ledger->answers[n - 1].sent_ns);
}

static void settle(struct tl_ledger *ledger)
{
	bool own = ledger->own;

	ledger->own = false;
	if (ledger->full || (own && ledger->n_results != ledger->n_answers)) {
		go_astray(ledger);
		return;
	}
	ledger->astray = ledger->astray && !in_step(ledger);
	if (ledger->astray) {
		drop_all(ledger);
	} else if (!ledger->n_answers) {
		/* They had a whole turn. */
		if (ledger->before)
			drop_all(ledger);
	} else if (ledger->n_results >= ledger->n_answers) {
		pair(ledger);
	} else if (++ledger->turns > TURNS) {
		go_astray(ledger);
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

	if (!(ledger->n_results | ledger->n_answers | ledger->astray))
		return;
	settle(ledger);
	ledger->before = ledger->n_results + ledger->n_answers;
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
	drop_all(ledger);
	task->ledger = NULL;
	tl_pool_put(&ledgers, ledger);
}

unsigned int tl_ledger_count(void)
{
	return tl_pool_used(&ledgers);
}
