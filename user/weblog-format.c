// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How lines of access logs are taken apart
 *
 * A format is what the server's configuration has: nginx's log_format with $names, or
 * Apache's LogFormat with %letters, which are given nginx's names here. Fields beyond the
 * format's end are let pass. What a field is for is told by its name.
 */
#include "weblog.h"

#include "error.h"
#include "hist.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const tl_weblog_roles[TL_WEBLOG_ROLES] = {
	"time", "request", "method", "url", "address", "agent", "response", "cookies", "session",
	"type",
};

#define NAMES_MAX 8

/* The finest first, then what nginx, Apache and others call it. */
static const char *const usual[TL_WEBLOG_ROLES][NAMES_MAX] = {
	[TL_WEBLOG_TIME] = { "msec", "time_iso8601", "time_local", "@timestamp", "timestamp", "time",
			     "ts" },
	[TL_WEBLOG_REQUEST] = { "request" },
	[TL_WEBLOG_METHOD] = { "request_method", "method" },
	[TL_WEBLOG_URL] = { "request_uri", "uri", "url", "path" },
	[TL_WEBLOG_ADDRESS] = { "remote_addr", "client_ip", "remote_ip", "clientip", "client", "ip",
				"address" },
	[TL_WEBLOG_AGENT] = { "http_user_agent", "user_agent", "agent" },
	[TL_WEBLOG_RESPONSE] = { "request_time", "request_time_us", "request_time_ms" },
	[TL_WEBLOG_COOKIES] = { "http_cookie", "cookies", "cookie" },
};

static const struct {
	const char *name, *format;
} known[] = {
	{ "combined", "$remote_addr - $remote_user [$time_local] \"$request\" $status "
		      "$body_bytes_sent \"$http_referer\" \"$http_user_agent\"" },
	{ "common", "$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent" },
	{ "vhost_combined", "$host $remote_addr - $remote_user [$time_local] \"$request\" $status "
			    "$body_bytes_sent \"$http_referer\" \"$http_user_agent\"" },
};

static const struct {
	char letter;
	const char *name;
} apache[] = {
	{ 'h', "remote_addr" }, { 'a', "remote_addr" }, { 'u', "remote_user" }, { 'l', "logname" },
	{ 't', "time_local" }, { 'r', "request" }, { 's', "status" }, { 'b', "body_bytes_sent" },
	{ 'B', "body_bytes_sent" }, { 'O', "bytes_sent" }, { 'I', "request_length" },
	{ 'D', "request_time_us" }, { 'T', "request_time" }, { 'm', "request_method" },
	{ 'U', "uri" }, { 'q', "args" }, { 'H', "server_protocol" }, { 'v', "host" },
	{ 'V', "host" }, { 'p', "server_port" }, { 'f', "request_filename" }, { 'k', "keepalive" },
	{ 'X', "connection" }, { 'P', "pid" }, { 'A', "server_addr" }, { 'R', "handler" },
	{ 'L', "log_id" }, { 'S', "bytes" },
};

/**
 * tl_weblog_usual() - What a field may be called
 * @format: format, which may have a name for it
 * @role: what it is for
 * @rank: 0 for the best name, and so on
 *
 * Return: the name; NULL if there are no more.
 */
const char *tl_weblog_usual(const struct tl_weblog_format *format, int role, int rank)
{
	if (format->named[role])
		return rank ? NULL : format->named[role];
	return rank < NAMES_MAX ? usual[role][rank] : NULL;
}

/**
 * tl_weblog_unit_s() - What one of a response's number is
 * @format: format, which may have a unit for it
 * @rank: which of the field's names it is
 *
 * Return: seconds.
 */
double tl_weblog_unit_s(const struct tl_weblog_format *format, int rank)
{
	static const double units_s[] = { 1, 1e-6, 1e-3 };

	return format->response_unit_s > 0 ? format->response_unit_s : format->named[TL_WEBLOG_RESPONSE] ?
	       1 : units_s[rank];
}

/* ---- the parts of a format ---------------------------------------------------------- */

static int part_add(struct tl_weblog_format *format, char *text, char *name,
		    struct tl_error *err)
{
	struct tl_weblog_part *grown = reallocarray(format->part, format->parts + 1,
						    sizeof(*grown));

	if (grown)
		format->part = grown;
	if (!grown || !text) {
		free(text);
		free(name);
		return tl_error_no_memory(err);
	}
	grown[format->parts++] = (struct tl_weblog_part){ text, name };
	if (name && !*text && format->parts > 1)
		return tl_error_set(err, -EINVAL, "the format has nothing between its fields \"%s\" "
				    "and \"%s\": nobody can tell where the one ends", name,
				    grown[format->parts - 2].name);
	return 0;
}

static size_t nginx_name(const char *at, char **name)
{
	bool brace = at[1] == '{';
	const char *from = at + 1 + brace, *to = from;

	while (isalnum((unsigned char)*to) || *to == '_')
		to++;
	*name = to > from ? strndup(from, (size_t)(to - from)) : NULL;
	return (size_t)(to - at) + (brace && *to == '}');
}

/* %{NAME}i: a header, o: one of the answer, C: a cookie, e, n: others, T and t: units. */
static char *apache_braced(struct tl_weblog_format *format, const char *in, size_t len,
			   char letter)
{
	char *name = NULL, *p;

	if (letter == 'T') {
		if (!strncmp(in, "us", len))
			return strdup("request_time_us");
		return strdup(strncmp(in, "ms", len) ? "request_time" : "request_time_ms");
	}
	if (letter == 't') {
		format->begins = format->begins && strncmp(in, "end:", 4);
		return strdup("time_local");
	}
	if (!strchr("ioCen", letter) ||
	    asprintf(&name, "%s_%.*s", letter == 'i' ? "http" : letter == 'o' ? "sent_http" :
		     letter == 'C' ? "cookie" : letter == 'e' ? "env" : "note", (int)len, in) < 0)
		return NULL;
	for (p = name; *p && letter != 'C'; p++)
		*p = *p == '-' ? '_' : (char)tolower((unsigned char)*p);
	return name;
}

static size_t apache_name(struct tl_weblog_format *format, const char *at, char **name)
{
	const char *p = at + 1, *end;
	size_t i;

	while (*p == '>' || *p == '<' || *p == '!' || *p == ',' || isdigit((unsigned char)*p))
		p++;
	if (*p == '{') {
		end = strchr(p, '}');
		*name = end && end[1] ? apache_braced(format, p + 1, (size_t)(end - p - 1), end[1]) :
					NULL;
		return end && end[1] ? (size_t)(end + 2 - at) : 1;
	}
	*name = NULL;
	for (i = 0; *p && i < ARRAY_SIZE(apache); i++)
		if (apache[i].letter == *p)
			*name = strdup(apache[i].name);
	return (size_t)(p - at) + (*p != '\0');
}

/* In a configuration a quote within quotes has a backslash. */
static int parts_read(struct tl_weblog_format *format, const char *spec, struct tl_error *err)
{
	bool percent = !strchr(spec, '$') && strchr(spec, '%');
	char text[400], *name = NULL;
	const char *at = spec;
	size_t len = 0, step;
	int code = 0;

	format->begins = percent;
	for (; *at && !code; at += step) {
		step = 1;
		if (*at != (percent ? '%' : '$')) {
			if (*at == '\\' && strchr("\"'\\", at[1]) && at[1])
				step = 2;
			if (len + 1 < sizeof(text))
				text[len++] = at[step - 1];
			continue;
		}
		step = percent ? apache_name(format, at, &name) : nginx_name(at, &name);
		if (!name)
			return tl_error_set(err, -EINVAL, "character %zu of the format, \"%.6s\", is no "
					    "field that is known: give it as the server's configuration "
					    "has it", (size_t)(at - spec) + 1, at);
		/* %t comes with its brackets. */
		if (percent && !strcmp(name, "time_local") && len + 1 < sizeof(text))
			text[len++] = '[';
		text[len] = '\0';
		code = part_add(format, strdup(text), name, err);
		len = 0;
		if (percent && !strcmp(name, "time_local"))
			text[len++] = ']';
	}
	text[len] = '\0';
	if (!code && len)
		code = part_add(format, strdup(text), NULL, err);
	return code;
}

/* ---- what is where ------------------------------------------------------------------ */

static size_t part_find(const struct tl_weblog_format *format, const char *name)
{
	size_t i;

	for (i = 0; i < format->parts; i++)
		if (format->part[i].name && !strcmp(format->part[i].name, name))
			return i;
	return TL_WEBLOG_NOWHERE;
}

static void part_bind(struct tl_weblog_format *format, int role)
{
	const char *name;
	int rank;

	format->at[role] = TL_WEBLOG_NOWHERE;
	for (rank = 0; format->at[role] == TL_WEBLOG_NOWHERE; rank++) {
		name = tl_weblog_usual(format, role, rank);
		if (!name)
			return;
		format->at[role] = part_find(format, name);
		if (role == TL_WEBLOG_RESPONSE)
			format->response_rank = rank;
	}
}

static int missing(const struct tl_weblog_format *format, int role, const char *remedy,
		   struct tl_error *err)
{
	if (format->named[role])
		return tl_error_set(err, -EINVAL, "the format has no field \"%s\": --format tells "
				    "what there is", format->named[role]);
	return tl_error_set(err, -EINVAL, "the format has no field for the %s: %s",
			    tl_weblog_roles[role], remedy);
}

static int parts_bind(struct tl_weblog_format *format, struct tl_error *err)
{
	const size_t *at = format->at;
	int role;

	for (role = 0; role < TL_WEBLOG_ROLES; role++) {
		part_bind(format, role);
		if (format->named[role] && at[role] == TL_WEBLOG_NOWHERE &&
		    !(role == TL_WEBLOG_SESSION && format->cookie))
			return missing(format, role, "", err);
	}
	if (at[TL_WEBLOG_TIME] == TL_WEBLOG_NOWHERE)
		return missing(format, TL_WEBLOG_TIME, "--field time=NAME names it", err);
	if (at[TL_WEBLOG_REQUEST] == TL_WEBLOG_NOWHERE && at[TL_WEBLOG_URL] == TL_WEBLOG_NOWHERE)
		return missing(format, TL_WEBLOG_REQUEST, "--field request=NAME or --field url=NAME "
			       "names it", err);
	if (format->cookie && at[TL_WEBLOG_SESSION] == TL_WEBLOG_NOWHERE &&
	    at[TL_WEBLOG_COOKIES] == TL_WEBLOG_NOWHERE)
		return tl_error_set(err, -EINVAL, "the format has no field for cookies: log "
				    "$cookie_%s or $http_cookie and give --format", format->cookie);
	if (!format->cookie && !format->named[TL_WEBLOG_SESSION] &&
	    at[TL_WEBLOG_ADDRESS] == TL_WEBLOG_NOWHERE)
		return missing(format, TL_WEBLOG_ADDRESS, "--field address=NAME names it, or --session "
			       "says what else a session is", err);
	return 0;
}

/**
 * tl_weblog_format_set() - Set how lines are taken apart
 * @format: names, cookie and unit are set
 * @text: a known format's name, "json", or as a server's configuration has it
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno; -EINVAL for a format without what is needed.
 */
int tl_weblog_format_set(struct tl_weblog_format *format, const char *text,
			 struct tl_error *err)
{
	size_t i;
	int code;

	if (!strcmp(text, "json")) {
		format->json = true;
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(text, known[i].name))
			text = known[i].format;
	if (!strchr(text, '$') && !strchr(text, '%'))
		return tl_error_set(err, -EINVAL, "no format \"%.60s\": give combined, common, "
				    "vhost_combined, json, or what the server's configuration has, such "
				    "as '$remote_addr [$time_local] \"$request\"'", text);
	code = parts_read(format, text, err);
	return code ? code : parts_bind(format, err);
}

/**
 * tl_weblog_format_free() - Free a format's parts
 * @format: format
 */
void tl_weblog_format_free(struct tl_weblog_format *format)
{
	size_t i;

	for (i = 0; i < format->parts; i++) {
		free(format->part[i].text);
		free(format->part[i].name);
	}
	free(format->part);
	format->part = NULL;
	format->parts = 0;
}
