// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether times have become longer, window by window
 *
 * What is normal is a distribution: the histogram of the windows before, forgotten over BASE windows, or over
 * those that BASE_REQUESTS came in. A time is turned into the score that it would have in a normal
 * distribution (van der Waerden): how heavy a tail is makes no difference then, one request counts for no more than
 * about three, and mixtures and steps need no shape to be fitted. The mean score X of n requests of the
 * last m windows is 0 as long as all is well, with the variance
 *
 *	v / n + v / N + s²
 *
 * v of the scores, N requests that the distribution was learnt from, and s² what windows are apart by beyond that:
 * load, other tenants, one burst of what comes together. s² does not become less with m, since such things
 * last. Times are longer if for any m up to PAST
 *
 *	z = X / sqrt(variance) >= Z	and they are longer by @effect and @least_s,
 *
 * in the geometric mean, or in the mean in which none counts for more than CAP times the 99th percentile of
 * normal ones, for the m that z is largest for. That is a generalised likelihood ratio test of a shift with a window of m: a large one
 * is seen at once, a small one, or that of few requests, later.
 *
 * Timeouts are requests far beyond all that are known (FAR buckets above the last one that anything of the
 * distribution is in), two at least, and a part of all.
 *
 * While times are longer nothing is learnt, and of the LAG windows before it was seen neither. They are not
 * any more after @quiet windows in each of which the score is less than half of what it was meanwhile, and
 * of itself no sign; twice as many windows each time that they come again soon. After @accept windows
 * what is seen is normal.
 *
 * Sources: T. L. Lai, J. R. Statist. Soc. B 57 (1995), window-limited likelihood ratios; B. L. van der Waerden, Proc. K. Ned.
 * Akad. Wet. A 55 (1952), normal scores.
 */
#include "adapt-evidence.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define BASE 120.0 /* windows that are remembered */
#define BASE_REQUESTS 400.0 /* or so many, if that takes longer */
#define READY_WINDOWS 20
#define READY_REQUESTS 60.0
#define STEP 8 /* windows that are learnt together */
#define SCORE_REQUESTS 1000.0 /* what is beyond all has the score of one in so many */
#define Z 4.5
#define Z_QUIET 3.0 /* from so much on a window by itself is no quiet one */
#define CAP 3.0
#define SPREAD_LEAST 0.05 /* of scores; there is always something */
#define WINSOR 9.0 /* squared scores in units of their variance */
#define FAR 16 /* buckets, four times as long */
#define FAR_MEDIANS 8.0
#define FAR_LEAST 2.0
#define FAR_PART 0.02
#define FAR_WINDOWS 3
#define TRACE 0.02 /* less of a bucket is nothing */
#define CALM 300
#define SOON 100
#define PATIENCE_MOST 60
#define EMPTY_MOST 60
#define OTHER 60.0 /* windows that what would be normal is remembered over */

/**
 * tl_evidence_mid_s() - A time in the middle of a bucket
 * @bucket: of a histogram
 *
 * Return: seconds.
 */
double tl_evidence_mid_s(unsigned int bucket)
{
	if (!bucket)
		return 5e-7;
	if (bucket >= TL_HIST_BUCKETS - 1)
		return (double)tl_hist_low_ns(TL_HIST_BUCKETS - 1) / 1e9;
	return ((double)tl_hist_low_ns(bucket) + (double)tl_hist_low_ns(bucket + 1)) / 2e9;
}

/* Computed once; each window asks for all of them. */
static const double *logs(void)
{
	static double value[TL_HIST_BUCKETS];
	unsigned int i;

	if (value[0] == 0)
		for (i = 0; i < TL_HIST_BUCKETS; i++)
			value[i] = log(tl_evidence_mid_s(i));
	return value;
}

/* ---- what is normal ---------------------------------------------------------------------- */

/* Where @part of it is. */
static unsigned int quantile(const struct tl_evidence *e, double part)
{
	double below = 0;
	unsigned int i;

	for (i = 0; i < TL_HIST_BUCKETS - 1; i++) {
		below += e->base[i];
		if (below >= part * e->base_n)
			break;
	}
	return i;
}

static void far_set(struct tl_evidence *e)
{
	double least_s = FAR_MEDIANS * tl_evidence_mid_s(quantile(e, 0.5));
	unsigned int i, last = 0;

	for (i = 0; i < TL_HIST_BUCKETS; i++)
		if (e->base[i] > TRACE)
			last = i;
	for (last += FAR; last < TL_HIST_BUCKETS && tl_evidence_mid_s(last) < least_s; last++)
		;
	e->far = last;
}

static void scores_set(struct tl_evidence *e)
{
	double below = 0, n = e->base_n, scale = fmin(n, SCORE_REQUESTS), mean = 0, square = 0;
	const double *log_s = logs();
	unsigned int i;

	e->base_log = e->base_s = 0;
	e->cap_s = CAP * tl_evidence_mid_s(quantile(e, 0.99));
	for (i = 0; i < TL_HIST_BUCKETS; i++) {
		double part = (below + e->base[i] / 2) / n;

		below += e->base[i];
		e->score[i] = gsl_cdf_ugaussian_Pinv((part * scale + 0.5) / (scale + 1));
		mean += e->base[i] / n * e->score[i];
		square += e->base[i] / n * e->score[i] * e->score[i];
		e->base_log += e->base[i] / n * log_s[i];
		e->base_s += e->base[i] / n * fmin(tl_evidence_mid_s(i), e->cap_s);
	}
	for (i = 0; i < TL_HIST_BUCKETS; i++)
		e->score[i] -= mean;
	/* Of times that are all alike none is known to vary. */
	e->variance = fmax(square - mean * mean, 0.1);
	far_set(e);
}

static void learn(struct tl_evidence *e, const float *hist, double score)
{
	double n = 0, forget, expected, square;
	unsigned int i;

	for (i = 0; i < TL_HIST_BUCKETS; i++)
		n += (double)hist[i];
	if (n <= 0)
		return;
	forget = fmin(1 / BASE, n / BASE_REQUESTS);
	/* At first all count the same. */
	if (e->base_n < BASE_REQUESTS && e->learnt < (unsigned int)BASE)
		forget = 0;
	e->base_n = 0;
	for (i = 0; i < TL_HIST_BUCKETS; i++) {
		e->base[i] = (1 - forget) * e->base[i] + (double)hist[i];
		e->base_n += e->base[i];
	}
	if (tl_evidence_ready(e)) {
		expected = e->variance / n + e->variance / e->base_n;
		square = fmin(score * score, WINSOR * (expected + e->spread));
		e->spread_n = fmin(e->spread_n + 1, BASE);
		e->spread += (fmax(square - expected, -expected) - e->spread) / e->spread_n;
	}
	e->learnt++;
	/* It changes slowly, and this is what takes the time. */
	if (e->learnt <= READY_WINDOWS || e->learnt % STEP == 0)
		scores_set(e);
}

/**
 * tl_evidence_ready() - Is it known what is normal?
 * @e: times of one kind
 *
 * Return: whether enough was seen.
 */
bool tl_evidence_ready(const struct tl_evidence *e)
{
	return e->learnt >= READY_WINDOWS && e->base_n >= READY_REQUESTS;
}

static void pend(struct tl_evidence *e, const uint64_t *hist, double score)
{
	size_t at = e->pendings % TL_EVIDENCE_LAG;
	unsigned int i;

	if (e->pendings >= TL_EVIDENCE_LAG)
		learn(e, e->pending[at], e->pending_score[at]);
	for (i = 0; i < TL_HIST_BUCKETS; i++)
		e->pending[at][i] = (float)hist[i];
	e->pending_score[at] = score;
	e->pendings++;
}

/* ---- a window ---------------------------------------------------------------------------- */

/* @excuse: how much longer they may be, as a logarithm. */
static struct tl_evidence_window window_of(const struct tl_evidence *e, const struct tl_evidence_options *options,
					   const uint64_t *hist, double excuse)
{
	double shift = excuse * (1 << TL_HIST_SUB_BITS) / log(2);
	struct tl_evidence_window w = { 0 };
	const double *log_s = logs();
	unsigned int i;

	for (i = 0; i < TL_HIST_BUCKETS; i++) {
		double n = (double)hist[i], at = fmax((double)i - shift, 0);
		unsigned int low = (unsigned int)at, high = low + 1 < TL_HIST_BUCKETS ? low + 1 : low;

		if (n <= 0)
			continue;
		w.n += n;
		w.score += n * (e->score[low] + (at - low) * (e->score[high] - e->score[low]));
		w.log += n * (log_s[i] - excuse);
		w.time_s += n * fmin(tl_evidence_mid_s(i) * exp(-excuse), e->cap_s);
		if (at >= e->far || (options->timeout_s > 0 && (double)tl_hist_low_ns(i) / 1e9 >= options->timeout_s))
			w.far += n;
	}
	return w;
}

static void window_add(struct tl_evidence_window *to, const struct tl_evidence_window *w)
{
	to->n += w->n;
	to->score += w->score;
	to->log += w->log;
	to->time_s += w->time_s;
	to->far += w->far;
}

static double ratio_of(const struct tl_evidence *e, const struct tl_evidence_window *w)
{
	double ratio = exp(w->log / w->n - e->base_log);

	return e->base_s > 0 ? fmax(ratio, w->time_s / w->n / e->base_s) : ratio;
}

static double z_of(const struct tl_evidence *e, const struct tl_evidence_window *w)
{
	double spread = fmax(e->spread, SPREAD_LEAST * SPREAD_LEAST);

	return w->score / w->n / sqrt(e->variance / w->n + e->variance / e->base_n + spread);
}

static bool is_longer(const struct tl_evidence *e, const struct tl_evidence_options *options, double ratio)
{
	return ratio >= 1 + options->effect && (ratio - 1) * e->base_s >= options->least_s;
}

/* The windows that tell most, and what they tell. */
static bool look_back(struct tl_evidence *e, const struct tl_evidence_options *options, struct tl_evidence_window *best)
{
	struct tl_evidence_window sum = { 0 };
	bool timeout = false;
	size_t m;

	e->now = (struct tl_evidence_now){ .ratio = 1, .base_s = e->base_s };
	for (m = 0; m < e->filled; m++) {
		double z, ratio;

		window_add(&sum, &e->past[(e->at + TL_EVIDENCE_PAST - 1 - m) % TL_EVIDENCE_PAST]);
		z = z_of(e, &sum);
		ratio = ratio_of(e, &sum);
		timeout |= m < FAR_WINDOWS && sum.far >= fmax(FAR_LEAST, FAR_PART * sum.n);
		if (m && z <= e->now.z)
			continue;
		e->now = (struct tl_evidence_now){ z, ratio, sum.n, e->base_s, (unsigned int)m + 1 };
		*best = sum;
	}
	e->timeout = timeout;
	return timeout || (e->now.z >= Z && is_longer(e, options, e->now.ratio));
}

/* ---- longer, and not any more --------------------------------------------------------------- */

static void begin(struct tl_evidence *e, const struct tl_evidence_options *options, const struct tl_evidence_window *best)
{
	e->ill = true;
	e->sum = *best;
	e->ill_windows = e->quiet = e->empty = 0;
	memset(e->other, 0, sizeof(e->other));
	if (!e->patience || e->calm > CALM)
		e->patience = options->quiet;
	else if (e->calm < SOON)
		e->patience = e->patience * 2 < PATIENCE_MOST ? e->patience * 2 : PATIENCE_MOST;
	e->pendings = 0;
}

static enum tl_evidence_change end(struct tl_evidence *e, enum tl_evidence_change change)
{
	e->ill = e->timeout = false;
	e->filled = 0;
	e->pendings = 0;
	e->calm = 0;
	return change;
}

static bool is_quiet(const struct tl_evidence *e, const struct tl_evidence_options *options,
		     const struct tl_evidence_window *w)
{
	if (w->far > 0)
		return false;
	if (z_of(e, w) >= Z_QUIET && is_longer(e, options, ratio_of(e, w)))
		return false;
	return e->timeout || w->score / w->n < e->sum.score / e->sum.n / 2;
}

static void remember_other(struct tl_evidence *e, const uint64_t *hist)
{
	unsigned int i;

	for (i = 0; i < TL_HIST_BUCKETS; i++)
		e->other[i] = (1 - 1 / OTHER) * e->other[i] + (double)hist[i];
}

static enum tl_evidence_change accept(struct tl_evidence *e)
{
	unsigned int i;

	e->base_n = 0;
	for (i = 0; i < TL_HIST_BUCKETS; i++) {
		e->base[i] = e->other[i];
		e->base_n += e->base[i];
	}
	scores_set(e);
	return end(e, TL_EVIDENCE_ACCEPTED);
}

static enum tl_evidence_change go_on(struct tl_evidence *e, const struct tl_evidence_options *options,
				     const uint64_t *hist, const struct tl_evidence_window *w)
{
	e->ill_windows++;
	if (!(w->n > 0))
		return ++e->empty >= EMPTY_MOST ? end(e, TL_EVIDENCE_GONE) : TL_EVIDENCE_NONE;
	e->empty = 0;
	e->timeout |= w->far >= FAR_LEAST;
	if (is_quiet(e, options, w)) {
		if (++e->quiet >= e->patience)
			return end(e, TL_EVIDENCE_ENDED);
		return TL_EVIDENCE_NONE;
	}
	e->quiet = 0;
	window_add(&e->sum, w);
	e->now.ratio = ratio_of(e, &e->sum);
	e->now.z = z_of(e, &e->sum);
	e->now.requests = e->sum.n;
	e->now.windows = e->ill_windows;
	remember_other(e, hist);
	return e->ill_windows >= options->accept ? accept(e) : TL_EVIDENCE_NONE;
}

/**
 * tl_evidence_add() - One window more
 * @e: times of one kind
 * @options: when they have changed
 * @hist: [TL_HIST_BUCKETS] requests by time
 * @excuse: how much longer they may be, as a logarithm: because answers were larger
 *
 * Return: what has changed with it.
 */
enum tl_evidence_change tl_evidence_add(struct tl_evidence *e, const struct tl_evidence_options *options,
					const uint64_t *hist, double excuse)
{
	struct tl_evidence_window w = window_of(e, options, hist, excuse), best = { 0 };

	if (e->ill)
		return go_on(e, options, hist, &w);
	e->calm += e->calm < 2 * CALM;
	e->now = (struct tl_evidence_now){ .ratio = 1, .base_s = e->base_s };
	if (!(w.n > 0))
		return TL_EVIDENCE_NONE;
	if (tl_evidence_ready(e)) {
		e->past[e->at] = w;
		e->at = (e->at + 1) % TL_EVIDENCE_PAST;
		e->filled += e->filled < TL_EVIDENCE_PAST;
		if (look_back(e, options, &best)) {
			begin(e, options, &best);
			return TL_EVIDENCE_BEGAN;
		}
	}
	pend(e, hist, w.score / w.n);
	return TL_EVIDENCE_NONE;
}
