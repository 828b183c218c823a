// SPDX-License-Identifier: GPL-2.0-or-later
/* What a page needs to take in names and pictures safely. */
#include "html.h"

#include "child.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

/**
 * tl_html_text() - Print a text so that it is nothing but text
 * @to: where
 * @text: anything; may stand in an attribute between double quotes too
 */
void tl_html_text(FILE *to, const char *text)
{
	char *printable = tl_text_printable(text), *p;

	for (p = printable; p && *p; p++)
		switch (*p) {
		case '&':
			fputs("&amp;", to);
			break;
		case '<':
			fputs("&lt;", to);
			break;
		case '>':
			fputs("&gt;", to);
			break;
		case '"':
			fputs("&quot;", to);
			break;
		case '\'':
			fputs("&#39;", to);
			break;
		default:
			fputc(*p, to);
		}
	free(printable);
}

/**
 * tl_html_lines() - Print lines so that they are nothing but text
 * @to: where
 * @text: lines; changed
 */
void tl_html_lines(FILE *to, char *text)
{
	char *end;

	for (; text; text = end ? end + 1 : NULL) {
		end = strchr(text, '\n');
		if (end)
			*end = '\0';
		tl_html_text(to, text);
		if (end)
			fputc('\n', to);
	}
}

/**
 * tl_html_svg() - Print a picture as a part of the page
 * @to: where
 * @svg: a file as graphviz and gnuplot write it
 *
 * Leaves out what stands before the picture, and gnuplot's definitions and ids:
 * they are not used and would be there once for each picture.
 */
void tl_html_svg(FILE *to, const struct tl_bytes *svg)
{
	static const char *const drop[][2] = {
		{ "<defs>", "</defs>" },
		{ "<title>Gnuplot", "</title>" },
		{ " id=\"gnuplot_canvas\"", "" },
		{ " id=\"gnuplot_plot_", "\"" },
		{ "<!--", "-->" },
	};
	const char *p = svg->data ? strstr(svg->data, "<svg") : NULL;
	const char *end;
	size_t i, n = sizeof(drop) / sizeof(drop[0]);

	while (p && *p) {
		for (i = 0; i < n; i++)
			if (!strncmp(p, drop[i][0], strlen(drop[i][0])))
				break;
		end = i < n ? strstr(p + strlen(drop[i][0]), drop[i][1]) : NULL;
		if (end)
			p = end + strlen(drop[i][1]);
		else
			fputc(*p++, to);
	}
}

/**
 * tl_html_svg_on_white() - Begin a file with a picture on white, to which more may be added
 * @to: where; the caller ends it by </svg>
 * @width: pixels
 * @height: pixels
 * @svg: a file as graphviz and gnuplot write it
 */
void tl_html_svg_on_white(FILE *to, size_t width, size_t height, const struct tl_bytes *svg)
{
	fprintf(to, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", width, height);
	tl_html_svg(to, svg);
}
