// SPDX-License-Identifier: GPL-2.0-or-later
/* The daemon's history when something goes wrong: nothing is lost that was written, or it is told. */
#include "made-history.h"

#include "recording.h"

#include <endian.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void test_kill(void)
{
	unsigned int round, good = 0;
	u64 said = 0, next = 1;

	for (round = 0; round < 8; round++) {
		struct tl_history *history;
		int pipes[2], status;
		u64 upto = next - 1;
		struct told told;
		pid_t child;

		if (pipe(pipes))
			abort();
		child = fork();
		if (!child) {
			history = history_of(&tl_history_limits);
			for (;; next += 10) {
				feed(history, next, 10, BEGIN_NS + next * S, 10);
				if (write(pipes[1], &(u64){ next + 9 }, sizeof(u64)) < 0)
					_exit(1);
			}
		}
		while (upto < next + 100 + round * 17 && read(pipes[0], &upto, sizeof(upto)) == sizeof(upto))
			;
		usleep(1000 * (useconds_t)round);
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		close(pipes[1]);
		while (read(pipes[0], &upto, sizeof(upto)) == sizeof(upto))
			;
		close(pipes[0]);
		said = upto;
		history = history_of(&tl_history_limits);
		told = told_of(history, 0, 0, 0);
		good += WIFSIGNALED(status) && told.n >= said && told.n <= said + 10 && told.points == told.n &&
			number("SELECT max(generation) FROM raw") == (sqlite3_int64)told.n;
		next = told.n + 1;
		tl_history_close(history);
	}
	ok(good == round, "killed %u times while it wrote: all that was written is there (%" PRIu64 " intervals)", good, said);
	ok(number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'") == 1, "and the file is whole");
}

static bool told_news(struct tl_history *history, const char *part)
{
	char text[600];
	bool found = false;

	while (tl_history_news(history, text, sizeof(text))) {
		found |= strstr(text, part) != NULL;
		if (!strstr(text, part))
			printf("# also: %s\n", text);
	}
	return found;
}

static void test_locked(void)
{
	struct tl_history_limits limits = tl_history_limits;
	struct tl_history *history;
	sqlite3 *other;
	u64 lost;

	limits.queue_bytes = 400000;
	history = history_of(&limits);
	feed(history, 1, 10, BEGIN_NS, 10);
	sqlite3_open(file, &other);
	sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL);
	feed(history, 11, 100, BEGIN_NS + 10 * S, 10);
	ok(told_news(history, "another process is writing to it"), "locked by another process: said");
	is_u64((u64)number("SELECT 1"), 1, "(it can be opened)");
	sqlite3_exec(other, "COMMIT", NULL, NULL, NULL);
	feed(history, 111, 10, BEGIN_NS + 110 * S, 10);
	ok(told_news(history, "is written again") && told_of(history, 0, 0, 0).n == 120 && !tl_history_lost(history),
	   "then all intervals are there");
	sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL);
	feed(history, 121, 1000, BEGIN_NS + 120 * S, 100);
	sqlite3_exec(other, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(other);
	feed(history, 1121, 10, BEGIN_NS + 1120 * S, 10);
	lost = tl_history_lost(history);
	ok(lost > 100 && lost < 900 && told_of(history, 0, 0, 0).n == 1130 - lost, "more than fit: %" PRIu64 " are lost", lost);
	ok(told_news(history, "found no place in memory meanwhile, and are lost"), "said");
	is_u64((u64)number("SELECT value FROM state WHERE key = 'lost'"), lost, "counted in the file");
	ok(told_of(history, 0, 0, 0).missed == lost && told_of(history, 0, 0, 0).gap_ns == lost * S, "and a gap in it");
	tl_history_close(history);
	sqlite3_open(file, &other);
	sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL);
	history = history_of(&limits);
	ok(history, "locked when it is opened: it begins all the same");
	feed(history, 2001, 20, BEGIN_NS + 2000 * S, 10);
	sqlite3_close(other);
	feed(history, 2021, 10, BEGIN_NS + 2020 * S, 10);
	is_u64(told_of(history, BEGIN_NS + 2000 * S, 0, 0).n, 30, "and has them when it can");
	tl_history_close(history);
}

/* A disk of two megabytes, of which a file takes what is left. */
static void test_full(void)
{
	char small[120], filler[140], keep[150];
	struct tl_history *history;
	FILE *to;

	snprintf(small, sizeof(small), "%s/small", dir);
	snprintf(filler, sizeof(filler), "%s/filler", small);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mkdir(small, 0700) ||
	    mount("none", small, "tmpfs", 0, "size=2m")) {
		ok(true, "a full disk # SKIP no disk can be mounted here");
		return;
	}
	strcpy(keep, file);
	snprintf(file, sizeof(file), "%s/h.db", small);
	history = history_of(&tl_history_limits);
	feed(history, 1, 20, BEGIN_NS, 10);
	to = fopen(filler, "w");
	while (to && fputc('x', to) != EOF && !fflush(to))
		;
	feed(history, 21, 200, BEGIN_NS + 20 * S, 10);
	ok(told_news(history, "the disk is full"), "a full disk: said");
	ok(!tl_history_lost(history), "nothing is lost");
	if (to)
		fclose(to);
	unlink(filler);
	feed(history, 221, 10, BEGIN_NS + 220 * S, 10);
	ok(told_news(history, "is written again") && told_of(history, 0, 0, 0).n == 230 && told_of(history, 0, 0, 0).missed == 0,
	   "with room again all are there");
	tl_history_close(history);
	strcpy(file, keep);
	umount(small);
}

static void test_clock(void)
{
	struct tl_history *history = history_of(&tl_history_limits);
	struct told told;
	u64 count;

	count = feed(history, 1, 1800, BEGIN_NS + 7200 * S, 10);
	count += feed(history, 1801, 3000, BEGIN_NS + 5400 * S, 10);
	told = told_of(history, 0, 0, 0);
	ok(told.n == 4800 && told.count == count && told.in_order && !told.missed, "a clock set back: every interval is there, in order of time");
	told = told_of(history, 0, 0, 20);
	ok(told.n == 4800 && told.count == count && told.points <= 20, "and in few points");
	/* Suspended for an hour; then the module is loaded anew. */
	feed(history, 4801, 10, BEGIN_NS + 12000 * S, 10);
	feed(history, 1, 10, BEGIN_NS + 12100 * S, 10);
	told = told_of(history, BEGIN_NS + 8500 * S, 0, 0);
	ok(told.gap_ns == 3600 * S + 90 * S && !told.missed, "what was not measured is a gap: %" PRIu64 " s", (uint64_t)(told.gap_ns / S));
	feed(history, 15, 10, BEGIN_NS + 12114 * S, 10);
	told = told_of(history, BEGIN_NS + 12105 * S, 0, 1);
	ok(told.missed == 4 && told.gap_ns == 4 * S, "and what was missed is missed");
	tl_history_close(history);
}

static void sql(const char *what)
{
	sqlite3 *db;

	sqlite3_open(file, &db);
	if (sqlite3_exec(db, what, NULL, NULL, NULL) != SQLITE_OK)
		abort();
	sqlite3_close(db);
}

static void test_foreign(void)
{
	struct tl_history *history;
	struct stat before, after;
	FILE *to;

	sql("CREATE TABLE mine(a)");
	stat(file, &before);
	ok(!(history = history_of(&tl_history_limits)) && strstr(err.text, "a database, but no history"), "another's database");
	stat(file, &after);
	ok(before.st_size == after.st_size && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec, "is let alone");
	begin_anew();
	to = fopen(file, "w");
	fprintf(to, "%0600d\n", 7);
	fclose(to);
	ok(!(history = history_of(&tl_history_limits)) && strstr(err.text, "no history"), "a file that is none: %s", err.text);
	ok(!stat(file, &after) && after.st_size == 601, "is let alone");
	begin_anew();
	tl_history_close(history_of(&tl_history_limits));
	sql("PRAGMA user_version = 9");
	ok(!history_of(&tl_history_limits) && strstr(err.text, "made by a newer tierlens (version 9, this one has 1)"),
	   "a newer one's");
	snprintf(file, sizeof(file), "%s/no/h.db", dir);
	ok(!history_of(&tl_history_limits) && strstr(err.text, "cannot open (No such file"), "no such folder");
	snprintf(file, sizeof(file), "%s/h.db", dir);
}

/* Bytes anywhere, of a page, of many; also all of the end gone. */
static void file_damage(const char *from, unsigned int seed)
{
	char command[400];
	struct stat stats;
	unsigned int i, n = seed % 4 == 3 ? 400 : seed % 4 * 4 + 1;
	FILE *to;

	snprintf(command, sizeof(command), "cp %s %s", from, file);
	if (system(command) || stat(file, &stats))
		abort();
	to = fopen(file, "r+");
	for (i = 0; i < n; i++) {
		double part = made_part() * (seed % 3 ? 1 : 0.05);

		fseek(to, 72 + (long)(part * (double)(stats.st_size - 72)), SEEK_SET);
		fputc((int)(made_part() * 256), to);
	}
	fclose(to);
	if (seed % 7 == 6 && truncate(file, stats.st_size / 2 + 100))
		abort();
}

static void test_damaged(void)
{
	unsigned int i, good = 0, aside = 0, refused = 0, rounds = 60;
	char from[160], command[400];

	snprintf(from, sizeof(from), "%s.good", file);
	snprintf(command, sizeof(command), "mv %s %s", file, from);
	tl_history_close(({ struct tl_history *h = history_of(&tl_history_limits); feed(h, 1, 700, BEGIN_NS, 50); h; }));
	if (system(command))
		abort();
	for (i = 0; i < rounds; i++) {
		struct tl_history *history;
		struct told told = { 0 };

		file_damage(from, i);
		history = history_of(&tl_history_limits);
		if (!history) {
			refused += strlen(err.text) > 0;
			continue;
		}
		err.text[0] = '\0';
		tl_history_each(history, &(struct tl_history_query){ .points = 50 }, told_add, &told, &err);
		feed(history, 701, 150, BEGIN_NS + 700 * S, 50);
		aside += told_news(history, "was damaged: it is");
		told = told_of(history, BEGIN_NS + 700 * S, BEGIN_NS + 850 * S, 0);
		good += told.n >= 150 && told.n < 250;
		if (told.n < 150)
			printf("# round %u: %" PRIu64 " of 150: %s\n", i, told.n, err.text);
		tl_history_close(history);
	}
	ok(good + refused == rounds && refused < rounds / 10 && aside > rounds / 10,
	   "damaged %u times: in %u it went on, %u of them with a new file, %u were refused", rounds, good, aside, refused);
}

/* Where a time is in the file: in rows, in an index, or in what pages have left. Return: 0 if nowhere after @from. */
static size_t time_in_file(const char *bytes, size_t n, size_t from, u64 ns)
{
	u64 stored = htobe64(ns);
	const char *at = from < n ? memmem(bytes + from, n - from, &stored, sizeof(stored)) : NULL;

	return at ? (size_t)(at - bytes) : 0;
}

/* One byte, which makes a time another one, and each page stays one. */
static void test_time(void)
{
	unsigned int told = 0, same = 0, wrong = 0;
	size_t n = 0, at = 0, room = 1 << 22;
	char *bytes = malloc(room);
	struct tl_history *history;
	FILE *f;

	tl_history_close(({ struct tl_history *h = history_of(&tl_history_limits); feed(h, 1, 300, BEGIN_NS, 50); h; }));
	f = fopen(file, "r");
	if (!f || !bytes)
		abort();
	n = fread(bytes, 1, room, f);
	fclose(f);
	while ((at = time_in_file(bytes, n, at + 1, BEGIN_NS + 150 * S))) {
		begin_anew();
		bytes[at + 2] ^= 0x15;
		f = fopen(file, "w");
		if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
			abort();
		bytes[at + 2] ^= 0x15;
		history = history_of(&tl_history_limits);
		if (!history)
			abort();
		if (told_news(history, "was damaged: it is"))
			told++;
		else if (told_of(history, 0, 0, 0).n == 300 && told_of(history, BEGIN_NS + 149 * S, BEGIN_NS + 151 * S, 0).n == 2)
			same++;
		else
			wrong++;
		tl_history_close(history);
	}
	free(bytes);
	ok(told >= 4 && !wrong, "a time that is another one in rows or an index: told %u times, of no use %u, wrong %u", told, same,
	   wrong);
}

/* ---- rows that cannot be read -------------------------------------------------------------- */

#define LOST_ROWS 100
#define LOST_FIRST 30 /* of those that are gone */
#define LOST_LAST 60

/* The last bytes of a frame are its checksum. */
static void checksum_spoil(sqlite3_int64 id)
{
	sqlite3_blob *blob;
	sqlite3 *db;
	int last;
	u8 byte;

	sqlite3_open(file, &db);
	if (sqlite3_blob_open(db, "main", "raw", "sums", id, 1, &blob) != SQLITE_OK)
		abort();
	last = sqlite3_blob_bytes(blob) - 1;
	sqlite3_blob_read(blob, &byte, 1, last);
	byte ^= 1;
	if (sqlite3_blob_write(blob, &byte, 1, last) != SQLITE_OK)
		abort();
	sqlite3_blob_close(blob);
	sqlite3_close(db);
}

/* As one that is dropped while it is read: when rows are chosen, by the index, it is there, and then it is not. */
static void rows_take(void)
{
	char add[300], drop[100];

	snprintf(add, sizeof(add), "PRAGMA writable_schema = 1; INSERT INTO sqlite_master VALUES('index', 'raw_time', "
		 "'raw', %lld, 'CREATE INDEX raw_time ON raw(start_ns, end_ns, bytes)')",
		 (long long)number("SELECT rootpage FROM sqlite_master WHERE name = 'raw_time'"));
	snprintf(drop, sizeof(drop), "DELETE FROM raw WHERE id BETWEEN %d AND %d OR id = %d", LOST_FIRST, LOST_LAST,
		 LOST_ROWS);
	sql("PRAGMA writable_schema = 1; DELETE FROM sqlite_master WHERE name = 'raw_time'");
	sql(drop);
	sql(add);
}

static bool is_lost(size_t row)
{
	return row == 1 || row == 10 || (row >= LOST_FIRST && row <= LOST_LAST) || row == LOST_ROWS;
}

static json_t *asked_json(int (*make)(const struct tl_history_ask *ask, char **json, struct tl_error *err),
			  const struct tl_history_ask *ask)
{
	char *text = NULL;
	json_t *json = make(ask, &text, &err) ? NULL : json_loads(text, 0, NULL);

	if (!json)
		printf("# %s\n", text ? text : err.text);
	free(text);
	return json;
}

static double real_at(const json_t *json, const char *name, size_t at)
{
	return json_number_value(json_array_get(json_object_get(json, name), at));
}

static u64 counts_at(const json_t *json, size_t at)
{
	const json_t *series;
	u64 count = 0;
	size_t i;

	json_array_foreach(json_object_get(json, "series"), i, series)
		count += (u64)json_integer_value(json_array_get(json_object_get(series, "count"), at));
	return count;
}

static bool near_s(double a, double b)
{
	return a - b < 0.002 && b - a < 0.002;
}

/* Each row a point: those that were lost have their place, and are gaps. */
static void lost_each(const u64 *count, u64 lost)
{
	const struct tl_history_ask ask = { .file = file, .points = 200, .series = 100 };
	json_t *json = asked_json(tl_history_series, &ask);
	size_t n = json_array_size(json_object_get(json, "t")), i, wrong = 0;

	for (i = 0; i < n && i < LOST_ROWS; i++) {
		bool gap = is_lost(i + 1);
		bool right = near_s(real_at(json, "t", i), (double)(BEGIN_NS / S + i)) &&
			     near_s(real_at(json, "seconds", i), !gap) && near_s(real_at(json, "gap_s", i), gap) &&
			     counts_at(json, i) == (gap ? 0 : count[i + 1]);

		if (!right && !wrong++)
			printf("# row %zu: t %.3f, seconds %.3f, gap_s %.3f, count %" PRIu64 "\n", i + 1,
			       real_at(json, "t", i), real_at(json, "seconds", i), real_at(json, "gap_s", i),
			       counts_at(json, i));
	}
	ok(n == LOST_ROWS && !wrong, "rows that cannot be read are gaps with their times: %zu of %zu points are not so",
	   wrong, n);
	is_u64((u64)json_integer_value(json_object_get(json, "missing")), lost, "and so many are said to be missing");
	json_decref(json);
}

/* Several rows a point, of one of which there is none left. */
static void lost_few(u64 all, u64 lost)
{
	const struct tl_history_ask ask = { .file = file, .points = 10, .series = 100 };
	json_t *json = asked_json(tl_history_series, &ask);
	size_t n = json_array_size(json_object_get(json, "t")), i, none = 0, wrong = 0;
	u64 count = 0;
	double gap_s = 0;

	for (i = 0; i < n; i++) {
		double before_s = i ? real_at(json, "t", i - 1) : (double)(BEGIN_NS / S);

		wrong += real_at(json, "t", i) <= before_s ||
			 (!real_at(json, "seconds", i) && !real_at(json, "gap_s", i));
		none += !real_at(json, "seconds", i) && !counts_at(json, i);
		count += counts_at(json, i);
		gap_s += real_at(json, "gap_s", i);
	}
	ok(n > 5 && n <= 10 && none && !wrong,
	   "few points: of %zu there is nothing left in %zu, which stand where they were", n, none);
	ok(near_s(gap_s, (double)lost) && count == all, "what is lost is in none and in their gaps: %.3f s", gap_s);
	json_decref(json);
}

static void lost_histogram(u64 lost)
{
	struct tl_history_ask ask = { .file = file, .points = 1, .tier = "service-1:8001" };
	json_t *json = asked_json(tl_history_histogram, &ask);

	ok(near_s(json_number_value(json_object_get(json, "from_t")), (double)(BEGIN_NS / S + 1)) &&
		   near_s(json_number_value(json_object_get(json, "to_t")), (double)(BEGIN_NS / S + 99)) &&
		   (u64)json_integer_value(json_object_get(json, "missing")) == lost &&
		   json_integer_value(json_object_get(json, "count")) > 0, "a histogram says so, too");
	json_decref(json);
	ask.from_ns = BEGIN_NS + LOST_FIRST * S;
	ask.to_ns = BEGIN_NS + (LOST_FIRST + 3) * S;
	json = asked_json(tl_history_histogram, &ask);
	ok(json_is_null(json_object_get(json, "from_t")) && json_is_null(json_object_get(json, "to_t")) &&
		   json_integer_value(json_object_get(json, "missing")) == 3 &&
		   !json_integer_value(json_object_get(json, "count")), "and one of nothing else has no time");
	json_decref(json);
}

static void test_lost(void)
{
	struct tl_history *history = history_of(&tl_history_limits);
	u64 count[LOST_ROWS + 1] = { 0 }, all = 0, lost = 0, i;
	struct told told = { .in_order = true };
	struct tl_past *past;

	for (i = 1; i <= LOST_ROWS; i++) {
		count[i] = feed(history, i, 1, BEGIN_NS + (i - 1) * S, 1);
		all += is_lost(i) ? 0 : count[i];
		lost += is_lost(i);
	}
	tl_history_close(history);
	checksum_spoil(1);
	checksum_spoil(10);
	rows_take();
	lost_each(count, lost);
	lost_few(all, lost);
	lost_histogram(lost);
	if (tl_past_open(&past, file, &err) ||
	    tl_past_each(past, &(struct tl_history_query){ 0 }, told_add, &told, &err))
		printf("# %s\n", err.text);
	/* After the last row there is no point whose gap it could be. */
	ok(told.count == all && told.n == LOST_ROWS - lost && told.gap_ns == (lost - 1) * S &&
		   tl_past_missing(past) == lost,
	   "nor has anybody who reads rows figures of them: %" PRIu64 " s are gaps", (uint64_t)(told.gap_ns / S));
	tl_past_close(past);
}
int main(void)
{
	static void (*const tests[])(void) = { test_kill, test_locked, test_clock, test_foreign, test_damaged, test_time,
					       test_lost, test_full };

	return history_tests(tests, ARRAY_SIZE(tests));
}
