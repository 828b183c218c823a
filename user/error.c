// SPDX-License-Identifier: GPL-2.0-or-later
#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/**
 * tl_error_set() - Write the sentence and hand on the code
 * @err: where the sentence goes
 * @code: negative errno
 * @fmt: printf format of "<what>: <what to do>"
 *
 * Return: @code, so that a caller can write ``return tl_error_set(...)``.
 */
int tl_error_set(struct tl_error *err, int code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return code;
}

/**
 * tl_error_no_memory() - The one sentence for failed allocations
 * @err: where the sentence goes
 *
 * Return: -ENOMEM.
 */
int tl_error_no_memory(struct tl_error *err)
{
	return tl_error_set(err, -ENOMEM, "out of memory: free some and try again");
}

/**
 * tl_error_write() - The sentence for what could not be written
 * @err: where the sentence goes
 * @code: negative errno; 0 if it is not known
 * @name: what was written to
 *
 * Return: @code, or -EIO if it is not known.
 */
int tl_error_write(struct tl_error *err, int code, const char *name)
{
	if (!code)
		code = -EIO;
	return tl_error_set(err, code, "%s: cannot write (%s): %s", name, strerror(-code),
			    code == -EPIPE ? "its reader has ended, start that again" :
			    code == -ENOSPC || code == -EDQUOT ?
					     "make room or write elsewhere" :
					     "write elsewhere");
}
