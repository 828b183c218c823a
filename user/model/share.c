// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The service demand law, window by window
 *
 *	D_iw = U_w T_w / n_iw · S_iw / Σ_j S_jw		S: Σ time, n: requests
 *
 * (sdl.c has the law and what is supposed by it). Nothing of one window is used in the
 * next: it follows everything at once, and is as noisy as the windows are. What works
 * without requests is in it. How noisy is told by how much successive windows differ
 * (J. von Neumann and others, Ann. Math. Stat. 12, 1941),
 *
 *	var D_iw = c_i² / n_iw,	 c_i² = mean of (D_iw - D_iv)² / (1 / n_iw + 1 / n_iv)
 *
 * over the last windows and those v before each: a drift is small from one to the next, and
 * a jump counts only once. The first window knows only that no class used more than all.
 */
#include "share.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define REMEMBERED 60.0 /* windows */

/* What is known of a class: its last window, the mean of the squares, of how many. */
struct past {
	double value, count, square, n;
};

static double time_of_all(const struct tl_share_in *in, size_t window)
{
	double time = 0;
	size_t i;

	for (i = 0; i < in->classes; i++)
		time += in->time_s[window * in->classes + i];
	return time;
}

static void past_add(struct past *past, double value, double count)
{
	if (past->count > 0) {
		past->n = fmin(past->n + 1, REMEMBERED);
		past->square += (pow(value - past->value, 2) / (1 / count + 1 / past->count) -
				 past->square) / past->n;
	}
	past->value = value;
	past->count = count;
}

static void estimate(struct tl_estimate *e, const struct past *past, double most)
{
	if (past->n < 1) {
		*e = (struct tl_estimate){ past->value, most, 0, most, TL_VERDICT_UNCERTAIN };
		return;
	}
	tl_estimate_interval(e, past->value, sqrt(past->square / past->count),
			     tl_student95(past->n));
	tl_estimate_judge(e);
}

/**
 * tl_share() - Demands of each window alone
 * @in: resource
 * @demand: [windows][classes] set; TL_VERDICT_ABSENT where a class did not come
 *
 * Return: 0 or -ENOMEM.
 */
int tl_share(const struct tl_share_in *in, struct tl_estimate *demand)
{
	size_t p = in->classes, w, i;
	struct past *past = calloc(p + 1, sizeof(*past));

	if (!past)
		return -ENOMEM;
	for (w = 0; w < in->windows; w++) {
		double work = in->busy[w] * in->seconds[w], time = time_of_all(in, w);

		for (i = 0; i < p; i++) {
			double n = in->count[w * p + i];

			demand[w * p + i] = (struct tl_estimate){ .verdict = TL_VERDICT_ABSENT };
			if (n <= 0 || time <= 0)
				continue;
			past_add(&past[i], work * in->time_s[w * p + i] / time / n, n);
			estimate(&demand[w * p + i], &past[i], work / n);
		}
	}
	free(past);
	return 0;
}
