// SPDX-License-Identifier: GPL-2.0-or-later
/* All that is wrong with a file at once: whoever mends one fault wants to know the rest. */
#include "lqn-faults.h"

#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((format(printf, 5, 0))) static void
keep(struct tl_faults *faults, char **list, size_t *n, size_t line, const char *fmt,
     va_list args)
{
	char *what = NULL, *sentence = NULL;
	int len;

	if ((*n)++ >= TL_FAULTS_KEPT)
		return;
	if (vasprintf(&what, fmt, args) < 0)
		what = NULL;
	len = !what ? -1 :
	      line  ? asprintf(&sentence, "%s:%zu: %s", faults->file, line, what) :
		      asprintf(&sentence, "%s: %s", faults->file, what);
	free(what);
	list[*n - 1] = len < 0 ? NULL : sentence;
	faults->no_memory = faults->no_memory || len < 0;
}

/**
 * tl_faults_add() - Keep a fault
 * @faults: where
 * @line: of the file; 0 for the file as a whole
 * @fmt: printf format of "<what>: <what to do>"
 */
void tl_faults_add(struct tl_faults *faults, size_t line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	keep(faults, faults->fault, &faults->faults, line, fmt, args);
	va_end(args);
}

/**
 * tl_faults_note() - Keep what may be meant so
 * @faults: where
 * @line: of the file; 0 for the file as a whole
 * @fmt: printf format of "<what>: <what to do>"
 */
void tl_faults_note(struct tl_faults *faults, size_t line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	keep(faults, faults->note, &faults->notes, line, fmt, args);
	va_end(args);
}

/**
 * tl_faults_kept() - How many of so many are kept
 * @n: faults or notes
 *
 * Return: the number that may be looked at.
 */
size_t tl_faults_kept(size_t n)
{
	return n < TL_FAULTS_KEPT ? n : TL_FAULTS_KEPT;
}

/**
 * tl_faults_error() - The faults in one sentence
 * @faults: what was found
 * @err: the first of them, and how many more there are
 *
 * Return: 0 if there is none, or a negative errno.
 */
int tl_faults_error(const struct tl_faults *faults, struct tl_error *err)
{
	if (faults->no_memory)
		return tl_error_no_memory(err);
	if (!faults->faults)
		return 0;
	if (faults->faults == 1)
		return tl_error_set(err, -EINVAL, "%s", faults->fault[0]);
	return tl_error_set(err, -EINVAL, "%s (the first of %zu faults; tierlens lqn check "
			    "tells all)", faults->fault[0], faults->faults);
}

/**
 * tl_faults_free() - Free the sentences
 * @faults: faults
 */
void tl_faults_free(struct tl_faults *faults)
{
	size_t i;

	for (i = 0; i < TL_FAULTS_KEPT; i++) {
		free(faults->fault[i]);
		free(faults->note[i]);
	}
}
