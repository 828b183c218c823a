/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CHOOSE_ARGS_H
#define TL_CHOOSE_ARGS_H

struct tl_choose_options;

int tl_choose_args(int option, struct tl_choose_options *options);
void tl_choose_args_free(struct tl_choose_options *options);

#endif
