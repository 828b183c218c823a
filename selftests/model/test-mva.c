// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Queues and networks against an oracle's table, closed forms and each other
 *
 * ORACLE names another table, as oracle-queueing.m writes it.
 */
#include "tap.h"

#include "sim.h"

#include "model/bounds.h"
#include "model/convolution.h"
#include "model/mva.h"
#include "model/open.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS 1024
#define SIZE 64

struct row {
	char kind[16];
	double number[NUMBERS];
	size_t in, out; /* how many; the latter behind the former */
};

static bool row_read(char *line, struct row *row)
{
	char *word = strtok(line, " \n");
	size_t n = 0;

	if (!word)
		return false;
	*row = (struct row){ 0 };
	snprintf(row->kind, sizeof(row->kind), "%s", word);
	while ((word = strtok(NULL, " \n")) && n < NUMBERS) {
		if (!strcmp(word, "="))
			row->in = n;
		else
			row->number[n++] = strtod(word, NULL);
	}
	row->out = n - row->in;
	return row->in && row->out;
}

/* The largest relative difference from the oracle. */
static double worst(const struct row *row, const double *got)
{
	double most = 0;
	size_t i;

	for (i = 0; i < row->out; i++) {
		double want = row->number[row->in + i];

		most = fmax(most, fabs(got[i] - want) / fmax(fabs(want), 1e-9));
	}
	return most;
}

static uint32_t servers_of(double number)
{
	return number > 0 ? (uint32_t)number : TL_MVA_DELAY;
}

static double closed_off(const struct row *row)
{
	size_t classes = (size_t)row->number[0], stations = (size_t)row->number[1], i;
	const double *in = row->number + 2;
	uint32_t customers[SIZE], servers[SIZE];
	double got[2 * SIZE], number[SIZE];
	struct tl_mva_in mva = { .classes = classes, .stations = stations,
				 .customers = customers, .servers = servers,
				 .think_s = in + classes,
				 .demand_s = in + 2 * classes + stations };
	struct tl_mva_out out = { .throughput_per_s = got, .residence_s = got + classes,
				  .number = number };

	for (i = 0; i < classes; i++)
		customers[i] = (uint32_t)in[i];
	for (i = 0; i < stations; i++)
		servers[i] = servers_of(in[2 * classes + i]);
	if (strcmp(row->kind, "exact") ? tl_mva_schweitzer(&mva, &out) :
					 tl_mva_exact(&mva, &out))
		return INFINITY;
	return worst(row, got);
}

static double load_off(const struct row *row)
{
	size_t stations = (size_t)row->number[0], n = (size_t)row->number[1], s, k;
	const double *demand_s = row->number + 3, *speed = demand_s + stations;
	struct tl_convolution_station station[SIZE];
	struct tl_convolution_in in = { .customers = n, .stations = stations,
					.delay_s = row->number[2], .station = station };
	struct tl_convolution net;
	double got[SIZE] = { 0 };

	for (s = 0; s < stations; s++)
		station[s] = (struct tl_convolution_station){ demand_s[s], speed + s * n, n };
	if (tl_convolution(&in, &net))
		return INFINITY;
	got[0] = net.throughput_per_s[n];
	for (s = 0; s < stations; s++)
		for (k = 1; k <= n; k++)
			got[1 + s] += (double)k * tl_convolution_chance(&net, s, k, n);
	tl_convolution_free(&net);
	return worst(row, got);
}

static double queue_off(const struct row *row)
{
	const double *in = row->number;
	struct tl_open_out out;
	double got[5];
	int code;

	if (!strcmp(row->kind, "mm1"))
		code = tl_open_mm1(in[0], in[1], &out);
	else if (!strcmp(row->kind, "mg1"))
		code = tl_open_mg1(in[0], in[1], in[2], &out);
	else if (!strcmp(row->kind, "mmm"))
		code = tl_open_mmm(in[0], in[1], (uint32_t)in[2], &out);
	else
		code = tl_open_mmmk(in[0], in[1], (uint32_t)in[2], (uint32_t)in[3], &out);
	if (code)
		return INFINITY;
	got[0] = out.utilisation;
	got[1] = out.response_s;
	got[2] = out.number;
	got[3] = out.throughput_per_s;
	got[4] = out.turned_away;
	return worst(row, got);
}

static double open_off(const struct row *row)
{
	size_t classes = (size_t)row->number[0], stations = (size_t)row->number[1], i, culprit;
	const double *in = row->number + 2;
	uint32_t servers[SIZE];
	double got[SIZE];
	struct tl_open_in open = { .classes = classes, .stations = stations,
				   .arrivals_per_s = in, .servers = servers,
				   .demand_s = in + classes + stations };

	for (i = 0; i < stations; i++)
		servers[i] = servers_of(in[classes + i]);
	return tl_open_network(&open, got, &culprit) ? INFINITY : worst(row, got);
}

static double bounds_off(const struct row *row)
{
	const double *in = row->number;
	struct tl_bounds_out out;
	double got[4];
	int code = (!strcmp(row->kind, "balanced") ? tl_bounds_balanced : tl_bounds_asymptotic)
		(in[0], in[1], (size_t)in[2], in + 3, &out);

	got[0] = out.throughput_low_per_s;
	got[1] = out.throughput_high_per_s;
	got[2] = out.response_low_s;
	got[3] = out.response_high_s;
	return code ? INFINITY : worst(row, got);
}

static const struct oracle {
	const char *kind;
	double (*off)(const struct row *row);
	double bar;
	size_t least; /* rows */
} oracles[] = {
	{ "exact", closed_off, 1e-6, 24 }, { "schweitzer", closed_off, 1e-4, 10 },
	{ "load", load_off, 1e-6, 8 }, { "mm1", queue_off, 1e-9, 6 }, { "mmm", queue_off, 1e-9, 6 },
	{ "mmmk", queue_off, 1e-9, 6 }, { "mg1", queue_off, 1e-9, 6 },
	{ "open", open_off, 1e-9, 6 }, { "asymptotic", bounds_off, 1e-9, 6 },
	{ "balanced", bounds_off, 1e-9, 6 },
};

#define ORACLES (sizeof(oracles) / sizeof(*oracles))

static void test_oracle(const char *name)
{
	double most[ORACLES] = { 0 };
	size_t rows[ORACLES] = { 0 }, room = 0, i;
	FILE *file = fopen(name, "r");
	char *line = NULL;
	struct row row;

	while (file && getline(&line, &room, file) > 0 && row_read(line, &row))
		for (i = 0; i < ORACLES; i++)
			if (!strcmp(row.kind, oracles[i].kind)) {
				most[i] = fmax(most[i], oracles[i].off(&row));
				rows[i]++;
				break;
			}
	for (i = 0; i < ORACLES; i++)
		ok(rows[i] >= oracles[i].least && most[i] <= oracles[i].bar,
		   "%s: %zu cases of the oracle, off by %.2g at most", oracles[i].kind, rows[i],
		   most[i]);
	free(line);
	if (file)
		fclose(file);
}

/* ---- against each other --------------------------------------------------------- */

struct network {
	uint32_t customers[4], servers[6];
	double think_s[4], demand_s[24], throughput_per_s[4], residence_s[24], number[24];
	struct tl_mva_in in;
	struct tl_mva_out out;
};

static void network_draw(struct sim *r, struct network *n, size_t classes, size_t stations,
			 uint32_t servers_most)
{
	size_t i;

	n->in = (struct tl_mva_in){ .classes = classes, .stations = stations,
				    .customers = n->customers, .servers = n->servers,
				    .think_s = n->think_s, .demand_s = n->demand_s };
	n->out = (struct tl_mva_out){ .throughput_per_s = n->throughput_per_s,
				      .residence_s = n->residence_s, .number = n->number };
	for (i = 0; i < classes; i++) {
		n->customers[i] = 1 + (uint32_t)(20 * sim_uniform(r));
		n->think_s[i] = 3 * sim_uniform(r);
	}
	for (i = 0; i < stations; i++)
		n->servers[i] = 1 + (uint32_t)(servers_most * sim_uniform(r));
	for (i = 0; i < classes * stations; i++)
		n->demand_s[i] = 0.01 + 0.2 * sim_uniform(r);
}

/* Mean values and convolution are two ways to the same. */
static void test_two_ways(struct sim *r)
{
	static const double even[] = { 1, 2, 3, 4 };
	struct tl_convolution_station station[6];
	struct tl_convolution net;
	struct network n;
	double most = 0;
	size_t i, s;

	for (i = 0; i < 100; i++) {
		network_draw(r, &n, 1, 1 + i % 5, 4);
		for (s = 0; s < n.in.stations; s++)
			station[s] = (struct tl_convolution_station){ n.demand_s[s], even,
								      n.servers[s] };
		if (tl_mva_exact(&n.in, &n.out) ||
		    tl_convolution(&(struct tl_convolution_in){
			    .customers = n.customers[0], .stations = n.in.stations,
			    .delay_s = n.think_s[0], .station = station }, &net))
			most = INFINITY;
		else
			most = fmax(most, fabs(net.throughput_per_s[n.customers[0]] /
					       n.throughput_per_s[0] - 1));
		tl_convolution_free(&net);
	}
	ok(most < 1e-8, "convolution and mean values agree (%.2g)", most);
}

static void test_linearizer(struct sim *r)
{
	double off, sum[2] = { 0 }, most[2] = { 0 };
	struct network n;
	double exact[4];
	size_t i, c, near;

	for (i = 0; i < 100; i++) {
		network_draw(r, &n, 1 + i % 3, 1 + i % 5, 1);
		tl_mva_exact(&n.in, &n.out);
		memcpy(exact, n.throughput_per_s, sizeof(exact));
		for (near = 0; near < 2; near++) {
			(near ? tl_mva_linearizer : tl_mva_schweitzer)(&n.in, &n.out);
			for (c = 0; c < n.in.classes; c++) {
				off = fabs(n.throughput_per_s[c] / exact[c] - 1);
				sum[near] += off / (double)n.in.classes / 100;
				most[near] = fmax(most[near], off);
			}
		}
	}
	ok(sum[1] < 0.002 && most[1] < 0.02 && sum[1] < sum[0] / 5,
	   "Linearizer is off by %.2g, %.2g at most; Schweitzer by %.2g, %.2g at most", sum[1],
	   most[1], sum[0], most[0]);
}

/* Ten thousand customers of a server: every digit of the bound, none of them lost. */
static void test_large(void)
{
	static const double speed[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct tl_convolution_station station[] = { { 0.08, speed, 8 }, { 0.004, speed, 1 } };
	struct tl_convolution_in in = { .customers = 10000, .stations = 2, .delay_s = 20,
					.station = station };
	struct tl_convolution net;
	double sum = 0;
	size_t n;

	ok(!tl_convolution(&in, &net) && fabs(net.throughput_per_s[10000] - 100) < 1e-9,
	   "a saturated server of 8 works all the time");
	for (n = 0; n <= 10000; n++)
		sum += tl_convolution_chance(&net, 0, n, 10000);
	ok(fabs(sum - 1) < 1e-9, "chances add up to one (%.2g off)", sum - 1);
	tl_convolution_free(&net);
}

static void test_refused(void)
{
	const double demand_s[] = { 0.5, 0.6 }, arrivals = 1.7;
	const uint32_t servers[] = { 1, 1 }, many[] = { 30000, 30000 };
	const double think_s[] = { 0, 0 };
	struct tl_open_in open = { .classes = 1, .stations = 2, .arrivals_per_s = &arrivals,
				   .servers = servers, .demand_s = demand_s };
	struct tl_mva_in in = { .classes = 2, .stations = 1, .customers = many,
				.think_s = think_s, .servers = servers, .demand_s = demand_s };
	struct tl_mva_out out = { 0 };
	struct tl_open_out queue;
	struct tl_bounds_out bounds;
	double residence_s[2];
	size_t culprit = 0;

	ok(tl_open_network(&open, residence_s, &culprit) == -EDOM && culprit == 1,
	   "what asks for more than there is is refused, and named");
	ok(tl_open_mm1(2, 0.5, &queue) == -EDOM && tl_open_mmm(4, 0.5, 2, &queue) == -EDOM &&
	   tl_open_mg1(1, -1, 1, &queue) == -EINVAL &&
	   tl_open_mmmk(1, 1, 3, 2, &queue) == -EINVAL, "queues without a steady state, too");
	ok(tl_mva_exact(&in, &out) == -E2BIG, "too many states are refused before they are kept");
	ok(tl_bounds_balanced(0, 1, 2, demand_s, &bounds) == -EINVAL, "nobody has no bounds");
	ok(!tl_open_mmmk(1000, 1, 2, 5000, &queue) && fabs(queue.throughput_per_s - 2) < 1e-9 &&
	   fabs(queue.turned_away - 0.998) < 1e-9, "a queue that is always full");
}

int main(void)
{
	const char *table = getenv("ORACLE");
	static struct sim random;

	sim_seed(&random, 7);
	test_oracle(table ? table : "selftests/model/oracle-queueing.txt");
	test_two_ways(&random);
	test_linearizer(&random);
	test_large();
	test_refused();
	return done();
}
