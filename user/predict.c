// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What requests make of own times and utilisations
 *
 *	u_r = b_0r + Σ_i c_ir λ_i,	y_t / T = Σ_i a_it λ_i + waiting
 *
 * with the waiting that the predicted utilisations bring, never the measured ones: they
 * are not known before it has come to it. The interval is that of a new window,
 * ± t s √(1 + x' (X' X)⁻¹ x), which grows where the mix is one that was not measured.
 */
#include "predict.h"

#include "model/queue.h"
#include "model/residence.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define BUSY_MAX 0.99 /* beyond that no waiting time means anything */

static double linear(const struct tl_demand *d, const struct tl_target *target,
		     const double *rate)
{
	size_t p = d->windows->classes.n, i;
	double sum = target->background ? target->coefficient[p].value : 0;

	for (i = 0; i < p; i++) {
		if (rate[i] > 0 && target->coefficient[i].verdict == TL_VERDICT_ABSENT)
			return NAN; /* nobody knows what it costs */
		sum += rate[i] * target->coefficient[i].value;
	}
	return sum;
}

static double leverage(const struct tl_demand *d, const struct tl_target *target,
		       const double *rate)
{
	const struct tl_design_out *design = target->background ? &d->counts : &d->own;
	size_t p = design->columns, i, k;
	double sum = 0;

	for (i = 0; i < p; i++)
		for (k = 0; k < p; k++)
			sum += (i < design->classes ? rate[i] : 1) * design->spread[i * p + k] *
			       (k < design->classes ? rate[k] : 1);
	return sum > 0 ? sum : 0;
}

/* Utilisations, as they are predicted, of the tier's resources. */
static double waiting(const struct tl_demand *d, const struct tl_target *target,
		      const double *predicted, double own)
{
	double most = 0, sum = own, busy;
	size_t i;

	for (i = 0; i < d->n_targets; i++) {
		if (d->target[i].resource == TL_NOWHERE || d->target[i].tier != target->tier ||
		    !(predicted[i] > 0))
			continue;
		busy = fmin(predicted[i], BUSY_MAX);
		most = fmax(most, busy);
		if (target->waiting == TL_WAITING_QUEUE)
			sum += target->factor[d->target[i].resource] * tl_queue_waiting(busy);
	}
	if (target->waiting == TL_WAITING_SLOWDOWN)
		sum *= 1 + target->factor[0] * tl_residence_waiting(1, &most);
	return sum;
}

static void interval(const struct tl_demand *d, const struct tl_target *target,
		     const double *rate, struct tl_predicted *p)
{
	bool shared = target->method == TL_METHOD_SDL ||
		      target->method == TL_METHOD_RESIDENCE;
	double spread = shared ? 1 / (double)d->n_used : leverage(d, target, rate);
	double half = tl_student95(target->degrees) * target->residual_sd * sqrt(1 + spread);

	p->low95 = fmax(p->value - half, 0);
	p->high95 = p->value + half;
	p->high95 = fmax(p->high95, 0);
	if (target->resource != TL_NOWHERE) {
		p->high95 = fmin(p->high95, 1);
		p->low95 = fmin(p->low95, 1);
	}
	p->value = fmin(fmax(p->value, p->low95), p->high95);
}

/**
 * tl_predict_values() - Predict all targets for given rates, without intervals
 * @demand: demands
 * @rate: [classes] requests per second
 * @predicted: [n_targets] set; NAN for what cannot be predicted. Utilisations may be
 *             above 1
 */
void tl_predict_values(const struct tl_demand *demand, const double *rate,
		       double *predicted)
{
	const struct tl_target *target = demand->target;
	size_t i;

	for (i = 0; i < demand->n_targets; i++)
		predicted[i] = target[i].unfit ? NAN : linear(demand, &target[i], rate);
	for (i = 0; i < demand->n_targets; i++)
		if (target[i].waiting != TL_WAITING_NONE && isfinite(predicted[i]))
			predicted[i] = waiting(demand, &target[i], predicted, predicted[i]);
}

/**
 * tl_predict() - Predict all targets for given rates
 * @demand: demands
 * @rate: [classes] requests per second
 * @predicted: [n_targets] filled in
 */
void tl_predict(const struct tl_demand *demand, const double *rate,
		struct tl_predicted *predicted)
{
	double value[demand->n_targets + 1];
	size_t i;

	tl_predict_values(demand, rate, value);
	for (i = 0; i < demand->n_targets; i++) {
		predicted[i] = (struct tl_predicted){ value[i], value[i], value[i] };
		if (isfinite(value[i]))
			interval(demand, &demand->target[i], rate, &predicted[i]);
	}
}
