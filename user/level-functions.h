/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_LEVEL_FUNCTIONS_H
#define TL_LEVEL_FUNCTIONS_H

#include "choose.h"

/**
 * struct tl_probed - What came of probing a tier's functions
 * @n: that are probed now, @known: that could be
 * @refused: of those that were tried, @why: the kernel's last sentence about them
 * @note: what a reader should know of the programs; "" for nothing
 */
struct tl_probed {
	size_t n, known, refused;
	char note[600], why[600];
};

int tl_level_functions(struct tl_ctl *ctl, const struct tl_choose_options *options, const char *tier, size_t most,
		       struct tl_probed *probed, struct tl_error *err);

#endif
