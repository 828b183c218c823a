// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings as files: one interval a line, read one at a time. The history of tierlensd is read as one, and so are
 * the hosts of a fleet, from where their metrics are stored.
 */
#include "recording.h"

#include "error.h"
#include "fleet/fleet.h"
#include "fleet/prom.h"
#include "past.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define LINE_BYTES_MAX (64U << 20)

struct tl_while tl_recording_while;

/* @past: it is the history, @fleet: it is a store; then nothing else but @name, @span and @intervals is used. */
struct tl_recording {
	FILE *file;
	struct tl_past *past;
	struct tl_fleet *fleet;
	struct tl_while span;
	char *name, *line;
	size_t room, len;
	unsigned long number, intervals, passed;
	char warning[600];
};

static int history_open(struct tl_recording *r, struct tl_error *err)
{
	const struct tl_history_query query = { .from_ns = r->span.from_ns, .to_ns = r->span.to_ns };
	int code = tl_past_open(&r->past, r->name, err);

	return code ? code : tl_past_begin(r->past, &query, err);
}

static int file_open(struct tl_recording *r, const char *file, struct tl_error *err)
{
	struct stat stat;

	r->file = strcmp(file, "-") ? fopen(file, "re") : stdin;
	if (!r->file)
		return tl_error_set(err, -errno, "%s: cannot read (%s): give a file that "
				    "tierlens record wrote", file, strerror(errno));
	if (!fstat(fileno(r->file), &stat) && S_ISDIR(stat.st_mode))
		return tl_error_set(err, -EISDIR, "%s: is a directory: give a file that "
				    "tierlens record wrote", file);
	return 0;
}

/**
 * tl_recording_open() - Open a recording, the history of tierlensd, or the metrics of many of them
 * @recording: set to the recording, to be given to tl_recording_close()
 * @file: its name, "-" for standard input; a URL for a store of metrics
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno, with *@recording then NULL.
 */
int tl_recording_open(struct tl_recording **recording, const char *file,
		      struct tl_error *err)
{
	struct tl_recording *r = calloc(1, sizeof(*r));
	int code;

	*recording = NULL;
	if (r)
		r->name = strdup(strcmp(file, "-") ? file : "standard input");
	if (!r || !r->name) {
		tl_recording_close(r);
		return tl_error_no_memory(err);
	}
	r->span = tl_recording_while;
	if (tl_prom_is_url(file))
		code = tl_fleet_open(&r->fleet, file, r->span.from_ns, r->span.to_ns, err);
	else
		code = tl_history_is(file) ? history_open(r, err) : file_open(r, file, err);
	if (code)
		tl_recording_close(r);
	else
		*recording = r;
	return code;
}

/**
 * tl_recording_close() - Close a recording
 * @recording: recording or NULL
 */
void tl_recording_close(struct tl_recording *recording)
{
	if (!recording)
		return;
	if (recording->file && recording->file != stdin)
		fclose(recording->file);
	tl_past_close(recording->past);
	tl_fleet_close(recording->fleet);
	free(recording->name);
	free(recording->line);
	free(recording);
}

static int line_grow(struct tl_recording *r, struct tl_error *err)
{
	size_t room = r->room ? 2 * r->room : 4096;
	char *grown;

	if (room > LINE_BYTES_MAX)
		return tl_error_set(err, -E2BIG,
				    "%s:%lu: line of more than 64 MiB: is this "
				    "a recording of tierlens?",
				    r->name, r->number);
	grown = realloc(r->line, room);
	if (!grown)
		return tl_error_no_memory(err);
	r->line = grown;
	r->room = room;
	return 0;
}

/* Return: 1 for a line with its end, 0 for what stands before the end of the file. */
static int line_read(struct tl_recording *r, struct tl_error *err)
{
	int c, code;

	r->number++;
	for (r->len = 0; (c = getc_unlocked(r->file)) != EOF && c != '\n';) {
		if (r->len == r->room) {
			code = line_grow(r, err);
			if (code)
				return code;
		}
		r->line[r->len++] = (char)c;
	}
	if (c == EOF && ferror(r->file))
		return tl_error_set(err, -EIO, "%s:%lu: cannot read (%s): copy it to a "
				    "sound disk", r->name, r->number, strerror(errno));
	return c == '\n';
}

static bool line_blank(const struct tl_recording *r)
{
	size_t i;

	for (i = 0; i < r->len; i++)
		if (!strchr(" \t\r", r->line[i]))
			return false;
	return true;
}

static int none_in_span(const struct tl_recording *r, struct tl_error *err)
{
	return tl_error_set(err, -ENODATA, "%s: it has no interval of that time: give other --from and --to", r->name);
}

/* Every interval that was complete is used; the rest is told, not hidden. */
static int ended(struct tl_recording *r, bool cut, struct tl_error *err)
{
	if (!r->intervals && r->passed)
		return none_in_span(r, err);
	if (!r->intervals && cut)
		return tl_error_set(err, -ENODATA,
				    "%s:%lu: the recording is cut before the "
				    "end of its first line: record again",
				    r->name, r->number);
	if (!r->intervals)
		return tl_error_set(err, -ENODATA,
				    "%s: the recording is empty: record for "
				    "longer than an interval",
				    r->name);
	if (cut)
		snprintf(r->warning, sizeof(r->warning),
			 "%s:%lu: the recording is cut in this line: the %lu complete "
			 "intervals before it are used", r->name, r->number, r->intervals);
	return 0;
}

static int history_next(struct tl_recording *r, struct tl_interval **interval, struct tl_error *err)
{
	struct tl_history_point point;
	int code = tl_past_next(r->past, &point, err);
	u64 missing = tl_past_missing(r->past);

	*interval = point.interval;
	r->intervals += code > 0;
	if (code)
		return code;
	if (!r->intervals && (r->span.from_ns || r->span.to_ns))
		return none_in_span(r, err);
	if (!r->intervals)
		return tl_error_set(err, -ENODATA, "%s: the history is empty: let tierlensd run for longer than ten seconds",
				    r->name);
	if (missing)
		snprintf(r->warning, sizeof(r->warning), "%s: %llu rows are damaged, or went while they were read: they are gaps",
			 r->name, (unsigned long long)missing);
	return 0;
}

static int fleet_next(struct tl_recording *r, struct tl_interval **interval, struct tl_error *err)
{
	int code = tl_fleet_next(r->fleet, interval, err);

	if (!code)
		snprintf(r->warning, sizeof(r->warning), "%s", tl_fleet_warning(r->fleet));
	return code;
}

/* The next line that is not blank. Return: 1, 0 at the end, or a negative errno. */
static int line_next(struct tl_recording *r, struct tl_interval **interval, struct tl_error *err)
{
	char place[400];
	int code, whole;

	do {
		whole = line_read(r, err);
		if (whole < 0)
			return whole;
		if (!whole && line_blank(r))
			return ended(r, false, err);
	} while (line_blank(r));
	snprintf(place, sizeof(place), "%s:%lu", r->name, r->number);
	code = tl_recording_parse(r->line, r->len, place, interval, err);
	if (code == -EBADMSG && !whole)
		return ended(r, true, err);
	return code ? code : 1;
}

static bool in_span(const struct tl_recording *r, const struct tl_interval *interval)
{
	return interval->start_ns >= r->span.from_ns && (!r->span.to_ns || interval->start_ns < r->span.to_ns);
}

/**
 * tl_recording_next() - Read the next interval
 * @recording: recording
 * @interval: set to the interval, to be given to tl_interval_free(); NULL at the end
 * @err: the sentence if it fails
 *
 * Return: 1 for an interval, 0 at the end, or a negative errno.
 */
int tl_recording_next(struct tl_recording *recording, struct tl_interval **interval,
		      struct tl_error *err)
{
	int code;

	*interval = NULL;
	if (recording->past)
		return history_next(recording, interval, err);
	if (recording->fleet)
		return fleet_next(recording, interval, err);
	while ((code = line_next(recording, interval, err)) > 0 && !in_span(recording, *interval)) {
		tl_interval_free(*interval);
		*interval = NULL;
		recording->passed++;
	}
	recording->intervals += code > 0;
	return code;
}

/**
 * tl_recording_warning() - What to tell about a recording that was read to its end
 * @recording: recording
 *
 * Return: a sentence, or NULL if there is nothing to tell.
 */
const char *tl_recording_warning(const struct tl_recording *recording)
{
	return recording->warning[0] ? recording->warning : NULL;
}

/**
 * tl_recording_each() - Read a whole recording
 * @file: its name, "-" for standard input
 * @fn: called for each interval; of its errors only -ENOMEM is expected
 * @arg: for @fn
 * @warning: set to what tl_recording_warning() says, "" for nothing
 * @room: size of @warning in bytes
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_recording_each(const char *file, tl_interval_fn *fn, void *arg, char *warning,
		      size_t room, struct tl_error *err)
{
	struct tl_recording *recording;
	struct tl_interval *interval;
	const char *said;
	int code;

	*warning = '\0';
	code = tl_recording_open(&recording, file, err);
	if (code)
		return code;
	while ((code = tl_recording_next(recording, &interval, err)) > 0) {
		code = fn(interval, arg);
		tl_interval_free(interval);
		if (code) {
			tl_error_no_memory(err);
			break;
		}
	}
	said = tl_recording_warning(recording);
	if (said)
		snprintf(warning, room, "%s", said);
	tl_recording_close(recording);
	return code;
}
