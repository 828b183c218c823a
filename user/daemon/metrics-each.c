// SPDX-License-Identifier: GPL-2.0-or-later
/* All figures one after the other, family by family, for whoever exposes or sends them. */
#include "daemon/metrics.h"

struct each {
	struct tl_sample sample;
	const char (*bound)[24];
	tl_sample_fn *fn;
	void *arg;
};

static int emit(struct each *each, const char *suffix, enum tl_metric_form form, union tl_metric_value value)
{
	struct tl_sample *sample = &each->sample;

	sample->suffix = suffix;
	sample->form = form;
	sample->exact = value;
	sample->number = form == TL_FORM_REAL ? value.real : form == TL_FORM_NS ? tl_ns_to_s(value.n) : (double)value.n;
	return each->fn(sample, each->arg);
}

static int emit_whole(struct each *each, const char *suffix, u64 n)
{
	return emit(each, suffix, TL_FORM_WHOLE, (union tl_metric_value){ .n = n });
}

static int histogram(struct each *each, const struct tl_metric_row *row)
{
	const union tl_metric_value *value = &row->value[each->sample.family->first];
	size_t label = each->sample.labels++;
	unsigned int i;
	int code = 0;
	u64 n = 0;

	each->sample.name[label] = "le";
	for (i = 0; i <= TL_METRIC_BOUNDS && !code; i++) {
		n += value[i].n;
		each->sample.value[label] = each->bound[i];
		code = emit_whole(each, "_bucket", n);
	}
	each->sample.labels--;
	code = code ? code : emit_whole(each, "_count", n);
	return code ? code : emit(each, "_sum", TL_FORM_NS, value[TL_METRIC_BOUNDS + 1]);
}

static int states(struct each *each, const struct tl_metric_row *row)
{
	const struct tl_family *family = each->sample.family;
	size_t label = each->sample.labels++;
	unsigned int i;
	int code = 0;

	each->sample.name[label] = family->label;
	for (i = 0; i < family->n && !code; i++) {
		each->sample.value[label] = family->names[i];
		/* Levels count from one: zero is not known. */
		code = emit_whole(each, "", row->value[family->first].real == i + 1.0);
	}
	each->sample.labels--;
	return code;
}

static int columns(struct each *each, const struct tl_metric_row *row)
{
	const struct tl_family *family = each->sample.family;
	const char *suffix = family->type == TL_METRIC_COUNTER ? "_total" : family->type == TL_METRIC_INFO ? "_info" : "";
	size_t label = each->sample.labels;
	unsigned int i;
	int code = 0;

	each->sample.labels += !!family->label;
	for (i = 0; i < family->n && !code; i++) {
		if (!(row->seen >> (family->first + i) & 1))
			continue;
		if (family->label) {
			each->sample.name[label] = family->label;
			each->sample.value[label] = family->names[i];
		}
		code = emit(each, suffix, family->form, row->value[family->first + i]);
	}
	each->sample.labels = label;
	return code;
}

static int row_each(struct each *each, const struct tl_metric_row *row)
{
	const struct tl_family *family = each->sample.family;
	unsigned int i;

	for (i = 0; i < row->labels; i++) {
		each->sample.name[i] = tl_rows_shapes[family->kind].label[i];
		each->sample.value[i] = row->label[i];
	}
	each->sample.labels = row->labels;
	if (family->type == TL_METRIC_HISTOGRAM || family->type == TL_METRIC_STATESET) {
		if (!(row->seen >> family->first & 1))
			return 0;
		return family->type == TL_METRIC_HISTOGRAM ? histogram(each, row) : states(each, row);
	}
	return columns(each, row);
}

/**
 * tl_metrics_each() - Hand out each figure
 * @metrics: metrics
 * @fn: takes it; the sample is its until it returns
 * @arg: for it
 *
 * Samples of a family follow each other, and within it those of a row.
 *
 * Return: 0, or what @fn returned when it did not go on.
 */
int tl_metrics_each(const struct tl_metrics *metrics, tl_sample_fn *fn, void *arg)
{
	struct each each = { .sample.time_ns = metrics->time_ns, .bound = metrics->bound, .fn = fn, .arg = arg };
	const struct tl_metric_rows *rows;
	size_t i, k;
	int code = 0;

	for (i = 0; i < tl_families_n && !code; i++) {
		each.sample.family = &tl_families[i];
		rows = &metrics->rows[tl_families[i].kind];
		for (k = 0; k < rows->n && !code; k++)
			code = row_each(&each, rows->row[k]);
	}
	return code;
}
