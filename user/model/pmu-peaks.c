// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Peaks that nothing has that is like them: a fault, or the program?
 *
 * How far a rate y is above m, the largest of the nearest known samples,
 *
 *	u = log((y + c) / (m + c)),
 *
 * c being a few counts: what happens never or once is next to the same. Where the truth is known
 * (tl_foretell_peaks()), S of T samples are as far above all that is like them, so that
 *
 *	p = (S + 1) / (T + 1)
 *
 * is how likely it is that the program does that without a fault. Of n values that were counted, in
 * the order of their p, the first i are taken for faults,
 *
 *	i = max { i: p_i <= d i / n }:
 *
 * the program would have had no more than n p_i of them, a part d. One such peak in a record proves
 * nothing, where many cannot all be the program's. The first interval and the last are not judged:
 * what programs do once, they do there, and with one side only less is like it.
 *
 * Source: Y. Benjamini, Y. Hochberg, J. R. Statist. Soc. B 57 (1995).
 */
#include "pmu-work.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FALSE_PART 0.2 /* d */
#define TWOFOLD 0.7 /* u that is worth a look */
#define FEW (TL_PMU_COUNTS / 4)

/* Values that were counted, and how likely it is that such a thing is the program's. */
struct values {
	size_t n, *cell, *order;
	double *likely, *above;
};

/* A few counts in an interval of the record, as a rate. */
static double few_of(const struct tl_pmu_work *s, size_t event)
{
	double enabled = 0;
	size_t t;

	for (t = 0; t < s->record->intervals; t++)
		enabled += s->record->enabled_s[t * s->events + event];
	return enabled > 0 ? FEW * (double)s->record->intervals / enabled : 1;
}

static double peak_of(const struct tl_pmu_work *s, size_t cell, double few)
{
	return s->record->count[cell] < TL_PMU_COUNTS ? 0 :
	       tl_foretell_above(&s->f, cell % s->events, few, s->y[cell], s->told[cell].most);
}

/* Of the values of an event that begin at @first. */
static int likely_fill(struct tl_pmu_work *s, size_t event, double few, struct values *v,
		       size_t first)
{
	size_t tried, i, as_far;
	int code = tl_foretell_peaks(&s->f, event, few, v->above, &tried);
	double peak;

	for (i = first; !code && i < v->n; i++) {
		peak = peak_of(s, v->cell[i], few);
		if (peak <= TWOFOLD)
			continue;
		for (as_far = 0; as_far < tried && v->above[tried - 1 - as_far] >= peak; as_far++)
			;
		v->likely[i] = (double)(as_far + 1) / (double)(tried + 1);
	}
	return code;
}

static int event_add(struct tl_pmu_work *s, size_t event, struct values *v)
{
	double few = few_of(s, event);
	size_t first = v->n, cell;
	bool any = false;

	for (cell = s->events + event; cell + s->events < s->cells; cell += s->events) {
		if (!s->said[cell] || tl_pmu_running(s, cell) < TL_PMU_FULL)
			continue;
		v->likely[v->n] = 1;
		v->cell[v->n++] = cell;
		any |= peak_of(s, cell, few) > TWOFOLD;
	}
	return any ? likely_fill(s, event, few, v, first) : 0;
}

static void choose(struct tl_pmu_work *s, struct values *v)
{
	size_t i = v->n;

	gsl_sort_index(v->order, v->likely, 1, v->n);
	while (i && v->likely[v->order[i - 1]] > FALSE_PART * (double)i / (double)v->n)
		i--;
	while (i)
		s->peak[v->cell[v->order[--i]]] = true;
}

/**
 * tl_pmu_peaks() - Find peaks that are no program's
 * @s: the work, in which all is foretold; what is one is marked
 *
 * Return: 0; -ENOMEM.
 */
int tl_pmu_peaks(struct tl_pmu_work *s)
{
	struct values v = { .cell = calloc(2 * s->cells, sizeof(*v.cell)),
			    .likely = calloc(s->cells + TL_FORETELL_PEAKS, sizeof(*v.likely)) };
	int code = v.cell && v.likely ? 0 : -ENOMEM;
	size_t e;

	memset(s->peak, 0, s->cells * sizeof(*s->peak));
	if (!code) {
		v.order = v.cell + s->cells;
		v.above = v.likely + s->cells;
	}
	for (e = 0; !code && e < s->events; e++)
		if (s->f.trials[e] && !s->out->event[e].unlike)
			code = event_add(s, e, &v);
	if (!code)
		choose(s, &v);
	free(v.cell);
	free(v.likely);
	return code;
}
