/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CORE_CLASSIFY_H
#define TL_CORE_CLASSIFY_H

#include "port.h"

#define TL_CLASS_RULES 64
#define TL_CLASS_PREFIX 64 /* bytes */

struct tl_class_rule {
	u32 class;
	u8 len; /* 0: no rule */
	u8 for_tier; /* for one tier, so it goes before one for all */
	u8 prefix[TL_CLASS_PREFIX];
};

struct tl_class_rules {
	u64 serial; /* tells one set of rules from another */
	struct tl_class_rule rule[TL_CLASS_RULES];
};

/* How far a request's first bytes have been compared. None of them is kept. */
struct tl_class_match {
	u64 open; /* rules that agree with all bytes so far and want more */
	u64 serial;
	u8 pos; /* bytes compared */
	u8 found; /* the best rule that agreed to its end, plus 1; 0: none */
};

void tl_class_begin(struct tl_class_match *match, const struct tl_class_rules *rules,
		    u64 eligible);
void tl_class_feed(struct tl_class_match *match, const struct tl_class_rules *rules,
		   const u8 *bytes, unsigned int n);

#endif
