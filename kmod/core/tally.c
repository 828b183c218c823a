// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Results and answers in step: when is the k-th answer to the k-th result at all?
 *
 * Both are kept in their order until they are paired, see order.c. That is done when a turn
 * of the thread ends, for by then it has taken all results that were there.
 *
 * A thread may be held up between its result and its word, while the result is taken and
 * answered. So what counts is not how many results are there when the turn ends: one that is
 * told of after the last answer may stand for another one that is not told of yet. *Told
 * before the last answer was sent* there are
 *
 *   as many as answers: these are they, for whatever was told by then was there to be taken;
 *
 *   more: the thread does not take all at once, or the program tells more often than it
 *   answers. The order has to show whether they are in step;
 *
 *   less: some are held up. If as many as are missing have been told since, were done before
 *   the last answer and are the next ones, they are those. Else all wait, some turns at most.
 *
 * What the thread has received last itself, and answers, may be its own work, which nobody tells
 * of; or a quick thread's. Told of, it is not its own.
 *
 * Results that stay although the thread answers nothing in a turn are of no answer. Whatever
 * else brings the two out of step is forgotten with all that is there, and nothing is paired
 * until they are seen to be in step again: as many of one as of the other in a turn, all told
 * before the last answer. A result that was done before the last answer that is forgotten, and
 * told of after that, may be that one's: then it is not known after all.
 *
 * Nothing here locks. The caller owns all of it.
 */
#include "tally.h"

/**
 * tl_tally_told() - The thread is told of a result
 * @tally: the thread's
 * @result: the result
 *
 * Return: false if there is no room for it; it is missing then.
 */
bool tl_tally_told(struct tl_tally *tally, const struct tl_order_result *result)
{
	if (tally->n_results == TL_TALLY_MAX) {
		tally->full = true;
		return false;
	}
	tally->results[tally->n_results++] = *result;
	return true;
}

/**
 * tl_tally_answered() - The thread answers what it has not worked for
 * @tally: the thread's
 * @answer: the answer
 * @own: it may have worked for it
 *
 * Return: false if there is no room for it; it is missing then.
 */
bool tl_tally_answered(struct tl_tally *tally, const struct tl_order_answer *answer, bool own)
{
	if (tally->n_answers == TL_TALLY_MAX) {
		tally->full = true;
		return false;
	}
	tally->answers[tally->n_answers++] = *answer;
	tally->own += own;
	return true;
}

static u64 last_sent_ns(const struct tl_tally *tally)
{
	return tally->n_answers ? tally->answers[tally->n_answers - 1].sent_ns : 0;
}

/* The first ones are done with. */
static void drop(struct tl_tally *tally, unsigned int n_results, unsigned int n_answers,
		 struct tl_tally_done *done)
{
	done->n_results = n_results;
	done->n_answers = n_answers;
	tally->n_results -= n_results;
	tally->n_answers -= n_answers;
	memmove(tally->results, tally->results + n_results,
		tally->n_results * sizeof(tally->results[0]));
	memmove(tally->answers, tally->answers + n_answers,
		tally->n_answers * sizeof(tally->answers[0]));
	tally->turns = 0;
	tally->own = 0;
}

static void go_astray(struct tl_tally *tally, struct tl_tally_done *done)
{
	tally->forgot_ns = max(tally->forgot_ns, last_sent_ns(tally));
	drop(tally, tally->n_results, tally->n_answers, done);
	tally->astray = true;
	tally->full = false;
}

static unsigned int told_by(const struct tl_tally *tally, u64 ns)
{
	unsigned int i, n = 0;

	for (i = 0; i < tally->n_results; i++)
		n += tally->results[i].told_ns <= ns;
	return n;
}

/* Whether there is one that may be of an answer that is forgotten. */
static bool of_forgotten(const struct tl_tally *tally)
{
	unsigned int i;

	for (i = 0; i < tally->n_results; i++)
		if (tally->results[i].begin_ns &&
		    tally->results[i].done_ns <= tally->forgot_ns)
			return true;
	return false;
}

/* Whether nothing but the first results, as many as answers, was done by the last answer. */
static bool were_held_up(const struct tl_tally *tally)
{
	u64 sent_ns = last_sent_ns(tally);
	unsigned int i;

	if (tally->n_results < tally->n_answers)
		return false;
	for (i = 0; i < tally->n_results; i++) {
		bool done = tally->results[i].done_ns <= sent_ns;
		bool first = i < tally->n_answers;

		if (done != first)
			return false;
	}
	return true;
}

static void pair(struct tl_tally *tally, unsigned int n_results, struct tl_tally_done *done)
{
	unsigned int n = tally->n_answers;

	if (tl_order_pair(&tally->order, tally->results, n_results, tally->answers, n,
			  !tally->before, &done->pairs))
		drop(tally, n, n, done);
	else
		go_astray(tally, done);
}

static void settle_answers(struct tl_tally *tally, struct tl_tally_done *done)
{
	unsigned int n = tally->n_answers, told = told_by(tally, last_sent_ns(tally));

	if (told >= n)
		pair(tally, tally->n_results, done);
	else if (were_held_up(tally))
		pair(tally, n, done);
	else if (++tally->turns > (tally->own < n - told ? TL_TALLY_TURNS : TL_TALLY_OWN_TURNS))
		go_astray(tally, done);
}

static void settle(struct tl_tally *tally, struct tl_tally_done *done)
{
	unsigned int n = tally->n_results;

	if (tally->full || of_forgotten(tally)) {
		go_astray(tally, done);
		return;
	}
	if (tally->astray && n == tally->n_answers && told_by(tally, last_sent_ns(tally)) == n)
		tally->astray = false;
	if (tally->astray)
		go_astray(tally, done);
	else if (tally->n_answers)
		settle_answers(tally, done);
	else if (tally->before) /* They had a whole turn. */
		drop(tally, n, 0, done);
}

/**
 * tl_tally_settle() - The thread's turn is over
 * @tally: the thread's
 * @done: set: what is done with, and what of it belongs together
 *
 * The steps are those of tl_order_pair() at most.
 */
void tl_tally_settle(struct tl_tally *tally, struct tl_tally_done *done)
{
	memset(done, 0, sizeof(*done));
	if (tally->n_results | tally->n_answers)
		settle(tally, done);
	tally->before = tally->n_results + tally->n_answers;
}
