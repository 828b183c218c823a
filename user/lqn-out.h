/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_LQN_OUT_H
#define TL_LQN_OUT_H

#include <jansson.h>
#include <stdio.h>

struct tl_faults;
struct tl_lqn;

int tl_lqn_check_print(const struct tl_lqn *lqn, const struct tl_faults *faults, FILE *to);
json_t *tl_lqn_check_json(const struct tl_lqn *lqn, const struct tl_faults *faults);
json_t *tl_faults_json(char *const *sentences, size_t n);

#endif
