/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_WEBLOG_H
#define TL_WEBLOG_H

#include <stdbool.h>
#include <stddef.h>

struct tl_error;

/* What is wanted of a line. */
enum tl_weblog_role {
	TL_WEBLOG_TIME,
	TL_WEBLOG_REQUEST, /* "GET /cart HTTP/1.1" */
	TL_WEBLOG_METHOD,
	TL_WEBLOG_URL,
	TL_WEBLOG_ADDRESS,
	TL_WEBLOG_AGENT,
	TL_WEBLOG_RESPONSE, /* time to answer, in units of the format */
	TL_WEBLOG_COOKIES, /* "a=b; c=d" */
	TL_WEBLOG_SESSION,
	TL_WEBLOG_TYPE,
	TL_WEBLOG_ROLES
};

extern const char *const tl_weblog_roles[TL_WEBLOG_ROLES];

/* A text, then a field, which ends where the next one's text begins. */
struct tl_weblog_part {
	char *text, *name; /* @name NULL: only the text */
};

#define TL_WEBLOG_NOWHERE ((size_t)-1)

/**
 * struct tl_weblog_format - How lines are taken apart
 * @part: [parts] of a line of text; none for JSON
 * @json: each line is a JSON object
 * @begins: times are those of a request's begin, not of its end
 * @response_unit_s: what one of the response's number is; 0 goes by the field's name
 * @named: [roles] what a field is called instead of its usual names, or NULL; borrowed
 * @cookie: name of the cookie that the session is in, or NULL; borrowed
 * @at: [roles] part with the field, of a line of text
 * @response_rank: which of its names the response's has
 */
struct tl_weblog_format {
	struct tl_weblog_part *part;
	size_t parts;
	bool json, begins;
	double response_unit_s;
	const char *named[TL_WEBLOG_ROLES], *cookie;
	size_t at[TL_WEBLOG_ROLES];
	int response_rank;
};

int tl_weblog_format_set(struct tl_weblog_format *format, const char *text,
			 struct tl_error *err);
void tl_weblog_format_free(struct tl_weblog_format *format);
const char *tl_weblog_usual(const struct tl_weblog_format *format, int role, int rank);
double tl_weblog_unit_s(const struct tl_weblog_format *format, int rank);

/**
 * struct tl_weblog_line - A line taken apart
 * @value: what was found by role; NULL if it is not there, or "-"
 * @response_unit_s: what one of the response's number is
 * @owner: of the values
 * @room: for values that are none of the line's own text
 */
struct tl_weblog_line {
	const char *value[TL_WEBLOG_ROLES];
	double response_unit_s;
	void *owner;
	char room[TL_WEBLOG_ROLES][64];
};

const char *tl_weblog_line_read(const struct tl_weblog_format *format, char *text, size_t len,
				struct tl_weblog_line *line);
void tl_weblog_line_free(struct tl_weblog_line *line);
bool tl_weblog_time(const char *text, double *t_s, bool *whole);

#endif
