/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CORE_ORDER_H
#define TL_CORE_ORDER_H

#include "port.h"

#define TL_ORDER_MAX 64 /* results, and answers, in one look */

/* A result that a thread has handed back, and told of. */
struct tl_order_result {
	u64 begin_ns; /* its errand's; 0: it has made no calls */
	u64 done_ns; /* what it waited for was there: it was handed back at this time ... */
	u64 told_ns; /* ... or later, and not after this */
};

/* An answer that the thread which takes the results has sent. */
struct tl_order_answer {
	u64 open_ns; /* its request's */
	u64 sent_ns;
};

/* Pairs that began in the order of their requests, or in the other one. */
struct tl_order_jobs {
	u16 same;
	u16 other;
};

/* What is known about the order of one thread's pool; zeroed when nothing is. */
struct tl_order {
	u32 right; /* checks of the results' order since the last wrong one */
	u32 demand; /* how many are wanted; 0: TL_ORDER_FIRST */
	struct tl_order_jobs sure; /* of pairs that are sure, one after the other */
	struct tl_order_jobs near; /* of neighbours, if results keep their order */
	struct tl_order_result last; /* the last sure pair */
	u64 last_open_ns; /* 0: there was none */
};

#define TL_ORDER_FIRST 8U
#define TL_ORDER_AGAIN 8U /* times as many after a wrong one before there were so many */
#define TL_ORDER_DEMAND_MAX 1024U
#define TL_ORDER_JOBS 12U /* that are wanted before the jobs' order is believed */
#define TL_ORDER_OVERTOOK 2U /* one that is held up, at least: nothing else explains it */
#define TL_ORDER_NEAR 32U /* and before the results' order is, because of it */
#define TL_ORDER_JOBS_MAX 256U /* halved then, so that what was long ago fades */

/* The k-th answer is known to be to a result, a bit each, and which. */
struct tl_order_pairs {
	u64 sure; /* the k-th; no other is possible */
	u64 ordered; /* others are, but in no order that is kept */
	u8 result[TL_ORDER_MAX]; /* whose bit is set */
};

bool tl_order_pair(struct tl_order *order, const struct tl_order_result *results,
		   unsigned int n_results, const struct tl_order_answer *answers,
		   unsigned int n, bool even, struct tl_order_pairs *pairs);

#endif
