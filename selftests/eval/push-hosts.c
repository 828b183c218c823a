// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many hosts' remote write at one receiver
 *
 * Each simulated host has twenty tiers of ten classes, a queue on disk of its own, and series of its own (instance);
 * it closes an interval every ten seconds, each at another moment. Figures, queue, requests and client are tierlensd's
 * own. A few threads do the work of the hosts', since it is the receiver that is judged, not a thousand threads.
 *
 * Usage: push-hosts URL FOLDER HOSTS SECONDS THREADS [GLOB]: of names that are not sent. Prints an object of JSON.
 */
#include "made-intervals.h"

#include "daemon/push-batch.h"
#include "daemon/push-post.h"
#include "daemon/push-write.h"
#include "error.h"

#include <pthread.h>
#include <snappy-c.h>
#include <time.h>
#include <unistd.h>

#define S 1000000000ULL
#define EVERY_NS (10 * S)
#define DRAIN_S 60
#define MADE 8

struct host {
	struct tl_metrics metrics;
	struct tl_push_naming naming;
	struct tl_push_label label[2];
	char name[32];
	struct tl_queue *queue;
	struct tl_push_writer writer;
	struct tl_push_reader reader;
	u64 due_ns;
};

struct worker {
	pthread_t thread;
	struct host *host;
	size_t hosts;
	struct tl_post *post;
	struct tl_code_to body;
	char *packed;
	u64 intervals, unwritten, samples, requests, again, refused, bytes, late_ns;
	char said[300];
};

static const char *url, *folder;
static struct tl_interval *made[MADE];
static char *skip[1];
static u64 end_ns;

static u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (u64)now.tv_sec * S + (u64)now.tv_nsec;
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

static void fail(const char *text)
{
	fprintf(stderr, "push-hosts: %s\n", text);
	exit(1);
}

static void host_begin(struct host *host, size_t number, size_t hosts, u64 begin_ns)
{
	struct tl_error err;
	char file[4096];

	snprintf(host->name, sizeof(host->name), "host%04zu", number);
	snprintf(file, sizeof(file), "%s/%s.queue", folder, host->name);
	host->label[0] = (struct tl_push_label){ (char *)"job", (char *)"tierlens" };
	host->label[1] = (struct tl_push_label){ (char *)"instance", host->name };
	host->naming = (struct tl_push_naming){ host->label, 2, skip, skip[0] ? 1 : 0 };
	host->due_ns = begin_ns + EVERY_NS * number / hosts;
	if (tl_metrics_begin(&host->metrics, TL_SERIES_DEFAULT) ||
	    tl_queue_open(&host->queue, file, 4000000, &err) || tl_push_reader_begin(&host->reader, host->queue))
		fail(err.text);
	host->writer = (struct tl_push_writer){ .queue = host->queue, .naming = &host->naming };
}

static void interval(struct worker *w, struct host *host)
{
	struct tl_interval now = *made[(w->intervals + (size_t)(host - w->host)) % MADE];

	now.length_ns = EVERY_NS;
	now.start_ns = host->due_ns - EVERY_NS;
	w->intervals++;
	if (tl_metrics_add(&host->metrics, &now, 0, host->due_ns) ||
	    tl_push_write(&host->writer, &host->metrics, now.start_ns, host->due_ns))
		w->unwritten++;
	host->due_ns += EVERY_NS;
}

/* Return: whether it was taken, or refused for good. */
static bool part_send(struct worker *w, u64 samples)
{
	size_t len = snappy_max_compressed_length(w->body.n);
	struct tl_post_answer answer;

	free(w->packed);
	w->packed = malloc(len);
	if (!w->packed || snappy_compress((char *)w->body.byte, w->body.n, w->packed, &len))
		fail("out of memory");
	w->requests++;
	w->bytes += len;
	tl_post_send(w->post, w->packed, len, &answer);
	if (answer.status / 100 == 2) {
		w->samples += samples;
		return true;
	}
	memcpy(w->said, answer.text, sizeof(w->said));
	w->again += answer.status / 100 != 4 || answer.status == 429;
	w->refused += answer.status / 100 == 4 && answer.status != 429 ? samples : 0;
	return answer.status / 100 == 4 && answer.status != 429;
}

/* Return: whether all that was written is sent. */
static bool drain(struct worker *w, struct host *host)
{
	struct tl_queue_cursor cursor = { .slice = 0 };
	struct tl_push_part part = { 0 };
	u64 n;

	tl_push_reader_batch(&host->reader, NULL);
	while (tl_push_part(&host->reader, &part, &w->body))
		while (!part_send(w, part.samples)) {
			usleep(200000);
			if (now_ns() > end_ns + DRAIN_S * S)
				return false;
		}
	cursor.at = host->reader.batch.to;
	n = host->reader.batch.n;
	tl_queue_mark(host->queue, &cursor, n, n * host->reader.series.n);
	tl_push_reader_done(&host->reader);
	return true;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	u64 now, first;
	size_t i, at;

	for (;;) {
		first = UINT64_MAX;
		for (i = at = 0; i < w->hosts; i++)
			if (w->host[i].due_ns < first) {
				first = w->host[i].due_ns;
				at = i;
			}
		if (first > end_ns)
			return NULL;
		now = now_ns();
		if (now < first)
			usleep((useconds_t)((first - now) / 1000 + 1));
		else
			w->late_ns = max(w->late_ns, now - first);
		interval(w, &w->host[at]);
		if (!drain(w, &w->host[at]))
			return NULL;
	}
}

static size_t pending(struct worker *w)
{
	struct tl_queue_figures now;
	size_t i, n = 0;

	for (i = 0; i < w->hosts; i++) {
		tl_queue_figures(w->host[i].queue, &now);
		n += now.intervals + now.lost_intervals;
	}
	return n;
}

static void tell(struct worker *worker, size_t n, size_t hosts, double seconds, size_t series)
{
	u64 intervals = 0, unwritten = 0, samples = 0, requests = 0, again = 0, refused = 0, bytes = 0, late_ns = 0, left = 0;
	struct timespec cpu;
	size_t i;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	for (i = 0; i < n; i++) {
		intervals += worker[i].intervals;
		unwritten += worker[i].unwritten;
		samples += worker[i].samples;
		requests += worker[i].requests;
		again += worker[i].again;
		refused += worker[i].refused;
		bytes += worker[i].bytes;
		late_ns = max(late_ns, worker[i].late_ns);
		left += pending(&worker[i]);
		if (*worker[i].said)
			fprintf(stderr, "push-hosts: it said: %s\n", worker[i].said);
	}
	printf("{\"hosts\": %zu, \"series\": %zu, \"seconds\": %.1f, \"intervals\": %llu, \"unwritten\": %llu, \"not_sent\": %llu, "
	       "\"samples\": %llu, \"refused\": %llu, \"requests\": %llu, \"sent_again\": %llu, \"bytes\": %llu, "
	       "\"late_s\": %.2f, \"cpu_s\": %.1f}\n",
	       hosts, series, seconds, (unsigned long long)intervals, (unsigned long long)unwritten, (unsigned long long)left,
	       (unsigned long long)samples, (unsigned long long)refused, (unsigned long long)requests,
	       (unsigned long long)again, (unsigned long long)bytes, (double)late_ns / S,
	       (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9);
}

int main(int argc, char **argv)
{
	struct tl_post_target target = { 0 };
	struct worker *worker;
	struct tl_error err;
	size_t hosts, threads, i, series = 0;
	struct host *host;
	u64 begin_ns;

	if (argc < 6)
		return 2;
	target.url = url = argv[1];
	folder = argv[2];
	hosts = strtoul(argv[3], NULL, 10);
	threads = strtoul(argv[5], NULL, 10);
	skip[0] = argc > 6 ? argv[6] : NULL;
	for (i = 0; i < MADE; i++)
		made[i] = made_interval(i + 1, S, EVERY_NS, 20, 10, 2.5);
	host = calloc(hosts, sizeof(*host));
	worker = calloc(threads, sizeof(*worker));
	begin_ns = now_ns() + 2 * S;
	end_ns = begin_ns + strtoull(argv[4], NULL, 10) * S;
	for (i = 0; i < hosts; i++)
		host_begin(&host[i], i, hosts, begin_ns);
	for (i = 0; i < threads; i++) {
		worker[i].host = host + hosts * i / threads;
		worker[i].hosts = hosts * (i + 1) / threads - hosts * i / threads;
		if (tl_post_open(&worker[i].post, never, NULL, &err) || tl_post_target(worker[i].post, &target))
			fail("out of memory");
	}
	for (i = 0; i < threads; i++)
		if (pthread_create(&worker[i].thread, NULL, work, &worker[i]))
			fail("no more threads");
	for (i = 0; i < threads; i++)
		pthread_join(worker[i].thread, NULL);
	for (i = 0; i < hosts; i++)
		series += host[i].reader.series.n;
	tell(worker, threads, hosts, (double)(now_ns() - begin_ns) / S, series);
	return 0;
}
