/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_PUSH_POST_H
#define TL_DAEMON_PUSH_POST_H

#include "daemon/secret.h"
#include "hist.h"

struct tl_error;
struct tl_post;

/* Where to send. @ca: file with those whose word counts, NULL for the system's */
struct tl_post_target {
	const char *url, *ca;
	struct tl_token token;
};

/**
 * struct tl_post_answer - What became of a request
 * @status: of HTTP, 0 for no answer
 * @retry_after_s: asked for, 0 for nothing
 * @unsure: it may have been taken all the same
 * @text: what the receiver said, or why there is no answer
 */
struct tl_post_answer {
	long status;
	u64 retry_after_s;
	bool unsure;
	char text[300];
};

/* Return: whether it is not to be waited for any longer. */
typedef bool tl_post_stop_fn(void *arg);

int tl_post_check(const char *url, bool *bare, struct tl_error *err);
int tl_post_check_ca(const char *file, struct tl_error *err);
int tl_post_open(struct tl_post **post, tl_post_stop_fn *stop, void *arg, struct tl_error *err);
void tl_post_close(struct tl_post *post);
int tl_post_target(struct tl_post *post, const struct tl_post_target *target);
void tl_post_send(struct tl_post *post, const void *body, size_t len, struct tl_post_answer *answer);

#endif
