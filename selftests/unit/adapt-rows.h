/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows as tierlensd logs them. */
#ifndef TL_ADAPT_ROWS_H
#define TL_ADAPT_ROWS_H

#include <jansson.h>

#define NOW_S 1763700105.0

static inline json_t *decision(double t_s, const char *from, const char *to, const char *why, const char *text)
{
	return json_pack("{s:s, s:f, s:n, s:s, s:s, s:s, s:s, s:n, s:s}", "kind", "decision", "t", t_s, "path", "tier", "app:9000",
			 "from", from, "to", to, "why", why, "function", "text", text);
}

static inline json_t *finding(double t_s, double more_s, const char *text)
{
	return json_pack("{s:s, s:f, s:s, s:s, s:s, s:f, s:f, s:s}", "kind", "finding", "t", t_s, "path", "web:80/cart", "tier",
			 "app:9000", "function", "scan", "extra_s", 0.02, "more_in_function_s", more_s, "text", text);
}

#endif
