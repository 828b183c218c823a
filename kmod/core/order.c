// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which answer is to which result, if all that is known is their order?
 *
 * A thread receives requests and queues them for others, which make the calls and queue
 * their results for the first one, which answers. The kernel sees none of the queues. It
 * sees when each result was *done* (the last bytes of its calls were there) and when it was
 * *told* (its thread wrote to an eventfd or pipe); in between it was queued. And it sees the
 * answers. If results are taken in the order in which they were queued, the k-th answer is
 * to the k-th result.
 *
 * Two things may be wrong with that, and for each there is a check.
 *
 * *A thread may be held up between queueing and telling.* Then others are told of first,
 * that were queued later. This can only be where two stretches from done to told overlap. A
 * result that overlaps with no other is *apart*, and its place is certain. Those that
 * overlap, perhaps through others, are a *group*: the group's answers are to its results, it
 * is not certain which to which. Then the jobs' order helps, if that is kept, too: the
 * result that began as the k-th of the group should answer the request that was opened as
 * the k-th. A pair on which both orders agree is taken: they would have to be wrong in the
 * same way. Where they do not, for a stretch of answers, it may be one thread that is
 * to blame. If it was held up before it told, it was told of after several that were
 * answered after it, and the jobs' order is right; if it was held up before it began, it
 * began after several that were opened after it, and what was told is right. A stretch that
 * only one of the two explains is taken as that says. With one alone that has overtaken it,
 * it is not clear which of the two orders is wrong.
 *
 * *The program may not keep the order at all*: a stack, priorities, several lists. What
 * results that are apart say about it:
 *
 *   wrong: an answer cannot be to its result, for the request was opened after the errand
 *   had begun;
 *
 *   right: of two neighbours that both were there when the first was answered, the two
 *   could not have been changed, for the same reasons.
 *
 * Pairs that say neither are no checks. An order of another kind brings many more of the
 * first than of the second: measured, a stack 4 to 1 and more, a random one 1.7 to 1 and
 * more; a queue brings none. (A result that was done after its answer is nothing that any order
 * brings: before the k-th answer there were k results. The two are out of step.) So it takes
 * TL_ORDER_FIRST right ones without a wrong one until the order is believed, which a random
 * order passes once in thousands of times. A wrong one after that may be results and answers
 * that have come out of step: as many are wanted once more. One before that tells of another
 * order: TL_ORDER_AGAIN times as many are wanted, at most TL_ORDER_DEMAND_MAX.
 *
 * Where requests wait long for a thread, times exclude nothing, and there are no checks. But
 * some pairs are *sure*: the only result and the only answer of a turn, or what times leave no
 * choice. If of these the jobs began in the order of their requests, and so it is with
 * neighbours as the results' order has them, that order is believed, too, unless it was ever
 * wrong: two orders that are not there do not agree.
 *
 * The jobs' order is believed while at most one of five pairs that both were queued when the
 * first began has begun in the other order: a queue brings 3 to 10 %, for the reason above,
 * any order 50 %, a stack 92 %.
 *
 * Cost: some comparisons of each pair of TL_ORDER_MAX, when all of that are one group. Sums are
 * bounded; times are compared only.
 *
 * Nothing here locks. The caller owns all of it.
 */
#include "order.h"

static bool too_late(const struct tl_order_result *result,
		     const struct tl_order_answer *answer)
{
	return result->begin_ns && result->done_ns > answer->sent_ns;
}

static bool impossible(const struct tl_order_result *result,
		       const struct tl_order_answer *answer)
{
	return result->begin_ns && (result->begin_ns < answer->open_ns ||
				    too_late(result, answer));
}

/* Bit k: of the results up to the k-th and those after it, two overlap. */
static u64 find_overlaps(const struct tl_order_result *results, unsigned int n)
{
	u64 first_ns = U64_MAX, overlaps = 0;
	unsigned int k;

	for (k = n; k-- > 1;) {
		first_ns = min(first_ns, results[k].done_ns);
		if (first_ns <= results[k - 1].told_ns)
			overlaps |= 1ULL << (k - 1);
	}
	return overlaps;
}

static bool is_apart(u64 overlaps, unsigned int k)
{
	return !((overlaps | overlaps << 1) & 1ULL << k);
}

static bool jobs_are_kept(const struct tl_order_jobs *jobs, u32 least)
{
	u32 all = jobs->same + jobs->other;

	return all >= least && jobs->other * 5 <= all;
}

static u32 wanted(const struct tl_order *order)
{
	return max(order->demand, TL_ORDER_FIRST);
}

static bool is_believed(const struct tl_order *order)
{
	if (order->right >= wanted(order))
		return true;
	return !order->demand && jobs_are_kept(&order->sure, TL_ORDER_JOBS) &&
	       jobs_are_kept(&order->near, TL_ORDER_NEAR);
}

static void was_wrong(struct tl_order *order)
{
	u32 again = order->right < wanted(order) ? TL_ORDER_AGAIN : 1;

	order->demand = min(wanted(order) * again, TL_ORDER_DEMAND_MAX);
	order->right = 0;
	order->near.same = 0;
	order->near.other = 0;
}

/* Two results that are apart, one after the other. */
static void check_neighbours(struct tl_order *order, const struct tl_order_result *results,
			     const struct tl_order_answer *answers)
{
	/* When the first was answered, the second was not there to be taken instead. */
	if (results[1].told_ns > answers[0].sent_ns)
		return;
	if (!results[0].begin_ns || !results[1].begin_ns)
		return;
	if (impossible(&results[0], &answers[1]) || impossible(&results[1], &answers[0]))
		order->right += order->right < TL_ORDER_DEMAND_MAX;
}

static void check_jobs(struct tl_order_jobs *jobs, const struct tl_order_result *first,
		       u64 first_open_ns, const struct tl_order_result *second,
		       u64 second_open_ns)
{
	bool began_first = first->begin_ns < second->begin_ns;
	bool opened_first = first_open_ns < second_open_ns;

	/* There was no choice before both were there, and of one without calls nobody knows. */
	if (min(first->begin_ns, second->begin_ns) <= max(first_open_ns, second_open_ns))
		return;
	if (began_first == opened_first)
		jobs->same++;
	else
		jobs->other++;
	if (jobs->same + jobs->other >= TL_ORDER_JOBS_MAX) {
		jobs->same /= 2;
		jobs->other /= 2;
	}
}

static void check_sure(struct tl_order *order, const struct tl_order_result *results,
		       const struct tl_order_answer *answers, unsigned int n, u64 pairs)
{
	unsigned int k;

	for (k = 0; k < n; k++) {
		if (!(pairs >> k & 1))
			continue;
		if (order->last_open_ns)
			check_jobs(&order->sure, &order->last, order->last_open_ns,
				   &results[k], answers[k].open_ns);
		order->last = results[k];
		order->last_open_ns = answers[k].open_ns;
	}
}

/* Return: false if one has shown the order to be wrong. */
static bool check(struct tl_order *order, const struct tl_order_result *results,
		  const struct tl_order_answer *answers, unsigned int n, u64 overlaps)
{
	unsigned int k;

	for (k = 0; k < n; k++) {
		if (!is_apart(overlaps, k))
			continue;
		/* Whatever the order, k results were there before the k-th answer. */
		if (too_late(&results[k], &answers[k]))
			return false;
		if (impossible(&results[k], &answers[k])) {
			was_wrong(order);
			return false;
		}
		if (!k || !is_apart(overlaps, k - 1))
			continue;
		check_neighbours(order, results + k - 1, answers + k - 1);
		check_jobs(&order->near, &results[k - 1], answers[k - 1].open_ns,
			   &results[k], answers[k].open_ns);
	}
	return true;
}

/* Results that overlap, and as many answers. */
struct group {
	const struct tl_order_result *results;
	const struct tl_order_answer *answers;
	unsigned int n;
	u8 place[TL_ORDER_MAX]; /* of each answer: its own */
	u8 opened[TL_ORDER_MAX]; /* of each answer: its place in the order of requests */
	u8 began[TL_ORDER_MAX]; /* of each result: its place in the order of jobs */
	u8 of[TL_ORDER_MAX]; /* of each answer: the result that is at its place there */
	u64 pairs;
};

/* Return: false if there is no order: work without calls, or two at the same time. */
static bool find_places(struct group *g)
{
	u64 began = 0, opened = 0;
	u8 at[TL_ORDER_MAX];
	unsigned int i, k;

	for (k = 0; k < g->n; k++) {
		g->place[k] = (u8)k;
		g->opened[k] = 0;
		g->began[k] = 0;
		for (i = 0; i < g->n; i++) {
			g->opened[k] += g->answers[i].open_ns < g->answers[k].open_ns;
			g->began[k] += g->results[i].begin_ns < g->results[k].begin_ns;
		}
		at[g->began[k]] = (u8)k;
		opened |= 1ULL << g->opened[k];
		/* Of one without calls nobody knows when it began. */
		began |= (u64)!!g->results[k].begin_ns << g->began[k];
	}
	if ((began & opened) != U64_MAX >> (64 - g->n))
		return false;
	for (k = 0; k < g->n; k++)
		g->of[k] = at[g->opened[k]];
	return true;
}

/* Two orders of the same, a stretch of which has changed places; see is_explained(). */
struct change {
	const u8 *was, *is;
	unsigned int from, to;
};

/* Those that were after the @k-th and are before it now. */
static u64 overtook(const struct change *c, unsigned int k)
{
	unsigned int i;
	u64 those = 0;

	for (i = c->from; i <= c->to; i++)
		those |= (u64)(c->was[i] > c->was[k] && c->is[i] < c->is[k]) << i;
	return those;
}

/* Those that were before the @k-th and are after it now. */
static u64 overtaken(const struct change *c, unsigned int k)
{
	unsigned int i;
	u64 those = 0;

	for (i = c->from; i <= c->to; i++)
		those |= (u64)(c->was[i] < c->was[k] && c->is[i] > c->is[k]) << i;
	return those;
}

/*
 * Whether all of it comes from some that were held up: several have overtaken each of these,
 * and nobody else. If one alone has, either may have been quick or slow.
 */
static bool is_explained(const struct change *c)
{
	u64 late = 0;
	unsigned int k;

	for (k = c->from; k <= c->to; k++)
		if (hweight64(overtook(c, k)) >= TL_ORDER_OVERTOOK && !overtaken(c, k))
			late |= 1ULL << k;
	for (k = c->from; k <= c->to; k++)
		if (!(late >> k & 1) && (overtook(c, k) | (overtaken(c, k) & ~late)))
			return false;
	return true;
}

/* Whether those that are told of later could have been there before. */
static bool is_possible(const struct group *g, unsigned int from, unsigned int to)
{
	unsigned int i, k;

	for (k = from; k <= to; k++)
		for (i = k + 1; i <= to; i++)
			if (g->of[i] < g->of[k] && g->results[g->of[k]].done_ns >
						   g->results[g->of[i]].told_ns)
				return false;
	return true;
}

/*
 * These answers are to these results, by either order, which one that times refute refutes as a
 * whole: else a result could be two answers'.
 */
static void pair_stretch(struct group *g, unsigned int from, unsigned int to)
{
	struct change told = { g->place, g->of, from, to };
	struct change begun = { g->opened, g->began, from, to };
	bool by_jobs = is_explained(&told) && is_possible(g, from, to);
	bool as_told = is_explained(&begun);
	unsigned int k;

	if (from < to && by_jobs == as_told)
		return;
	for (k = from; k <= to; k++)
		if (impossible(&g->results[as_told ? k : g->of[k]], &g->answers[k]))
			return;
	for (k = from; k <= to; k++) {
		if (as_told)
			g->of[k] = (u8)k;
		g->pairs |= 1ULL << k;
	}
}

static void pair_group(struct group *g)
{
	unsigned int k, from = 0, last = 0;

	if (!find_places(g))
		return;
	for (k = 0; k < g->n; k++) {
		if (g->of[k] > last)
			last = g->of[k];
		if (last > k)
			continue;
		pair_stretch(g, from, k);
		from = k + 1;
	}
}

/* The group begins with the @first; alone, it is apart. */
static void pair_some(const struct tl_order *order, struct group *g, unsigned int first,
		      struct tl_order_pairs *pairs)
{
	unsigned int i;

	if (g->n == 1)
		g->pairs = 1;
	else if (jobs_are_kept(&order->near, TL_ORDER_JOBS))
		pair_group(g);
	g->pairs &= ~(pairs->sure >> first);
	pairs->ordered |= g->pairs << first;
	for (i = 0; i < g->n; i++)
		if (g->pairs >> i & 1)
			pairs->result[first + i] = (u8)(first + g->of[i]);
}

static void pair_by_order(const struct tl_order *order, const struct tl_order_result *results,
			  const struct tl_order_answer *answers, unsigned int n, u64 overlaps,
			  struct tl_order_pairs *pairs)
{
	unsigned int k, first = 0;

	for (k = 0; k < n; k++) {
		struct group g;

		if (overlaps & 1ULL << k)
			continue;
		g.results = results + first;
		g.answers = answers + first;
		g.n = k + 1 - first;
		g.of[0] = 0;
		g.pairs = 0;
		pair_some(order, &g, first, pairs);
		first = k + 1;
	}
}

/* The answer can be to no other result, or the result can have no other answer. */
static u64 pair_by_times(const struct tl_order_result *results, unsigned int n_results,
			 const struct tl_order_answer *answers, unsigned int n)
{
	u64 pairs = 0;
	unsigned int k, i;

	for (k = 0; k < n; k++) {
		bool result = n_results == n, answer = true;

		for (i = 0; i < n_results && (result || answer); i++) {
			answer &= i == k || impossible(&results[i], &answers[k]);
			result &= i == k || i >= n || impossible(&results[k], &answers[i]);
		}
		if ((result || answer) && !impossible(&results[k], &answers[k]))
			pairs |= 1ULL << k;
	}
	return pairs;
}

/*
 * The first @n were told before the thread looked for the last time, and the next one was
 * not: so it has taken these, and whatever overlaps with them has been queued later.
 */
static bool all_were_taken(const struct tl_order_result *results,
			   const struct tl_order_answer *answers, unsigned int n)
{
	return results[n - 1].told_ns <= answers[n - 1].sent_ns &&
	       results[n].told_ns > answers[n - 1].sent_ns;
}

/**
 * tl_order_pair() - Which of the results are those that were answered
 * @order: what is known about it; brought up to date
 * @results: in the order in which they were told
 * @n_results: how many, at most TL_ORDER_MAX; @n or more, those that are not answered yet
 * @answers: in the order in which they were sent
 * @n: how many, at least one
 * @even: no results or answers were left over before these
 * @pairs: set
 *
 * Context: any; the caller owns @order.
 * Return: false if what it was given shows that the order is not kept, or that results and
 * answers are out of step; there are no pairs then.
 */
bool tl_order_pair(struct tl_order *order, const struct tl_order_result *results,
		   unsigned int n_results, const struct tl_order_answer *answers,
		   unsigned int n, bool even, struct tl_order_pairs *pairs)
{
	unsigned int k;
	u64 overlaps;

	if (n_results > n && all_were_taken(results, answers, n))
		n_results = n;
	overlaps = find_overlaps(results, n_results);
	memset(pairs, 0, sizeof(*pairs));
	for (k = 0; k < n; k++)
		pairs->result[k] = (u8)k;
	if (!check(order, results, answers, n, overlaps))
		return false;
	/* Who is out of step has not all that is possible here. */
	even = even && n_results == n && results[n - 1].told_ns <= answers[n - 1].sent_ns;
	if (even || is_believed(order))
		pairs->sure = pair_by_times(results, n_results, answers, n);
	check_sure(order, results, answers, n, pairs->sure);
	if (is_believed(order))
		pair_by_order(order, results, answers, n, overlaps, pairs);
	return true;
}
