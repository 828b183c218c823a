// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How alike a record is to others of the same work
 *
 *	diff = |DTW(test, ref) - DTW(ref, ref2)| / DTW(ref, ref2)
 *
 * (paper 003, equation 3): two records of the same work are not the same either. Series may be
 * of different length. Beside it is the mean relative error at the same part of the time.
 */
#include "pmu-out.h"

#include "cmd.h"
#include "error.h"
#include "model/dtw.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t event_of(const struct tl_pmu_file *file, const char *name)
{
	size_t e;

	for (e = 0; e < file->events && strcmp(file->event[e], name); e++)
		;
	return e;
}

/* Rates of an event on all processors, one behind the other. */
static int series_of(const struct tl_pmu_file *file, const char *event, struct tl_pmu_series *s,
		     struct tl_error *err)
{
	size_t e = event_of(file, event), room = 0, p, t;

	*s = (struct tl_pmu_series){ 0 };
	for (p = 0; p < file->parts; p++)
		room += file->part[p].record.intervals;
	s->value = calloc(room + 1, sizeof(*s->value));
	if (!s->value)
		return tl_error_no_memory(err);
	for (p = 0; e < file->events && p < file->parts; p++)
		for (t = 0; t < file->part[p].record.intervals; t++)
			if (file->part[p].record.enabled_s[t * file->events + e] > 0)
				s->value[s->n++] = tl_pmu_rate(&file->part[p].record,
							       t * file->events + e);
	return 0;
}

/* At the same part of the time, between values of the other. */
static double error_of(const struct tl_pmu_series *test, const struct tl_pmu_series *ref)
{
	double sum = 0, at, truth;
	size_t n = 0, t, k;

	for (t = 0; t < test->n; t++) {
		at = test->n > 1 ? (double)t * (double)(ref->n - 1) / (double)(test->n - 1) : 0;
		k = (size_t)at;
		truth = ref->value[k];
		if (k + 1 < ref->n)
			truth += (at - (double)k) * (ref->value[k + 1] - truth);
		if (truth <= 0)
			continue;
		sum += fabs(test->value[t] / truth - 1);
		n++;
	}
	return n ? sum / (double)n : -1;
}

static int distance(const struct tl_pmu_series *a, const struct tl_pmu_series *b, double *distance,
		    struct tl_error *err)
{
	size_t longer = a->n > b->n ? a->n : b->n;
	struct tl_dtw_in in = { a->value, b->value, a->n, b->n, longer / 10, 0 };
	struct tl_dtw_out out;
	int code = tl_dtw(&in, &out);

	*distance = out.distance;
	if (code == -ENOMEM)
		return tl_error_no_memory(err);
	return code ? tl_error_set(err, code, "rates are too large to be compared: mend the records") : 0;
}

static int event_compare(struct tl_pmu_differ *d, struct tl_error *err)
{
	int code = distance(&d->series[0], &d->series[1], &d->test, err);

	code = code ? code : distance(&d->series[1], &d->series[2], &d->reference, err);
	d->diff = d->reference > 0 ? fabs(d->test - d->reference) / d->reference : -1;
	d->error = error_of(&d->series[0], &d->series[1]);
	return code;
}

static void series_free(struct tl_pmu_differ *d)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(d->series); i++)
		free(d->series[i].value);
}

/**
 * tl_pmu_compare() - Hold a record against two others of the same work
 * @file: [3] the record, the reference, another reference
 * @differ: [events of the first] filled in; to be freed, however it ends
 * @n: how many events all three have
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_pmu_compare(const struct tl_pmu_file file[3], struct tl_pmu_differ *differ, size_t *n,
		   struct tl_error *err)
{
	size_t e, i;
	int code = 0;

	*n = 0;
	for (e = 0; !code && e < file[0].events; e++) {
		struct tl_pmu_differ *d = &differ[*n];

		*d = (struct tl_pmu_differ){ .event = file[0].event[e] };
		for (i = 0; !code && i < ARRAY_SIZE(d->series); i++)
			code = series_of(&file[i], d->event, &d->series[i], err);
		if (code || !d->series[0].n || !d->series[1].n || !d->series[2].n) {
			series_free(d);
			continue;
		}
		++*n;
		code = event_compare(d, err);
	}
	return code;
}

/**
 * tl_pmu_differ_free() - Give back what comparing has allocated
 * @differ: [@n] events; freed itself, too
 * @n: how many
 */
void tl_pmu_differ_free(struct tl_pmu_differ *differ, size_t n)
{
	while (n)
		series_free(&differ[--n]);
	free(differ);
}
