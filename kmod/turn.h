/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TURN_H
#define TL_TURN_H

#include "thread.h"

struct tl_task *tl_turn_task(void);
void tl_turn_begin(struct tl_task *task);
void tl_turn_errand(struct tl_task *task, u64 now_ns);
void tl_turn_drop_errand(struct tl_task *task);
void tl_turn_drop_adopted(struct tl_task *task);
void tl_turn_accepted(struct tl_task *task);
void tl_turn_receiving(struct tl_task *task);
void tl_turn_waits(struct tl_task *task);
void tl_turn_answered(struct tl_task *task, struct tl_request *request, bool own);
void tl_turn_rest(struct tl_task *task, struct tl_request *request);
void tl_turn_claim(struct tl_task *task, struct tl_request *request);
void tl_turn_dispatched(struct tl_task *task);

#endif
