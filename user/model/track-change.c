// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The filter that follows demands: what is off, and in which direction
 *
 * What a window says of a direction h in which the state might have moved is
 *
 *	u = h' S⁻¹ ν / √(h' S⁻¹ h)		(ν: off, S: its variance)
 *
 * which is normal with variance one if it has not (the score test; A. S. Willsky, H. L.
 * Jones, IEEE Trans. Automatic Control 21, 1976). Directions are each class alone, and all
 * together, which is the same as more work without any request.
 *
 * One window that is far off in a direction is not believed in it: that may be anything.
 * Sums of u that rise beyond chance over several windows (E. S. Page, Biometrika 41, 1954)
 * say that there was a change: then the direction's variance becomes the square of what it
 * seems to be, and the window may move it as far as it wants. Two windows do it, because
 * what one adds is limited.
 *
 * If successive u resemble each other, the state drifts more than was thought; if they
 * are of opposite sign, less: innovations of the right filter are white (R. K. Mehra, IEEE
 * Trans. Automatic Control 15, 1970).
 */
#include "track-filter.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DOUBT 3.5 /* deviations; one window in 2000 by chance */
#define DOUBT_VARIANCE 1e4
#define ADDS_MAX 5.0
#define SLACK 0.75 /* half of a change that is worth telling, in deviations */
#define LIMIT 8.0 /* by chance once in 10⁵ windows or less */
#define KNOWN_LOOKS 10
#define KNOWN_VARIANCE 0.1 /* of the logarithm of a demand */
#define MOVED_MAX 3.0 /* of the logarithm of a demand, to begin with */
#define DRIFT_GAIN 0.15
#define DRIFT_DOUBT 0.02 /* so much likeness is none yet */
#define DRIFT_MIN 2e-4
#define DRIFT_MAX 0.2
#define ALL_DRIFT_MIN 5e-5

static size_t directions(const struct track *t)
{
	return t->in->classes + 1;
}

/* What is hardly known cannot be told from what has changed. */
static bool is_known(const struct track *t, size_t class)
{
	return t->known[class] && t->looks[class] >= KNOWN_LOOKS &&
	       t->p[class * (t->states + 1)] < KNOWN_VARIANCE;
}

/* The direction's column. Return: whether the window can tell anything of it alone. */
static bool column(const struct track *t, size_t direction, double *h)
{
	const struct track_window *w = &t->window;
	size_t p = t->in->classes, i, k;
	bool all = direction == p, seen = all;

	for (i = 0; i < w->n; i++) {
		const double *row = w->row + i * t->states;

		seen |= w->class[i] == direction;
		h[i] = all ? row[track_background(t)] : row[direction];
		for (k = 0, h[i] = all ? 0 : h[i]; all && k < p; k++)
			h[i] += row[k];
	}
	return seen && (all || !w->fresh[direction]) && h[w->n - 1] > 0;
}

/* @sure: what is seen tells of a change, too. */
struct look {
	double u, score, weight;
	bool seen, sure, doubted;
};

static struct look look_at(const struct track *t, size_t direction)
{
	double h[t->window.n], solution[t->window.n];
	struct look look = { 0 };
	size_t i;

	look.seen = column(t, direction, h);
	if (!look.seen)
		return look;
	look.weight = track_solve(t, h, solution);
	for (i = 0; i < t->window.n; i++)
		look.score += h[i] * t->window.score[i];
	look.seen = look.weight > 0;
	look.u = look.seen ? look.score / sqrt(look.weight) : 0;
	look.sure = look.seen && (direction == t->in->classes || is_known(t, direction));
	return look;
}

static void doubt(struct track *t, size_t direction)
{
	struct track_window *w = &t->window;
	double h[w->n];
	size_t i, k;

	column(t, direction, h);
	for (i = 0; i < w->n; i++)
		for (k = 0; k < w->n; k++)
			w->doubt[i * w->n + k] += DOUBT_VARIANCE * h[i] * h[k];
	w->doubted++;
}

/* The directions that are farthest off, one after the other, until the rest is credible. */
static int look_around(struct track *t, struct look *look)
{
	size_t n = directions(t), i, most, turn;

	for (turn = 0; turn <= n; turn++) {
		for (i = 0, most = n; i < n; i++) {
			if (!look[i].doubted)
				look[i] = look_at(t, i);
			if (look[i].sure && !look[i].doubted &&
			    (most == n || fabs(look[i].u) > fabs(look[most].u)))
				most = i;
		}
		if (most == n || fabs(look[most].u) <= DOUBT)
			return 0;
		look[most].doubted = true;
		doubt(t, most);
		if (track_weigh(t))
			return -EDOM;
	}
	return 0;
}

static void add(double *sum, const struct look *look, double u, struct track_sum *s,
		int side, size_t window)
{
	*sum = fmax(*sum + fmin(u, ADDS_MAX) - SLACK, 0);
	if (*sum <= 0 || s->since[side] == TRACK_NONE) {
		s->since[side] = *sum > 0 ? window : TRACK_NONE;
		s->score[side] = s->weight[side] = 0;
	}
	if (*sum > 0) {
		s->score[side] += look->score;
		s->weight[side] += look->weight;
	}
}

/* Utilisation, as a part of what was foretold. */
static double busy_factor(const struct track *t)
{
	double busy = t->in->busy[t->window.at], foretold = busy - t->window.off[t->window.n - 1];

	return foretold > 0 ? busy / foretold : 1;
}

static void change_note(struct track *t, size_t direction, size_t since)
{
	struct tl_track_out *out = t->out;
	bool all = direction == t->in->classes;

	out->change[out->changes++] = (struct tl_track_change){
		t->window.at, since, all ? TL_TRACK_ALL : direction,
		all ? busy_factor(t) : 1 };
}

/* What moved may be where the windows since then say it is. */
static void believe(struct track *t, size_t direction, int side)
{
	struct track_sum *s = &t->sum[direction];
	size_t n = t->states, p = t->in->classes, back = track_background(t), i, k;
	double moved = s->score[side] / s->weight[side];
	double least = moved > -0.9 ? fabs(log1p(moved)) : MOVED_MAX;
	double variance = pow(fmin(fmax(fabs(moved), least), MOVED_MAX), 2);
	double load = t->window.row[(t->window.n - 1) * n + back] * t->in->busy[t->window.at];

	for (i = 0; i < p; i++) {
		if (direction == i)
			t->p[i * (n + 1)] += variance;
		for (k = 0; direction == p && t->known[i] && k < p; k++)
			t->p[i * n + k] += t->known[k] ? variance : 0;
	}
	if (direction == p)
		t->p[back * (n + 1)] += variance * load * load;
	change_note(t, direction, s->since[side]);
	*s = (struct track_sum){ .since = { TRACK_NONE, TRACK_NONE } };
}

static void drift_learn(struct track *t, size_t direction, const struct look *look)
{
	double *drift = &t->drift[direction], least = direction == t->in->classes ?
						       ALL_DRIFT_MIN : DRIFT_MIN;
	double product = look->u * t->before[direction];

	if (!look->seen)
		return;
	*drift *= exp(DRIFT_GAIN * (fmin(fmax(product, -3), 3) - DRIFT_DOUBT));
	*drift = fmin(fmax(*drift, least), DRIFT_MAX);
	t->before[direction] = look->doubted ? 0 : look->u;
}

/* Return: whether there was a change. */
static bool sums_add(struct track *t, size_t direction, const struct look *look)
{
	struct track_sum *s = &t->sum[direction];
	int side;

	if (!look->sure)
		return false;
	add(&s->up, look, look->u, s, 0, t->window.at);
	add(&s->down, look, -look->u, s, 1, t->window.at);
	side = s->down > s->up;
	if ((side ? s->down : s->up) <= LIMIT)
		return false;
	believe(t, direction, side);
	t->before[direction] = 0;
	return true;
}

/**
 * track_judge() - Decide what of a window is believed, and what has changed
 * @t: filter, observing a window, weighed; weighed anew
 *
 * Return: 0, or -EDOM if the numbers give out.
 */
int track_judge(struct track *t)
{
	struct look look[directions(t)];
	struct track_window *w = &t->window;
	bool one = false; /* class is not what it was: then all do not look as they are */
	size_t i;

	memset(look, 0, sizeof(look));
	if (look_around(t, look))
		return -EDOM;
	memset(w->doubt, 0, w->n * w->n * sizeof(*w->doubt));
	w->doubted = 0;
	for (i = 0; i < directions(t); i++) {
		bool all = i == t->in->classes;
		bool changed = !(all && one) && sums_add(t, i, &look[i]);

		one |= look[i].doubted;
		if (look[i].doubted && !changed)
			doubt(t, i);
		if (!changed)
			drift_learn(t, i, &look[i]);
	}
	return track_weigh(t);
}

/**
 * track_directions_begin() - Nothing was seen in any direction yet
 * @t: filter
 */
void track_directions_begin(struct track *t)
{
	size_t i;

	for (i = 0; i < directions(t); i++)
		t->sum[i] = (struct track_sum){ .since = { TRACK_NONE, TRACK_NONE } };
	memset(t->before, 0, directions(t) * sizeof(*t->before));
}
