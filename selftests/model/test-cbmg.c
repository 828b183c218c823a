// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Customer behaviour model graphs: closed forms, GSL's solution of V = V P + v0, sessions
 * walked one by one, and whether 95 % intervals hold the truth in at least 90 of 100 cases.
 */
#include "tap.h"

#include "sim.h"

#include "model/cbmg-fit.h"

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STATES 40

struct graph {
	size_t n;
	double p[STATES * STATES], think_s[STATES], visits[STATES], mix[STATES];
	struct tl_cbmg_out out;
};

static int solve(struct graph *g, size_t start, size_t end)
{
	struct tl_cbmg_in in = { g->n, g->p, start, end };

	g->out = (struct tl_cbmg_out){ .visits = g->visits, .mix = g->mix };
	return tl_cbmg(&in, &g->out);
}

/* The state of the paper's matrices: 0 starts, 1 ends, each other goes to some of all. */
static void draw(struct sim *r, struct graph *g, size_t n, double ends)
{
	size_t i, k;
	double sum;

	*g = (struct graph){ .n = n };
	for (i = 0; i < n; i++) {
		if (i == TL_CBMG_EXIT)
			continue;
		for (sum = 0, k = TL_CBMG_FIRST; k < n; k++)
			if (sim_uniform(r) < 0.5 || k == i + 1)
				sum += g->p[i * n + k] = pow(sim_uniform(r), 2);
		if (i != TL_CBMG_START)
			sum += g->p[i * n + TL_CBMG_EXIT] = sum > 0 ? ends * sum / (1 - ends) : 1;
		else if (sum == 0)
			sum = g->p[i * n + TL_CBMG_FIRST] = 1;
		for (k = 0; k < n; k++)
			g->p[i * n + k] /= sum;
		g->think_s[i] = 0.5 + 10 * sim_uniform(r);
	}
}

static void test_closed_forms(void)
{
	/* One page, again with 3/4: geometric. */
	struct graph g = { .n = 3, .p = { 0, 1, 0, 0, 0.75, 0.25 } };
	bool good = !solve(&g, 0, 2) && g.out.verdict == TL_CBMG_OK;

	ok(good && fabs(g.visits[1] - 4) < 1e-14 && fabs(g.mix[1] - 1) < 1e-15 &&
	   fabs(g.out.requests - 4) < 1e-14 && g.mix[0] == 0 && g.mix[2] == 0 &&
	   g.visits[0] == 1 && g.out.residual < 1e-15, "one page again and again: V = 1 / (1 - p)");
	/* A random walk that ends as rarely as a double can say. */
	g = (struct graph){ .n = 4, .p = { 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1e-300 } };
	ok(!solve(&g, 0, 3) && g.out.verdict == TL_CBMG_OK && fabs(g.visits[1] / 1e300 - 1) < 1e-12 &&
	   fabs(g.mix[2] - 0.5) < 1e-15, "an end once in 1e300: no digit is lost");
	g.p[11] = 5e-324;
	ok(!solve(&g, 0, 3) && g.out.verdict == TL_CBMG_TINY, "once in 2e323: beyond numbers");
	/* Without an end: visits of a cycle. */
	g = (struct graph){ .n = 3, .p = { 0, 0.5, 0.5, 1, 0, 0, 0, 1, 0 } };
	ok(!solve(&g, TL_CBMG_NONE, TL_CBMG_NONE) && g.out.verdict == TL_CBMG_ENDLESS &&
	   fabs(g.mix[0] - 0.4) < 1e-15 && fabs(g.mix[1] - 0.4) < 1e-15 &&
	   fabs(g.mix[2] - 0.2) < 1e-15, "without an end: the stationary mix");
	/* A start that is never come back to. */
	g = (struct graph){ .n = 3, .p = { 0, 0.9, 0.1, 0, 0, 1, 0, 1, 0 } };
	ok(!solve(&g, 0, TL_CBMG_NONE) && g.out.verdict == TL_CBMG_ENDLESS && g.mix[0] == 0 &&
	   fabs(g.mix[1] - 0.5) < 1e-15, "a start has no part in the mix");
	/* Ways that sessions do not take have visits 0. */
	g = (struct graph){ .n = 4, .p = { 0, 1, 0, 0, 0, 0, 0, 1, 0, 0.5, 0, 0.5 } };
	ok(!solve(&g, 0, 3) && g.out.verdict == TL_CBMG_OK && g.visits[2] == 0 && g.visits[1] == 1,
	   "a state that nobody asks for");
}

static void test_verdicts(void)
{
	struct graph g = { .n = 4, .p = { 0, 0.5, 0.5, 0, 0, 0, 0, 1, 0, 0, 1, 0 } };

	ok(!solve(&g, 0, 3) && g.out.verdict == TL_CBMG_TRAP && g.out.culprit == 2,
	   "a state from which the end is out of reach");
	g = (struct graph){ .n = 4, .p = { 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0 } };
	ok(!solve(&g, 0, 3) && g.out.verdict == TL_CBMG_TRAP && g.out.culprit == 2,
	   "also if nobody goes there");
	g = (struct graph){ .n = 3, .p = { 0, 0.5, 0.5, 0, 1, 0, 0, 0, 1 } };
	ok(!solve(&g, 0, TL_CBMG_NONE) && g.out.verdict == TL_CBMG_SPLIT &&
	   g.out.culprit + g.out.other == 3, "endless in one of two ways");
	ok(solve(&g, TL_CBMG_NONE, 2) == -EINVAL && solve(&g, 2, 2) == -EINVAL,
	   "an end without a start");
}

/* V (I - P) = v0 by LU. */
static double gsl_visits_off(const struct graph *g)
{
	gsl_matrix *a = gsl_matrix_calloc(g->n, g->n);
	gsl_vector *b = gsl_vector_calloc(g->n), *x = gsl_vector_calloc(g->n);
	gsl_permutation *perm = gsl_permutation_alloc(g->n);
	double worst = 0;
	size_t i, k;
	int sign;

	for (i = 0; i < g->n; i++)
		for (k = 0; k < g->n; k++)
			gsl_matrix_set(a, k, i, (double)(i == k) - g->p[i * g->n + k]);
	gsl_vector_set(b, TL_CBMG_START, 1);
	gsl_linalg_LU_decomp(a, perm, &sign);
	gsl_linalg_LU_solve(a, perm, b, x);
	for (i = 0; i < g->n; i++)
		worst = fmax(worst, fabs(gsl_vector_get(x, i) - g->visits[i]));
	gsl_matrix_free(a);
	gsl_vector_free(b);
	gsl_vector_free(x);
	gsl_permutation_free(perm);
	return worst;
}

static void test_gsl(struct sim *r)
{
	double worst = 0, residual = 0;
	bool good = true;
	struct graph g;
	int i;

	for (i = 0; i < 50; i++) {
		draw(r, &g, 4 + (size_t)i % (STATES - 4), 0.02 + 0.2 * sim_uniform(r));
		good = good && !solve(&g, TL_CBMG_START, TL_CBMG_EXIT) &&
		       g.out.verdict == TL_CBMG_OK;
		worst = fmax(worst, gsl_visits_off(&g));
		residual = fmax(residual, g.out.residual);
	}
	ok(good && worst < 1e-11 && residual < 1e-13,
	   "V = V P + v0: off GSL's by %.1g, residual %.1g", worst, residual);
}

/* ---- sessions, one by one ------------------------------------------------------------ */

static size_t next(struct sim *r, const struct graph *g, size_t at)
{
	double left = sim_uniform(r);
	size_t k;

	for (k = 0; k + 1 < g->n; k++) {
		left -= g->p[at * g->n + k];
		if (left < 0 && g->p[at * g->n + k] > 0)
			return k;
	}
	/* What rounding has left over. */
	while (g->p[at * g->n + k] == 0)
		k--;
	return k;
}

/* @seen: [n] visits are added up if it is there. Return: requests. */
static size_t session(struct sim *r, const struct graph *g, struct tl_cbmg_counts *counts,
		      size_t number, double *seen)
{
	size_t at = TL_CBMG_START, to, requests = 0;

	for (; at != TL_CBMG_EXIT; at = to, requests++) {
		to = next(r, g, at);
		if (counts)
			tl_cbmg_counts_add(counts, number % TL_CBMG_GROUPS, at, to,
					   at == TL_CBMG_START || to == TL_CBMG_EXIT ? NAN :
					   -g->think_s[at] * log(sim_uniform(r)));
		if (seen)
			seen[to]++;
	}
	return requests - 1;
}

static void test_walk(struct sim *r, size_t sessions)
{
	double seen[STATES] = { 0 }, requests = 0, off = 0;
	struct graph g;
	size_t i;

	draw(r, &g, 9, 0.1);
	solve(&g, TL_CBMG_START, TL_CBMG_EXIT);
	for (i = 0; i < sessions; i++)
		requests += (double)session(r, &g, NULL, i, seen);
	/* Visits of a session scatter by less than its length, which is geometric. */
	for (i = TL_CBMG_FIRST; i < g.n; i++)
		off = fmax(off, fabs(seen[i] / (double)sessions - g.visits[i]));
	ok(off < 4 * 10 / sqrt((double)sessions) &&
	   fabs(requests / (double)sessions - 10) < 4 * 10 / sqrt((double)sessions) &&
	   fabs(g.out.requests - 10) < 1e-9,
	   "%zu sessions walked: visits are %.2g off, %.2f of 10 requests each", sessions, off,
	   requests / (double)sessions);
}

struct hits {
	unsigned int held, of;
};

static void hold(struct hits *hits, const struct tl_cbmg_figure *f, double truth)
{
	if (f->known != TL_CBMG_INTERVAL)
		return;
	hits->of++;
	hits->held += f->low95 <= truth && truth <= f->high95;
}

enum { P, BETWEEN, VISITS, MIX, THINK, WAIT, SESSION, KINDS };
static const char *const kind_names[] = { "P", "D", "visits", "mix", "think times", "W",
					  "sessions' length and think time" };

static void count_hits(const struct graph *g, const struct tl_cbmg_fit *fit, struct hits *hits)
{
	double wait, session_think = 0;
	size_t i, k;

	for (i = 0; i < fit->n; i++) {
		for (k = 0; k < fit->n; k++) {
			/* That 0 is in an interval from 0 says nothing. */
			if (g->p[i * g->n + k] > 0 && g->p[i * g->n + k] < 1)
				hold(&hits[P], &fit->p[i * fit->n + k], g->p[i * g->n + k]);
			hold(&hits[BETWEEN], &fit->between[i * fit->n + k], g->think_s[i]);
		}
		if (i < TL_CBMG_FIRST)
			continue;
		wait = g->think_s[i] * (1 - g->p[i * g->n + TL_CBMG_EXIT]);
		session_think += g->visits[i] * wait;
		hold(&hits[VISITS], &fit->visits[i], g->visits[i]);
		hold(&hits[MIX], &fit->mix[i], g->mix[i]);
		hold(&hits[THINK], &fit->think[i], g->think_s[i]);
		hold(&hits[WAIT], &fit->wait[i], wait);
	}
	hold(&hits[SESSION], &fit->requests, g->out.requests);
	hold(&hits[SESSION], &fit->session_think, session_think);
}

/* Every way has a figure, and every figure is one. */
static bool sound(const struct tl_cbmg_fit *fit)
{
	const struct tl_cbmg_figure *lists[] = { fit->p, fit->between, fit->visits, fit->mix,
						 fit->think, fit->wait };
	size_t i, k;

	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		for (k = 0; k < (i < 2 ? fit->n * fit->n : fit->n); k++) {
			const struct tl_cbmg_figure *f = &lists[i][k];

			if (!isfinite(f->value) || !isfinite(f->low95) || !isfinite(f->high95) ||
			    (f->known == TL_CBMG_INTERVAL &&
			     (f->low95 > f->value * (1 + 1e-9) || f->high95 < f->value * (1 - 1e-9))))
				return false;
		}
	return true;
}

static void test_coverage(struct sim *r, unsigned int repeats, size_t sessions)
{
	struct hits hits[KINDS] = { 0 };
	bool good = true;
	struct graph g;
	unsigned int n;
	size_t i;

	for (n = 0; n < repeats; n++) {
		struct tl_cbmg_counts counts = { 0 };
		struct tl_cbmg_fit fit;

		draw(r, &g, 6 + n % 8, 0.05 + 0.2 * sim_uniform(r));
		solve(&g, TL_CBMG_START, TL_CBMG_EXIT);
		for (i = 0; i < sessions; i++)
			session(r, &g, &counts, i, NULL);
		good = !tl_cbmg_fit(&counts, &fit) && fit.verdict == TL_CBMG_OK && sound(&fit) &&
		       good;
		count_hits(&g, &fit, hits);
		tl_cbmg_fit_free(&fit);
		tl_cbmg_counts_free(&counts);
	}
	ok(good, "%u graphs of %zu sessions each: every one has figures", repeats, sessions);
	for (i = 0; i < KINDS; i++)
		ok(hits[i].of > repeats && hits[i].held >= 0.9 * hits[i].of &&
		   hits[i].held <= 0.99 * hits[i].of,
		   "%zu sessions: %s: intervals of 95 %% hold the truth in %.1f of 100 cases (%u)",
		   sessions, kind_names[i], 100.0 * hits[i].held / hits[i].of, hits[i].of);
}

/*
 * Two sorts of people, each of whom goes the same ways again and again. Ways of all are no
 * Markov chain, but they have probabilities, and intervals must hold them all the same.
 */
static void test_sorts(struct sim *r, unsigned int repeats)
{
	struct graph g[2] = { { .n = 4, .p = { 0, 0, 0.5, 0.5, 0, 0, 0, 0,
					       0, 0.05, 0.9, 0.05, 0, 0.05, 0.9, 0.05 } },
			      { .n = 4, .p = { 0, 0, 0.5, 0.5, 0, 0, 0, 0,
					       0, 0.05, 0.05, 0.9, 0, 0.05, 0.05, 0.9 } } };
	struct hits hits = { 0 };
	double all[4] = { 0 }, spread = 0, of_all[16] = { 0 };
	unsigned int n;
	size_t i, k;

	for (k = 0; k < 2; k++)
		solve(&g[k], TL_CBMG_START, TL_CBMG_EXIT);
	for (k = 0; k < 2; k++)
		for (i = 0; i < 16; i++) {
			of_all[i] += g[k].visits[i / 4] * g[k].p[i];
			all[i / 4] += g[k].visits[i / 4] * g[k].p[i];
		}
	for (n = 0; n < repeats; n++) {
		struct tl_cbmg_counts counts = { 0 };
		struct tl_cbmg_fit fit;

		for (i = 0; i < 400; i++)
			session(r, &g[sim_uniform(r) < 0.5], &counts, i, NULL);
		if (tl_cbmg_fit(&counts, &fit) || fit.n != 4)
			break;
		for (i = 8; i < 16; i++)
			if (of_all[i] > 0)
				hold(&hits, &fit.p[i], of_all[i] / all[i / 4]);
		spread += fit.spread[2] / repeats;
		tl_cbmg_fit_free(&fit);
		tl_cbmg_counts_free(&counts);
	}
	ok(hits.of >= 6 * repeats && hits.held >= 0.9 * hits.of && spread > 2,
	   "two sorts of people: %.1f of 100 intervals of P hold the truth (%u), variance %.1f times "
	   "that of chance", 100.0 * hits.held / hits.of, hits.of, spread);
}

/* What begins before and ends behind what is seen is known in part. */
static void test_parts(void)
{
	struct tl_cbmg_counts counts = { 0 }, more = { 0 };
	struct tl_cbmg_fit fit;

	ok(tl_cbmg_fit(&counts, &fit) == -ENODATA, "nothing counted");
	tl_cbmg_fit_free(&fit);
	tl_cbmg_counts_add(&counts, 0, 2, 3, 5);
	tl_cbmg_counts_add(&counts, 0, 3, 2, 7);
	ok(!tl_cbmg_fit(&counts, &fit) && fit.verdict == TL_CBMG_ENDLESS &&
	   fit.mix[2].known == TL_CBMG_VALUE && fabs(fit.mix[2].value - 0.5) < 1e-15 &&
	   fit.visits[2].known == TL_CBMG_UNKNOWN && fit.think[3].value == 7,
	   "neither a start nor an end: a mix without visits, and without intervals");
	tl_cbmg_fit_free(&fit);
	tl_cbmg_counts_add(&counts, 1, 3, TL_CBMG_EXIT, NAN);
	ok(!tl_cbmg_fit(&counts, &fit) && fit.verdict == TL_CBMG_NO_START, "an end, but no start");
	tl_cbmg_fit_free(&fit);
	tl_cbmg_counts_add(&counts, 2, TL_CBMG_START, 2, NAN);
	ok(!tl_cbmg_fit(&counts, &fit) && fit.verdict == TL_CBMG_OK && fit.wait[3].value == 3.5 &&
	   fit.visits[2].value == 2 && sound(&fit), "a start, and there are visits");
	tl_cbmg_fit_free(&fit);
	tl_cbmg_counts_add(&counts, 3, 3, 4, 1);
	ok(!tl_cbmg_fit(&counts, &fit) && fit.verdict == TL_CBMG_OK && fit.left[4] == 0 &&
	   fit.p[4 * fit.n + TL_CBMG_EXIT].known == TL_CBMG_UNKNOWN && fit.visits[4].value > 0,
	   "where nobody has seen how it goes on, sessions end, and P says nothing");
	tl_cbmg_fit_free(&fit);
	tl_cbmg_counts_add(&more, 31, 40, 40, NAN);
	ok(!tl_cbmg_counts_sum(&counts, &more) && counts.n == 41 && !tl_cbmg_fit(&counts, &fit) &&
	   fit.verdict == TL_CBMG_TRAP && fit.culprit == 40 && fit.count[40 * 41 + 40] == 1 &&
	   fit.count[2 * 41 + 3] == 1, "counts of others added; a state that is never left");
	tl_cbmg_fit_free(&fit);
	tl_cbmg_counts_free(&counts);
	tl_cbmg_counts_free(&more);
}

int main(void)
{
	const char *text = getenv("MODEL_REPEATS");
	unsigned int repeats = text ? (unsigned int)atoi(text) : 60;
	struct sim *r = calloc(1, sizeof(*r));

	gsl_set_error_handler_off();
	sim_seed(r, 7);
	test_closed_forms();
	test_verdicts();
	test_gsl(r);
	test_walk(r, 20000);
	test_parts();
	test_coverage(r, 4 * repeats, 60);
	test_coverage(r, 4 * repeats, 600);
	test_sorts(r, 5 * repeats);
	free(r);
	return done();
}
