// SPDX-License-Identifier: GPL-2.0-or-later
/* What the client has measured, as JSON and as CSV. */
#include <errno.h>
#include <stdlib.h>

#include "load.h"

struct sums {
	uint64_t count, errors, resets, total_ns, max_ns, bytes;
};

static void sums_add(struct sums *s, const struct load_sample *x)
{
	uint64_t ns = x->end_ns - x->start_ns;

	if (x->bad) {
		s->errors++;
		return;
	}
	if (x->reset) {
		s->resets++;
		return;
	}
	s->count++;
	s->total_ns += ns;
	s->bytes += x->bytes;
	if (ns > s->max_ns)
		s->max_ns = ns;
}

static void sums_write(const struct sums *s, FILE *f)
{
	fprintf(f,
		"\"count\": %llu, \"errors\": %llu, \"resets\": %llu, \"mean_s\": %.9f, "
		"\"max_s\": %.9f, "
		"\"total_s\": %.9f, \"total_ns\": %llu, \"bytes\": %llu",
		(unsigned long long)s->count, (unsigned long long)s->errors,
		(unsigned long long)s->resets,
		s->count ? s->total_ns / 1e9 / s->count : 0, s->max_ns / 1e9,
		s->total_ns / 1e9, (unsigned long long)s->total_ns,
		(unsigned long long)s->bytes);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The smallest value that at least the share @p of all does not exceed. */
static double percentile_s(const uint64_t *sorted, uint64_t n, unsigned int percent)
{
	return n ? sorted[(n * percent + 99) / 100 - 1] / 1e9 : 0;
}

static void percentiles_write(const struct load_run *run, FILE *f)
{
	uint64_t *ns = calloc(run->tickets + 1, sizeof(*ns)), n = 0;

	if (!ns)
		return;
	for (uint64_t i = 0; i < run->tickets; i++)
		if (!run->samples[i].bad && !run->samples[i].reset)
			ns[n++] = run->samples[i].end_ns - run->samples[i].start_ns;
	qsort(ns, n, sizeof(*ns), compare);
	fprintf(f, ", \"p50_s\": %.9f, \"p95_s\": %.9f, \"p99_s\": %.9f",
		percentile_s(ns, n, 50), percentile_s(ns, n, 95),
		percentile_s(ns, n, 99));
	free(ns);
}

/* Return: the number of requests that went wrong. */
uint64_t load_write_json(const struct load_run *run, FILE *f)
{
	static struct sums targets[LOAD_TARGETS];
	const struct load_mix *m = &run->o->mix;
	struct sums all = {0};
	double seconds = (run->end_ns - run->begin_ns) / 1e9;

	for (uint64_t i = 0; i < run->tickets; i++) {
		sums_add(&all, &run->samples[i]);
		sums_add(&targets[run->samples[i].target], &run->samples[i]);
	}
	fprintf(f, "{");
	sums_write(&all, f);
	percentiles_write(run, f);
	fprintf(f,
		",\n \"seconds\": %.6f, \"rate\": %.3f, \"connections\": %u, "
		"\"connects\": %llu, \"ended\": \"%s\",\n \"targets\": [",
		seconds, seconds > 0 ? all.count / seconds : 0, run->o->connections,
		(unsigned long long)run->connects, run->ended);
	for (unsigned int i = 0; i < m->n; i++) {
		fprintf(f, "%s\n  {\"name\": \"%s\", ", i ? "," : "", m->target[i].name);
		sums_write(&targets[i], f);
		fprintf(f, "}");
	}
	fprintf(f, "]}\n");
	fflush(f);
	return all.errors;
}

/* Return: 0 or -EIO. */
int load_write_csv(const struct load_run *run, FILE *f)
{
	fprintf(f, "id,name,start_ns,end_ns,response_ns,bytes,bad\n");
	for (uint64_t i = 0; i < run->tickets; i++) {
		const struct load_sample *s = &run->samples[i];

		fprintf(f, "%llu,%s,%llu,%llu,%llu,%llu,%d\n", (unsigned long long)s->id,
			run->o->mix.target[s->target].name,
			(unsigned long long)s->start_ns, (unsigned long long)s->end_ns,
			(unsigned long long)(s->end_ns - s->start_ns),
			(unsigned long long)s->bytes, s->bad);
	}
	return fflush(f) || ferror(f) ? -EIO : 0;
}
