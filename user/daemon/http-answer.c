// SPDX-License-Identifier: GPL-2.0-or-later
/* Who asks for what, whether he may, and what he gets. */
#include "daemon/board.h"
#include "daemon/http-answer.h"
#include "daemon/page.h"
#include "daemon/study.h"

#include <ctype.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES "application/jsonl"
#define PLAIN "text/plain; charset=utf-8"

static const char *const metrics_types[] = { "text/plain; version=0.0.4; charset=utf-8",
					     "application/openmetrics-text; version=1.0.0; charset=utf-8" };

/* ---- metrics ------------------------------------------------------------- */

/* How much a type of an Accept header is wanted: "q=0.5" behind it, else 1. */
static double wish(const char *parameters, size_t len)
{
	const char *q = parameters, *end = parameters + len;

	for (; q && q < end; q = memchr(q, ';', (size_t)(end - q))) {
		q += *q == ';';
		q += strspn(q, " \t");
		if (q + 2 < end && tolower((unsigned char)*q) == 'q' && q[1] == '=')
			return strtod(q + 2, NULL);
	}
	return 1;
}

/* Whether OpenMetrics is wanted more than plain text. */
static bool wants_open(const char *accept)
{
	static const char *const names[] = { "text/plain", "application/openmetrics-text" };
	double wishes[2] = { 0, 0 };
	size_t i, len;

	for (; accept && *accept; accept += len + (accept[len] == ',')) {
		accept += strspn(accept, " \t");
		len = strcspn(accept, ",");
		for (i = 0; i < 2; i++)
			if (!strncasecmp(accept, names[i], strlen(names[i])) && strchr(",; \t", accept[strlen(names[i])]))
				wishes[i] = max(wishes[i], wish(accept + strlen(names[i]), len - strlen(names[i])));
	}
	return wishes[1] > 0 && wishes[1] >= wishes[0];
}

/* One that is not of now is of no use, and as long as the other. */
static void page_drop_old(struct tl_http_page *page, u64 version)
{
	if (!page->response || page->version == version)
		return;
	MHD_destroy_response(page->response);
	*page = (struct tl_http_page){ NULL, 0 };
}

/* Made anew only when something has changed: then any number may ask. */
static int metrics_send(struct tl_http_pages *pages, struct MHD_Connection *connection)
{
	bool open = wants_open(tl_http_header(connection, MHD_HTTP_HEADER_ACCEPT));
	struct tl_http_page *page = &pages->metrics[open];
	struct MHD_Response *response;
	size_t len;
	char *text = tl_board_metrics(pages->board, open, &len, &page->version);

	if (text) {
		response = MHD_create_response_from_buffer(len, text, MHD_RESPMEM_MUST_FREE);
		if (!response) {
			free(text);
			page->version = 0;
			return -ENOMEM;
		}
		if (page->response)
			MHD_destroy_response(page->response);
		page->response = tl_http_dress(response, metrics_types[open], NULL);
		MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT);
		page_drop_old(&pages->metrics[!open], page->version);
	}
	if (!page->response)
		return -ENOMEM;
	return MHD_queue_response(connection, MHD_HTTP_OK, page->response) == MHD_YES ? 0 : -EIO;
}

/* ---- the rest ------------------------------------------------------------ */

struct lines {
	size_t n;
	struct tl_line *line[TL_BOARD_DECISIONS];
};

static void lines_free(void *arg)
{
	struct lines *lines = arg;

	while (lines->n)
		tl_line_put(lines->line[--lines->n]);
	free(lines);
}

/* However slowly they are taken, they are there once for all. */
static int lines_send(struct tl_http_pages *pages, struct MHD_Connection *connection, struct tl_lines *of, size_t last)
{
	struct MHD_IoVec parts[TL_BOARD_DECISIONS];
	struct lines *lines = calloc(1, sizeof(*lines));
	struct MHD_Response *response;
	size_t i;

	if (!lines)
		return -ENOMEM;
	lines->n = tl_board_lines(pages->board, of, last, lines->line);
	for (i = 0; i < lines->n; i++)
		parts[i] = (struct MHD_IoVec){ lines->line[i]->text, lines->line[i]->len };
	response = MHD_create_response_from_iovec(parts, (unsigned int)lines->n, lines_free, lines);
	if (!response)
		lines_free(lines);
	return tl_http_send(connection, MHD_HTTP_OK, tl_http_dress(response, LINES, NULL));
}

/* "last=5"; 0 if it is not one of those. */
static size_t last_of(struct MHD_Connection *connection, size_t otherwise, size_t most)
{
	const char *text = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "last");
	size_t n;

	if (!text)
		return otherwise;
	if (!*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 4)
		return 0;
	n = (size_t)atoi(text);
	return n <= most ? n : 0;
}

static int intervals_send(struct tl_http_pages *pages, struct MHD_Connection *connection)
{
	size_t last = last_of(connection, 1, TL_BOARD_INTERVALS);

	if (!last)
		return tl_http_deny(connection, MHD_HTTP_BAD_REQUEST, "last is a whole number from 1 to 60", NULL, NULL);
	return lines_send(pages, connection, &pages->board->intervals, last);
}

static int decisions_send(struct tl_http_pages *pages, struct MHD_Connection *connection)
{
	size_t last = last_of(connection, TL_BOARD_DECISIONS, TL_BOARD_DECISIONS);

	if (!last)
		return tl_http_deny(connection, MHD_HTTP_BAD_REQUEST, "last is a whole number from 1 to 200", NULL, NULL);
	return lines_send(pages, connection, &pages->board->decisions, last);
}

static int status_send(struct tl_http_pages *pages, struct MHD_Connection *connection)
{
	return tl_http_text(connection, MHD_HTTP_OK, TL_HTTP_JSON, tl_board_status(pages->board));
}

static int demands_send(struct tl_http_pages *pages, struct MHD_Connection *connection)
{
	return tl_http_text(connection, MHD_HTTP_OK, TL_HTTP_JSON, tl_study_answer(pages->board->studies, TL_STUDY_DEMANDS));
}

static int capacity_send(struct tl_http_pages *pages, struct MHD_Connection *connection)
{
	return tl_http_text(connection, MHD_HTTP_OK, TL_HTTP_JSON, tl_study_answer(pages->board->studies, TL_STUDY_CAPACITY));
}

/* So that the page asks for a token only where there is one. */
static int token_send(struct tl_http_pages *pages, struct MHD_Connection *connection)
{
	return tl_http_text(connection, MHD_HTTP_OK, PLAIN, strdup(pages->token.len ? "needed\n" : "none\n"));
}

static int healthy_send(struct tl_http_pages *pages, struct MHD_Connection *connection)
{
	if (tl_board_is_alive(pages->board))
		return tl_http_text(connection, MHD_HTTP_OK, PLAIN, strdup("healthy\n"));
	return tl_http_deny(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
		      "tierlensd has not looked at the kernel for a minute: see its log, and restart it", NULL, NULL);
}

static int ready_send(struct tl_http_pages *pages, struct MHD_Connection *connection)
{
	const char *why;

	if (tl_board_is_ready(pages->board, &why))
		return tl_http_text(connection, MHD_HTTP_OK, PLAIN, strdup("ready\n"));
	return tl_http_deny(connection, MHD_HTTP_SERVICE_UNAVAILABLE, why, NULL, NULL);
}

/* @open: told to whoever asks, also without the token. */
static const struct path {
	const char *name;
	int (*send)(struct tl_http_pages *pages, struct MHD_Connection *connection);
	bool open;
} paths[] = {
	{ "/metrics", metrics_send, false },
	{ "/api/v1/status", status_send, false },
	{ "/api/v1/intervals", intervals_send, false },
	{ "/api/v1/decisions", decisions_send, false },
	{ "/api/v1/history", tl_http_history, false },
	{ "/api/v1/histogram", tl_http_histogram, false },
	{ "/api/v1/demands", demands_send, false },
	{ "/api/v1/capacity", capacity_send, false },
	{ "/-/healthy", healthy_send, true },
	{ "/-/ready", ready_send, true },
	{ "/-/token", token_send, true },
};

static const struct path *path_of(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths); i++)
		if (!strcmp(paths[i].name, name))
			return &paths[i];
	return NULL;
}

static bool may(const struct tl_token *token, const char *given)
{
	if (!token->len)
		return true;
	if (!given || strncasecmp(given, "Bearer ", 7))
		return false;
	return tl_token_is(token, given + 7 + strspn(given + 7, " "));
}

/*
 * A name that is not an address may be one that its owner has pointed at us, so that a page in a browser of this
 * host can read what is meant for this host. Who has a token is no such page.
 */
static bool is_meant(const char *host)
{
	size_t len = host ? strcspn(host, ":") : 0;

	if (!host || *host == '[')
		return true;
	return (len && strspn(host, "0123456789.") == len) || (len == 9 && !strncasecmp(host, "localhost", len));
}

/*
 * A page of another site cannot read what its browser is told here, but it could have studies begun again and again.
 * Browsers say whose page asks. Who has a token was not sent by such a page.
 */
static bool is_foreign(struct MHD_Connection *connection)
{
	const char *site = tl_http_header(connection, "Sec-Fetch-Site");

	return site && (!strcmp(site, "cross-site") || !strcmp(site, "same-site"));
}

/* A request that brings something along: none of ours does, and it need not be read. */
static bool has_body(struct MHD_Connection *connection)
{
	const char *length = tl_http_header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return tl_http_header(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING) || (length && strcmp(length, "0"));
}

/**
 * tl_http_refuse() - Refuse a request whose rest need not be read
 * @pages: what there is
 * @connection: of the request
 * @method: of the request
 *
 * Context: the server's thread.
 * Return: 0, also if there is nothing to refuse; or a negative errno: then the connection is closed.
 */
int tl_http_refuse(struct tl_http_pages *pages, struct MHD_Connection *connection, const char *method)
{
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return tl_http_deny(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "nothing can be changed here: use GET or HEAD",
			      MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	if (has_body(connection))
		return tl_http_deny(connection, MHD_HTTP_CONTENT_TOO_LARGE, "a request has no body here", NULL, NULL);
	if (!pages->token.len && !is_meant(tl_http_header(connection, MHD_HTTP_HEADER_HOST)))
		return tl_http_deny(connection, MHD_HTTP_MISDIRECTED_REQUEST,
			      "without a token this is told by address, or as localhost, only", NULL, NULL);
	return 0;
}

/**
 * tl_http_answer() - Answer a request
 * @pages: what there is
 * @connection: of the request
 * @path: as it was sent
 *
 * Context: the server's thread.
 * Return: 0, or a negative errno: then the connection is closed.
 */
int tl_http_answer(struct tl_http_pages *pages, struct MHD_Connection *connection, const char *path)
{
	const struct tl_page_file *file = tl_page_find(path);
	const struct path *known = path_of(path);

	if (file)
		return tl_http_page(connection, file);
	if (!strcmp(path, "/"))
		return tl_http_pageless(connection);
	if (!pages->token.len && is_foreign(connection))
		return tl_http_deny(connection, MHD_HTTP_FORBIDDEN,
				    "without a token this is told to no page of another site: open it by its address", NULL,
				    NULL);
	if ((!known || !known->open) && !may(&pages->token, tl_http_header(connection, MHD_HTTP_HEADER_AUTHORIZATION)))
		return tl_http_deny(connection, MHD_HTTP_UNAUTHORIZED, "a token is needed: Authorization: Bearer TOKEN",
			      MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"tierlensd\"");
	if (!known)
		return tl_http_deny(connection, MHD_HTTP_NOT_FOUND,
			      "there are /, /metrics, /-/healthy, /-/ready, /-/token and, below /api/v1/, status, "
			      "intervals?last=N, decisions, history, histogram, demands and capacity", NULL, NULL);
	return known->send(pages, connection);
}

/**
 * tl_http_pages_free() - Forget pages and the token
 * @pages: pages
 */
void tl_http_pages_free(struct tl_http_pages *pages)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pages->metrics); i++)
		if (pages->metrics[i].response)
			MHD_destroy_response(pages->metrics[i].response);
	explicit_bzero(&pages->token, sizeof(pages->token));
}
