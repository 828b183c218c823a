// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Remote write: figures are sent to a monitoring host, whatever becomes of it meanwhile
 *
 * The loop puts the figures of each interval into a queue on disk, and that is all that it does. A thread of its own
 * takes them out and sends them. What is not taken is sent again, ever more seldom (twice as long each time, half of it
 * by chance, so that a thousand hosts do not come at once), or when the receiver says; what the receiver refuses (4xx)
 * is counted and not sent again. Whatever happens is a sentence for the log once, and a number.
 */
#include "daemon/push.h"

#include "clock.h"
#include "daemon/news.h"
#include "daemon/push-batch.h"
#include "error.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <snappy-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#define SECOND_NS 1000000000ULL
#define GATHER_NS (5 * SECOND_NS) /* for more of the same series */
#define SYNC_NS (10 * SECOND_NS)
#define BACK_OFF_NS (SECOND_NS / 10)
#define BACK_OFF_MOST_NS (30 * SECOND_NS)
#define END_NS (3 * SECOND_NS) /* for what waits, at the end */
#define AHEAD_MS (10 * 60 * 1000) /* what a receiver may have taken of a time to come */
#define REFUSALS 100 /* 400 to 499 */

/**
 * struct tl_push - Remote write
 * @lock: protects all up to @news
 * @wake: of the thread: there is more, or something else
 * @plan: where to, @renewed: it is another one; @naming of the writer is the loop's
 * @end_ns: when it is over, on the monotonic clock; 0 for not yet
 * @told: statuses that were told of; @failing: that nothing is taken was, @unwritable: that nothing can be written,
 *        @telling_lost: that the queue is full, @lost_said: with so many intervals lost by then
 * @unwritten: intervals that never were in the queue
 * @writer: the loop's
 * @reader: the thread's, as is all behind it; @from_ns: since when there is something in the batch
 */
struct tl_push {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct tl_push_plan plan;
	struct tl_push_figures figures;
	bool renewed, more, failing, telling_lost, unwritable;
	u64 end_ns, lost_said, unwritten;
	bool told[REFUSALS];
	struct tl_news news;

	struct tl_queue *queue;
	struct tl_push_writer writer;

	pthread_t thread;
	bool running;
	struct tl_post *post;
	struct tl_push_reader reader;
	struct tl_queue_cursor cursor;
	struct tl_code_to body;
	char *packed;
	size_t packed_room;
	u64 from_ns, synced_ns, back_off_ns;
	bool unsure;
};

/**
 * tl_push_news() - What has happened
 * @push: remote write
 * @text: filled with a sentence
 * @room: size of @text
 *
 * Return: whether there was one.
 */
bool tl_push_news(struct tl_push *push, char *text, size_t room)
{
	bool any;

	pthread_mutex_lock(&push->lock);
	any = tl_news_take(&push->news, text, room);
	pthread_mutex_unlock(&push->lock);
	return any;
}

/* ---- waiting ------------------------------------------------------------- */

static bool is_over(struct tl_push *p)
{
	bool over;

	pthread_mutex_lock(&p->lock);
	over = p->end_ns && tl_clock_ns(CLOCK_MONOTONIC) >= p->end_ns;
	pthread_mutex_unlock(&p->lock);
	return over;
}

static bool on_stop(void *push)
{
	return is_over(push);
}

/* Until then, or until the end or a new plan, or until there is more if @for_more. Return: whether it is the end. */
static bool wait(struct tl_push *p, u64 until_ns, bool for_more)
{
	struct timespec until = { (time_t)(until_ns / SECOND_NS), (long)(until_ns % SECOND_NS) };
	bool ends;

	pthread_mutex_lock(&p->lock);
	while (!p->end_ns && !p->renewed && !(for_more && p->more) && tl_clock_ns(CLOCK_MONOTONIC) < until_ns)
		pthread_cond_timedwait(&p->wake, &p->lock, &until);
	p->more = false;
	ends = p->end_ns;
	pthread_mutex_unlock(&p->lock);
	return ends;
}

static double chance(void)
{
	u32 n = 0;

	if (getrandom(&n, sizeof(n), GRND_NONBLOCK) < 0)
		n = (u32)tl_clock_ns(CLOCK_MONOTONIC);
	return n / 4294967296.0;
}

/* Return: whether it is the end. */
static bool back_off(struct tl_push *p, u64 retry_after_s)
{
	u64 wait_ns;

	p->back_off_ns = p->back_off_ns ? min(2 * p->back_off_ns, (u64)BACK_OFF_MOST_NS) : BACK_OFF_NS;
	wait_ns = (u64)((double)p->back_off_ns * (0.5 + chance() / 2));
	return wait(p, tl_clock_ns(CLOCK_MONOTONIC) + max(wait_ns, retry_after_s * SECOND_NS), false);
}

/* ---- answers ------------------------------------------------------------- */

enum outcome { TAKEN, REFUSED, AGAIN };

static enum outcome outcome_of(const struct tl_post_answer *answer)
{
	if (answer->status / 100 == 2)
		return TAKEN;
	return answer->status / 100 == 4 && answer->status != 429 ? REFUSED : AGAIN;
}

static void again_count(struct tl_push *p, const struct tl_post_answer *answer)
{
	p->figures.requests[TL_PUSH_RETRIED]++;
	p->figures.up = false;
	if (p->failing)
		return;
	p->failing = true;
	if (answer->status)
		tl_news_tell(&p->news,
			     "%.200s takes no figures (%ld: %.200s): they wait in %.100s, and are sent when it does",
			     p->plan.target.url, answer->status, answer->text, p->plan.queue);
	else
		tl_news_tell(&p->news,
			     "%.200s does not answer (%.200s): figures wait in %.100s, and are sent when it does",
			     p->plan.target.url, answer->text, p->plan.queue);
}

/* After an answer that never came it may have been taken, and then it is refused now: no time is taken twice. */
static void refused_count(struct tl_push *p, const struct tl_post_answer *answer, u64 samples)
{
	bool *told = &p->told[answer->status % REFUSALS];

	/* What a receiver says to samples that it has. */
	if (p->unsure && (answer->status == 400 || answer->status == 409 || answer->status == 422)) {
		p->figures.repeated += samples;
		return;
	}
	p->figures.requests[TL_PUSH_REFUSES]++;
	p->figures.lost[TL_PUSH_REFUSED] += samples;
	p->figures.up = false;
	if (!*told)
		tl_news_tell(&p->news,
			     "%.200s refuses figures (%ld: %.200s): these are lost, and counted from now on; see what it says",
			     p->plan.target.url, answer->status, answer->text);
	*told = true;
}

static void taken_count(struct tl_push *p, u64 samples)
{
	p->figures.requests[TL_PUSH_ACCEPTED]++;
	p->figures.sent += samples;
	p->figures.up = true;
	if (p->failing)
		tl_news_tell(&p->news, "%.200s takes figures again: %llu intervals have waited", p->plan.target.url,
			     (unsigned long long)p->figures.waiting);
	p->failing = false;
}

static enum outcome answer_take(struct tl_push *p, const struct tl_post_answer *answer, u64 samples)
{
	enum outcome outcome = outcome_of(answer);

	pthread_mutex_lock(&p->lock);
	if (outcome == TAKEN)
		taken_count(p, samples);
	else if (outcome == REFUSED)
		refused_count(p, answer, samples);
	else
		again_count(p, answer);
	pthread_mutex_unlock(&p->lock);
	p->unsure = outcome == AGAIN && (p->unsure || answer->unsure);
	if (outcome != AGAIN)
		p->back_off_ns = 0;
	return outcome;
}

/* ---- sending ------------------------------------------------------------- */

static int pack(struct tl_push *p, size_t *len)
{
	size_t room = snappy_max_compressed_length(p->body.n);

	if (room > p->packed_room) {
		free(p->packed);
		p->packed_room = 0;
		p->packed = malloc(room);
		if (!p->packed)
			return -ENOMEM;
		p->packed_room = room;
	}
	*len = room;
	return snappy_compress((char *)p->body.byte, p->body.n, p->packed, len) == SNAPPY_OK ? 0 : -EIO;
}

static void target_renew(struct tl_push *p)
{
	pthread_mutex_lock(&p->lock);
	if (p->renewed && !tl_post_target(p->post, &p->plan.target)) {
		p->renewed = false;
		p->back_off_ns = 0;
	}
	pthread_mutex_unlock(&p->lock);
}

/* Return: whether it is the end, or there is nothing to send it for any more. */
static bool part_send(struct tl_push *p, u64 samples)
{
	struct tl_post_answer answer;
	size_t len;

	while (pack(p, &len))
		if (back_off(p, 0))
			return true;
	for (;;) {
		target_renew(p);
		tl_post_send(p->post, p->packed, len, &answer);
		if (answer_take(p, &answer, samples) != AGAIN)
			return false;
		if (back_off(p, answer.retry_after_s) || !tl_queue_has(p->queue, &p->reader.batch.to))
			return true;
	}
}

static u64 batch_samples(const struct tl_push_reader *reader)
{
	return reader->batch.n ? reader->batch.n * reader->series.n : reader->batch.gone_ms ? reader->before.n : 0;
}

static void sent_count(struct tl_push *p)
{
	const struct tl_push_batch *batch = &p->reader.batch;

	pthread_mutex_lock(&p->lock);
	if (batch->n)
		p->figures.sent_ms = batch->end_ms[batch->n - 1];
	pthread_mutex_unlock(&p->lock);
}

/* Return: whether it is the end. */
static bool batch_send(struct tl_push *p)
{
	struct tl_push_part part = { 0 };
	u32 done;

	/* What was begun in an earlier life goes on where that ended, if it is still there. */
	if (!tl_queue_at_equal(&p->cursor.to, &p->reader.batch.to))
		p->cursor.slice = 0;
	done = p->cursor.slice;
	p->cursor.at = p->reader.batch.at;
	p->cursor.to = p->reader.batch.to;
	tl_queue_mark(p->queue, &p->cursor, 0, 0);
	while (tl_push_part(&p->reader, &part, &p->body)) {
		if (p->body.failed)
			return true;
		if (done) {
			done--;
			continue;
		}
		if (part_send(p, part.samples)) {
			/* Also when it had to make room. */
			p->cursor.slice = 0;
			if (tl_queue_has(p->queue, &p->reader.batch.to))
				return true;
			break;
		}
		p->cursor.slice++;
		tl_queue_mark(p->queue, &p->cursor, 0, 0);
	}
	sent_count(p);
	p->cursor = (struct tl_queue_cursor){ .at = p->reader.batch.to };
	tl_queue_mark(p->queue, &p->cursor, p->reader.batch.n, batch_samples(&p->reader));
	tl_push_reader_done(&p->reader);
	return false;
}

static void sync_now_and_then(struct tl_push *p)
{
	u64 now = tl_clock_ns(CLOCK_MONOTONIC);

	if (now - p->synced_ns < SYNC_NS)
		return;
	p->synced_ns = now;
	tl_queue_sync(p->queue);
}

/* Whether the batch is to go now: it is full, or was begun long enough ago. */
static bool is_due(struct tl_push *p, bool full)
{
	if (!p->reader.batch.n && !p->reader.batch.gone_ms) {
		p->from_ns = 0;
		return full && p->cursor.to.slot;
	}
	if (!p->from_ns)
		p->from_ns = tl_clock_ns(CLOCK_MONOTONIC);
	return full || tl_clock_ns(CLOCK_MONOTONIC) - p->from_ns >= GATHER_NS;
}

static void turns(struct tl_push *p)
{
	const struct tl_queue_at *to;
	bool ends = false, any;
	int full;

	for (;;) {
		to = p->cursor.to.slot ? &p->cursor.to : NULL;
		full = tl_push_reader_batch(&p->reader, to);
		any = p->reader.batch.n || p->reader.batch.gone_ms;
		if (is_due(p, full == 1) || (ends && any)) {
			p->from_ns = 0;
			if (batch_send(p) || is_over(p))
				return;
			continue;
		}
		if (ends)
			return;
		ends = wait(p, (any ? p->from_ns + GATHER_NS : tl_clock_ns(CLOCK_MONOTONIC) + SYNC_NS), true);
		target_renew(p);
		sync_now_and_then(p);
	}
}

static void *run(void *push)
{
	struct tl_push *p = push;

	tl_queue_cursor(p->queue, &p->cursor);
	/* What was on its way when we ended may have been taken. */
	p->unsure = p->cursor.to.slot;
	if (!tl_push_reader_begin(&p->reader, p->queue))
		turns(p);
	return NULL;
}

/* ---- the loop's ---------------------------------------------------------- */

/**
 * tl_push_known_ns() - The end of the last interval that was put into the queue, by whomever
 * @push: remote write
 *
 * Return: since the epoch; 0 for none.
 */
u64 tl_push_known_ns(const struct tl_push *push)
{
	return tl_queue_last_ms(push->queue) * 1000000;
}

static void unwritten(struct tl_push *p, int code)
{
	bool clock = code == -ESTALE;

	p->figures.lost[clock ? TL_PUSH_CLOCK : TL_PUSH_UNWRITTEN] += p->writer.n;
	p->unwritten++;
	if (p->unwritable)
		return;
	p->unwritable = true;
	if (clock)
		tl_news_tell(&p->news, "the clock was set back: figures are sent again when it shows %llu",
			     (unsigned long long)(tl_push_known_ns(p) / SECOND_NS));
	else if (code == -EFBIG)
		tl_news_tell(&p->news,
			     "%.300s is too small for so many figures: give more to --remote-write-queue-size, or less with "
			     "--remote-write-skip", p->plan.queue);
	else
		tl_news_tell(&p->news,
			     "%.300s cannot be written (%s): make room; figures of this time are lost, and sums go on",
			     p->plan.queue, strerror(-code));
}

/* Under the lock. */
static void figures_look(struct tl_push *p)
{
	struct tl_queue_figures now;

	tl_queue_figures(p->queue, &now);
	p->figures.waiting = now.intervals;
	p->figures.bytes = now.bytes;
	p->figures.size = now.size;
	p->figures.lost[TL_PUSH_NO_ROOM] = now.lost_samples;
	p->figures.lost[TL_PUSH_DAMAGED] = now.damaged_samples;
	p->figures.lost_intervals = now.lost_intervals + p->unwritten;
	p->telling_lost &= p->failing;
	if (now.lost_intervals == p->lost_said || (p->telling_lost && p->failing))
		return;
	tl_news_tell(&p->news, "%.300s is full: %llu intervals that were not sent had to make room for newer ones%s",
		     p->plan.queue, (unsigned long long)(now.lost_intervals - p->lost_said),
		     p->failing ? ", and more will" : "");
	p->lost_said = now.lost_intervals;
	p->telling_lost = p->failing;
}

/*
 * Figures of a time to come, when the clock shows the right one again. Receivers refuse what is older than their newest
 * (Prometheus) or take it (VictoriaMetrics); what is more than ten minutes ahead of their own clock Prometheus has
 * refused. So it is waited for less, and of more nothing is known to anybody who would not take what is older: what
 * waits of it would be refused, or stand in the way, and is dropped. Return: whether there was such.
 */
static bool future_drop(struct tl_push *p, u64 end_ns)
{
	u64 now_ms = max(tl_clock_ns(CLOCK_REALTIME), end_ns) / 1000000, intervals, samples;

	if (tl_queue_last_ms(p->queue) <= now_ms + AHEAD_MS)
		return false;
	tl_queue_drop(p->queue, now_ms, &intervals, &samples);
	p->writer.again = true;
	pthread_mutex_lock(&p->lock);
	p->figures.lost[TL_PUSH_CLOCK] += samples;
	p->unwritten += intervals;
	tl_news_tell(&p->news,
		     "the clock was set back by more than ten minutes: %llu intervals of times to come, or kept with them, "
		     "that were not sent are lost; figures go on now", (unsigned long long)intervals);
	pthread_mutex_unlock(&p->lock);
	return true;
}

/**
 * tl_push_interval() - There is another interval
 * @push: remote write
 * @metrics: figures at its end
 * @start_ns: its beginning, since the epoch
 * @end_ns: its end
 *
 * Context: the loop.
 */
void tl_push_interval(struct tl_push *push, const struct tl_metrics *metrics, u64 start_ns, u64 end_ns)
{
	int code = tl_push_write(&push->writer, metrics, start_ns, end_ns);

	if (code == -ESTALE && future_drop(push, end_ns))
		code = tl_push_write(&push->writer, metrics, start_ns, end_ns);
	pthread_mutex_lock(&push->lock);
	if (code)
		unwritten(push, code);
	else if (push->unwritable)
		tl_news_tell(&push->news, "%.300s is written again", push->plan.queue);
	push->unwritable = code;
	figures_look(push);
	push->more = true;
	pthread_cond_signal(&push->wake);
	pthread_mutex_unlock(&push->lock);
}

/**
 * tl_push_figures() - How it is
 * @push: remote write
 * @figures: filled in
 */
void tl_push_figures(struct tl_push *push, struct tl_push_figures *figures)
{
	pthread_mutex_lock(&push->lock);
	figures_look(push);
	*figures = push->figures;
	pthread_mutex_unlock(&push->lock);
}

/* ---- begin and end ------------------------------------------------------- */

static int begin(struct tl_push *p, struct tl_error *err)
{
	pthread_condattr_t monotonic;
	sigset_t all, before;
	int code;

	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&p->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	code = tl_queue_open(&p->queue, p->plan.queue, p->plan.queue_bytes, err);
	code = code ? code : tl_post_open(&p->post, on_stop, p, err);
	if (code)
		return code;
	p->writer = (struct tl_push_writer){ .queue = p->queue, .naming = &p->plan.naming };
	p->renewed = true;
	future_drop(p, 0);
	/* Signals are the loop's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(&p->thread, NULL, run, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	p->running = !code;
	return code ? tl_error_no_memory(err) : 0;
}

/**
 * tl_push_open() - Begin to send
 * @push: set, to be given to tl_push_close()
 * @plan: what was asked for; it is taken
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno, with *@push then NULL.
 */
int tl_push_open(struct tl_push **push, struct tl_push_plan *plan, struct tl_error *err)
{
	struct tl_push *new = calloc(1, sizeof(*new));
	int code;

	*push = NULL;
	if (!new)
		return tl_error_no_memory(err);
	new->plan = *plan;
	*plan = (struct tl_push_plan){ .bare = plan->bare };
	code = begin(new, err);
	if (code)
		tl_push_close(new);
	else
		*push = new;
	return code;
}

static bool naming_equal(const struct tl_push_naming *a, const struct tl_push_naming *b)
{
	bool equal = a->labels == b->labels && a->skips == b->skips;
	size_t i;

	for (i = 0; equal && i < a->labels; i++)
		equal = !strcmp(a->label[i].name, b->label[i].name) && !strcmp(a->label[i].value, b->label[i].value);
	for (i = 0; equal && i < a->skips; i++)
		equal = !strcmp(a->skip[i], b->skip[i]);
	return equal;
}

/**
 * tl_push_renew() - From now on as another plan says
 * @push: remote write
 * @plan: plan; it is taken
 *
 * Context: the loop.
 * Return: whether the queue is the same; if not, it stays where it is until we begin anew.
 */
bool tl_push_renew(struct tl_push *push, struct tl_push_plan *plan)
{
	struct tl_push_plan old = push->plan;
	bool same = !strcmp(plan->queue, old.queue) && plan->queue_bytes == old.queue_bytes;
	char *queue = plan->queue;

	pthread_mutex_lock(&push->lock);
	push->writer.renamed |= !naming_equal(&plan->naming, &old.naming);
	push->plan = *plan;
	push->plan.queue = old.queue;
	push->plan.queue_bytes = old.queue_bytes;
	old.queue = queue;
	push->renewed = true;
	memset(push->told, 0, sizeof(push->told));
	pthread_cond_signal(&push->wake);
	pthread_mutex_unlock(&push->lock);
	tl_push_plan_free(&old);
	*plan = (struct tl_push_plan){ .bare = plan->bare };
	return same;
}

/**
 * tl_push_close() - Send what can be sent in a moment, and end; the rest is sent when we begin again
 * @push: remote write or NULL
 */
void tl_push_close(struct tl_push *push)
{
	if (!push)
		return;
	if (push->running) {
		tl_push_write_end(&push->writer);
		pthread_mutex_lock(&push->lock);
		push->end_ns = tl_clock_ns(CLOCK_MONOTONIC) + END_NS;
		pthread_cond_signal(&push->wake);
		pthread_mutex_unlock(&push->lock);
		pthread_join(push->thread, NULL);
	}
	tl_push_reader_end(&push->reader);
	tl_push_writer_free(&push->writer);
	tl_post_close(push->post);
	tl_queue_close(push->queue);
	tl_push_plan_free(&push->plan);
	free(push->body.byte);
	free(push->packed);
	pthread_cond_destroy(&push->wake);
	pthread_mutex_destroy(&push->lock);
	free(push);
}
