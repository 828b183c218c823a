/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_PROCESS_H
#define TL_PROCESS_H

#include "core/correlate.h"
#include "keyed.h"

struct task_struct;

/* What the threads of a process share. It outlives its first thread, and exec(). */
struct tl_process {
	struct tl_keyed keyed; /* by signal_struct */
	struct tl_thread thread; /* only serves is used */
	unsigned int uses; /* by its threads; under the bucket's lock */
	u32 tier; /* that it has served last; 0: none */
	u64 cpu_ns; /* when its usage was last looked at */
	bool asked; /* it was */
};

int tl_process_init(void);
void tl_process_exit(void);
struct tl_process *tl_process_get(struct task_struct *task);
void tl_process_put(struct tl_process *process);
bool tl_process_serves(struct task_struct *task);
void tl_process_serve_no_more(u32 tier);
void tl_process_usage_start(void);
void tl_process_seen_from_now(void);
void tl_process_usage_keep(void);
void tl_process_usage(void);
void tl_process_usage_close(void);
unsigned int tl_process_count(void);

#endif
