/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_FRAMES_H
#define TL_FRAMES_H

#include <linux/types.h>
#include <uapi/linux/tierlens.h>

struct tl_call_sums;
struct tl_frames;
struct tl_task;

/* A function that is probed. */
struct tl_function_key {
	u32 id; /* of no other, ever */
	u16 place; /* among all that are probed, below TIERLENS_FUNCTIONS_MAX */
};

int tl_frames_init(void);
void tl_frames_exit(void);
struct tl_frames *tl_frames_own(void);
void tl_frames_forget(struct tl_task *task);
bool tl_frames_at_home(struct tl_frames *frames, unsigned long stack);
void tl_frames_let_go(void);
void tl_frames_enter(struct tl_frames *frames, struct tl_function_key function,
		     unsigned long stack, unsigned long caller);
bool tl_frames_leave(struct tl_frames *frames, struct tl_function_key function,
		     unsigned long stack, struct tl_call_sums *sums);
void tl_frames_lose(struct tl_function_key function);
void tl_frames_lost_begin(struct tl_function_key function);
u64 tl_frames_lost(unsigned int place);

#endif
