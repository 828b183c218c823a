// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Metrics as text: OpenMetrics 1.0, or the older format of Prometheus (0.0.4)
 *
 * They differ in the names of counters in comments, in types that the older one does not know, and in the last line.
 * Sums of times are printed from whole nanoseconds, so that no digit is rounded away.
 */
#include "daemon/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct text {
	FILE *to;
	bool open;
	const struct tl_family *family;
};

static void escape(FILE *to, const char *value)
{
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			putc_unlocked('\\', to);
		if (*value == '\n')
			fputs_unlocked("\\n", to);
		else
			putc_unlocked(*value, to);
	}
}

static void head(struct text *text, const struct tl_family *family)
{
	static const char *const types[] = { "counter", "gauge", "histogram", "stateset", "info" };
	const char *suffix = "", *type = types[family->type];

	if (!text->open && family->type == TL_METRIC_COUNTER)
		suffix = "_total";
	if (!text->open && family->type == TL_METRIC_INFO)
		suffix = "_info";
	if (!text->open && family->type >= TL_METRIC_STATESET)
		type = types[TL_METRIC_GAUGE];
	fprintf(text->to, "# TYPE %s%s %s\n", family->name, suffix, type);
	if (text->open && family->unit)
		fprintf(text->to, "# UNIT %s %s\n", family->name, family->unit);
	/* Nothing in it has to be escaped: the two formats would differ. */
	fprintf(text->to, "# HELP %s%s %s\n", family->name, suffix, family->help);
}

static void number(FILE *to, const struct tl_sample *sample)
{
	switch (sample->form) {
	case TL_FORM_WHOLE:
		fprintf(to, "%" PRIu64, sample->exact.n);
		break;
	case TL_FORM_NS:
		fprintf(to, "%" PRIu64 ".%09" PRIu64, sample->exact.n / 1000000000, sample->exact.n % 1000000000);
		break;
	default:
		fprintf(to, "%.16g", sample->number);
	}
}

static int line(const struct tl_sample *sample, void *arg)
{
	struct text *text = arg;
	FILE *to = text->to;
	size_t i;

	if (text->family != sample->family)
		head(text, sample->family);
	text->family = sample->family;
	fputs_unlocked(sample->family->name, to);
	fputs_unlocked(sample->suffix, to);
	for (i = 0; i < sample->labels; i++) {
		putc_unlocked(i ? ',' : '{', to);
		fputs_unlocked(sample->name[i], to);
		fputs_unlocked("=\"", to);
		escape(to, sample->value[i]);
		putc_unlocked('"', to);
	}
	fputs_unlocked(i ? "} " : " ", to);
	number(to, sample);
	putc_unlocked('\n', to);
	return 0;
}

/**
 * tl_metrics_text() - A page for a monitoring host
 * @metrics: metrics
 * @open: OpenMetrics 1.0, else Prometheus 0.0.4
 * @len: set to its length in bytes
 *
 * Return: the page, to be freed by the caller; NULL without memory.
 */
char *tl_metrics_text(const struct tl_metrics *metrics, bool open, size_t *len)
{
	struct text text = { .open = open };
	char *page = NULL;
	int failed;

	text.to = open_memstream(&page, len);
	if (!text.to)
		return NULL;
	tl_metrics_each(metrics, line, &text);
	if (open)
		fputs("# EOF\n", text.to);
	failed = ferror(text.to);
	if (fclose(text.to) || failed) {
		free(page);
		return NULL;
	}
	return page;
}
