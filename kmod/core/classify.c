// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The class of a request, by its first bytes
 *
 * They are compared as they come, a few at a time if need be; what stays is which
 * rules can still match. The longest prefix wins, whatever the order of the
 * rules; of two as long as each other, the one that is for the tier.
 */
#include "classify.h"

/**
 * tl_class_begin() - Begin to compare
 * @match: state, of a new request
 * @rules: the rules
 * @eligible: bit i set if rule i is for the request's tier
 *
 * Context: the caller serialises.
 */
void tl_class_begin(struct tl_class_match *match, const struct tl_class_rules *rules,
		    u64 eligible)
{
	match->open = eligible;
	match->serial = rules->serial;
	match->pos = 0;
	match->found = 0;
}

static bool better(const struct tl_class_rules *rules, unsigned int rule, u8 found)
{
	const struct tl_class_rule *old;

	if (!found)
		return true;
	old = &rules->rule[found - 1];
	if (rules->rule[rule].len != old->len)
		return rules->rule[rule].len > old->len;
	return rules->rule[rule].for_tier > old->for_tier;
}

/**
 * tl_class_feed() - Compare the next bytes
 * @match: state
 * @rules: the rules that it was begun with
 * @bytes: the bytes that follow those before
 * @n: how many
 *
 * Context: the caller serialises. At most TL_CLASS_RULES × TL_CLASS_PREFIX steps.
 */
void tl_class_feed(struct tl_class_match *match, const struct tl_class_rules *rules,
		   const u8 *bytes, unsigned int n)
{
	u64 left = match->open;
	unsigned int i;

	n = min(n, (unsigned int)(TL_CLASS_PREFIX - match->pos));
	for (; left; left &= left - 1) {
		const struct tl_class_rule *rule;
		unsigned int part;

		i = __builtin_ctzll(left);
		rule = &rules->rule[i];
		part = min(n, (unsigned int)(rule->len - match->pos));
		if (memcmp(bytes, rule->prefix + match->pos, part)) {
			match->open &= ~(1ULL << i);
		} else if (match->pos + part == rule->len) {
			match->open &= ~(1ULL << i);
			if (better(rules, i, match->found))
				match->found = i + 1;
		}
	}
	match->pos += n;
}
