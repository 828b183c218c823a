// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Right, wrong or unattributed, from the sums alone
 *
 * Class number k calls the k-th endpoint and no other. A call that the kernel has at
 * another endpoint than its class's is wrong; what it has at none is unattributed. How
 * many calls there were the servers say. Requests of the warm-up and their calls do not
 * count, unless one of them is mixed up with what does: that is wrong.
 */
#include "selftest/judge.h"

#include "selftest/trial.h"

#include <math.h>
#include <stdlib.h>

#define Z95 1.959964

const char *const tl_verdict_names[] = {
	[TL_VERDICT_MET] = "met",	  [TL_VERDICT_NOT_YET] = "not yet",
	[TL_VERDICT_ABSENT] = "cannot run here", [TL_VERDICT_MISSED] = "missed",
	[TL_VERDICT_LOST] = "does not add up",	  [TL_VERDICT_FAILED] = "failed",
};

/**
 * tl_judge_share() - A part as a share
 * @part: of @all
 * @all: how many
 *
 * Return: 0 … 1, 0 of none.
 */
double tl_judge_share(u64 part, u64 all)
{
	return all ? (double)part / (double)all : 0;
}

/**
 * tl_judge_bounds() - Where the rate behind a share lies
 * @part: how many of
 * @all: so many
 * @low: set to the lower bound, 0 … 1
 * @high: set to the upper bound
 *
 * The score interval (Wilson 1927) for 95 %: the rates p that @part is within 1.96
 * standard deviations of, (part - all p)² = z² all p (1 - p). It says something also
 * where @part is none or all.
 */
void tl_judge_bounds(u64 part, u64 all, double *low, double *high)
{
	double n = (double)all, p = tl_judge_share(part, all), z2 = Z95 * Z95;
	double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
	double half = Z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);

	*low = all ? fmax(middle - half, 0) : 0;
	*high = all ? fmin(middle + half, 1) : 1;
}

/**
 * tl_judge_needed() - How many calls it takes to rule a rate out
 * @rate: of wrong ones, above 0
 *
 * Return: so many of which none is wrong that the upper bound of tl_judge_bounds() is the rate.
 */
u64 tl_judge_needed(double rate)
{
	return (u64)ceil(Z95 * Z95 * (1 - rate) / rate);
}

/**
 * tl_judge_kinds() - Add trials up by their kinds
 * @kinds: of TL_KINDS entries, filled in the order in which they turn up
 * @trials: that were judged
 * @n: how many
 *
 * What a single trial cannot rule out because it has so few calls, all of a kind together may.
 *
 * Return: how many kinds made calls.
 */
size_t tl_judge_kinds(struct tl_kind *kinds, const struct tl_trial *trials, size_t n)
{
	size_t used = 0, i, k;

	for (i = 0; i < n; i++) {
		if (trials[i].state != TL_TRIAL_RUN || !trials[i].calls)
			continue;
		for (k = 0; k < used && kinds[k].bar != trials[i].shape->bar; k++)
			;
		if (k == TL_KINDS)
			continue;
		if (k == used)
			kinds[used++] = (struct tl_kind){ .bar = trials[i].shape->bar };
		kinds[k].trials++;
		kinds[k].calls += trials[i].calls;
		kinds[k].right += trials[i].right;
		kinds[k].wrong += trials[i].wrong;
	}
	return used;
}

static bool is_of(const struct tl_tier_place *place, const char *tier)
{
	u32 i;

	for (i = 0; tier && i < place->endpoints; i++)
		if (place->tier[i][0] && !strcmp(tier, place->tier[i]))
			return true;
	return false;
}

/* Which endpoint of @place was called, -1 for none of them. */
static int endpoint_of(const struct tl_tier_place *place, const char *peer)
{
	const char *colon = strrchr(peer, ':');
	unsigned long port = colon ? strtoul(colon + 1, NULL, 10) : 0;

	if (port < place->port || port >= place->port + place->endpoints)
		return -1;
	return (int)(port - place->port);
}

static void edge_judge(struct tl_trial *trial, const struct tl_tier_place *next,
		       const struct tl_edge *edge)
{
	int endpoint = endpoint_of(next, edge->peer), i;

	if (endpoint < 0)
		return;
	if (tl_keep_class_number(edge->class) == endpoint) {
		if (trial->warm_up && endpoint == TL_TRIAL_WARM_UP_CLASS)
			return;
		trial->right += edge->calls;
	} else {
		trial->wrong += edge->calls;
	}
	for (i = 0; i < TL_BY_KINDS; i++)
		trial->by[i] += edge->by[i];
}

/* Response time less own time less calls, all of which are sequential in a chain. */
static void tier_add(struct tl_trial *trial, const struct tl_tier *tier, bool front,
		     const struct tl_interval *all)
{
	s64 rest = 0;
	size_t i;

	for (i = 0; i < tier->n_cells; i++) {
		const struct tl_cell *cell = &tier->cells[i];

		trial->front_ns += front ? cell->response_ns : 0;
		trial->counted += front ? cell->count : 0;
		trial->own_ns += cell->own_ns;
		trial->chain_requests += cell->count;
		rest += (s64)cell->response_ns - (s64)cell->own_ns;
	}
	for (i = 0; i < all->n_edges; i++) {
		const struct tl_edge *edge = &all->edges[i];

		if (!edge->tier || strcmp(edge->tier, tier->name))
			continue;
		rest -= (s64)edge->time_ns;
		trial->transit_ns += edge->sum[TL_EDGE_TRANSIT].value;
		trial->joined += edge->sum[TL_EDGE_JOINED].value;
		trial->chain_calls += edge->calls;
	}
	trial->rest_ns += (u64)llabs(rest);
}

static void chain_add(struct tl_trial *trial, const struct tl_interval *all)
{
	unsigned int depth;
	size_t i;

	for (i = 0; i < all->n_tiers; i++)
		for (depth = 0; depth < trial->shape->depth; depth++)
			if (is_of(&trial->place[depth], all->tiers[i].name))
				tier_add(trial, &all->tiers[i], !depth, all);
}

/**
 * tl_judge() - Count a trial's calls
 * @trial: one that ran
 * @all: sums over all of its time
 */
void tl_judge(struct tl_trial *trial, const struct tl_interval *all)
{
	unsigned int depth;
	u64 attributed;
	size_t i;

	for (depth = 0; depth + 1 < trial->shape->depth; depth++) {
		trial->calls += trial->place[depth].calls;
		for (i = 0; i < all->n_edges; i++)
			if (is_of(&trial->place[depth], all->edges[i].tier))
				edge_judge(trial, &trial->place[depth + 1], &all->edges[i]);
	}
	/* One for each request, some of which nobody may have got an answer to. */
	trial->calls -= min(trial->calls, trial->warm_up);
	attributed = trial->right + trial->wrong;
	trial->absent = trial->calls - min(trial->calls, attributed);
	trial->more = attributed - min(trial->calls, attributed);
	if (trial->shape->flags & TL_SHAPE_CHAIN)
		chain_add(trial, all);
}

/* So few calls say little about a small rate: as many as it brings by chance, 3 sigma. */
static bool too_many(u64 wrong, u64 calls, double rate)
{
	double mean = (double)calls * rate;

	return (double)wrong > mean + 3 * sqrt(mean);
}

/**
 * tl_judge_kind() - Are few enough calls of a kind wrong?
 * @kind: all of its trials
 *
 * A rate that brings a single trial no more than chance might shows in all of them.
 *
 * Return: TL_VERDICT_MET or TL_VERDICT_MISSED.
 */
enum tl_verdict tl_judge_kind(const struct tl_kind *kind)
{
	return too_many(kind->wrong, kind->calls, kind->bar->wrong) ? TL_VERDICT_MISSED :
								      TL_VERDICT_MET;
}

static bool adds_up(const struct tl_trial *trial)
{
	unsigned int depth = trial->shape->depth;

	if (!(trial->shape->flags & TL_SHAPE_CHAIN))
		return true;
	return !trial->rest_ns && trial->front_ns == trial->own_ns + trial->transit_ns &&
	       trial->joined == trial->chain_calls && trial->counted == trial->requests &&
	       trial->chain_requests == trial->requests * depth;
}

/**
 * tl_judge_verdict() - Is it as good as wanted?
 * @trial: one that was run, or tried to, and judged
 *
 * Return: the verdict.
 */
enum tl_verdict tl_judge_verdict(const struct tl_trial *trial)
{
	const struct tl_bar *bar = trial->shape->bar;
	double right = tl_judge_share(trial->right, trial->calls);

	if (trial->state != TL_TRIAL_RUN)
		return trial->state == TL_TRIAL_ABSENT ? TL_VERDICT_ABSENT : TL_VERDICT_FAILED;
	if (!trial->requests || (trial->shape->depth > 1 && !trial->calls))
		return TL_VERDICT_FAILED;
	if (!adds_up(trial) || trial->more)
		return TL_VERDICT_LOST;
	if (too_many(trial->wrong, trial->calls, bar->wrong))
		return TL_VERDICT_MISSED;
	if (trial->shape->depth == 1 || right >= bar->right)
		return TL_VERDICT_MET;
	return right >= tl_shape_right(trial->shape, trial->connections) ? TL_VERDICT_NOT_YET :
									   TL_VERDICT_MISSED;
}
