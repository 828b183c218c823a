// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Remote write, the thread's half: figures are taken out of the queue and sent
 *
 * What is not taken is sent again, ever more seldom (twice as long each time, half of it by chance, so that a thousand
 * hosts do not come at once), or when the receiver says; what the receiver refuses (4xx) is counted and not sent again.
 */
#include "daemon/push-parts.h"

#include "clock.h"
#include "daemon/privileges.h"
#include "error.h"

#include <errno.h>
#include <snappy-c.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#define SECOND_NS 1000000000ULL
#define GATHER_NS (5 * SECOND_NS) /* for more of the same series */
#define SYNC_NS (10 * SECOND_NS)
#define BACK_OFF_NS (SECOND_NS / 10)
#define BACK_OFF_MOST_NS (30 * SECOND_NS)

/* ---- waiting ------------------------------------------------------------- */

/**
 * tl_push_is_over() - Is it time to end, whatever is on its way?
 * @push: remote write, as curl gives it back
 *
 * Return: true or false.
 */
bool tl_push_is_over(void *push)
{
	struct tl_push *p = push;
	bool over;

	pthread_mutex_lock(&p->lock);
	over = p->end_ns && tl_clock_ns(CLOCK_MONOTONIC) >= p->end_ns;
	pthread_mutex_unlock(&p->lock);
	return over;
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
	bool *told = &p->told[answer->status % TL_PUSH_REFUSALS];

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

/* Return: 0 or -ENOMEM: then nothing may be sent, as it would go to where it went before. */
static int target_renew(struct tl_push *p)
{
	int code = 0;

	pthread_mutex_lock(&p->lock);
	if (p->renewed) {
		p->renewed = false;
		p->stale = true;
		p->back_off_ns = 0;
	}
	if (p->stale)
		code = tl_post_target(p->post, &p->plan.target);
	p->stale = code;
	pthread_mutex_unlock(&p->lock);
	return code;
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
		while (target_renew(p))
			if (back_off(p, 0))
				return true;
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
		/* No memory: the same once more, from the part on that was not sent. */
		if (p->body.failed)
			return back_off(p, 0);
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
			if (batch_send(p) || tl_push_is_over(p))
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

/**
 * tl_push_run() - The thread
 * @push: remote write
 *
 * Return: NULL.
 */
void *tl_push_run(void *push)
{
	struct tl_push *p = push;
	struct tl_error err;

	/*
	 * Each thread has its own, and the one that began us needs them for a moment yet. If it cannot be done, it cannot
	 * there, and is told there.
	 */
	(void)tl_privileges_drop(&err);
	tl_queue_cursor(p->queue, &p->cursor);
	/* What was on its way when we ended may have been taken. */
	p->unsure = p->cursor.to.slot;
	while (tl_push_reader_begin(&p->reader, p->queue))
		if (back_off(p, 0))
			break;
	if (p->reader.queue)
		turns(p);
	pthread_mutex_lock(&p->lock);
	p->ended = true;
	pthread_mutex_unlock(&p->lock);
	return NULL;
}
