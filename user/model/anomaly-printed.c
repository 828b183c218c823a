// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Delayed messages and timeouts, as paper 004, 3.3.7 has it
 *
 * 1. Size and time are folded to one packet: x = f, y = time - packet k.
 * 2. K-means with K = 3 on y: normal, delayed, timeout, by their means.
 * 3. From the normal ones those with y above MTU_e, what a full packet takes, are taken away.
 * 4. The line y = a + b x through the rest, by least squares.
 * 5. Of the normal and the delayed, what is above the line by more than its standard error is delayed.
 *
 * What a packet adds and MTU_e are not printed for other machines than the authors'; they are taken from the line of
 * anomaly-line.c. K-means begins with the lowest, the middle and the highest, not by chance.
 *
 * It is there to be compared with.
 */
#include "anomaly.h"

#include <errno.h>
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS 3
#define ROUNDS 200

struct work {
	const struct tl_anomaly_in *in;
	double *x, *y; /* [n] folded */
	double mean[GROUPS];
};

static size_t nearest(const double *mean, double y)
{
	size_t best = 0, g;

	for (g = 1; g < GROUPS; g++)
		if (fabs(y - mean[g]) < fabs(y - mean[best]))
			best = g;
	return best;
}

static bool means_move(struct work *w)
{
	double sum[GROUPS] = { 0 }, n[GROUPS] = { 0 };
	bool moved = false;
	size_t i, g;

	for (i = 0; i < w->in->n; i++) {
		g = nearest(w->mean, w->y[i]);
		sum[g] += w->y[i];
		n[g]++;
	}
	for (g = 0; g < GROUPS; g++) {
		if (n[g] <= 0 || fabs(sum[g] / n[g] - w->mean[g]) <= 1e-12 * fabs(w->mean[g]))
			continue;
		w->mean[g] = sum[g] / n[g];
		moved = true;
	}
	return moved;
}

static void cluster(struct work *w)
{
	double low = w->y[0], high = w->y[0];
	size_t i, round;

	for (i = 1; i < w->in->n; i++) {
		low = fmin(low, w->y[i]);
		high = fmax(high, w->y[i]);
	}
	w->mean[0] = low;
	w->mean[1] = (low + high) / 2;
	w->mean[2] = high;
	for (round = 0; round < ROUNDS && means_move(w); round++)
		;
}

static void line_through(struct work *w, struct tl_anomaly_model *model)
{
	double full_ms = model->line.base_ms + model->line.fill_ms, a, b, cov[3], sum;
	size_t n = 0, i;

	for (i = 0; i < w->in->n; i++) {
		if (nearest(w->mean, w->y[i]) || w->y[i] > full_ms)
			continue;
		w->x[n] = w->x[i];
		w->y[n++] = w->y[i];
	}
	if (n < 3)
		return;
	gsl_fit_linear(w->x, 1, w->y, 1, n, &a, &b, &cov[0], &cov[1], &cov[2], &sum);
	if (!isfinite(a + b + sum))
		return;
	model->line.base_ms = a;
	model->line.fill_ms = b;
	model->scale_ms = sqrt(sum / (double)(n - 2));
	model->delayed_ms = fmax(model->scale_ms, 1e-9);
}

/**
 * tl_anomaly_printed() - What is normal, in the paper's way
 * @in: messages
 * @model: filled in; timeouts are those above the middle of two means, whatever their size
 *
 * Return: as tl_anomaly().
 */
int tl_anomaly_printed(const struct tl_anomaly_in *in, struct tl_anomaly_model *model)
{
	struct work w = { .in = in };
	double full;
	size_t i;
	int code = tl_anomaly(in, model);

	model->delayed_ms = model->timeout_ms = 0;
	if (code || !model->enough)
		return code;
	w.x = calloc(2 * in->n, sizeof(*w.x));
	if (!w.x)
		return -ENOMEM;
	w.y = w.x + in->n;
	for (i = 0; i < in->n; i++) {
		tl_anomaly_packets(in->size[i], in->mtu, &full, &w.x[i]);
		w.y[i] = in->time_ms[i] - model->line.packet_ms * full;
	}
	cluster(&w);
	model->humps = GROUPS;
	model->gain = 0;
	line_through(&w, model);
	model->timeout_ms = fmax((w.mean[1] + w.mean[2]) / 2 - model->line.base_ms - model->line.fill_ms / 2, 1e-9);
	free(w.x);
	return 0;
}
