/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_WINDOWS_H
#define TL_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>

struct tl_error;

/* What a column holds; unknown values are NAN, which never leaves the table. */
enum tl_column_kind {
	TL_COLUMN_COUNT, /* requests of a class that were completed */
	TL_COLUMN_RESPONSE, /* Σ their response times, s */
	TL_COLUMN_OWN, /* Σ own time that a tier spent on a class's requests, s */
	TL_COLUMN_CPU, /* Σ measured time on processors of the same, s */
	TL_COLUMN_OUTSIDE, /* Σ time on processors that a tier used for no request, s */
	TL_COLUMN_TIER_OWN, /* Σ own time of a tier, s */
	TL_COLUMN_BUSY, /* utilisation of a resource, 0 … 1 */
};

#define TL_NOWHERE ((size_t)-1)

/**
 * struct tl_column - One figure over all windows
 * @class: index of a class, TL_NOWHERE if it is of none
 * @tier: index of a tier, TL_NOWHERE if it is of none
 * @resource: index of a resource, TL_NOWHERE if it is of none
 * @value: one a window
 */
struct tl_column {
	enum tl_column_kind kind;
	size_t class, tier, resource;
	double *value;
};

struct tl_names {
	char **name;
	size_t n;
};

/**
 * struct tl_windows - A table of figures: windows of time by what was measured in them
 * @file: where they came from, valid UTF-8
 * @note: what a reader should know about them, "" for nothing
 * @t_s: beginning of each
 * @seconds: length of each
 * @left_out: why a window is not to be used, NULL if it is; owned
 * @processors: that <tier>.cpu is a part of; 0 if that is not known
 * @recorded: from a recording, where columns of cpu are measured truths
 */
struct tl_windows {
	char *file, note[1000];
	double *t_s, *seconds, processors;
	char **left_out;
	size_t n, room;
	struct tl_names classes, tiers, resources;
	struct tl_column *column;
	size_t n_columns;
	bool recorded;
};

int tl_windows_read(struct tl_windows *windows, const char *file, struct tl_error *err);
bool tl_windows_is_table(const char *file);
void tl_windows_free(struct tl_windows *windows);

/* For whoever fills a table. */
size_t tl_names_index(struct tl_names *names, const char *name);
size_t tl_names_find(const struct tl_names *names, const char *name);
int tl_windows_grow(struct tl_windows *windows);
struct tl_column *tl_windows_column(struct tl_windows *windows, enum tl_column_kind kind,
				    size_t class, size_t tier, size_t resource);
void tl_windows_note(struct tl_windows *windows, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int tl_windows_leave_out(struct tl_windows *windows, size_t window, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int tl_windows_read_csv(struct tl_windows *windows, const char *file,
			struct tl_error *err);
int tl_windows_read_recording(struct tl_windows *windows, const char *file,
			      struct tl_error *err);

/* For whoever reads one. */
const struct tl_column *tl_windows_find(const struct tl_windows *windows,
					enum tl_column_kind kind, size_t class,
					size_t tier, size_t resource);
size_t tl_windows_tier_of(const struct tl_windows *windows, size_t resource);
size_t tl_windows_used(const struct tl_windows *windows);

#endif
