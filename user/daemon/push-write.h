/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_PUSH_WRITE_H
#define TL_DAEMON_PUSH_WRITE_H

#include "daemon/metrics.h"
#include "daemon/push-queue.h"
#include "history-code.h"

/**
 * struct tl_push_label - A label that all series have
 */
struct tl_push_label {
	char *name, *value;
};

/**
 * struct tl_push_naming - What series are called, and which are not sent
 * @label: [@labels] that all have
 * @skip: [@skips] patterns of names
 */
struct tl_push_naming {
	struct tl_push_label *label;
	size_t labels;
	char **skip;
	size_t skips;
};

/**
 * struct tl_push_writer - Puts figures into a queue, an interval at a time
 * @changes: of the metrics, when the series were written that @shape is of
 * @base: [@n] values of the record before, @next: of the one that is being written
 * @known: series were written before, by us; @renamed: @naming is another one since then
 * @again: they have to be written again before values
 * @room: of @base and @next
 * @to: the record, @skipped: of the last sample, which was of @family and had @suffix
 */
struct tl_push_writer {
	struct tl_queue *queue;
	const struct tl_push_naming *naming;
	u64 changes, shape;
	u64 *base, *next;
	size_t n, room;
	bool known, renamed, again;
	struct tl_code_to to;
	const struct tl_family *family;
	const char *suffix;
	bool skipped;
};

int tl_push_write(struct tl_push_writer *writer, const struct tl_metrics *metrics, u64 start_ns, u64 end_ns);
int tl_push_write_end(struct tl_push_writer *writer);
void tl_push_writer_free(struct tl_push_writer *writer);

#endif
