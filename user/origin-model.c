// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The model that tells where code comes from, as a file: JSON, with a check over what was counted
 *
 * Layout in Documentation/formats.md. A file of another version, of other features or one that was
 * damaged is refused: it would be wrong without anybody seeing it.
 */
#include "error.h"
#include "hist.h"
#include "origin-features.h"
#include "out.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERSION 1
#define NAME "origin-model.json"

/**
 * tl_origin_model_init() - Begin without an example
 * @model: set up; to be freed
 * @smooth: as of tl_bayes_init()
 *
 * Return: 0 or -EINVAL.
 */
int tl_origin_model_init(struct tl_origin_model *model, double smooth)
{
	int family, code = 0;
	size_t n;

	*model = (struct tl_origin_model){ .rows = 0 };
	for (family = 0; !code && family < TL_ORIGIN_FAMILIES; family++) {
		for (n = 0; n < TL_ORIGIN_FEATURES && tl_origin_features[family][n];)
			n++;
		code = tl_bayes_init(&model->family[family], TL_ORIGIN_LABELS, n, smooth);
	}
	return code;
}

/**
 * tl_origin_model_free() - Give back what a model took
 * @model: set up, or all zero
 */
void tl_origin_model_free(struct tl_origin_model *model)
{
	int family;

	for (family = 0; family < TL_ORIGIN_FAMILIES; family++)
		tl_bayes_free(&model->family[family]);
	tl_ids_free(&model->asked);
	free(model->command);
	*model = (struct tl_origin_model){ .rows = 0 };
}

/* ---- writing ----------------------------------------------------------------------------- */

static json_t *counts_json(const uint64_t *count)
{
	json_t *array = json_array();
	size_t c;

	for (c = 0; c < TL_ORIGIN_LABELS; c++)
		json_array_append_new(array, json_integer((json_int_t)count[c]));
	return array;
}

static json_t *feature_json(const struct tl_bayes_feature *f, double weight)
{
	json_t *values = json_object();
	size_t i, len;

	for (i = 0; i < f->values.n; i++)
		json_object_set_new_nocheck(values, tl_ids_key(&f->values, (uint32_t)i, &len), counts_json(f->count[i]));
	return json_pack("{s:f, s:o, s:o}", "weight", weight, "other", counts_json(f->other), "values", values);
}

static json_t *family_json(const struct tl_bayes *bayes, int family)
{
	json_t *features = json_object();
	size_t f;

	for (f = 0; f < bayes->features; f++)
		json_object_set_new(features, tl_origin_features[family][f], feature_json(&bayes->feature[f], bayes->weight[f]));
	return json_pack("{s:f, s:f, s:o, s:o}", "smooth", bayes->smooth, "examples_weight", bayes->weight[bayes->features],
			 "examples", counts_json(bayes->examples), "features", features);
}

static json_t *asked_json(const struct tl_ids *asked)
{
	json_t *array = json_array();
	size_t i, len;

	for (i = 0; i < asked->n; i++)
		json_array_append_new(array, json_string_nocheck(tl_ids_key(asked, (uint32_t)i, &len)));
	return array;
}

/* FNV-1a over the families as they are written without a space. */
static int check_of(json_t *families, char *text, size_t room)
{
	char *dump = json_dumps(families, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17)), *at;
	uint64_t hash = 0xcbf29ce484222325ULL;

	if (!dump)
		return -ENOMEM;
	for (at = dump; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 0x100000001b3ULL;
	free(dump);
	snprintf(text, room, "%016" PRIx64, hash);
	return 0;
}

static json_t *model_json(const struct tl_origin_model *model)
{
	json_t *families = json_object(), *whole = NULL;
	char check[32];
	int family;

	for (family = 0; family < TL_ORIGIN_FAMILIES; family++)
		json_object_set_new(families, tl_origin_families[family], family_json(&model->family[family], family));
	json_object_set_new(json_object_get(families, tl_origin_families[TL_ORIGIN_NATIVE]), "asked", asked_json(&model->asked));
	if (!check_of(families, check, sizeof(check)))
		whole = json_pack("{s:i, s:[s,s,s], s:I, s:o, s:s, s:O}", "tierlens_origin", VERSION, "labels",
				  tl_origin_labels[0], tl_origin_labels[1], tl_origin_labels[2], "rows",
				  (json_int_t)model->rows, "command", tl_out_name(model->command ? model->command : ""),
				  "check", check, "families", families);
	json_decref(families);
	return whole;
}

/**
 * tl_origin_model_write() - Write a model whole or not at all
 * @model: it
 * @file: its name
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_origin_model_write(const struct tl_origin_model *model, const char *file, struct tl_error *err)
{
	json_t *json = model_json(model);
	char *part;
	FILE *to;
	int code;

	if (!json)
		return tl_error_no_memory(err);
	to = tl_out_begin(file, &part, err);
	if (!to) {
		json_decref(json);
		return -EIO;
	}
	code = json_dumpf(json, to, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17)) && !ferror(to) ?
		       tl_error_no_memory(err) : 0;
	putc('\n', to);
	json_decref(json);
	return tl_out_end(to, file, part, code, err);
}

/* ---- reading ----------------------------------------------------------------------------- */

struct reader {
	const char *file;
	struct tl_error *err;
};

static int damaged(const struct reader *r, const char *what)
{
	return tl_error_set(r->err, -EINVAL, "%s: %s: train the model anew, or get it from where it was whole", r->file, what);
}

static int counts_read(const struct reader *r, json_t *array, uint64_t *count)
{
	json_t *number;
	size_t c;

	if (json_array_size(array) != TL_ORIGIN_LABELS)
		return damaged(r, "a count that is none of three labels");
	json_array_foreach(array, c, number) {
		if (!json_is_integer(number) || json_integer_value(number) < 0 ||
		    (uint64_t)json_integer_value(number) > TL_BAYES_COUNT_MOST)
			return damaged(r, "a count that is no number from 0 to 1e12");
		count[c] = (uint64_t)json_integer_value(number);
	}
	return 0;
}

static int value_read(const struct reader *r, json_t *counts, struct tl_bayes *bayes, size_t feature, const char *value)
{
	uint64_t count[TL_BAYES_CLASSES] = { 0 };
	int code = counts_read(r, counts, count);

	code = code ? code : tl_bayes_set(bayes, feature, value, count);
	if (code == -ENOMEM)
		return tl_error_no_memory(r->err);
	return code == -EEXIST ? damaged(r, "a value that is there twice") : code;
}

static int weight_read(const struct reader *r, json_t *number, double *weight)
{
	*weight = json_number_value(number);
	if (!json_is_number(number) || !(*weight >= 0 && *weight <= 1e3))
		return damaged(r, "a weight that is no number from 0 to 1000");
	return 0;
}

static int feature_read(const struct reader *r, json_t *json, struct tl_bayes *bayes, size_t feature)
{
	json_t *values = json_object_get(json, "values"), *counts;
	const char *value;
	int code;

	if (!json_is_object(values))
		return damaged(r, "a feature without values");
	code = weight_read(r, json_object_get(json, "weight"), &bayes->weight[feature]);
	code = code ? code : value_read(r, json_object_get(json, "other"), bayes, feature, NULL);
	json_object_foreach(values, value, counts) {
		if (code)
			break;
		code = value_read(r, counts, bayes, feature, value);
	}
	return code;
}

static int family_read(const struct reader *r, json_t *json, struct tl_bayes *bayes, int family)
{
	json_t *features = json_object_get(json, "features"), *smooth = json_object_get(json, "smooth");
	int code = counts_read(r, json_object_get(json, "examples"), bayes->examples);
	size_t f;

	code = code ? code : weight_read(r, json_object_get(json, "examples_weight"), &bayes->weight[bayes->features]);
	if (code)
		return code;
	bayes->smooth = json_number_value(smooth);
	if (!(bayes->smooth > 0 && bayes->smooth <= 1e6))
		return damaged(r, "smooth is no number above 0");
	if (json_object_size(features) != bayes->features)
		return damaged(r, "other features than this program looks for");
	for (f = 0; !code && f < bayes->features; f++) {
		json = json_object_get(features, tl_origin_features[family][f]);
		code = json ? feature_read(r, json, bayes, f) : damaged(r, "other features than this program looks for");
	}
	return code;
}

static int asked_read(const struct reader *r, json_t *array, struct tl_ids *asked)
{
	const char *name;
	json_t *text;
	uint32_t id;
	size_t i;

	if (!json_is_array(array))
		return damaged(r, "it does not tell which libraries are asked for");
	json_array_foreach(array, i, text) {
		name = json_string_value(text);
		if (!name)
			return damaged(r, "a library whose name is no text");
		if (tl_ids_of(asked, name, strlen(name), &id))
			return tl_error_no_memory(r->err);
	}
	return 0;
}

static int head_read(const struct reader *r, json_t *json)
{
	const char *check = json_string_value(json_object_get(json, "check"));
	json_t *version = json_object_get(json, "tierlens_origin"), *families = json_object_get(json, "families");
	char found[32];

	if (!json_is_integer(version))
		return tl_error_set(r->err, -EINVAL, "%s: no model of tierlens origin: make one by tierlens origin train", r->file);
	if (json_integer_value(version) != VERSION)
		return tl_error_set(r->err, -EINVAL, "%s: a model of version %lld, this program knows %d: train it anew", r->file,
				    (long long)json_integer_value(version), VERSION);
	if (!check || !json_is_object(families))
		return damaged(r, "a part of the model is missing");
	if (check_of(families, found, sizeof(found)))
		return tl_error_no_memory(r->err);
	return strcmp(check, found) ? damaged(r, "the model is damaged, its check is wrong") : 0;
}

static int labels_read(const struct reader *r, json_t *labels)
{
	const char *label;
	size_t i;

	for (i = 0; i < TL_ORIGIN_LABELS; i++) {
		label = json_string_value(json_array_get(labels, i));
		if (!label || strcmp(label, tl_origin_labels[i]))
			return damaged(r, "its labels are not user, system, third-party");
	}
	return 0;
}

static int json_read(const struct reader *r, json_t *json, struct tl_origin_model *model)
{
	json_t *families = json_object_get(json, "families"), *of;
	const char *command = json_string_value(json_object_get(json, "command"));
	int family, code = head_read(r, json);

	code = code ? code : labels_read(r, json_object_get(json, "labels"));
	for (family = 0; !code && family < TL_ORIGIN_FAMILIES; family++) {
		of = json_object_get(families, tl_origin_families[family]);
		code = of ? family_read(r, of, &model->family[family], family) : damaged(r, "a family is missing");
	}
	if (!code)
		code = asked_read(r, json_object_get(json_object_get(families, tl_origin_families[TL_ORIGIN_NATIVE]), "asked"),
				  &model->asked);
	if (code)
		return code;
	model->rows = (uint64_t)json_integer_value(json_object_get(json, "rows"));
	model->command = strdup(command ? command : "");
	return model->command ? 0 : tl_error_no_memory(r->err);
}

/**
 * tl_origin_model_read() - Read a model
 * @model: set up; to be freed, however it ends
 * @file: its name
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_origin_model_read(struct tl_origin_model *model, const char *file, struct tl_error *err)
{
	struct reader r = { file, err };
	FILE *from = fopen(file, "re");
	json_error_t fault;
	json_t *json;
	int code;

	tl_origin_model_init(model, 1);
	if (!from)
		return tl_error_set(err, -errno, "%s: cannot read the model (%s): make one by tierlens origin train", file,
				    strerror(errno));
	json = json_loadf(from, JSON_REJECT_DUPLICATES, &fault);
	fclose(from);
	if (!json)
		return tl_error_set(err, -EINVAL, "%s:%d: column %d: %s: this is no model, or a part of one", file, fault.line,
				    fault.column, fault.text);
	code = json_read(&r, json, model);
	json_decref(json);
	return code;
}

/**
 * tl_origin_model_shipped() - Where the model is that came with the program
 *
 * Installed it is below share/ beside the program's bin/, in a build tree among the sources.
 *
 * Return: its name, to be freed; NULL if it is not there, or without memory.
 */
char *tl_origin_model_shipped(void)
{
	static const char *const places[] = { "/../share/tierlens/" NAME, "/../user/" NAME, "/../../user/" NAME };
	char own[4096], *name;
	ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);
	size_t i;

	if (len <= 0)
		return NULL;
	own[len] = '\0';
	*strrchr(own, '/') = '\0';
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		if (asprintf(&name, "%s%s", own, places[i]) < 0)
			return NULL;
		if (!access(name, R_OK))
			return name;
		free(name);
	}
	return NULL;
}
