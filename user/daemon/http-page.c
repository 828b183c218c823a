// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page is served
 *
 * It has no figures in it, so it is there without the token, which it asks for itself. Its policy lets it run what is
 * served here, ask here, and nothing else: no script and no style in what it shows, no other host.
 */
#include "daemon/http-answer.h"

#include "daemon/page.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLICY "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " \
	       "require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors 'none'; base-uri 'none'; " \
	       "form-action 'none'"
#define WITHOUT "tierlensd was built without its page, because npm was not to be had. Build it where there is npm, or use " \
		"/metrics, /api/v1/status and the others of tierlensd(8).\n"

/* Whether "gzip" stands in an Accept-Encoding header, but not as "gzip;q=0". */
static bool takes_gzip(const char *accept)
{
	const char *at = accept ? strstr(accept, "gzip") : NULL, *q;
	size_t len;

	if (!at)
		return false;
	len = strcspn(at, ",");
	q = memmem(at, len, "q=", 2);
	return !q || strtod(q + 2, NULL) > 0;
}

static struct MHD_Response *response_of(const struct tl_page_bytes *bytes)
{
	return MHD_create_response_from_buffer((size_t)(bytes->end - bytes->begin), (char *)bytes->begin,
					       MHD_RESPMEM_PERSISTENT);
}

/**
 * tl_http_page() - Send a file of the page
 * @connection: who asks
 * @file: the file
 *
 * Return: 0 or a negative errno.
 */
int tl_http_page(struct MHD_Connection *connection, const struct tl_page_file *file)
{
	const char *have = tl_http_header(connection, MHD_HTTP_HEADER_IF_NONE_MATCH);
	bool gzip = takes_gzip(tl_http_header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING));
	struct MHD_Response *response;
	bool same;
	char tag[40];

	snprintf(tag, sizeof(tag), "\"%s%s\"", file->tag, gzip ? "-gzip" : "");
	same = have && strstr(have, tag);
	if (same)
		response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
	else
		response = response_of(gzip ? &file->gzip : &file->plain);
	response = tl_http_dress(response, file->type, POLICY);
	if (!response)
		return -ENOMEM;
	MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, tag);
	MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING);
	if (gzip && !same)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	return tl_http_send(connection, same ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, response);
}

/**
 * tl_http_pageless() - Tell that there is no page
 * @connection: who asks
 *
 * Return: 0 or a negative errno.
 */
int tl_http_pageless(struct MHD_Connection *connection)
{
	return tl_http_send(connection, MHD_HTTP_OK,
			    tl_http_dress(MHD_create_response_from_buffer(strlen(WITHOUT), (char *)WITHOUT, MHD_RESPMEM_PERSISTENT),
					  "text/plain; charset=utf-8", NULL));
}
