// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which function takes what a tier takes more than before
 *
 * Functions are looked at only after trouble began, so mostly nobody knows what they took before. Then all that one takes by itself
 * is held against what the tier's own time has grown by; where there was a time at method without trouble, before
 * or after, what it took then is subtracted. A function that has half of it is named.
 *
 * Calls that were under way when a function was first probed are not seen, though their requests are. So the first window,
 * and as many as UNDER_WAY mean own times take, have too little of it: what is named by them is named soon, and told once
 * more if the windows after them, SETTLED of them with SETTLED_REQUESTS, say something else: by AGAIN_TIME of the extra
 * time, or that it is AGAIN_PART more or less of it. Own times are then of the same requests.
 */
#include "adapt-work.h"

#include <math.h>
#include <string.h>

#define FORGET (1 / 120.0) /* of what functions took before, a window */
#define NAMED 0.5 /* of what is to be explained */
#define WINDOWS 2 /* without one that is named, before that is said */
#define REQUESTS 3.0
#define UNDER_WAY 4.0
#define SETTLED 2
#define SETTLED_REQUESTS 20.0
#define AGAIN_TIME 0.25
#define AGAIN_PART 0.125

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

static void use_forget(struct tl_adapt_use *use)
{
	use->all = use->full = use->now = (struct tl_adapt_part){ 0 };
	use->called = use->fulls = 0;
}

/* As with times, of the windows before it is seen nothing is learnt. */
static void begin_or_end(struct tl_adapt *a)
{
	size_t i;

	for (i = 0; i < a->uses; i++) {
		struct tl_adapt_use *use = &a->use[i];

		if (!is_in_trouble(a->cell[use->cell]))
			use_forget(use);
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

static void part_add(struct tl_adapt_part *to, const struct tl_adapt_part *part)
{
	to->n += part->n;
	to->tier_s += part->tier_s;
	to->own_s += part->own_s;
	to->cpu_s += part->cpu_s;
}

/* Windows in which there may be calls that began before they were looked at. */
static double partial_windows(const struct tl_adapt_kept *kept, double seconds)
{
	return 1 + ceil(UNDER_WAY * kept->now_own_s / fmax(kept->now_n, 1) / seconds);
}

static bool is_counted(const struct tl_adapt_kept *kept)
{
	return kept->seen && is_in_trouble(kept) && !kept->own.quiet && !kept->response.quiet;
}

/* The window, if the function was called in it or before; it stays in @now. */
static void use_add(struct tl_adapt_use *use, const struct tl_adapt_kept *kept, double seconds)
{
	use->now.n = kept->known;
	use->now.tier_s = kept->window_own_s;
	if (is_counted(kept) && use->all.own_s + use->now.own_s > 0) {
		part_add(&use->all, &use->now);
		if (++use->called > partial_windows(kept, seconds)) {
			part_add(&use->full, &use->now);
			use->fulls++;
		}
	}
}

/* What functions took in requests of the window. */
void tl_adapt_uses(struct tl_adapt *a, const struct tl_adapt_in *in)
{
	struct tl_adapt_use *use;
	size_t i;

	begin_or_end(a);
	for (i = 0; i < a->uses; i++)
		a->use[i].now = (struct tl_adapt_part){ 0 };
	for (i = 0; i < in->calls; i++) {
		const struct tl_adapt_call *call = &in->call[i];
		struct tl_adapt_kept *kept = call->cell == TL_ADAPT_NONE ? NULL : a->cell[call->cell];

		use = kept && call->count > 0 ? use_of(a, call->function, call->cell) : NULL;
		if (!use)
			continue;
		if (is_counted(kept)) {
			kept->method_n += kept->called ? 0 : kept->known;
			kept->called = true;
			use->now.own_s += call->own_s;
			use->now.cpu_s += call->cpu_s;
		} else if (!is_in_trouble(kept)) {
			learn(use, call->own_s, kept->known);
		}
	}
	for (i = 0; i < a->uses; i++)
		use_add(&a->use[i], a->cell[a->use[i].cell], in->seconds);
}

static bool is_settled(const struct tl_adapt_use *use)
{
	return use->fulls >= SETTLED && use->full.n >= SETTLED_REQUESTS;
}

static const struct tl_adapt_part *part_of(const struct tl_adapt_use *use)
{
	return is_settled(use) ? &use->full : &use->all;
}

static double more_of(const struct tl_adapt_use *use)
{
	const struct tl_adapt_part *part = part_of(use);
	double in_s = part->own_s / part->n;

	return use->base_n > 0 ? fmax(in_s - use->base_own_s / use->base_n, 0) : in_s;
}

static const struct tl_adapt_use *top_of(const struct tl_adapt *a, size_t cell, size_t *probed)
{
	const struct tl_adapt_use *top = NULL;
	size_t i;

	for (*probed = 0, i = 0; i < a->uses; i++) {
		if (a->use[i].cell != cell || !(a->use[i].all.n > 0))
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

/* What was told was of the first windows: is it something else that it has settled at? */
static bool is_other(const struct tl_adapt_place *place, const struct tl_adapt_finding *f)
{
	double part = f->extra_s > 0 ? f->more_s / f->extra_s : 0;
	double told = place->found_extra_s > 0 ? place->found_more_s / place->found_extra_s : 0;

	return fabs(f->more_s - place->found_more_s) > AGAIN_TIME * f->extra_s ||
	       fabs(fmin(part, 1) - fmin(told, 1)) > AGAIN_PART;
}

static bool is_news(struct tl_adapt_place *place, const struct tl_adapt_finding *f, const struct tl_adapt_use *top)
{
	if (f->function == TL_ADAPT_NONE)
		return place->found == WINDOWS;
	if (place->found_function == f->function) {
		/* One that is not called may be looked at no longer. */
		if (place->found_again || !is_settled(top) || !(top->now.own_s > 0) || !is_other(place, f))
			return false;
		place->found_again = true;
	} else {
		place->found_again = is_settled(top);
	}
	place->found_function = f->function;
	place->found_more_s = f->more_s;
	place->found_extra_s = f->extra_s;
	return true;
}

/* What requests take longer by, and what @top has of it, if there is one. */
static void weigh(const struct tl_adapt_kept *kept, const struct tl_adapt_use *top, struct tl_adapt_finding *f)
{
	const struct tl_adapt_part *part = top ? part_of(top) : NULL;

	f->own_s = part && is_settled(top) ? part->tier_s / part->n : kept->now_own_s / kept->now_n;
	f->extra_s = fmax(f->own_s - (kept->base_n > 0 ? kept->base_own_s / kept->base_n : 0), 0);
	if (!top)
		return;
	f->in_s = part->own_s / part->n;
	f->cpu_s = fmin(part->cpu_s / part->n, f->in_s);
	f->more_s = more_of(top);
	f->compared = top->base_n > 0;
}

static void find(struct tl_adapt *a, size_t tier)
{
	struct tl_adapt_place *place = &a->place[tier];
	const struct tl_adapt_kept *kept = a->cell[place->cell];
	struct tl_adapt_finding f = { .node = kept->node, .cell = place->cell, .tier = tier, .function = TL_ADAPT_NONE };
	const struct tl_adapt_use *top;
	bool half;

	if (kept->method_n < REQUESTS || !(kept->now_n > 0))
		return;
	top = top_of(a, place->cell, &f.probed);
	weigh(kept, top, &f);
	place->found++;
	half = top && f.more_s >= NAMED * f.extra_s;
	if (!half)
		widen(a, place);
	/* What was named is told as it is, also if it turns out to be less than half. */
	if (half || (top && top->function == place->found_function))
		f.function = top->function;
	if (is_news(place, &f, top))
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
