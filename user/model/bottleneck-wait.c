// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where requests wait in a layered queueing network
 *
 * For threads: throughput times waiting, by Little's law. For processors: what is left of
 * the time that a thread is held when its pauses, its demands and what it waits for below
 * are taken off. A layer is as far down as the longest chain of calls to it.
 */
#include "bottleneck.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static void layers_fill(const struct tl_lqn *lqn, size_t *layer)
{
	size_t i, k;

	for (i = 0; i < lqn->entries; i++) {
		const struct tl_lqn_entry *entry = &lqn->entry[lqn->order[i]];
		size_t task = entry->task, below;

		if (!lqn->task[task].reference && !layer[task])
			layer[task] = 1;
		for (k = entry->phase[0].first_call; k < entry->first_forward + entry->forwards;
		     k++) {
			below = lqn->entry[lqn->call[k].to].task;
			if (below != task && layer[below] < layer[task] + 1)
				layer[below] = layer[task] + 1;
		}
	}
}

static double processor_wait_s(const struct tl_lqn *lqn, const struct tl_lqn_figures *value,
			       size_t e, const double *reply)
{
	double wait = 0;
	size_t p, k;

	for (p = 0; p < TL_LQN_PHASES; p++) {
		const struct tl_lqn_phase *phase = &lqn->entry[e].phase[p];

		wait += value->entry[e].service_s[p] - phase->think_s - tl_lqn_demand_s(lqn, e, p);
		for (k = phase->first_call; k < phase->first_call + phase->calls; k++)
			if (lqn->call[k].kind == TL_LQN_SYNC)
				wait -= lqn->call[k].mean * reply[lqn->call[k].to];
	}
	return fmax(wait, 0);
}

/**
 * tl_bottleneck_wait() - Find out who waits where
 * @lqn: network
 * @value: its solution's figures
 * @wait: filled in; tl_bottleneck_wait_free() frees it in any case
 *
 * Return: 0 or -ENOMEM.
 */
int tl_bottleneck_wait(const struct tl_lqn *lqn, const struct tl_lqn_figures *value,
		       struct tl_bottleneck_wait *wait)
{
	double *reply = calloc(lqn->entries + 1, sizeof(*reply));
	size_t t, e;

	wait->layer = calloc(lqn->tasks + 1, sizeof(*wait->layer));
	wait->threads = calloc(2 * lqn->tasks + 1, sizeof(*wait->threads));
	wait->layers = calloc(lqn->tasks + 1, sizeof(*wait->layers));
	if (!reply || !wait->layer || !wait->threads || !wait->layers) {
		free(reply);
		return -ENOMEM;
	}
	wait->processor = wait->threads + lqn->tasks;
	layers_fill(lqn, wait->layer);
	tl_lqn_replies(lqn, value, reply);
	for (e = 0; e < lqn->entries; e++) {
		double rate = value->entry[e].throughput_per_s;

		t = lqn->entry[e].task;
		wait->threads[t] += rate * value->entry[e].waiting_s;
		wait->processor[t] += rate * processor_wait_s(lqn, value, e, reply);
	}
	for (t = 0; t < lqn->tasks; t++) {
		wait->layers[wait->layer[t]] += wait->threads[t] + wait->processor[t];
		if (wait->layer[t] >= wait->n_layers)
			wait->n_layers = wait->layer[t] + 1;
	}
	free(reply);
	return 0;
}

/**
 * tl_bottleneck_wait_free() - Free what tl_bottleneck_wait() allocated
 * @wait: its result
 */
void tl_bottleneck_wait_free(struct tl_bottleneck_wait *wait)
{
	free(wait->layer);
	free(wait->threads);
	free(wait->layers);
}
