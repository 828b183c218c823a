// SPDX-License-Identifier: GPL-2.0-or-later
/* Remote write without a receiver: the queue, whatever becomes of its file, and requests as protobuf-c reads them. */
#include "clock.h"
#include "daemon/push-batch.h"
#include "daemon/push-write.h"
#include "daemon/push.h"
#include "error.h"
#include "remote-write.pb-c.h"
#include "tap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define S 1000000000ULL
#define SMALL (2 * 4096 + TL_QUEUE_SLOTS * 8192)
#define RECORD 1000

static char dir[] = "/tmp/test-user-push-XXXXXX", file[64];
static struct tl_error err;

/* ---- the queue ----------------------------------------------------------- */

static struct tl_queue *opened(u64 bytes)
{
	struct tl_queue *queue;

	if (!tl_queue_open(&queue, file, bytes, &err))
		return queue;
	printf("# %s\n", err.text);
	exit(1);
}

/* Bytes that cannot be compressed, and are others for each number. */
static void fill(u8 *bytes, size_t n, u32 number)
{
	u32 state = number * 2654435761U + 1;
	size_t i;

	memcpy(bytes + TL_RECORD_HEAD, &number, sizeof(number));
	for (i = TL_RECORD_HEAD + sizeof(number); i < n; i++) {
		state = state * 1664525U + 1013904223U;
		bytes[i] = (u8)(state >> 24);
	}
}

static int put(struct tl_queue *queue, u32 number)
{
	u8 bytes[RECORD];
	struct tl_record record = { TL_RECORD_VALUES, 10, number, bytes, sizeof(bytes) };
	int code;

	fill(bytes, sizeof(bytes), number);
	code = tl_queue_put(queue, &record, 1);
	if (code != -EAGAIN)
		return code;
	tl_queue_turn(queue);
	return tl_queue_put(queue, &record, 1);
}

/* Return: number of the next record, 0 for none; -1 for one that is not as it was written. */
static long next(struct tl_queue *queue, struct tl_queue_at *at, u64 *gone)
{
	struct tl_record record;
	u8 bytes[RECORD];
	u32 number;
	int code;

	while ((code = tl_queue_get(queue, at, &record)) < 0) {
		++*gone;
		if (code == -EBADMSG)
			tl_queue_pass(queue, at);
	}
	if (!code)
		return 0;
	memcpy(&number, record.byte + TL_RECORD_HEAD, sizeof(number));
	fill(bytes, sizeof(bytes), number);
	if (record.n != RECORD || record.samples != 10 || record.last_ms != number ||
	    memcmp(bytes + TL_RECORD_HEAD, record.byte + TL_RECORD_HEAD, RECORD - TL_RECORD_HEAD))
		return -1;
	return number;
}

/* Return: the last number, if all from @from on are there in order. */
static long all_from(struct tl_queue *queue, struct tl_queue_at *at, long from)
{
	u64 gone = 0;
	long number;

	for (; (number = next(queue, at, &gone)); from++)
		if (number != from)
			return -1;
	return from - 1;
}

static void order(void)
{
	struct tl_queue *queue = opened(SMALL), *other;
	struct tl_queue_cursor cursor;
	struct tl_queue_figures figures;
	u32 i;

	tl_queue_cursor(queue, &cursor);
	for (i = 1; i <= 40; i++)
		put(queue, i);
	ok(all_from(queue, &cursor.at, 1) == 40, "records come out as they went in");
	ok(tl_queue_open(&other, file, SMALL, &err) == -EBUSY && strstr(err.text, "another tierlensd"),
	   "another one cannot have the file");
	tl_queue_mark(queue, &cursor, 40, 400);
	for (i = 41; i <= 50; i++)
		put(queue, i);
	tl_queue_close(queue);
	queue = opened(SMALL);
	tl_queue_cursor(queue, &cursor);
	tl_queue_figures(queue, &figures);
	ok(figures.intervals == 10 && figures.samples == 100, "opened again: what was not sent waits");
	ok(tl_queue_last_ms(queue) == 50, "and the last time is known");
	put(queue, 51);
	ok(all_from(queue, &cursor.at, 41) == 51, "it goes on where it ended");
	tl_queue_close(queue);
	unlink(file);
}

static void bound(void)
{
	struct tl_queue *queue = opened(SMALL);
	struct tl_queue_cursor cursor;
	struct tl_queue_figures figures;
	struct stat stats;
	u64 gone = 0;
	long first, last;
	u32 i;

	tl_queue_cursor(queue, &cursor);
	for (i = 1; i <= 1000; i++)
		put(queue, i);
	tl_queue_figures(queue, &figures);
	stat(file, &stats);
	ok(stats.st_size <= SMALL && figures.size <= SMALL && figures.bytes <= SMALL, "it never becomes larger");
	ok(figures.intervals + figures.lost_intervals == 1000 && figures.lost_samples == 10 * figures.lost_intervals,
	   "what had to make room is counted");
	ok(figures.intervals >= 100, "and is no more than a slot more than need be");
	first = next(queue, &cursor.at, &gone);
	ok(gone == 1 && first == (long)figures.lost_intervals + 1, "the oldest is gone, and it is said that something is");
	last = all_from(queue, &cursor.at, first + 1);
	ok(last == 1000, "all newer ones are there");
	tl_queue_close(queue);
	queue = opened(SMALL * 2);
	tl_queue_figures(queue, &figures);
	ok(figures.size <= SMALL && figures.intervals == 1000 - (u64)first + 1, "another size: first it is used up");
	tl_queue_cursor(queue, &cursor);
	all_from(queue, &cursor.at, first);
	tl_queue_mark(queue, &cursor, 1000, 10000);
	tl_queue_close(queue);
	queue = opened(SMALL * 2);
	tl_queue_figures(queue, &figures);
	ok(figures.size > SMALL && !figures.intervals, "and then it has that size");
	tl_queue_close(queue);
	unlink(file);
}

/* A process that is killed while it writes and reads, wherever that is. */
static void killed(void)
{
	long last = 0, missing = 0, twice = 0, sent = 0, turn;
	struct tl_queue_cursor cursor;
	struct tl_queue *queue;
	u64 gone = 0;
	int pipes[2];
	pid_t child;
	u32 number;

	for (turn = 0; turn < 25; turn++) {
		if (pipe(pipes))
			break;
		child = fork();
		if (!child) {
			queue = opened(SMALL);
			tl_queue_cursor(queue, &cursor);
			for (number = (u32)tl_queue_last_ms(queue) + 1;; number++) {
				if (put(queue, number) || write(pipes[1], &number, sizeof(number)) < 0)
					_exit(1);
				if (number % 3 == 0 && next(queue, &cursor.at, &gone) > 0)
					tl_queue_mark(queue, &cursor, 1, 10);
			}
		}
		close(pipes[1]);
		while (read(pipes[0], &number, sizeof(number)) == sizeof(number)) {
			last = number;
			if (number % 37 == turn % 37)
				kill(child, SIGKILL);
		}
		close(pipes[0]);
		waitpid(child, NULL, 0);
		queue = opened(SMALL);
		missing += (long)tl_queue_last_ms(queue) < last;
		tl_queue_cursor(queue, &cursor);
		sent = next(queue, &cursor.at, &gone);
		twice += sent < 0;
		missing += all_from(queue, &cursor.at, sent + 1) < last;
		tl_queue_close(queue);
	}
	ok(turn == 25 && last > 25 && !missing, "killed 25 times in the midst of it: nothing is missing that was said to be written");
	ok(!twice, "nor is anything not as it was written");
	unlink(file);
}

static void overwrite(off_t at, size_t n)
{
	int fd = open(file, O_WRONLY);
	char bytes[256];

	memset(bytes, 0xa5, sizeof(bytes));
	if (pwrite(fd, bytes, n, at) != (ssize_t)n)
		exit(1);
	close(fd);
}

static void damage(void)
{
	struct tl_queue *queue = opened(SMALL);
	struct tl_queue_cursor cursor;
	struct tl_queue_figures figures;
	long number, read = 0, wrong = 0;
	u64 gone = 0;
	u32 i;

	for (i = 1; i <= 60; i++)
		put(queue, i);
	tl_queue_cursor(queue, &cursor);
	/* The second slot, while it is open. */
	overwrite(2 * 4096 + 2 * 8192 + 3000, 100);
	while ((number = next(queue, &cursor.at, &gone)))
		number < 0 ? wrong++ : read++;
	tl_queue_figures(queue, &figures);
	ok(!wrong && read > 40 && read < 60 && gone, "a slot that was damaged: the rest of it is passed over");
	ok(figures.lost_intervals && figures.damaged_samples == 10 * figures.lost_intervals, "and counted");
	tl_queue_close(queue);
	overwrite(0, 256);
	overwrite(4096, 256);
	queue = opened(SMALL);
	tl_queue_figures(queue, &figures);
	ok(!figures.intervals && figures.torn && figures.lost_intervals == 1, "a damaged head: it begins anew, and says so");
	tl_queue_cursor(queue, &cursor);
	put(queue, 99);
	ok(next(queue, &cursor.at, &gone) == 99, "and is of use");
	tl_queue_close(queue);
	unlink(file);
}

/* Numbers are times, too. */
static void future(void)
{
	struct tl_queue *queue = opened(SMALL);
	struct tl_queue_figures figures;
	struct tl_queue_cursor cursor;
	u64 intervals, samples, gone = 0;
	long first;
	u32 i;

	tl_queue_figures(queue, &figures);
	ok(!figures.torn, "a new file is not damaged");
	tl_queue_cursor(queue, &cursor);
	for (i = 1; i <= 40; i++)
		put(queue, i);
	tl_queue_drop(queue, 20, &intervals, &samples);
	ok(intervals >= 20 && intervals < 40 && samples == 10 * intervals && tl_queue_last_ms(queue) == 40 - intervals,
	   "what is of a time to come is dropped, with its slot");
	put(queue, 21);
	for (first = next(queue, &cursor.at, &gone); first < (long)(40 - intervals); first++)
		if (next(queue, &cursor.at, &gone) != first + 1)
			break;
	ok(first == (long)(40 - intervals) && next(queue, &cursor.at, &gone) == 21 && !next(queue, &cursor.at, &gone),
	   "what was before it stays, and what comes then goes on");
	tl_queue_close(queue);
	queue = opened(SMALL);
	ok(tl_queue_last_ms(queue) == 21, "also for the next life");
	tl_queue_close(queue);
	unlink(file);
}

static void full(void)
{
	const struct rlimit none = { 24000, RLIM_INFINITY }, all = { RLIM_INFINITY, RLIM_INFINITY };
	struct tl_queue_cursor cursor;
	struct tl_queue_figures figures;
	struct tl_queue *queue;
	u32 i, number;

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &none);
	queue = opened(SMALL);
	tl_queue_figures(queue, &figures);
	ok(!figures.reserved, "no room on disk: it is opened, and says so");
	for (number = 1; !put(queue, number); number++)
		;
	ok(number > 5 && number < 30 && put(queue, number) == -EFBIG, "as much is written as there is room");
	setrlimit(RLIMIT_FSIZE, &all);
	ok(!put(queue, number), "there is room again: so is the next one");
	tl_queue_figures(queue, &figures);
	ok(figures.reserved, "and from now on there is room for all");
	setrlimit(RLIMIT_FSIZE, &none);
	for (i = number + 1; i <= number + 50 && !put(queue, i); i++)
		;
	/* Within the file there is no limit to this, as there is none to a full disk. */
	ok(i > number, "what was reserved is there");
	setrlimit(RLIMIT_FSIZE, &all);
	tl_queue_cursor(queue, &cursor);
	ok(all_from(queue, &cursor.at, 1) == (long)i - 1, "and nothing of it was half written");
	tl_queue_close(queue);
	unlink(file);
}

/* ---- figures ------------------------------------------------------------- */

/* An interval with one tier of so many classes, each with one request of that time. */
static void add(struct tl_metrics *metrics, const char *tier, size_t classes, u64 end_ns)
{
	struct tl_interval *interval = tl_interval_new();
	struct tl_cell *cell;
	char name[32];
	size_t i;

	interval->start_ns = end_ns - S;
	interval->length_ns = S;
	for (i = 0; i < classes; i++) {
		snprintf(name, sizeof(name), "c%zu", i);
		cell = tl_interval_cell(interval, tier, name);
		cell->count = 3;
		cell->response_ns = cell->own_ns = 123456789;
		cell->response_hist[tl_hist_bucket(123456789)] = cell->own_hist[tl_hist_bucket(123456789)] = 3;
	}
	tl_metrics_add(metrics, interval, 0, end_ns);
	tl_interval_free(interval);
}

/* What was sent: of @name the last samples, and of all how many. */
struct got {
	const char *name, *class;
	u64 samples, stale, zeros, series;
	double value[40];
	int64_t at[40];
	size_t n;
	bool wrong;
};

static void series_look(const Remote__TimeSeries *series, struct got *got)
{
	bool named = false, class = !got->class;
	int64_t before = 0;
	size_t i;

	got->series++;
	for (i = 0; i < series->n_labels; i++) {
		got->wrong |= i && strcmp(series->labels[i - 1]->name, series->labels[i]->name) >= 0;
		got->wrong |= !*series->labels[i]->value;
		named |= got->name && !strcmp(series->labels[i]->value, got->name);
		class |= got->class && !strcmp(series->labels[i]->value, got->class);
	}
	for (i = 0; i < series->n_samples; i++) {
		const Remote__Sample *sample = series->samples[i];

		got->wrong |= sample->timestamp <= before;
		before = sample->timestamp;
		got->samples++;
		got->stale += isnan(sample->value);
		got->zeros += !i && sample->value == 0 && sample->timestamp % 1000 == 1;
		if (named && class && got->n < 40) {
			got->at[got->n] = sample->timestamp;
			got->value[got->n++] = sample->value;
		}
	}
}

/* Sends a batch, of which nothing is lost. */
static u64 receive(struct tl_push_reader *reader, struct got *got)
{
	struct tl_push_part part = { 0 };
	struct tl_code_to body = { 0 };
	Remote__WriteRequest *request;
	u64 samples = 0, parts = 0;
	size_t i;

	while (tl_push_part(reader, &part, &body)) {
		request = remote__write_request__unpack(NULL, body.n, body.byte);
		got->wrong |= !request || body.n > TL_PART_BYTES + 2000;
		for (i = 0; request && i < request->n_timeseries; i++)
			series_look(request->timeseries[i], got);
		/* As protobuf-c would have written it, to the byte. */
		got->wrong |= request && remote__write_request__get_packed_size(request) != body.n;
		if (request)
			remote__write_request__free_unpacked(request, NULL);
		samples += part.samples;
		parts++;
	}
	got->wrong |= samples != got->samples;
	free(body.byte);
	tl_push_reader_done(reader);
	return parts;
}

static u64 receive_all(struct tl_push_reader *reader, struct got *got)
{
	u64 parts = 0, more = 1;
	struct got one;

	while (more) {
		tl_push_reader_batch(reader, NULL);
		one = *got;
		one.samples = 0;
		more = receive(reader, &one);
		one.samples += got->samples;
		*got = one;
		parts += more;
	}
	return parts;
}

static int count(const struct tl_sample *sample, void *arg)
{
	u64 *n = arg;

	(void)sample;
	++*n;
	return 0;
}

static u64 samples_of(const struct tl_metrics *metrics)
{
	u64 n = 0;

	tl_metrics_each(metrics, count, &n);
	return n;
}

static struct tl_push_label labels[] = { { "job", "j" }, { "zone", "z" } };

static void figures(void)
{
	struct tl_push_naming naming = { .label = labels, .labels = 2 };
	struct got got = { .name = "tierlens_response_seconds_sum", .class = "c1" };
	struct tl_queue *queue = opened(4000000);
	struct tl_push_writer writer = { .queue = queue, .naming = &naming };
	struct tl_push_reader reader;
	struct tl_metrics metrics;
	u64 before, growing, n;

	tl_metrics_begin(&metrics, TL_SERIES_DEFAULT);
	tl_push_reader_begin(&reader, queue);
	for (n = 1; n <= 3; n++) {
		add(&metrics, "web:80", 2, n * 10 * S);
		tl_push_write(&writer, &metrics, (n * 10 - 1) * S, n * 10 * S);
	}
	before = samples_of(&metrics);
	receive_all(&reader, &got);
	growing = got.zeros;
	ok(!got.wrong && got.series == before && got.samples == 3 * before + growing, "each figure of three intervals, in order");
	ok(got.n == 4 && got.value[0] == 0 && got.at[0] == 9001 && got.at[1] == 10000 && got.at[3] == 30000 &&
	   got.value[1] == 0.123456789 && got.value[3] == 3 * 123456789 / 1e9, "with values and times, after a zero");
	ok(growing > before / 2 && growing < before, "counters begin with zero, gauges do not");

	got = (struct got){ .name = "tierlens_requests_total", .class = "c2" };
	add(&metrics, "web:80", 3, 40 * S);
	tl_push_write(&writer, &metrics, 39 * S, 40 * S);
	n = samples_of(&metrics);
	receive_all(&reader, &got);
	ok(got.n == 2 && got.value[0] == 0 && got.value[1] == 3 && !got.stale && got.samples == n + got.zeros &&
	   got.zeros > 40 && got.zeros < 70, "a new class: only its series begin with zero");

	got = (struct got){ .name = "tierlens_requests_total", .class = "c2" };
	labels[1].value = "y";
	writer.renamed = true;
	add(&metrics, "web:80", 3, 50 * S);
	tl_push_write(&writer, &metrics, 49 * S, 50 * S);
	receive_all(&reader, &got);
	ok(got.stale == n && got.samples == 2 * n && !got.zeros && got.n == 2 && got.value[0] == 6 && isnan(got.value[1]),
	   "other labels: the old series end, and the new ones go on");

	got = (struct got){ .name = NULL };
	ok(tl_push_write(&writer, &metrics, 48 * S, 49 * S) == -ESTALE, "a clock that was set back: refused");
	tl_push_write_end(&writer);
	receive_all(&reader, &got);
	ok(got.stale == n && got.samples == n && !got.wrong, "at the end all have ended");
	tl_push_reader_end(&reader);
	tl_push_writer_free(&writer);
	tl_metrics_end(&metrics);
	tl_queue_close(queue);
	unlink(file);
}

static void skips(void)
{
	char *patterns[] = { "*_bucket", "tierlens_own_*" };
	struct tl_push_naming naming = { .label = labels, .labels = 1, .skip = patterns, .skips = 2 };
	struct got all = { .name = NULL }, some = { .name = "tierlens_response_seconds_bucket" };
	struct tl_queue *queue = opened(4000000);
	struct tl_push_writer writer = { .queue = queue, .naming = &naming };
	struct tl_push_reader reader;
	struct tl_metrics metrics;

	tl_metrics_begin(&metrics, TL_SERIES_DEFAULT);
	tl_push_reader_begin(&reader, queue);
	add(&metrics, "web:80", 2, 10 * S);
	tl_push_write(&writer, &metrics, 9 * S, 10 * S);
	all.samples = samples_of(&metrics);
	receive_all(&reader, &some);
	ok(!some.n && !some.wrong && some.series == all.samples - 2 * (2 * TL_METRIC_BOUNDS + 2 + 2), "figures that are not wanted");
	tl_push_reader_end(&reader);
	tl_push_writer_free(&writer);
	tl_metrics_end(&metrics);
	tl_queue_close(queue);
	unlink(file);
}

static void intervals_write(struct tl_push_writer *writer, struct tl_metrics *metrics, size_t classes, u64 from, u64 to)
{
	u64 n;

	for (n = from; n <= to; n++) {
		add(metrics, "web:80", classes, n * 10 * S);
		tl_push_write(writer, metrics, (n * 10 - 1) * S, n * 10 * S);
	}
}

/* The last of three records of values is damaged before any is sent. */
static void damaged_end(void)
{
	struct tl_push_naming naming = { .label = labels, .labels = 2 };
	struct got got = { .name = "tierlens_requests_total", .class = "c0" };
	struct tl_queue *queue = opened(4000000);
	struct tl_push_writer writer = { .queue = queue, .naming = &naming };
	struct tl_queue_figures now;
	struct tl_queue_cursor cursor;
	struct tl_push_reader reader;
	struct tl_metrics metrics;
	struct tl_record record;
	u32 i, third = 0;

	tl_metrics_begin(&metrics, TL_SERIES_DEFAULT);
	intervals_write(&writer, &metrics, 2, 1, 3);
	tl_queue_cursor(queue, &cursor);
	for (i = 0; i < 4; i++) {
		third = cursor.at.offset;
		tl_queue_get(queue, &cursor.at, &record);
	}
	overwrite(2 * 4096 + (4000000 - 2 * 4096) / TL_QUEUE_SLOTS + third + 30, 8);
	tl_push_reader_begin(&reader, queue);
	ok(tl_push_reader_batch(&reader, NULL) == 1 && reader.batch.n == 2, "a damaged record ends a batch");
	receive(&reader, &got);
	cursor.at = reader.batch.to;
	tl_queue_mark(queue, &cursor, 2, got.samples);
	got.samples = 0;
	receive_all(&reader, &got);
	tl_queue_figures(queue, &now);
	ok(!got.wrong && got.n == 3 && got.value[2] == 6 && now.lost_intervals == 1,
	   "what is sound before a damaged record is sent, the record is counted as lost");
	intervals_write(&writer, &metrics, 2, 4, 4);
	receive_all(&reader, &got);
	ok(got.n == 4 && got.value[3] == 12, "and sums go on behind it");
	tl_push_reader_end(&reader);
	tl_push_writer_free(&writer);
	tl_metrics_end(&metrics);
	tl_queue_close(queue);
	unlink(file);
}

/* More series than a slot can hold. */
static void too_many(void)
{
	struct tl_push_naming naming = { .label = labels, .labels = 2 };
	struct tl_queue *queue = opened(SMALL);
	struct tl_push_writer writer = { .queue = queue, .naming = &naming };
	struct tl_queue_figures now;
	struct tl_metrics metrics;
	u64 n, refused = 0;

	tl_metrics_begin(&metrics, TL_SERIES_DEFAULT);
	intervals_write(&writer, &metrics, 2, 1, 3);
	for (n = 4; n <= 40; n++) {
		add(&metrics, "web:80", 250, n * 10 * S);
		refused += tl_push_write(&writer, &metrics, (n * 10 - 1) * S, n * 10 * S) == -EFBIG;
	}
	tl_queue_figures(queue, &now);
	ok(refused == 37 && now.intervals == 3 && !now.lost_intervals, "too many series for a slot: they are refused, and what waits stays");
	tl_push_writer_free(&writer);
	tl_metrics_end(&metrics);
	tl_queue_close(queue);
	unlink(file);
}

static void on_mistake(const struct tl_error *mistake, void *arg)
{
	(void)arg;
	fprintf(stderr, "%s\n", mistake->text);
}

/* A receiver that takes connections and never answers. */
static void hanging(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct tl_push_options options = { .queue = file, .queue_mb = TL_QUEUE_MB_LEAST };
	struct tl_push_figures figures;
	struct tl_push_plan plan;
	struct tl_metrics metrics;
	struct tl_push *push;
	char url[64];
	u64 now_ns;

	if (listener < 0 || bind(listener, (struct sockaddr *)&address, len) || listen(listener, 5) ||
	    getsockname(listener, (struct sockaddr *)&address, &len))
		exit(1);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/api/v1/write", ntohs(address.sin_port));
	options.url = url;
	if (tl_push_plan(&plan, &options, on_mistake, NULL) || tl_push_open(&push, &plan, &err))
		exit(1);
	tl_metrics_begin(&metrics, TL_SERIES_DEFAULT);
	now_ns = tl_clock_ns(CLOCK_REALTIME) / 1000000 * 1000000 + 456789;
	add(&metrics, "web:80", 2, now_ns);
	tl_push_interval(push, &metrics, now_ns - S, now_ns);
	ok(tl_push_known_ns(push) >= now_ns && tl_push_known_ns(push) < now_ns + S / 1000,
	   "an interval that ended within a millisecond is known");
	tl_push_end(push);
	ok(!tl_push_has_ended(push), "a receiver that hangs: who ends need not wait");
	tl_push_wait(push);
	tl_push_figures(push, &figures);
	ok(tl_push_has_ended(push) && figures.waiting == 1, "and what was not sent still waits then");
	tl_push_close(push);
	tl_push_plan_free(&plan);
	tl_metrics_end(&metrics);
	close(listener);
	unlink(file);
}

/* Many series, a queue of few slots' worth, and a reader that comes and goes in between. */
static void long_absence(void)
{
	struct tl_push_naming naming = { .label = labels, .labels = 2 };
	struct got got = { .name = "tierlens_intervals_total" };
	struct tl_queue *queue = opened(SMALL);
	struct tl_push_writer writer = { .queue = queue, .naming = &naming };
	struct tl_queue_figures now;
	struct tl_push_reader reader;
	struct tl_metrics metrics;
	u64 n, parts;

	tl_metrics_begin(&metrics, TL_SERIES_DEFAULT);
	for (n = 1; n <= 2000; n++) {
		add(&metrics, "web:80", 20 + n / 40, n * 10 * S);
		if (tl_push_write(&writer, &metrics, (n * 10 - 1) * S, n * 10 * S))
			break;
	}
	ok(n == 2001, "the writer never waits");
	tl_queue_figures(queue, &now);
	ok(now.lost_intervals && now.intervals && now.intervals + now.lost_intervals == 2000, "some had to make room");
	tl_push_reader_begin(&reader, queue);
	parts = receive_all(&reader, &got);
	ok(!got.wrong && got.n == 40 && parts > 10 && got.value[0] == (double)now.lost_intervals + 1 &&
	   got.value[39] == got.value[0] + 39, "the rest is whole, and begins with whole sums");
	tl_push_reader_end(&reader);
	tl_push_writer_free(&writer);
	tl_metrics_end(&metrics);
	tl_queue_close(queue);
	unlink(file);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	snprintf(file, sizeof(file), "%s/queue", dir);
	order();
	bound();
	killed();
	damage();
	future();
	full();
	figures();
	skips();
	damaged_end();
	too_many();
	hanging();
	long_absence();
	rmdir(dir);
	return done();
}
