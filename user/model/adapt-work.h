/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_ADAPT_WORK_H
#define TL_MODEL_ADAPT_WORK_H

/* Between the files of the adaptor; nobody else includes this. */

#include "adapt.h"
#include "anomaly.h"

#define TL_ADAPT_SIZES 240 /* windows that answers' sizes are remembered of */
#define TL_ADAPT_LEARN 30 /* windows at server, before anything else is tried */

/* Sizes of answers and what they took, on the average of a window. @line: how they belong together. */
struct tl_adapt_sizes {
	double bytes[TL_ADAPT_SIZES], time_ms[TL_ADAPT_SIZES], usual;
	size_t seen, fit_at;
	struct tl_anomaly_model line;
};

/**
 * struct tl_adapt_kept - What is kept of a tier and class
 * @node: busiest path to it, of @node_count requests
 * @front: it is in front, at least of some
 * @base_own_s: Σ own time of @base_n requests, forgotten slowly, while all was well
 * @now_own_s: Σ own time of @now_n requests since trouble began, @method_n: of those in whose windows
 *             functions were looked at
 * @known: requests of the window, of which own times are known, @window_own_s in all; @called: functions were called in it
 * @culprit: cell whose own time is longer, TL_ADAPT_NONE as long as none is known
 * @waits: windows without a culprit
 * @covered: its trouble is part of one in front
 */
struct tl_adapt_kept {
	size_t tier, node, culprit;
	double node_count, base_own_s, base_n, now_own_s, now_n, method_n, known, window_own_s;
	bool seen, front, covered, called;
	unsigned int waits;
	struct tl_evidence response, own;
	enum tl_evidence_change response_change, own_change;
	struct tl_adapt_sizes sizes;
};

/* A path, and how many requests of it there are for one in front. */
struct tl_adapt_way {
	size_t cell, root;
	double visits;
	bool seen;
};

/**
 * struct tl_adapt_place - What is kept of a tier
 * @want: level for the troubles of this window, @cell: where the evidence is
 * @told: reasons not to raise that were told, by enum tl_adapt_why
 * @found_function: that was named last, TL_ADAPT_NONE for none, with @found_more_s of @found_extra_s; @found_again: it was
 *                  told again with what it settled at
 */
struct tl_adapt_place {
	enum tl_at level, want;
	size_t cell, trouble, functions;
	enum tl_adapt_why why;
	bool seen, front, timeout, own, found_again;
	unsigned int learnt, told, found;
	double rate_max, found_more_s, found_extra_s;
	size_t found_function;
};

/* What a function took of @n requests that took @tier_s at its tier, by themselves. */
struct tl_adapt_part {
	double n, tier_s, own_s, cpu_s;
};

/* Calls of a function in requests of a cell: while there is trouble, since it was first called, and while there is none.
 * @called: windows since then; @full: of those in which no call was under way when it was first probed, @fulls windows.
 * @late_s and @late_n: of the last windows without, of which it is not known yet whether there was none. */
struct tl_adapt_use {
	size_t function, cell, at;
	struct tl_adapt_part all, full, now;
	unsigned int called, fulls;
	double base_own_s, base_n, late_s[TL_EVIDENCE_LAG], late_n[TL_EVIDENCE_LAG];
};

/*
 * @cap: no tier more than that, for @capped windows, because of the budget; the next time @cap_for
 */
struct tl_adapt {
	struct tl_adapt_options options;
	struct tl_adapt_kept **cell;
	struct tl_adapt_way *way;
	struct tl_adapt_place *place;
	struct tl_adapt_tier *tier;
	struct tl_adapt_use *use;
	struct tl_adapt_decision *decision;
	struct tl_adapt_finding *finding;
	size_t *drop;
	size_t cells, ways, places, uses, decisions, findings, drops;
	double share;
	enum tl_at cap;
	unsigned int capped, cap_for;
	bool no_memory;
};

/* adapt-where.c */
size_t tl_adapt_culprit(struct tl_adapt *a, const struct tl_adapt_in *in, size_t root, bool *known);
/* adapt-budget.c */
void tl_adapt_measure(struct tl_adapt *a, const struct tl_adapt_in *in);
void tl_adapt_cut(struct tl_adapt *a, const struct tl_adapt_in *in);
void tl_adapt_economise(struct tl_adapt *a, const struct tl_adapt_in *in);
bool tl_adapt_affords(const struct tl_adapt *a);
void tl_adapt_allow(struct tl_adapt *a, const struct tl_adapt_in *in, size_t tier);
/* adapt-find.c */
void tl_adapt_uses(struct tl_adapt *a, const struct tl_adapt_in *in);
void tl_adapt_find(struct tl_adapt *a, const struct tl_adapt_in *in);
/* adapt.c */
void tl_adapt_decide(struct tl_adapt *a, const struct tl_adapt_decision *decision);
void *tl_adapt_grow(struct tl_adapt *a, void *array, size_t *n, size_t size);

#endif
