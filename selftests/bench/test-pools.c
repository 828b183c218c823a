// SPDX-License-Identifier: GPL-2.0-or-later
/* Pools of the module: which objects are handed out, and which of them are visited. */
#include "kernel.h"
#include "memory.h"
#include "tap.h"

#define SIZE 200 /* of an object, which is rounded up */
#define LOW 100
#define MOST 65536
#define CHUNK (64 * 1024 / 256 - 1) /* objects of one */

struct object {
	struct tl_pool_item item;
	unsigned int visits;
	bool built;
};

extern unsigned long *bench_param_memory_mib;

static struct tl_pool pool;
static struct object *had[MOST];
static unsigned int visited;

static void build(void *object)
{
	((struct object *)object)->built = true;
}

static void visit(void *object, void *arg)
{
	((struct object *)object)->visits++;
	visited++;
}

/* Takes objects until @n are had. Return: how many are. */
static unsigned int take(unsigned int from, unsigned int n)
{
	for (; from < n; from++) {
		had[from] = tl_pool_get(&pool);
		if (!had[from] || !had[from]->built)
			break;
		had[from]->visits = 0;
	}
	return from;
}

/* Each of the first @n was visited once, and no other. */
static bool visits(unsigned int n)
{
	unsigned int i, once = 0;

	for (i = 0; i < n; i++)
		had[i]->visits = 0;
	visited = 0;
	tl_pool_for_each(&pool, visit, NULL);
	for (i = 0; i < n; i++)
		once += had[i]->visits == 1;
	return once == n && visited == n;
}

int main(void)
{
	unsigned int n, i;

	*bench_param_memory_mib = 4;
	ok(!tl_pool_init(&pool, "objects", SIZE, LOW, build), "a pool");
	ok(pool.nfree >= LOW && visits(0), "what nobody has had is not visited");
	ok(take(0, 10) == 10 && visits(10), "what was taken is");
	for (i = 5; i < 10; i++)
		tl_pool_put(&pool, had[i]);
	ok(visits(10), "what came back is, too");
	ok(take(5, 10) == 10 && visits(10), "what came back goes first");
	n = take(10, 3 * CHUNK);
	ok(n == 3 * CHUNK && visits(n), "three chunks to the last object");
	n = take(n, n + 1);
	ok(n == 3 * CHUNK + 1 && visits(n), "and one of the next");
	ok(tl_pool_used(&pool) == n, "so many are in use");
	n = take(n, MOST);
	ok(n < MOST && n == pool.total && !pool.nfree && visits(n), "all that the cap allows");
	ok(tl_memory_used() <= tl_memory_cap(), "which is kept");
	tl_pool_put(&pool, had[--n]);
	i = take(n, n + 2);
	ok(i == n + 1 && tl_pool_used(&pool) == i && visits(i), "one that comes back is had again");
	tl_pool_exit(&pool);
	return done();
}
