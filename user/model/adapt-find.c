// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which function takes what a tier takes more than before
 *
 * Functions are looked at only after trouble began, so mostly nobody knows what they took before. Then all that one takes by itself
 * is held against what the tier's own time has grown by; where there was a time at method without trouble, before
 * or after, what it took then is subtracted. A function that has half of it is named.
 */
#include "adapt-work.h"

#include <math.h>
#include <string.h>

#define FORGET (1 / 120.0) /* of what functions took before, a window */
#define NAMED 0.5 /* of what is to be explained */
#define WINDOWS 2 /* without one that is named, before that is said */
#define REQUESTS 3.0

static struct tl_adapt_use *use_of(struct tl_adapt *a, size_t function, size_t cell)
{
	size_t i, n = a->uses;

	for (i = 0; i < a->uses; i++)
		if (a->use[i].function == function && a->use[i].cell == cell)
			return &a->use[i];
	a->use = tl_adapt_grow(a, a->use, &a->uses, sizeof(*a->use));
	if (a->uses == n)
		return NULL;
	a->use[n].function = function;
	a->use[n].cell = cell;
	return &a->use[n];
}

static bool is_in_trouble(const struct tl_adapt_kept *kept)
{
	return kept && (kept->own.ill || kept->response.ill);
}

/* As with times, of the windows before it is seen nothing is learnt. */
static void begin_or_end(struct tl_adapt *a)
{
	size_t i;

	for (i = 0; i < a->uses; i++) {
		struct tl_adapt_use *use = &a->use[i];

		if (!is_in_trouble(a->cell[use->cell]))
			use->own_s = use->cpu_s = use->n = 0;
		else
			memset(use->late_n, 0, sizeof(use->late_n));
	}
	for (i = 0; i < a->cells; i++)
		if (a->cell[i] && !is_in_trouble(a->cell[i]))
			a->cell[i]->method_n = 0;
}

static void learn(struct tl_adapt_use *use, double own_s, double n)
{
	size_t at = use->at++ % TL_EVIDENCE_LAG;

	if (use->late_n[at] > 0) {
		use->base_own_s += use->late_s[at] - FORGET * use->base_own_s;
		use->base_n += use->late_n[at] - FORGET * use->base_n;
	}
	use->late_s[at] = own_s;
	use->late_n[at] = n;
}

/* What functions took in requests of the window. */
void tl_adapt_uses(struct tl_adapt *a, const struct tl_adapt_in *in)
{
	struct tl_adapt_use *use;
	size_t i;

	begin_or_end(a);
	for (i = 0; i < in->calls; i++) {
		const struct tl_adapt_call *call = &in->call[i];
		struct tl_adapt_kept *kept = call->cell == TL_ADAPT_NONE ? NULL : a->cell[call->cell];

		use = kept && call->count > 0 ? use_of(a, call->function, call->cell) : NULL;
		if (!use)
			continue;
		if (is_in_trouble(kept) && !kept->own.quiet && !kept->response.quiet) {
			kept->method_n += kept->called ? 0 : kept->known;
			kept->called = true;
			use->own_s += call->own_s;
			use->cpu_s += call->cpu_s;
		} else if (!is_in_trouble(kept)) {
			learn(use, call->own_s, kept->known);
		}
	}
	for (i = 0; i < a->uses; i++) {
		const struct tl_adapt_kept *kept = a->cell[a->use[i].cell];

		if (a->use[i].own_s > 0 && !kept->own.quiet && !kept->response.quiet)
			a->use[i].n += kept->known;
	}
}

static double more_of(const struct tl_adapt_use *use)
{
	double in_s = use->own_s / use->n;

	return use->base_n > 0 ? fmax(in_s - use->base_own_s / use->base_n, 0) : in_s;
}

static const struct tl_adapt_use *top_of(const struct tl_adapt *a, size_t cell, size_t *probed)
{
	const struct tl_adapt_use *top = NULL;
	size_t i;

	for (*probed = 0, i = 0; i < a->uses; i++) {
		if (a->use[i].cell != cell || !(a->use[i].n > 0))
			continue;
		++*probed;
		if (!top || more_of(&a->use[i]) > more_of(top))
			top = &a->use[i];
	}
	return top;
}

static void found(struct tl_adapt *a, const struct tl_adapt_finding *finding)
{
	size_t n = a->findings;

	a->finding = tl_adapt_grow(a, a->finding, &a->findings, sizeof(*a->finding));
	if (a->findings > n)
		a->finding[n] = *finding;
}

/* There may be another one that does: look at more, if that is not too dear. */
static void widen(struct tl_adapt *a, struct tl_adapt_place *place)
{
	if (a->share > a->options.budget / 2 || place->functions >= a->options.functions)
		return;
	place->functions = place->functions * 2 < a->options.functions ? place->functions * 2 : a->options.functions;
}

static void find(struct tl_adapt *a, size_t tier)
{
	struct tl_adapt_place *place = &a->place[tier];
	const struct tl_adapt_kept *kept = a->cell[place->cell];
	struct tl_adapt_finding f = { .node = kept->node, .cell = place->cell, .tier = tier, .function = TL_ADAPT_NONE };
	const struct tl_adapt_use *top;

	if (kept->method_n < REQUESTS || !(kept->now_n > 0))
		return;
	top = top_of(a, place->cell, &f.probed);
	f.own_s = kept->now_own_s / kept->now_n;
	f.extra_s = fmax(f.own_s - (kept->base_n > 0 ? kept->base_own_s / kept->base_n : 0), 0);
	if (top) {
		f.in_s = top->own_s / top->n;
		f.cpu_s = fmin(top->cpu_s / top->n, f.in_s);
		f.more_s = more_of(top);
		f.compared = top->base_n > 0;
	}
	place->found++;
	if (top && f.more_s >= NAMED * f.extra_s)
		f.function = top->function;
	else
		widen(a, place);
	if (f.function == TL_ADAPT_NONE ? place->found != WINDOWS : place->found_function == f.function)
		return;
	if (f.function != TL_ADAPT_NONE)
		place->found_function = f.function;
	found(a, &f);
}

/* What is known of tiers at method. */
void tl_adapt_find(struct tl_adapt *a, const struct tl_adapt_in *in)
{
	size_t i;

	for (i = 0; i < a->places && i < in->tiers; i++)
		if (a->place[i].level == TL_AT_METHOD && a->place[i].want == TL_AT_METHOD &&
		    a->place[i].cell != TL_ADAPT_NONE)
			find(a, i);
}
