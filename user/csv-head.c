// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The head line of a table of figures: t, seconds, n_CLASS, rt_CLASS,
 * own_TIER_CLASS, y_TIER, u_RESOURCE
 *
 * t_s, meanR_CLASS and a plain u, which others write, mean t, rt_CLASS and u_cpu.
 */
#include "csv-head.h"

#include "error.h"
#include "text.h"
#include "windows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * tl_csv_head_init() - An empty head line
 * @head: set up
 */
void tl_csv_head_init(struct tl_csv_head *head)
{
	*head = (struct tl_csv_head){ .t_at = TL_NOWHERE, .seconds_at = TL_NOWHERE };
}

/**
 * tl_csv_head_free() - Free what a head line holds
 * @head: head line
 */
void tl_csv_head_free(struct tl_csv_head *head)
{
	size_t i;

	for (i = 0; i < head->n; i++)
		free(head->field[i].name);
	free(head->field);
}

/* What stands behind the first of the prefixes that the name has, else NULL. */
static const char *behind(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	return !strncmp(name, prefix, len) && name[len] ? name + len : NULL;
}

static enum tl_csv_kind kind_of(const char *name)
{
	if (!strcmp(name, "t") || !strcmp(name, "t_s"))
		return TL_CSV_T;
	if (!strcmp(name, "seconds"))
		return TL_CSV_SECONDS;
	if (behind(name, "n_"))
		return TL_CSV_COUNT;
	if (behind(name, "rt_") || behind(name, "meanR_"))
		return TL_CSV_RESPONSE;
	if (behind(name, "own_"))
		return TL_CSV_OWN;
	if (behind(name, "y_"))
		return TL_CSV_TIER_OWN;
	if (behind(name, "u_") || !strcmp(name, "u"))
		return TL_CSV_BUSY;
	return TL_CSV_OTHER;
}

/**
 * tl_csv_head_add() - Take the next field of a head line
 * @head: head line
 * @name: what the field is called; made printable
 * @file: for the sentence
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_csv_head_add(struct tl_csv_head *head, const char *name, const char *file,
		    struct tl_error *err)
{
	struct tl_csv_field *grown;
	char *utf8, *copy;
	size_t i;

	utf8 = tl_text_utf8(name, strlen(name));
	copy = utf8 ? tl_text_printable(utf8) : NULL;
	free(utf8);
	for (i = 0; copy && *copy && i < head->n; i++)
		if (!strcmp(head->field[i].name, copy)) {
			tl_error_set(err, -EINVAL,
				     "%s:1: column %zu (%s) is column %zu again: rename or "
				     "delete one", file, head->n + 1, copy, i + 1);
			free(copy);
			return -EINVAL;
		}
	grown = reallocarray(head->field, head->n + 1, sizeof(*grown));
	if (grown)
		head->field = grown;
	if (!copy || !grown) {
		free(copy);
		return tl_error_no_memory(err);
	}
	if (kind_of(copy) == TL_CSV_T && head->t_at == TL_NOWHERE)
		head->t_at = head->n;
	if (kind_of(copy) == TL_CSV_SECONDS)
		head->seconds_at = head->n;
	grown[head->n++] = (struct tl_csv_field){ copy, kind_of(copy), TL_NOWHERE,
						  TL_NOWHERE };
	return 0;
}

static size_t field_find(const struct tl_csv_head *head, const char *prefix,
			 const char *class)
{
	const char *rest;
	size_t i;

	for (i = 0; i < head->n; i++) {
		rest = behind(head->field[i].name, prefix);
		if (rest && !strcmp(rest, class))
			return i;
	}
	return TL_NOWHERE;
}

static int column_add(struct tl_windows *w, struct tl_csv_field *field,
		      enum tl_column_kind kind, size_t class, size_t tier, size_t resource)
{
	struct tl_column *column;

	/* Another name of the same, as u and u_cpu are. */
	if (tl_windows_find(w, kind, class, tier, resource))
		return -EEXIST;
	column = tl_windows_column(w, kind, class, tier, resource);
	if (!column)
		return -ENOMEM;
	field->column = (size_t)(column - w->column);
	return 0;
}

static int plain_column(struct tl_windows *w, struct tl_csv_field *field)
{
	const char *name = field->name;
	size_t at;

	switch (field->kind) {
	case TL_CSV_COUNT:
		at = tl_names_index(&w->classes, behind(name, "n_"));
		return at == TL_NOWHERE ? -ENOMEM :
		       column_add(w, field, TL_COLUMN_COUNT, at, TL_NOWHERE, TL_NOWHERE);
	case TL_CSV_TIER_OWN:
		at = tl_names_index(&w->tiers, behind(name, "y_"));
		return at == TL_NOWHERE ? -ENOMEM :
		       column_add(w, field, TL_COLUMN_TIER_OWN, TL_NOWHERE, at, TL_NOWHERE);
	case TL_CSV_BUSY:
		at = tl_names_index(&w->resources, name[1] ? behind(name, "u_") : "cpu");
		return at == TL_NOWHERE ? -ENOMEM :
		       column_add(w, field, TL_COLUMN_BUSY, TL_NOWHERE, TL_NOWHERE, at);
	default:
		return 0;
	}
}

/* A tier may be known by its own column or by that of one of its resources. */
static bool is_tier(const struct tl_windows *w, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < w->tiers.n; i++)
		if (strlen(w->tiers.name[i]) == len && !strncmp(w->tiers.name[i], name, len))
			return true;
	for (i = 0; i < w->resources.n; i++)
		if (!strncmp(w->resources.name[i], name, len) &&
		    w->resources.name[i][len] == '.')
			return true;
	return false;
}

/* Both names may hold underscores: of the places at which the rest is a class, one
 * before which a tier stands that is known is best, then the first. */
static const char *own_class(const struct tl_windows *w, const char *rest)
{
	const char *at, *first = NULL;

	for (at = strchr(rest, '_'); at; at = strchr(at + 1, '_')) {
		if (at == rest || tl_names_find(&w->classes, at + 1) == TL_NOWHERE)
			continue;
		if (is_tier(w, rest, (size_t)(at - rest)))
			return at + 1;
		first = first ? first : at + 1;
	}
	return first;
}

static int mean_fault(const struct tl_csv_head *head, const struct tl_csv_field *field,
		      const char *file, const char *class, struct tl_error *err)
{
	return tl_error_set(err, -EINVAL, "%s:1: column %zu (%s): there is no column n_%s with "
			    "the requests that it is the mean of: add it", file,
			    (size_t)(field - head->field) + 1, field->name, class);
}

static int column_fault(const struct tl_csv_head *head, const struct tl_csv_field *field,
			const char *file, int code, struct tl_error *err)
{
	if (code == -EEXIST)
		return tl_error_set(err, -EINVAL, "%s:1: column %zu (%s) says the same as "
				    "another one: delete one", file,
				    (size_t)(field - head->field) + 1, field->name);
	return code ? tl_error_no_memory(err) : 0;
}

static int response_column(struct tl_csv_head *head, struct tl_windows *w,
			   struct tl_csv_field *field, const char *file,
			   struct tl_error *err)
{
	const char *class = behind(field->name, "rt_");

	class = class ? class : behind(field->name, "meanR_");
	field->count_at = field_find(head, "n_", class);
	if (field->count_at == TL_NOWHERE)
		return mean_fault(head, field, file, class, err);
	return column_fault(head, field, file,
			    column_add(w, field, TL_COLUMN_RESPONSE,
				       tl_names_find(&w->classes, class), TL_NOWHERE,
				       TL_NOWHERE), err);
}

static int own_column(struct tl_csv_head *head, struct tl_windows *w,
		      struct tl_csv_field *field, const char *file, struct tl_error *err)
{
	const char *rest = behind(field->name, "own_"), *class = own_class(w, rest);
	char *name;
	size_t tier;

	if (!class)
		return mean_fault(head, field, file, "CLASS", err);
	field->count_at = field_find(head, "n_", class);
	name = strndup(rest, (size_t)(class - rest) - 1);
	tier = name ? tl_names_index(&w->tiers, name) : TL_NOWHERE;
	free(name);
	if (tier == TL_NOWHERE)
		return tl_error_no_memory(err);
	return column_fault(head, field, file,
			    column_add(w, field, TL_COLUMN_OWN,
				       tl_names_find(&w->classes, class), tier,
				       TL_NOWHERE), err);
}

static int check_head(const struct tl_csv_head *head, const struct tl_windows *w,
		      const char *file, struct tl_error *err)
{
	if (!w->classes.n)
		return tl_error_set(err, -EINVAL,
				    "%s:1: no column n_CLASS: the head line names t, seconds, "
				    "n_CLASS, rt_CLASS, own_TIER_CLASS, y_TIER, u_RESOURCE",
				    file);
	if (!w->tiers.n && !w->resources.n)
		return tl_error_set(err, -EINVAL,
				    "%s:1: nothing to explain: add y_TIER, own_TIER_CLASS or "
				    "u_RESOURCE", file);
	if (head->t_at == TL_NOWHERE && head->seconds_at == TL_NOWHERE)
		return tl_error_set(err, -EINVAL, "%s:1: neither t nor seconds: windows need "
				    "their lengths", file);
	return 0;
}

static void note_others(const struct tl_csv_head *head, struct tl_windows *w,
			const char *file)
{
	bool first = true;
	size_t i, len;

	for (i = 0; i < head->n; i++) {
		const struct tl_csv_field *field = &head->field[i];

		if (field->kind != TL_CSV_OTHER || !*field->name)
			continue;
		len = strlen(w->note);
		if (first)
			tl_windows_note(w, "%s: columns that say nothing here are ignored: %s",
					file, field->name);
		else
			snprintf(w->note + len, sizeof(w->note) - len, ", %s", field->name);
		first = false;
	}
}

/* The first class of which it is not known what it spent at a tier; TL_NOWHERE if it is
 * of all. */
static size_t own_missing(const struct tl_windows *w, size_t tier)
{
	size_t class;

	for (class = 0; class < w->classes.n; class++)
		if (!tl_windows_find(w, TL_COLUMN_OWN, class, tier, TL_NOWHERE))
			return class;
	return TL_NOWHERE;
}

/* What a tier's requests spent there is to be explained, if it is known of all. */
static int check_tiers(struct tl_windows *w, const char *file, struct tl_error *err)
{
	size_t tier, class, explained = w->resources.n;
	const char *missing = NULL, *of = NULL;

	for (tier = 0; tier < w->tiers.n; tier++) {
		class = tl_windows_find(w, TL_COLUMN_TIER_OWN, TL_NOWHERE, tier, TL_NOWHERE) ?
			TL_NOWHERE : own_missing(w, tier);
		explained += class == TL_NOWHERE;
		if (class == TL_NOWHERE || missing)
			continue;
		missing = w->classes.name[class];
		of = w->tiers.name[tier];
	}
	if (missing && !explained)
		return tl_error_set(err, -EINVAL, "%s:1: nothing to explain: there is no column "
				    "own_%s_%s: add it, or y_%s", file, of, missing, of);
	if (missing)
		tl_windows_note(w, "%s:1: the own time of %s is not explained: there is no column "
				"own_%s_%s: add it, or y_%s", file, of, of, missing, of);
	return 0;
}

/**
 * tl_csv_head_end() - All fields of a head line are known
 * @head: head line
 * @windows: empty; gets its columns
 * @file: for the sentence
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_csv_head_end(struct tl_csv_head *head, struct tl_windows *windows,
		    const char *file, struct tl_error *err)
{
	size_t i;
	int code = 0;

	for (i = 0; i < head->n && !code; i++)
		code = column_fault(head, &head->field[i], file,
				    plain_column(windows, &head->field[i]), err);
	for (i = 0; i < head->n && !code; i++) {
		if (head->field[i].kind == TL_CSV_RESPONSE)
			code = response_column(head, windows, &head->field[i], file, err);
		else if (head->field[i].kind == TL_CSV_OWN)
			code = own_column(head, windows, &head->field[i], file, err);
	}
	code = code ? code : check_head(head, windows, file, err);
	code = code ? code : check_tiers(windows, file, err);
	if (!code)
		note_others(head, windows, file);
	return code;
}

/* Σ over the classes; unknown if one of them is. */
static int tier_derive(struct tl_windows *w, size_t tier)
{
	struct tl_column *sum;
	size_t class, i;

	if (own_missing(w, tier) != TL_NOWHERE)
		return 0;
	sum = tl_windows_column(w, TL_COLUMN_TIER_OWN, TL_NOWHERE, tier, TL_NOWHERE);
	if (!sum)
		return -ENOMEM;
	for (class = 0; class < w->classes.n; class++) {
		const struct tl_column *own =
			tl_windows_find(w, TL_COLUMN_OWN, class, tier, TL_NOWHERE);

		for (i = 0; i < w->n; i++)
			sum->value[i] += own->value[i];
	}
	return 0;
}

/**
 * tl_csv_head_derive() - Sums of tiers that are not there but follow from the classes'
 * @head: head line
 * @windows: all rows read
 *
 * Return: 0 or -ENOMEM.
 */
int tl_csv_head_derive(const struct tl_csv_head *head, struct tl_windows *windows)
{
	size_t tier;

	(void)head;
	for (tier = 0; tier < windows->tiers.n; tier++)
		if (!tl_windows_find(windows, TL_COLUMN_TIER_OWN, TL_NOWHERE, tier,
				     TL_NOWHERE) && tier_derive(windows, tier))
			return -ENOMEM;
	return 0;
}
