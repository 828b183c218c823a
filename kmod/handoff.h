/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_HANDOFF_H
#define TL_HANDOFF_H

#include "thread.h"

int tl_handoff_init(void);
void tl_handoff_exit(void);
void tl_handoff_wrote(struct tl_task *task, const void *object, u64 bytes);
void tl_handoff_reads(struct tl_task *task, const void *object, u64 bytes);
void tl_handoff_took(struct tl_task *task);
void tl_handoff_wakes(struct tl_task *task, struct task_struct *woken);
void tl_handoff_settle(struct tl_task *task);
void tl_handoff_closed(const void *object);
void tl_handoff_forget_all(void);
unsigned int tl_handoff_count(void);

#endif
