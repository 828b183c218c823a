// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What tierlensd keeps of all intervals
 *
 * Intervals wait in memory, packed, for the next batch. If it cannot be written - the disk is full, another
 * process has the file - they go on waiting, and it is tried again with the next; only if there are more
 * than may wait the oldest is lost, and counted. A damaged file is moved aside and another one begun. Nothing of
 * this ends the daemon; each change of it is one sentence.
 */
#include "daemon/history.h"

#include "clock.h"
#include "daemon/history-store.h"
#include "daemon/news.h"
#include "error.h"
#include "table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#define BATCH_MOST_S 10
#define BATCH_LEAST_S 1
#define BATCH 5 /* intervals; the kernel keeps 16: the rest is for who starts us again */
#define EFFORT 1
#define ASIDES_MOST 3 /* damaged files of one run: they are as large as the history */
#define ROW_BYTES_MAX 65536
#define SECOND_NS 1000000000ULL
#define DAY_NS (86400 * SECOND_NS)

/* A year of twenty tiers and ten classes has its days in a fifth. */
const struct tl_history_limits tl_history_limits = {
	.bytes = 190000000,
	.age_ns = { DAY_NS / 4, 7 * DAY_NS, 30 * DAY_NS, 400 * DAY_NS, 800 * DAY_NS, 3660 * DAY_NS },
	.part = { 0.22, 0.15, 0.14, 0.15, 0.14, 0.20 },
	.rows = 20000,
	.queue_bytes = 8ULL << 20,
};

/* Of an interval, or of the log. */
struct item {
	struct item *next;
	struct tl_store_row row;
	char *json;
	double t_s;
	size_t bytes;
};

/**
 * struct tl_history - The history, as the daemon has it
 * @first: of the queue, @last: where the next one comes
 * @lost: intervals that found no place, @unsaid: those that the file does not know of yet
 * @done_ns: when a batch was last tried, in time that only grows
 * @open: the file is, @stat: as it was then; @failing: the last batch could not be written
 * @damaged: rows, as far as is known, if @looked
 * @looked_at: this file was found to be whole, when it was opened first
 * @unreadable: reading has found it damaged
 * @asides: files that were moved aside
 */
struct tl_history {
	struct tl_store store;
	struct tl_history_limits limits;
	struct tl_packer *packer;
	char *file;
	struct item *first, **last;
	size_t items, queue_bytes;
	u64 lost, unsaid, lost_said, damaged, done_ns;
	bool open, failing, looked, looked_at, unreadable;
	struct stat stat;
	unsigned int asides;
	struct tl_news news;
};

/**
 * tl_history_news() - What has happened to the history
 * @history: history
 * @text: filled with a sentence
 * @room: size of @text
 *
 * Return: whether there was one.
 */
bool tl_history_news(struct tl_history *history, char *text, size_t room)
{
	return tl_news_take(&history->news, text, room);
}

/* ---- the file ------------------------------------------------------------------------------ */

static void file_close(struct tl_history *h)
{
	tl_store_close(&h->store);
	h->open = false;
}

/* With what SQLite has beside it, which without it would be of the next one. */
static int move_aside(struct tl_history *h, struct tl_error *err)
{
	static const char *const beside[] = { "-wal", "-shm", "" };
	char *from, *to, *aside = NULL;
	struct timespec now;
	size_t i;
	int code = 0;

	if (h->asides++ == ASIDES_MOST)
		return tl_error_set(err, -EIO, "%s: damaged again and again, so it is left alone: is the disk sound?", h->file);
	clock_gettime(CLOCK_REALTIME, &now);
	if (asprintf(&aside, "%s.damaged-%lld.%03ld", h->file, (long long)now.tv_sec, now.tv_nsec / 1000000) < 0)
		return tl_error_no_memory(err);
	for (i = 0; i < ARRAY_SIZE(beside) && !code; i++) {
		from = to = NULL;
		if (asprintf(&from, "%s%s", h->file, beside[i]) < 0 || asprintf(&to, "%s%s", aside, beside[i]) < 0)
			code = tl_error_no_memory(err);
		else if (rename(from, to) && errno != ENOENT)
			code = tl_error_set(err, -errno, "%s: damaged, and cannot be moved aside (%s): move it by hand",
					    h->file, strerror(errno));
		free(from);
		free(to);
	}
	if (!code)
		tl_news_tell(&h->news,
			     "%s was damaged: it is %s now, and a new history was begun; sqlite3 with .recover may get out "
			     "of it what is left", h->file, aside);
	free(aside);
	return code;
}

/* Somebody may have moved it away, or put another one there. */
static void file_look(struct tl_history *h)
{
	struct stat now;

	if (h->open && (stat(h->file, &now) || now.st_ino != h->stat.st_ino || now.st_dev != h->stat.st_dev)) {
		file_close(h);
		h->looked_at = false;
	}
}

static int file_open(struct tl_history *h, struct tl_error *err)
{
	int code = 0, tries;

	for (tries = 0; tries < 2 && !h->open; tries++) {
		h->store = (struct tl_store){ .limits = &h->limits, .packer = h->packer, .looked_at = h->looked_at };
		code = tl_store_open(&h->store, h->file, err);
		h->open = !code;
		if (!code)
			break;
		file_close(h);
		/* What is no history is somebody else's. */
		if (code != -EUCLEAN || !tl_history_is_ours(h->file) || move_aside(h, err))
			break;
	}
	h->looked_at |= h->open;
	if (h->open && stat(h->file, &h->stat))
		memset(&h->stat, 0, sizeof(h->stat));
	return code;
}

/* ---- the queue ----------------------------------------------------------------------------- */

static void item_free(struct item *item)
{
	tl_packed_free(&item->row.packed);
	free(item->json);
	free(item);
}

static void first_drop(struct tl_history *h)
{
	struct item *item = h->first;

	h->first = item->next;
	if (!h->first)
		h->last = &h->first;
	h->items--;
	h->queue_bytes -= item->bytes;
	item_free(item);
}

static void lose(struct tl_history *h)
{
	h->lost++;
	h->unsaid++;
}

static void append(struct tl_history *h, struct item *item)
{
	item->bytes += sizeof(*item) + 64; /* what an allocation takes beside */
	*h->last = item;
	h->last = &item->next;
	h->items++;
	h->queue_bytes += item->bytes;
	while (h->queue_bytes > h->limits.queue_bytes && h->items > 1) {
		if (!h->first->json)
			lose(h);
		first_drop(h);
	}
}

static void queue_written(struct tl_history *h)
{
	while (h->first)
		first_drop(h);
}

/* ---- batches ------------------------------------------------------------------------------- */

static int item_write(struct tl_history *h, struct item *item, struct tl_error *err)
{
	return item->json ? tl_store_log(&h->store, item->t_s, item->json, err) :
			    tl_store_interval(&h->store, &item->row, err);
}

static int batch(struct tl_history *h, struct tl_error *err)
{
	struct item *item;
	int code = tl_store_begin(&h->store, err);

	if (code)
		return code;
	h->store.lost += h->unsaid;
	for (item = h->first; item && !code; item = item->next)
		code = item_write(h, item, err);
	code = code ? code : tl_store_sum(&h->store, err);
	code = code ? code : tl_store_keep(&h->store, err);
	code = code ? code : tl_store_save(&h->store, err);
	return tl_store_end(&h->store, code, err);
}

static void tell_failing(struct tl_history *h, const char *text)
{
	if (!h->failing)
		tl_news_tell(&h->news, "%s; intervals are kept in memory until then", text);
	h->failing = true;
}

static void tell_written(struct tl_history *h)
{
	if (h->failing)
		tl_news_tell(&h->news, "%s is written again", h->file);
	if (h->lost > h->lost_said)
		tl_news_tell(&h->news, "%llu intervals found no place in memory meanwhile, and are lost",
			     (unsigned long long)(h->lost - h->lost_said));
	h->lost_said = h->lost;
	h->failing = false;
}

/* What is found to be damaged only now is opened anew, which moves it aside. */
static int batch_try(struct tl_history *h, struct tl_error *err)
{
	int code;

	file_look(h);
	code = file_open(h, err);
	code = code ? code : h->unreadable ? -EUCLEAN : batch(h, err);
	if (code != -EUCLEAN || !h->open)
		return code;
	h->unreadable = false;
	file_close(h);
	code = move_aside(h, err);
	code = code ? code : file_open(h, err);
	return code ? code : batch(h, err);
}

/**
 * tl_history_flush() - Write what waits
 * @history: history
 * @err: the sentence if it fails; it goes on waiting then
 *
 * Return: 0 or a negative errno.
 */
int tl_history_flush(struct tl_history *history, struct tl_error *err)
{
	struct tl_history *h = history;
	struct tl_error later;
	int code;

	h->done_ns = tl_clock_ns(CLOCK_MONOTONIC);
	if (!h->first && !h->failing && !h->unreadable)
		return 0;
	code = batch_try(h, err);
	if (code) {
		tell_failing(h, err->text);
		/* A file that was taken away, or cannot be opened, is looked for anew. */
		if (code != -EBUSY && code != -ENOSPC)
			file_close(h);
		return code;
	}
	queue_written(h);
	h->unsaid = 0;
	tell_written(h);
	if (h->looked && h->store.damaged > h->damaged)
		tl_news_tell(&h->news, "%s: %llu rows are damaged, and shown as gaps: is the disk sound?", h->file,
			     (unsigned long long)(h->store.damaged - h->damaged));
	h->damaged = h->store.damaged;
	h->looked = true;
	tl_store_shrink(&h->store, &later);
	return 0;
}

/**
 * tl_history_turn() - Write what waits if it has waited long enough
 * @history: history
 */
void tl_history_turn(struct tl_history *history)
{
	u64 waited_ns = tl_clock_ns(CLOCK_MONOTONIC) - history->done_ns;
	struct tl_error err;

	if (waited_ns >= BATCH_MOST_S * SECOND_NS ||
	    (waited_ns >= BATCH_LEAST_S * SECOND_NS && history->items >= BATCH && !history->failing))
		tl_history_flush(history, &err);
}

/**
 * tl_history_add() - Keep an interval
 * @history: history
 * @interval: the next one, its paths linked; stays the caller's
 */
void tl_history_add(struct tl_history *history, const struct tl_interval *interval)
{
	struct item *item = calloc(1, sizeof(*item));

	if (!item || tl_packer_pack(history->packer, interval, EFFORT, &item->row.packed)) {
		free(item);
		lose(history);
		return;
	}
	item->row.start_ns = interval->start_ns;
	item->row.end_ns = interval->start_ns + interval->length_ns;
	item->row.length_ns = interval->length_ns;
	item->row.generation = interval->generation;
	item->row.intervals = 1;
	item->bytes = item->row.packed.n[TL_CODE_SUMS] + item->row.packed.n[TL_CODE_HISTS];
	append(history, item);
	tl_history_turn(history);
}

/**
 * tl_history_row() - Keep a row of the log
 * @history: history
 * @t_s: when, since the epoch
 * @json: the row; one of more than 64 KiB is not kept
 */
void tl_history_row(struct tl_history *history, double t_s, const char *json)
{
	struct item *item = strlen(json) <= ROW_BYTES_MAX ? calloc(1, sizeof(*item)) : NULL;

	if (!item)
		return;
	item->json = strdup(json);
	item->t_s = t_s;
	item->bytes = strlen(json);
	if (item->json)
		append(history, item);
	else
		free(item);
}

/**
 * tl_history_lost() - What found no place
 * @history: history
 *
 * Return: intervals that were lost since it was opened.
 */
u64 tl_history_lost(const struct tl_history *history)
{
	return history->lost;
}

/* ---- open and close ------------------------------------------------------------------------ */

/* What will not get better by waiting. */
static bool is_final(int code)
{
	return code == -EINVAL || code == -ENOENT || code == -EROFS || code == -EUCLEAN || code == -ENOMEM;
}

/**
 * tl_history_open() - Begin to keep intervals
 * @history: set, to be given to tl_history_close()
 * @file: its name; made if there is none
 * @limits: how much is kept
 * @err: the sentence if it fails
 *
 * A file that another process has locked, or a disk that is full, is no failure: it is tried again.
 *
 * Return: 0 or a negative errno, with *@history then NULL.
 */
int tl_history_open(struct tl_history **history, const char *file, const struct tl_history_limits *limits,
		    struct tl_error *err)
{
	struct tl_history *h = calloc(1, sizeof(*h));
	int code = 0;

	*history = NULL;
	if (!h)
		return tl_error_no_memory(err);
	h->limits = *limits;
	h->last = &h->first;
	h->done_ns = tl_clock_ns(CLOCK_MONOTONIC);
	h->file = strdup(file);
	h->packer = tl_packer_new();
	code = h->file && h->packer ? file_open(h, err) : tl_error_no_memory(err);
	if (is_final(code)) {
		tl_history_close(h);
		return code;
	}
	if (code)
		tell_failing(h, err->text);
	*history = h;
	return 0;
}

/**
 * tl_history_close() - Write what waits, and close it
 * @history: history or NULL
 */
void tl_history_close(struct tl_history *history)
{
	struct tl_error err;

	if (!history)
		return;
	if (history->first)
		tl_history_flush(history, &err);
	queue_written(history);
	tl_store_close(&history->store);
	tl_packer_free(history->packer);
	free(history->file);
	free(history);
}

/* ---- reading ------------------------------------------------------------------------------- */

/* What waits is to be seen as well, if it can be written. */
static int past_open(struct tl_history *h, struct tl_past **past, struct tl_error *err)
{
	struct tl_error waits;

	*past = NULL;
	tl_history_flush(h, &waits);
	if (!h->open) {
		*err = waits;
		return -EBUSY;
	}
	return tl_past_of(past, &h->store.base, err);
}

/**
 * tl_history_each() - Read what was kept
 * @history: history
 * @query: what is wanted
 * @fn: called for each point, in order of time
 * @arg: for @fn
 * @err: the sentence if it fails, but for what @fn returns
 *
 * Return: 0, a negative errno, or what @fn returned if that was not 0.
 */
int tl_history_each(struct tl_history *history, const struct tl_history_query *query, tl_history_point_fn *fn,
		    void *arg, struct tl_error *err)
{
	struct tl_past *past;
	int code = past_open(history, &past, err);

	code = code ? code : tl_past_each(past, query, fn, arg, err);
	history->unreadable |= past && code == -EUCLEAN;
	tl_past_close(past);
	return code;
}

/**
 * tl_history_rows() - Read what was decided
 * @history: history
 * @from_s: since when, @to_s: until when; since the epoch
 * @fn: called for each row, in order of time
 * @arg: for @fn
 * @err: the sentence if it fails, but for what @fn returns
 *
 * Return: 0, a negative errno, or what @fn returned if that was not 0.
 */
int tl_history_rows(struct tl_history *history, double from_s, double to_s, tl_history_row_fn *fn, void *arg,
		    struct tl_error *err)
{
	struct tl_past *past;
	int code = past_open(history, &past, err);

	code = code ? code : tl_past_rows(past, from_s, to_s, fn, arg, err);
	tl_past_close(past);
	return code;
}
