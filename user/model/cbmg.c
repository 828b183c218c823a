// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Customer behaviour model graphs: visits per session, and the mix of requests
 *
 *	V = V P + v0,	v0 = (1, 0, …, 0),	mix_i = V_i / Σ V_j
 *
 * with P over transactions, the start of a session and its end. Source: paper 001, 2.1,
 * equations 1 and 2.
 *
 * A session that begins anew as soon as it has ended is a chain without end, and V is
 * what that visits between two starts: V_i = π_i / π_start, π its stationary distribution.
 * Of a graph without an end π is the mix. So one method does for both: that of Grassmann,
 * Taksar and Heyman (Operations Research 33, 1985), which is Gauss's without a
 * subtraction. It loses no digits, however rare exits are. O(n³).
 *
 * Before that it is seen to that there is one answer: from each state the exit must be
 * within reach; without an exit there must be one set of states that is never left.
 */
#include "cbmg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Mark what can be reached from a state, or, backwards, from where it can be. */
static void reach(const struct tl_cbmg_in *in, size_t from, bool back, bool *reached,
		  size_t *stack)
{
	size_t top = 0, i, at;

	memset(reached, 0, in->n * sizeof(*reached));
	reached[from] = true;
	stack[top++] = from;
	while (top) {
		at = stack[--top];
		if (!back && at == in->exit)
			continue;
		for (i = 0; i < in->n; i++) {
			double p = back ? in->p[i * in->n + at] : in->p[at * in->n + i];

			if (p > 0 && !reached[i] && !(back && i == in->exit)) {
				reached[i] = true;
				stack[top++] = i;
			}
		}
	}
}

struct work {
	const struct tl_cbmg_in *in;
	double *a; /* [m][m] the chain without end */
	double *pi; /* [m] */
	size_t *state, m; /* [m] indexes of its states */
	size_t *stack;
	bool *reached, *back;
};

/* From every state the end is within reach, seen or not. Return: whether. */
static bool ends(struct work *w, struct tl_cbmg_out *out)
{
	size_t i;

	reach(w->in, w->in->exit, true, w->back, w->stack);
	for (i = 0; i < w->in->n; i++)
		if (!w->back[i]) {
			out->verdict = TL_CBMG_TRAP;
			out->culprit = i;
			return false;
		}
	return true;
}

/*
 * The set that is never left: whoever follows ways without return gets there. If it is out
 * of reach from a state, there is another one behind that.
 */
static bool closes(struct work *w, struct tl_cbmg_out *out)
{
	const struct tl_cbmg_in *in = w->in;
	size_t at = in->start == TL_CBMG_NONE ? 0 : in->start, i = 0;

	while (i < in->n) {
		reach(in, at, false, w->reached, w->stack);
		reach(in, at, true, w->back, w->stack);
		for (i = 0; i < in->n; i++)
			if (w->reached[i] && !w->back[i])
				break;
		at = i < in->n ? i : at;
	}
	for (i = 0; i < in->n; i++)
		if (!w->back[i]) {
			out->verdict = TL_CBMG_SPLIT;
			out->culprit = at;
			out->other = i;
			return false;
		}
	return true;
}

static void chain_make(struct work *w)
{
	const struct tl_cbmg_in *in = w->in;
	size_t i, k;

	for (i = 0; i < w->m; i++)
		for (k = 0; k < w->m; k++)
			w->a[i * w->m + k] = w->state[i] == in->exit ?
				(double)(w->state[k] == in->start) :
				in->p[w->state[i] * in->n + w->state[k]];
}

/* π of the chain, relative to that of its first state. Return: whether it is a number. */
static bool stationary(struct work *w)
{
	size_t m = w->m, i, j, k;
	double *a = w->a, out;

	for (k = m - 1; k > 0; k--) {
		for (out = 0, j = 0; j < k; j++)
			out += a[k * m + j];
		for (i = 0; i < k; i++) {
			double to = a[i * m + k] /= out;

			for (j = 0; j < k && to > 0; j++)
				a[i * m + j] += to * a[k * m + j];
		}
	}
	w->pi[0] = 1;
	for (k = 1; k < m; k++)
		for (w->pi[k] = 0, i = 0; i < k; i++)
			w->pi[k] += w->pi[i] * a[i * m + k];
	for (k = 0, out = 0; k < m; k++)
		out += w->pi[k];
	return isfinite(out);
}

static double residual(const struct tl_cbmg_in *in, const double *v, bool once)
{
	double most = 0, worst = 0, sum;
	size_t i, j;

	for (j = 0; j < in->n; j++) {
		sum = once && j == in->start;
		for (i = 0; i < in->n; i++)
			if (i != in->exit)
				sum += v[i] * in->p[i * in->n + j];
		worst = fmax(worst, fabs(sum - v[j]));
		most = fmax(most, v[j]);
	}
	return worst / most;
}

static void figures(struct work *w, struct tl_cbmg_out *out)
{
	const struct tl_cbmg_in *in = w->in;
	size_t i;

	memset(out->visits, 0, in->n * sizeof(*out->visits));
	for (i = 0; i < w->m; i++)
		out->visits[w->state[i]] = w->pi[i];
	out->residual = residual(in, out->visits, out->verdict == TL_CBMG_OK);
	for (out->requests = 0, i = 0; i < in->n; i++)
		out->requests += i == in->start || i == in->exit ? 0 : out->visits[i];
	for (i = 0; i < in->n; i++)
		out->mix[i] = i == in->start || i == in->exit || out->requests == 0 ? 0 :
			      out->visits[i] / out->requests;
}

static void solve(struct work *w, struct tl_cbmg_out *out)
{
	const struct tl_cbmg_in *in = w->in;
	size_t i;

	out->verdict = in->exit == TL_CBMG_NONE ? TL_CBMG_ENDLESS : TL_CBMG_OK;
	if (in->exit == TL_CBMG_NONE ? !closes(w, out) : !ends(w, out))
		return;
	/* What sessions come to; the first state is the one that the others are relative to. */
	if (in->exit != TL_CBMG_NONE) {
		reach(in, in->start, false, w->reached, w->stack);
		w->state[w->m++] = in->start;
	}
	for (i = 0; i < in->n; i++)
		if (w->reached[i] && !(w->m && i == w->state[0]))
			w->state[w->m++] = i;
	chain_make(w);
	if (stationary(w))
		figures(w, out);
	else
		out->verdict = TL_CBMG_TINY;
}

/**
 * tl_cbmg() - Visits and mix of a customer behaviour model graph
 * @in: the graph
 * @out: filled in; its arrays are the caller's
 *
 * Return: 0; -EINVAL for an exit without a start, or a start that is the exit; -ENOMEM.
 */
int tl_cbmg(const struct tl_cbmg_in *in, struct tl_cbmg_out *out)
{
	size_t n = in->n;
	struct work w = { .in = in };
	int code = -ENOMEM;

	if (!n || (in->exit != TL_CBMG_NONE && (in->start == TL_CBMG_NONE || in->start == in->exit)))
		return -EINVAL;
	w.a = calloc(n * n, sizeof(*w.a));
	w.pi = calloc(n, sizeof(*w.pi));
	w.state = calloc(n, sizeof(*w.state));
	w.stack = calloc(n, sizeof(*w.stack));
	w.reached = calloc(n, sizeof(*w.reached));
	w.back = calloc(n, sizeof(*w.back));
	if (w.a && w.pi && w.state && w.stack && w.reached && w.back) {
		solve(&w, out);
		code = 0;
	}
	free(w.back);
	free(w.reached);
	free(w.stack);
	free(w.state);
	free(w.pi);
	free(w.a);
	return code;
}

/**
 * tl_cbmg_has_mix() - Whether there is a mix
 * @verdict: of a graph
 *
 * Return: true if there is; there are visits with TL_CBMG_OK only.
 */
bool tl_cbmg_has_mix(enum tl_cbmg_verdict verdict)
{
	return verdict == TL_CBMG_OK || verdict == TL_CBMG_ENDLESS;
}
