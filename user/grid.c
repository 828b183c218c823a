// SPDX-License-Identifier: GPL-2.0-or-later
/* Text tables: columns as wide as their contents, numbers aligned on the right. */
#include "out.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 16

struct tl_grid {
	size_t columns, n, width[COLUMNS_MAX];
	bool right[COLUMNS_MAX];
	char **text; /* columns * n, the heads first */
};

static void cell_add(struct tl_grid *grid, const char *text)
{
	char **grown = reallocarray(grid->text, grid->n + 1, sizeof(*grown));
	size_t column = grid->n % grid->columns, width;

	if (!grown)
		return;
	grid->text = grown;
	grown[grid->n] = tl_text_printable(text);
	width = grown[grid->n] ? tl_text_width(grown[grid->n]) : 0;
	if (width > grid->width[column])
		grid->width[column] = width;
	grid->n++;
}

/**
 * tl_grid_new() - Start a table
 * @heads: heads separated by '|'; '>' before one aligns its column on the right
 *
 * Return: the table, to be given to tl_grid_free(); NULL without memory.
 */
struct tl_grid *tl_grid_new(const char *heads)
{
	struct tl_grid *grid = calloc(1, sizeof(*grid));
	char *copy = strdup(heads), *rest = copy, *head;
	size_t i;

	if (!grid || !copy)
		goto fail;
	for (grid->columns = 1; *heads; heads++)
		grid->columns += *heads == '|';
	for (i = 0; i < grid->columns; i++) {
		head = strsep(&rest, "|");
		grid->right[i] = *head == '>';
		cell_add(grid, head + grid->right[i]);
	}
	free(copy);
	return grid;
fail:
	free(copy);
	free(grid);
	return NULL;
}

/**
 * tl_grid_free() - Free a table
 * @grid: table or NULL
 */
void tl_grid_free(struct tl_grid *grid)
{
	size_t i;

	for (i = 0; grid && i < grid->n; i++)
		free(grid->text[i]);
	if (grid)
		free(grid->text);
	free(grid);
}

/**
 * tl_grid_add() - Fill in the next cell, from left to right and row by row
 * @grid: table or NULL, which is let pass
 * @fmt: printf format
 */
void tl_grid_add(struct tl_grid *grid, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	if (!grid)
		return;
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) >= 0)
		cell_add(grid, text);
	va_end(args);
	free(text);
}

static void row_print(const struct tl_grid *grid, char **row, FILE *to, size_t max_width)
{
	char *line = NULL, *end;
	size_t i, len;
	int pad;
	FILE *all = open_memstream(&line, &len);

	for (i = 0; all && i < grid->columns; i++) {
		pad = (int)(grid->width[i] - (row[i] ? tl_text_width(row[i]) : 0));
		fprintf(all, "%s%*s%s%*s", i ? "  " : "", grid->right[i] ? pad : 0, "",
			row[i] ? row[i] : "", grid->right[i] ? 0 : pad, "");
	}
	if (all && !fclose(all)) {
		for (end = line + len; end > line && end[-1] == ' ';)
			*--end = '\0';
		tl_text_print(to, line, max_width);
	}
	free(line);
}

/**
 * tl_grid_print() - Print a table
 * @grid: table or NULL
 * @to: where
 * @max_width: columns to cut lines to; 0 for no limit
 * @max_rows: lines that there is room for, the heads included; 0 for no limit.
 *            What does not fit is counted in the last of them, never dropped
 *            without a word.
 */
void tl_grid_print(const struct tl_grid *grid, FILE *to, size_t max_width,
		   size_t max_rows)
{
	size_t rows = grid ? grid->n / grid->columns : 0, shown = rows, i;

	if (max_rows && rows > max_rows)
		shown = max_rows - 1;
	for (i = 0; i < shown; i++)
		row_print(grid, grid->text + i * grid->columns, to, max_width);
	if (shown < rows)
		fprintf(to, "... %zu more rows need a higher terminal\n", rows - shown);
}
