/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_CBMG_FIT_H
#define TL_MODEL_CBMG_FIT_H

#include "model/cbmg.h"

#include <stdint.h>

/* States that every count has, whatever was asked for; transactions follow. */
enum { TL_CBMG_START, TL_CBMG_EXIT, TL_CBMG_FIRST };

#define TL_CBMG_GROUPS 32 /* sessions are dealt out to so many, for the errors */

/* Times between an answer and the next request, of one way. */
struct tl_cbmg_pair {
	double think_s, think_sq_s2;
	uint32_t timed;
};

/**
 * struct tl_cbmg_counts - What sessions did
 * @n: states, more with each that is added
 * @room: what the arrays have room for
 * @count: [TL_CBMG_GROUPS][room][room] requests by what was asked for before
 * @pair: [room][room] times of all groups
 * @think_s: [TL_CBMG_GROUPS][room] Σ time behind a state
 * @timed: [TL_CBMG_GROUPS][room] how many these are
 */
struct tl_cbmg_counts {
	size_t n, room;
	uint32_t *count;
	struct tl_cbmg_pair *pair;
	double *think_s;
	uint32_t *timed;
};

int tl_cbmg_counts_add(struct tl_cbmg_counts *counts, size_t group, size_t from, size_t to,
		       double think_s);
int tl_cbmg_counts_sum(struct tl_cbmg_counts *to, const struct tl_cbmg_counts *from);
void tl_cbmg_counts_free(struct tl_cbmg_counts *counts);

enum tl_cbmg_known { TL_CBMG_UNKNOWN, TL_CBMG_VALUE, TL_CBMG_INTERVAL };

/**
 * struct tl_cbmg_figure - A figure, and how sure it is
 * @known: nothing, the value, or with its 95 % interval
 */
struct tl_cbmg_figure {
	enum tl_cbmg_known known;
	double value, low95, high95;
};

/**
 * struct tl_cbmg_fit - A graph from counts
 * @n: states, as in the counts
 * @verdict: of the graph, see tl_cbmg()
 * @culprit: state that it speaks of
 * @other: another
 * @residual: of the visits
 * @left: [n] how often a state was left, or the session ended there
 * @asked: [n] how often it was asked for, of the start 0; if nothing was counted, whether
 *         there is such a state
 * @count: [n][n] of these, from one to the next
 * @spread: [n] by how much more than by chance the ways from a state differ between
 *          groups of sessions, as a factor of the variance; 1 or more
 * @p: [n][n] probabilities; a state that was never left has none
 * @between: [n][n] think times of each way, D, in seconds
 * @visits: [n] per session, V
 * @mix: [n] part of all requests
 * @think: [n] mean time between an answer and the next request, if there is one, in seconds
 * @wait: [n] the same with 0 where the session ends, W, in seconds
 * @requests: per session
 * @session_think: per session, in seconds
 */
struct tl_cbmg_fit {
	size_t n;
	enum tl_cbmg_verdict verdict;
	size_t culprit, other;
	double residual;
	uint64_t *left, *asked, *count;
	double *spread;
	struct tl_cbmg_figure *p, *between, *visits, *mix, *think, *wait;
	struct tl_cbmg_figure requests, session_think;
};

int tl_cbmg_fit(const struct tl_cbmg_counts *counts, struct tl_cbmg_fit *fit);
int tl_cbmg_given(struct tl_cbmg_fit *fit);
int tl_cbmg_pool(const struct tl_cbmg_fit *fits, size_t types, const double *share,
		 struct tl_cbmg_fit *all);
int tl_cbmg_fit_new(struct tl_cbmg_fit *fit, size_t n);
void tl_cbmg_fit_free(struct tl_cbmg_fit *fit);

#endif
