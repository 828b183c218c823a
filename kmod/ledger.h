/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_LEDGER_H
#define TL_LEDGER_H

#include "core/order.h"
#include "thread.h"

/* What a thread has handed back, and told of by one write. */
struct tl_told {
	struct tl_request_ref errand; /* used by this; empty: work without calls */
	struct tl_order_result when;
	bool missed; /* there were others before it, which are lost */
};

int tl_ledger_init(void);
void tl_ledger_exit(void);
void tl_ledger_told(struct tl_task *task, const void *key, const struct tl_told *told);
const void *tl_ledger_key(const struct tl_task *task);
void tl_ledger_add_answer(struct tl_task *task, struct tl_request *request, bool own, u64 now_ns);
void tl_ledger_settle(struct tl_task *task);
void tl_ledger_forget(struct tl_task *task);
unsigned int tl_ledger_count(void);

/**
 * tl_ledger_answers() - The current thread answers what it has not worked for
 * @task: the current thread
 * @request: the request, its lock held
 * @own: it may have done the work itself
 * @now_ns: time
 */
static inline void tl_ledger_answers(struct tl_task *task, struct tl_request *request, bool own,
				     u64 now_ns)
{
	if (task->ledger)
		tl_ledger_add_answer(task, request, own, now_ns);
}

#endif
