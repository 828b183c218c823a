/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_HTML_H
#define TL_HTML_H

#include <stdio.h>

struct tl_bytes;

void tl_html_text(FILE *to, const char *text);
void tl_html_lines(FILE *to, char *text);
void tl_html_svg(FILE *to, const struct tl_bytes *svg);
void tl_html_svg_on_white(FILE *to, size_t width, size_t height, const struct tl_bytes *svg);

#endif
