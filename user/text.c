// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names that come from outside
 *
 * A tier is named after a command, and any process may call itself anything:
 * bytes that are no UTF-8, quotes, escape sequences for the terminal. A name is
 * made valid UTF-8 once, where it enters (JSON can hold nothing else), and each
 * way out takes away what is dangerous there: here for terminals, in dot.c and
 * html.c for theirs.
 */
#include "text.h"

#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Length of the valid UTF-8 sequence at @s, 0 if there is none. */
static size_t sequence(const unsigned char *s, size_t left, unsigned int *code)
{
	static const unsigned int smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len, i;

	*code = s[0];
	if (s[0] < 0x80)
		return 1;
	len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || len > left)
		return 0;
	*code = s[0] & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (*code < smallest[len] || *code > 0x10ffff ||
	    (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return len;
}

/**
 * tl_text_utf8() - A copy that is valid UTF-8
 * @bytes: any bytes; ends at the first NUL or at @len
 * @len: how many there are at most
 *
 * Return: the copy with U+FFFD for each byte that fits no character, to be
 * freed by the caller; NULL without memory.
 */
char *tl_text_utf8(const char *bytes, size_t len)
{
	const unsigned char *s = (const unsigned char *)bytes;
	size_t n = strnlen(bytes, len), i = 0, out = 0, step;
	char *copy = malloc(3 * n + 1);
	unsigned int code;

	if (!copy)
		return NULL;
	while (i < n) {
		step = sequence(s + i, n - i, &code);
		if (step) {
			memcpy(copy + out, bytes + i, step);
			out += step;
			i += step;
		} else {
			memcpy(copy + out, REPLACEMENT, 3);
			out += 3;
			i++;
		}
	}
	copy[out] = '\0';
	return copy;
}

/**
 * tl_text_cut() - Copy whole characters, as many as fit
 * @to: filled with valid UTF-8
 * @room: size of @to in bytes
 * @utf8: valid UTF-8
 */
void tl_text_cut(char *to, size_t room, const char *utf8)
{
	size_t len = strlen(utf8);

	if (len >= room)
		for (len = room - 1; len && ((unsigned char)utf8[len] & 0xc0) == 0x80; len--)
			;
	memcpy(to, utf8, len);
	to[len] = '\0';
}

/**
 * tl_text_printable() - A copy that does nothing to a terminal
 * @utf8: text
 *
 * Return: the copy with '?' for each control character, those of C1 included,
 * to be freed by the caller; NULL without memory.
 */
char *tl_text_printable(const char *utf8)
{
	char *copy = tl_text_utf8(utf8, strlen(utf8));
	size_t i = 0, out = 0, step, n;
	unsigned int code;

	if (!copy)
		return NULL;
	n = strlen(copy);
	while (i < n) {
		step = sequence((unsigned char *)copy + i, n - i, &code);
		if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
			copy[out++] = '?';
		} else {
			memmove(copy + out, copy + i, step);
			out += step;
		}
		i += step;
	}
	copy[out] = '\0';
	return copy;
}

/**
 * tl_text_width() - Columns that a text takes
 * @utf8: valid UTF-8 without control characters
 *
 * Counts characters: wide ones, which no command name here has been seen to use,
 * would push the rest of their line to the right and do no other harm.
 *
 * Return: number of characters.
 */
size_t tl_text_width(const char *utf8)
{
	size_t width = 0;

	for (; *utf8; utf8++)
		width += ((unsigned char)*utf8 & 0xc0) != 0x80;
	return width;
}

/**
 * tl_text_print() - Print a line
 * @to: where
 * @utf8: valid UTF-8 without control characters
 * @max_width: columns that there are; 0 for no limit. A line that is longer ends
 *             with '>', so that nobody takes it for the whole
 */
void tl_text_print(FILE *to, const char *utf8, size_t max_width)
{
	const char *end = utf8;
	size_t left = max_width - 1;

	if (!max_width || tl_text_width(utf8) <= max_width) {
		fprintf(to, "%s\n", utf8);
		return;
	}
	while (left || ((unsigned char)*end & 0xc0) == 0x80)
		left -= ((unsigned char)*end++ & 0xc0) != 0x80;
	fprintf(to, "%.*s>\n", (int)(end - utf8), utf8);
}

/* Bytes of what fits into @room columns: up to a space, if there is one. */
static size_t fitting(const char *utf8, size_t room)
{
	size_t at = 0, space = 0, columns = 0;

	for (; utf8[at]; at++) {
		if (((unsigned char)utf8[at] & 0xc0) != 0x80 && ++columns > room)
			return space ? space : at;
		if (utf8[at] == ' ')
			space = at;
	}
	return at;
}

/**
 * tl_text_wrap() - Print a text in as many lines as it needs
 * @to: where; NULL to count only
 * @utf8: valid UTF-8 without control characters
 * @width: columns that there are, more than @indent
 * @indent: of all lines but the first
 *
 * Return: number of lines.
 */
size_t tl_text_wrap(FILE *to, const char *utf8, size_t width, size_t indent)
{
	size_t lines = 0, len, end;

	do {
		len = fitting(utf8, width - (lines ? indent : 0));
		for (end = len; end && utf8[end - 1] == ' '; end--)
			;
		if (to)
			fprintf(to, "%*s%.*s\n", lines ? (int)indent : 0, "", (int)end, utf8);
		for (utf8 += len; *utf8 == ' '; utf8++)
			;
		lines++;
	} while (*utf8);
	return lines;
}

/**
 * tl_text_lines() - Print lines in which there may be hostile names
 * @to: where
 * @text: lines, each ended but the last one perhaps; changed
 */
void tl_text_lines(FILE *to, char *text)
{
	char *line = text, *end, *printable;

	for (; line && *line; line = end ? end + 1 : NULL) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		printable = tl_text_printable(line);
		tl_text_print(to, printable ? printable : "out of memory", 0);
		free(printable);
	}
}

/**
 * tl_text_equal() - Compare two texts of which any may be absent
 * @a: text or NULL
 * @b: text or NULL
 *
 * Return: true if both say the same or both are absent.
 */
bool tl_text_equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/**
 * tl_text_hash() - A number made of texts (FNV-1a)
 * @hash: that of what comes before; TL_TEXT_HASH
 * @text: the next one
 *
 * Return: the number.
 */
u32 tl_text_hash(u32 hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (u8)*text) * 16777619U;
	return hash;
}
