// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Remote write: figures are sent to a monitoring host, whatever becomes of it meanwhile
 *
 * The loop puts the figures of each interval into a queue on disk, and that is all that it does. A thread of its own
 * takes them out and sends them. Whatever happens is a sentence for the log once, and a number.
 */
#include "daemon/push-parts.h"

#include "clock.h"
#include "error.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define MS_NS 1000000ULL
#define SECOND_NS (1000 * MS_NS)
#define END_NS (3 * SECOND_NS) /* for what waits, at the end */
#define AHEAD_MS (10 * 60 * 1000) /* what a receiver may have taken of a time to come */

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

/* ---- the loop's ---------------------------------------------------------- */

/**
 * tl_push_known_ns() - No interval that ended by then is new to the queue, by whomever it was filled
 * @push: remote write
 *
 * The queue has whole milliseconds of what ends between them: all of the last one counts.
 *
 * Return: since the epoch; 0 if there is none.
 */
u64 tl_push_known_ns(const struct tl_push *push)
{
	u64 last_ms = tl_queue_last_ms(push->queue);

	return last_ms ? last_ms * MS_NS + MS_NS - 1 : 0;
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
	u64 now_ms = max(tl_clock_ns(CLOCK_REALTIME), end_ns) / MS_NS, intervals, samples;

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

/* Nobody knows how many waited. */
static void tell_torn(struct tl_push *p)
{
	struct tl_queue_figures now;

	tl_queue_figures(p->queue, &now);
	if (!now.torn)
		return;
	p->lost_said = now.lost_intervals;
	tl_news_tell(&p->news, "%.300s is damaged, or was written by another version: figures that waited there are lost",
		     p->plan.queue);
}

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
	code = code ? code : tl_post_open(&p->post, tl_push_is_over, p, err);
	if (code)
		return code;
	p->writer = (struct tl_push_writer){ .queue = p->queue, .naming = &p->plan.naming };
	p->renewed = true;
	future_drop(p, 0);
	tell_torn(p);
	/* Signals are the loop's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(&p->thread, NULL, tl_push_run, p);
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
 * tl_push_end() - No more intervals: send what can be sent in a moment
 * @push: remote write
 *
 * Context: the loop, which waits for nothing.
 */
void tl_push_end(struct tl_push *push)
{
	if (push->running)
		tl_push_write_end(&push->writer);
	pthread_mutex_lock(&push->lock);
	push->end_ns = tl_clock_ns(CLOCK_MONOTONIC) + END_NS;
	push->ended |= !push->running;
	pthread_cond_signal(&push->wake);
	pthread_mutex_unlock(&push->lock);
}

/**
 * tl_push_has_ended() - Would tl_push_wait() return at once?
 * @push: remote write that was told to end
 *
 * Return: true or false.
 */
bool tl_push_has_ended(struct tl_push *push)
{
	bool ended;

	pthread_mutex_lock(&push->lock);
	ended = push->ended;
	pthread_mutex_unlock(&push->lock);
	return ended;
}

/**
 * tl_push_wait() - Until it has ended
 * @push: remote write that was told to end
 */
void tl_push_wait(struct tl_push *push)
{
	if (push->running)
		pthread_join(push->thread, NULL);
	push->running = false;
}

/**
 * tl_push_close() - Free it; what was not sent is when we begin again
 * @push: remote write that has ended, or NULL
 */
void tl_push_close(struct tl_push *push)
{
	if (!push)
		return;
	if (push->running) {
		tl_push_end(push);
		tl_push_wait(push);
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
