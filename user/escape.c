// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes as text that can be typed: \xHH, \n, \r, \t, \\ and \0, as in C. */
#include "escape.h"

#include "error.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "nrt\\0", meant[] = { '\n', '\r', '\t', '\\', '\0' };

static int digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* One escape at @at of @text. Return: its length, or a negative errno. */
static int escape_read(const char *text, size_t at, unsigned char *byte,
		       struct tl_error *err)
{
	const char *s = text + at, *letter;

	if (s[1] == 'x') {
		if (!isxdigit((unsigned char)s[2]) || !isxdigit((unsigned char)s[3]))
			return tl_error_set(err, -EINVAL, "\"\\x\" at character %zu needs "
					    "two hexadecimal digits, as in \\x1f", at + 1);
		*byte = (unsigned char)(digit(s[2]) << 4 | digit(s[3]));
		return 4;
	}
	letter = s[1] ? strchr(letters, s[1]) : NULL;
	if (!letter)
		return tl_error_set(err, -EINVAL, "unknown escape \"\\%.1s\" at character "
				    "%zu: use \\xHH, \\n, \\r, \\t, \\\\ or \\0", s + 1,
				    at + 1);
	/* In C that would be an octal number. */
	if (s[1] == '0' && isdigit((unsigned char)s[2]))
		return tl_error_set(err, -EINVAL, "\"\\0\" at character %zu stands before a "
				    "digit: write \\x00", at + 1);
	*byte = (unsigned char)meant[letter - letters];
	return 2;
}

/**
 * tl_escape_read() - Text with escapes as bytes
 * @text: the text
 * @bytes: filled in
 * @room: size of @bytes
 * @len: set to the number of bytes, also of those that found no room
 * @err: what is wrong, with the place in @text, counted from 1
 *
 * Return: 0, -E2BIG if there are more than @room, or -EINVAL.
 */
int tl_escape_read(const char *text, unsigned char *bytes, size_t room, size_t *len,
		   struct tl_error *err)
{
	unsigned char byte;
	size_t at = 0;
	int step;

	for (*len = 0; text[at]; ++*len) {
		byte = (unsigned char)text[at];
		step = byte == '\\' ? escape_read(text, at, &byte, err) : 1;
		if (step < 0)
			return step;
		at += (size_t)step;
		if (*len < room)
			bytes[*len] = byte;
	}
	return *len <= room ? 0 : tl_error_set(err, -E2BIG, "%zu bytes are too many: give "
					       "at most %zu", *len, room);
}

/* A space at an end would not be seen. */
static bool plain(const unsigned char *bytes, size_t len, size_t at)
{
	if (bytes[at] == ' ')
		return at && at + 1 < len;
	return bytes[at] > ' ' && bytes[at] < 0x7f && bytes[at] != '\\';
}

/**
 * tl_escape_text() - Bytes as text with escapes
 * @bytes: any bytes
 * @len: how many
 *
 * Return: ASCII that tl_escape_read() reads as the same bytes, to be freed by the
 * caller; NULL without memory.
 */
char *tl_escape_text(const unsigned char *bytes, size_t len)
{
	char *text = malloc(4 * len + 1), *to = text;
	const char *letter;
	size_t i;

	for (i = 0; i < len && text; i++) {
		letter = memchr(meant, bytes[i], sizeof(meant));
		if (letter && !bytes[i] && i + 1 < len && isdigit(bytes[i + 1]))
			letter = NULL;
		if (plain(bytes, len, i))
			*to++ = (char)bytes[i];
		else if (letter)
			to += sprintf(to, "\\%c", letters[letter - meant]);
		else
			to += sprintf(to, "\\x%02x", bytes[i]);
	}
	if (text)
		*to = '\0';
	return text;
}
