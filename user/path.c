// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paths in memory
 *
 * A reader adds nodes in any order, each with its id and its parent's, and links
 * them when all are there; after that parents stand before their children. Ids mean
 * nothing beyond their interval: nodes of different intervals are the same if their
 * chains are.
 */
#include "table.h"

#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define MORE_ID 1
#define DEPTH_MAX 1000 /* far more than any kernel keeps: nobody shall make us recurse */

/**
 * tl_interval_path() - Add a node
 * @interval: where
 * @tier: name, valid UTF-8; NULL for the node of all paths that found no place
 * @class: name, valid UTF-8
 *
 * Return: the node, valid until the next one is added; NULL without memory.
 */
struct tl_path *tl_interval_path(struct tl_interval *interval, const char *tier,
				 const char *class)
{
	struct tl_path *path = tl_array_append((void **)&interval->paths,
					       &interval->n_paths, sizeof(*path));

	if (!path)
		return NULL;
	/* A half-copied node stays in the array and is freed with the interval. */
	path->tier = tier ? strdup(tier) : NULL;
	path->class = strdup(class);
	return path->class && (path->tier || !tier) ? path : NULL;
}

static int by_depth_and_id(const void *a, const void *b)
{
	const struct tl_path *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static struct tl_path *find(const struct tl_interval *interval, size_t depth, u32 id)
{
	struct tl_path key = { .depth = depth, .id = id };

	return bsearch(&key, interval->paths, interval->n_paths, sizeof(key),
		       by_depth_and_id);
}

/* Nodes are sorted by id, and all depths still 0. Return: -1 if the chain has no top. */
static long depth_of(const struct tl_interval *interval, const struct tl_path *path)
{
	size_t depth = 0;

	for (; path->parent; depth++) {
		path = find(interval, 0, path->parent);
		if (!path || depth == DEPTH_MAX)
			return -1;
	}
	return (long)depth;
}

static int depths_set(struct tl_interval *interval)
{
	size_t *depth = calloc(interval->n_paths, sizeof(*depth)), i;
	int code = depth ? 0 : -ENOMEM;
	long found;

	for (i = 0; i < interval->n_paths && !code; i++) {
		found = depth_of(interval, &interval->paths[i]);
		if (found < 0 || (i && interval->paths[i].id == interval->paths[i - 1].id))
			code = -EINVAL;
		else
			depth[i] = (size_t)found;
	}
	for (i = 0; i < interval->n_paths && !code; i++)
		interval->paths[i].depth = depth[i];
	free(depth);
	return code;
}

/**
 * tl_paths_link() - Put the nodes in order, parents first
 * @interval: all nodes added, each with id and parent
 *
 * Return: 0; -EINVAL if two have the same id, or a parent is not there, or a chain has
 * no end; -ENOMEM.
 */
int tl_paths_link(struct tl_interval *interval)
{
	size_t i;
	int code;

	if (!interval->n_paths)
		return 0;
	qsort(interval->paths, interval->n_paths, sizeof(*interval->paths),
	      by_depth_and_id);
	code = depths_set(interval);
	if (code)
		return code;
	qsort(interval->paths, interval->n_paths, sizeof(*interval->paths),
	      by_depth_and_id);
	for (i = 0; i < interval->n_paths; i++) {
		struct tl_path *path = &interval->paths[i];

		if (path->parent)
			path->up = (size_t)(find(interval, path->depth - 1, path->parent) -
					    interval->paths) + 1;
	}
	return 0;
}

/* The node of a chain, found or added. As with edges, the search begins behind the
 * last hit: successive intervals list their nodes in much the same order. */
static struct tl_path *same_chain(struct tl_interval *to, const struct tl_path *like,
				  size_t up)
{
	struct tl_path *path;
	size_t i, at;

	for (i = 0; i < to->n_paths; i++) {
		at = (to->path_hint + i) % to->n_paths;
		path = &to->paths[at];
		if (path->up == up && tl_text_equal(path->tier, like->tier) &&
		    !strcmp(path->class, like->class)) {
			to->path_hint = at + 1;
			return path;
		}
	}
	path = tl_interval_path(to, like->tier, like->class);
	if (!path)
		return NULL;
	path->id = like->tier ? MORE_ID + (u32)to->n_paths : MORE_ID;
	path->up = up;
	path->parent = up ? to->paths[up - 1].id : 0;
	path->depth = like->depth;
	to->path_hint = to->n_paths;
	return path;
}

/**
 * tl_paths_add() - Add the paths of one interval to those of another
 * @to: interval that grows
 * @from: interval that is added, linked
 *
 * Return: 0 or -ENOMEM.
 */
int tl_paths_add(struct tl_interval *to, const struct tl_interval *from)
{
	size_t *place = calloc(from->n_paths + 1, sizeof(*place)), i;
	struct tl_path *path;

	for (i = 0; i < from->n_paths && place; i++) {
		const struct tl_path *other = &from->paths[i];

		path = same_chain(to, other, other->up ? place[other->up - 1] : 0);
		if (!path)
			break;
		place[i] = (size_t)(path - to->paths) + 1;
		path->count += other->count;
		path->traced += other->traced;
		path->response_ns += other->response_ns;
		path->own_ns += other->own_ns;
		tl_sums_add(path->sum, other->sum, TL_PATH_SUMS);
	}
	free(place);
	return place && i == from->n_paths ? 0 : -ENOMEM;
}

/**
 * tl_path_text() - A node's chain as a text
 * @interval: where it is, linked
 * @path: the node
 *
 * Return: as "front/other>mid/cart", to be freed by the caller; NULL without memory.
 */
char *tl_path_text(const struct tl_interval *interval, const struct tl_path *path)
{
	char *above = path->up ? tl_path_text(interval, &interval->paths[path->up - 1]) :
				 NULL;
	char *text = NULL;
	int len;

	if (path->up && !above)
		return NULL;
	len = path->tier ? asprintf(&text, "%s%s%s/%s", above ? above : "",
				    above ? ">" : "", path->tier, path->class) :
			   asprintf(&text, "more paths");
	free(above);
	return len < 0 ? NULL : text;
}
