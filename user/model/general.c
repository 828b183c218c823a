// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A server that is not exponential, as one whose speed depends on its load
 *
 * Its departures while n customers are there, when they arrive at rate λ(n): with such
 * speeds it goes into a network of exponential servers (R. A. Marie, An Approximate
 * Analytical Method for General Queueing Networks, IEEE Transactions on Software
 * Engineering 5, 1979). The service is a walk through exponential phases, T the matrix
 * of their rates, β where it begins, s what leaves it.
 *
 * Of π_n, the chances of n customers and each phase, the balance is
 * π_n (λ_n - T) = λ_{n-1} π_{n-1} + (π_{n+1} s) β, and what goes up comes down:
 * π_{n+1} s = λ_n π_n 1. So π_n follows from π_{n-1} alone. Of π_n = y + λ_n t b, with y
 * and b the rows λ_{n-1} π_{n-1} and β times (λ_n - T)⁻¹, the sum t is y 1 over
 * 1 - λ_n b 1, which is b s: all terms are positive. Walks only go on to the next phase,
 * so that a row times the inverse is a substitution forwards.
 *
 * A mean and a squared coefficient of variation c² are made phases as in
 * lqn-sim-event.c: above 1 two side by side with balanced means, below 1 a row of equal
 * ones, of which the first is left out sometimes (H. C. Tijms, Stochastic Models, 1994).
 */
#include "general.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define ROW_MAX 20 /* phases of a row: c² of 0.05 and less are much the same */

/**
 * tl_general_phases() - How many phases a service time takes
 * @cv2: its squared coefficient of variation
 *
 * Return: number, at least one.
 */
size_t tl_general_phases(double cv2)
{
	if (cv2 >= 1)
		return cv2 > 1 ? 2 : 1;
	return cv2 * ROW_MAX <= 1 ? ROW_MAX : (size_t)ceil(1 / cv2);
}

static size_t add_side_by_side(struct tl_general_phase *phase, double weight, double mean_s,
			       double cv2)
{
	double p = (1 + sqrt((cv2 - 1) / (cv2 + 1))) / 2;

	phase[0] = (struct tl_general_phase){ weight * p, 2 * p / mean_s, 0 };
	phase[1] = (struct tl_general_phase){ weight * (1 - p), 2 * (1 - p) / mean_s, 0 };
	return 2;
}

static size_t add_row(struct tl_general_phase *phase, double weight, double mean_s, double cv2)
{
	double n = (double)tl_general_phases(cv2), c2 = fmax(cv2, 1.0 / ROW_MAX);
	double left_out = (n * c2 - sqrt(fmax(n * (1 + c2) - n * n * c2, 0))) / (1 + c2);
	size_t i;

	for (i = 0; i < (size_t)n; i++)
		phase[i] = (struct tl_general_phase){ 0, (n - left_out) / mean_s,
						      i + 1 < (size_t)n ? 1 : 0 };
	phase[0].start = weight * (1 - left_out);
	phase[1].start = weight * left_out;
	return (size_t)n;
}

/**
 * tl_general_add() - Add a kind of service to those of a server
 * @phase: room for as many as tl_general_phases() says
 * @weight: how likely it is
 * @mean_s: its mean
 * @cv2: its squared coefficient of variation
 *
 * Return: how many phases were filled in.
 */
size_t tl_general_add(struct tl_general_phase *phase, double weight, double mean_s, double cv2)
{
	if (cv2 > 1)
		return add_side_by_side(phase, weight, mean_s, cv2);
	if (tl_general_phases(cv2) > 1)
		return add_row(phase, weight, mean_s, cv2);
	*phase = (struct tl_general_phase){ weight, 1 / mean_s, 0 };
	return 1;
}

/* @row times (λ - T)⁻¹, in place. Return: its sum. */
static double inverse_times(const struct tl_general_in *in, double arrivals_per_s, double *row)
{
	double into = 0, sum = 0;
	size_t i;

	for (i = 0; i < in->phases; i++) {
		row[i] = (row[i] + into) / (arrivals_per_s + in->phase[i].rate_per_s);
		into = row[i] * in->phase[i].rate_per_s * in->phase[i].on;
		sum += row[i];
	}
	return sum;
}

static double leaves(const struct tl_general_in *in, const double *row)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < in->phases; i++)
		sum += row[i] * in->phase[i].rate_per_s * (1 - in->phase[i].on);
	return sum;
}

static void begin(const struct tl_general_in *in, double *row)
{
	size_t i;

	for (i = 0; i < in->phases; i++)
		row[i] = in->phase[i].start;
}

/* @row: π of the level below, becomes π of this one; both but for a factor */
static void level_up(const struct tl_general_in *in, double arrivals_per_s, double *row,
		     double *fresh)
{
	double sum = inverse_times(in, arrivals_per_s, row), all;
	size_t i;

	begin(in, fresh);
	inverse_times(in, arrivals_per_s, fresh);
	all = sum / leaves(in, fresh);
	for (i = 0; i < in->phases; i++)
		row[i] = (row[i] + arrivals_per_s * all * fresh[i]) / all;
}

/**
 * tl_general() - Departures of such a server
 * @in: server and arrivals
 * @departures_per_s: [levels] while 1, 2, ... are there
 *
 * Return: 0 or -ENOMEM.
 */
int tl_general(const struct tl_general_in *in, double *departures_per_s)
{
	double *row = calloc(2 * in->phases + 1, sizeof(*row));
	size_t n;

	if (!row)
		return -ENOMEM;
	begin(in, row);
	for (n = 1; n <= in->levels; n++) {
		level_up(in, in->arrivals_per_s[n], row, row + in->phases);
		departures_per_s[n - 1] = leaves(in, row);
	}
	free(row);
	return 0;
}
