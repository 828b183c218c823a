// SPDX-License-Identifier: GPL-2.0-or-later
/* A fleet: whose tier a peer is, and paths that are put together from calls. */
#include "fleet/fleet.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 400
#define TIERS 6
#define CLASSES 4

/* ---- peers ------------------------------------------------------------------- */

static char *address_a[] = { "10.0.0.1", "172.17.0.1", "fd00::1" };
static char *address_b[] = { "10.0.0.2", "172.17.0.1" };
static struct tl_fleet_tier tier_a[] = { { "web", "web@a" } };
static struct tl_fleet_tier tier_b[] = { { "web", "web@b" }, { "db", "db" }, { "old", "old" } };
static struct tl_fleet_endpoint endpoint_a[] = { { "web", "80" }, { "web", "8080" } };
static struct tl_fleet_endpoint endpoint_b[] = { { "web", "80" }, { "db", "3306" }, { "db", "/run/db.sock" }, { "old", "80" } };

static struct tl_fleet_host hosts[] = {
	{ .label = "a:1", .name = "a", .address = address_a, .n_addresses = 3, .tier = tier_a, .n_tiers = 1,
	  .endpoint = endpoint_a, .n_endpoints = 2 },
	{ .label = "b:1", .name = "b", .address = address_b, .n_addresses = 2, .tier = tier_b, .n_tiers = 3,
	  .endpoint = endpoint_b, .n_endpoints = 4 },
};

static void peer(const char *text, const char *peer_tier, enum tl_peer_kind kind, const char *want)
{
	const struct tl_fleet fleet = { .host = hosts, .n_hosts = 2 };
	const char *as;
	enum tl_peer_kind got = tl_fleet_peer(&fleet, 0, text, peer_tier, &as);

	ok(got == kind && !as == !want && (!as || !strcmp(as, want)), "\"%s\" of a is %s%s%s", text, tl_peer_names[kind],
	   want ? ": " : "", want ? want : "");
}

static void peers(void)
{
	peer("10.0.0.2:3306", "", TL_PEER_THERE, "db");
	peer("[::ffff:10.0.0.2]:3306", "", TL_PEER_THERE, "db");
	peer("10.0.0.1:8080", "", TL_PEER_HERE, "web@a");
	peer("[fd00:0:0::1]:80", "", TL_PEER_HERE, "web@a");
	peer("127.0.0.1:80", "", TL_PEER_HERE, "web@a");
	peer("127.8.8.8:81", "", TL_PEER_NO_TIER, NULL);
	peer("[::1]:80", "", TL_PEER_HERE, "web@a");
	peer("anything", "web", TL_PEER_HERE, "web@a");
	peer("unix", "unheard", TL_PEER_HERE, "unheard");
	peer("10.0.0.2:80", "", TL_PEER_SHARED, NULL);
	peer("10.0.0.2:33060", "", TL_PEER_NO_TIER, NULL);
	peer("172.17.0.1:80", "", TL_PEER_CLAIMED, NULL);
	peer("192.0.2.1:80", "", TL_PEER_OUTSIDE, NULL);
	peer("more", "", TL_PEER_MORE, NULL);
	peer("other", "", TL_PEER_MORE, NULL);
	peer("", "", TL_PEER_OUTSIDE, NULL);
	peer(":", "", TL_PEER_OUTSIDE, NULL);
	peer("[]:80", "", TL_PEER_OUTSIDE, NULL);
	peer("10.0.0.2:3306333333333333333333", "", TL_PEER_OUTSIDE, NULL);
	peer("10.0.0.2.10.0.0.2.10.0.0.2.10.0.0.2.10.0.0.2.10.0.0.2.10.0.0.2:80", "", TL_PEER_OUTSIDE, NULL);
}

/* ---- paths ------------------------------------------------------------------- */

static unsigned int seed = 1;

static u64 any(u64 n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % n;
}

static const char *const classes[CLASSES] = { "other", "buy", "look", "pay" };

/* Tiers that call each other as they like, in rings too. */
static struct tl_interval *interval_any(bool *direct)
{
	struct tl_interval *interval = tl_interval_new();
	char name[8], peer_name[8];
	struct tl_cell *cell;
	struct tl_edge key, *edge;
	u64 tier, i, n = 1 + any(TIERS), edges = any(20);

	for (tier = 0; tier < n; tier++) {
		snprintf(name, sizeof(name), "t%u", (unsigned int)tier);
		direct[tier] = any(2);
		for (i = 0; i < 1 + any(CLASSES); i++) {
			cell = tl_interval_cell(interval, name, classes[any(CLASSES)]);
			cell->count = any(3) ? any(1000) : 0;
			cell->response_ns = any(1000000000);
			cell->own_ns = any(1000000000);
			tl_sum_set(&cell->sum[TL_CELL_CPU], any(1000000));
		}
	}
	for (i = 0; i < edges; i++) {
		snprintf(name, sizeof(name), "t%u", (unsigned int)any(n + 1));
		snprintf(peer_name, sizeof(peer_name), "t%u", (unsigned int)any(n + 1));
		key = (struct tl_edge){ .tier = any(5) ? name : NULL, .class = (char *)classes[any(CLASSES)],
					.peer = (char *)"10.0.0.1:1", .peer_tier = any(5) ? peer_name : NULL };
		edge = tl_interval_edge(interval, &key);
		edge->calls += any(3) ? any(1000) : 0;
	}
	return interval;
}

struct sums {
	u64 count, response_ns, own_ns, cpu_ns;
};

static void cells_sum(const struct tl_interval *interval, struct sums *sums)
{
	size_t i, k;

	for (i = 0; i < interval->n_tiers; i++)
		for (k = 0; k < interval->tiers[i].n_cells; k++) {
			const struct tl_cell *cell = &interval->tiers[i].cells[k];

			sums->count += cell->count;
			sums->response_ns += cell->response_ns;
			sums->own_ns += cell->own_ns;
			sums->cpu_ns += cell->sum[TL_CELL_CPU].value;
		}
}

static void paths_sum(const struct tl_interval *interval, struct sums *sums)
{
	size_t i;

	for (i = 0; i < interval->n_paths; i++) {
		sums->count += interval->paths[i].count;
		sums->response_ns += interval->paths[i].response_ns;
		sums->own_ns += interval->paths[i].own_ns;
		sums->cpu_ns += interval->paths[i].sum[TL_PATH_CPU].value;
	}
}

/* No tier twice on a way down. */
static bool has_ring(const struct tl_interval *interval, const struct tl_path *path)
{
	const struct tl_path *above = path;

	while (above->up) {
		above = &interval->paths[above->up - 1];
		if (!strcmp(above->tier, path->tier))
			return true;
	}
	return false;
}

static void conservation(void)
{
	struct sums cells = { 0 }, paths = { 0 };
	unsigned int round, rings = 0, failed = 0;
	struct tl_interval *interval;
	bool direct[TIERS];
	size_t i, n = 0;

	for (round = 0; round < ROUNDS; round++) {
		interval = interval_any(direct);
		failed += !!tl_fleet_paths(interval, direct);
		cells_sum(interval, &cells);
		paths_sum(interval, &paths);
		for (i = 0; i < interval->n_paths; i++)
			rings += has_ring(interval, &interval->paths[i]);
		n += interval->n_paths;
		tl_interval_free(interval);
	}
	ok(!failed && n > ROUNDS, "paths of any tiers that call each other can be put together");
	ok(!rings, "and none comes to a tier twice");
	ok(!memcmp(&cells, &paths, sizeof(cells)), "sums of paths are those of the cells, to the nanosecond");
}

static struct tl_path *find(struct tl_interval *interval, const char *want)
{
	struct tl_path *found = NULL;
	char *text;
	size_t i;

	for (i = 0; i < interval->n_paths && !found; i++) {
		text = tl_path_text(interval, &interval->paths[i]);
		if (!strcmp(text, want))
			found = &interval->paths[i];
		free(text);
	}
	return found;
}

static void edge(struct tl_interval *interval, const char *tier, const char *class, const char *to, u64 calls)
{
	struct tl_edge key = { .tier = (char *)tier, .class = (char *)class, .peer = (char *)"x", .peer_tier = (char *)to };

	tl_interval_edge(interval, &key)->calls = calls;
}

static void cell(struct tl_interval *interval, const char *tier, const char *class, u64 count, u64 own_ns)
{
	struct tl_cell *at = tl_interval_cell(interval, tier, class);

	at->count = count;
	at->own_ns = own_ns;
}

static void ways(void)
{
	/* Both classes come to the one of that name, and from there to the database in the ratio of their calls. */
	const bool direct[] = { true, false, true };
	struct tl_interval *interval = tl_interval_new();
	const struct tl_path *buy, *look, *own;

	cell(interval, "web", "buy", 100, 1000);
	cell(interval, "web", "look", 300, 1000);
	cell(interval, "app", "buy", 100, 5000);
	cell(interval, "app", "look", 300, 3000);
	cell(interval, "db", "other", 1000, 8000);
	edge(interval, "web", "buy", "app", 100);
	edge(interval, "web", "look", "app", 300);
	edge(interval, "app", "buy", "db", 500);
	edge(interval, "app", "look", "db", 300);
	ok(!tl_fleet_paths(interval, direct), "a shop's paths");
	buy = find(interval, "web/buy>app/buy>db/other");
	look = find(interval, "web/look>app/look>db/other");
	own = find(interval, "db/other");
	ok(buy && buy->count == 500 && buy->own_ns == 4000, "buying calls the database five times");
	ok(look && look->count == 300 && look->own_ns == 2400, "looking once");
	ok(own && own->count == 200 && own->own_ns == 1600, "what no call explains came in through the front door");
	ok(!find(interval, "web/buy>app/look") && find(interval, "web/buy>app/buy")->own_ns == 5000,
	   "a class goes to that of its name");
	tl_interval_free(interval);
}

int main(void)
{
	peers();
	conservation();
	ways();
	return done();
}
