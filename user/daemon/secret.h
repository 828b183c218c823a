/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_SECRET_H
#define TL_DAEMON_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#define TL_TOKEN_MOST 256

struct tl_error;

/* What whoever asks has to know. */
struct tl_token {
	char bytes[TL_TOKEN_MOST];
	size_t len;
};

/* A certificate and its key, as in their files. */
struct tl_tls {
	char *cert, *key;
};

int tl_token_read(struct tl_token *token, const char *file, struct tl_error *err);
bool tl_token_is(const struct tl_token *token, const char *given);
int tl_tls_read(struct tl_tls *tls, const char *cert, const char *key, struct tl_error *err);
void tl_tls_free(struct tl_tls *tls);

#endif
