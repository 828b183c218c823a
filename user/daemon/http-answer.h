/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_HTTP_ANSWER_H
#define TL_DAEMON_HTTP_ANSWER_H

#include "daemon/http.h"

struct tl_page_file;

#define TL_HTTP_JSON "application/json"

/* http-send.c: what all answers have in common. */
const char *tl_http_header(struct MHD_Connection *connection, const char *name);
struct MHD_Response *tl_http_dress(struct MHD_Response *response, const char *type, const char *policy);
int tl_http_send(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response);
int tl_http_text(struct MHD_Connection *connection, unsigned int status, const char *type, char *text);
int tl_http_deny(struct MHD_Connection *connection, unsigned int status, const char *sentence, const char *header,
		 const char *value);

/* http-page.c */
int tl_http_page(struct MHD_Connection *connection, const struct tl_page_file *file);
int tl_http_pageless(struct MHD_Connection *connection);

/* http-past.c */
int tl_http_history(struct tl_http_pages *pages, struct MHD_Connection *connection);
int tl_http_histogram(struct tl_http_pages *pages, struct MHD_Connection *connection);

#endif
