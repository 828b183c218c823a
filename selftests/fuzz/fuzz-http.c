// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A request to tierlensd: its method, path and headers, a line each, as the HTTP library hands them on. What asks
 * and answers is here in the library's place. The first line says whether there is a token.
 */
#include "fuzz.h"

#include "daemon/board.h"
#include "daemon/http.h"
#include "daemon/study.h"

#include <microhttpd.h>
#include <strings.h>

#define HEADERS 32
#define TOKEN "0123456789abcdef0123456789abcdef"

struct MHD_Connection {
	char *header[HEADERS], *last;
	size_t headers;
	unsigned int answers, status;
};

struct MHD_Response {
	unsigned int refs;
	void *text, *arg;
	MHD_ContentReaderFreeCallback done;
};

const char *MHD_lookup_connection_value(struct MHD_Connection *connection, enum MHD_ValueKind kind, const char *key)
{
	size_t i, len = strlen(key);

	if (kind == MHD_GET_ARGUMENT_KIND)
		return strcmp(key, "last") ? NULL : connection->last;
	for (i = 0; i < connection->headers; i++)
		if (!strncasecmp(connection->header[i], key, len) && connection->header[i][len] == ':')
			return connection->header[i] + len + 1 + strspn(connection->header[i] + len + 1, " ");
	return NULL;
}

static struct MHD_Response *response_new(void *text, void *arg, MHD_ContentReaderFreeCallback done)
{
	struct MHD_Response *response = calloc(1, sizeof(*response));

	*response = (struct MHD_Response){ 1, text, arg, done };
	return response;
}

struct MHD_Response *MHD_create_response_from_buffer(size_t size, void *buffer, enum MHD_ResponseMemoryMode mode)
{
	fuzz_must(mode != MHD_RESPMEM_MUST_COPY && (!size || buffer), "an answer of nothing");
	return response_new(mode == MHD_RESPMEM_MUST_FREE ? buffer : NULL, NULL, NULL);
}

struct MHD_Response *MHD_create_response_from_iovec(const struct MHD_IoVec *iov, unsigned int n,
						    MHD_ContentReaderFreeCallback done, void *arg)
{
	fuzz_must(!n || iov, "an answer of nothing");
	return response_new(NULL, arg, done);
}

enum MHD_Result MHD_add_response_header(struct MHD_Response *response, const char *header, const char *content)
{
	fuzz_must(response && *header && !strpbrk(content, "\r\n"), "a header that ends early");
	return MHD_YES;
}

enum MHD_Result MHD_queue_response(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response)
{
	fuzz_must(response != NULL, "an answer that is none");
	connection->answers++;
	connection->status = status;
	return MHD_YES;
}

void MHD_destroy_response(struct MHD_Response *response)
{
	if (--response->refs)
		return;
	free(response->text);
	if (response->done)
		response->done(response->arg);
	free(response);
}

static void ask(struct tl_http_pages *pages, struct MHD_Connection *connection, const char *method, const char *path)
{
	const char *given = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
	int code = tl_http_refuse(pages, connection, method);

	if (!code && !connection->answers)
		code = tl_http_answer(pages, connection, path);
	fuzz_must(code || connection->answers == 1, "not one answer to a request");
	/* The page itself holds no figures. */
	if (pages->token.len && connection->status == 200 && (!strncmp(path, "/api/", 5) || !strncmp(path, "/metrics", 8)))
		fuzz_must(given && strstr(given, TOKEN), "what a token guards is told without it");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct MHD_Connection connection = { 0 };
	struct tl_http_pages pages = { 0 };
	static struct tl_board board;
	char *token = fuzz_text(&data, &size), *method = fuzz_text(&data, &size), *path = fuzz_text(&data, &size), *ask_at;
	size_t i;

	memset(&board, 0, sizeof(board));
	fuzz_must(!tl_board_begin(&board, 100), "no board");
	board.studies = tl_studies_new(&board);
	fuzz_must(board.studies != NULL, "no studies");
	pages.board = &board;
	if (*token == 't') {
		pages.token.len = strlen(TOKEN);
		memcpy(pages.token.bytes, TOKEN, strlen(TOKEN));
	}
	ask_at = strchr(path, '?');
	if (ask_at) {
		*ask_at = '\0';
		connection.last = strncmp(ask_at + 1, "last=", 5) ? NULL : ask_at + 6;
	}
	while (size && connection.headers < HEADERS)
		connection.header[connection.headers++] = fuzz_text(&data, &size);
	ask(&pages, &connection, method, path);
	for (i = 0; i < 2; i++)
		if (pages.metrics[i].response)
			MHD_destroy_response(pages.metrics[i].response);
	tl_studies_free(board.studies);
	tl_board_end(&board);
	for (i = 0; i < connection.headers; i++)
		free(connection.header[i]);
	free(token);
	free(method);
	free(path);
	return 0;
}
