/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TEXT_H
#define TL_TEXT_H

#include "port.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TL_TEXT_HASH 2166136261U /* of no text */

char *tl_text_utf8(const char *bytes, size_t len);
void tl_text_cut(char *to, size_t room, const char *utf8);
char *tl_text_printable(const char *utf8);
size_t tl_text_width(const char *utf8);
void tl_text_print(FILE *to, const char *utf8, size_t max_width);
size_t tl_text_wrap(FILE *to, const char *utf8, size_t width, size_t indent);
void tl_text_lines(FILE *to, char *text);
bool tl_text_equal(const char *a, const char *b);
u32 tl_text_hash(u32 hash, const char *text);

#endif
