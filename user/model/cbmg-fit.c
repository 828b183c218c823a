// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Customer behaviour model graphs from what sessions did
 *
 *	p_ij = n_ij / n_i,	d_ij = mean of the times,	w_i = Σ_j p_ij d_ij
 *
 * and visits, mix and lengths of sessions from P (cbmg.c). Source: paper 001, 2.1,
 * equations 1 to 3. d towards the end of a session is 0: nobody waits for a request that
 * does not come. p_ij is the maximum likelihood of a Markov chain, and stays so for sessions
 * of which only a part was seen.
 *
 * Errors. Of p_ij: Wilson's interval (Journal of the American Statistical Association 22,
 * 1927), which holds for few counts, too. Sessions of different people may go different
 * ways again and again; then counts scatter more than by chance, the more as χ² over groups
 * of sessions is above its degrees of freedom, and count for so much less (Rao and Scott,
 * Annals of Statistics 12, 1984), if that is beyond chance (1 %). Of d_ij: Student's t of
 * the logarithm. Of all that is computed from P: the jackknife over groups of sessions,
 * which assumes nothing of what happens within one (B. Efron, The Jackknife, 1982), on the
 * logarithm, or for parts on that of the odds: visits are never negative.
 */
#include "cbmg-fit.h"

#include "model/estimate.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CHANCE_MAX 0.99
#define Z95 1.959963984540054

/* What is computed of P together: visits, mix, think, wait, and two figures per session. */
enum { VISITS, MIX, THINK, WAIT, VECTORS };

struct work {
	const struct tl_cbmg_counts *counts;
	struct tl_cbmg_fit *fit;
	double *figure; /* [VECTORS * n + 2] */
	double *left_out; /* [TL_CBMG_GROUPS][VECTORS * n + 2] */
	bool used[TL_CBMG_GROUPS];
	size_t groups;
	double *p, *visits, *mix; /* of the states that came, as cbmg.c wants them */
	size_t *state;
	uint64_t *sum; /* [n][n] */
};

static uint32_t count_of(const struct tl_cbmg_counts *c, size_t g, size_t i, size_t k)
{
	return c->count[(g * c->room + i) * c->room + k];
}

static uint64_t row_of(const struct tl_cbmg_counts *c, size_t g, size_t i)
{
	uint64_t sum = 0;
	size_t k;

	for (k = 0; k < c->n; k++)
		sum += count_of(c, g, i, k);
	return sum;
}

/* ---- one graph -------------------------------------------------------------------- */

static uint64_t came(const uint64_t *sum, size_t n, size_t i)
{
	uint64_t all = 0;
	size_t k;

	for (k = 0; k < n; k++)
		all += sum[i * n + k] + sum[k * n + i];
	return all;
}

/* States that came, and how sessions go on from them; where nobody knows, they end. */
static void graph_make(struct work *w, struct tl_cbmg_in *in)
{
	size_t n = w->counts->n, i, k;
	uint64_t out;

	*in = (struct tl_cbmg_in){ 0, w->p, TL_CBMG_NONE, TL_CBMG_NONE };
	for (i = 0; i < n; i++) {
		if (!came(w->sum, n, i))
			continue;
		if (i == TL_CBMG_START)
			in->start = in->n;
		if (i == TL_CBMG_EXIT)
			in->exit = in->n;
		w->state[in->n++] = i;
	}
	for (i = 0; i < in->n; i++) {
		const uint64_t *row = w->sum + w->state[i] * n;

		for (k = 0, out = 0; k < n; k++)
			out += row[k];
		for (k = 0; k < in->n; k++)
			w->p[i * in->n + k] = out ? (double)row[w->state[k]] / (double)out :
					      (double)(k == in->exit);
	}
}

/* A mean of none is none: 0, and known by its count. */
static double think_of(const struct work *w, size_t i, size_t but)
{
	const struct tl_cbmg_counts *c = w->counts;
	double sum = 0, timed = 0;
	size_t g;

	for (g = 0; g < TL_CBMG_GROUPS; g++) {
		if (g == but)
			continue;
		sum += c->think_s[g * c->room + i];
		timed += c->timed[g * c->room + i];
	}
	return timed > 0 ? fmax(0, sum / timed) : 0;
}

static void figures_fill(struct work *w, const struct tl_cbmg_in *in,
			 const struct tl_cbmg_out *out, size_t but, double *figure)
{
	size_t n = w->counts->n, i, at;
	double *session = figure + VECTORS * n, wait;

	memset(figure, 0, (VECTORS * n + 2) * sizeof(*figure));
	for (i = 0; i < in->n; i++) {
		at = w->state[i];
		if (i == in->start || i == in->exit)
			continue;
		figure[THINK * n + at] = think_of(w, at, but);
		wait = figure[THINK * n + at] *
		       (in->exit == TL_CBMG_NONE ? 1 : 1 - w->p[i * in->n + in->exit]);
		figure[WAIT * n + at] = wait;
		if (!tl_cbmg_has_mix(out->verdict))
			continue;
		figure[MIX * n + at] = out->mix[i];
		if (out->verdict != TL_CBMG_OK)
			continue;
		figure[VISITS * n + at] = out->visits[i];
		session[0] += out->visits[i];
		session[1] += out->visits[i] * wait;
	}
}

/*
 * All figures, without the sessions of group @but. Only figures of the same verdict are of
 * use beside each other.
 */
static int graph_solve(struct work *w, size_t but, double *figure, struct tl_cbmg_out *out)
{
	const struct tl_cbmg_counts *c = w->counts;
	size_t n = c->n, g, i, k;
	struct tl_cbmg_in in;
	int code = 0;

	memset(w->sum, 0, n * n * sizeof(*w->sum));
	for (g = 0; g < TL_CBMG_GROUPS; g++)
		for (i = 0; i < n && g != but; i++)
			for (k = 0; k < n; k++)
				w->sum[i * n + k] += count_of(c, g, i, k);
	graph_make(w, &in);
	*out = (struct tl_cbmg_out){ .visits = w->visits, .mix = w->mix };
	if (in.exit != TL_CBMG_NONE && in.start == TL_CBMG_NONE)
		out->verdict = TL_CBMG_NO_START;
	else
		code = in.n ? tl_cbmg(&in, out) : -ENODATA;
	if (code)
		return code;
	figures_fill(w, &in, out, but, figure);
	if (out->verdict == TL_CBMG_TRAP || out->verdict == TL_CBMG_SPLIT) {
		out->culprit = w->state[out->culprit];
		out->other = w->state[out->other];
	}
	return 0;
}

/* ---- errors ----------------------------------------------------------------------- */

static void log_interval(struct tl_cbmg_figure *f, double value, double error, double t)
{
	double width = value > 0 ? t * error / value : 0;

	*f = (struct tl_cbmg_figure){ TL_CBMG_INTERVAL, value, value * exp(-width),
				      fmin(value * exp(width), 1e300) };
}

static void odds_interval(struct tl_cbmg_figure *f, double part, double error, double t)
{
	double width = part > 0 && part < 1 ? t * error / (part * (1 - part)) : 0;
	double odds = part / (1 - part), low = odds * exp(-width), high = odds * exp(width);

	*f = (struct tl_cbmg_figure){ TL_CBMG_INTERVAL, part, part, part };
	if (part <= 0 || part >= 1)
		return;
	f->low95 = low / (1 + low);
	f->high95 = isfinite(high) ? high / (1 + high) : 1;
}

static void wilson(struct tl_cbmg_figure *f, double part, double n)
{
	double z2 = Z95 * Z95, middle = (part + z2 / (2 * n)) / (1 + z2 / n);
	double half = Z95 / (1 + z2 / n) * sqrt(part * (1 - part) / n + z2 / (4 * n * n));

	*f = (struct tl_cbmg_figure){ TL_CBMG_INTERVAL, part, fmax(0, middle - half),
				      fmin(1, middle + half) };
	if (part == 0)
		f->low95 = 0;
	if (part == 1)
		f->high95 = 1;
}

/* χ² of the ways from a state over groups, per degree of freedom, if beyond chance. */
static double spread_of(const struct work *w, size_t i)
{
	const struct tl_cbmg_fit *fit = w->fit;
	double chi2 = 0, groups = 0, ways = 0, degrees, expected;
	size_t n = fit->n, g, k;
	uint64_t row;

	for (k = 0; k < n; k++)
		ways += fit->count[i * n + k] > 0;
	for (g = 0; g < TL_CBMG_GROUPS; g++) {
		row = row_of(w->counts, g, i);
		groups += row > 0;
		for (k = 0; k < n && row; k++) {
			if (!fit->count[i * n + k])
				continue;
			expected = (double)row * fit->p[i * n + k].value;
			chi2 += pow(count_of(w->counts, g, i, k) - expected, 2) / expected;
		}
	}
	degrees = (groups - 1) * (ways - 1);
	if (degrees < 1 || chi2 <= gsl_cdf_chisq_Pinv(CHANCE_MAX, degrees))
		return 1;
	return fmax(1, chi2 / degrees);
}

static void ways_fit(struct work *w, size_t i)
{
	struct tl_cbmg_fit *fit = w->fit;
	size_t n = fit->n, k;
	double left = (double)fit->left[i];

	for (k = 0; k < n && left > 0; k++)
		fit->p[i * n + k] = (struct tl_cbmg_figure){
			TL_CBMG_VALUE, (double)fit->count[i * n + k] / left, 0, 0 };
	fit->spread[i] = left > 0 ? spread_of(w, i) : 1;
	for (k = 0; k < n && left > 0; k++)
		wilson(&fit->p[i * n + k], fit->p[i * n + k].value, left / fit->spread[i]);
}

static void between_fit(struct work *w, size_t i, size_t k)
{
	const struct tl_cbmg_pair *pair = &w->counts->pair[i * w->counts->room + k];
	struct tl_cbmg_figure *f = &w->fit->between[i * w->fit->n + k];
	double timed = pair->timed, mean = timed > 0 ? pair->think_s / timed : 0, variance, t;

	if (!pair->timed)
		return;
	*f = (struct tl_cbmg_figure){ TL_CBMG_VALUE, fmax(0, mean), 0, 0 };
	if (pair->timed < 2)
		return;
	variance = fmax(0, pair->think_sq_s2 - timed * mean * mean) / (timed - 1);
	t = tl_student95(timed - 1);
	if (mean > 0)
		log_interval(f, mean, sqrt(variance / timed), t);
	else
		*f = (struct tl_cbmg_figure){ TL_CBMG_INTERVAL, 0, 0,
					      fmax(0, mean + t * sqrt(variance / timed)) };
}

/* Variance of a figure by what it is without each group. */
static double jackknife(const struct work *w, size_t at)
{
	double groups = (double)w->groups, mean = 0, square = 0, value;
	size_t width = VECTORS * w->fit->n + 2, g;

	for (g = 0; g < TL_CBMG_GROUPS; g++)
		mean += w->used[g] ? w->left_out[g * width + at] / groups : 0;
	for (g = 0; g < TL_CBMG_GROUPS; g++) {
		value = w->left_out[g * width + at];
		square += w->used[g] ? (value - mean) * (value - mean) : 0;
	}
	return square * (groups - 1) / groups;
}

/* @groups: of how many groups the figure is made. */
static void figure_fit(const struct work *w, size_t at, size_t groups, bool part,
		       struct tl_cbmg_figure *f)
{
	double error, t;

	*f = (struct tl_cbmg_figure){ TL_CBMG_VALUE, w->figure[at], 0, 0 };
	if (w->groups < 2 || groups < 2)
		return;
	t = tl_student95((double)groups - 1);
	error = sqrt(jackknife(w, at));
	if (part)
		odds_interval(f, w->figure[at], error, t);
	else
		log_interval(f, w->figure[at], error, t);
}

/* A state that few come to has its times from few groups, the others add nothing to it. */
static size_t groups_timed(const struct work *w, size_t i)
{
	size_t n = 0, g;

	for (g = 0; g < TL_CBMG_GROUPS; g++)
		n += w->counts->timed[g * w->counts->room + i] > 0;
	return n < w->groups ? n : w->groups;
}

/* ---- all of it -------------------------------------------------------------------- */

static int groups_solve(struct work *w, enum tl_cbmg_verdict verdict)
{
	size_t width = VECTORS * w->fit->n + 2, g, i;
	bool same = true, any;
	struct tl_cbmg_out out;
	int code;

	for (g = 0; g < TL_CBMG_GROUPS; g++) {
		for (any = false, i = 0; i < w->counts->n && !any; i++)
			any = row_of(w->counts, g, i) > 0;
		if (!any)
			continue;
		code = graph_solve(w, g, w->left_out + g * width, &out);
		if (code == -ENOMEM)
			return code;
		/* Without some sessions it may be another graph altogether. */
		same = same && !code && out.verdict == verdict;
		w->used[g] = true;
		w->groups++;
	}
	if (!same)
		w->groups = 0;
	return 0;
}

static void counts_fill(struct work *w)
{
	const struct tl_cbmg_counts *c = w->counts;
	struct tl_cbmg_fit *fit = w->fit;
	size_t n = fit->n, g, i, k;

	for (g = 0; g < TL_CBMG_GROUPS; g++)
		for (i = 0; i < n; i++)
			for (k = 0; k < n; k++)
				fit->count[i * n + k] += count_of(c, g, i, k);
	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++) {
			fit->left[i] += fit->count[i * n + k];
			fit->asked[k] += fit->count[i * n + k];
		}
}

static void figures_fit(struct work *w)
{
	struct tl_cbmg_fit *fit = w->fit;
	size_t n = fit->n, i, k;

	for (i = 0; i < n; i++) {
		ways_fit(w, i);
		for (k = 0; k < n; k++)
			between_fit(w, i, k);
		if (i < TL_CBMG_FIRST || !came(fit->count, n, i))
			continue;
		if (fit->verdict == TL_CBMG_OK)
			figure_fit(w, VISITS * n + i, w->groups, false, &fit->visits[i]);
		if (tl_cbmg_has_mix(fit->verdict))
			figure_fit(w, MIX * n + i, w->groups, true, &fit->mix[i]);
		for (k = 0; k < n && fit->between[i * n + k].known == TL_CBMG_UNKNOWN; k++)
			;
		if (k == n)
			continue;
		figure_fit(w, THINK * n + i, groups_timed(w, i), false, &fit->think[i]);
		figure_fit(w, WAIT * n + i, groups_timed(w, i), false, &fit->wait[i]);
	}
	if (fit->verdict != TL_CBMG_OK)
		return;
	figure_fit(w, VECTORS * n, w->groups, false, &fit->requests);
	figure_fit(w, VECTORS * n + 1, w->groups, false, &fit->session_think);
}

static int fit_run(struct work *w)
{
	struct tl_cbmg_out out;
	int code = graph_solve(w, TL_CBMG_NONE, w->figure, &out);

	code = code ? code : groups_solve(w, out.verdict);
	if (code)
		return code;
	w->fit->verdict = out.verdict;
	w->fit->culprit = out.culprit;
	w->fit->other = out.other;
	w->fit->residual = out.residual;
	counts_fill(w);
	figures_fit(w);
	return 0;
}

/**
 * tl_cbmg_fit() - A graph from what sessions did
 * @counts: what they did
 * @fit: filled in; to be given to tl_cbmg_fit_free() in any case
 *
 * Return: 0; -ENODATA if nothing was counted, -ENOMEM.
 */
int tl_cbmg_fit(const struct tl_cbmg_counts *counts, struct tl_cbmg_fit *fit)
{
	size_t n = counts->n, width = VECTORS * n + 2;
	struct work w = { .counts = counts, .fit = fit };
	int code = -ENOMEM;

	*fit = (struct tl_cbmg_fit){ 0 };
	if (!n)
		return -ENODATA;
	w.figure = calloc(width, sizeof(*w.figure));
	w.left_out = calloc(TL_CBMG_GROUPS * width, sizeof(*w.left_out));
	w.p = calloc(n * n, sizeof(*w.p));
	w.visits = calloc(n, sizeof(*w.visits));
	w.mix = calloc(n, sizeof(*w.mix));
	w.state = calloc(n, sizeof(*w.state));
	w.sum = calloc(n * n, sizeof(*w.sum));
	if (w.figure && w.left_out && w.p && w.visits && w.mix && w.state && w.sum &&
	    !tl_cbmg_fit_new(fit, n))
		code = fit_run(&w);
	free(w.sum);
	free(w.state);
	free(w.mix);
	free(w.visits);
	free(w.p);
	free(w.left_out);
	free(w.figure);
	return code;
}

/**
 * tl_cbmg_fit_new() - Make room for a graph's figures
 * @fit: set to one of which nothing is known
 * @n: states
 *
 * Return: 0 or -ENOMEM.
 */
int tl_cbmg_fit_new(struct tl_cbmg_fit *fit, size_t n)
{
	*fit = (struct tl_cbmg_fit){ .n = n };
	fit->left = calloc(n, sizeof(*fit->left));
	fit->asked = calloc(n, sizeof(*fit->asked));
	fit->count = calloc(n * n, sizeof(*fit->count));
	fit->spread = calloc(n, sizeof(*fit->spread));
	fit->p = calloc(n * n, sizeof(*fit->p));
	fit->between = calloc(n * n, sizeof(*fit->between));
	fit->visits = calloc(n, sizeof(*fit->visits));
	fit->mix = calloc(n, sizeof(*fit->mix));
	fit->think = calloc(n, sizeof(*fit->think));
	fit->wait = calloc(n, sizeof(*fit->wait));
	return fit->left && fit->asked && fit->count && fit->spread && fit->p && fit->between &&
	       fit->visits && fit->mix && fit->think && fit->wait ? 0 : -ENOMEM;
}

/**
 * tl_cbmg_fit_free() - Free a graph's figures
 * @fit: figures
 */
void tl_cbmg_fit_free(struct tl_cbmg_fit *fit)
{
	free(fit->left);
	free(fit->asked);
	free(fit->count);
	free(fit->spread);
	free(fit->p);
	free(fit->between);
	free(fit->visits);
	free(fit->mix);
	free(fit->think);
	free(fit->wait);
}
