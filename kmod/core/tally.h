/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CORE_TALLY_H
#define TL_CORE_TALLY_H

#include "order.h"

#define TL_TALLY_MAX TL_ORDER_MAX /* results, and answers, that are not paired */
#define TL_TALLY_TURNS 8U /* to wait for a thread that is held up */
#define TL_TALLY_OWN_TURNS 1U /* the same, if there may be none */

/* What a thread was told of and what it has answered; zeroed when nothing is known. */
struct tl_tally {
	unsigned int n_results;
	unsigned int n_answers;
	unsigned int before; /* of both, when the last turn ended */
	unsigned int turns; /* in which there were more answers than results */
	unsigned int own; /* of the answers, so many may be to work of the thread's own */
	bool full; /* something is missing */
	bool astray; /* it is not known whether the two are in step */
	u64 forgot_ns; /* the last answer of which nothing is known any more */
	struct tl_order order;
	struct tl_order_result results[TL_TALLY_MAX];
	struct tl_order_answer answers[TL_TALLY_MAX];
};

/* The first ones of both are done with; of these, some are pairs. */
struct tl_tally_done {
	unsigned int n_results;
	unsigned int n_answers;
	struct tl_order_pairs pairs;
};

bool tl_tally_told(struct tl_tally *tally, const struct tl_order_result *result);
bool tl_tally_answered(struct tl_tally *tally, const struct tl_order_answer *answer, bool own);
void tl_tally_settle(struct tl_tally *tally, struct tl_tally_done *done);

#endif
