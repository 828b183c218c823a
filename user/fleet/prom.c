// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The query API of Prometheus, as a client
 *
 * What a store answers is as good as what anybody on the way makes of it: replies are bounded in size and in time,
 * no redirection is followed (it would be given the token), and whatever is no answer is said as a sentence with
 * the place and what to do.
 */
#include "fleet/prom.h"

#include "error.h"
#include "port.h"
#include "text.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define CONNECT_S 10L
#define ANSWER_S 120L
#define TOKEN_BYTES 4096
#define SAID_BYTES 200 /* of what a store says that went wrong */

struct tl_prom {
	CURL *curl;
	struct curl_slist *headers;
	char *url, *name, *body, why[CURL_ERROR_SIZE];
	size_t len, room;
	bool too_large;
};

/**
 * tl_prom_is_url() - Whether a name is that of a store, and so no file's
 * @text: name
 *
 * Return: whether it begins as one.
 */
bool tl_prom_is_url(const char *text)
{
	return !strncmp(text, "http://", 7) || !strncmp(text, "https://", 8);
}

static size_t take(char *bytes, size_t size, size_t n, void *arg)
{
	struct tl_prom *prom = arg;
	size_t len = size * n, room = prom->room ? prom->room : 65536;
	char *grown;

	if (prom->len + len > TL_PROM_REPLY_BYTES) {
		prom->too_large = true;
		return 0;
	}
	while (room < prom->len + len)
		room *= 2;
	if (room != prom->room) {
		grown = realloc(prom->body, room);
		if (!grown)
			return 0;
		prom->body = grown;
		prom->room = room;
	}
	memcpy(prom->body + prom->len, bytes, len);
	prom->len += len;
	return len;
}

/* The first line of a file. */
static int token_read(const char *file, char *token, struct tl_error *err)
{
	FILE *from = fopen(file, "re");
	bool any = from && fgets(token, TOKEN_BYTES, from);
	int failed = errno;

	if (from)
		fclose(from);
	if (!from)
		return tl_error_set(err, -failed, "%s: cannot read the token (%s): give a file that you may read", file,
				    strerror(failed));
	if (any)
		token[strcspn(token, "\r\n")] = '\0';
	if (!any || !*token)
		return tl_error_set(err, -EINVAL, "%s: no token in its first line: write it there", file);
	return 0;
}

static int token_send(struct tl_prom *prom, const char *file, struct tl_error *err)
{
	char token[TOKEN_BYTES], header[TOKEN_BYTES + 40];
	int code = token_read(file, token, err);

	if (code)
		return code;
	snprintf(header, sizeof(header), "Authorization: Bearer %s", token);
	prom->headers = curl_slist_append(NULL, header);
	explicit_bzero(token, sizeof(token));
	explicit_bzero(header, sizeof(header));
	return prom->headers ? 0 : tl_error_no_memory(err);
}

static int options_set(struct tl_prom *prom, const struct tl_prom_plan *plan)
{
	CURL *curl = prom->curl;
	int failed = 0;

	failed |= curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	failed |= curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	failed |= curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	failed |= curl_easy_setopt(curl, CURLOPT_TIMEOUT, ANSWER_S);
	failed |= curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, prom->why);
	failed |= curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
	failed |= curl_easy_setopt(curl, CURLOPT_WRITEDATA, prom);
	failed |= curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
	failed |= curl_easy_setopt(curl, CURLOPT_HTTPHEADER, prom->headers);
	if (plan->ca)
		failed |= curl_easy_setopt(curl, CURLOPT_CAINFO, plan->ca);
	return failed ? -ENOMEM : 0;
}

/**
 * tl_prom_open() - Get ready to ask a store
 * @prom: set, to be given to tl_prom_close()
 * @plan: which; nobody is asked yet
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno, with *@prom then NULL.
 */
int tl_prom_open(struct tl_prom **prom, const struct tl_prom_plan *plan, struct tl_error *err)
{
	struct tl_prom *p = calloc(1, sizeof(*p));
	size_t len = strlen(plan->url);
	int code = 0;

	*prom = NULL;
	while (len && plan->url[len - 1] == '/')
		len--;
	if (p) {
		p->url = strndup(plan->url, len);
		p->name = tl_text_utf8(plan->url, len);
		p->curl = curl_easy_init();
	}
	if (!p || !p->url || !p->name || !p->curl)
		code = tl_error_no_memory(err);
	if (!code && plan->token_file)
		code = token_send(p, plan->token_file, err);
	if (!code && options_set(p, plan))
		code = tl_error_no_memory(err);
	if (code)
		tl_prom_close(p);
	else
		*prom = p;
	return code;
}

/**
 * tl_prom_close() - Ask no more
 * @prom: prom or NULL
 */
void tl_prom_close(struct tl_prom *prom)
{
	if (!prom)
		return;
	if (prom->curl)
		curl_easy_cleanup(prom->curl);
	curl_slist_free_all(prom->headers);
	free(prom->body);
	free(prom->name);
	free(prom->url);
	free(prom);
}

/**
 * tl_prom_name() - What to call it in sentences
 * @prom: prom
 *
 * Return: its URL, valid UTF-8.
 */
const char *tl_prom_name(const struct tl_prom *prom)
{
	return prom->name;
}

static char *form(struct tl_prom *prom, const struct tl_prom_field *field, size_t n)
{
	char *text = NULL, *value;
	size_t len, i;
	FILE *to = open_memstream(&text, &len);

	for (i = 0; to && i < n; i++) {
		value = curl_easy_escape(prom->curl, field[i].value, 0);
		fprintf(to, "%s%s=%s", i ? "&" : "", field[i].name, value ? value : "");
		curl_free(value);
	}
	if (to && fclose(to)) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Which part of the way it is that does not work. */
static int not_reached(struct tl_prom *prom, CURLcode code, struct tl_error *err)
{
	const char *why = *prom->why ? prom->why : curl_easy_strerror(code);

	if (prom->too_large)
		return tl_error_set(err, -E2BIG, "%s: its answer is larger than %lu MiB: ask for less with --selector, "
				    "or for a longer --step", prom->name, TL_PROM_REPLY_BYTES >> 20);
	switch (code) {
	case CURLE_OUT_OF_MEMORY:
	case CURLE_WRITE_ERROR:
		return tl_error_no_memory(err);
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
		return tl_error_set(err, -EINVAL, "%s: no URL of a store (%s): give one such as http://host:9090",
				    prom->name, why);
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_INVALIDCERTSTATUS:
		return tl_error_set(err, -EPERM, "%s: TLS failed (%s): give with --ca who has signed its certificate, and the "
				    "name that stands in it", prom->name, why);
	case CURLE_OPERATION_TIMEDOUT:
		return tl_error_set(err, -ETIMEDOUT, "%s: no answer (%s): see whether it works, or ask for less", prom->name,
				    why);
	case CURLE_PARTIAL_FILE:
	case CURLE_GOT_NOTHING:
	case CURLE_RECV_ERROR:
		return tl_error_set(err, -EIO, "%s: its answer ends too early (%s): ask again", prom->name, why);
	default:
		return tl_error_set(err, -EHOSTUNREACH, "%s: cannot be asked (%s): see whether it runs and is the right place",
				    prom->name, why);
	}
}

/* What it says itself, as far as people can read it. */
static void said(const struct tl_prom *prom, json_t *reply, char *to, size_t room)
{
	const char *error = json_string_value(json_object_get(reply, "error"));
	char *text = error ? tl_text_utf8(error, min(strlen(error), (size_t)SAID_BYTES)) : NULL;
	char *clean = text ? tl_text_printable(text) : NULL;

	(void)prom;
	snprintf(to, room, "%s%s", clean ? ": " : "", clean ? clean : "");
	free(clean);
	free(text);
}

static int refused(struct tl_prom *prom, long status, json_t *reply, struct tl_error *err)
{
	char text[SAID_BYTES * 3 + 8];

	said(prom, reply, text, sizeof(text));
	if (status == 401 || status == 403)
		return tl_error_set(err, -EACCES, "%s: it wants to know who asks (HTTP %ld): give the right --token-file",
				    prom->name, status);
	if (status / 100 == 3)
		return tl_error_set(err, -EINVAL, "%s: it is somewhere else (HTTP %ld): give the URL that it sends people to",
				    prom->name, status);
	if (status == 404 || status == 405)
		return tl_error_set(err, -EINVAL, "%s: no query API there (HTTP %ld): give the URL in front of /api/v1",
				    prom->name, status);
	if (status == 400 || status == 422)
		return tl_error_set(err, -EINVAL, "%s: it refuses the query%s: see to --selector, --from, --to and --step",
				    prom->name, text);
	return tl_error_set(err, -EIO, "%s: it cannot answer (HTTP %ld)%s: see what its log says", prom->name, status, text);
}

static int reply_read(struct tl_prom *prom, long status, json_t **data, struct tl_error *err)
{
	json_error_t where;
	json_t *reply = json_loadb(prom->body ? prom->body : "", prom->len, JSON_REJECT_DUPLICATES, &where);
	const char *state = json_string_value(json_object_get(reply, "status"));
	int code = 0;

	if (status != 200 || (state && !strcmp(state, "error")))
		code = refused(prom, status == 200 ? 422 : status, reply, err);
	else if (!reply)
		code = tl_error_set(err, -EBADMSG, "%s: its answer is no JSON (%s, byte %d): is this a Prometheus?", prom->name,
				    where.text, where.position);
	else if (!state || strcmp(state, "success") || !json_object_get(reply, "data"))
		code = tl_error_set(err, -EBADMSG, "%s: its answer has no status and data: is this a Prometheus?", prom->name);
	else
		*data = json_incref(json_object_get(reply, "data"));
	json_decref(reply);
	return code;
}

/**
 * tl_prom_ask() - Ask the store something
 * @prom: prom
 * @function: of its API, behind /api/v1/
 * @field: [@n] what to ask it
 * @data: set to what it answers, a new reference
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_prom_ask(struct tl_prom *prom, const char *function, const struct tl_prom_field *field, size_t n, json_t **data,
		struct tl_error *err)
{
	char *body = form(prom, field, n), *url = NULL;
	CURLcode code = CURLE_OUT_OF_MEMORY;
	long status = 0;

	*data = NULL;
	prom->len = 0;
	prom->too_large = false;
	*prom->why = '\0';
	if (body && asprintf(&url, "%s/api/v1/%s", prom->url, function) >= 0 &&
	    !curl_easy_setopt(prom->curl, CURLOPT_URL, url) && !curl_easy_setopt(prom->curl, CURLOPT_POSTFIELDS, body))
		code = curl_easy_perform(prom->curl);
	curl_easy_getinfo(prom->curl, CURLINFO_RESPONSE_CODE, &status);
	free(url);
	free(body);
	return code ? not_reached(prom, code, err) : reply_read(prom, status, data, err);
}
