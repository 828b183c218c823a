// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The service demand law for a tier with several resources
 *
 *	U_rw = b_r + Σ_i D_ir n_iw / T_w	what was used
 *	S_iw = n_iw Σ_r D_ir (1 + κ_r q_rw)	what that took,  q = U / (1 - U)
 *
 * The first tells a resource's demands only as far as the counts vary, the second tells
 * a class's demands only as far as the resources are not always busy together. Least
 * squares takes both, each row weighted by how much it scatters: a class's times by
 * φ_i n_iw, a utilisation by σ_r², which the residuals of the step before tell (feasible
 * generalised least squares, W. H. Greene, Econometric Analysis, 2012, ch. 9), with
 * D, b ≥ 0. q is that of the fitted utilisation, not of the measured one, whose noise the
 * law would blow up. κ as in residence.c; a step for D and one for κ in turn.
 *
 * That is a resource that is shared evenly, as processors are. Where requests are served
 * one by one, as by a disk, they all wait for the same time, whatever they then need:
 *
 *	S_iw = n_iw (D_ir + κ_r W_rw),  W_rw = Σ_j D_jr² n_jw / T_w / (1 - U_rw)
 *
 * with κ = 1 for exponential times, (1 + c²) / 2 for others (Pollaczek and Khinchine; L.
 * Kleinrock, Queueing Systems I, 1975, 5.6), of those classes that use it at all. Which of
 * the two a resource is, is asked of the data: the likelihood of normal residuals decides.
 *
 * Errors: sandwich with the scores of all rows of a window in one sum, because they
 * depend on each other (K.-Y. Liang, S. L. Zeger, Biometrika 73, 1986).
 */
#include "split.h"

#include "model/nnls.h"

#include <errno.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 6
#define STEPS_AGAIN 4 /* from what another discipline makes of it */
#define FACTOR_MAX 5.0 /* times that vary by three times their mean */
#define USED_MIN 0.01 /* of a resource's mean demand: less is none */
#define TOLD_MIN 1e-9 /* of the scaled matrix's eigenvalues */
#define UNTOLD_PART 0.02 /* of an unknown in a direction that is not told */
#define BUSY_MAX 0.97 /* fitted; measured windows beyond 0.95 are left out */

struct work {
	const struct tl_split_in *in;
	size_t p, k, m; /* classes, resources, unknowns but the factors */
	double *theta, *kappa, *fitted, *phi, *sigma, *gram, *moment, *score, *meat, *squares;
	double *state, *kept; /* from theta on, what a fit changes */
	size_t state_size;
	bool *one_by_one;
};

/* A row of the regression: what it depends on, and by how much. */
struct row {
	size_t n, *at;
	double *x, y, weight;
};

static double waiting(const struct work *s, size_t w, size_t r)
{
	double busy = fmin(fmax(s->fitted[w * s->k + r], 0), BUSY_MAX);

	return busy / (1 - busy);
}

static double demand(const struct work *s, size_t r, size_t i)
{
	return s->theta[r * (s->p + 1) + i];
}

/* Rate of the classes, of their work, and of the squares of it that Pollaczek and
 * Khinchine ask for. */
static double queue_wait(const struct work *s, size_t w, size_t r, size_t class)
{
	double rate, work = 0, squares = 0, all = 0, mine = demand(s, r, class);
	size_t i;

	for (i = 0; i < s->p; i++) {
		rate = s->in->count[w * s->p + i] / s->in->seconds[w];
		all += rate;
		work += rate * demand(s, r, i);
		squares += rate * pow(demand(s, r, i), 2);
	}
	return mine * all > USED_MIN * work ? squares * (1 + waiting(s, w, r)) : 0;
}

/* What a factor of one makes a request of the class wait at a resource. */
static double wait_of(const struct work *s, size_t w, size_t r, size_t i)
{
	return s->one_by_one[r] ? queue_wait(s, w, r, i) :
				  demand(s, r, i) * waiting(s, w, r);
}

/* Of a class in a window. With @factors as unknowns too, for the errors. */
static void time_row(const struct work *s, size_t w, size_t i, bool factors, struct row *row)
{
	double n = s->in->count[w * s->p + i];
	size_t r;

	row->n = 0;
	row->y = s->in->time_s[w * s->p + i];
	row->weight = n > 0 ? 1 / (s->phi[i] * n) : 0;
	for (r = 0; r < s->k; r++) {
		row->at[row->n] = r * (s->p + 1) + i;
		row->x[row->n++] = n * (1 + (s->one_by_one[r] ? 0 :
					     s->kappa[r] * waiting(s, w, r)));
		if (s->one_by_one[r])
			row->y -= n * s->kappa[r] * wait_of(s, w, r, i);
	}
	for (r = 0; factors && r < s->k; r++) {
		row->at[row->n] = s->m + r;
		row->x[row->n++] = n * wait_of(s, w, r, i);
	}
}

static void busy_row(const struct work *s, size_t w, size_t r, struct row *row)
{
	size_t i;

	row->n = s->p + 1;
	row->y = s->in->busy[w * s->k + r];
	row->weight = 1 / s->sigma[r];
	for (i = 0; i <= s->p; i++) {
		row->at[i] = r * (s->p + 1) + i;
		row->x[i] = i == s->p ? 1 : s->in->count[w * s->p + i] / s->in->seconds[w];
	}
}

static double residual(const struct work *s, const struct row *row)
{
	double left = row->y;
	size_t a;

	for (a = 0; a < row->n; a++)
		if (row->at[a] < s->m)
			left -= row->x[a] * s->theta[row->at[a]];
	return left;
}

static void gram_add(const struct work *s, const struct row *row, size_t size)
{
	size_t a, b;

	for (a = 0; row->weight > 0 && a < row->n; a++) {
		double x = row->weight * row->x[a];

		s->moment[row->at[a]] += x * row->y;
		for (b = 0; b < row->n; b++)
			s->gram[row->at[a] * size + row->at[b]] += x * row->x[b];
	}
}

/* Σ x x' of the utilisations' rows, which is the same for all of them. */
static void squares_make(const struct work *s, struct row *row)
{
	size_t w, a, b;

	for (w = 0; w < s->in->windows; w++) {
		busy_row(s, w, 0, row);
		for (a = 0; a < row->n; a++)
			for (b = 0; b < row->n; b++)
				s->squares[a * row->n + b] += row->x[a] * row->x[b];
	}
}

static void busy_add(const struct work *s, size_t r, size_t size, struct row *row)
{
	size_t q = s->p + 1, w, a, b;

	for (a = 0; a < q; a++)
		for (b = 0; b < q; b++)
			s->gram[(r * q + a) * size + r * q + b] +=
				s->squares[a * q + b] / s->sigma[r];
	for (w = 0; w < s->in->windows; w++) {
		busy_row(s, w, r, row);
		for (a = 0; a < q; a++)
			s->moment[r * q + a] += row->weight * row->x[a] * row->y;
	}
}

static void gram_make(const struct work *s, bool factors, struct row *row)
{
	size_t size = s->m + (factors ? s->k : 0), w, i;

	memset(s->gram, 0, size * size * sizeof(*s->gram));
	memset(s->moment, 0, size * sizeof(*s->moment));
	for (w = 0; w < s->in->windows; w++) {
		for (i = 0; i < s->p; i++) {
			time_row(s, w, i, factors, row);
			gram_add(s, row, size);
		}
	}
	for (i = 0; i < s->k; i++)
		busy_add(s, i, size, row);
}

/* How much rows scatter, and what the demands make of the utilisations. */
static void scatter(const struct work *s, struct row *row)
{
	size_t w, i, r;
	double left, n, ss;

	for (i = 0; i < s->p; i++) {
		for (w = 0, ss = n = 0; w < s->in->windows; w++) {
			time_row(s, w, i, false, row);
			if (row->weight <= 0)
				continue;
			left = residual(s, row);
			ss += left * left / s->in->count[w * s->p + i];
			n++;
		}
		if (ss > 0)
			s->phi[i] = ss / n;
	}
	for (r = 0; r < s->k; r++) {
		for (w = 0, ss = 0; w < s->in->windows; w++) {
			busy_row(s, w, r, row);
			left = residual(s, row);
			ss += left * left;
			s->fitted[w * s->k + r] = row->y - left;
		}
		s->sigma[r] = fmax(ss / (double)s->in->windows, 1e-10);
	}
}

/* Least squares for the factors, the demands as they are. */
static int factors_find(const struct work *s, struct row *row)
{
	double gram[s->k * s->k], moment[s->k], x[s->k], found[s->k];
	struct tl_nnls_in in = { s->k, gram, moment };
	struct tl_nnls_out out = { .x = found };
	size_t w, i, r, t;
	int code;

	memset(gram, 0, sizeof(gram));
	memset(moment, 0, sizeof(moment));
	for (w = 0; w < s->in->windows; w++)
		for (i = 0; i < s->p; i++) {
			double left, n = s->in->count[w * s->p + i];

			time_row(s, w, i, false, row);
			for (r = 0, left = s->in->time_s[w * s->p + i]; r < s->k; r++) {
				left -= n * demand(s, r, i);
				x[r] = n * wait_of(s, w, r, i);
			}
			for (r = 0; r < s->k; r++) {
				moment[r] += row->weight * x[r] * left;
				for (t = 0; t < s->k; t++)
					gram[r * s->k + t] += row->weight * x[r] * x[t];
			}
		}
	code = tl_nnls(&in, &out);
	for (r = 0; !code && r < s->k; r++)
		if (gram[r * s->k + r] > 0)
			s->kappa[r] = fmin(found[r], FACTOR_MAX);
	return code;
}

static void begin(const struct work *s)
{
	size_t w, i, r;
	double time, n;

	for (i = 0; i < s->p; i++) {
		for (w = 0, time = n = 0; w < s->in->windows; w++) {
			time += s->in->time_s[w * s->p + i];
			n += s->in->count[w * s->p + i];
		}
		/* Little weight first: times need to know what waits for what. */
		s->phi[i] = n > 0 && time > 0 ? 1e4 * pow(time / n, 2) : 1;
	}
	for (r = 0; r < s->k; r++) {
		s->kappa[r] = 1;
		s->sigma[r] = 1e-4;
	}
	memset(s->theta, 0, s->m * sizeof(*s->theta));
	memcpy(s->fitted, s->in->busy, s->in->windows * s->k * sizeof(*s->fitted));
}

static int fit(const struct work *s, struct row *row, unsigned int steps)
{
	struct tl_nnls_in in = { s->m, s->gram, s->moment };
	struct tl_nnls_out out = { .x = s->theta };
	unsigned int step;
	int code = 0;

	for (step = 0; step < steps && !code; step++) {
		gram_make(s, false, row);
		code = tl_nnls(&in, &out);
		scatter(s, row);
		if (!code && (step > 1 || steps < STEPS))
			code = factors_find(s, row);
	}
	return code;
}

/* Twice the negative logarithm of the likelihood, but for a constant. */
static double unlikely(const struct work *s)
{
	double sum = 0;
	size_t w, i, r;

	for (i = 0; i < s->p; i++)
		for (w = 0; w < s->in->windows; w++)
			sum += s->in->count[w * s->p + i] > 0 ? log(s->phi[i]) : 0;
	for (r = 0; r < s->k; r++)
		sum += (double)s->in->windows * log(s->sigma[r]);
	return sum;
}

/* Shared evenly, unless it is likelier that one or the other serves one by one. */
static int choose(const struct work *s, struct row *row)
{
	double best, now;
	size_t r;
	int code;

	memset(s->one_by_one, 0, s->k * sizeof(*s->one_by_one));
	begin(s);
	code = fit(s, row, STEPS);
	best = unlikely(s);
	for (r = 0; r < s->k && !code; r++) {
		memcpy(s->kept, s->state, s->state_size * sizeof(*s->kept));
		s->one_by_one[r] = true;
		now = fit(s, row, STEPS_AGAIN) ? INFINITY : unlikely(s);
		if (now < best) {
			best = now;
			continue;
		}
		s->one_by_one[r] = false;
		memcpy(s->state, s->kept, s->state_size * sizeof(*s->kept));
	}
	return code;
}

/* The same from eigenvalues, of what is told; unknowns that are not are marked. What the
 * other one left above the diagonal is still the matrix. */
static int invert_some(const struct work *s, size_t size, bool *untold)
{
	gsl_eigen_symmv_workspace *room = gsl_eigen_symmv_alloc(size);
	gsl_matrix *v = gsl_matrix_alloc(size, size), *a = gsl_matrix_alloc(size, size);
	gsl_vector *e = gsl_vector_alloc(size);
	size_t i, k, d;
	int code = room && v && a && e ? 0 : -ENOMEM;

	for (i = 0; !code && i < size; i++)
		for (k = 0; k < size; k++)
			gsl_matrix_set(a, i, k, i == k ? 1 :
				       s->gram[(i < k ? i : k) * size + (i < k ? k : i)]);
	if (!code && gsl_eigen_symmv(a, e, v, room))
		code = -EDOM;
	if (!code)
		memset(s->gram, 0, size * size * sizeof(*s->gram));
	for (d = 0; !code && d < size; d++)
		for (i = 0; i < size; i++) {
			double x = gsl_matrix_get(v, i, d), value = gsl_vector_get(e, d);

			if (value < TOLD_MIN)
				untold[i] |= x * x > UNTOLD_PART;
			for (k = 0; value >= TOLD_MIN && k < size; k++)
				s->gram[i * size + k] += x * gsl_matrix_get(v, k, d) / value;
		}
	gsl_matrix_free(v);
	gsl_matrix_free(a);
	gsl_vector_free(e);
	if (room)
		gsl_eigen_symmv_free(room);
	return code;
}

/* H⁻¹ in place of the gram matrix. Unknowns on which nothing depends are left alone. */
static int invert(const struct work *s, size_t size, bool *untold)
{
	gsl_matrix_view a = gsl_matrix_view_array(s->gram, size, size);
	double scale[size], least = 1;
	size_t i, k;
	int code;

	for (i = 0; i < size; i++) {
		scale[i] = sqrt(s->gram[i * size + i]);
		if (!(scale[i] > 0))
			s->gram[i * size + i] = scale[i] = 1;
	}
	for (i = 0; i < size; i++)
		for (k = 0; k < size; k++)
			s->gram[i * size + k] /= scale[i] * scale[k];
	code = gsl_linalg_cholesky_decomp1(&a.matrix);
	for (i = 0; !code && i < size; i++)
		least = fmin(least, s->gram[i * size + i]);
	if (code || least < sqrt(TOLD_MIN))
		code = invert_some(s, size, untold);
	else
		code = gsl_linalg_cholesky_invert(&a.matrix) ? -EDOM : 0;
	for (i = 0; i < size; i++)
		for (k = 0; k < size; k++)
			s->gram[i * size + k] /= scale[i] * scale[k];
	return code;
}

static void score_add(const struct work *s, const struct row *row)
{
	double left = residual(s, row);
	size_t a;

	for (a = 0; row->weight > 0 && a < row->n; a++)
		s->score[row->at[a]] += row->weight * row->x[a] * left;
}

static void meat_make(const struct work *s, size_t size, struct row *row)
{
	size_t w, i, k;

	memset(s->meat, 0, size * size * sizeof(*s->meat));
	for (w = 0; w < s->in->windows; w++) {
		memset(s->score, 0, size * sizeof(*s->score));
		for (i = 0; i < s->p; i++) {
			time_row(s, w, i, true, row);
			score_add(s, row);
		}
		for (i = 0; i < s->k; i++) {
			busy_row(s, w, i, row);
			score_add(s, row);
		}
		for (i = 0; i < size; i++)
			for (k = 0; k < size; k++)
				s->meat[i * size + k] += s->score[i] * s->score[k];
	}
}

static double variance(const struct work *s, size_t size, size_t at)
{
	const double *row = s->gram + at * size;
	double sum = 0, part;
	size_t i, k;

	for (i = 0; i < size; i++) {
		for (k = 0, part = 0; k < size; k++)
			part += s->meat[i * size + k] * row[k];
		sum += row[i] * part;
	}
	return fmax(sum, 0);
}

static int errors(const struct work *s, struct tl_split_out *out, struct row *row)
{
	size_t size = s->m + s->k, i, w;
	double n = (double)s->in->windows, t, requests;
	bool untold[size];
	int code;

	memset(untold, 0, sizeof(untold));
	gram_make(s, true, row);
	code = invert(s, size, untold);
	if (code)
		return code;
	meat_make(s, size, row);
	out->degrees = fmax(n - (double)s->p - (double)s->k - 1, 1);
	t = tl_student95(out->degrees);
	for (i = 0; i < s->m; i++) {
		struct tl_estimate *e = &out->demand[i];
		double error = sqrt(variance(s, size, i) * n / out->degrees);

		tl_estimate_interval(e, s->theta[i], error, t);
		if (i % (s->p + 1) == s->p)
			continue;
		tl_estimate_judge(e);
		if (e->value <= 0)
			e->verdict = TL_VERDICT_ZERO;
		for (w = 0, requests = 0; w < s->in->windows; w++)
			requests += s->in->count[w * s->p + i % (s->p + 1)];
		if (untold[i])
			e->verdict = TL_VERDICT_INSEPARABLE;
		if (requests <= 0)
			e->verdict = TL_VERDICT_ABSENT;
	}
	return 0;
}

/**
 * tl_split() - Demands of a tier's classes at each of its resources
 * @in: own times and utilisations
 * @out: filled in; its arrays are the caller's
 *
 * Where resources are always busy together and the counts do not tell the classes apart
 * either, the demand is inseparable.
 *
 * Return: 0; -ERANGE with too few windows, -ENOMEM, -EDOM or -ELOOP if it does not converge.
 */
int tl_split(const struct tl_split_in *in, struct tl_split_out *out)
{
	size_t p = in->classes, k = in->resources, m = k * (p + 1), size = m + k;
	size_t state = size + p + 2 * k + in->windows * k;
	double *memory = calloc(3 * size * size + 2 * state + 3 * size, sizeof(*memory));
	size_t *at = calloc(size + 2 * k, sizeof(*at));
	bool one_by_one[k + 1];
	struct work s = { .in = in, .p = p, .k = k, .m = m, .gram = memory,
			  .one_by_one = one_by_one, .state_size = state };
	struct row row = { .at = at };
	int code = memory && at ? 0 : -ENOMEM;

	if (!code && in->windows < p + k + 3)
		code = -ERANGE;
	if (!code) {
		s.meat = s.gram + size * size;
		s.squares = s.meat + size * size;
		s.state = s.theta = s.squares + size * size;
		s.phi = s.theta + size;
		s.sigma = s.phi + p;
		s.kappa = s.sigma + k;
		s.fitted = s.kappa + k;
		s.kept = s.state + state;
		s.moment = s.kept + state;
		s.score = s.moment + size;
		row.x = s.score + size;
		squares_make(&s, &row);
		code = choose(&s, &row);
		memcpy(out->factor, s.kappa, k * sizeof(*s.kappa));
	}
	code = code ? code : errors(&s, out, &row);
	free(memory);
	free(at);
	return code;
}
