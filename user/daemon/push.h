/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_PUSH_H
#define TL_DAEMON_PUSH_H

#include "daemon/push-post.h"
#include "daemon/push-write.h"

struct tl_push;

#define TL_PUSH_QUEUE_DEFAULT "/var/lib/tierlens/remote-write.queue"
#define TL_PUSH_QUEUE_MB_DEFAULT 64

/**
 * struct tl_push_options - What to send where; NULL for what there is not
 * @url: where to; NULL for nowhere, and nothing of the rest counts
 * @queue: file in which figures wait, of @queue_mb
 * @label: [@labels] as "NAME=VALUE", @skip: [@skips] patterns of names that are not sent
 */
struct tl_push_options {
	const char *url, *token_file, *ca, *queue;
	u64 queue_mb;
	const char **label, **skip;
	size_t labels, skips;
};

/**
 * struct tl_push_plan - What the options lead to, read and held against each other
 * @target: its texts are owned, as are all others
 * @bare: the token goes over a network as it is
 */
struct tl_push_plan {
	struct tl_post_target target;
	char *queue;
	u64 queue_bytes;
	struct tl_push_naming naming;
	bool bare;
};

/* Tells of a mistake, once for each. */
typedef void tl_push_mistake_fn(const struct tl_error *err, void *arg);

/* push-options.c */
int tl_push_plan(struct tl_push_plan *plan, const struct tl_push_options *options, tl_push_mistake_fn *mistake, void *arg);
void tl_push_plan_free(struct tl_push_plan *plan);

int tl_push_open(struct tl_push **push, struct tl_push_plan *plan, struct tl_error *err);
bool tl_push_renew(struct tl_push *push, struct tl_push_plan *plan);
void tl_push_end(struct tl_push *push);
bool tl_push_has_ended(struct tl_push *push);
void tl_push_wait(struct tl_push *push);
void tl_push_close(struct tl_push *push);
u64 tl_push_known_ns(const struct tl_push *push);
void tl_push_interval(struct tl_push *push, const struct tl_metrics *metrics, u64 start_ns, u64 end_ns);
bool tl_push_news(struct tl_push *push, char *text, size_t room);
void tl_push_figures(struct tl_push *push, struct tl_push_figures *figures);

#endif
