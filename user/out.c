// SPDX-License-Identifier: GPL-2.0-or-later
/* What every command prints through: sentences, progress, JSON. Tables: grid.c. */
#include "out.h"

#include "child.h"
#include "cmd.h"
#include "error.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JSON_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(16))

static bool progress_shown;
static const char *place;

/**
 * tl_out_place() - Where what is wrong from now on stands
 * @at: "file:line", not copied; NULL for nowhere in particular
 */
void tl_out_place(const char *at)
{
	place = at;
}

/**
 * tl_out_error() - Say on stderr what is wrong
 * @fmt: printf format of "<what>: <what to do>"
 *
 * Names in the sentence may be hostile: control characters are taken out.
 */
void tl_out_error(const char *fmt, ...)
{
	char *sentence = NULL, *placed = NULL, *printable = NULL;
	va_list args;

	tl_out_progress_end();
	va_start(args, fmt);
	if (vasprintf(&sentence, fmt, args) >= 0 &&
	    asprintf(&placed, "%s%s%s", place ? place : "", place ? ": " : "", sentence) >= 0)
		printable = tl_text_printable(placed);
	va_end(args);
	fflush(stdout);
	fprintf(stderr, "tierlens: %s\n", printable ? printable : "out of memory");
	free(printable);
	free(placed);
	free(sentence);
}

/**
 * tl_out_failed() - Print the sentence of an error
 * @err: the error
 *
 * Return: the exit status for it.
 */
int tl_out_failed(const struct tl_error *err)
{
	tl_out_error("%s", err->text);
	return TL_EXIT_FAILED;
}

/**
 * tl_out_progress() - Replace the progress line, if a person is looking
 * @fmt: printf format, short enough for one line
 */
void tl_out_progress(const char *fmt, ...)
{
	va_list args;

	if (!isatty(STDERR_FILENO))
		return;
	va_start(args, fmt);
	fputs("\r", stderr);
	vfprintf(stderr, fmt, args);
	fputs("\033[K", stderr);
	va_end(args);
	fflush(stderr);
	progress_shown = true;
}

/**
 * tl_out_progress_end() - Wipe the progress line, if there is one
 */
void tl_out_progress_end(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}

/**
 * tl_out_json() - Print an object as one line
 * @object: the object, of which one reference is consumed; NULL without memory
 *
 * Return: exit status.
 */
int tl_out_json(json_t *object)
{
	int failed = !object || json_dumpf(object, stdout, JSON_FLAGS);

	json_decref(object);
	/* A write that failed is reported by tl_out_close(). */
	if (failed && !ferror(stdout)) {
		tl_out_error("out of memory: free some and try again");
		return TL_EXIT_FAILED;
	}
	putchar('\n');
	return TL_EXIT_OK;
}

/**
 * tl_out_name() - A file's name as JSON can hold it
 * @bytes: the name, any bytes
 *
 * Return: the string, a new reference; NULL without memory.
 */
json_t *tl_out_name(const char *bytes)
{
	char *utf8 = tl_text_utf8(bytes, strlen(bytes));
	json_t *name = utf8 ? json_string(utf8) : NULL;

	free(utf8);
	return name;
}

/**
 * tl_out_text() - A text that was allocated, as JSON
 * @text: freed; NULL without memory
 *
 * Return: the string, a new reference; NULL without memory.
 */
json_t *tl_out_text(char *text)
{
	json_t *string = text ? json_string(text) : NULL;

	free(text);
	return string;
}

/**
 * tl_out_real() - A number that may be none, as JSON
 * @value: number
 *
 * Return: it, or null if it is not finite; a new reference.
 */
json_t *tl_out_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/**
 * tl_out_close() - Flush and close, and see whether everything was written
 * @file: stream; closed in any case
 * @name: what to call it
 * @err: the sentence if something was not written
 *
 * Return: 0 or a negative errno.
 */
int tl_out_close(FILE *file, const char *name, struct tl_error *err)
{
	int failed = ferror(file), code = failed ? errno : 0;

	errno = 0;
	if (fclose(file)) {
		failed = 1;
		code = errno ? errno : code;
	}
	return failed ? tl_error_write(err, -code, name) : 0;
}

/**
 * tl_out_begin() - Begin to write a file, of which nobody sees anything until it is whole
 * @name: its name
 * @part: set to what it is called until then, to be given to tl_out_end()
 * @err: the sentence if it fails
 *
 * A device, a pipe or a link is written to directly. What is called as the part is taken away before.
 *
 * Return: the stream, or NULL.
 */
FILE *tl_out_begin(const char *name, char **part, struct tl_error *err)
{
	struct stat stat;
	FILE *to;
	bool apart;

	if (asprintf(part, !lstat(name, &stat) && !S_ISREG(stat.st_mode) ? "%s" : "%s.part", name) < 0) {
		*part = NULL;
		tl_error_no_memory(err);
		return NULL;
	}
	/* Who may write to the folder, as to /tmp, may have put something there for us to write to. */
	apart = strcmp(*part, name);
	if (apart)
		unlink(*part);
	to = fopen(*part, apart ? "wxe" : "we");
	if (!to) {
		tl_error_write(err, -errno, name);
		free(*part);
		*part = NULL;
	}
	return to;
}

/**
 * tl_out_end() - Put a file in its place, if it is whole
 * @to: the stream, closed
 * @name: its name
 * @part: freed
 * @code: 0, or a negative errno if it did not come to its end
 * @err: the sentence if it fails here
 *
 * Return: @code, or a negative errno.
 */
int tl_out_end(FILE *to, const char *name, char *part, int code, struct tl_error *err)
{
	struct tl_error ignored;
	bool apart = strcmp(part, name);
	int closed = tl_out_close(to, name, code ? &ignored : err);

	code = code ? code : closed;
	if (!code && apart && rename(part, name))
		code = tl_error_write(err, -errno, name);
	if (code && apart)
		unlink(part);
	free(part);
	return code;
}

/**
 * tl_out_file() - Write a file whole or not at all
 * @name: its name; NULL or "-" for standard output
 * @bytes: its contents
 * @err: the sentence if it fails
 *
 * A file that is there already is replaced only when the new one is complete.
 *
 * Return: 0 or a negative errno.
 */
int tl_out_file(const char *name, const struct tl_bytes *bytes, struct tl_error *err)
{
	char *part;
	FILE *to;

	if (!name || !strcmp(name, "-")) {
		fwrite(bytes->data, 1, bytes->len, stdout);
		return 0; /* main sees whether stdout took it */
	}
	to = tl_out_begin(name, &part, err);
	if (!to)
		return -EIO;
	fwrite(bytes->data, 1, bytes->len, to);
	return tl_out_end(to, name, part, 0, err);
}
