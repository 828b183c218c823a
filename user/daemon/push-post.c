// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One request of remote write, by libcurl
 *
 * Whoever answers may be anybody: of the answer a line is kept, more than 64 KiB are not read, nor is it waited for
 * longer than 30 s in all. Redirects are not followed: the token would go wherever they point.
 */
#include "daemon/push-post.h"

#include "error.h"

#include <curl/curl.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <tierlens-version.h>

#define CONNECT_MS 5000L
#define ANSWER_MS 30000L
#define ANSWER_BYTES 65536
#define RETRY_AFTER_S_MOST 300

/**
 * struct tl_post - A client
 * @took: bytes of the answer so far; the first of them are in @answer
 */
struct tl_post {
	CURL *curl;
	struct curl_slist *headers;
	struct tl_post_answer *answer;
	size_t took, kept;
	tl_post_stop_fn *stop;
	void *arg;
};

/* ---- what is asked for --------------------------------------------------- */

static int url_check(CURLU *parsed, const char *url, bool *bare, struct tl_error *err)
{
	char *scheme = NULL, *user = NULL, *password = NULL;
	int code = 0;

	if (curl_url_set(parsed, CURLUPART_URL, url, 0) || curl_url_get(parsed, CURLUPART_SCHEME, &scheme, 0) ||
	    (strcmp(scheme, "http") && strcmp(scheme, "https")))
		code = tl_error_set(err, -EINVAL, "--remote-write \"%.100s\" is no address: give http:// or https://, a host "
				    "and a path, as https://metrics.example/api/v1/write", url);
	curl_url_get(parsed, CURLUPART_USER, &user, 0);
	curl_url_get(parsed, CURLUPART_PASSWORD, &password, 0);
	if (!code && (user || password))
		code = tl_error_set(err, -EINVAL, "--remote-write holds a name or a password, which others could see: give "
				    "--remote-write-token-file");
	*bare = !code && !strcmp(scheme, "http");
	curl_free(scheme);
	curl_free(user);
	curl_free(password);
	return code;
}

/**
 * tl_post_check() - Is it an address that can be sent to?
 * @url: address
 * @bare: set to whether it is not encrypted
 * @err: the sentence if it is none
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int tl_post_check(const char *url, bool *bare, struct tl_error *err)
{
	CURLU *parsed = curl_url();
	int code = parsed ? url_check(parsed, url, bare, err) : tl_error_no_memory(err);

	curl_url_cleanup(parsed);
	return code;
}

/**
 * tl_post_check_ca() - Are there certificates in a file?
 * @file: its name
 * @err: the sentence if there are none
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int tl_post_check_ca(const char *file, struct tl_error *err)
{
	gnutls_certificate_credentials_t trust;
	int n;

	if (gnutls_certificate_allocate_credentials(&trust))
		return tl_error_no_memory(err);
	n = gnutls_certificate_set_x509_trust_file(trust, file, GNUTLS_X509_FMT_PEM);
	gnutls_certificate_free_credentials(trust);
	if (n > 0)
		return 0;
	return tl_error_set(err, -EINVAL, "%s: no certificates in PEM can be read (%s): name the file of who has signed the "
			    "receiver's", file, n ? gnutls_strerror(n) : "it has none");
}

/* ---- answers ------------------------------------------------------------- */

static size_t on_bytes(char *bytes, size_t size, size_t n, void *arg)
{
	struct tl_post *post = arg;
	struct tl_post_answer *answer = post->answer;
	size_t i;

	n *= size;
	post->took += n;
	for (i = 0; i < n && post->kept < sizeof(answer->text) - 1 && bytes[i] != '\n'; i++)
		answer->text[post->kept++] = bytes[i] < ' ' || bytes[i] > '~' ? '?' : bytes[i];
	if (i < n)
		post->kept = sizeof(answer->text);
	return post->took > ANSWER_BYTES ? 0 : n;
}

static int on_progress(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	struct tl_post *post = arg;

	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return post->stop(post->arg);
}

static void answer_read(struct tl_post *post, CURLcode code, size_t len)
{
	struct tl_post_answer *answer = post->answer;
	curl_off_t sent = 0, after = 0;
	char *to = NULL;

	curl_easy_getinfo(post->curl, CURLINFO_RESPONSE_CODE, &answer->status);
	curl_easy_getinfo(post->curl, CURLINFO_SIZE_UPLOAD_T, &sent);
	curl_easy_getinfo(post->curl, CURLINFO_RETRY_AFTER, &after);
	curl_easy_getinfo(post->curl, CURLINFO_REDIRECT_URL, &to);
	after = max(after, (curl_off_t)0);
	answer->retry_after_s = (u64)min(after, (curl_off_t)RETRY_AFTER_S_MOST);
	/* An answer that is too long is one; one that never ended, or was cut off within its head, is none. */
	if (code && code != CURLE_WRITE_ERROR) {
		answer->status = 0;
		snprintf(answer->text, sizeof(answer->text), "%s", curl_easy_strerror(code));
	}
	answer->unsure = answer->status ? answer->status >= 500 : sent >= (curl_off_t)len;
	if (answer->status / 100 == 3)
		snprintf(answer->text, sizeof(answer->text), "it points to %.200s: give that address if it is right",
			 to ? to : "nowhere");
}

/**
 * tl_post_send() - Send a request, and wait for its answer
 * @post: client
 * @body: WriteRequest, compressed
 * @len: its length
 * @answer: filled in
 */
void tl_post_send(struct tl_post *post, const void *body, size_t len, struct tl_post_answer *answer)
{
	memset(answer, 0, sizeof(*answer));
	post->answer = answer;
	post->took = post->kept = 0;
	curl_easy_setopt(post->curl, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(post->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	answer_read(post, curl_easy_perform(post->curl), len);
}

/* ---- begin and end ------------------------------------------------------- */

static bool header_add(struct curl_slist **headers, const char *line)
{
	struct curl_slist *grown = curl_slist_append(*headers, line);

	if (grown)
		*headers = grown;
	return grown;
}

static bool headers_make(struct curl_slist **headers, const struct tl_token *token)
{
	char line[TL_TOKEN_MOST + 40];
	bool well = header_add(headers, "Content-Type: application/x-protobuf") &&
		    header_add(headers, "Content-Encoding: snappy") &&
		    header_add(headers, "X-Prometheus-Remote-Write-Version: 0.1.0") && header_add(headers, "Expect:");

	if (well && token->len) {
		snprintf(line, sizeof(line), "Authorization: Bearer %.*s", (int)token->len, token->bytes);
		well = header_add(headers, line);
		explicit_bzero(line, sizeof(line));
	}
	return well;
}

static void headers_free(struct curl_slist *headers)
{
	struct curl_slist *header;

	for (header = headers; header; header = header->next)
		explicit_bzero(header->data, strlen(header->data));
	curl_slist_free_all(headers);
}

/**
 * tl_post_target() - From now on it is sent there
 * @post: client
 * @target: where
 *
 * Return: 0 or -ENOMEM.
 */
int tl_post_target(struct tl_post *post, const struct tl_post_target *target)
{
	struct curl_slist *headers = NULL;
	CURL *curl = post->curl;

	if (!headers_make(&headers, &target->token)) {
		headers_free(headers);
		return -ENOMEM;
	}
	/* Also connections that are open. */
	curl_easy_reset(curl);
	headers_free(post->headers);
	post->headers = headers;
	if (curl_easy_setopt(curl, CURLOPT_URL, target->url) ||
	    (target->ca && curl_easy_setopt(curl, CURLOPT_CAINFO, target->ca)))
		return -ENOMEM;
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "tierlensd/" TIERLENS_VERSION);
	curl_easy_setopt(curl, CURLOPT_POST, 1L);
	curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	/* Who ends us does not wait for a name server. */
	curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, ANSWER_MS);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, post);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_bytes);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, post);
	return 0;
}

/**
 * tl_post_open() - A client
 * @post: set, to be given to tl_post_close()
 * @stop: asked now and then while an answer is waited for
 * @arg: for it
 * @err: the sentence if it fails
 *
 * Context: before there are other threads, the first time.
 * Return: 0 or -ENOMEM.
 */
int tl_post_open(struct tl_post **post, tl_post_stop_fn *stop, void *arg, struct tl_error *err)
{
	struct tl_post *new = calloc(1, sizeof(*new));

	if (new && !curl_global_init(CURL_GLOBAL_ALL))
		new->curl = curl_easy_init();
	if (!new || !new->curl) {
		free(new);
		return tl_error_no_memory(err);
	}
	new->stop = stop;
	new->arg = arg;
	*post = new;
	return 0;
}

/**
 * tl_post_close() - No more of it
 * @post: client or NULL
 */
void tl_post_close(struct tl_post *post)
{
	if (!post)
		return;
	curl_easy_cleanup(post->curl);
	headers_free(post->headers);
	curl_global_cleanup();
	free(post);
}
