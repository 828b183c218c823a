/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ORIGIN_LEARN_H
#define TL_ORIGIN_LEARN_H

#include "origin-rows.h"

/**
 * struct tl_origin_learn - What is learned, and how
 * @rows: files and classes whose labels are known
 * @file: where they are from, for sentences
 * @root: folder where they are looked at, "" for the machine's own
 * @groups: names that fewer packages or programs have are not told apart
 * @plain: all features' votes count alike
 */
struct tl_origin_learn {
	const struct tl_origin_rows *rows;
	const char *file, *root;
	uint32_t groups;
	bool plain;
};

int tl_origin_learn(const struct tl_origin_learn *learn, struct tl_origin_model *model, struct tl_error *err);

#endif
