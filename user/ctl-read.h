/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CTL_READ_H
#define TL_CTL_READ_H

/* Between the files of ctl; nobody else includes this. */

#include "table.h"

#include <stdbool.h>
#include <stddef.h>

struct nlattr;
struct tl_intervals;

/* Reads the attributes of one message into @arg; 0 or a negative errno. */
typedef int tl_ctl_reader(struct nlattr *first, int len, void *arg);

/* A growing array of plain structs of @size bytes: what a dump is collected in. */
struct tl_ctl_rows {
	void *row;
	size_t n, size;
};

/* @open: the last interval of the list has not been read to its end; @bytes: that were; @most: when no more are
 * wanted, 0 for all. */
struct tl_ctl_interval_reader {
	struct tl_intervals *list;
	bool open;
	size_t bytes, most;
};

/* A member of a plain struct that holds one attribute. */
struct tl_ctl_field {
	int attr;
	size_t offset, size;
};

#define FIELD(attr, type, member) \
	{ attr, offsetof(type, member), sizeof(((type *)0)->member) }

tl_ctl_reader tl_ctl_read_module, tl_ctl_read_tier, tl_ctl_read_class, tl_ctl_read_hook,
	tl_ctl_read_pmu, tl_ctl_read_function, tl_ctl_read_interval;

void tl_ctl_read_fields(struct nlattr **attrs, const struct tl_ctl_field *fields,
			size_t n, void *to);
int tl_ctl_read_cost(struct nlattr *nest, struct tl_sum *cost);
void tl_ctl_read_counters(const struct nlattr *nest, u64 *counters, int n);

enum tl_at tl_ctl_read_level(const struct nlattr *attr);
void *tl_ctl_rows_add(struct tl_ctl_rows *rows);
void tl_ctl_read_text(char *to, size_t room, const struct nlattr *attr);

#endif
