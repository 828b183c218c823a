/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_LQN_READ_H
#define TL_LQN_READ_H

#include "lqn-faults.h"

#include <stddef.h>

struct tl_draft;
struct tl_error;
struct tl_lqn;

int tl_lqn_read(struct tl_lqn *lqn, const char *file, struct tl_faults *faults,
		struct tl_error *err);
int tl_lqn_parse(struct tl_lqn *lqn, const char *text, size_t len, bool xml,
		 struct tl_faults *faults);
void tl_lqn_text(struct tl_draft *draft, const char *text, size_t len);
void tl_lqn_xml(struct tl_draft *draft, const char *text, size_t len);
void tl_lqn_check(struct tl_lqn *lqn, struct tl_faults *faults);

#endif
