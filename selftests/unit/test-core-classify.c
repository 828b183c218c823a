// SPDX-License-Identifier: GPL-2.0-or-later
/* The class of a request by its first bytes. */
#include "classify.h"
#include "tap.h"

static struct tl_class_rules rules;

static void clear(void)
{
	memset(&rules, 0, sizeof(rules));
	rules.serial = 5;
}

static void set(unsigned int i, const char *prefix, bool for_tier)
{
	rules.rule[i].class = i + 1;
	rules.rule[i].len = strlen(prefix);
	rules.rule[i].for_tier = for_tier;
	memcpy(rules.rule[i].prefix, prefix, strlen(prefix));
}

/* Bytes in an allocation of their own size, so that one too many is noticed. */
static void feed(struct tl_class_match *match, const char *bytes, unsigned int n)
{
	u8 copy[n ? n : 1];

	memcpy(copy, bytes, n);
	tl_class_feed(match, &rules, copy, n);
}

/* All of it, @step bytes at a time. */
static u8 found(const char *bytes, u64 eligible, unsigned int step)
{
	struct tl_class_match match;
	unsigned int i, n = strlen(bytes);

	memset(&match, 0xa5, sizeof(match));
	tl_class_begin(&match, &rules, eligible);
	for (i = 0; i < n; i += step)
		feed(&match, bytes + i, min(step, n - i));
	return match.found;
}

static void test_longest(void)
{
	unsigned int step;

	clear();
	set(0, "GET /", false);
	set(1, "GET /shop/cart", false);
	set(2, "GET /shop/", false);
	set(3, "POST ", false);
	for (step = 1; step < 16; step += 3) {
		is_u64(found("GET /shop/cart?x", 15, step), 2,
		       "the longest of three, %u at a time", step);
		is_u64(found("GET /shop/x", 15, step), 3, "the middle, %u", step);
		is_u64(found("GET /sho", 15, step), 1, "the shortest, %u", step);
		is_u64(found("POST /", 15, step), 4, "another, %u", step);
		is_u64(found("GET", 15, step), 0, "too few bytes, %u", step);
		is_u64(found("PUT /shop/", 15, step), 0, "none, %u", step);
		is_u64(found("GET /shop/cart", 13, step), 3, "not eligible, %u", step);
		is_u64(found("XGET /", 15, step), 0, "from the first byte, %u", step);
	}
	is_u64(found("", 15, 1), 0, "no bytes");
}

/* What it takes to be sure is kept between two feeds, and no more. */
static void test_open(void)
{
	struct tl_class_match match;

	clear();
	set(0, "AB", false);
	set(1, "ABCD", false);
	tl_class_begin(&match, &rules, 3);
	is_u64(match.serial, 5, "begun with these rules");
	is_u64(match.open, 3, "both are open");
	feed(&match, "", 0);
	is_u64(match.open, 3, "no bytes: nothing new");
	feed(&match, "ABC", 3);
	is_u64(match.found, 1, "the shorter one for now");
	is_u64(match.open, 2, "the longer one is open");
	feed(&match, "X", 1);
	is_u64(match.found, 1, "the shorter one for ever");
	is_u64(match.open, 0, "nothing is open");
	feed(&match, "ABCD", 4);
	is_u64(match.found, 1, "what follows does not matter");
	tl_class_begin(&match, &rules, 3);
	is_u64(match.found, 0, "the next request begins anew");
	feed(&match, "AB", 2);
	feed(&match, "CD", 2);
	is_u64(match.found, 2, "in two parts");
}

static void test_equal(void)
{
	clear();
	set(0, "AB", false);
	set(1, "AB", true);
	set(2, "ABC", false);
	set(3, "A", true);
	is_u64(found("ABX", 15, 8), 2, "equally long: the tier's");
	is_u64(found("ABX", 13, 8), 1, "not eligible elsewhere");
	is_u64(found("ABC", 15, 8), 3, "longer goes before the tier's");
	is_u64(found("AX", 15, 8), 4, "shorter, but the only one");
	clear();
	set(0, "AB", true);
	set(1, "AB", false);
	is_u64(found("ABX", 3, 8), 1, "whatever their order");
	is_u64(found("ABX", 3, 1), 1, "byte by byte as well");
}

static void test_many(void)
{
	struct tl_class_match match;
	char prefix[TL_CLASS_PREFIX + 9];
	unsigned int i, wrong = 0;

	clear();
	memset(prefix, 'x', sizeof(prefix));
	for (i = 0; i < TL_CLASS_RULES; i++) {
		memset(rules.rule[i].prefix, 'x', i + 1);
		rules.rule[i].len = i + 1;
	}
	for (i = 1; i <= TL_CLASS_PREFIX; i++) {
		tl_class_begin(&match, &rules, U64_MAX);
		feed(&match, prefix, i);
		wrong += match.found != i;
	}
	is_u64(wrong, 0, "64 rules, each the longest once");
	feed(&match, prefix, 8);
	is_u64(match.pos, TL_CLASS_PREFIX, "no more bytes are looked at");
	tl_class_begin(&match, &rules, U64_MAX);
	feed(&match, prefix, sizeof(prefix));
	is_u64(match.found, TL_CLASS_RULES, "more bytes than any rule has");
	is_u64(match.pos, TL_CLASS_PREFIX, "are cut off");
	for (i = 0; i < sizeof(prefix); i++)
		feed(&match, "y", 1);
	is_u64(match.found, TL_CLASS_RULES, "and nothing changes any more");
}

/* Random rules and bytes of few letters, against all prefixes one by one. */
static void test_random(void)
{
	unsigned int round, i, step, wrong = 0, matched = 0;
	u64 state = 88172645463325252ULL;

	for (round = 0; round < 3000; round++) {
		u64 eligible = state * 0x9e3779b97f4a7c15;
		unsigned int best = 0;
		char bytes[13], prefix[9];

		clear();
		for (i = 0; i < TL_CLASS_RULES + 1; i++) {
			unsigned int k;

			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			for (k = 0; k < 12; k++)
				bytes[k] = 'a' + (state >> (2 * k + 20)) % 2;
			bytes[12] = '\0';
			memcpy(prefix, bytes, 8);
			prefix[1 + state % 8] = '\0';
			prefix[8] = '\0';
			if (i < TL_CLASS_RULES)
				set(i, prefix, state >> 63);
		}
		for (i = 0; i < TL_CLASS_RULES; i++) {
			const struct tl_class_rule *rule = &rules.rule[i];
			const struct tl_class_rule *old = &rules.rule[best - !!best];

			if (!(eligible & 1ULL << i) ||
			    memcmp(bytes, rule->prefix, rule->len) != 0)
				continue;
			if (!best || rule->len > old->len ||
			    (rule->len == old->len && rule->for_tier > old->for_tier))
				best = i + 1;
		}
		matched += best != 0;
		for (step = 1; step < 14; step++)
			wrong += found(bytes, eligible, step) != best;
	}
	is_u64(wrong, 0, "random: as if all were compared");
	ok(matched > 2000, "random: most have matched something (%u)", matched);
}

int main(void)
{
	test_longest();
	test_open();
	test_equal();
	test_many();
	test_random();
	return done();
}
