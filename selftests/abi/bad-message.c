// SPDX-License-Identifier: GPL-2.0-or-later
#include "bad-message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static unsigned int tap_points, tap_failed;

void tap(bool good, const char *format, ...)
{
	va_list args;

	tap_points++;
	tap_failed += !good;
	printf("%sok %u - ", good ? "" : "not ", tap_points);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

void tap_note(const char *format, ...)
{
	va_list args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

int tap_end(void)
{
	printf("1..%u\n", tap_points);
	return tap_failed || !tap_points;
}

struct nlmsghdr *message_header(struct message *message)
{
	return (struct nlmsghdr *)message->bytes;
}

void message_begin(struct message *message, struct tl *tl, uint8_t cmd, uint16_t flags)
{
	memset(message->bytes, 0, sizeof(message->bytes));
	message->length = tl_request(tl, message->bytes, cmd, flags)->nlmsg_len;
}

/* An attribute of whatever type and length. */
void message_attr(struct message *message, uint16_t type, const void *payload,
		  uint16_t length)
{
	mnl_attr_put(message_header(message), type, length, payload);
	message->length = message_header(message)->nlmsg_len;
}

void message_u32(struct message *message, uint16_t type, uint32_t value)
{
	message_attr(message, type, &value, sizeof(value));
}

void message_u64(struct message *message, uint16_t type, uint64_t value)
{
	message_attr(message, type, &value, sizeof(value));
}

void message_name(struct message *message, uint16_t type, const char *name)
{
	message_attr(message, type, name, strlen(name) + 1);
}

/*
 * The kernel answers while it takes a message, so what is not there afterwards will
 * never come; a dump goes on while its parts are taken.
 */
int message_exchange(struct tl *tl, const struct message *message,
		     struct tl_answer *answer)
{
	int ret = tl_send(tl, message->bytes, message->length);

	memset(answer, 0, sizeof(*answer));
	tl->sentence[0] = '\0';
	while (!ret)
		ret = tl_receive(tl, MSG_DONTWAIT, NULL, NULL, answer);
	return ret == -EAGAIN ? 0 : ret;
}

static void add(struct state *state, const struct nlattr *attr)
{
	size_t length = mnl_attr_get_len(attr);

	if (state->length + length > sizeof(state->text)) {
		state->full = true;
		return;
	}
	memcpy(state->text + state->length, attr, length);
	state->length += length;
}

static int add_module(const struct nlmsghdr *nlh, void *state)
{
	const struct nlattr *attr;

	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr))
		switch (mnl_attr_get_type(attr)) {
		case TIERLENS_A_MODULE_ENABLED:
		case TIERLENS_A_MODULE_INTERVAL_MS:
		case TIERLENS_A_MODULE_QUIET_MS:
		case TIERLENS_A_MODULE_MEMORY_CAP:
		case TIERLENS_A_MODULE_TIERS:
		case TIERLENS_A_MODULE_CLASS_RULES:
			add(state, attr);
		}
	return 0;
}

static int add_tier(const struct nlmsghdr *nlh, void *state)
{
	const struct nlattr *attr;

	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) != TIERLENS_A_TIER_CONNECTIONS)
			add(state, attr);
	return 0;
}

static int add_class(const struct nlmsghdr *nlh, void *state)
{
	const struct nlattr *attr;

	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) != TIERLENS_A_CLASS_HITS)
			add(state, attr);
	return 0;
}

static int add_event(const struct nlmsghdr *nlh, void *state)
{
	const struct nlattr *attr;

	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) != TIERLENS_A_PMU_CPUS)
			add(state, attr);
	return 0;
}

/**
 * state_take() - What no refused message may change
 * @tl: the socket, with nothing left to read
 * @state: filled
 *
 * Return: 0 or a negative errno.
 */
int state_take(struct tl *tl, struct state *state)
{
	char buffer[TL_REQUEST_BYTES];
	int ret;

	memset(state, 0, sizeof(*state));
	ret = tl_ask(tl, tl_request(tl, buffer, TIERLENS_CMD_MODULE_GET, NLM_F_ACK),
		     add_module, state);
	if (!ret)
		ret = tl_ask(tl,
			     tl_request(tl, buffer, TIERLENS_CMD_TIER_GET, NLM_F_DUMP),
			     add_tier, state);
	if (!ret)
		ret = tl_ask(tl,
			     tl_request(tl, buffer, TIERLENS_CMD_CLASS_GET, NLM_F_DUMP),
			     add_class, state);
	if (!ret)
		ret = tl_ask(tl, tl_request(tl, buffer, TIERLENS_CMD_PMU_GET, NLM_F_DUMP),
			     add_event, state);
	return ret ? ret : state->full ? -ENOSPC : 0;
}
