/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ERROR_H
#define TL_ERROR_H

/**
 * struct tl_error - Why something failed, as a sentence for people
 * @text: "<what>: <what to do>", no newline, no program name
 *
 * Whoever finds the fault fills it in; only the commands print it.
 */
struct tl_error {
	char text[600];
};

int tl_error_set(struct tl_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int tl_error_no_memory(struct tl_error *err);
int tl_error_write(struct tl_error *err, int code, const char *name);

#endif
