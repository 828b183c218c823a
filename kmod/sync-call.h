/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SYNC_CALL_H
#define TL_SYNC_CALL_H

struct pt_regs;
struct tl_sync_thread;

void tl_sync_call_begins(struct tl_sync_thread *thread, struct pt_regs *regs, long nr);
void tl_sync_call_ends(struct tl_sync_thread *thread, struct pt_regs *regs, long ret);
void tl_sync_call_cut(struct tl_sync_thread *thread);

#endif
