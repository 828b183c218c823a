// SPDX-License-Identifier: GPL-2.0-or-later
/* Intervals as the adaptor takes them: names become numbers that stay the same. */
#include "adapt-feed.h"

#include "probe-cost.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The id of a name, found or added; TL_ADAPT_NONE without memory. */
static size_t id_of(struct tl_adapt_names *names, const char *text, size_t of)
{
	struct tl_adapt_name *name;
	char *copy;
	size_t i, at;

	for (i = 0; i < names->n; i++) {
		at = (names->hint + i) % names->n;
		if (names->name[at].of != of || strcmp(names->name[at].text, text))
			continue;
		names->hint = at + 1;
		return at;
	}
	copy = strdup(text);
	name = copy ? tl_array_append((void **)&names->name, &names->n, sizeof(*name)) : NULL;
	if (!name) {
		free(copy);
		return TL_ADAPT_NONE;
	}
	*name = (struct tl_adapt_name){ copy, of };
	return names->n - 1;
}

/**
 * tl_adapt_tier() - A tier's id
 * @feed: feed
 * @name: its name
 *
 * Return: the id, TL_ADAPT_NONE without memory.
 */
size_t tl_adapt_tier(struct tl_adapt_feed *feed, const char *name)
{
	return id_of(&feed->tiers, name, 0);
}

static size_t cell_id(struct tl_adapt_feed *feed, const char *tier, const char *class)
{
	size_t at = tl_adapt_tier(feed, tier);

	return at == TL_ADAPT_NONE ? at : id_of(&feed->cells, class, at);
}

static int cells_add(struct tl_adapt_feed *feed, const struct tl_interval *interval)
{
	struct tl_adapt_cell *to;
	size_t i, k;

	for (feed->cells_n = 0, i = 0; i < interval->n_tiers; i++)
		for (k = 0; k < interval->tiers[i].n_cells; k++) {
			const struct tl_cell *cell = &interval->tiers[i].cells[k];
			size_t id = cell_id(feed, interval->tiers[i].name, cell->class);

			to = id == TL_ADAPT_NONE ? NULL :
			     tl_array_append((void **)&feed->cell, &feed->cells_n, sizeof(*to));
			if (!to)
				return -ENOMEM;
			*to = (struct tl_adapt_cell){
				.id = id, .tier = feed->cells.name[id].of, .count = (double)cell->count,
				.known = tl_cell_known(cell), .response_s = tl_ns_to_s(cell->response_ns),
				.own_s = tl_ns_to_s(cell->own_ns),
				.bytes = (double)cell->bytes_in + (double)cell->bytes_out,
				.response = cell->response_hist, .own = cell->own_hist,
			};
		}
	return 0;
}

/* Without the node of all paths that found no place. */
static int nodes_add(struct tl_adapt_feed *feed, const struct tl_interval *interval)
{
	size_t *place = calloc(interval->n_paths + 1, sizeof(*place)), i;
	int code = place ? 0 : -ENOMEM;

	for (feed->nodes = 0, i = 0; !code && i < interval->n_paths; i++) {
		const struct tl_path *path = &interval->paths[i];
		char *text = path->tier ? tl_path_text(interval, path) : NULL;
		size_t cell = text ? cell_id(feed, path->tier, path->class) : TL_ADAPT_NONE;
		size_t id = cell == TL_ADAPT_NONE ? cell : id_of(&feed->paths, text, cell);
		struct tl_adapt_node *node;

		free(text);
		if (!path->tier)
			continue;
		node = id == TL_ADAPT_NONE ? NULL :
		       tl_array_append((void **)&feed->node, &feed->nodes, sizeof(*node));
		if (!node) {
			code = -ENOMEM;
			break;
		}
		*node = (struct tl_adapt_node){ id, cell, path->up ? place[path->up - 1] : 0, (double)path->count };
		place[i] = feed->nodes;
	}
	free(place);
	return code;
}

static int calls_add(struct tl_adapt_feed *feed, const struct tl_interval *interval)
{
	struct tl_adapt_call *to;
	size_t i;

	for (feed->calls = 0, i = 0; i < interval->n_called; i++) {
		const struct tl_called *called = &interval->called[i];
		size_t tier = tl_adapt_tier(feed, called->tier), function, cell = TL_ADAPT_NONE;

		function = tier == TL_ADAPT_NONE ? tier : id_of(&feed->functions, called->name, tier);
		if (called->class && function != TL_ADAPT_NONE) {
			cell = cell_id(feed, called->tier, called->class);
			function = cell == TL_ADAPT_NONE ? cell : function;
		}
		to = function == TL_ADAPT_NONE ? NULL :
		     tl_array_append((void **)&feed->call, &feed->calls, sizeof(*to));
		if (!to)
			return -ENOMEM;
		*to = (struct tl_adapt_call){ function, tier, cell, (double)called->count,
					      tl_ns_to_s(called->own_ns), tl_ns_to_s(called->cpu_ns) };
	}
	return 0;
}

static int pinned_grow(struct tl_adapt_feed *feed)
{
	enum tl_at *grown = reallocarray(feed->pinned, feed->tiers.n + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	feed->pinned = grown;
	for (; feed->pinned_n <= feed->tiers.n; feed->pinned_n++)
		grown[feed->pinned_n] = TL_AT_UNKNOWN;
	return 0;
}

/**
 * tl_adapt_cost() - What probes took, as the adaptor takes it
 * @feed: feed
 * @cost: [TL_COST_SUMS] of an interval, or since the module was loaded
 *
 * Return: it, not known if the module does not tell.
 */
struct tl_adapt_cost tl_adapt_cost(const struct tl_adapt_feed *feed, const struct tl_sum *cost)
{
	struct tl_adapt_cost c = { .known = tl_sum_known(&cost[TL_COST_HOOK]) && tl_sum_known(&cost[TL_COST_HOOK_HITS]),
				   .function_trap_s = feed->function_trap_s };

	if (!c.known)
		return c;
	c.hook_s = tl_ns_to_s(cost[TL_COST_HOOK].value);
	/* Older modules do not tell. */
	c.hook_s += tl_sum_known(&cost[TL_COST_HOOK_WAY]) ? tl_ns_to_s(cost[TL_COST_HOOK_WAY].value) :
							    (double)cost[TL_COST_HOOK_HITS].value * TL_HOOK_TRAP_S;
	if (!tl_sum_known(&cost[TL_COST_FUNCTION]) || !tl_sum_known(&cost[TL_COST_FUNCTION_HITS]))
		return c;
	c.function_hits = (double)cost[TL_COST_FUNCTION_HITS].value;
	c.function_s = tl_ns_to_s(cost[TL_COST_FUNCTION].value);
	return c;
}

/**
 * tl_adapt_feed() - An interval as the adaptor takes it
 * @feed: feed; @in is set, until the next one
 * @interval: must outlive the step that takes it
 *
 * Return: 0 or -ENOMEM.
 */
int tl_adapt_feed(struct tl_adapt_feed *feed, const struct tl_interval *interval)
{
	int code = cells_add(feed, interval);

	code = code ? code : nodes_add(feed, interval);
	code = code ? code : calls_add(feed, interval);
	code = code ? code : pinned_grow(feed);
	feed->in = (struct tl_adapt_in){
		.t_s = tl_ns_to_s(interval->start_ns + interval->length_ns),
		.seconds = tl_ns_to_s(interval->length_ns), .processors = feed->processors, .node = feed->node,
		.cell = feed->cell, .call = feed->call, .nodes = feed->nodes, .cells = feed->cells_n,
		.calls = feed->calls, .tiers = feed->tiers.n, .cells_seen = feed->cells.n,
		.nodes_seen = feed->paths.n, .functions_seen = feed->functions.n, .pinned = feed->pinned,
		.cost = tl_adapt_cost(feed, interval->cost),
	};
	return code;
}

static void names_free(struct tl_adapt_names *names)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		free(names->name[i].text);
	free(names->name);
}

/**
 * tl_adapt_feed_free() - Forget all names
 * @feed: feed
 */
void tl_adapt_feed_free(struct tl_adapt_feed *feed)
{
	names_free(&feed->tiers);
	names_free(&feed->cells);
	names_free(&feed->paths);
	names_free(&feed->functions);
	free(feed->pinned);
	free(feed->node);
	free(feed->cell);
	free(feed->call);
	memset(feed, 0, sizeof(*feed));
}
