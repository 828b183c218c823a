/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CAPACITY_OUT_H
#define TL_CAPACITY_OUT_H

#include <jansson.h>
#include <stdio.h>

struct tl_bytes;
struct tl_capacity_in;
struct tl_capacity_out;
struct tl_error;
struct tl_faults;
struct tl_limit;

/**
 * struct tl_capacity_answer - What was asked, and what came of it
 * @in: what was asked
 * @out: what came of it
 * @faults: of the file, with its notes
 */
struct tl_capacity_answer {
	const struct tl_capacity_in *in;
	const struct tl_capacity_out *out;
	const struct tl_faults *faults;
};

/* capacity-text.c */
void tl_limit_name(const struct tl_capacity_in *in, const struct tl_limit *limit, char *name,
		   size_t size);
const char *tl_capacity_unit(const struct tl_capacity_in *in);
char *tl_capacity_verdict(const struct tl_capacity_answer *answer);
void tl_capacity_print(const struct tl_capacity_answer *answer, FILE *to);

/* capacity-json.c */
json_t *tl_capacity_json(const struct tl_capacity_answer *answer);

/* capacity-page.c */
int tl_capacity_page(const struct tl_capacity_answer *answer, struct tl_bytes *page,
		     struct tl_error *err);

#endif
