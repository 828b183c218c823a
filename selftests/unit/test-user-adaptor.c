// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What tierlensd says of itself, as others read it: sound, damaged, huge, foreign, left behind; and what is shown of it
 * where there is little room.
 */
#include "tap.h"

#include "adapt-rows.h"
#include "adaptor.h"
#include "daemon/control.h"
#include "daemon/log.h"
#include "daemon/state.h"
#include "damage.h"
#include "process.h"
#include "text.h"
#include "view.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DAMAGED 4000

static char file[] = "/tmp/tl-adaptor-XXXXXX";

static void file_write(const char *text, size_t len)
{
	FILE *to = fopen(file, "w");

	fwrite(text, 1, len, to);
	fclose(to);
}

/* Of a process, with @n rows. */
static json_t *state_of(u32 pid, u64 started, size_t n)
{
	json_t *rows = json_array();
	char text[64];
	size_t i;

	for (i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "row %zu", i);
		json_array_append_new(rows, i % 2 ? finding(NOW_S - (double)(n - i), 0.015, text) :
						    decision(NOW_S - (double)(n - i), "server", "method", "own", text));
	}
	return json_pack("{s:i, s:s, s:I, s:I, s:f, s:f, s:f, s:[{s:s, s:s, s:f}], s:o}", "format", 1, "version", "0", "pid",
			 (json_int_t)pid, "started", (json_int_t)started, "began", NOW_S - 100, "budget", 0.01, "share", 0.002,
			 "levels", "tier", "app:9000", "level", "method", "since", NOW_S - 5, "rows", rows);
}

/* Consumes @json. */
static void state_write(json_t *json)
{
	char *text = json_dumps(json, 0);

	file_write(text, strlen(text));
	free(text);
	json_decref(json);
}

static u64 started_of(u32 pid)
{
	struct tl_process process = { 0 };

	return tl_process_read(pid, &process) ? process.started : 0;
}

static void look(struct tl_adaptor *a, json_t *json)
{
	state_write(json);
	tl_adaptor_look(a);
}

/* ---- the file ------------------------------------------------------------------------------- */

static void test_sound(void)
{
	struct tl_adaptor a = { .file = file };
	u32 self = (u32)getpid();
	u64 started = started_of(self);
	json_t *json;

	ok(started > 0, "a process has begun");
	state_write(state_of(self, started, 3));
	ok(tl_adaptor_look(&a) && a.alive && !*a.wrong, "a process that is there");
	ok(a.pid == self && a.rows == 3 && a.levels == 1 && a.level[0].level == TL_AT_METHOD &&
	   !strcmp(a.level[0].tier, "app:9000") && fabs(a.share - 0.002) < 1e-12, "and what it says");
	ok(a.row[0].to == TL_AT_METHOD && !a.row[0].finding && a.row[1].finding && !strcmp(a.row[1].function, "scan") &&
	   fabs(tl_adapt_row_share(&a.row[1]) - 0.75) < 1e-9 && !strcmp(a.row[2].text, "row 2"), "and its rows");
	ok(!tl_adaptor_look(&a) && a.alive, "it has not changed");
	json = tl_adaptor_json(&a);
	ok(json_array_size(json_object_get(json, "rows")) == 3, "for programs");
	json_decref(json);
	look(&a, state_of(self, started + 1, 3));
	ok(!a.alive && !*a.wrong, "another process of the same number is not it");
	json = tl_adaptor_json(&a);
	ok(json_is_null(json), "which is null for programs");
	json_decref(json);
	look(&a, state_of(self, started, TL_ADAPTOR_ROWS));
	ok(a.alive && a.rows == TL_ADAPTOR_ROWS, "as many rows as there may be");
	unlink(file);
	ok(tl_adaptor_look(&a) && !a.alive && !*a.wrong, "no file is no daemon, and nothing to complain of");
	tl_adaptor_free(&a);
}

static void test_ended(void)
{
	struct tl_adaptor a = { .file = file };
	u64 started;
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	started = started_of((u32)pid);
	look(&a, state_of((u32)pid, started, 1));
	ok(a.alive, "a daemon");
	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	ok(tl_adaptor_look(&a) && !a.alive, "one that was killed, and that nobody has waited for");
	waitpid(pid, NULL, 0);
	tl_adaptor_look(&a);
	ok(!a.alive && !*a.wrong, "and that is gone");
	tl_adaptor_free(&a);
}

static void wrong(json_t *json, const char *why)
{
	struct tl_adaptor a = { .file = file };

	look(&a, json);
	ok(!a.alive && strstr(a.wrong, why) && strstr(a.wrong, file), "%s", a.wrong);
	tl_adaptor_free(&a);
}

static json_t *with(const char *key, json_t *value)
{
	u32 self = (u32)getpid();
	json_t *json = state_of(self, started_of(self), 1);

	json_object_set_new(json, key, value);
	return json;
}

static void test_wrong(void)
{
	struct tl_adaptor a = { .file = file };
	char *big = malloc(2 << 20), text[5000];
	json_t *rows = json_array();
	size_t i;

	wrong(json_array(), "it has no format");
	wrong(with("format", json_integer(2)), "its format is another one");
	wrong(with("format", json_string("1")), "it has no format");
	wrong(with("pid", json_integer(0)), "it names no process");
	wrong(with("pid", json_integer(-1)), "it names no process");
	wrong(with("pid", json_integer(4294967297)), "it names no process");
	wrong(with("began", json_real(1e300)), "it has no beginning");
	wrong(with("budget", json_real(-1)), "or no budget");
	wrong(with("share", json_string("much")), "its share is no number");
	wrong(with("levels", json_object()), "its levels are no list");
	wrong(with("levels", json_pack("[{s:s, s:s, s:f}]", "tier", "x", "level", "best", "since", 1.0)), "a level is none");
	wrong(with("levels", json_pack("[s]", "x")), "a level is none");
	wrong(with("levels", json_pack("[{s:s, s:s, s:f}]", "tier", "x", "level", "method", "since", 1e300)), "a level is none");
	wrong(with("rows", json_null()), "its rows are no list");
	wrong(with("rows", json_pack("[{s:s}]", "kind", "decision")), "a row is none");
	wrong(with("rows", json_pack("[o]", decision(1e300, "server", "method", "own", "x"))), "a row is none");
	wrong(with("rows", json_pack("[o]", decision(NOW_S, "server", "best", "own", "x"))), "a row is none");
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	wrong(with("rows", json_pack("[o]", decision(NOW_S, "server", "method", "own", text))), "a row is none");
	for (i = 0; i <= TL_ADAPTOR_ROWS; i++)
		json_array_append_new(rows, finding(NOW_S, 0, "x"));
	wrong(with("rows", rows), "or too many");
	memset(big, ' ', 2 << 20);
	file_write(big, 2 << 20);
	tl_adaptor_look(&a);
	ok(!a.alive && strstr(a.wrong, "more than 1 MiB"), "%s", a.wrong);
	memset(big, '[', 2 << 20);
	file_write(big, 1 << 20);
	tl_adaptor_look(&a);
	ok(!a.alive && *a.wrong, "a million brackets");
	file_write("", 0);
	tl_adaptor_look(&a);
	ok(!a.alive && *a.wrong, "an empty file");
	a.file = "/tmp";
	tl_adaptor_look(&a);
	ok(!a.alive && strstr(a.wrong, "not a file"), "%s", a.wrong);
	unlink(file);
	mkfifo(file, 0600);
	a.file = file;
	alarm(10);
	tl_adaptor_look(&a);
	alarm(0);
	ok(!a.alive && strstr(a.wrong, "not a file"), "a pipe is not waited for");
	unlink(file);
	tl_adaptor_free(&a);
	free(big);
}

static void view(struct tl_adaptor *a, size_t width, size_t height, char **text, size_t *lines)
{
	size_t len, i;
	FILE *to = open_memstream(text, &len);

	*lines = tl_view_adaptor(to, a, NOW_S, (struct tl_room){ width, height });
	fclose(to);
	for (i = 0; i < len; i++)
		*lines -= (*text)[i] == '\n';
}

static bool is_clean(const char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < 0x20 && *text != '\n') || *text == 0x7f)
			return false;
	return true;
}

static void test_damaged(void)
{
	static const char *const pieces[] = { "\"", "{", "}", "[", "]", ",", "null", "1e999", "-1", "\\u001b[2J", "\\u0000",
					      "\"rows\":", "\"text\":\"\"", "\xff", "99999999999999999999", "\\u009b" };
	u32 self = (u32)getpid();
	json_t *json = state_of(self, started_of(self), 4);
	char *sound = json_dumps(json, 0), *text;
	size_t len = strlen(sound), room = 2 * len, n, i, alive = 0, dirty = 0, silent = 0, miscounted = 0;
	char *work = malloc(room);
	struct tl_adaptor a = { .file = file };

	json_decref(json);
	for (i = 0; i < DAMAGED; i++) {
		size_t now = len, odd;

		memcpy(work, sound, len);
		for (n = damage_below(3) + 1; n > 0; n--)
			now = damage(work, now, room, pieces, sizeof(pieces) / sizeof(pieces[0]));
		file_write(work, now);
		tl_adaptor_look(&a);
		alive += a.alive;
		silent += !a.json && !*a.wrong;
		view(&a, damage_below(120), damage_below(12), &text, &odd);
		dirty += !is_clean(text);
		miscounted += odd != 0;
		free(text);
	}
	ok(alive > DAMAGED / 50 && alive < DAMAGED, "%d damaged files: %zu of them still sound", DAMAGED, alive);
	ok(!silent, "no broken one is passed over without a word (%zu)", silent);
	ok(!dirty && !miscounted, "no control character is printed (%zu), and lines are as many as were told (%zu)", dirty,
	   miscounted);
	tl_adaptor_free(&a);
	free(sound);
	free(work);
	unlink(file);
}

/* ---- who writes it ------------------------------------------------------------------------- */

static void row_give(struct tl_state *state, json_t *json)
{
	tl_state_row(state, json);
	json_decref(json);
}

static void test_rows(void)
{
	struct tl_state state;
	char text[32];
	size_t i;

	tl_state_begin(&state, NULL);
	row_give(&state, decision(NOW_S, "method", "method", "budget", "a function was dropped"));
	row_give(&state, json_pack("{s:s, s:f}", "kind", "hot", "t", NOW_S));
	tl_state_row(&state, NULL);
	ok(!state.rows, "neither changed nor held nor found");
	row_give(&state, decision(NOW_S, "server", "server", "between", "x"));
	row_give(&state, decision(NOW_S, "server", "method", "own", "x"));
	row_give(&state, finding(NOW_S, 0.01, "x"));
	ok(state.rows == 3, "held, changed, found");
	for (i = 0; i < 2 * TL_ADAPTOR_ROWS; i++) {
		snprintf(text, sizeof(text), "%zu", i);
		row_give(&state, finding(NOW_S, 0.01, text));
	}
	ok(state.rows == TL_ADAPTOR_ROWS &&
	   !strcmp(json_string_value(json_object_get(state.row[0], "text")), "20") &&
	   !strcmp(json_string_value(json_object_get(state.row[19], "text")), "39"), "the last twenty");
	tl_state_end(&state);
}

static void test_writer(void)
{
	struct tl_log log = { .to = fopen("/dev/null", "w"), .name = "nowhere" };
	struct tl_control control = { .log = &log, .options.budget = 0.01, .share = 0.00321 };
	struct tl_adaptor a = { .file = file };
	struct stat first, second;
	struct tl_state state;

	unlink(file);
	tl_state_begin(&state, file);
	tl_state_write(&state, &control);
	tl_adaptor_look(&a);
	ok(a.alive && a.pid == (u32)getpid() && !a.rows && !a.levels && fabs(a.share - 0.0032) < 1e-12, "what is written can be read");
	stat(file, &first);
	ok((first.st_mode & 0777) == 0640, "not by everybody");
	control.share = 0.00324;
	tl_state_write(&state, &control);
	stat(file, &second);
	ok(first.st_ino == second.st_ino && first.st_mtim.tv_nsec == second.st_mtim.tv_nsec, "nothing new: it is let alone");
	control.share = -1;
	tl_state_write(&state, &control);
	stat(file, &second);
	ok(first.st_ino != second.st_ino && tl_adaptor_look(&a) && a.share < 0, "something new: another file in its place");
	tl_state_end(&state);
	ok(stat(file, &second), "taken away at the end");
	tl_state_begin(&state, file);
	tl_state_write(&state, &control);
	state_write(state_of(1, started_of(1), 0));
	tl_state_end(&state);
	ok(!stat(file, &second), "but not another daemon's");
	tl_adaptor_free(&a);
	fclose(log.to);
	unlink(file);
}

/* ---- what is shown --------------------------------------------------------------------------- */

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what))) {
		n++;
		text += strlen(what);
	}
	return n;
}

static void shows(struct tl_adaptor *a, size_t width, size_t height, size_t rows, const char *name)
{
	size_t odd, lines;
	char *text;

	view(a, width, height, &text, &odd);
	lines = count(text, "\n");
	ok(count(text, "row ") == rows && !odd && (!height || lines <= height), "%s: %zu rows in %zu lines", name, count(text, "row "),
	   lines);
	free(text);
}

static void test_view(void)
{
	u32 self = (u32)getpid();
	u64 started = started_of(self);
	struct tl_adaptor a = { .file = file };
	char *text;
	size_t odd;
	json_t *json = state_of(self, started, 2);

	look(&a, state_of(self, started, 20));
	shows(&a, 160, 30, 20, "a large terminal");
	shows(&a, 160, 8, 6, "a lower one");
	shows(&a, 160, 5, 3, "room for three");
	shows(&a, 160, 3, 1, "for one");
	shows(&a, 160, 1, 0, "for none");
	shows(&a, 0, 0, 3, "no terminal");
	view(&a, 200, 30, &text, &odd);
	ok(strstr(text, "tierlensd: probes cost 0.20 % of the processors, the budget is 1.00 %; holds app:9000 at method since 04:41:40\n")
	   != NULL, "what it is doing");
	ok(strstr(text, "\n04:41:44  app:9000  found             row 19\n04:41:43  app:9000  server to method  row 18\n") != NULL,
	   "the newest first");
	free(text);
	json_array_append_new(json_object_get(json, "rows"),
			      decision(NOW_S - 90000, "server", "server", "held",
				       "a\x1b[2Jsentence that is so long that it is in need of another line, "
				       "\xc2\x9b" "31m, and of one more, if there are but sixty columns to be had for it"));
	look(&a, json);
	view(&a, 60, 12, &text, &odd);
	ok(!odd && is_clean(text) && !strstr(text, "\xc2\x9b") && strstr(text, "2025-11-20 03:41:45  app:9000  server") &&
	   strstr(text, "a?[2Jsentence") && strstr(text, "\n          ") && count(text, "row ") == 2,
	   "an old one has its date, a long one several lines, and nothing in it does anything");
	free(text);
	shows(&a, 60, 5, 2, "no room for that: lines are cut");
	shows(&a, 45, 12, 2, "too narrow for that");
	tl_adaptor_free(&a);
	unlink(file);
}

static void test_wrap(void)
{
	char text[100] = { 0 };
	FILE *to = fmemopen(text, sizeof(text) - 1, "w");
	size_t lines = tl_text_wrap(to, "one two  three \xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 fourteenletters", 9, 2);

	fclose(to);
	ok(lines == 6 && !strcmp(text, "one two\n  three\n  \xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\n  fourtee\n  nletter\n  s\n") &&
	   tl_text_wrap(NULL, "one two", 7, 2) == 1 && tl_text_wrap(NULL, "", 7, 2) == 1, "lines of columns, not of bytes");
}

int main(void)
{
	setenv("TZ", "UTC", 1);
	close(mkstemp(file));
	test_sound();
	test_ended();
	test_wrong();
	test_damaged();
	test_rows();
	test_writer();
	test_view();
	test_wrap();
	return done();
}
