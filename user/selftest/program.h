/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SELFTEST_PROGRAM_H
#define TL_SELFTEST_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

#define TL_PROGRAM_WORDS 40

struct tl_error;

/**
 * struct tl_programs - Where the test programs are, and where they write
 * @from: directory of tierserver and load
 * @dir: directory for what they write, in TMPDIR or /tmp, removed by tl_programs_close()
 * @group: process group that they run in; 0 for our own
 * @started: how many were
 */
struct tl_programs {
	char from[4000], dir[64];
	pid_t group;
	unsigned int started;
};

/**
 * struct tl_program - One that runs
 * @pid: 0 when it has ended
 * @name: for sentences
 * @path: what it writes is in this file and .out, .err behind it
 */
struct tl_program {
	pid_t pid;
	char name[24], path[100];
};

int tl_programs_find(struct tl_programs *programs, const char *from,
		     struct tl_error *err);
int tl_programs_open(struct tl_programs *programs, struct tl_error *err);
void tl_programs_close(const struct tl_programs *programs);

int tl_program_start(struct tl_programs *programs, struct tl_program *program,
		     const char *name, const char *const *argv, struct tl_error *err);
bool tl_program_ended(struct tl_program *program, int *status);
int tl_program_stop(struct tl_program *program, struct tl_error *err);
int tl_program_said(const struct tl_program *program, const char *after, char *word,
		    size_t room);
int tl_program_failed(const struct tl_program *program, int status, struct tl_error *err);

#endif
