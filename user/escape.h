/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ESCAPE_H
#define TL_ESCAPE_H

#include <stddef.h>

struct tl_error;

int tl_escape_read(const char *text, unsigned char *bytes, size_t room, size_t *len,
		   struct tl_error *err);
char *tl_escape_text(const unsigned char *bytes, size_t len);

#endif
