// SPDX-License-Identifier: GPL-2.0-or-later
/* Where files and classes come from: rows, JSON, functions for probes; and why, feature by feature. */
#include "origin-out.h"

#include "error.h"
#include "origin-features.h"
#include "out.h"
#include "text.h"

#include <csv.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *shown(const struct tl_origin_row *row)
{
	return row->shown ? row->shown : row->path;
}

static void field_write(const char *text, FILE *to)
{
	if (strpbrk(text, ",;\t\"\r\n"))
		csv_fwrite(to, text, strlen(text));
	else
		fputs(text, to);
}

/**
 * tl_origins_write() - path,label,posterior, and by what if there are patterns
 * @origins: what was found
 * @to: where
 */
void tl_origins_write(const struct tl_origins *origins, FILE *to)
{
	bool by = origins->origin->patterns > 0;
	size_t i;

	fprintf(to, "path,label,posterior%s\n", by ? ",by" : "");
	for (i = 0; i < origins->rows->n && !ferror(to); i++) {
		const struct tl_origin_verdict *v = &origins->verdict[i];

		field_write(shown(&origins->rows->row[i]), to);
		fprintf(to, ",%s,%.6f", tl_origin_labels[v->label], v->posterior);
		if (by) {
			putc(',', to);
			field_write(v->pattern ? v->pattern : "model", to);
		}
		putc('\n', to);
	}
}

static json_t *posteriors_json(const struct tl_bayes_out *bayes)
{
	json_t *object = json_object();
	size_t c;

	for (c = 0; c < TL_ORIGIN_LABELS; c++)
		json_object_set_new(object, tl_origin_labels[c], tl_out_real(bayes->posterior[c]));
	return object;
}

static json_t *verdict_json(const struct tl_origin_row *row, const struct tl_origin_verdict *v)
{
	return json_pack("{s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:b}", "path", tl_out_name(shown(row)), "kind",
			 v->kind < TL_ORIGIN_KINDS ? tl_origin_kinds[v->kind] : "elf", "label", tl_origin_labels[v->label], "likeliest",
			 tl_origin_labels[v->likeliest], "posterior", tl_out_real(v->posterior), "posteriors",
			 posteriors_json(&v->bayes), "pattern", v->pattern ? tl_out_name(v->pattern) : json_null(), "probed", tl_origin_probed(v));
}

/**
 * tl_origins_json() - The same for programs
 * @origins: what was found
 *
 * Return: {sure, model, counts {label}, files[]}; NULL without memory.
 */
json_t *tl_origins_json(const struct tl_origins *origins)
{
	json_int_t count[TL_ORIGIN_LABELS + 1] = { 0 };
	json_t *files = json_array(), *counts = json_object();
	int failed = 0;
	size_t i;

	for (i = 0; i < origins->rows->n; i++) {
		failed |= json_array_append_new(files, verdict_json(&origins->rows->row[i], &origins->verdict[i]));
		count[origins->verdict[i].label]++;
	}
	for (i = 0; i <= TL_ORIGIN_LABELS; i++)
		failed |= json_object_set_new(counts, tl_origin_labels[i], json_integer(count[i]));
	if (failed) {
		json_decref(files);
		json_decref(counts);
		return NULL;
	}
	return json_pack("{s:o, s:o, s:o}", "sure", tl_out_real(origins->origin->sure), "counts", counts, "files", files);
}

/* ---- functions --------------------------------------------------------------------------- */

struct listing {
	const char *path;
	json_t *array; /* NULL: rows to standard output */
};

static int function_tell(void *arg, const char *name, uint64_t offset)
{
	const struct listing *l = arg;

	if (l->array)
		return json_array_append_new(l->array, json_pack("{s:o, s:o, s:I}", "path", tl_out_name(l->path), "function",
								 tl_out_name(name), "offset", (json_int_t)offset));
	field_write(l->path, stdout);
	putchar(',');
	field_write(name, stdout);
	printf(",0x%" PRIx64 "\n", offset);
	return 0;
}

/**
 * tl_origins_functions() - Functions of the user's objects: what method probes are put on
 * @origins: what was found
 * @json: as JSON
 * @err: the sentence if it fails
 *
 * Objects that are not here are left out, as they cannot run here; so are scripts and classes.
 *
 * Return: 0 or a negative errno.
 */
int tl_origins_functions(const struct tl_origins *origins, bool json, struct tl_error *err)
{
	struct listing listing = { .array = json ? json_array() : NULL };
	struct tl_error ignored;
	size_t i;

	if (!json)
		puts("path,function,offset");
	for (i = 0; i < origins->rows->n; i++) {
		const struct tl_origin_verdict *v = &origins->verdict[i];

		listing.path = origins->rows->row[i].path;
		if (!tl_origin_probed(v) || v->kind == TL_ORIGIN_SCRIPT || tl_origin_family(v->kind) == TL_ORIGIN_JAVA)
			continue;
		if (tl_origin_functions(origins->origin->root, listing.path, function_tell, &listing, &ignored))
			tl_out_error("%s", ignored.text);
	}
	if (json && tl_out_json(json_pack("{s:o}", "functions", listing.array)))
		return tl_error_no_memory(err);
	return 0;
}

/* ---- why --------------------------------------------------------------------------------- */

static void texts(const struct tl_origin_words *words, size_t feature, char *text, size_t room)
{
	size_t i, at = 0;

	*text = '\0';
	for (i = 0; i < words->n; i++)
		if (words->word[i].feature == feature && at + strlen(words->word[i].text) + 4 < room)
			at += (size_t)snprintf(text + at, room - at, "%s%s", at ? ", " : "", words->word[i].text);
}

static void part_add(struct tl_grid *grid, const struct tl_origin *origin, const struct tl_bayes_out *bayes, int family,
		     const double *part)
{
	size_t c;

	for (c = 0; c < TL_ORIGIN_LABELS; c++)
		if (bayes->known && origin->model.family[family].examples[c])
			tl_grid_add(grid, "%.2f", part[c]);
		else
			tl_grid_add(grid, "-");
}

static void row_add(struct tl_grid *grid, const char *name, const char *value)
{
	char *utf8 = tl_text_utf8(value, strlen(value)), *text = utf8 ? tl_text_printable(utf8) : NULL;

	tl_grid_add(grid, "%s", name);
	tl_grid_add(grid, "%s", text && *text ? text : "not known");
	free(utf8);
	free(text);
}

/* The feature that speaks most for one label and against the next one. */
static const char *most(const struct tl_origin_verdict *v, int family, size_t features)
{
	size_t c, f, second = v->likeliest ? 0 : 1, best = 0;
	const struct tl_bayes_out *b = &v->bayes;

	for (c = 0; c < TL_ORIGIN_LABELS; c++)
		if (c != v->likeliest && b->posterior[c] > b->posterior[second])
			second = c;
	for (f = 1; f < features; f++)
		if (b->part[f][v->likeliest] - b->part[f][second] > b->part[best][v->likeliest] - b->part[best][second])
			best = f;
	return tl_origin_features[family][best];
}

static void sentence_print(const struct tl_origin *origin, const struct tl_origin_row *row, const struct tl_origin_verdict *v,
			   int family, FILE *to)
{
	tl_text_print(to, shown(row), 0);
	if (v->pattern)
		fprintf(to, " is %s, by pattern \"%s\".\n", tl_origin_labels[v->label], v->pattern);
	else if (!v->bayes.known)
		fprintf(to, ": the model has no examples of two labels of such files, so nothing is known.\n");
	else if (v->label == TL_ORIGIN_UNSURE)
		fprintf(to, " is unsure: %s is likeliest, with %.3f, less than %g.\n", tl_origin_labels[v->likeliest], v->posterior,
			origin->sure);
	else
		fprintf(to, " is %s, with %.3f; most by its %s.\n", tl_origin_labels[v->label], v->posterior,
			most(v, family, origin->model.family[family].features));
}

static int words_of(const struct tl_origin *origin, const struct tl_origin_row *row, struct tl_origin_words *words)
{
	return tl_origin_words(&row->item, origin->root, origin->packages, &origin->model.asked, words);
}

/**
 * tl_origin_explain_print() - Why something is what it is: a line a feature, and a sentence
 * @origin: what was asked
 * @row: about what
 * @verdict: the answer
 * @to: where
 */
void tl_origin_explain_print(const struct tl_origin *origin, const struct tl_origin_row *row,
			     const struct tl_origin_verdict *verdict, FILE *to)
{
	struct tl_grid *grid = tl_grid_new("feature|value|>user|>system|>third-party");
	int family = tl_origin_family(verdict->kind);
	const struct tl_bayes_out *b = &verdict->bayes;
	double sum[TL_BAYES_CLASSES];
	struct tl_origin_words words;
	char text[600];
	size_t f, c;

	if (!grid || words_of(origin, row, &words))
		goto end;
	row_add(grid, "examples", "how many");
	part_add(grid, origin, b, family, b->prior);
	memcpy(sum, b->prior, sizeof(sum));
	for (f = 0; f < origin->model.family[family].features; f++) {
		texts(&words, f, text, sizeof(text));
		row_add(grid, tl_origin_features[family][f], text);
		part_add(grid, origin, b, family, b->part[f]);
		for (c = 0; c < TL_ORIGIN_LABELS; c++)
			sum[c] += b->part[f][c];
	}
	row_add(grid, "together", "log likelihood");
	part_add(grid, origin, b, family, sum);
	tl_grid_print(grid, to, 0, 0);
	fprintf(to, "posterior  ");
	for (c = 0; c < TL_ORIGIN_LABELS; c++)
		fprintf(to, "%s %.6f%s", tl_origin_labels[c], b->posterior[c], c + 1 < TL_ORIGIN_LABELS ? ", " : "\n");
end:
	tl_grid_free(grid);
	sentence_print(origin, row, verdict, family, to);
}

static json_t *part_json(const double *part)
{
	json_t *object = json_object();
	size_t c;

	for (c = 0; c < TL_ORIGIN_LABELS; c++)
		json_object_set_new(object, tl_origin_labels[c], tl_out_real(part[c]));
	return object;
}

/**
 * tl_origin_explain_json() - The same for programs
 * @origin: what was asked
 * @row: about what
 * @verdict: the answer
 *
 * Return: as of a file in tl_origins_json(), with prior {}, features[] {feature, values[], log_likelihood {}}.
 */
json_t *tl_origin_explain_json(const struct tl_origin *origin, const struct tl_origin_row *row,
			       const struct tl_origin_verdict *verdict)
{
	int family = tl_origin_family(verdict->kind);
	json_t *object = verdict_json(row, verdict), *features = json_array(), *values;
	struct tl_origin_words words;
	size_t f, i;

	if (!object || words_of(origin, row, &words)) {
		json_decref(features);
		json_decref(object);
		return NULL;
	}
	for (f = 0; f < origin->model.family[family].features; f++) {
		values = json_array();
		for (i = 0; i < words.n; i++)
			if (words.word[i].feature == f)
				json_array_append_new(values, tl_out_name(words.word[i].text));
		json_array_append_new(features, json_pack("{s:s, s:o, s:o}", "feature", tl_origin_features[family][f], "values",
							  values, "log_likelihood", part_json(verdict->bayes.part[f])));
	}
	json_object_set_new(object, "family", json_string(tl_origin_families[family]));
	json_object_set_new(object, "prior", part_json(verdict->bayes.prior));
	json_object_set_new(object, "features", features);
	return object;
}

/* ---- what was learned -------------------------------------------------------------------- */

static size_t values_of(const struct tl_bayes *bayes)
{
	size_t f, n = 0;

	for (f = 0; f < bayes->features; f++)
		n += bayes->feature[f].values.n;
	return n;
}

static const char *verdict_of(const struct tl_bayes *bayes)
{
	size_t c, known = 0;

	for (c = 0; c < TL_ORIGIN_LABELS; c++)
		known += bayes->examples[c] > 0;
	return known == TL_ORIGIN_LABELS ? "ok" : known == 2 ? "a label without examples is never answered" :
							     "fewer than two labels: all is unsure";
}

/**
 * tl_origin_model_print() - A line a family
 * @model: what was learned
 * @to: where
 */
void tl_origin_model_print(const struct tl_origin_model *model, FILE *to)
{
	struct tl_grid *grid = tl_grid_new("files|>user|>system|>third-party|>features|>values|verdict");
	int family, c;

	for (family = 0; grid && family < TL_ORIGIN_FAMILIES; family++) {
		const struct tl_bayes *bayes = &model->family[family];

		tl_grid_add(grid, "%s", tl_origin_families[family]);
		for (c = 0; c < TL_ORIGIN_LABELS; c++)
			tl_grid_add(grid, "%" PRIu64, bayes->examples[c]);
		tl_grid_add(grid, "%zu", bayes->features);
		tl_grid_add(grid, "%zu", values_of(bayes));
		tl_grid_add(grid, "%s", verdict_of(bayes));
	}
	if (grid)
		tl_grid_print(grid, to, 0, 0);
	tl_grid_free(grid);
}

/**
 * tl_origin_model_summary() - The same for programs
 * @model: what was learned
 *
 * Return: {rows, command, families {name: {examples {}, features, values, verdict}}}; NULL without memory.
 */
json_t *tl_origin_model_summary(const struct tl_origin_model *model)
{
	json_t *families = json_object(), *examples;
	int family, c;

	for (family = 0; family < TL_ORIGIN_FAMILIES; family++) {
		const struct tl_bayes *bayes = &model->family[family];

		examples = json_object();
		for (c = 0; c < TL_ORIGIN_LABELS; c++)
			json_object_set_new(examples, tl_origin_labels[c], json_integer((json_int_t)bayes->examples[c]));
		json_object_set_new(families, tl_origin_families[family],
				    json_pack("{s:o, s:I, s:I, s:s}", "examples", examples, "features",
					      (json_int_t)bayes->features, "values", (json_int_t)values_of(bayes), "verdict",
					      verdict_of(bayes)));
	}
	return json_pack("{s:I, s:o, s:o}", "rows", (json_int_t)model->rows, "command",
			 tl_out_name(model->command ? model->command : ""), "families", families);
}
