/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_LQN_FAULTS_H
#define TL_LQN_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

struct tl_error;

#define TL_FAULTS_KEPT 100

/**
 * struct tl_faults - What is wrong with a file, and where
 * @file: its name
 * @fault: the first of the sentences for what makes it useless, "<file>:<line>: <what>:
 *         <what to do>"
 * @note: the same for what may be meant so
 * @faults: how many there are, more than are kept perhaps
 * @notes: the same
 * @no_memory: a sentence could not be kept
 */
struct tl_faults {
	const char *file;
	char *fault[TL_FAULTS_KEPT], *note[TL_FAULTS_KEPT];
	size_t faults, notes;
	bool no_memory;
};

void tl_faults_add(struct tl_faults *faults, size_t line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void tl_faults_note(struct tl_faults *faults, size_t line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
size_t tl_faults_kept(size_t n);
int tl_faults_error(const struct tl_faults *faults, struct tl_error *err);
void tl_faults_free(struct tl_faults *faults);

#endif
