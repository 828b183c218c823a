// SPDX-License-Identifier: GPL-2.0-or-later
#include "lqn-shapes.h"

#include "sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TRANSACTIONS 14
#define THINK_S 2.0

const char *const shop_kinds[SHOP_KINDS] = { "free", "pools", "cores", "log", "fcfs" };
const char *const shop_mixes[SHOP_MIXES] = { "browsing", "shopping", "ordering" };

/* Customers, as a part of those with whom the busiest processor would be saturated. */
const double shop_loads[SHOP_LOADS] = { 0.5, 0.9, 1.3 };

/* The TPC-W specification's mixes in percent, and its interactions. */
static const char *const name[TRANSACTIONS] = {
	"home", "new", "best", "detail", "search", "results", "cart", "register", "buy",
	"confirm", "inquiry", "order", "admin", "change",
};
static const double percent[SHOP_MIXES][TRANSACTIONS] = {
	{ 29, 11, 11, 21, 12, 11, 2, 0.82, 0.75, 0.69, 0.3, 0.25, 0.1, 0.09 },
	{ 16, 5, 5, 17, 20, 17, 11.6, 3, 2.6, 1.2, 0.75, 0.66, 0.1, 0.09 },
	{ 9.12, 0.46, 0.46, 12.35, 14.53, 13.08, 13.53, 12.86, 12.73, 10.18, 0.25, 0.22, 0.12,
	  0.11 },
};

struct shop {
	const double *percent;
	enum shop_kind kind;
	double web_s[TRANSACTIONS], app_s[TRANSACTIONS], db_s[TRANSACTIONS];
	unsigned int queries[TRANSACTIONS];
	double busiest_s, all_s; /* of a request, in the mean */
	unsigned int customers;
};

static void demands_draw(struct shop *shop, struct sim *r)
{
	double web = 0, app = 0, db = 0;
	unsigned int t;

	for (t = 0; t < TRANSACTIONS; t++) {
		shop->web_s[t] = 0.001 + 0.002 * sim_uniform(r);
		shop->app_s[t] = 0.003 + 0.009 * sim_uniform(r);
		shop->db_s[t] = 0.003 * exp(0.8 * sim_normal(r));
		shop->queries[t] = 1 + (unsigned int)(2.5 * sim_uniform(r));
		web += shop->percent[t] / 100 * shop->web_s[t];
		app += shop->percent[t] / 100 * shop->app_s[t];
		db += shop->percent[t] / 100 * shop->db_s[t] * shop->queries[t];
	}
	shop->busiest_s = fmax(fmax(web, app), db) / (shop->kind == SHOP_CORES ? 2 : 1);
	shop->all_s = web + app + db;
}

static void processors_write(const struct shop *shop, FILE *to)
{
	static const char *const tier[] = { "web", "app", "db" };
	unsigned int i;

	fprintf(to, "P 0\np users i\n");
	for (i = 0; i < 3; i++)
		fprintf(to, "p %s %s\n", tier[i], shop->kind == SHOP_FCFS  ? "f" :
						  shop->kind == SHOP_CORES ? "s m 2" : "s");
	if (shop->kind == SHOP_LOG)
		fprintf(to, "p log f\n");
	fprintf(to, "-1\n");
}

static void tasks_write(const struct shop *shop, FILE *to)
{
	static const unsigned int threads[] = { 50, 20, 8 };
	static const char *const tier[] = { "web", "app", "db" };
	bool limited = shop->kind != SHOP_FREE && shop->kind != SHOP_CORES;
	unsigned int i, t;

	fprintf(to, "T 0\nt users r cycle -1 users z %g m %u\n", THINK_S, shop->customers);
	for (i = 0; i < 3; i++) {
		fprintf(to, "t %s n", tier[i]);
		for (t = 0; t < TRANSACTIONS; t++)
			fprintf(to, " %s_%s", tier[i], name[t]);
		fprintf(to, " -1 %s", tier[i]);
		if (limited)
			fprintf(to, " m %u\n", threads[i]);
		else
			fprintf(to, " i\n");
	}
	if (shop->kind == SHOP_LOG)
		fprintf(to, "t log n log -1 log\n");
	fprintf(to, "-1\n");
}

static void entries_write(const struct shop *shop, FILE *to)
{
	unsigned int t;

	fprintf(to, "E 0\ns cycle 0 -1\n");
	for (t = 0; t < TRANSACTIONS; t++) {
		const char *n = name[t];

		fprintf(to, "y cycle web_%s %.6f -1\n", n, shop->percent[t] / 100);
		fprintf(to, "s web_%s %.9f -1\ny web_%s app_%s 1 -1\n", n, shop->web_s[t], n, n);
		fprintf(to, "s app_%s %.9f -1\ny app_%s db_%s %u -1\n", n, shop->app_s[t], n, n,
			shop->queries[t]);
		fprintf(to, "s db_%s %.9f -1\n", n, shop->db_s[t]);
		if (shop->kind == SHOP_LOG)
			fprintf(to, "z app_%s log 1 -1\n", n);
	}
	if (shop->kind == SHOP_LOG)
		fprintf(to, "s log %.9f -1\n", 0.5 * shop->busiest_s);
	fprintf(to, "-1\n");
}

/**
 * lqn_shop() - A shop of three tiers and fourteen kinds of requests
 * @mix: below SHOP_MIXES
 * @load: below SHOP_LOADS
 * @kind: of its threads and processors
 * @seed: of its demands
 *
 * Return: text, to be freed; NULL without memory.
 */
char *lqn_shop(unsigned int mix, unsigned int load, enum shop_kind kind, uint64_t seed)
{
	struct shop shop = { .percent = percent[mix], .kind = kind };
	static struct sim random;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	sim_seed(&random, seed);
	demands_draw(&shop, &random);
	shop.customers = (unsigned int)(shop_loads[load] * (THINK_S + shop.all_s) /
					shop.busiest_s);
	fprintf(to, "G \"shop\" 1e-6 100 1 0.5 -1\n");
	processors_write(&shop, to);
	tasks_write(&shop, to);
	entries_write(&shop, to);
	fclose(to);
	return text;
}

/* ---- services ------------------------------------------------------------------- */

#define PAGES 28
#define MIDDLE 25
#define STORES 12

static void services_write(struct sim *r, FILE *to)
{
	unsigned int i, k;

	fprintf(to, "E 0\ns cycle 0 -1\n");
	for (i = 0; i < PAGES; i++) {
		fprintf(to, "y cycle page%u %.6f -1\ns page%u %.6f -1\n", i, 1.0 / PAGES, i,
			0.0005 + 0.0025 * sim_uniform(r));
		for (k = 0; k < 3; k++)
			fprintf(to, "y page%u middle%u %g -1\n", i, (i + 9 * k) % MIDDLE,
				k ? 1 : 0.5);
	}
	for (i = 0; i < MIDDLE; i++) {
		fprintf(to, "s middle%u %.6f -1\n", i, 0.0005 + 0.0035 * sim_uniform(r));
		for (k = 0; k < 2; k++)
			fprintf(to, "y middle%u store%u 1 -1\n", i, (i + 5 * k) % STORES);
	}
	for (i = 0; i < STORES; i++)
		fprintf(to, "s store%u %.6f -1\n", i, 0.001 + 0.004 * sim_uniform(r));
	fprintf(to, "-1\n");
}

/**
 * lqn_services() - Sixty-five services, each with its own threads, on three machines
 * @seed: of their demands
 *
 * Return: text, to be freed; NULL without memory.
 */
char *lqn_services(uint64_t seed)
{
	static struct sim random;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	unsigned int i;

	if (!to)
		return NULL;
	sim_seed(&random, seed);
	fprintf(to, "G \"services\" 1e-6 100 1 0.5 -1\nP 0\np users i\np one f\np two f m 2\n"
		    "p data s m 2\n-1\nT 0\nt users r cycle -1 users z 5 m 500\n");
	for (i = 0; i < PAGES; i++)
		fprintf(to, "t page%u n page%u -1 %s m %u\n", i, i, i % 2 ? "one" : "two",
			4 + (unsigned int)(16 * sim_uniform(&random)));
	for (i = 0; i < MIDDLE; i++)
		fprintf(to, "t middle%u n middle%u -1 %s m %u\n", i, i, i % 2 ? "one" : "two",
			4 + (unsigned int)(16 * sim_uniform(&random)));
	for (i = 0; i < STORES; i++)
		fprintf(to, "t store%u n store%u -1 data m %u\n", i, i,
			2 + (unsigned int)(8 * sim_uniform(&random)));
	fprintf(to, "-1\n");
	services_write(&random, to);
	fclose(to);
	return text;
}

/**
 * lqn_host() - Three tiers on one processor, the middle one with few processes
 * @customers: how many
 *
 * Return: text, to be freed; NULL without memory.
 */
char *lqn_host(unsigned int customers)
{
	char *text = NULL;
	int len = asprintf(&text, "P 0\np users i\np host s\n-1\nT 0\nt users r cycle -1 users z 0.4 m %u\n"
			   "t front n page -1 host i\nt app n work -1 host m 16\nt db n query -1 host i\n-1\nE 0\n"
			   "y cycle page 1 -1\ns page 0.0002 -1\ny page work 1 -1\ns work 0.0035 -1\n"
			   "Z work 0.0005 -1\ny work query 4 -1\ns query 0.0025 -1\n-1\n", customers);

	return len < 0 ? NULL : text;
}
