// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of open intervals: which of them a request goes into, against a table of all of them. */
#include "kernel.h"
#include "shard.h"
#include "stats.h"
#include "tap.h"
#include "tier.h"

#define CPUS 2
#define OPEN 8 /* as in shard.c */
#define LENGTH_NS 1000000
#define START_NS (5 * LENGTH_NS + 17)
#define FIRST 3 /* generation */
#define INTERVALS 3000
#define CLASSES 100 /* more than an interval has chains */
#define TIER 1

struct expected {
	u64 count, carried, response_ns, bytes_in;
};

extern unsigned long *bench_param_memory_mib;
void bench_percpu_init(unsigned int cpus);

static struct tl_grid grid = { .start_ns = START_NS, .length_ns = LENGTH_NS, .first = FIRST };
static struct expected of[FIRST + INTERVALS + 2 * OPEN][CLASSES];
static u64 late, random_state = 42;

static u64 below(u64 n)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return (random_state >> 33) % n;
}

/* A request that ended at @ns is put in, and noted where it belongs while @base is the oldest open interval. */
static void put(u64 ns, u64 base)
{
	u64 generation = ns < grid.start_ns ? FIRST : FIRST + (ns - grid.start_ns) / LENGTH_NS, start_ns;
	struct tl_request ended = { .tier = TIER, .class = below(CLASSES), .last_send_ns = ns };
	struct expected *expected;

	ended.node = 2 + ended.class;
	ended.open_ns = ns - below(2 * LENGTH_NS);
	ended.bytes_in = below(1000);
	if (generation < base || generation >= base + OPEN) {
		generation = generation < base ? base : base + OPEN - 1;
		late++;
	}
	start_ns = grid.start_ns + (generation - FIRST) * LENGTH_NS;
	expected = &of[generation][ended.class];
	expected->count++;
	expected->carried += ended.open_ns < start_ns;
	expected->response_ns += ns - ended.open_ns;
	expected->bytes_in += ended.bytes_in;
	bench_this_offset = bench_cpu_offset[below(CPUS)];
	tl_shard_deposit(&ended);
}

static bool is_expected(const struct tl_cell_sums *sums, const struct expected *expected)
{
	return sums->count == expected->count && sums->carried == expected->carried &&
	       sums->response_ns == expected->response_ns && sums->bytes_in == expected->bytes_in;
}

/* Takes an interval. Return: whether all is there that belongs there, and nothing else. */
static bool take(u64 generation)
{
	unsigned int cells = 0, paths = 0, wanted = 0, class;
	struct tl_taken taken;
	struct tl_entry *entry;
	bool good = true;

	tl_shard_take(generation, &taken);
	for (entry = taken.list[TL_SUMS_CELL]; entry; entry = entry->next, cells++)
		good &= entry->key[0] == TIER && entry->key[1] < CLASSES &&
			is_expected(&container_of(entry, struct tl_cell, entry)->sums,
				    &of[generation][entry->key[1]]);
	for (entry = taken.list[TL_SUMS_PATH]; entry; entry = entry->next, paths++)
		good &= entry->key[0] >= 2 && entry->key[0] < 2 + CLASSES &&
			container_of(entry, struct tl_path, entry)->sums.count ==
				of[generation][entry->key[0] - 2].count;
	for (class = 0; class < CLASSES; class++)
		wanted += of[generation][class].count != 0;
	tl_shard_give_back(&taken);
	return good && cells == wanted && paths == wanted;
}

static u64 lost_late(void)
{
	struct tl_totals totals;

	tl_stats_sum(&totals, 0);
	return totals.loss[TL_LOSS_LATE];
}

int main(void)
{
	u64 base = FIRST, wrong = 0, ns = START_NS - 100, k;

	*bench_param_memory_mib = 8;
	bench_percpu_init(CPUS);
	tl_stats_init();
	ok(!tl_tier_init() && !tl_peer_init() && !tl_path_init() && !tl_shard_init(), "tables");
	tl_shard_start(&grid);
	while (base < FIRST + INTERVALS) {
		/* Time goes on, seldom by many intervals at once; requests end now, or did a while ago. */
		ns += below(100) ? below(LENGTH_NS / 8) : below((OPEN + 2) * LENGTH_NS);
		for (k = below(4); k; k--)
			put(ns - (below(8) ? 0 : below(min(ns - START_NS / 2, (OPEN + 1ull) * LENGTH_NS))), base);
		/* Closing is mostly near, and at times behind. */
		while (ns >= START_NS + (base + 1 + (below(20) ? 0 : 3) - FIRST) * LENGTH_NS && below(4) &&
		       base < FIRST + INTERVALS)
			wrong += !take(base++);
	}
	is_u64(wrong, 0, "each of %d intervals has what ended in it", INTERVALS);
	ok(late > 100, "requests whose interval was not open were among them");
	is_u64(lost_late(), late, "which is counted");
	for (k = 0; k < OPEN; k++)
		wrong += !take(base++);
	is_u64(wrong, 0, "what is still open, too");
	is_u64(tl_shard_count(), 0, "nothing stays");

	/* A grid that begins anew, before what was summed up last, and when the machine does. */
	memset(of, 0, sizeof(of));
	grid.start_ns = 0;
	tl_shard_start(&grid);
	for (k = 0; k < 20; k++)
		put(below(2) ? 0 : LENGTH_NS - 1, FIRST);
	ok(take(FIRST), "an interval has its first and last nanosecond");
	for (k = 0; k < 20; k++)
		put(LENGTH_NS - 1, FIRST + 1);
	for (k = 0; k < 20; k++)
		put(below(2) ? LENGTH_NS : 2 * LENGTH_NS - 1, FIRST + 1);
	for (k = 0; k < 20; k++)
		put(2 * LENGTH_NS, FIRST + 1);
	ok(take(FIRST + 1), "what ended in one that has gone is in the oldest that is open");
	ok(take(FIRST + 2) && !tl_shard_count(), "the next nanosecond is the next one's");
	tl_shard_exit();
	return done();
}
