/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filter's parts, of which track.c makes one. */
#ifndef TL_MODEL_TRACK_FILTER_H
#define TL_MODEL_TRACK_FILTER_H

#include "track.h"

#define TRACK_NONE ((size_t)-1)
#define TRACK_LOOKS_FIRST 8 /* windows that the first guess of a variance counts for */
#define TRACK_LOOKS_MAX 200 /* that are remembered */

/**
 * struct track_sum - What successive windows say of a direction (E. S. Page, 1954)
 * @up: how much more than foretold, in deviations, beyond what chance does
 * @down: how much less
 * @score: Σ of what the windows since the first say, up and down
 * @weight: of it
 * @since: first window, up and down
 */
struct track_sum {
	double up, down, score[2], weight[2];
	size_t since[2];
};

/**
 * struct track_window - What is observed in a window, and what was foretold of it
 * @at: which window
 * @n: observations: mean times of classes, and the utilisation, the last one
 * @class: [n] of which; TRACK_NONE for the utilisation
 * @row: [n][states] how it depends on the state
 * @off: [n] observed less foretold; times as a part of what was foretold
 * @error: [n] variance of an observation
 * @fresh: [n] the class was not known before, nothing was foretold
 * @spread: [n][n] variance of @off, then its Cholesky factor
 * @doubt: [n][n] what is added to it for directions that are not believed
 * @score: [n] inverse of @spread times @off
 */
struct track_window {
	size_t at, n, doubted;
	size_t *class;
	double *row, *off, *error, *spread, *doubt, *score, *work;
	bool *fresh;
};

/**
 * struct track - The filter
 * @states: logarithm of each class's demand, the utilisation without requests, and the
 *          logarithm of how much slower requests are than alone
 * @x: [states] what they are thought to be
 * @p: [states][states] variances and covariances
 * @known: [classes] has a demand
 * @most: [classes] seconds per request, if all that was used had been theirs; negative if
 *        they never came
 * @scatter: [classes] squared variation of a request's time
 * @own: [classes] the same, as far as only windows of the class tell it
 * @common: the same, of all
 * @common_looks: how many mean times told of it
 * @looks: [classes] windows that told of it
 * @noise: standard deviation of what is measured of the utilisation
 * @drift: [classes + 1] standard deviation of the change from window to window, as a part;
 *         the last is what is common to all
 * @before: [classes + 1] how far off the last window was, in deviations
 * @sum: [classes + 1] directions
 * @window: the one that is being worked on
 * @memory: of all these
 */
struct track {
	const struct tl_track_in *in;
	struct tl_track_out *out;
	size_t states;
	double *x, *p, *most, *scatter, *own, *looks, common, common_looks, noise, *drift, *before;
	bool *known;
	struct track_sum *sum;
	struct track_window window;
	double *memory;
};

static inline size_t track_background(const struct track *t)
{
	return t->in->classes;
}

static inline size_t track_slowness(const struct track *t)
{
	return t->in->classes + 1;
}

/* track-window.c */
double track_unsure(double looks);
double track_demand(const struct track *t, size_t class);
void track_observe(struct track *t, size_t window);
void track_predict(struct track *t, size_t window);
void track_look(struct track *t, const double *x);
int track_weigh(struct track *t);
double track_solve(const struct track *t, const double *b, double *solution);

/* track-change.c */
int track_judge(struct track *t);
void track_directions_begin(struct track *t);

#endif
