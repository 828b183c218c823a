// SPDX-License-Identifier: GPL-2.0-or-later
/* The paths of an interval in the order in which a tree is read. */
#include "tree.h"

#include "figures.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>

/* Of one parent, the largest first; what found no place last; then by name. */
static int before(const struct tl_path *a, const struct tl_path *b)
{
	int by_name;

	if (!a->tier != !b->tier)
		return a->tier ? -1 : 1;
	if (a->response_ns != b->response_ns)
		return a->response_ns > b->response_ns ? -1 : 1;
	by_name = a->tier ? strcmp(a->tier, b->tier) : 0;
	return by_name ? by_name : strcmp(a->class, b->class);
}

static const struct tl_path *parent_of(const struct tl_interval *interval,
				       const struct tl_path *path)
{
	return path->up ? &interval->paths[path->up - 1] : NULL;
}

/* Two nodes are in the order of their ancestors where they part; and below them. */
static int compare(const void *x, const void *y, void *arg)
{
	const struct tl_tree_row *one = x, *two = y;
	const struct tl_path *a = one->path, *b = two->path;
	size_t deep_a = a->depth, deep_b = b->depth;
	int order;

	if (a == b)
		return 0;
	while (a->depth > deep_b)
		a = parent_of(arg, a);
	while (b->depth > deep_a)
		b = parent_of(arg, b);
	if (a == b) /* one is above the other */
		return deep_a < deep_b ? -1 : 1;
	while (a->up != b->up) {
		a = parent_of(arg, a);
		b = parent_of(arg, b);
	}
	order = before(a, b);
	return order ? order : a < b ? -1 : 1;
}

static void row_make(struct tl_tree_row *row, const struct tl_interval *interval,
		     const struct tl_path *path)
{
	double seconds = tl_ns_to_s(interval->length_ns), count = (double)path->count;
	double known = tl_path_known(path), all_ns;
	const struct tl_path *front = path;

	while (front->up)
		front = parent_of(interval, front);
	all_ns = (double)front->response_ns;
	row->path = path;
	row->rate = seconds > 0 ? count / seconds : 0;
	row->response_s = path->count ? tl_ns_to_s(path->response_ns) / count : 0;
	row->own_s = !path->count ? 0 : known > 0 ? tl_ns_to_s(path->own_ns) / known : -1;
	row->response_share = all_ns > 0 ? (double)path->response_ns / all_ns : -1;
	row->own_share = all_ns > 0 && row->own_s >= 0 ? (double)path->own_ns / all_ns : -1;
	if (!path->tier) /* of many front tiers */
		row->response_share = row->own_share = -1;
	row->cpu_s = -1;
	if (known > 0 && tl_sum_known(&path->sum[TL_PATH_CPU]))
		row->cpu_s = tl_ns_to_s(path->sum[TL_PATH_CPU].value) / known;
}

/**
 * tl_tree_make() - Put the paths of an interval in order
 * @tree: filled in, to be given to tl_tree_free()
 * @interval: one interval, or the sum of several; must outlive @tree
 *
 * Return: 0 or -ENOMEM.
 */
int tl_tree_make(struct tl_tree *tree, const struct tl_interval *interval)
{
	size_t i;

	*tree = (struct tl_tree){ .interval = interval, .n = interval->n_paths };
	tree->row = calloc(tree->n + 1, sizeof(*tree->row));
	if (!tree->row)
		return -ENOMEM;
	for (i = 0; i < tree->n; i++)
		row_make(&tree->row[i], interval, &interval->paths[i]);
	qsort_r(tree->row, tree->n, sizeof(*tree->row), compare, (void *)interval);
	return 0;
}

/**
 * tl_tree_free() - Free what tl_tree_make() allocated
 * @tree: the tree
 */
void tl_tree_free(struct tl_tree *tree)
{
	free(tree->row);
	tree->row = NULL;
}

/**
 * tl_tree_row_json() - A path for programs
 * @tree: the tree
 * @row: one of its rows
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_tree_row_json(const struct tl_tree *tree, const struct tl_tree_row *row)
{
	char *text = tl_path_text(tree->interval, row->path);
	json_t *object;

	object = json_pack("{s:I, s:o, s:s?, s:s, s:s?, s:I, s:f, s:f, s:o, s:o, s:o, s:o}",
			   "id", (json_int_t)row->path->id,
			   "parent", row->path->up ? json_integer(row->path->parent) :
						     json_null(),
			   "tier", row->path->tier,
			   "class", row->path->class,
			   "path", text,
			   "count", (json_int_t)row->path->count,
			   "rate", row->rate,
			   "mean_response_s", row->response_s,
			   "mean_own_s", tl_known_json(row->own_s),
			   "response_share", tl_known_json(row->response_share),
			   "own_share", tl_known_json(row->own_share),
			   "mean_cpu_s", tl_known_json(row->cpu_s));
	free(text);
	return object;
}

/**
 * tl_tree_json() - Paths for programs
 * @tree: the tree
 *
 * Return: a list, a new reference; NULL without memory.
 */
json_t *tl_tree_json(const struct tl_tree *tree)
{
	json_t *array = json_array();
	int failed = 0;
	size_t i;

	for (i = 0; i < tree->n; i++)
		failed |= json_array_append_new(array, tl_tree_row_json(tree, &tree->row[i]));
	if (!failed)
		return array;
	json_decref(array);
	return NULL;
}
