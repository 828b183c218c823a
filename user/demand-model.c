// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Demands as a file, to predict with later
 *
 * It has the coefficients as they were computed, also those of classes that cannot be
 * told apart: their sum is right as long as they keep coming together.
 */
#include "demand-model.h"

#include "error.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const waiting_names[] = {
	[TL_WAITING_NONE] = "none",
	[TL_WAITING_QUEUE] = "queue",
	[TL_WAITING_SLOWDOWN] = "slowdown",
};

static const char *const verdict_names[] = {
	[TL_VERDICT_OK] = "ok",
	[TL_VERDICT_UNCERTAIN] = "uncertain",
	[TL_VERDICT_AT_MOST] = "at most",
	[TL_VERDICT_CHANCE] = "chance",
	[TL_VERDICT_ZERO] = "zero",
	[TL_VERDICT_NEGATIVE] = "negative",
	[TL_VERDICT_CONTRADICTED] = "contradicted",
	[TL_VERDICT_INSEPARABLE] = "inseparable",
	[TL_VERDICT_ABSENT] = "absent",
};

static json_t *names_json(const struct tl_names *names)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < names->n; i++)
		json_array_append_new(list, json_string(names->name[i]));
	return list;
}

static json_t *doubles_json(const double *values, size_t n)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(list, json_real(values[i]));
	return list;
}

static json_t *index_json(size_t index)
{
	return index == TL_NOWHERE ? json_null() : json_integer((json_int_t)index);
}

static json_t *target_json(const struct tl_demand *demand, const struct tl_target *target)
{
	size_t p = demand->windows->classes.n + 1, i;
	json_t *values = json_array(), *absent = json_array(), *verdicts = json_array();

	for (i = 0; i < p; i++) {
		enum tl_verdict verdict = target->coefficient[i].verdict;

		json_array_append_new(values, json_real(target->coefficient[i].value));
		json_array_append_new(absent, json_boolean(verdict == TL_VERDICT_ABSENT));
		json_array_append_new(verdicts, json_string(verdict_names[verdict]));
	}
	return json_pack("{s:o, s:o, s:s, s:s, s:b, s:o, s:o, s:o, s:f, s:f, s:o}",
			 "tier", index_json(target->tier),
			 "resource", index_json(target->resource),
			 "method", tl_method_names[target->method],
			 "waiting", waiting_names[target->waiting],
			 "background", target->background,
			 "coefficients", values, "absent", absent, "verdicts", verdicts,
			 "residual_sd", target->residual_sd, "degrees", target->degrees,
			 "factors", doubles_json(target->factor,
						 demand->windows->resources.n + 1));
}

/**
 * tl_model_json() - What is needed to predict
 * @demand: demands
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_model_json(const struct tl_demand *demand)
{
	size_t p = demand->windows->classes.n, i;
	json_t *targets = json_array();

	for (i = 0; i < demand->n_targets; i++)
		if (!demand->target[i].unfit)
			json_array_append_new(targets,
					      target_json(demand, &demand->target[i]));
	return json_pack("{s:i, s:I, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "format", TL_MODEL_FORMAT, "windows", (json_int_t)demand->n_used,
			 "classes", names_json(&demand->windows->classes),
			 "tiers", names_json(&demand->windows->tiers),
			 "resources", names_json(&demand->windows->resources),
			 "spread", doubles_json(demand->counts.spread, (p + 1) * (p + 1)),
			 "spread_own", doubles_json(demand->own.spread, p * p),
			 "targets", targets);
}

struct parser {
	const char *file;
	struct tl_error *err;
	struct tl_model *model;
};

static int fault(const struct parser *p, const char *key, const char *must)
{
	return tl_error_set(p->err, -EINVAL, "%s: key \"%s\" must be %s: give a file that "
			    "tierlens demand fit --output wrote", p->file, key, must);
}

static int names_read(const struct parser *p, const json_t *object, const char *key,
		      struct tl_names *names)
{
	const json_t *list = json_object_get(object, key), *name;
	size_t i;

	if (!json_is_array(list))
		return fault(p, key, "a list of names");
	json_array_foreach(list, i, name) {
		if (!json_is_string(name))
			return fault(p, key, "a list of names");
		if (tl_names_index(names, json_string_value(name)) == TL_NOWHERE)
			return tl_error_no_memory(p->err);
	}
	return names->n == json_array_size(list) ? 0 : fault(p, key, "without repetition");
}

static int doubles_read(const struct parser *p, const json_t *object, const char *key,
			double **values, size_t n)
{
	const json_t *list = json_object_get(object, key), *value;
	size_t i;

	if (!json_is_array(list) || json_array_size(list) != n)
		return fault(p, key, "a list of as many numbers as the classes make");
	*values = calloc(n + 1, sizeof(**values));
	if (!*values)
		return tl_error_no_memory(p->err);
	json_array_foreach(list, i, value) {
		if (!json_is_number(value))
			return fault(p, key, "a list of numbers");
		(*values)[i] = json_number_value(value);
	}
	return 0;
}

static int index_read(const struct parser *p, const json_t *object, const char *key,
		      size_t n, size_t *index)
{
	const json_t *value = json_object_get(object, key);

	*index = TL_NOWHERE;
	if (json_is_null(value))
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
	    (size_t)json_integer_value(value) >= n)
		return fault(p, key, "the number of a name, or null");
	*index = (size_t)json_integer_value(value);
	return 0;
}

static int word_read(const struct parser *p, const json_t *object, const char *key,
		     const char *const *words, size_t n, size_t *index)
{
	const char *word = json_string_value(json_object_get(object, key));

	for (*index = 0; word && *index < n; (*index)++)
		if (!strcmp(words[*index], word))
			return 0;
	return fault(p, key, "one that this tierlens knows");
}

/* Of files that have none, only who never came is known. */
static int verdict_read(const struct parser *p, const json_t *object, size_t i,
			enum tl_verdict *verdict)
{
	const json_t *verdicts = json_object_get(object, "verdicts");
	const char *word = json_string_value(json_array_get(verdicts, i));
	size_t n;

	*verdict = json_is_true(json_array_get(json_object_get(object, "absent"), i)) ?
		   TL_VERDICT_ABSENT : TL_VERDICT_OK;
	if (!verdicts)
		return 0;
	for (n = 0; word && n <= TL_VERDICT_ABSENT; n++)
		if (!strcmp(verdict_names[n], word)) {
			*verdict = (enum tl_verdict)n;
			return 0;
		}
	return fault(p, "verdicts", "a list of what this tierlens says of demands");
}

static int coefficients_read(const struct parser *p, const json_t *object,
			     struct tl_target *target)
{
	size_t n = p->model->names.classes.n + 1, i;
	double *values = NULL;
	int code = doubles_read(p, object, "coefficients", &values, n);

	target->coefficient = calloc(n, sizeof(*target->coefficient));
	if (!code && !target->coefficient)
		code = tl_error_no_memory(p->err);
	for (i = 0; !code && i < n; i++) {
		target->coefficient[i].value = values[i];
		code = verdict_read(p, object, i, &target->coefficient[i].verdict);
	}
	free(values);
	return code;
}

static int target_read(const struct parser *p, const json_t *object)
{
	struct tl_model *model = p->model;
	struct tl_target *target = &model->demand.target[model->demand.n_targets++];
	const char *needs[] = { "residual_sd", "degrees" };
	size_t i, method, waiting;
	int code;

	for (i = 0; i < 2; i++)
		if (!json_is_number(json_object_get(object, needs[i])))
			return fault(p, needs[i], "a number");
	code = word_read(p, object, "method", tl_method_names, TL_METHODS, &method);
	code = code ? code : word_read(p, object, "waiting", waiting_names,
				       TL_WAITING_SLOWDOWN + 1, &waiting);
	if (code)
		return code;
	target->method = (enum tl_method)method;
	target->waiting = (enum tl_waiting)waiting;
	target->background = json_is_true(json_object_get(object, "background"));
	target->residual_sd = json_number_value(json_object_get(object, needs[0]));
	target->degrees = json_number_value(json_object_get(object, needs[1]));
	code = index_read(p, object, "tier", model->names.tiers.n, &target->tier);
	code = code ? code : index_read(p, object, "resource", model->names.resources.n,
					&target->resource);
	if (!code && target->tier == TL_NOWHERE && target->resource == TL_NOWHERE)
		code = fault(p, "tier", "there where no resource is");
	code = code ? code : coefficients_read(p, object, target);
	return code ? code : doubles_read(p, object, "factors", &target->factor,
					  model->names.resources.n + 1);
}

static int read_object(const struct parser *p, const json_t *object)
{
	struct tl_model *m = p->model;
	const json_t *targets = json_object_get(object, "targets"), *target;
	size_t i, n;
	int code;

	if (json_integer_value(json_object_get(object, "format")) != TL_MODEL_FORMAT)
		return fault(p, "format", "1");
	if (!json_is_array(targets))
		return fault(p, "targets", "a list");
	code = names_read(p, object, "classes", &m->names.classes);
	code = code ? code : names_read(p, object, "tiers", &m->names.tiers);
	code = code ? code : names_read(p, object, "resources", &m->names.resources);
	if (code)
		return code;
	n = m->names.classes.n;
	m->demand.windows = &m->names;
	m->demand.n_used = (size_t)json_integer_value(json_object_get(object, "windows"));
	if (!n || !m->demand.n_used)
		return fault(p, "classes", "there, and \"windows\" above 0");
	m->demand.counts.classes = m->demand.own.classes = m->demand.own.columns = n;
	m->demand.counts.columns = n + 1;
	code = doubles_read(p, object, "spread", &m->demand.counts.spread, (n + 1) * (n + 1));
	code = code ? code : doubles_read(p, object, "spread_own", &m->demand.own.spread,
					  n * n);
	m->demand.target = calloc(json_array_size(targets) + 1, sizeof(*m->demand.target));
	if (!m->demand.target)
		return tl_error_no_memory(p->err);
	json_array_foreach(targets, i, target)
		code = code ? code : target_read(p, target);
	return code;
}

/**
 * tl_model_read() - Read demands from a file
 * @model: filled in, to be given to tl_model_free(), after an error too
 * @file: its name
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_model_read(struct tl_model *model, const char *file, struct tl_error *err)
{
	struct parser p = { file, err, model };
	json_error_t where;
	json_t *object, *inner;
	int code;

	memset(model, 0, sizeof(*model));
	object = json_load_file(file, JSON_REJECT_DUPLICATES, &where);
	if (!object && where.line < 0)
		return tl_error_set(err, -EIO, "%s: cannot read (%s): give a file that tierlens "
				    "demand fit --output wrote", file, where.text);
	if (!object)
		return tl_error_set(err, -EINVAL, "%s:%d:%d: no JSON (%s): give a file that "
				    "tierlens demand fit --output wrote", file, where.line,
				    where.column, where.text);
	inner = json_object_get(object, "model");
	code = json_is_object(inner) ? read_object(&p, inner) :
				       fault(&p, "model", "there");
	json_decref(object);
	return code;
}

/**
 * tl_model_free() - Free what tl_model_read() allocated
 * @model: its result
 */
void tl_model_free(struct tl_model *model)
{
	tl_demand_free(&model->demand);
	tl_windows_free(&model->names);
}
