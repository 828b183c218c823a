// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How busy the host was
 *
 * The kernel's counters of processors, disks and networks are read when an interval
 * ends, not when its figures come, which is a quiet time later. The utilisation of an
 * interval is the difference of two samples, one at its beginning and one at its end;
 * if one of them was not taken in time, because the reader had just begun or stood
 * still, the utilisation is absent and not guessed.
 */
#include "host.h"

#include "table.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static FILE *open_below(const char *root, const char *name)
{
	char path[400];

	snprintf(path, sizeof(path), "%s%s", root, name);
	return fopen(path, "re");
}

__attribute__((format(printf, 5, 6))) static void
counter_add(struct tl_host_sample *sample, u64 value, u64 whole, double unit,
	    const char *name, ...)
{
	struct tl_host_counter *counter;
	char *text = NULL;
	va_list args;

	va_start(args, name);
	if (vasprintf(&text, name, args) < 0)
		text = NULL;
	va_end(args);
	counter = text ? tl_array_append((void **)&sample->counter, &sample->n,
					 sizeof(*counter)) : NULL;
	if (counter)
		*counter = (struct tl_host_counter){ tl_text_utf8(text, strlen(text)), value,
						     whole, unit };
	free(text);
}

/* "cpu", then ticks: user nice system idle iowait irq softirq steal. Guests' time is in
 * user and nice. */
static void read_processors(struct tl_host_sample *sample, FILE *from)
{
	u64 tick[8] = { 0 }, whole = 0;
	int i, n;

	n = fscanf(from, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64, &tick[0], &tick[1], &tick[2],
		   &tick[3], &tick[4], &tick[5], &tick[6], &tick[7]);
	if (n < 4)
		return;
	for (i = 0; i < n; i++)
		whole += tick[i];
	/* Not idle, and not taken by another guest of the machine below. */
	counter_add(sample, whole - tick[3] - tick[4] - tick[7], whole, 1, "cpu");
}

/* A partition has no directory of its own there. */
static bool is_whole_disk(const char *root, const char *name)
{
	char path[400], *slash;
	size_t at;

	if (!strncmp(name, "loop", 4) || !strncmp(name, "ram", 3) ||
	    !strncmp(name, "zram", 4))
		return false;
	at = (size_t)snprintf(path, sizeof(path), "%s/sys/block/", root);
	if (at >= sizeof(path))
		return false;
	snprintf(path + at, sizeof(path) - at, "%s", name);
	for (slash = path + at; (slash = strchr(slash, '/'));)
		*slash = '!';
	return !access(path, F_OK);
}

/* "major minor name", then counters, of which the tenth are milliseconds in use. */
static void read_disks(struct tl_host_sample *sample, FILE *from, const char *root)
{
	char *line = NULL, name[128];
	size_t room = 0;
	u64 busy_ms;

	while (getline(&line, &room, from) > 0)
		if (sscanf(line, "%*u %*u %127s %*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64,
			   name, &busy_ms) == 2 && is_whole_disk(root, name))
			counter_add(sample, busy_ms, 0, 1e-3, "disk.%s", name);
	free(line);
}

/* "name: bytes received", seven more counters, bytes sent. */
static void read_networks(struct tl_host_sample *sample, FILE *from)
{
	char *line = NULL, name[128];
	size_t room = 0;
	u64 in, out;

	while (getline(&line, &room, from) > 0) {
		if (sscanf(line, " %127[^: ]: %" SCNu64 " %*u %*u %*u %*u %*u %*u %*u %" SCNu64,
			   name, &in, &out) != 3 || !strcmp(name, "lo"))
			continue;
		counter_add(sample, in, 0, 1, "net.%s.in_bytes_s", name);
		counter_add(sample, out, 0, 1, "net.%s.out_bytes_s", name);
	}
	free(line);
}

static void sample_clear(struct tl_host_sample *sample)
{
	size_t i;

	for (i = 0; i < sample->n; i++)
		free(sample->counter[i].name);
	free(sample->counter);
	memset(sample, 0, sizeof(*sample));
}

/**
 * tl_host_look() - Take a sample
 * @samples: where it goes; what cannot be read is left out
 * @real_ns: CLOCK_REALTIME, by which intervals are found
 * @mono_ns: CLOCK_MONOTONIC, by which time is measured
 */
void tl_host_look(struct tl_host_samples *samples, u64 real_ns, u64 mono_ns)
{
	struct tl_host_sample *sample = &samples->sample[samples->n++ % TL_HOST_SAMPLES];
	const char *root = samples->root ? samples->root : "";
	FILE *from;

	sample_clear(sample);
	sample->real_ns = real_ns;
	sample->mono_ns = mono_ns;
	from = open_below(root, "/proc/stat");
	if (from) {
		read_processors(sample, from);
		fclose(from);
	}
	from = open_below(root, "/proc/diskstats");
	if (from) {
		read_disks(sample, from, root);
		fclose(from);
	}
	from = open_below(root, "/proc/net/dev");
	if (from) {
		read_networks(sample, from);
		fclose(from);
	}
}

/**
 * tl_host_slack_ns() - How far from the end of an interval a sample may be taken
 * @length_ns: of the interval
 *
 * Return: nanoseconds.
 */
u64 tl_host_slack_ns(u64 length_ns)
{
	return length_ns / 20 + 2000000;
}

static u64 apart(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

/* The sample that was taken at that time, or NULL. */
static const struct tl_host_sample *sample_at(const struct tl_host_samples *samples,
					      u64 real_ns, u64 slack_ns)
{
	const struct tl_host_sample *best = NULL;
	size_t i;

	for (i = 0; i < min(samples->n, (size_t)TL_HOST_SAMPLES); i++) {
		const struct tl_host_sample *s = &samples->sample[i];

		if (apart(s->real_ns, real_ns) <= slack_ns &&
		    (!best || apart(s->real_ns, real_ns) < apart(best->real_ns, real_ns)))
			best = s;
	}
	return best;
}

static const struct tl_host_counter *counter_find(const struct tl_host_sample *sample,
						  const char *name, size_t hint)
{
	size_t i, at;

	for (i = 0; name && i < sample->n; i++) {
		at = (hint + i) % sample->n;
		if (sample->counter[at].name && !strcmp(sample->counter[at].name, name))
			return &sample->counter[at];
	}
	return NULL;
}

/**
 * tl_host_add() - Give an interval the utilisations of its host
 * @samples: taken until now
 * @interval: gets those that are known
 *
 * Return: 0 or -ENOMEM.
 */
int tl_host_add(const struct tl_host_samples *samples, struct tl_interval *interval)
{
	u64 slack_ns = tl_host_slack_ns(interval->length_ns), value, whole;
	const struct tl_host_sample *from, *to;
	double over, mean;
	size_t i;

	from = sample_at(samples, interval->start_ns, slack_ns);
	to = sample_at(samples, interval->start_ns + interval->length_ns, slack_ns);
	if (!from || !to || to->mono_ns <= from->mono_ns)
		return 0;
	for (i = 0; i < to->n; i++) {
		const struct tl_host_counter *end = &to->counter[i];
		const struct tl_host_counter *begin = counter_find(from, end->name, i);

		/* One that went back was reset: its device is another one. */
		if (!begin || end->value < begin->value || end->whole < begin->whole)
			continue;
		value = end->value - begin->value;
		whole = end->whole - begin->whole;
		over = end->whole ? (double)whole : tl_ns_to_s(to->mono_ns - from->mono_ns);
		if (over <= 0)
			continue;
		mean = (double)value * end->unit / over;
		/* Disks count in steps that may end beyond the sample's time. */
		if (!strncmp(end->name, "disk.", 5))
			mean = min(mean, 1.0);
		if (tl_interval_host(interval, end->name, mean, interval->length_ns))
			return -ENOMEM;
	}
	return 0;
}

/**
 * tl_host_tiers() - Give an interval the part of the processors that each tier used
 * @interval: usage of its tiers known or not
 * @processors: of the host; 0 if it is not known
 *
 * Return: 0 or -ENOMEM.
 */
int tl_host_tiers(struct tl_interval *interval, u32 processors)
{
	char *name;
	size_t i;
	int code;

	for (i = 0; i < interval->n_tiers && processors; i++) {
		const struct tl_sum *usage = interval->tiers[i].usage, *cpu = &usage[TL_USAGE_CPU];
		u64 elapsed_ns = tl_usage_elapsed_ns(usage, interval->length_ns);
		double room = (double)elapsed_ns * processors;

		/* Closed together with the one before, which has most of what was used in this. */
		if (!tl_sum_known(cpu) || room <= 0 || elapsed_ns < interval->length_ns / 2)
			continue;
		if (asprintf(&name, "%s.cpu", interval->tiers[i].name) < 0)
			return -ENOMEM;
		code = tl_interval_host(interval, name, (double)cpu->value / room,
					interval->length_ns);
		free(name);
		if (code)
			return code;
	}
	return 0;
}

/**
 * tl_host_processors() - Learn of a host's processors, if what a tier used is known
 *	both as time and as a part of all processors' time
 * @interval: interval
 * @host: one of its resources; nothing is learnt if it is not a tier's processor time
 * @cpu_s: grows by what the tier used, seconds
 * @room_s: grows by the part of one processor's time that it would be; @cpu_s by this
 *	is the number of processors
 */
void tl_host_processors(const struct tl_interval *interval, const struct tl_host *host,
			double *cpu_s, double *room_s)
{
	size_t i;

	for (i = 0; i < interval->n_tiers; i++) {
		const struct tl_sum *usage = interval->tiers[i].usage;

		if (!tl_sum_known(&usage[TL_USAGE_CPU]) ||
		    !tl_host_is_cpu_of(host->name, interval->tiers[i].name))
			continue;
		*cpu_s += tl_ns_to_s(usage[TL_USAGE_CPU].value);
		*room_s += host->value * tl_ns_to_s(tl_usage_elapsed_ns(usage, interval->length_ns));
	}
}

/**
 * tl_host_free() - Free what samples hold
 * @samples: samples
 */
void tl_host_free(struct tl_host_samples *samples)
{
	size_t i;

	for (i = 0; i < TL_HOST_SAMPLES; i++)
		sample_clear(&samples->sample[i]);
	samples->n = 0;
}
