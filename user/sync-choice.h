/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SYNC_CHOICE_H
#define TL_SYNC_CHOICE_H

#include "hist.h"

struct tl_error;
struct tl_sync_request;
struct tl_tier_info;

int tl_sync_choose_pid(struct tl_sync_request *request, u32 pid, struct tl_error *err);
int tl_sync_choose_comm(struct tl_sync_request *request, const char *comm, struct tl_error *err);
int tl_sync_choose_tier(struct tl_sync_request *request, const struct tl_tier_info *tiers, size_t n,
			const char *name, struct tl_error *err);

#endif
