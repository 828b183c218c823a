/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_HTTP_H
#define TL_DAEMON_HTTP_H

#include "daemon/listen.h"
#include "daemon/secret.h"
#include "hist.h"

struct MHD_Connection;
struct MHD_Response;
struct tl_board;
struct tl_error;

/**
 * struct tl_http_options - How to serve; NULL for what there is not
 * @listen: ADDRESS:PORT, or "none"
 * @tls_cert: names of files, as are the others
 */
struct tl_http_options {
	const char *listen, *tls_cert, *tls_key, *token_file;
};

/* What the options lead to, read and held against each other. */
struct tl_http_plan {
	struct tl_listen at;
	struct tl_tls tls;
	struct tl_token token;
};

/* A page that was made, and of which version of the board it is. */
struct tl_http_page {
	struct MHD_Response *response;
	u64 version;
};

/**
 * struct tl_http_pages - What answers need
 * @metrics: as Prometheus' text and as OpenMetrics
 */
struct tl_http_pages {
	struct tl_board *board;
	struct tl_token token;
	struct tl_http_page metrics[2];
};

struct tl_http;

/* Is told where it will serve, before the first answer. */
typedef void tl_http_bound_fn(unsigned int port, void *arg);

/* Tells of a mistake, once for each. */
typedef void tl_http_mistake_fn(const struct tl_error *err, void *arg);

int tl_http_plan(struct tl_http_plan *plan, const struct tl_http_options *options, tl_http_mistake_fn *mistake, void *arg);
void tl_http_plan_free(struct tl_http_plan *plan);
bool tl_http_is_bare(const struct tl_http_plan *plan);
int tl_http_open(struct tl_http **http, struct tl_http_plan *plan, struct tl_board *board, struct tl_http *old,
		 tl_http_bound_fn *bound, void *arg, struct tl_error *err);
unsigned int tl_http_port(const struct tl_http *http);
void tl_http_turn(struct tl_http *http);
void tl_http_close(struct tl_http *http);

/* http-answer.c */
int tl_http_refuse(struct tl_http_pages *pages, struct MHD_Connection *connection, const char *method);
int tl_http_answer(struct tl_http_pages *pages, struct MHD_Connection *connection, const char *path);
void tl_http_pages_free(struct tl_http_pages *pages);

#endif
