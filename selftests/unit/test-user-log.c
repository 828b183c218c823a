// SPDX-License-Identifier: GPL-2.0-or-later
/* The daemon's log where its disk is full: a row that was cut takes none with it that comes after. */
#include "tap.h"

#include "daemon/log.h"
#include "error.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char file[] = "/tmp/test-user-log.XXXXXX";
static struct tl_error err;

static void row(struct tl_log *log, int n)
{
	tl_log_row(log, json_pack("{s:s, s:i, s:s}", "kind", "note", "n", n, "text", "a sentence of some length"));
}

/* Files may grow by so many bytes, as on a disk on which there is no more room; -1 for as much as they want. */
static void room(long bytes)
{
	struct stat stats;
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	if (bytes >= 0 && !stat(file, &stats))
		limit.rlim_cur = (rlim_t)(stats.st_size + bytes);
	setrlimit(RLIMIT_FSIZE, &limit);
}

/* Rows that can be read, as digits in their order; @broken: lines that are none, @blank: that are empty. */
static void lines(char *rows, size_t size, unsigned int *broken, unsigned int *blank)
{
	FILE *from = fopen(file, "r");
	size_t bytes = 0, at = 0;
	char *line = NULL;
	json_t *json;
	ssize_t len;

	*broken = *blank = 0;
	while (from && (len = getline(&line, &bytes, from)) > 0) {
		json = json_loads(line, 0, NULL);
		if (json && at + 1 < size)
			rows[at++] = (char)('0' + json_integer_value(json_object_get(json, "n")));
		else if (len == 1)
			++*blank;
		else
			++*broken;
		json_decref(json);
	}
	rows[at] = '\0';
	free(line);
	if (from)
		fclose(from);
}

static void is_file(const char *want, unsigned int broken_want, unsigned int blank_want, const char *name)
{
	unsigned int broken, blank;
	char rows[20];

	lines(rows, sizeof(rows), &broken, &blank);
	ok(!strcmp(rows, want) && broken == broken_want && blank == blank_want, "%s", name);
	if (strcmp(rows, want) || broken != broken_want || blank != blank_want)
		printf("# rows %s, not %s; %u lines are none, not %u; %u are empty, not %u\n", rows, want, broken,
		       broken_want, blank, blank_want);
}

static void test_full(void)
{
	struct tl_log log;

	ok(!tl_log_open(&log, file, &err), "a log");
	row(&log, 1);
	room(20);
	row(&log, 2);
	row(&log, 3);
	/* What we print may go to a file, too. */
	room(-1);
	ok(log.lost == 2 && log.failing && log.failed, "no room for a row: it is missing, and so is the next one");
	row(&log, 4);
	row(&log, 5);
	ok(log.lost == 2 && !log.failing, "with room again rows are written");
	is_file("145", 1, 0, "each on a line of its own, also behind one that was cut");
	room(0);
	row(&log, 6);
	room(-1);
	row(&log, 7);
	is_file("1457", 1, 0, "nothing of a row was written: nothing is between the others");
	/* The line's end alone has room. */
	room(20);
	row(&log, 8);
	room(1);
	row(&log, 9);
	room(-1);
	row(&log, 1);
	is_file("14571", 2, 0, "nor is there a line that is empty");
	is_u64(log.lost, 5, "and so many are missing");
	ok(tl_log_close(&log, &err) && strstr(err.text, file), "which is told in the end: %s", err.text);
}

/* As logrotate's copytruncate does it. */
static void test_truncated(void)
{
	struct tl_log log;

	tl_log_open(&log, file, &err);
	room(20);
	row(&log, 1);
	room(-1);
	if (truncate(file, 0))
		abort();
	row(&log, 2);
	row(&log, 3);
	is_file("23", 0, 1, "a file that was truncated meanwhile: what comes is at its beginning");
	tl_log_close(&log, &err);
}

static void test_anew(void)
{
	struct tl_log log;

	tl_log_open(&log, file, &err);
	row(&log, 1);
	room(20);
	row(&log, 2);
	room(-1);
	tl_log_close(&log, &err);
	tl_log_open(&log, file, &err);
	row(&log, 3);
	is_file("13", 1, 0, "a log that ended within a row: who opens it anew begins a line");
	tl_log_close(&log, &err);
	tl_log_open(&log, file, &err);
	row(&log, 4);
	is_file("134", 1, 0, "and one that did not is gone on with");
	ok(!tl_log_close(&log, &err), "of which none is missing");
}

int main(void)
{
	static void (*const tests[])(void) = { test_full, test_truncated, test_anew };
	size_t i;
	int fd = mkstemp(file);

	if (fd < 0)
		return 1;
	close(fd);
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGXFSZ, SIG_IGN);
	for (i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		tests[i]();
		if (truncate(file, 0))
			abort();
	}
	unlink(file);
	return done();
}
