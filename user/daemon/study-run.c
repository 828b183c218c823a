// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A study as a process: the commands of tierlens, on the history, and their answer as one object of JSON
 *
 * It is nice, and may use so much memory and processor time; the kernel sees to that.
 */
#include "daemon/study.h"

#include "cmd.h"
#include "out.h"

#include <cap-ng.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>

#define PROCESSOR_S 20
#define MEMORY_BYTES (96UL << 20)
#define POINTS "120" /* of demands */
#define BUSY_MOST "0.8" /* of a processor, for capacity */

const char *const tl_study_names[TL_STUDY_KINDS] = { [TL_STUDY_DEMANDS] = "demands", [TL_STUDY_CAPACITY] = "capacity" };

static void limits_set(void)
{
	const struct rlimit time = { PROCESSOR_S, PROCESSOR_S };
	FILE *score = fopen("/proc/self/oom_score_adj", "we");

	/* Its parent's end is its own, and who wants memory is to take ours first. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The history is the daemon's own: no capability is needed to read it. */
	capng_clear(CAPNG_SELECT_BOTH);
	capng_apply(CAPNG_SELECT_CAPS);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (score) {
		fputs("1000", score);
		fclose(score);
	}
	setpriority(PRIO_PROCESS, 0, 19);
	setrlimit(RLIMIT_CPU, &time);
#ifndef __SANITIZE_ADDRESS__
	{
		const struct rlimit memory = { MEMORY_BYTES, MEMORY_BYTES };

		setrlimit(RLIMIT_DATA, &memory);
	}
#endif
}

/* From now on what is written there goes to memory. Return: that memory; -1 if there is none. */
static int catch(int fd)
{
	int memory = memfd_create("study", MFD_CLOEXEC);

	if (memory >= 0)
		dup2(memory, fd);
	return memory;
}

static char *text_of(int memory)
{
	off_t len = lseek(memory, 0, SEEK_END);
	char *text = len < 0 ? NULL : malloc((size_t)len + 1);

	if (text && pread(memory, text, (size_t)len, 0) == len) {
		text[len] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

static int run(const struct tl_cmd *cmd, char **argv)
{
	int argc = 0, status;

	while (argv[argc])
		argc++;
	optind = 0;
	status = cmd->run(cmd, argc, argv);
	return fflush(stdout) ? TL_EXIT_FAILED : status;
}

static int demands(char *file, char *from)
{
	char *argv[] = { (char *)"track", (char *)"--json", (char *)"--points", (char *)POINTS, (char *)"--from", from, file,
			 NULL };

	return run(&tl_cmd_track, argv);
}

/* Of the network that the history leads to, the curve of load. */
static int capacity(char *file, char *from)
{
	char place[40], *build[] = { (char *)"build", (char *)"--from", from, file, NULL };
	char *curve[] = { (char *)"capacity", place, (char *)"--json", (char *)"--max-utilisation", (char *)BUSY_MOST, NULL };
	int result = dup(STDOUT_FILENO), network = catch(STDOUT_FILENO), status;

	if (result < 0 || network < 0)
		return TL_EXIT_FAILED;
	status = run(&tl_cmd_lqn_build, build);
	dup2(result, STDOUT_FILENO);
	snprintf(place, sizeof(place), "/proc/self/fd/%d", network);
	lseek(network, 0, SEEK_SET);
	return status ? status : run(&tl_cmd_capacity, curve);
}

/* Sentences without who says them. */
static json_t *notes_of(char *text)
{
	json_t *list = json_array();
	char *line, *rest = NULL, *said;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		said = strncmp(line, "tierlens: ", 10) ? line : line + 10;
		json_array_append_new(list, json_string(strncmp(said, "note: ", 6) ? said : said + 6));
	}
	return list;
}

static json_t *lines_of(char *text)
{
	json_t *list = json_array();
	char *line, *rest = NULL;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		json_array_append_new(list, json_loads(line, 0, NULL));
	return list;
}

/* What the lines say of one demand, as columns: their texts are the same in all, but for the verdict. */
static json_t *demand_column(json_t *lines, size_t at, json_t *last)
{
	static const char *const figures[] = { "value_s", "low95_s", "high95_s" };
	json_t *column = json_copy(last), *list, *line, *value;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(figures); i++) {
		list = json_array();
		json_array_foreach(lines, k, line) {
			value = json_object_get(json_array_get(json_object_get(line, "demands"), at), figures[i]);
			json_array_append_new(list, json_is_real(value) ? json_real(json_real_value(value)) : json_null());
		}
		json_object_set_new(column, figures[i], list);
	}
	return column;
}

/* Lines of tierlens track, a hundredth as long: the last of them, whose demands are columns over all. */
static json_t *demands_of(json_t *lines)
{
	json_t *last = json_array_get(lines, json_array_size(lines) - 1), *result = json_copy(last);
	json_t *times = json_array(), *columns = json_array(), *one;
	size_t i;

	json_array_foreach(lines, i, one)
		json_array_append(times, json_object_get(one, "t"));
	json_array_foreach(json_object_get(last, "demands"), i, one)
		json_array_append_new(columns, demand_column(lines, i, one));
	json_object_set_new(result, "t", times);
	json_object_set_new(result, "demands", columns);
	json_decref(lines);
	return json_pack("[o]", result);
}

static json_t *answer(int status, char *result, char *notes, json_t *(*shape)(json_t *lines))
{
	json_t *lines = status == TL_EXIT_OK && result ? lines_of(result) : NULL;
	json_t *said = notes ? notes_of(notes) : json_array(), *object;
	const char *last = json_string_value(json_array_get(said, json_array_size(said) - 1));

	if (!json_array_size(lines))
		object = json_pack("{s:s}", "error", last ? last : "it came to nothing, and does not say why");
	else
		object = json_pack("{s:O, s:o}", "notes", said, "result", shape ? shape(json_incref(lines)) : json_incref(lines));
	json_decref(lines);
	json_decref(said);
	return object;
}

/**
 * tl_study_run() - Be the process that computes one
 * @argc: 5
 * @argv: the program, TL_STUDY_OPTION, which of them, the history, and since when
 *
 * Return: exit status.
 */
int tl_study_run(int argc, char **argv)
{
	int to = dup(STDOUT_FILENO), result, notes, status;
	char *results, *said, *text;
	json_t *object;
	bool curve;

	if (argc != 5)
		return TL_EXIT_USAGE;
	limits_set();
	result = catch(STDOUT_FILENO);
	notes = catch(STDERR_FILENO);
	if (to < 0 || result < 0 || notes < 0)
		return TL_EXIT_FAILED;
	curve = !strcmp(argv[2], tl_study_names[TL_STUDY_CAPACITY]);
	status = curve ? capacity(argv[3], argv[4]) : demands(argv[3], argv[4]);
	results = text_of(result);
	said = text_of(notes);
	object = answer(status, results, said, curve ? NULL : demands_of);
	text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(8)) : NULL;
	dup2(to, STDOUT_FILENO);
	if (text)
		fputs(text, stdout);
	free(text);
	json_decref(object);
	free(results);
	free(said);
	return text ? TL_EXIT_OK : TL_EXIT_FAILED;
}
