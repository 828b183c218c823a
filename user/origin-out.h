/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ORIGIN_OUT_H
#define TL_ORIGIN_OUT_H

#include "origin-rows.h"

#include <jansson.h>
#include <stdio.h>

/**
 * struct tl_origins - What became of files and classes
 * @origin: what was asked
 * @rows: they
 * @verdict: [@rows->n]
 */
struct tl_origins {
	const struct tl_origin *origin;
	const struct tl_origin_rows *rows;
	struct tl_origin_verdict *verdict;
};

void tl_origins_write(const struct tl_origins *origins, FILE *to);
json_t *tl_origins_json(const struct tl_origins *origins);
int tl_origins_functions(const struct tl_origins *origins, bool json, struct tl_error *err);
void tl_origin_explain_print(const struct tl_origin *origin, const struct tl_origin_row *row,
			     const struct tl_origin_verdict *verdict, FILE *to);
json_t *tl_origin_explain_json(const struct tl_origin *origin, const struct tl_origin_row *row,
			       const struct tl_origin_verdict *verdict);
void tl_origin_model_print(const struct tl_origin_model *model, FILE *to);
json_t *tl_origin_model_summary(const struct tl_origin_model *model);

#endif
