/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ADAPT_ROW_H
#define TL_ADAPT_ROW_H

#include "level.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/**
 * struct tl_adapt_row - A decision or a finding, as tierlensd logs them
 * @json: the row itself; owned
 * @t_s: when, since the epoch
 * @finding: else it is a decision
 * @held: a decision not to raise a level, because of @why
 * @from, @to: levels, the same if nothing was changed; of decisions
 * @path, @tier, @function, @why, @text: of @json; NULL for none, but for @tier and @text
 * @extra_s, @more_s: of findings: what requests take longer, and what of it is in the function
 */
struct tl_adapt_row {
	json_t *json;
	double t_s, extra_s, more_s;
	bool finding, held;
	enum tl_at from, to;
	const char *path, *tier, *function, *why, *text;
};

int tl_adapt_row_read(struct tl_adapt_row *row, json_t *json);
void tl_adapt_row_free(struct tl_adapt_row *row);
bool tl_adapt_row_changed(const struct tl_adapt_row *row);
void tl_adapt_row_change(char *to, size_t room, const struct tl_adapt_row *row);
double tl_adapt_row_share(const struct tl_adapt_row *row);
bool tl_adapt_time_ok(double t_s);
void tl_adapt_time_text(char *to, size_t room, double t_s, const char *format);

#endif
