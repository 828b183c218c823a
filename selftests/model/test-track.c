// SPDX-License-Identifier: GPL-2.0-or-later
/* What follows demands, where the truth is exact: filters, single windows, changes. */
#include "tap.h"

#include "sim.h"

#include "model/kalman.h"
#include "model/share.h"
#include "model/track.h"

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N 200
#define P 6
#define SECONDS 60.0

/* Figures without any noise, unless a test puts some in. */
struct data {
	size_t n, p;
	double count[N * P], time[N * P], t[N], seconds[N], busy[N], truth[N * P];
	struct tl_estimate demand[N * P];
	struct tl_track_step step[N];
	struct tl_track_out out;
};

static const double demands[P] = { 0.002, 0.005, 0.001, 0.012, 0.003, 0.0004 };

static void data_draw(struct sim *r, struct data *d)
{
	size_t w, i;

	tl_track_free(&d->out);
	memset(d, 0, sizeof(*d));
	d->n = N;
	d->p = P;
	for (w = 0; w < d->n; w++) {
		d->seconds[w] = SECONDS;
		d->t[w] = SECONDS * (double)w;
		for (i = 0; i < d->p; i++) {
			d->count[w * P + i] = floor(200 + 800 * sim_uniform(r));
			d->truth[w * P + i] = demands[i];
		}
	}
}

/* Everybody is slowed down by the same factor, any, in each window. */
static void data_measure(struct sim *r, struct data *d, double background)
{
	size_t w, i;

	for (w = 0; w < d->n; w++) {
		double slow = 1 + 5 * sim_uniform(r);

		d->busy[w] = background;
		for (i = 0; i < d->p; i++) {
			double work = d->count[w * P + i] * d->truth[w * P + i];

			d->time[w * P + i] = slow * work;
			d->busy[w] += work / SECONDS;
		}
	}
}

static void track(struct data *d)
{
	struct tl_track_in in = { d->n, d->p, d->count, d->time, d->t, d->seconds, d->busy,
				  NULL };

	tl_track_free(&d->out);
	d->out = (struct tl_track_out){ .demand = d->demand, .step = d->step };
	if (tl_track(&in, &d->out))
		d->out.restarts = 1000;
}

static double off(const struct data *d, size_t w, size_t i)
{
	return fabs(d->demand[w * P + i].value / d->truth[w * P + i] - 1);
}

static double worst(const struct data *d, size_t from, size_t until)
{
	double most = 0;
	size_t w, i;

	for (w = from; w < until; w++)
		for (i = 0; i < d->p; i++)
			most = fmax(most, off(d, w, i));
	return most;
}

static bool all_inside(const struct data *d, size_t from)
{
	size_t w, i;

	for (w = from; w < d->n; w++)
		for (i = 0; i < d->p; i++)
			if (d->demand[w * P + i].low95 > d->truth[w * P + i] ||
			    d->demand[w * P + i].high95 < d->truth[w * P + i])
				return false;
	return true;
}

static void test_exact(struct sim *r, struct data *d)
{
	double before;

	data_draw(r, d);
	data_measure(r, d, 0);
	track(d);
	ok(!d->out.restarts && worst(d, 0, N) < 0.01 && worst(d, 150, N) < 1e-3,
	   "what there is comes back: off by %.2g at most, at last %.2g", worst(d, 0, N),
	   worst(d, 150, N));
	ok(!d->out.changes && all_inside(d, 0), "nothing changed, and intervals have the truth");
	ok(d->demand[(N - 1) * P].error < 0.2 * d->demand[5 * P].error,
	   "intervals get narrower: %.2g of what they were after six windows",
	   d->demand[(N - 1) * P].error / d->demand[5 * P].error);
	before = d->demand[(N - 1) * P].value;
	for (size_t i = 0; i < N * P; i++)
		d->time[i] *= 1000;
	track(d);
	ok(fabs(d->demand[(N - 1) * P].value / before - 1) < 1e-6,
	   "times tell shares only: their unit does not matter");
	data_measure(r, d, 0.05);
	track(d);
	ok(worst(d, 150, N) < 0.01 && fabs(d->step[N - 1].background.value - 0.05) < 0.003,
	   "a background of 0.05 is found: %.4f, demands off by %.2g at most",
	   d->step[N - 1].background.value, worst(d, 150, N));
}

/* Three requests a window, of very different lengths: what is seldom is not taken for cheap. */
static void test_seldom(struct sim *r, struct data *d)
{
	double mean = 0;
	size_t turn, w, k;

	for (turn = 0; turn < 8; turn++) {
		data_draw(r, d);
		for (w = 0; w < N; w++)
			d->count[w * P + 2] = 3;
		data_measure(r, d, 0);
		for (w = 0; w < N; w++) {
			double sum = 0;

			for (k = 0; k < 3; k++)
				sum -= log(sim_uniform(r)) / 3;
			d->time[w * P + 2] *= sum;
		}
		track(d);
		mean += d->demand[(N - 1) * P + 2].value / demands[2] / 8;
	}
	ok(fabs(mean - 1) < 0.05, "three requests a window: %.3f of the truth in the mean", mean);
}

/* From @from on a class, or all, cost @factor times as much. */
static void dearer(struct data *d, size_t from, size_t class, double factor)
{
	size_t w, i;

	for (w = from; w < d->n; w++)
		for (i = 0; i < d->p; i++)
			if (class == TL_TRACK_ALL || class == i)
				d->truth[w * P + i] = demands[i] * factor;
}

static void test_step(struct sim *r, struct data *d, size_t class, double factor)
{
	const struct tl_track_change *c;
	char name[20];

	snprintf(name, sizeof(name), class == TL_TRACK_ALL ? "all" : "class %zu", class);
	data_draw(r, d);
	dearer(d, 100, class, factor);
	data_measure(r, d, 0);
	track(d);
	c = d->out.change;
	ok(d->out.changes == 1 && c->class == class && c->since == 100 && c->window <= 102,
	   "%s, %.3g times: seen as that, with window %zu", name, factor,
	   d->out.changes ? c->window : 0);
	ok(d->out.changes && fabs(log(c->factor / factor)) < 0.1 && worst(d, 102, N) < 0.1 &&
	   worst(d, 150, N) < 0.02, "its factor is %.3g; off by %.2g from the third window on",
	   d->out.changes ? c->factor : 0, worst(d, 102, N));
	ok(worst(d, 0, 100) < 0.01 &&
	   (class == TL_TRACK_ALL || off(d, 101, (class + 1) % P) < 0.05),
	   "not before, and others stay where they are");
}

/* One window's figures are wrong: nothing follows them. */
static void test_glitch(struct sim *r, struct data *d)
{
	data_draw(r, d);
	data_measure(r, d, 0);
	d->busy[80] = 0.95;
	d->time[90 * P + 2] *= 20;
	d->busy[100] = 0;
	d->time[110 * P + 3] = 0;
	track(d);
	ok(!d->out.changes && worst(d, 20, N) < 0.03,
	   "a window's wrong figure moves nothing: off by %.2g at most", worst(d, 20, N));
	ok(d->step[80].doubted && d->step[90].doubted && d->step[100].doubted &&
	   d->step[110].doubted && !d->step[85].doubted, "they are doubted, others are not");
}

static void test_gaps(struct sim *r, struct data *d)
{
	double before, after;
	size_t w, i;

	data_draw(r, d);
	for (w = 0; w < N; w++) {
		d->count[w * P + 4] = w < 50 ? 0 : d->count[w * P + 4];
		d->count[w * P + 5] = 0;
	}
	for (w = 120; w < N; w++)
		d->t[w] += 100 * SECONDS;
	data_measure(r, d, 0);
	for (w = 60; w < 65; w++) /* nobody comes */
		for (i = 0; i < P; i++)
			d->count[w * P + i] = d->time[w * P + i] = d->busy[w] = 0;
	track(d);
	ok(d->demand[49 * P + 4].verdict == TL_VERDICT_ABSENT && off(d, 52, 4) < 0.01 &&
	   d->demand[(N - 1) * P + 5].verdict == TL_VERDICT_ABSENT && !d->out.changes,
	   "one that comes late is known from then on, one that never comes is not");
	ok(off(d, 62, 0) < 0.01 && fabs(d->demand[64 * P].value / d->demand[59 * P].value - 1) < 1e-3,
	   "without requests demands stay");
	before = d->demand[119 * P].error;
	after = d->demand[120 * P].error;
	ok(after > 1.02 * before, "so they do over a gap: %.3g times", after / before);
}

/* A class that needs nothing there, and one that stops. */
static void test_nothing(struct sim *r, struct data *d)
{
	size_t w, negative = 0;

	data_draw(r, d);
	for (w = 0; w < N; w++) {
		d->truth[w * P] = 0;
		d->truth[w * P + 1] = w < 100 ? demands[1] : 0;
	}
	data_measure(r, d, 0);
	track(d);
	ok(d->demand[(N - 1) * P].verdict == TL_VERDICT_ZERO && d->demand[(N - 1) * P].high95 > 0,
	   "no time at all: not told from zero");
	ok(d->demand[102 * P + 1].verdict == TL_VERDICT_ZERO && off(d, N - 1, 3) < 0.01 &&
	   d->demand[99 * P + 1].verdict == TL_VERDICT_OK,
	   "nor is one that needs nothing any more");
	for (w = 0; w < N * P; w++)
		negative += d->demand[w].value < 0 || d->demand[w].low95 < 0;
	is_u64(negative, 0, "and not below");
}

static double any(struct sim *r)
{
	static const double odd[] = { 0, 0, 1e-6, 1, 1e12, 0.5, 1e6 };
	double u = sim_uniform(r);

	return u < 0.3 ? odd[(size_t)(7 * sim_uniform(r))] : u < 0.6 ? floor(30 * u) :
							      exp(20 * sim_normal(r) / 3);
}

static bool all_finite(const struct data *d)
{
	size_t w;

	for (w = 0; w < d->n * P; w++) {
		const struct tl_estimate *e = &d->demand[w];

		if (!isfinite(e->value) || !isfinite(e->error) || !isfinite(e->low95) ||
		    !isfinite(e->high95) || e->value < 0 || e->low95 > e->high95)
			return false;
	}
	for (w = 0; w < d->n; w++)
		if (!isfinite(d->step[w].nis) || !isfinite(d->step[w].background.value) ||
		    !isfinite(d->step[w].background.error))
			return false;
	for (w = 0; w < d->out.changes; w++)
		if (!isfinite(d->out.change[w].factor))
			return false;
	return true;
}

static void test_anything(struct sim *r, struct data *d)
{
	size_t turn, w, bad = 0;

	for (turn = 0; turn < 60; turn++) {
		data_draw(r, d);
		data_measure(r, d, 0);
		d->n = 60;
		for (w = 0; w < d->n * P; w++) {
			if (sim_uniform(r) < (double)turn / 60)
				d->count[w] = any(r);
			if (sim_uniform(r) < (double)turn / 60 && d->count[w] > 0)
				d->time[w] = any(r);
			if (d->count[w] == 0)
				d->time[w] = 0;
		}
		for (w = 0; w < d->n; w++)
			if (sim_uniform(r) < (double)turn / 60)
				d->busy[w] = sim_uniform(r) < 0.3 ? 0 : sim_uniform(r);
		track(d);
		bad += d->out.restarts >= 1000 || !all_finite(d);
	}
	is_u64(bad, 0, "whatever the figures are, what comes of them is finite");
}

static void test_many(void)
{
	struct tl_track_in in = { .windows = 1, .classes = TL_TRACK_CLASSES_MAX + 1 };
	struct tl_track_out out;

	ok(tl_track(&in, &out) == -E2BIG && !out.changes, "too many classes are too many");
	tl_track_free(&out);
}

static void test_consistency(void)
{
	struct tl_track_step step[] = {
		{ .nis = 9, .degrees = 0 }, { .nis = 4, .degrees = 4 },
		{ .nis = 8, .degrees = 6 }, { .nis = 90, .degrees = 6, .doubted = 1 },
		{ .nis = 90, .degrees = 6, .changed = 1 },
	};
	struct tl_track_nis nis;

	tl_track_consistency(step, 5, &nis);
	/* 97.5 and 2.5 % points of χ² with 10 degrees: 20.483, 3.247. */
	ok(nis.windows == 2 && nis.doubted == 2 && fabs(nis.ratio - 1.2) < 1e-12 &&
	   fabs(nis.low95 - 0.3247) < 1e-4 && fabs(nis.high95 - 2.0483) < 1e-4,
	   "innovations are held against χ²");
	tl_track_consistency(step, 1, &nis);
	ok(nis.windows == 0 && nis.ratio == 0 && nis.high95 == 0, "none: nothing is said");
}

/* (6.a) to (6.e) as they are printed, for two services, written out. */
static void by_hand(const double z[3], const double h[3][2], const double rt[2], double x[2])
{
	double p[2][2] = { { 0 } }, q[2] = { 0 }, k[2], before[2], e, s;
	int w, i, j;

	for (i = 0; i < 2; i++) {
		x[i] = rt[i] * (1 - z[0]);
		p[i][i] = x[i] * x[i];
	}
	for (w = 0; w < 3; w++) {
		double m[2][2];

		for (i = 0; i < 2; i++)
			p[i][i] += q[i];
		s = h[w][0] * (p[0][0] * h[w][0] + p[0][1] * h[w][1]) +
		    h[w][1] * (p[1][0] * h[w][0] + p[1][1] * h[w][1]);
		e = z[w] - h[w][0] * x[0] - h[w][1] * x[1];
		for (i = 0; i < 2; i++) {
			k[i] = (p[i][0] * h[w][0] + p[i][1] * h[w][1]) / s;
			before[i] = x[i];
			x[i] += k[i] * e;
			q[i] = fmax(q[i], (x[i] - before[i]) * (x[i] - before[i]));
		}
		for (i = 0; i < 2; i++) /* (I - K H) P */
			for (j = 0; j < 2; j++)
				m[i][j] = p[i][j] - k[i] * (h[w][0] * p[0][j] + h[w][1] * p[1][j]);
		memcpy(p, m, sizeof(p));
	}
}

static void test_paper(void)
{
	const double h[3][2] = { { 20, 30 }, { 50, 10 }, { 15, 40 } }, z[3] = { 0.4, 0.5, 0.6 };
	const double rt[2] = { 0.01, 0.02 };
	double count[6], time[6] = { 0 }, seconds[3] = { 10, 10, 10 }, x[2], nis[3];
	double value[6], error[6];
	struct tl_kalman_in in = { 3, 2, count, time, seconds, z, 0 };
	struct tl_kalman_out out = { value, error, nis };
	int w, i;

	for (w = 0; w < 3; w++)
		for (i = 0; i < 2; i++) {
			count[2 * w + i] = 10 * h[w][i];
			time[2 * w + i] = count[2 * w + i] * (w ? 1 : rt[i]);
		}
	by_hand(z, h, rt, x);
	tl_kalman(&in, &out);
	ok(fabs(value[4] / x[0] - 1) < 1e-9 && fabs(value[5] / x[1] - 1) < 1e-9,
	   "the paper's filter is what is printed: %.6f %.6f", value[4], value[5]);
	ok(fabs(h[2][0] * value[4] + h[2][1] * value[5] - z[2]) < 1e-12 && nis[2] > 0,
	   "without noise it makes up each window's utilisation");
	for (w = 0; w < 3; w++)
		for (i = 0; i < 2; i++)
			count[2 * w + i] = i ? 0 : 200 * (w == 1);
	tl_kalman(&in, &out);
	ok(isnan(value[0]) && isnan(value[5]) && nis[0] < 0 && nis[2] < 0 &&
	   fabs(value[2] - z[1] / 20) < 1e-12 && value[4] == value[2],
	   "a service begins when it comes, windows without requests tell nothing");
	in.noise = 1e12;
	tl_kalman(&in, &out);
	ok(fabs(value[2] / (time[2] / 200 * (1 - z[1])) - 1) < 1e-6,
	   "if utilisation is but noise, its beginning stays");
}

static void test_share(struct sim *r, struct data *d)
{
	struct tl_share_in in = { N, P, d->count, d->time, d->seconds, d->busy };
	size_t w, i, inside = 0, all = 0;

	data_draw(r, d);
	data_measure(r, d, 0);
	tl_share(&in, d->demand);
	ok(worst(d, 0, N) < 1e-9 && d->demand[0].verdict == TL_VERDICT_UNCERTAIN &&
	   d->demand[0].low95 == 0 && d->demand[0].high95 > d->truth[0],
	   "each window alone is exact without noise; the first knows only a bound");
	for (w = 0; w < N; w++)
		for (i = 0; i < P; i++)
			d->time[w * P + i] *= exp(0.1 * sim_normal(r));
	d->count[3] = d->time[3] = 0;
	tl_share(&in, d->demand);
	for (w = 2; w < N; w++)
		for (i = 0; i < P; i++, all++)
			inside += d->demand[w * P + i].low95 <= d->truth[w * P + i] &&
				  d->demand[w * P + i].high95 >= d->truth[w * P + i];
	ok((double)inside > 0.93 * (double)all && (double)inside < 0.99 * (double)all,
	   "its intervals have the truth in %.1f %%", 100 * (double)inside / (double)all);
	ok(d->demand[3].verdict == TL_VERDICT_ABSENT, "one that did not come has no demand");
}

int main(void)
{
	struct data *d = calloc(1, sizeof(*d));
	struct sim *r = calloc(1, sizeof(*r));

	gsl_set_error_handler_off();
	sim_seed(r, 1);
	test_exact(r, d);
	test_seldom(r, d);
	test_step(r, d, 3, 2.5);
	test_step(r, d, 3, 0.4);
	test_step(r, d, 0, 1.3);
	test_step(r, d, 5, 10);
	test_step(r, d, TL_TRACK_ALL, 1.3);
	test_glitch(r, d);
	test_gaps(r, d);
	test_nothing(r, d);
	test_anything(r, d);
	test_many();
	test_consistency();
	test_paper();
	test_share(r, d);
	tl_track_free(&d->out);
	free(d);
	free(r);
	return done();
}
