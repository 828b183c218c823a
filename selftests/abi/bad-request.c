// SPDX-License-Identifier: GPL-2.0-or-later
#include "bad-request.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define SOFTWARE 1 /* as PERF_TYPE_SOFTWARE; its event 0 is the processor's clock */
#define TEXT(attr, valid_text, longest, must)                                        \
	{                                                                            \
		.type = attr, .kind = ATTR_TEXT, .text = valid_text, .max = longest, \
		.required = must                                                     \
	}
#define BYTES(attr, valid_text, must)                                                  \
	{                                                                              \
		.type = attr, .kind = ATTR_BYTES, .text = valid_text, .required = must \
	}

/* What is to be deleted is there, what is to be made is not. */
const struct request requests[REQUESTS] = {
	{.name = "module-get", .cmd = TIERLENS_CMD_MODULE_GET},
	{.name = "enable",
	 .cmd = TIERLENS_CMD_ENABLE,
	 .attrs = {{.type = TIERLENS_A_MODULE_INTERVAL_MS,
		    .kind = ATTR_U32,
		    .valid = 1000,
		    .min = 100,
		    .max = 3600000},
		   {.type = TIERLENS_A_MODULE_QUIET_MS,
		    .kind = ATTR_U32,
		    .valid = 250,
		    .min = 10,
		    .max = 2000}}},
	{.name = "disable", .cmd = TIERLENS_CMD_DISABLE},
	{.name = "tier-new",
	 .cmd = TIERLENS_CMD_TIER_NEW,
	 .attrs = {TEXT(TIERLENS_A_TIER_NAME, REQUEST_NEW, TIERLENS_NAME_MAX, true),
		   {.type = TIERLENS_A_TIER_PORT,
		    .kind = ATTR_U32,
		    .required = true,
		    .valid = REQUEST_NEW_PORT,
		    .min = 1,
		    .max = 65535},
		   {.type = TIERLENS_A_TIER_NETNS, .kind = ATTR_U32, .valid = 0}}},
	{.name = "tier-new by path",
	 .cmd = TIERLENS_CMD_TIER_NEW,
	 .attrs = {TEXT(TIERLENS_A_TIER_NAME, REQUEST_NEW, TIERLENS_NAME_MAX, true),
		   TEXT(TIERLENS_A_TIER_PATH, REQUEST_NEW_PATH, TIERLENS_SUN_PATH_MAX,
			true),
		   {.type = TIERLENS_A_TIER_NETNS, .kind = ATTR_U32, .valid = 0}}},
	{.name = "tier-del",
	 .cmd = TIERLENS_CMD_TIER_DEL,
	 .attrs = {TEXT(TIERLENS_A_TIER_NAME, REQUEST_RULE, TIERLENS_NAME_MAX, true)}},
	{.name = "tier-get", .cmd = TIERLENS_CMD_TIER_GET, .dump = true},
	{.name = "class-new",
	 .cmd = TIERLENS_CMD_CLASS_NEW,
	 .attrs = {TEXT(TIERLENS_A_CLASS_NAME, REQUEST_NEW, TIERLENS_NAME_MAX, true),
		   BYTES(TIERLENS_A_CLASS_PREFIX, "GET /\xff\x01", true),
		   TEXT(TIERLENS_A_CLASS_TIER, "nobody", TIERLENS_NAME_MAX, false)}},
	{.name = "class-del",
	 .cmd = TIERLENS_CMD_CLASS_DEL,
	 .attrs = {TEXT(TIERLENS_A_CLASS_NAME, REQUEST_CLASS, TIERLENS_NAME_MAX, true),
		   BYTES(TIERLENS_A_CLASS_PREFIX, REQUEST_PREFIX, false),
		   TEXT(TIERLENS_A_CLASS_TIER, REQUEST_RULE, TIERLENS_NAME_MAX, false)}},
	{.name = "class-get", .cmd = TIERLENS_CMD_CLASS_GET, .dump = true},
	{.name = "hook-get", .cmd = TIERLENS_CMD_HOOK_GET, .dump = true},
	{.name = "pmu-new",
	 .cmd = TIERLENS_CMD_PMU_NEW,
	 .attrs = {TEXT(TIERLENS_A_PMU_NAME, REQUEST_NEW, TIERLENS_NAME_MAX, true),
		   {.type = TIERLENS_A_PMU_TYPE,
		    .kind = ATTR_U32,
		    .required = true,
		    .valid = SOFTWARE},
		   {.type = TIERLENS_A_PMU_CONFIG, .kind = ATTR_U64, .valid = 0},
		   {.type = TIERLENS_A_PMU_CONFIG1, .kind = ATTR_U64, .valid = 0},
		   {.type = TIERLENS_A_PMU_CHARGED, .kind = ATTR_FLAG}}},
	{.name = "pmu-del",
	 .cmd = TIERLENS_CMD_PMU_DEL,
	 .attrs = {TEXT(TIERLENS_A_PMU_NAME, REQUEST_EVENT, TIERLENS_NAME_MAX, false)}},
	{.name = "pmu-get", .cmd = TIERLENS_CMD_PMU_GET, .dump = true},
	{.name = "interval-get",
	 .cmd = TIERLENS_CMD_INTERVAL_GET,
	 .dump = true,
	 .attrs = {{.type = TIERLENS_A_INTERVAL_SINCE, .kind = ATTR_U64, .valid = 1},
		   {.type = TIERLENS_A_INTERVAL_GENERATION,
		    .kind = ATTR_U64,
		    .alone = true,
		    .valid = 1}}},
	{.name = "sync-start",
	 .cmd = TIERLENS_CMD_SYNC_START,
	 .attrs = {{.type = TIERLENS_A_SYNC_PROCESS,
		    .kind = ATTR_U32,
		    .required = true,
		    .many = true,
		    .valid = 1},
		   {.type = TIERLENS_A_SYNC_MS,
		    .kind = ATTR_U32,
		    .required = true,
		    .valid = 10,
		    .min = 1,
		    .max = 600000},
		   {.type = TIERLENS_A_SYNC_BUFFER,
		    .kind = ATTR_U32,
		    .required = true,
		    .valid = 131072,
		    .min = 131072,
		    .max = 268435456},
		   {.type = TIERLENS_A_SYNC_STACK,
		    .kind = ATTR_U32,
		    .valid = 64,
		    .max = 32768}}},
	{.name = "level-set",
	 .cmd = TIERLENS_CMD_LEVEL_SET,
	 .attrs = {TEXT(TIERLENS_A_TIER_NAME, REQUEST_RULE, TIERLENS_NAME_MAX, false),
		   {.type = TIERLENS_A_TIER_LEVEL,
		    .kind = ATTR_U32,
		    .valid = TIERLENS_LEVEL_SERVER,
		    .max = 3}}},
	{.name = "function-del",
	 .cmd = TIERLENS_CMD_FUNCTION_DEL,
	 .attrs = {TEXT(TIERLENS_A_FUNCTION_TIER, REQUEST_RULE, TIERLENS_NAME_MAX, true)}},
	{.name = "function-get", .cmd = TIERLENS_CMD_FUNCTION_GET, .dump = true},
};

uint16_t request_flags(const struct request *request)
{
	return request->dump ? NLM_F_DUMP : NLM_F_ACK;
}

/* The attribute as it should be. */
void request_attr(struct message *message, const struct request_attr *attr)
{
	switch (attr->kind) {
	case ATTR_U32:
		message_u32(message, attr->type, attr->valid);
		break;
	case ATTR_U64:
		message_u64(message, attr->type, attr->valid);
		break;
	case ATTR_TEXT:
		message_name(message, attr->type, attr->text);
		break;
	case ATTR_BYTES:
		message_attr(message, attr->type, attr->text, strlen(attr->text));
		break;
	case ATTR_FLAG:
		message_attr(message, attr->type, NULL, 0);
		break;
	case ATTR_NONE:
		break;
	}
}

void request_valid(struct message *message, struct tl *tl, const struct request *request)
{
	const struct request_attr *attr;

	message_begin(message, tl, request->cmd, request_flags(request));
	for (attr = request->attrs; attr->kind; attr++)
		if (!attr->alone)
			request_attr(message, attr);
}

int request_ask(struct tl *tl, const struct message *message)
{
	return tl_ask(tl, (const struct nlmsghdr *)message->bytes, NULL, NULL);
}

/* @prefix and @tier: NULL for none */
void request_class(struct message *message, struct tl *tl, uint8_t cmd, const char *name,
		   const char *prefix, const char *tier)
{
	message_begin(message, tl, cmd, NLM_F_ACK);
	message_name(message, TIERLENS_A_CLASS_NAME, name);
	if (prefix)
		message_attr(message, TIERLENS_A_CLASS_PREFIX, prefix, strlen(prefix));
	if (tier)
		message_name(message, TIERLENS_A_CLASS_TIER, tier);
}

/**
 * request_set_up() - One rule of each kind and an event, enabled with the values of the valid message
 * @tl: the socket
 *
 * Return: 0 or a negative errno.
 */
int request_set_up(struct tl *tl)
{
	struct message message;
	int ret = request_clean_up(tl);

	if (ret)
		return ret;
	message_begin(&message, tl, TIERLENS_CMD_TIER_NEW, NLM_F_ACK);
	message_name(&message, TIERLENS_A_TIER_NAME, REQUEST_RULE);
	message_u32(&message, TIERLENS_A_TIER_PORT, REQUEST_RULE_PORT);
	ret = request_ask(tl, &message);
	if (ret)
		return ret;
	request_class(&message, tl, TIERLENS_CMD_CLASS_NEW, REQUEST_CLASS, REQUEST_PREFIX,
		      REQUEST_RULE);
	ret = request_ask(tl, &message);
	if (ret)
		return ret;
	message_begin(&message, tl, TIERLENS_CMD_PMU_NEW, NLM_F_ACK);
	message_name(&message, TIERLENS_A_PMU_NAME, REQUEST_EVENT);
	message_u32(&message, TIERLENS_A_PMU_TYPE, SOFTWARE);
	ret = request_ask(tl, &message);
	if (ret)
		return ret;
	message_begin(&message, tl, TIERLENS_CMD_ENABLE, NLM_F_ACK);
	message_u32(&message, TIERLENS_A_MODULE_INTERVAL_MS, 1000);
	message_u32(&message, TIERLENS_A_MODULE_QUIET_MS, 250);
	return request_ask(tl, &message);
}

struct names {
	unsigned int n;
	char name[256][TIERLENS_NAME_MAX + 1];
};

static int take_rule(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;
	struct names *names = arg;
	const char *name = NULL;
	uint32_t source = 0;

	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == TIERLENS_A_TIER_NAME)
			name = mnl_attr_get_str(attr);
		if (mnl_attr_get_type(attr) == TIERLENS_A_TIER_SOURCE)
			source = mnl_attr_get_u32(attr);
	}
	if (!name || source != TIERLENS_TIER_SOURCE_RULE || names->n == 256)
		return 0;
	if (strlen(name) > TIERLENS_NAME_MAX)
		return -EPROTO;
	strcpy(names->name[names->n++], name);
	return 0;
}

static int take_class(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;
	struct names *names = arg;
	const char *name = NULL;
	unsigned int i;

	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == TIERLENS_A_CLASS_NAME)
			name = mnl_attr_get_str(attr);
	if (!name || strlen(name) > TIERLENS_NAME_MAX)
		return -EPROTO;
	/* Rules of one class are deleted at once. */
	for (i = 0; i < names->n; i++)
		if (!strcmp(names->name[i], name))
			return 0;
	if (names->n < 256)
		strcpy(names->name[names->n++], name);
	return 0;
}

/* All that a dump lists, by their names. */
static int delete_all(struct tl *tl, uint8_t get, tl_message_fn *take, uint8_t del,
		      uint16_t type)
{
	struct names names = {0};
	struct message message;
	unsigned int i;
	int ret;

	message_begin(&message, tl, get, NLM_F_DUMP);
	ret = tl_ask(tl, message_header(&message), take, &names);
	for (i = 0; !ret && i < names.n; i++) {
		message_begin(&message, tl, del, NLM_F_ACK);
		message_name(&message, type, names.name[i]);
		ret = request_ask(tl, &message);
	}
	return ret;
}

/**
 * request_clean_up() - Disable, end recordings, and delete all events, and all rules by
 *                      the names that are listed
 * @tl: the socket, with nothing left to read
 *
 * Return: 0 or a negative errno.
 */
int request_clean_up(struct tl *tl)
{
	struct message message;
	int ret;

	/* What the kernel has opened here since the socket. */
	close_range(mnl_socket_get_fd(tl->socket) + 1, ~0U, 0);
	message_begin(&message, tl, TIERLENS_CMD_DISABLE, NLM_F_ACK);
	ret = request_ask(tl, &message);
	message_begin(&message, tl, TIERLENS_CMD_PMU_DEL, NLM_F_ACK);
	if (!ret)
		ret = request_ask(tl, &message);
	if (!ret)
		ret = delete_all(tl, TIERLENS_CMD_TIER_GET, take_rule,
				 TIERLENS_CMD_TIER_DEL, TIERLENS_A_TIER_NAME);
	if (!ret)
		ret = delete_all(tl, TIERLENS_CMD_CLASS_GET, take_class,
				 TIERLENS_CMD_CLASS_DEL, TIERLENS_A_CLASS_NAME);
	return ret;
}
