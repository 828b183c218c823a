/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TREE_H
#define TL_TREE_H

#include <jansson.h>

struct tl_interval;
struct tl_path;

/**
 * struct tl_tree_row - What people want to know about a path
 * @path: the node, the interval's
 * @rate: requests per second
 * @response_s: mean response time; @own_s: mean own time
 * @response_share: response time of all these requests, as a part of that of all
 *                  requests of the front tier's node above
 * @own_share: own time of all these requests, as a part of the same
 * @cpu_s: mean time on a processor
 *
 * @own_s, and from @response_share on: negative is unknown.
 */
struct tl_tree_row {
	const struct tl_path *path;
	double rate, response_s, own_s, response_share, own_share, cpu_s;
};

/**
 * struct tl_tree - The paths of an interval, each followed by those below it
 *
 * Those that took most time stand first among those of one parent.
 */
struct tl_tree {
	const struct tl_interval *interval;
	struct tl_tree_row *row;
	size_t n;
};

int tl_tree_make(struct tl_tree *tree, const struct tl_interval *interval);
void tl_tree_free(struct tl_tree *tree);
json_t *tl_tree_json(const struct tl_tree *tree);
json_t *tl_tree_row_json(const struct tl_tree *tree, const struct tl_tree_row *row);

#endif
