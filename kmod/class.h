/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CLASS_H
#define TL_CLASS_H

#include <uapi/linux/tierlens.h>

#include "core/classify.h"

struct netlink_ext_ack;
struct tl_tier;

/* A rule, as it is listed. */
struct tl_class_view {
	u32 id; /* of the class */
	char name[TIERLENS_NAME_MAX + 1];
	char tier[TIERLENS_NAME_MAX + 1]; /* empty: for all */
	u8 prefix[TL_CLASS_PREFIX];
	u8 len; /* 0: no rule */
	u64 hits;
};

struct sk_buff;

/* Where bytes of a request or an answer can be looked at; neither: nowhere. */
struct tl_class_bytes {
	const void __user *user; /* received to here, or sent from here */
	const struct sk_buff *skb; /* about to be received from here */
	unsigned int offset; /* in skb */
	unsigned int n;
	bool part; /* what follows them cannot be looked at */
};

extern bool tl_class_rules_there;

/**
 * tl_class_reads() - Whether there is any reason to look at a request's bytes
 *
 * It is asked at every event, and is here to be inlined. If rules come or go meanwhile,
 * that is found when they are looked for.
 *
 * Context: any.
 */
static inline bool tl_class_reads(void)
{
	return READ_ONCE(tl_class_rules_there);
}

void tl_class_first_bytes(struct tl_class_match *match, const struct tl_tier *tier,
			  const struct tl_class_bytes *bytes, bool first, u32 *class);
bool tl_class_interim(const struct tl_tier *tier, const struct tl_class_bytes *bytes,
		      u64 total);
void tl_class_name(u32 id, char *name);
int tl_class_add(const char *name, const void *prefix, unsigned int len, const char *tier,
		 struct netlink_ext_ack *extack);
int tl_class_del(const char *name, const void *prefix, unsigned int len, const char *tier,
		 struct netlink_ext_ack *extack);
bool tl_class_get(unsigned int i, struct tl_class_view *view);
unsigned int tl_class_count(void);
void tl_class_forget_names(void);
void tl_class_exit(void);

#endif
