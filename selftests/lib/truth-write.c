// SPDX-License-Identifier: GPL-2.0-or-later
/* The end of a run: rows summed over all and by class, as JSON and as CSV. */
#include "truth.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#define MAX_CLASSES 128

struct sums {
	const char *class;
	uint64_t count, response_ns, own_ns, call_ns, call_sum_ns, work_ns;
	uint64_t cpu_ns, done_ns;
	uint64_t bytes_in, bytes_out, calls, recvs, sends;
	uint64_t first_open_ns, last_close_ns;
};

static uint64_t response_ns(const struct truth_row *r)
{
	return r->close_ns - r->open_ns;
}

static void sums_add(struct sums *s, const struct truth_row *r)
{
	if (!s->count || r->open_ns < s->first_open_ns)
		s->first_open_ns = r->open_ns;
	if (r->close_ns > s->last_close_ns)
		s->last_close_ns = r->close_ns;
	s->count++;
	s->response_ns += response_ns(r);
	s->own_ns += response_ns(r) - r->call_ns;
	s->call_ns += r->call_ns;
	s->call_sum_ns += r->call_sum_ns;
	s->work_ns += r->work_ns;
	s->cpu_ns += r->cpu_ns;
	s->done_ns += r->done_ns - r->open_ns;
	s->bytes_in += r->bytes_in;
	s->bytes_out += r->bytes_out;
	s->calls += r->calls;
	s->recvs += r->recvs;
	s->sends += r->sends;
}

static void sums_write(const struct sums *s, FILE *f)
{
	const struct {
		const char *name;
		uint64_t v;
	} fields[] = {
		{"count", s->count},
		{"response_ns", s->response_ns},
		{"own_ns", s->own_ns},
		{"calls", s->calls},
		{"call_ns", s->call_ns},
		{"call_sum_ns", s->call_sum_ns},
		{"work_ns", s->work_ns},
		{"cpu_ns", s->cpu_ns},
		{"done_ns", s->done_ns},
		{"bytes_in", s->bytes_in},
		{"bytes_out", s->bytes_out},
		{"recvs", s->recvs},
		{"sends", s->sends},
		{"first_open_ns", s->first_open_ns},
		{"last_close_ns", s->last_close_ns},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		fprintf(f, "%s\"%s\": %llu", i ? ", " : "", fields[i].name,
			(unsigned long long)fields[i].v);
}

static struct sums *sums_find(struct sums *classes, unsigned int *n, const char *class)
{
	for (unsigned int i = 0; i < *n; i++)
		if (!strcmp(classes[i].class, class))
			return &classes[i];
	if (*n == MAX_CLASSES)
		return NULL;
	classes[*n].class = class;
	return &classes[(*n)++];
}

static uint64_t rows_kept(struct truth *t)
{
	uint64_t n = atomic_load(&t->count);

	return n < t->max_rows ? n : t->max_rows;
}

static void write_row(const struct truth_row *r, FILE *f, const char *format)
{
	fprintf(f, format, (unsigned long long)r->id, r->class,
		(unsigned long long)r->open_ns, (unsigned long long)r->close_ns,
		(unsigned long long)response_ns(r),
		(unsigned long long)(response_ns(r) - r->call_ns), r->calls,
		(unsigned long long)r->call_ns, (unsigned long long)r->call_sum_ns,
		(unsigned long long)r->work_ns, (unsigned long long)r->cpu_ns,
		(unsigned long long)r->bytes_in, (unsigned long long)r->bytes_out,
		r->recvs, r->sends, r->thread);
}

static void write_rows(struct truth *t, FILE *f)
{
	fprintf(f, ",\n \"rows\": [");
	for (uint64_t i = 0; i < rows_kept(t); i++) {
		fprintf(f, "%s\n", i ? "," : "");
		write_row(&t->rows[i], f,
			  "  {\"id\": %llu, \"class\": \"%s\", \"open_ns\": %llu, "
			  "\"close_ns\": %llu, \"response_ns\": %llu, \"own_ns\": %llu, "
			  "\"calls\": %u, \"call_ns\": %llu, \"call_sum_ns\": %llu, "
			  "\"work_ns\": %llu, \"cpu_ns\": %llu, \"bytes_in\": %llu, "
			  "\"bytes_out\": %llu, "
			  "\"recvs\": %u, \"sends\": %u, \"thread\": %u}");
	}
	fprintf(f, "]");
}

static uint64_t timeval_ns(const struct timeval *t)
{
	return t->tv_sec * 1000000000ULL + t->tv_usec * 1000ULL;
}

/* All that the process and those it has forked and waited for have used. */
static void write_process(FILE *f)
{
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	fprintf(f, ",\n \"process_user_ns\": %llu, \"process_system_ns\": %llu",
		(unsigned long long)(timeval_ns(&self.ru_utime) +
				     timeval_ns(&children.ru_utime)),
		(unsigned long long)(timeval_ns(&self.ru_stime) +
				     timeval_ns(&children.ru_stime)));
}

static void write_counters(struct truth *t, FILE *f)
{
	const struct {
		const char *name;
		unsigned long long v;
	} counters[] = {
		{"accepts", atomic_load(&t->accepts)},
		{"connects", atomic_load(&t->connects)},
		{"errors", atomic_load(&t->errors)},
		{"gone", atomic_load(&t->gone)},
		{"misplaced", atomic_load(&t->misplaced)},
		{"pipelined", atomic_load(&t->pipelined)},
		{"queued", atomic_load(&t->queued)},
		{"rows_lost", atomic_load(&t->count) - rows_kept(t)},
	};

	fprintf(f, ",\n ");
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		fprintf(f, "%s\"%s\": %llu", i ? ", " : "", counters[i].name,
			counters[i].v);
}

/* Return: 0 or -EIO. */
int truth_write_json(struct truth *t, FILE *f, const char *tier, const char *mode,
		     const char *ended, bool with_rows)
{
	static struct sums classes[MAX_CLASSES];
	struct sums all = {0}, *s;
	unsigned int n = 0;

	memset(classes, 0, sizeof(classes));
	for (uint64_t i = 0; i < rows_kept(t); i++) {
		sums_add(&all, &t->rows[i]);
		s = sums_find(classes, &n, t->rows[i].class);
		if (s)
			sums_add(s, &t->rows[i]);
	}
	fprintf(f, "{\"tier\": \"%s\", \"mode\": \"%s\", \"ended\": \"%s\", ", tier, mode,
		ended);
	sums_write(&all, f);
	write_counters(t, f);
	write_process(f);
	fprintf(f, ",\n \"classes\": {");
	for (unsigned int i = 0; i < n; i++) {
		fprintf(f, "%s\n  \"%s\": {", i ? "," : "", classes[i].class);
		sums_write(&classes[i], f);
		fprintf(f, "}");
	}
	fprintf(f, "}");
	if (with_rows)
		write_rows(t, f);
	fprintf(f, "}\n");
	return fflush(f) || ferror(f) ? -EIO : 0;
}

/* Return: 0 or -EIO. */
int truth_write_csv(struct truth *t, FILE *f)
{
	fprintf(f,
		"id,class,open_ns,close_ns,response_ns,own_ns,calls,call_ns,call_sum_ns,"
		"work_ns,cpu_ns,bytes_in,bytes_out,recvs,sends,thread\n");
	for (uint64_t i = 0; i < rows_kept(t); i++)
		write_row(&t->rows[i], f,
			  "%llu,%s,%llu,%llu,%llu,%llu,%u,%llu,%llu,%llu,%llu,%llu,%llu,"
			  "%u,%u,"
			  "%u\n");
	return fflush(f) || ferror(f) ? -EIO : 0;
}
