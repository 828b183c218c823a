// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What tierlensd does, below the figures
 *
 * The newest is first. Where the terminal is narrow a sentence goes on below its beginning, as long as there is room for
 * three rows that way; else lines are cut, as those of the table.
 */
#include "view.h"

#include "adaptor.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

#define BLANK 1
#define ROWS_LEAST 3
#define ROWS_PLAIN 3 /* where nobody says how many there is room for */
#define INDENT 10 /* behind the time */
#define WRAP_LEAST 50 /* columns */
#define TODAY_S 43200.0
#define TIER_MOST 24
#define CHANGE_WIDTH 16

/* @text: as it can be printed, what it is first, then the newest row. NULL without memory. */
struct block {
	char *text[1 + TL_ADAPTOR_ROWS];
	size_t n, width;
};

static char *printable(char *text)
{
	char *copy = text ? tl_text_printable(text) : NULL;

	free(text);
	return copy;
}

static char *head_text(const struct tl_adaptor *a)
{
	char *text = NULL, when[40];
	size_t len, i;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		return NULL;
	fputs("tierlensd: ", to);
	if (*a->wrong)
		fputs(a->wrong, to);
	else if (a->share < 0)
		fprintf(to, "the budget is %.2f %%, what probes cost is not known", 100 * a->budget);
	else
		fprintf(to, "probes cost %.2f %% of the processors, the budget is %.2f %%", 100 * a->share,
			100 * a->budget);
	for (i = 0; i < a->levels; i++) {
		tl_adapt_time_text(when, sizeof(when), a->level[i].since_s, "%T");
		fprintf(to, "%s%s at %s since %s", i ? ", " : "; holds ", a->level[i].tier,
			tl_at_name(a->level[i].level), when);
	}
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return printable(text);
}

static char *row_text(const struct tl_adapt_row *row, int tier_width, double now_s)
{
	char when[40], change[32], *text = NULL;

	tl_adapt_time_text(when, sizeof(when), row->t_s, fabs(now_s - row->t_s) < TODAY_S ? "%T" : "%F %T");
	tl_adapt_row_change(change, sizeof(change), row);
	if (asprintf(&text, "%s  %-*s  %-*s  %s", when, tier_width, row->tier, CHANGE_WIDTH, change, row->text) < 0)
		return NULL;
	return printable(text);
}

static void block_make(struct block *b, const struct tl_adaptor *a, double now_s)
{
	size_t i, width, most = 0;

	for (i = 0; i < a->rows && a->alive; i++) {
		width = tl_text_width(a->row[i].tier);
		most = width > most ? width : most;
	}
	b->text[b->n++] = head_text(a);
	for (i = a->rows; i-- > 0 && a->alive;)
		b->text[b->n++] = row_text(&a->row[i], (int)(most < TIER_MOST ? most : TIER_MOST), now_s);
}

static size_t height_of(const char *text, size_t width, bool wrap)
{
	return text && wrap ? tl_text_wrap(NULL, text, width, INDENT) : 1;
}

/* How many of its texts there is room for. */
static size_t fit(const struct block *b, size_t height, bool wrap)
{
	size_t used = 0, n;

	for (n = 0; n < b->n; n++) {
		used += height_of(b->text[n], b->width, wrap);
		if (used > height)
			break;
	}
	return n;
}

/* Return: lines. */
static size_t print(FILE *to, const struct block *b, size_t n, bool wrap)
{
	size_t i, lines = 0;

	for (i = 0; i < n; i++) {
		const char *text = b->text[i] ? b->text[i] : "out of memory";

		if (wrap)
			tl_text_wrap(to, text, b->width, INDENT);
		else
			tl_text_print(to, text, b->width);
		lines += height_of(b->text[i], b->width, wrap);
	}
	return lines;
}

/**
 * tl_view_adaptor() - Print what tierlensd is doing, and its last decisions and findings
 * @to: where
 * @adaptor: that was looked at, or NULL
 * @now_s: time of the figures above, since the epoch
 * @room: what there is for it
 *
 * Return: lines that were printed; none without a daemon, or without room.
 */
size_t tl_view_adaptor(FILE *to, const struct tl_adaptor *adaptor, double now_s, struct tl_room room)
{
	struct block b = { .width = room.width };
	size_t i, n, lines;
	bool wrap = room.width >= WRAP_LEAST;

	if (!adaptor || (!adaptor->alive && !*adaptor->wrong) || (room.height && room.height <= BLANK))
		return 0;
	block_make(&b, adaptor, now_s);
	n = room.height ? fit(&b, room.height - BLANK, wrap) : 1 + ROWS_PLAIN;
	n = n < b.n ? n : b.n;
	if (wrap && room.height && n < b.n && n < 1 + ROWS_LEAST) {
		wrap = false;
		n = fit(&b, room.height - BLANK, wrap);
	}
	fputc('\n', to);
	lines = BLANK + print(to, &b, n, wrap);
	for (i = 0; i < b.n; i++)
		free(b.text[i]);
	return lines;
}
