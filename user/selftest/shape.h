/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SELFTEST_SHAPE_H
#define TL_SELFTEST_SHAPE_H

#include <stddef.h>

#define TL_SHAPE_DEPTH 4 /* tiers at most */
#define TL_SHAPES_MAX 64 /* of the table, and of what is asked for */

/* With more connections a shape that is TL_SHAPE_PARTLY must be as good as the floor at least. */
#define TL_SHAPE_FEW 8
#define TL_SHAPE_FLOOR 0.85
#define TL_SHAPE_WARM_UP 200 /* requests that are not judged, where an order has to be learnt */

/**
 * struct tl_bar - What is wanted of a kind of shape
 * @kind: what they have in common
 * @right: part of the calls that must be attributed to the right request, 0 … 1
 * @wrong: part that may at most be attributed to a wrong one, 0 … 1
 */
struct tl_bar {
	const char *kind;
	double right, wrong;
};

enum tl_shape_flag {
	TL_SHAPE_CHAIN = 1, /* all tiers are its own, for the identity over them */
	TL_SHAPE_ON_UNIX = 2, /* the front tier listens on a UNIX socket */
	TL_SHAPE_ON_RING = 4, /* needs io_uring */
	/* With more than TL_SHAPE_FEW connections it is not always as good as wanted, yet:
	 * so many threads are held up that more is unattributed; it must not be wrong. */
	TL_SHAPE_PARTLY = 8,
	/* An order has to be seen for a while until it is believed, so there is a warm-up; each
	 * request makes one call. */
	TL_SHAPE_LEARNS = 16
};

/**
 * struct tl_shape - A way to build a server
 * @name: what it is called by
 * @options: of the test server; "@" stands for the number of connections
 * @bar: what is wanted
 * @depth: tiers, the front one included; each is of this shape
 * @flags: by enum tl_shape_flag
 */
struct tl_shape {
	const char *name, *options;
	const struct tl_bar *bar;
	unsigned int depth;
	unsigned int flags;
};

extern const struct tl_shape tl_shapes[];
extern const size_t tl_shapes_n;

const struct tl_shape *tl_shape_find(const char *name, size_t len);
unsigned int tl_shape_warm_up(const struct tl_shape *shape, unsigned int connections);
double tl_shape_right(const struct tl_shape *shape, unsigned int connections);

#endif
