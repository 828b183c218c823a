// SPDX-License-Identifier: GPL-2.0-or-later
/* What was found of messages: the rows with a label each, a line a path, JSON. */
#include "anomaly-out.h"

#include "out.h"
#include "text.h"

#include <csv.h>
#include <stdlib.h>
#include <string.h>

static const char *const labels[TL_ANOMALIES] = { "normal", "delayed", "timeout" };

static void fields_write(char *const *field, size_t n, FILE *to)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (strpbrk(field[i], ",;\t\"\r\n"))
			csv_fwrite(to, field[i], strlen(field[i]));
		else
			fputs(field[i], to);
		putc(',', to);
	}
}

/**
 * tl_anomalies_write() - The rows as they were, with what each is
 * @anomalies: what was found
 * @to: where
 */
void tl_anomalies_write(const struct tl_anomalies *anomalies, FILE *to)
{
	const struct tl_messages *m = anomalies->messages;
	size_t i;

	fields_write(m->head, m->columns, to);
	fputs("label\n", to);
	for (i = 0; i < m->n && !ferror(to); i++) {
		fields_write(m->field + i * m->columns, m->columns, to);
		fprintf(to, "%s\n", labels[anomalies->kind[i]]);
	}
}

static size_t messages_of(const struct tl_anomalies *a, size_t path)
{
	return a->count[path][TL_ANOMALY_NORMAL] + a->count[path][TL_ANOMALY_DELAYED] + a->count[path][TL_ANOMALY_TIMEOUT];
}

static void verdict(const struct tl_anomalies *a, size_t path, char *text, size_t room)
{
	if (a->model[path].enough)
		snprintf(text, room, "ok");
	else
		snprintf(text, room, "too few messages: %zu, %d are needed; all are taken for normal", messages_of(a, path),
			 TL_ANOMALY_LEAST);
}

static char *name_of(const struct tl_anomalies *a, size_t path)
{
	size_t len;
	const char *key = tl_ids_key(&a->messages->paths, (u32)path, &len);
	char *utf8 = tl_text_utf8(key, len), *text = utf8 ? tl_text_printable(utf8) : NULL;

	free(utf8);
	return text;
}

static void bound_add(struct tl_grid *grid, double ms)
{
	if (ms > 0)
		tl_grid_add(grid, "%.3g", ms);
	else
		tl_grid_add(grid, "-");
}

static void row_add(struct tl_grid *grid, const struct tl_anomalies *a, size_t path)
{
	const struct tl_anomaly_model *m = &a->model[path];
	char *name = name_of(a, path), said[120];
	size_t kind;

	tl_grid_add(grid, "%s", name && *name ? name : "-");
	tl_grid_add(grid, "%zu", messages_of(a, path));
	for (kind = 0; kind < TL_ANOMALIES; kind++)
		tl_grid_add(grid, "%zu", a->count[path][kind]);
	tl_grid_add(grid, "%.3g + %.3g k + %.3g f", m->line.base_ms, m->line.packet_ms, m->line.fill_ms);
	tl_grid_add(grid, "%.2g", m->scale_ms);
	bound_add(grid, m->delayed_ms);
	bound_add(grid, m->timeout_ms);
	verdict(a, path, said, sizeof(said));
	tl_grid_add(grid, "%s", said);
	free(name);
}

/**
 * tl_anomalies_print() - A line a path
 * @anomalies: what was found
 * @to: where
 */
void tl_anomalies_print(const struct tl_anomalies *anomalies, FILE *to)
{
	struct tl_grid *grid = tl_grid_new("path|>messages|>normal|>delayed|>timeout|normally ms|>sd|>delayed from +|"
					   ">timeout from +|verdict");
	size_t path;

	for (path = 0; grid && path < anomalies->messages->paths.n; path++)
		row_add(grid, anomalies, path);
	if (grid)
		tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
}

/* In seconds, as everywhere. */
static json_t *bound_json(double ms)
{
	return ms > 0 ? tl_out_real(ms / 1e3) : json_null();
}

static json_t *path_json(const struct tl_anomalies *a, size_t path)
{
	const struct tl_anomaly_model *m = &a->model[path];
	char said[120];

	verdict(a, path, said, sizeof(said));
	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:{s:o, s:o, s:o}, s:o, s:o, s:o, s:I, s:o, s:s}", "path",
			 tl_out_text(name_of(a, path)), "messages", (json_int_t)messages_of(a, path), "normal",
			 (json_int_t)a->count[path][TL_ANOMALY_NORMAL], "delayed",
			 (json_int_t)a->count[path][TL_ANOMALY_DELAYED], "timeout",
			 (json_int_t)a->count[path][TL_ANOMALY_TIMEOUT], "line", "base_s", tl_out_real(m->line.base_ms / 1e3),
			 "packet_s", tl_out_real(m->line.packet_ms / 1e3), "fill_s", tl_out_real(m->line.fill_ms / 1e3),
			 "sd_s", tl_out_real(m->scale_ms / 1e3), "delayed_from_s", bound_json(m->delayed_ms),
			 "timeout_from_s", bound_json(m->timeout_ms), "groups", (json_int_t)m->humps, "evidence",
			 tl_out_real(m->gain), "verdict", said);
}

/**
 * tl_anomalies_json() - The same for programs
 * @anomalies: what was found
 *
 * Return: {method, mtu_bytes, paths[], labels[]}, the latter a message each; NULL without memory.
 */
json_t *tl_anomalies_json(const struct tl_anomalies *anomalies)
{
	json_t *paths = json_array(), *kinds = json_array();
	size_t i;

	for (i = 0; i < anomalies->messages->paths.n; i++)
		json_array_append_new(paths, path_json(anomalies, i));
	for (i = 0; i < anomalies->messages->n; i++)
		json_array_append_new(kinds, json_string(labels[anomalies->kind[i]]));
	return json_pack("{s:s, s:o, s:o, s:o}", "method", anomalies->method, "mtu_bytes", tl_out_real(anomalies->model[0].mtu),
			 "paths", paths, "labels", kinds);
}
