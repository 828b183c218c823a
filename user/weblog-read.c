// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Access logs, line by line: whose request, for what, and when
 *
 * Nothing of a line is kept but two hashes of what tells its session apart. Lines that
 * cannot be read are counted, and the first of them are named: a log is written by a
 * program that may be killed, and filled by clients that send anything.
 */
#include "weblog-read.h"

#include "error.h"
#include "hist.h"
#include "out.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES_MAX 65536
#define RESPONSE_S_MAX 1e7
#define SHOW_EVERY 200000

struct reader {
	struct tl_weblog *log;
	struct tl_error *err;
	const char *file;
	size_t line;
	bool guessed; /* the format is what the lines looked like */
	struct tl_weblog_line fields;
};

static int broken(struct reader *r, const char *why)
{
	struct tl_weblog *log = r->log;

	if (log->broken < TL_WEBLOG_BROKEN_KEPT &&
	    asprintf(&log->where[log->broken], "%s:%zu: %s", r->file, r->line, why) < 0) {
		log->where[log->broken] = NULL;
		return tl_error_no_memory(r->err);
	}
	log->broken++;
	return 0;
}

/* ---- what is in a line ---------------------------------------------------------------- */

static uint64_t hash(uint64_t seed, const char *text)
{
	for (; *text; text++)
		seed = (seed ^ (unsigned char)*text) * 0x100000001b3ULL;
	/* Mixed, because the low bits choose the bucket. */
	seed ^= seed >> 32;
	return seed * 0x9e3779b97f4a7c15ULL ^ seed >> 29;
}

/* Return: whether the line says whose request it is. */
static bool session_id(const struct reader *r, uint64_t *id)
{
	const struct tl_weblog_format *format = &r->log->format;
	const char *const *value = r->fields.value, *name = value[TL_WEBLOG_SESSION];
	const char *agent = value[TL_WEBLOG_AGENT];
	bool by_name = format->cookie || format->named[TL_WEBLOG_SESSION];
	size_t i;

	name = by_name ? name : value[TL_WEBLOG_ADDRESS];
	if (!name)
		return false;
	for (i = 0; i < 2; i++) {
		id[i] = hash(0xcbf29ce484222325ULL + i, name);
		if (!by_name)
			id[i] = hash(id[i], agent ? agent : "");
	}
	return true;
}

static int type_add(struct reader *r, const char *name, size_t *type)
{
	struct tl_weblog *log = r->log;

	if (log->types == TL_SESSIONS_TYPES)
		return tl_error_set(r->err, -E2BIG, "%s:%zu: field \"%s\" has more than %d values: "
				    "types of users must be few, name another field", r->file,
				    r->line, log->format.named[TL_WEBLOG_TYPE], TL_SESSIONS_TYPES);
	log->type[log->types] = tl_text_utf8(name, strlen(name));
	if (!log->type[log->types])
		return tl_error_no_memory(r->err);
	*type = log->types++;
	return 0;
}

static int type_find(struct reader *r, size_t *type)
{
	const char *name = r->fields.value[TL_WEBLOG_TYPE];
	struct tl_weblog *log = r->log;
	size_t i;

	*type = 0;
	if (!log->format.named[TL_WEBLOG_TYPE])
		return 0;
	name = name ? name : "(none)";
	for (i = 0; i < log->types; i++)
		if (!strcmp(log->type[i], name)) {
			*type = i;
			return 0;
		}
	return type_add(r, name, type);
}

static bool response_read(const struct reader *r, double *response_s)
{
	const char *text = r->fields.value[TL_WEBLOG_RESPONSE];
	char *end;

	*response_s = NAN;
	if (!text)
		return true;
	if (strspn(text, "0123456789.eE+-") != strlen(text))
		return false;
	*response_s = strtod(text, &end) * r->fields.response_unit_s;
	return end != text && !*end && *response_s >= 0 && *response_s <= RESPONSE_S_MAX;
}

static int request_count(struct reader *r, struct tl_sessions_request *request)
{
	struct tl_weblog *log = r->log;
	int code;

	if (!session_id(r, request->id)) {
		log->no_session++;
		return 0;
	}
	code = type_find(r, &request->type);
	if (code)
		return code;
	if (!log->back_where && tl_sessions_clock_back(&log->sessions, request->t_s) &&
	    asprintf(&log->back_where, "%s:%zu", r->file, r->line) < 0)
		log->back_where = NULL;
	log->timed += !isnan(request->response_s);
	code = tl_sessions_request(&log->sessions, request);
	return code ? tl_error_no_memory(r->err) : 0;
}

static int fields_read(struct reader *r)
{
	const char *const *value = r->fields.value;
	struct tl_sessions_request request;
	struct tl_weblog *log = r->log;
	int state;

	if (!value[TL_WEBLOG_TIME])
		return broken(r, "has no time");
	if (!tl_weblog_time(value[TL_WEBLOG_TIME], &request.t_s, &request.whole))
		return broken(r, "has a time that is none");
	if (!response_read(r, &request.response_s))
		return broken(r, "has a response time that is none");
	if (!log->format.cookie && !log->format.named[TL_WEBLOG_SESSION] &&
	    value[TL_WEBLOG_ADDRESS] && strchr(value[TL_WEBLOG_ADDRESS], ' '))
		return broken(r, "has an address that is none");
	if (tl_weblog_state(&log->states, value[TL_WEBLOG_REQUEST], value[TL_WEBLOG_METHOD],
			    value[TL_WEBLOG_URL], &state))
		return tl_error_no_memory(r->err);
	log->embedded += state == TL_WEBLOG_EMBEDDED;
	log->left_out += state == TL_WEBLOG_LEFT_OUT;
	log->no_request += state == TL_WEBLOG_NO_REQUEST;
	request.state = (size_t)state;
	return state < 0 ? 0 : request_count(r, &request);
}

/* ---- lines ---------------------------------------------------------------------------- */

/* The first line that is one of a known format tells which it is. */
static int format_guess(struct reader *r, const char *text, size_t len)
{
	static const char *const known[] = { "combined", "vhost_combined", "common" };
	struct tl_weblog_format *format = &r->log->format, tried;
	char *copy;
	double t_s;
	size_t i;
	bool fits = *text == '{', whole;

	for (i = 0; i < ARRAY_SIZE(known) && !fits; i++) {
		tried = *format;
		copy = strdup(text);
		if (!copy)
			return tl_error_no_memory(r->err);
		fits = !tl_weblog_format_set(&tried, known[i], r->err) &&
		       !tl_weblog_line_read(&tried, copy, len, &r->fields) &&
		       r->fields.value[TL_WEBLOG_TIME] && r->fields.value[TL_WEBLOG_ADDRESS] &&
		       !strchr(r->fields.value[TL_WEBLOG_ADDRESS], ' ') &&
		       tl_weblog_time(r->fields.value[TL_WEBLOG_TIME], &t_s, &whole);
		tl_weblog_format_free(&tried);
		free(copy);
		if (fits)
			break;
	}
	r->guessed = fits;
	return fits ? tl_weblog_format_set(format, *text == '{' ? "json" : known[i], r->err) : 0;
}

static int line_take(struct reader *r, char *text, size_t len)
{
	const char *wrong;
	int code = 0;

	while (len && (text[len - 1] == '\r' || text[len - 1] == '\n'))
		text[--len] = '\0';
	if (!len)
		return 0;
	if (++r->log->lines % SHOW_EVERY == 0)
		tl_out_progress("%s: line %zu", r->file, r->line);
	if (strlen(text) != len)
		return broken(r, "has a NUL byte");
	if (!r->guessed)
		code = format_guess(r, text, len);
	if (code || !r->guessed)
		return code ? code : broken(r, "is in no format that is known (--format tells which)");
	wrong = tl_weblog_line_read(&r->log->format, text, len, &r->fields);
	code = wrong ? broken(r, wrong) : fields_read(r);
	tl_weblog_line_free(&r->fields);
	return code;
}

/* A part of a file: what of it is no line yet begins at @at. */
struct block {
	char *text;
	size_t at, len;
	bool skip; /* the rest of a line that is too long */
};

static int line_end(struct reader *r, struct block *block, size_t len)
{
	char *text = block->text + block->at;
	bool skip = block->skip;

	block->at += len + 1;
	block->skip = false;
	r->line += !skip;
	text[len] = '\0';
	return skip ? 0 : line_take(r, text, len);
}

/* No line's end in all the block: it is read past. */
static int line_too_long(struct reader *r, struct block *block)
{
	bool first = !block->skip;

	block->at = block->len;
	block->skip = true;
	r->line += first;
	r->log->lines += first;
	return first ? broken(r, "is longer than 64 KiB") : 0;
}

static int block_take(struct reader *r, struct block *block, bool last)
{
	char *end;
	int code = 0;

	while (!code && block->at < block->len) {
		end = memchr(block->text + block->at, '\n', block->len - block->at);
		if (!end && !last)
			break;
		code = line_end(r, block, end ? (size_t)(end - block->text) - block->at :
						block->len - block->at);
	}
	if (!code && !block->at && block->len == LINE_BYTES_MAX)
		code = line_too_long(r, block);
	return code;
}

static int lines_read(struct reader *r, FILE *from)
{
	struct block block = { .text = malloc(LINE_BYTES_MAX + 1) };
	int code = 0;
	size_t n;

	if (!block.text)
		return tl_error_no_memory(r->err);
	do {
		block.len -= min(block.at, block.len);
		memmove(block.text, block.text + block.at, block.len);
		block.at = 0;
		n = fread(block.text + block.len, 1, LINE_BYTES_MAX - block.len, from);
		block.len += n;
		code = block_take(r, &block, !n);
	} while (n && !code);
	if (!code && ferror(from))
		code = tl_error_set(r->err, -EIO, "%s: cannot read (%s): copy it to a sound disk",
				    r->file, strerror(errno));
	free(block.text);
	return code;
}

static int file_read(struct reader *r, const char *file)
{
	bool in = !strcmp(file, "-");
	FILE *from = in ? stdin : fopen(file, "re");
	int code;

	r->file = in ? "standard input" : file;
	r->line = 0;
	if (!from)
		return tl_error_set(r->err, -errno, "%s: cannot read (%s): give an access log or a "
				    "matrix", file, strerror(errno));
	code = lines_read(r, from);
	if (!in)
		fclose(from);
	return code;
}

/**
 * tl_weblog_read() - Read access logs
 * @log: format, states and sessions set up; filled in
 * @files: names, in the order of time; "-" for standard input
 * @n: how many
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno; -ENODATA if no line could be read.
 */
int tl_weblog_read(struct tl_weblog *log, char *const *files, size_t n, struct tl_error *err)
{
	struct reader r = { .log = log, .err = err };
	int code = 0;
	size_t i;

	if (log->format_text) {
		code = tl_weblog_format_set(&log->format, log->format_text, err);
		r.guessed = true;
	}
	log->sessions.begins = log->sessions.begins || log->format.begins;
	for (i = 0; i < n && !code; i++)
		code = file_read(&r, files[i]);
	tl_out_progress_end();
	if (code)
		return code;
	if (!log->lines)
		return tl_error_set(err, -ENODATA, "%s: no line: give an access log or a matrix",
				    r.file);
	if (log->broken == log->lines)
		return tl_error_set(err, -ENODATA, "%s, and so is every line: --format tells how they "
				    "are to be read", log->where[0]);
	return tl_sessions_end(&log->sessions) ? tl_error_no_memory(err) : 0;
}

/**
 * tl_weblog_free() - Free what logs hold
 * @log: logs
 */
void tl_weblog_free(struct tl_weblog *log)
{
	size_t i;

	for (i = 0; i < log->types; i++)
		free(log->type[i]);
	for (i = 0; i < TL_WEBLOG_BROKEN_KEPT; i++)
		free(log->where[i]);
	free(log->back_where);
	tl_weblog_format_free(&log->format);
	tl_weblog_states_free(&log->states);
	tl_sessions_free(&log->sessions);
}
