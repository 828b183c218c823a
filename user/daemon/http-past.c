// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is asked of the history
 *
 * It is read on the server's thread, by a connection of its own, so that the loop waits for nobody; what may be read for one
 * answer is bounded, so that neither do others who ask for long.
 */
#include "daemon/http-answer.h"

#include "daemon/board.h"
#include "daemon/history-json.h"
#include "error.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 240
#define SERIES 40
#define NAME_MOST 1000

/* What was asked for, its texts decoded; @bad: a sentence if it makes no sense. */
struct asked {
	struct tl_history_ask ask;
	char tier[NAME_MOST], class[NAME_MOST];
	const char *bad;
};

static const char *argument(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

/* Seconds since the epoch, with decimals. */
static u64 time_of(struct MHD_Connection *connection, const char *name, struct asked *asked)
{
	const char *text = argument(connection, name);
	size_t whole;

	if (!text)
		return 0;
	whole = strspn(text, "0123456789");
	if (!whole || whole > 10 || strlen(text) > 20 ||
	    (text[whole] && (text[whole] != '.' || strspn(text + whole + 1, "0123456789") != strlen(text + whole + 1)))) {
		asked->bad = "from and to are seconds since 1970, such as 1763700000.5";
		return 0;
	}
	return (u64)(strtod(text, NULL) * 1e9);
}

static size_t number_of(struct MHD_Connection *connection, const char *name, size_t otherwise, size_t most,
			struct asked *asked)
{
	const char *text = argument(connection, name);
	size_t n;

	if (!text)
		return otherwise;
	n = strlen(text) && strlen(text) <= 4 && strspn(text, "0123456789") == strlen(text) ? (size_t)atoi(text) : 0;
	if (!n || n > most)
		asked->bad = "points is a whole number from 2 to 500, and series one from 1 to 100";
	return n;
}

/* Return: the name, NULL if none was given. */
static const char *name_of(struct MHD_Connection *connection, const char *name, char *room, struct asked *asked)
{
	const char *text = argument(connection, name);

	if (!text)
		return NULL;
	if (strlen(text) >= NAME_MOST) {
		asked->bad = "no tier and no class has a name as long as that";
		return NULL;
	}
	strcpy(room, text);
	MHD_http_unescape(room);
	return room;
}

static void asked_read(struct asked *asked, struct MHD_Connection *connection)
{
	asked->bad = NULL;
	asked->ask.from_ns = time_of(connection, "from", asked);
	asked->ask.to_ns = time_of(connection, "to", asked);
	asked->ask.points = number_of(connection, "points", POINTS, TL_HISTORY_POINTS_MOST, asked);
	asked->ask.series = number_of(connection, "series", SERIES, TL_HISTORY_SERIES_MOST, asked);
	asked->ask.tier = name_of(connection, "tier", asked->tier, asked);
	asked->ask.class = name_of(connection, "class", asked->class, asked);
	if (asked->ask.points < 2)
		asked->bad = "points is a whole number from 2 to 500, and series one from 1 to 100";
	if (asked->ask.to_ns && asked->ask.to_ns <= asked->ask.from_ns)
		asked->bad = "to lies behind from";
}

static int answer(struct tl_http_pages *pages, struct MHD_Connection *connection, struct asked *asked,
		  int (*make)(const struct tl_history_ask *ask, char **json, struct tl_error *err))
{
	struct tl_error err;
	char *json;

	asked->ask.file = pages->board->history;
	if (asked->bad)
		return tl_http_deny(connection, MHD_HTTP_BAD_REQUEST, asked->bad, NULL, NULL);
	if (!asked->ask.file)
		return tl_http_deny(connection, MHD_HTTP_NOT_FOUND,
				    "no history is kept: start tierlensd with --history FILE", NULL, NULL);
	if (make(&asked->ask, &json, &err))
		return tl_http_deny(connection, MHD_HTTP_SERVICE_UNAVAILABLE, err.text, NULL, NULL);
	return tl_http_text(connection, MHD_HTTP_OK, TL_HTTP_JSON, json);
}

/**
 * tl_http_history() - Sums over time
 * @pages: what there is
 * @connection: of the request
 *
 * Return: 0 or a negative errno.
 */
int tl_http_history(struct tl_http_pages *pages, struct MHD_Connection *connection)
{
	struct asked asked;

	asked_read(&asked, connection);
	return answer(pages, connection, &asked, tl_history_series);
}

/**
 * tl_http_histogram() - How long requests of a tier took
 * @pages: what there is
 * @connection: of the request
 *
 * Return: 0 or a negative errno.
 */
int tl_http_histogram(struct tl_http_pages *pages, struct MHD_Connection *connection)
{
	struct asked asked;

	asked_read(&asked, connection);
	if (!asked.ask.tier && !asked.bad)
		asked.bad = "of which tier? Say tier=NAME";
	return answer(pages, connection, &asked, tl_history_histogram);
}
