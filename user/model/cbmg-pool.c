// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Customer behaviour model graphs of which the probabilities are given, and several of them
 * as one
 *
 * Types of users have graphs of their own (paper 001, 5: one type, one graph). What all of
 * them do together is no Markov chain, but it has visits V = Σ s_k V_k, with s_k the parts
 * of the sessions, and from each state ways
 *
 *	p_ij = Σ s_k V_ki p_kij / Σ s_k V_ki
 *
 * of which V = V P + v0 is true again. Of graphs without an end the mix stands for V, and
 * s_k are parts of the requests.
 */
#include "cbmg-fit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct tl_cbmg_figure value(double v)
{
	return (struct tl_cbmg_figure){ TL_CBMG_VALUE, v, 0, 0 };
}

/* Means over the ways to other states; unknown if one of them is. */
static void think_fill(struct tl_cbmg_fit *fit, size_t i)
{
	double think = 0, goes_on = 0;
	size_t n = fit->n, k;

	for (k = 0; k < n; k++) {
		double p = fit->p[i * n + k].value;

		if (k == TL_CBMG_EXIT || p == 0)
			continue;
		if (fit->between[i * n + k].known == TL_CBMG_UNKNOWN)
			return;
		think += p * fit->between[i * n + k].value;
		goes_on += p;
	}
	if (goes_on > 0) {
		fit->think[i] = value(think / goes_on);
		fit->wait[i] = value(think);
	}
}

static void figures_fill(struct tl_cbmg_fit *fit, const struct tl_cbmg_in *in,
			 const struct tl_cbmg_out *out, const size_t *state)
{
	double think = 0;
	bool known = true;
	size_t i, at;

	for (i = 0; i < in->n; i++) {
		at = state[i];
		if (at < TL_CBMG_FIRST)
			continue;
		think_fill(fit, at);
		if (tl_cbmg_has_mix(out->verdict))
			fit->mix[at] = value(out->mix[i]);
		if (out->verdict != TL_CBMG_OK)
			continue;
		fit->visits[at] = value(out->visits[i]);
		think += out->visits[i] * fit->wait[at].value;
		known = known && (fit->wait[at].known != TL_CBMG_UNKNOWN ||
				  fit->p[at * fit->n + TL_CBMG_EXIT].value == 1);
	}
	if (out->verdict != TL_CBMG_OK)
		return;
	fit->requests = value(out->requests);
	if (known)
		fit->session_think = value(think);
}

static int solve(struct tl_cbmg_fit *fit, struct tl_cbmg_in *in, double *work, size_t *state)
{
	double *p = work + 2 * fit->n;
	struct tl_cbmg_out out = { .visits = work, .mix = work + fit->n };
	size_t n = fit->n, i, k;
	int code;

	for (i = 0; i < n; i++) {
		if (!fit->asked[i])
			continue;
		if (i == TL_CBMG_START)
			in->start = in->n;
		if (i == TL_CBMG_EXIT)
			in->exit = in->n;
		state[in->n++] = i;
	}
	for (i = 0; i < in->n; i++)
		for (k = 0; k < in->n; k++)
			p[i * in->n + k] = fit->p[state[i] * n + state[k]].value;
	in->p = p;
	code = tl_cbmg(in, &out);
	if (code)
		return code;
	fit->verdict = out.verdict;
	fit->culprit = state[out.culprit];
	fit->other = state[out.other];
	fit->residual = out.residual;
	figures_fill(fit, in, &out, state);
	return 0;
}

/**
 * tl_cbmg_given() - Figures of a graph of which the probabilities are given
 * @fit: made by tl_cbmg_fit_new(); @asked is 1 for states that there are, @p is known, and
 *       @between where it is; the rest is filled in
 *
 * Return: 0; -EINVAL for an exit without a start, -ENOMEM.
 */
int tl_cbmg_given(struct tl_cbmg_fit *fit)
{
	struct tl_cbmg_in in = { .start = TL_CBMG_NONE, .exit = TL_CBMG_NONE };
	double *work = calloc(fit->n * (fit->n + 2), sizeof(*work));
	size_t *state = calloc(fit->n, sizeof(*state));
	int code = work && state ? solve(fit, &in, work, state) : -ENOMEM;

	free(state);
	free(work);
	return code;
}

/* How often a state is left, of all types' sessions or requests together. */
static double weight_of(const struct tl_cbmg_fit *fit, size_t i, double share)
{
	if (!fit->asked[i] || i == TL_CBMG_EXIT)
		return 0;
	if (i == TL_CBMG_START)
		return share;
	return share * (fit->verdict == TL_CBMG_OK ? fit->visits[i].value : fit->mix[i].value);
}

/* Unlike a sum, a mean of what is not known anywhere is not known. */
static void way_pool(struct tl_cbmg_fit *all, const struct tl_cbmg_fit *fits, size_t types,
		     const double *share, size_t i, size_t k)
{
	double left = 0, went = 0, think = 0, p, w;
	bool known = true;
	size_t t, at = i * all->n + k;

	for (t = 0; t < types; t++) {
		w = weight_of(&fits[t], i, share[t]);
		p = w * fits[t].p[at].value;
		left += w;
		went += p;
		think += p * fits[t].between[at].value;
		known = known && (p == 0 || fits[t].between[at].known != TL_CBMG_UNKNOWN);
	}
	all->p[at] = value(left > 0 ? went / left : 0);
	if (known && went > 0)
		all->between[at] = value(think / went);
}

/* What nobody comes to is no part of it. */
static void state_pool(struct tl_cbmg_fit *all, const struct tl_cbmg_fit *fits, size_t types,
		       const double *share, size_t i)
{
	size_t t, k;

	for (t = 0; t < types; t++)
		all->asked[i] |= fits[t].asked[i] &&
				 (i == TL_CBMG_EXIT || weight_of(&fits[t], i, share[t]) > 0);
	for (k = 0; k < all->n; k++)
		way_pool(all, fits, types, share, i, k);
}

/**
 * tl_cbmg_pool() - Graphs of several types of users as one
 * @fits: [types] of the same states, from tl_cbmg_given(), all with an end or all without
 * @types: how many
 * @share: [types] parts of the sessions, of graphs without an end of the requests
 * @all: made by tl_cbmg_fit_new(); filled in
 *
 * Return: 0; -EINVAL if their verdicts differ or there is no mix, -ENOMEM.
 */
int tl_cbmg_pool(const struct tl_cbmg_fit *fits, size_t types, const double *share,
		 struct tl_cbmg_fit *all)
{
	size_t i;

	for (i = 0; i < types; i++)
		if (fits[i].verdict != fits[0].verdict || !tl_cbmg_has_mix(fits[i].verdict))
			return -EINVAL;
	for (i = 0; i < all->n; i++)
		state_pool(all, fits, types, share, i);
	return tl_cbmg_given(all);
}
