/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SCOPED_H
#define TL_SCOPED_H

#include <linux/jump_label.h>
#include <uapi/linux/tierlens.h>

#include "core/request.h"

struct perf_event;
struct task_struct;
struct tl_task;

DECLARE_STATIC_KEY_FALSE(tl_scoped_on);

int tl_scoped_take(const char *name, u64 from, bool *charged);
void tl_scoped_withdraw(unsigned int slot);
void tl_scoped_release(unsigned int slot, bool charged);
void tl_scoped_free_gone(void);
void tl_scoped_name(unsigned int slot, u64 generation, u64 value, char *name);
bool tl_scoped_publish(unsigned int cpu, unsigned int slot, struct perf_event *event);
void tl_scoped_skip(void);
void tl_scoped_switched(struct task_struct *prev);
void tl_scoped_take_counted(struct tl_task *task, u64 *sum);

#endif
