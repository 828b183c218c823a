// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every way to get a request wrong, one at a time
 *
 * A refusal has the right errno and a sentence (extack), and changes nothing. Three
 * refusals come from the kernel before the family is asked and have no sentence:
 * EPERM, EOPNOTSUPP for a command called in the wrong mode or unknown, and EINVAL for
 * a message too short for its generic netlink header. A datagram that ends before its
 * message does is dropped by the kernel without an answer. The version in the generic
 * netlink header is not looked at by any kernel, so a wrong one is accepted.
 */
#include "bad-request.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BARE NULL
#define SENTENCE "" /* any */

static struct tl *tl;

/*
 * The message must be refused with @error and a sentence in which @sentence is, and
 * change nothing.
 */
static void refused(const struct message *message, int error, const char *sentence,
		    const char *name, const char *what)
{
	static struct state before, after;
	struct tl_answer answer;
	bool same, good;
	int ret;

	ret = state_take(tl, &before);
	if (!ret)
		ret = message_exchange(tl, message, &answer);
	if (ret) {
		tap(false, "%s, %s: %s", name, what, strerror(-ret));
		return;
	}
	good = answer.ended && answer.error == error && !answer.messages &&
	       (!sentence || (tl->sentence[0] && strstr(tl->sentence, sentence)));
	if (!good)
		tap_note("answered %d, errno %d wanted %d, messages %u, sentence '%s'",
			 answer.ended, answer.error, error, answer.messages,
			 tl->sentence);
	same = !state_take(tl, &after) && !memcmp(&before, &after, sizeof(before));
	if (!same)
		tap_note("the module's state is another one now");
	tap(good && same, "%s, %s: %s", name, what, strerror(error));
}

static void accepted(const struct message *message, const char *name, const char *what)
{
	struct tl_answer answer;
	int ret = message_exchange(tl, message, &answer);

	if (ret || answer.error)
		tap_note("errno %d, sentence '%s'", ret ? -ret : answer.error,
			 tl->sentence);
	tap(!ret && answer.ended && !answer.error, "%s, %s: accepted", name, what);
}

/* All attributes of the valid message but one; that one's place is for the caller. */
static void all_but(struct message *message, const struct request *request,
		    const struct request_attr *but)
{
	const struct request_attr *attr;

	message_begin(message, tl, request->cmd, request_flags(request));
	for (attr = request->attrs; attr->kind && !but->alone; attr++)
		if (attr != but && !attr->alone)
			request_attr(message, attr);
}

static void with(const struct request *request, const struct request_attr *attr,
		 uint16_t flags, const void *payload, uint16_t length, int error,
		 const char *what)
{
	struct message message;
	char name[64];

	snprintf(name, sizeof(name), "%s, attribute %u", request->name, attr->type);
	all_but(&message, request, attr);
	message_attr(&message, attr->type | flags, payload, length);
	refused(&message, error, SENTENCE, name, what);
}

static void number_cases(const struct request *request, const struct request_attr *attr)
{
	uint16_t size = attr->kind == ATTR_U32 ? 4 : 8;
	uint64_t bytes[2] = {attr->valid, 0};
	uint32_t value;

	with(request, attr, 0, bytes, 0, EINVAL, "of zero length");
	with(request, attr, 0, bytes, 1, EINVAL, "of one byte");
	with(request, attr, 0, bytes, size - 1, EINVAL, "too short");
	with(request, attr, 0, bytes, size + 1, EINVAL, "one byte too long");
	with(request, attr, 0, bytes, size + 8, EINVAL, "too long");
	if (attr->min) {
		value = attr->min - 1;
		with(request, attr, 0, &value, 4, ERANGE, "below the smallest");
		value = 0;
		with(request, attr, 0, &value, 4, ERANGE, "of zero");
	}
	if (attr->max) {
		/* The quiet time's bound depends on another attribute. */
		int error = attr->type == TIERLENS_A_MODULE_QUIET_MS &&
					    request->cmd == TIERLENS_CMD_ENABLE
				    ? EINVAL
				    : ERANGE;

		value = attr->max + 1;
		with(request, attr, 0, &value, 4, error, "above the largest");
		value = UINT32_MAX;
		with(request, attr, 0, &value, 4, error, "of all ones");
	}
}

static void text_cases(const struct request *request, const struct request_attr *attr)
{
	static const char *const odd[] = {"/a\tb",  "/a\nb", "/\x1b[2J",
					  "/a\x7f", "/\x01", "/\xc3\xa4"};
	uint32_t most = attr->max;
	char longest[256];
	unsigned int i;

	/* As a path must begin, so that this is not what is wrong. */
	memset(longest, '/', sizeof(longest));
	with(request, attr, 0, "", 0, EINVAL, "of zero length");
	with(request, attr, 0, "", 1, EINVAL, "empty");
	with(request, attr, 0, "/noend", 6, EINVAL, "without NUL");
	with(request, attr, 0, longest, most, EINVAL, "longest, without NUL");
	with(request, attr, 0, longest, 2 * most, EINVAL, "too long, without NUL");
	longest[most + 1] = '\0';
	with(request, attr, 0, longest, most + 2, EINVAL, "one character too long");
	with(request, attr, 0, "/rule\0 and more", 16, EINVAL,
	     "with bytes after the NUL");
	for (i = 0; i < MNL_ARRAY_SIZE(odd); i++)
		with(request, attr, 0, odd[i], strlen(odd[i]) + 1, EINVAL,
		     "not of printable ASCII");
}

static void bytes_cases(const struct request *request, const struct request_attr *attr)
{
	static const char zeros[400];

	with(request, attr, 0, zeros, 0, ERANGE, "of zero length");
	with(request, attr, 0, zeros, 65, ERANGE, "one byte too long");
	with(request, attr, 0, zeros, sizeof(zeros), ERANGE, "too long");
}

static void flag_cases(const struct request *request, const struct request_attr *attr)
{
	with(request, attr, 0, "\1", 1, ERANGE, "of one byte");
	with(request, attr, 0, "\1\0\0", 4, ERANGE, "of four bytes");
}

static void attr_cases(const struct request *request, const struct request_attr *attr)
{
	static const char garbage[16] = {9, 0, 1, 0, 'x', 'y', 'z', 'w', 'v'};
	struct message message;
	char name[64];

	if (attr->kind == ATTR_TEXT)
		text_cases(request, attr);
	else if (attr->kind == ATTR_BYTES)
		bytes_cases(request, attr);
	else if (attr->kind == ATTR_FLAG)
		flag_cases(request, attr);
	else
		number_cases(request, attr);
	with(request, attr, NLA_F_NESTED, garbage, sizeof(garbage), EINVAL,
	     "nested garbage");
	with(request, attr, NLA_F_NESTED, garbage, attr->kind == ATTR_U64 ? 8 : 4, EINVAL,
	     "nested garbage of the right length");
	snprintf(name, sizeof(name), "%s, attribute %u", request->name, attr->type);
	all_but(&message, request, attr);
	if (attr->required)
		refused(&message, EINVAL, SENTENCE, name, "missing");
	if (attr->many)
		return;
	request_attr(&message, attr);
	request_attr(&message, attr);
	refused(&message, EINVAL, SENTENCE, name, "given twice");
}

/* One more attribute that the command does not take. */
static void unknown_cases(const struct request *request)
{
	static const struct {
		uint16_t type;
		const char *what;
	} unknown[] = {
		{0, "an attribute of type 0"},
		{1, "a padding attribute"},
		{15, "an attribute of type 15"},
		{64, "an attribute of type 64"},
		{0x3fff, "an attribute of the largest type"},
	};
	struct message message;
	unsigned int i;

	for (i = 0; i < MNL_ARRAY_SIZE(unknown); i++) {
		request_valid(&message, tl, request);
		message_u32(&message, unknown[i].type, 5);
		refused(&message, EINVAL, SENTENCE, request->name, unknown[i].what);
	}
}

static void shape_cases(const struct request *request)
{
	struct message message;
	struct nlmsghdr *nlh = message_header(&message);
	struct nlattr *attr;

	request_valid(&message, tl, request);
	message.length += 2;
	nlh->nlmsg_len += 2;
	refused(&message, EINVAL, SENTENCE, request->name,
		"two bytes after the last attribute");

	request_valid(&message, tl, request);
	attr = mnl_nlmsg_get_payload_tail(nlh);
	message_u32(&message, request->attrs[0].type + 1, 5);
	attr->nla_len = 400;
	refused(&message, EINVAL, SENTENCE, request->name,
		"an attribute longer than the message");
	attr->nla_len = 3;
	refused(&message, EINVAL, SENTENCE, request->name,
		"an attribute shorter than its head");

	request_valid(&message, tl, request);
	nlh->nlmsg_flags ^= NLM_F_DUMP;
	nlh->nlmsg_flags |= NLM_F_ACK;
	refused(&message, EOPNOTSUPP, BARE, request->name,
		request->dump ? "do where dump is expected"
			      : "dump where do is expected");

	request_valid(&message, tl, request);
	message.length = nlh->nlmsg_len = NLMSG_HDRLEN + 2;
	nlh->nlmsg_flags |= NLM_F_ACK;
	refused(&message, EINVAL, BARE, request->name, "too short for its header");
}

static void cut_short(const struct request *request)
{
	static struct state before, after;
	struct tl_answer answer;
	struct message message;
	int ret;

	ret = state_take(tl, &before);
	request_valid(&message, tl, request);
	message_header(&message)->nlmsg_len += 8;
	if (!ret)
		ret = message_exchange(tl, &message, &answer);
	tap(!ret && !answer.ended && !answer.messages && !state_take(tl, &after) &&
		    !memcmp(&before, &after, sizeof(before)),
	    "%s, the datagram ends before the message: dropped", request->name);
}

/* What the valid message has changed is changed back. */
static void restore(const struct request *request)
{
	switch (request->cmd) {
	case TIERLENS_CMD_DISABLE:
	case TIERLENS_CMD_TIER_NEW:
	case TIERLENS_CMD_TIER_DEL:
	case TIERLENS_CMD_CLASS_NEW:
	case TIERLENS_CMD_CLASS_DEL:
	case TIERLENS_CMD_PMU_NEW:
	case TIERLENS_CMD_PMU_DEL:
	case TIERLENS_CMD_SYNC_START:
		request_set_up(tl);
	}
}

static void valid_cases(const struct request *request, uint8_t version, const char *what)
{
	struct message message;
	struct genlmsghdr *head;

	request_valid(&message, tl, request);
	head = mnl_nlmsg_get_payload(message_header(&message));
	head->version = version;
	accepted(&message, request->name, what);
	restore(request);
}

/* Refusals that depend on what is there. */
static void refused_tier(const char *name, uint32_t port, const char *path, int error,
			 const char *sentence, const char *what)
{
	struct message message;

	message_begin(&message, tl, TIERLENS_CMD_TIER_NEW, NLM_F_ACK);
	message_name(&message, TIERLENS_A_TIER_NAME, name);
	if (port)
		message_u32(&message, TIERLENS_A_TIER_PORT, port);
	if (path)
		message_name(&message, TIERLENS_A_TIER_PATH, path);
	refused(&message, error, sentence, "tier-new", what);
}

static void tier_cases(void)
{
	struct message message;

	refused_tier(REQUEST_RULE, REQUEST_NEW_PORT, NULL, EEXIST,
		     "has that name already", "a name that is there");
	refused_tier(REQUEST_RULE, 0, REQUEST_NEW_PATH, EEXIST, "has that name already",
		     "a name that is there, for a path");
	refused_tier(REQUEST_NEW, REQUEST_RULE_PORT, NULL, EEXIST, "has a tier already",
		     "a port that has a rule");
	refused_tier(REQUEST_NEW, 0, NULL, EINVAL, "port is missing",
		     "neither port nor path");
	refused_tier(REQUEST_NEW, REQUEST_NEW_PORT, REQUEST_NEW_PATH, EINVAL,
		     "either a port or a path", "both port and path");
	refused_tier(REQUEST_NEW, 0, "run/fresh.sock", EINVAL, "begins with / or @",
		     "a path that begins otherwise");
	message_begin(&message, tl, TIERLENS_CMD_TIER_DEL, NLM_F_ACK);
	message_name(&message, TIERLENS_A_TIER_NAME, "nobody");
	refused(&message, ENOENT, "no tier has that name", "tier-del",
		"a name that is not there");
}

static int new_tier(const char *name, const char *path)
{
	struct message message;

	message_begin(&message, tl, TIERLENS_CMD_TIER_NEW, NLM_F_ACK);
	message_name(&message, TIERLENS_A_TIER_NAME, name);
	message_name(&message, TIERLENS_A_TIER_PATH, path);
	return request_ask(tl, &message);
}

struct wanted {
	const struct nlattr *attr;
	bool found;
};

static int look_for(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;
	struct wanted *wanted = arg;

	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr))
		wanted->found |= !memcmp(attr, wanted->attr, wanted->attr->nla_len);
	return 0;
}

/* Whether a dump has the attribute. */
static bool listed(uint8_t cmd, uint16_t type, const void *payload, uint16_t length)
{
	struct message with, ask;
	struct wanted wanted = {0};

	message_begin(&with, tl, cmd, NLM_F_DUMP);
	wanted.attr = mnl_nlmsg_get_payload_tail(message_header(&with));
	message_attr(&with, type, payload, length);
	message_begin(&ask, tl, cmd, NLM_F_DUMP);
	return !tl_ask(tl, message_header(&ask), look_for, &wanted) && wanted.found;
}

static void path_cases(void)
{
	char path[TIERLENS_SUN_PATH_MAX + 1];

	memset(path, 'p', sizeof(path));
	path[0] = '@';
	path[TIERLENS_SUN_PATH_MAX] = '\0';
	tap(!new_tier("longest", path) &&
		    listed(TIERLENS_CMD_TIER_GET, TIERLENS_A_TIER_PATH, path,
			   sizeof(path)),
	    "tier-new, the longest path, abstract: taken and listed");
	refused_tier(REQUEST_NEW, 0, path, EEXIST, "has a tier already",
		     "a path that has a rule");
	path[0] = '/';
	tap(!new_tier("as long", path),
	    "tier-new, the same but not abstract: another one");
	request_set_up(tl);
}

static int class_add(const char *name, const char *prefix, const char *tier)
{
	struct message message;

	request_class(&message, tl, TIERLENS_CMD_CLASS_NEW, name, prefix, tier);
	return request_ask(tl, &message);
}

static void refused_class(uint8_t cmd, const char *name, const char *prefix,
			  const char *tier, int error, const char *sentence,
			  const char *what)
{
	struct message message;

	request_class(&message, tl, cmd, name, prefix, tier);
	refused(&message, error, sentence,
		cmd == TIERLENS_CMD_CLASS_NEW ? "class-new" : "class-del", what);
}

static void class_cases(void)
{
	const uint8_t add = TIERLENS_CMD_CLASS_NEW, del = TIERLENS_CMD_CLASS_DEL;
	char prefix[TIERLENS_PREFIX_MAX + 2];

	refused_class(add, "other", "GET", NULL, EINVAL, "what no rule matches",
		      "a class called other");
	refused_class(add, REQUEST_NEW, NULL, NULL, EINVAL, "prefix is missing",
		      "no prefix");
	refused_class(add, REQUEST_CLASS, REQUEST_PREFIX, REQUEST_RULE, EEXIST,
		      "has that prefix already", "a rule that is there");
	refused_class(add, REQUEST_NEW, REQUEST_PREFIX, REQUEST_RULE, EEXIST,
		      "has that prefix already", "its prefix and tier for another class");
	tap(!class_add(REQUEST_NEW, REQUEST_PREFIX, NULL),
	    "class-new, its prefix for all tiers: another rule");
	refused_class(add, REQUEST_NEW, REQUEST_PREFIX, NULL, EEXIST,
		      "has that prefix already", "the same for all tiers again");

	refused_class(del, "nobody", NULL, NULL, ENOENT, "no rule is like that",
		      "a class that is not there");
	refused_class(del, "other", NULL, NULL, ENOENT, "no rule is like that", "other");
	refused_class(del, REQUEST_CLASS, "GET /kep", REQUEST_RULE, ENOENT,
		      "no rule is like that", "a shorter prefix");
	refused_class(del, REQUEST_CLASS, REQUEST_PREFIX, NULL, ENOENT,
		      "no rule is like that", "the prefix for all tiers");
	refused_class(del, REQUEST_CLASS, REQUEST_PREFIX, "nobody", ENOENT,
		      "no rule is like that", "the prefix for another tier");
	refused_class(del, REQUEST_NEW, REQUEST_PREFIX, REQUEST_RULE, ENOENT,
		      "no rule is like that", "the prefix of another class");
	refused_class(del, REQUEST_CLASS, NULL, REQUEST_RULE, EINVAL,
		      "a tier without a prefix", "a tier without a prefix");

	memset(prefix, '\xff', sizeof(prefix));
	prefix[TIERLENS_PREFIX_MAX + 1] = '\0';
	refused_class(add, REQUEST_NEW, prefix, NULL, ERANGE, "empty or too long",
		      "a prefix of 65 bytes");
	prefix[TIERLENS_PREFIX_MAX] = '\0';
	tap(!class_add(REQUEST_NEW, prefix, NULL) &&
		    listed(TIERLENS_CMD_CLASS_GET, TIERLENS_A_CLASS_PREFIX, prefix,
			   TIERLENS_PREFIX_MAX),
	    "class-new, a prefix of 64 bytes: taken and listed");
	request_set_up(tl);
}

static void interval_cases(void)
{
	struct message message;
	struct tl_answer answer;

	message_begin(&message, tl, TIERLENS_CMD_INTERVAL_GET, NLM_F_DUMP);
	message_u64(&message, TIERLENS_A_INTERVAL_GENERATION, 1);
	refused(&message, ENOENT, SENTENCE, "interval-get", "a generation of long ago");
	message_begin(&message, tl, TIERLENS_CMD_INTERVAL_GET, NLM_F_DUMP);
	message_u64(&message, TIERLENS_A_INTERVAL_GENERATION, UINT64_MAX);
	refused(&message, ENOENT, SENTENCE, "interval-get", "a generation to come");
	message_begin(&message, tl, TIERLENS_CMD_INTERVAL_GET, NLM_F_DUMP);
	message_u64(&message, TIERLENS_A_INTERVAL_GENERATION, 1);
	message_u64(&message, TIERLENS_A_INTERVAL_SINCE, 1);
	refused(&message, EINVAL, SENTENCE, "interval-get", "both generation and since");
	message_begin(&message, tl, TIERLENS_CMD_INTERVAL_GET, NLM_F_DUMP);
	message_u64(&message, TIERLENS_A_INTERVAL_SINCE, UINT64_MAX);
	tap(!message_exchange(tl, &message, &answer) && answer.ended && !answer.error &&
		    !answer.messages,
	    "interval-get, since what is to come: nothing");
}

static void command_cases(void)
{
	static const uint8_t cmds[] = {0, TIERLENS_CMD_INTERVAL_NTF, 100, 255};
	struct message message;
	unsigned int i;
	char what[32];

	for (i = 0; i < MNL_ARRAY_SIZE(cmds); i++) {
		snprintf(what, sizeof(what), "number %u", cmds[i]);
		message_begin(&message, tl, cmds[i], NLM_F_ACK);
		refused(&message, EOPNOTSUPP, BARE, "unknown command", what);
		message_begin(&message, tl, cmds[i], NLM_F_DUMP);
		refused(&message, EOPNOTSUPP, BARE, "unknown command, dump", what);
	}
}

/* Rules until the table is full, which must be said, and all of them away again. */
static void full_table(void)
{
	struct message message;
	char name[16];
	unsigned int i;
	int ret = 0;

	for (i = 0; i < 1000 && !ret; i++) {
		snprintf(name, sizeof(name), "full-%u", i);
		message_begin(&message, tl, TIERLENS_CMD_TIER_NEW, NLM_F_ACK);
		message_name(&message, TIERLENS_A_TIER_NAME, name);
		message_u32(&message, TIERLENS_A_TIER_PORT, 20000 + i);
		ret = request_ask(tl, &message);
	}
	tap(ret == -ENOSPC && i > 200, "tier-new, %u times: the table is full", i);
	refused(&message, ENOSPC, SENTENCE, "tier-new", "the table is full");
	tap(!request_set_up(tl), "all rules were deleted");
}

/* 64 rules are all that there can be. */
static void full_rules(void)
{
	struct message message;
	char name[16];
	unsigned int i;
	int ret = 0;

	/* One is there. */
	for (i = 1; i < 100 && !ret; i++) {
		snprintf(name, sizeof(name), "full-%u", i);
		ret = class_add(name, name, NULL);
	}
	tap(ret == -ENOSPC && i == TIERLENS_CLASS_RULES_MAX + 1,
	    "class-new, number %u: there are too many rules", i);
	refused_class(TIERLENS_CMD_CLASS_NEW, REQUEST_NEW, "x", NULL, ENOSPC, "64 rules",
		      "there are 64 rules");
	request_class(&message, tl, TIERLENS_CMD_CLASS_DEL, "full-20", NULL, NULL);
	tap(!request_ask(tl, &message) && !class_add(REQUEST_NEW, "x", NULL),
	    "one was deleted, and another one has its place");
	tap(!request_set_up(tl), "all rules were deleted");
}

static int burn_names(const char *stem, unsigned int n)
{
	struct message message;
	char name[16];
	unsigned int i;
	int ret = 0;

	for (i = 0; i < n && !ret; i++) {
		snprintf(name, sizeof(name), "%s-%u", stem, i);
		ret = class_add(name, "x", NULL);
		if (ret)
			return ret;
		request_class(&message, tl, TIERLENS_CMD_CLASS_DEL, name, NULL, NULL);
		ret = request_ask(tl, &message);
	}
	return ret;
}

static int switch_to(uint8_t cmd)
{
	struct message message;

	message_begin(&message, tl, cmd, NLM_F_ACK);
	return request_ask(tl, &message);
}

/* Names are kept until measuring ends, and there is an end to them. */
static void many_names(bool enabled)
{
	struct message message;

	tap_note("many names, %s", enabled ? "enabled" : "disabled");
	if (!enabled)
		switch_to(TIERLENS_CMD_DISABLE);
	tap(burn_names("name", 300) == -ENOSPC,
	    "class-new, always another name: there are too many");
	refused_class(TIERLENS_CMD_CLASS_NEW, "one-more", "x", NULL, ENOSPC,
		      "too many names", "there have been too many names");
	tap(!class_add("name-7", "x", NULL), "a name that was there can be used again");
	/* What the sentence says. */
	request_class(&message, tl, TIERLENS_CMD_CLASS_DEL, "name-7", NULL, NULL);
	request_ask(tl, &message);
	switch_to(TIERLENS_CMD_DISABLE);
	switch_to(TIERLENS_CMD_ENABLE);
	tap(!burn_names("again", 200), "the sentence's advice helps");
	tap(!request_set_up(tl), "set up again");
}

int bad_cases(struct tl *socket)
{
	const struct request_attr *attr;
	unsigned int i;

	tl = socket;
	tap(!request_set_up(tl), "set up");
	for (i = 0; i < REQUESTS; i++) {
		valid_cases(&requests[i], TIERLENS_GENL_VERSION, "valid");
		for (attr = requests[i].attrs; attr->kind; attr++)
			attr_cases(&requests[i], attr);
		unknown_cases(&requests[i]);
		shape_cases(&requests[i]);
		cut_short(&requests[i]);
		/* After all these, and with a version that nobody looks at. */
		valid_cases(&requests[i], 99, "another version in the header");
	}
	tier_cases();
	path_cases();
	class_cases();
	interval_cases();
	command_cases();
	full_table();
	full_rules();
	many_names(true);
	many_names(false);
	tap(!request_clean_up(tl), "cleaned up");
	return 0;
}

/**
 * bad_denied() - All valid requests, by somebody who lacks the capability
 * @socket: the socket
 *
 * The kernel refuses by itself (GENL_ADMIN_PERM), so there is no sentence. Whether
 * anything was changed, only somebody else can see. Notifications can be had without
 * the capability on older kernels; they hold no figures.
 *
 * Return: 0.
 */
int bad_denied(struct tl *socket)
{
	struct tl_answer answer;
	struct message message;
	unsigned int i;

	for (i = 0; i < REQUESTS; i++) {
		request_valid(&message, socket, &requests[i]);
		if (message_exchange(socket, &message, &answer))
			answer.error = 0;
		tap(answer.ended && answer.error == EPERM && !answer.messages,
		    "%s: EPERM", requests[i].name);
	}
	return 0;
}
