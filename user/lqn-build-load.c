// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who asks: customers with a mix and think times, or arrivals
 *
 * Customers make one request a cycle, in the mean, of a class by the mix, and think in
 * between. Of a behaviour graph (paper 001, 2.1) both are what V and W come to per request:
 * v_i / Σ v and Σ w / Σ v. If it is only known how many customers there were, or only how
 * long they think, the interactive response time law, N = X (R + Z), tells the other.
 */
#include "lqn-build.h"

#include "cbmg-graph.h"
#include "error.h"
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct load - What came to the front tier
 * @b: what is built
 * @rate: requests per second
 * @response_s: mean
 * @users: processor where customers think
 * @rest: entry of what the host does beside, TL_LQN_NONE if that is nothing
 */
struct load {
	struct tl_build *b;
	double rate, response_s;
	size_t users, rest;
};

/* The front tier's own requests: those that nobody here made. */
static bool in_front(const struct tl_build *b, size_t i)
{
	const struct tl_path *path = &b->total->paths[i];

	return b->node[i].entry != TL_LQN_NONE && !path->up &&
	       !strcmp(path->tier, b->total->tiers[b->front].name);
}

static void load_sum(struct load *load)
{
	const struct tl_build *b = load->b;
	double count = 0, response_s = 0;
	size_t i;

	for (i = 0; i < b->total->n_paths; i++)
		if (in_front(b, i)) {
			count += (double)b->total->paths[i].count;
			response_s += tl_ns_to_s(b->total->paths[i].response_ns);
		}
	load->rate = count / b->seconds;
	load->response_s = response_s / count;
}

static int rest_make(struct load *load)
{
	struct tl_build *b = load->b;
	size_t task;

	load->rest = TL_LQN_NONE;
	if (!(b->rest_s.value > 0))
		return 0;
	task = tl_built_task(b->built, b->host, "rest of host");
	load->rest = tl_built_entry(b->built, task, "rest of host");
	if (load->rest == TL_LQN_NONE)
		return -ENOMEM;
	b->built->entry[load->rest].demand_s = b->rest_s;
	b->rest_s.origin = NULL;
	return 0;
}

/* Arrivals as they were, of a path that begins here. */
static void arrivals_set(struct load *load, size_t i)
{
	struct tl_build *b = load->b;
	const struct tl_path *path = &b->total->paths[i];
	size_t entry = b->node[i].entry;
	struct tl_built_call *rest = tl_built_call(b->built, entry, load->rest);

	tl_built_number(b->built, &b->built->entry[entry].arrivals_per_s, (double)path->count / b->seconds,
			"%llu in %.0f s", (unsigned long long)path->count, b->seconds);
	if (!rest)
		return;
	rest->async = true;
	tl_built_number(b->built, &rest->mean, 1, "each");
}

static void others_arrive(struct load *load, bool front)
{
	struct tl_build *b = load->b;
	size_t i;

	for (i = 0; i < b->total->n_paths; i++)
		if (b->node[i].entry != TL_LQN_NONE && !b->total->paths[i].up && (front || !in_front(b, i)))
			arrivals_set(load, i);
}

/* ---- customers --------------------------------------------------------------------- */

static size_t customers_new(struct load *load, const char *type)
{
	struct tl_build *b = load->b;
	size_t task = tl_built_task(b->built, load->users, type ? "users %s" : "users", type);
	size_t entry;

	if (task == TL_LQN_NONE)
		return TL_LQN_NONE;
	b->built->task[task].reference = true;
	entry = tl_built_entry(b->built, task, type ? "request of users %s" : "request", type);
	if (entry != TL_LQN_NONE && load->rest != TL_LQN_NONE) {
		struct tl_built_call *call = tl_built_call(b->built, entry, load->rest);

		if (call)
			tl_built_number(b->built, &call->mean, 1, "each");
	}
	return entry;
}

/* How many and how long they think: @part of all, @graph_s from a graph or below 0. */
static int customers_count(struct load *load, size_t task, double part, double graph_s,
			   struct tl_error *err)
{
	struct tl_build *b = load->b;
	struct tl_built_task *t = &b->built->task[task];
	double think_s = b->in->think_s >= 0 ? b->in->think_s : graph_s, n = b->in->customers;

	if (think_s >= 0)
		tl_built_number(b->built, &t->think_s, think_s, "%s", b->in->think_s >= 0 ? "given" :
				b->in->cbmg);
	else
		tl_built_number(b->built, &t->think_s, n / load->rate - load->response_s,
				"%.0f customers / %.4g requests per second - %.4g response", n, load->rate,
				load->response_s);
	if (t->think_s.value < 0)
		return tl_error_set(err, -EINVAL, "--users %.0f: %.4g requests per second of %.4g s each need "
				    "%.1f at least: give more, or --think", n, load->rate, load->response_s,
				    load->rate * load->response_s);
	if (n > 0)
		tl_built_number(b->built, &t->threads, fmax(1, round(part * n)), "given");
	else
		tl_built_number(b->built, &t->threads,
				fmax(1, round(part * load->rate * (load->response_s + think_s))),
				"%.4g requests per second * (%.4g response + think time)", load->rate,
				load->response_s);
	if (part < 1)
		tl_built_origin(b->built, &t->threads, "%.3g %% of all", 100 * part);
	return 0;
}

static int recorded_mix(struct load *load, struct tl_error *err)
{
	struct tl_build *b = load->b;
	size_t from = customers_new(load, NULL), i;
	double all = load->rate * b->seconds;
	struct tl_built_call *call;

	if (from == TL_LQN_NONE)
		return tl_error_no_memory(err);
	for (i = 0; i < b->total->n_paths; i++) {
		if (!in_front(b, i))
			continue;
		call = tl_built_call(b->built, from, b->node[i].entry);
		if (call)
			tl_built_number(b->built, &call->mean, (double)b->total->paths[i].count / all,
					"%llu of %.0f", (unsigned long long)b->total->paths[i].count, all);
	}
	return customers_count(load, b->built->entry[from].task, 1, -1, err);
}

/* ---- customers from a behaviour graph ---------------------------------------------- */

static size_t entry_of(const struct tl_build *b, const char *class)
{
	size_t i;

	for (i = 0; i < b->total->n_paths; i++)
		if (in_front(b, i) && !strcmp(b->total->paths[i].class, class))
			return b->node[i].entry;
	return TL_LQN_NONE;
}

/* Think time per request: of whole sessions, or of endless ones; NAN if it is not known. */
static double think_of(const struct tl_cbmg_graph *graph, const struct tl_cbmg_fit *fit)
{
	double think_s = 0;
	size_t i;

	if (fit->session_think.known != TL_CBMG_UNKNOWN && fit->requests.known != TL_CBMG_UNKNOWN)
		return fit->session_think.value / fit->requests.value;
	for (i = TL_CBMG_FIRST; i < graph->n; i++)
		if (fit->mix[i].known != TL_CBMG_UNKNOWN && fit->mix[i].value > 0)
			think_s += fit->wait[i].known == TL_CBMG_UNKNOWN ? NAN :
				   fit->mix[i].value * fit->wait[i].value;
	return think_s;
}

static int type_mix(struct load *load, const struct tl_cbmg_graph *graph,
		    const struct tl_cbmg_type *type, double part, struct tl_error *err)
{
	struct tl_build *b = load->b;
	size_t from = customers_new(load, type->name), to, i;
	double think_s = think_of(graph, &type->fit);

	if (from == TL_LQN_NONE)
		return tl_error_no_memory(err);
	for (i = TL_CBMG_FIRST; i < graph->n; i++) {
		const struct tl_cbmg_figure *mix = &type->fit.mix[i];
		struct tl_built_call *call;

		if (mix->known == TL_CBMG_UNKNOWN || !(mix->value > 0))
			continue;
		to = entry_of(b, graph->name[i]);
		if (to == TL_LQN_NONE)
			return tl_error_set(err, -ENOENT, "%s: no request of class \"%s\" came to %s in %s: give "
					    "states and classes the same names (tierlens class, cbmg --states)",
					    b->in->cbmg, graph->name[i], b->total->tiers[b->front].name,
					    b->in->recording);
		call = tl_built_call(b->built, from, to);
		if (call)
			tl_built_number(b->built, &call->mean, mix->value, "%s", b->in->cbmg);
	}
	if (isnan(think_s) && !(b->in->think_s >= 0) && !b->in->customers)
		return tl_error_set(err, -ENODATA, "%s: it has no think times: give --think S, or --users N",
				    b->in->cbmg);
	return customers_count(load, b->built->entry[from].task, part, isnan(think_s) ? -1 : think_s, err);
}

/* Shares are of sessions or requests; users are as those of the longer sessions. */
static double user_time_s(const struct tl_cbmg_type *type, const struct load *load)
{
	const struct tl_cbmg_fit *fit = &type->fit;
	double requests = fit->requests.known == TL_CBMG_UNKNOWN ? 1 : fit->requests.value;
	double think_s = fit->session_think.known == TL_CBMG_UNKNOWN ? 0 : fit->session_think.value;

	return type->share * (think_s + requests * load->response_s);
}

static int graph_mixes(struct load *load, const struct tl_cbmg_graph *graph, struct tl_error *err)
{
	double all = 0;
	int code = 0;
	size_t i;

	if (!graph->figures)
		return tl_error_set(err, -ENODATA, "%s: %s", load->b->in->cbmg, graph->verdict);
	if (!graph->types)
		return type_mix(load, graph, &graph->all, 1, err);
	for (i = 0; i < graph->types; i++) {
		if (graph->types > 1 && graph->type[i].share < 0)
			return tl_error_set(err, -ENODATA, "%s: it does not tell how many are of type \"%s\": give "
					    "one of its types (tierlens cbmg --only TYPE --json)",
					    load->b->in->cbmg, graph->type[i].name);
		if (!tl_cbmg_has_figures(graph, &graph->type[i]))
			return tl_error_set(err, -ENODATA, "%s: type \"%s\": %s", load->b->in->cbmg,
					    graph->type[i].name, tl_cbmg_type_verdict(graph, &graph->type[i]));
		all += graph->types > 1 ? user_time_s(&graph->type[i], load) : 1;
	}
	for (i = 0; i < graph->types && !code; i++)
		code = type_mix(load, graph, &graph->type[i], graph->types > 1 ?
				user_time_s(&graph->type[i], load) / all : 1, err);
	return code;
}

static int graph_mix(struct load *load, struct tl_error *err)
{
	struct tl_cbmg_matrix_in in = { .file = load->b->in->cbmg };
	struct tl_cbmg_graph graph = { 0 };
	int code;

	if (!tl_cbmg_is_matrix(in.file))
		return tl_error_set(err, -EINVAL, "%s: not the name of a matrix (.json, .csv): give what tierlens "
				    "cbmg LOG --json prints", in.file);
	code = tl_cbmg_from_matrix(&graph, &in, err);
	code = code ? code : graph_mixes(load, &graph, err);
	tl_cbmg_graph_free(&graph);
	return code;
}

/**
 * tl_build_load() - Add who asks
 * @b: what is built, with the demands of its entries
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_build_load(struct tl_build *b, struct tl_error *err)
{
	bool open = !b->in->customers && b->in->think_s < 0 && !b->in->cbmg;
	struct load load = { .b = b };
	int code;

	load_sum(&load);
	if (rest_make(&load))
		return tl_error_no_memory(err);
	others_arrive(&load, open);
	if (open)
		return 0;
	load.users = tl_built_processor(b->built, "users");
	if (load.users == TL_LQN_NONE)
		return tl_error_no_memory(err);
	code = b->in->cbmg ? graph_mix(&load, err) : recorded_mix(&load, err);
	return code;
}
