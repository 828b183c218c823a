// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long a message of a size normally takes, whatever some of them took
 *
 * A message of x bytes goes in k + 1 packets, k = ceil(x / MTU) - 1 of them full, the last filled
 * to the part f = x / MTU - k. Paper 004, 3.3.3: within a packet time grows in proportion to size,
 * and each packet more adds to it, so
 *
 *	time = base + packet k + fill f
 *
 * which is the paper's folding (x mod MTU), but with what a packet adds found from the messages, too;
 * without steps packet and fill are the same. It is the line of least absolute deviations, by
 * iterated reweighting, which goes through the middle of the normal ones however far off others are.
 *
 * Source: E. J. Schlossmacher, J. Am. Stat. Assoc. 68 (1973).
 */
#include "anomaly.h"

#include "median.h"

#include <errno.h>
#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>

#define COLUMNS 3
#define ROUNDS 50
#define RIDGE 1e-9 /* of the diagonal: of sizes that are all alike nothing is told apart */
#define CLOSE 1e-3 /* of the median deviation: what is closer counts no more for it */

/**
 * tl_anomaly_packets() - Packets that a message goes in
 * @size: bytes
 * @mtu: bytes of a full one
 * @full: set to how many are full before the last
 * @part: set to how full that is, 0 to 1
 */
void tl_anomaly_packets(double size, double mtu, double *full, double *part)
{
	*full = fmax(ceil(size / mtu) - 1, 0);
	*part = size / mtu - *full;
}

static double at(const struct tl_anomaly_line *line, double size, double mtu)
{
	double full, part;

	tl_anomaly_packets(size, mtu, &full, &part);
	return line->base_ms + line->packet_ms * full + line->fill_ms * part;
}

/**
 * tl_anomaly_excess() - By how much a message took longer than normal ones of its size
 * @model: what is normal
 * @size: bytes
 * @time_ms: what it took
 *
 * Return: ms, below 0 if it was faster.
 */
double tl_anomaly_excess(const struct tl_anomaly_model *model, double size, double time_ms)
{
	return time_ms - at(&model->line, size, model->mtu);
}

/* Weighted least squares, of columns in units of their own means. */
static int solve(const struct tl_anomaly_in *in, const double *weight, struct tl_anomaly_line *line)
{
	double a[COLUMNS * COLUMNS] = { 0 }, b[COLUMNS] = { 0 }, x[COLUMNS];
	gsl_matrix_view m = gsl_matrix_view_array(a, COLUMNS, COLUMNS);
	gsl_vector_view r = gsl_vector_view_array(b, COLUMNS), s = gsl_vector_view_array(x, COLUMNS);
	size_t i, j, k;

	for (i = 0; i < in->n; i++) {
		double row[COLUMNS] = { 1 };

		tl_anomaly_packets(in->size[i], in->mtu, &row[1], &row[2]);
		for (j = 0; j < COLUMNS; j++) {
			b[j] += weight[i] * row[j] * in->time_ms[i];
			for (k = 0; k < COLUMNS; k++)
				a[j * COLUMNS + k] += weight[i] * row[j] * row[k];
		}
	}
	for (j = 0; j < COLUMNS; j++)
		a[j * COLUMNS + j] += RIDGE * (a[j * COLUMNS + j] + a[0]);
	if (gsl_linalg_cholesky_decomp1(&m.matrix) || gsl_linalg_cholesky_solve(&m.matrix, &r.vector, &s.vector))
		return -EDOM;
	*line = (struct tl_anomaly_line){ x[0], x[1], x[2] };
	return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]) ? 0 : -EDOM;
}

/**
 * tl_anomaly_line() - How long messages normally take by their size
 * @in: messages, at least one
 * @line: set
 *
 * Return: 0, -EDOM if numbers are too far apart, or -ENOMEM.
 */
int tl_anomaly_line(const struct tl_anomaly_in *in, struct tl_anomaly_line *line)
{
	double *weight = calloc(2 * in->n + 1, sizeof(*weight)), *off, close;
	size_t i, round;
	int code = 0;

	if (!weight)
		return -ENOMEM;
	off = weight + in->n;
	for (i = 0; i < in->n; i++)
		weight[i] = 1;
	for (round = 0; !code && round < ROUNDS; round++) {
		code = solve(in, weight, line);
		for (i = 0; i < in->n; i++)
			off[i] = weight[i] = fabs(in->time_ms[i] - at(line, in->size[i], in->mtu));
		close = fmax(CLOSE * tl_median(off, in->n), DBL_EPSILON);
		for (i = 0; i < in->n; i++)
			weight[i] = close / fmax(weight[i], close);
	}
	free(weight);
	return code;
}
