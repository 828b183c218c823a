// SPDX-License-Identifier: GPL-2.0-or-later
/* The shapes of servers, and how well attribution has to do on each: the one table. */
#include "selftest/shape.h"

#include "hist.h"

#include <string.h>

static const struct tl_bar same = { "same thread or process", 0.999, 0.0001 };
static const struct tl_bar loop = { "event loop", 0.995, 0.001 };
static const struct tl_bar pool = { "pool or hand-off", 0.95, 0.005 };
static const struct tl_bar other = { "any other", 0, 0.005 };

/* clang-format off */
const struct tl_shape tl_shapes[] = {
	{ "thread", "--mode thread", &same, 2, 0 },
	{ "prefork", "--mode prefork --pool @", &same, 2, 0 },
	{ "fork", "--mode fork", &same, 2, 0 },
	{ "passfd", "--mode passfd --pool @", &same, 2, 0 },
	{ "sendfile", "--mode thread --send sendfile --size 100000", &same, 2, 0 },
	{ "splice", "--mode thread --send splice --size 100000", &same, 2, 0 },
	{ "unix", "--mode thread", &same, 2, TL_SHAPE_ON_UNIX },
	{ "epoll", "--mode epoll --pool 64", &loop, 2, 0 },
	{ "epoll-calls", "--mode epoll --pool 64 --calls 3", &loop, 2, 0 },
	{ "unix-epoll", "--mode epoll --pool 64", &loop, 2, TL_SHAPE_ON_UNIX },
	{ "chunked", "--mode epoll --pool 64 --size 3000 --sends 3 --gap-us 1000", &loop, 2, 0 },
	{ "exhausted", "--mode epoll --pool 1", &loop, 2, 0 },
	{ "fan-out", "--mode thread --calls 3 --parallel", &same, 2, 0 },
	{ "fan-out-epoll", "--mode epoll --pool 64 --calls 3 --parallel", &loop, 2, 0 },
	{ "pool", "--mode pool", &pool, 2, 0 },
	{ "pool-eventfd", "--mode pool-eventfd", &pool, 2, 0 },
	{ "pool-pipe", "--mode pool-pipe", &pool, 2, 0 },
	{ "executor", "--mode executor", &pool, 2, 0 },
	{ "pool-io", "--mode pool --answer io", &pool, 2,
	  TL_SHAPE_PARTLY | TL_SHAPE_LEARNS },
	{ "pool-eventfd-io", "--mode pool-eventfd --answer io", &pool, 2,
	  TL_SHAPE_PARTLY | TL_SHAPE_LEARNS },
	{ "pool-pipe-io", "--mode pool-pipe --answer io", &pool, 2,
	  TL_SHAPE_PARTLY | TL_SHAPE_LEARNS },
	{ "pool-lifo", "--mode pool --answer io --jobs lifo", &other, 2,
	  TL_SHAPE_LEARNS },
	{ "pool-random", "--mode pool --answer io --jobs random", &other, 2,
	  TL_SHAPE_LEARNS },
	{ "pool-back-lifo", "--mode pool --answer io --results lifo", &other, 2,
	  TL_SHAPE_LEARNS },
	{ "pool-back-random", "--mode pool --answer io --results random", &other, 2,
	  TL_SHAPE_LEARNS },
	{ "pool-lifo-lifo", "--mode pool --answer io --jobs lifo --results lifo", &other, 2,
	  TL_SHAPE_LEARNS },
	{ "uring-sync", "--mode uring-sync", &same, 2, TL_SHAPE_ON_RING },
	{ "uring", "--mode uring", &other, 2, TL_SHAPE_ON_RING },
	{ "coroutine", "--mode coroutine --pool 4", &other, 2, 0 },
	{ "depth-1", "--mode thread --work-us 100", &same, 1, TL_SHAPE_CHAIN },
	{ "depth-2", "--mode thread --work-us 100", &same, 2, TL_SHAPE_CHAIN },
	{ "depth-3", "--mode thread --work-us 100", &same, 3, TL_SHAPE_CHAIN },
	{ "depth-4", "--mode thread --work-us 100", &same, 4, TL_SHAPE_CHAIN },
};
/* clang-format on */

_Static_assert(ARRAY_SIZE(tl_shapes) <= TL_SHAPES_MAX, "all of them can be asked for");
const size_t tl_shapes_n = ARRAY_SIZE(tl_shapes);

/**
 * tl_shape_find() - Look a shape up
 * @name: its name, not ended
 * @len: of @name
 *
 * Return: the shape, or NULL if there is none of that name.
 */
const struct tl_shape *tl_shape_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < tl_shapes_n; i++)
		if (strlen(tl_shapes[i].name) == len &&
		    !strncmp(tl_shapes[i].name, name, len))
			return &tl_shapes[i];
	return NULL;
}

/**
 * tl_shape_right() - What part of the calls has to be right for the test to pass
 * @shape: the shape
 * @connections: requests at once
 *
 * Return: 0 … 1; less than what is wanted where that is known not to be reached always.
 */
double tl_shape_right(const struct tl_shape *shape, unsigned int connections)
{
	bool partly = shape->flags & TL_SHAPE_PARTLY;

	return partly && connections > TL_SHAPE_FEW ? TL_SHAPE_FLOOR : shape->bar->right;
}

/**
 * tl_shape_warm_up() - What a service has behind it that has run for a while
 * @shape: the shape
 * @connections: requests at once
 *
 * Return: how many requests come before those that are judged.
 */
unsigned int tl_shape_warm_up(const struct tl_shape *shape, unsigned int connections)
{
	return shape->flags & TL_SHAPE_LEARNS && connections > 1 ? TL_SHAPE_WARM_UP : 0;
}
