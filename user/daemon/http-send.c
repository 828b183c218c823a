// SPDX-License-Identifier: GPL-2.0-or-later
/* What all answers have in common: headers, and how they are sent. */
#include "daemon/http-answer.h"

#include "out.h"

#include <errno.h>
#include <jansson.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

/* Nothing of ours is to be shown within something else. */
static const char *const headers[][2] = {
	{ "X-Content-Type-Options", "nosniff" },
	{ "X-Frame-Options", "DENY" },
	{ "Referrer-Policy", "no-referrer" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "Cross-Origin-Opener-Policy", "same-origin" },
};

#define POLICY "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/**
 * tl_http_header() - A header of a request
 * @connection: of the request
 * @name: of the header
 *
 * Return: its value; NULL if it is not there.
 */
const char *tl_http_header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/**
 * tl_http_dress() - Give a response the headers that all have
 * @response: response or NULL
 * @type: what it is
 * @policy: of its content, if it is a page that may be kept; NULL for figures, which may not
 *
 * Return: @response.
 */
struct MHD_Response *tl_http_dress(struct MHD_Response *response, const char *type, const char *policy)
{
	size_t i;

	if (!response)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(headers); i++)
		MHD_add_response_header(response, headers[i][0], headers[i][1]);
	MHD_add_response_header(response, "Content-Security-Policy", policy ? policy : POLICY);
	/* What is kept is asked for each time, whether it is still the same. */
	MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, policy ? "no-cache" : "no-store");
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	return response;
}

/**
 * tl_http_send() - Send a response, and forget it
 * @connection: who asks
 * @status: of HTTP
 * @response: response, or NULL if there was no memory for it
 *
 * Return: 0 or a negative errno.
 */
int tl_http_send(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response)
{
	int code;

	if (!response)
		return -ENOMEM;
	code = MHD_queue_response(connection, status, response) == MHD_YES ? 0 : -EIO;
	MHD_destroy_response(response);
	return code;
}

/**
 * tl_http_text() - Send a text
 * @connection: who asks
 * @status: of HTTP
 * @type: what it is
 * @text: allocated, and freed in any case; NULL if there was no memory for it
 *
 * Return: 0 or a negative errno.
 */
int tl_http_text(struct MHD_Connection *connection, unsigned int status, const char *type, char *text)
{
	struct MHD_Response *response;

	if (!text)
		return -ENOMEM;
	response = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE);
	if (!response)
		free(text);
	return tl_http_send(connection, status, tl_http_dress(response, type, NULL));
}

/**
 * tl_http_deny() - Tell as a sentence what cannot be had
 * @connection: who asks
 * @status: of HTTP
 * @sentence: why
 * @header: one more header, NULL for none
 * @value: of it
 *
 * Return: 0 or a negative errno.
 */
int tl_http_deny(struct MHD_Connection *connection, unsigned int status, const char *sentence, const char *header,
		 const char *value)
{
	struct MHD_Response *response;
	json_t *object = json_pack("{s:o}", "error", tl_out_name(sentence));
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;

	json_decref(object);
	response = text ? MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE) : NULL;
	if (!response)
		free(text);
	tl_http_dress(response, TL_HTTP_JSON, NULL);
	if (response && header)
		MHD_add_response_header(response, header, value);
	return tl_http_send(connection, status, response);
}
