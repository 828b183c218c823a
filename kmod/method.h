/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_METHOD_H
#define TL_METHOD_H

#include <linux/types.h>
#include <uapi/linux/tierlens.h>

struct file;
struct netlink_ext_ack;
struct tl_function;

/* A function that is to be probed; the files are held by who asks. */
struct tl_method_ask {
	const char *tier;
	const char *name;
	struct file *file; /* what it is in */
	struct file *program; /* whose processes are probed */
	u64 offset;
	u32 rate_max; /* entries a second; 0: as many as is sensible */
};

/* What a function shows of itself. */
struct tl_method_view {
	u32 id; /* 0: the place is free */
	char tier[TIERLENS_NAME_MAX + 1];
	char name[TIERLENS_FUNCTION_NAME_MAX + 1];
	u64 offset;
	u32 state; /* enum tierlens_function_state */
	u32 rate_max;
	u64 hits;
	u64 lost;
};

int tl_method_init(void);
void tl_method_exit(void);
int tl_method_add(const struct tl_method_ask *ask, u32 *id, struct netlink_ext_ack *extack);
int tl_method_del(const char *tier, u32 id, struct netlink_ext_ack *extack);
void tl_method_forget(u32 tier);
void tl_method_forget_all(void);
void tl_method_wait(void);
void tl_method_drop_soon(struct tl_function *function);
void tl_method_let_program_go(struct tl_function *met);
unsigned int tl_method_count(void);
bool tl_method_get(unsigned int i, struct tl_method_view *view);

#endif
