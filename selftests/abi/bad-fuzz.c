// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mutations of valid requests, repeatable by their seed
 *
 * The message's type stays the family's, so nobody else in the kernel is meant. What
 * is accepted may change the module; what counts is that it still works, that each
 * rule it took can be deleted by its name, and what the kernel's log says.
 */
#include "bad-request.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Arming and disarming take long. */
#define SWITCHES_MAX 60
#define BARE_SHOWN 5
#define SHOWN_EACH 100000 /* messages: a million take more than an hour on a debug kernel */

static uint64_t state;

static uint64_t draw(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static uint32_t below(uint32_t n)
{
	return draw() % n;
}

static uint64_t odd_number(void)
{
	static const uint64_t odd[] = {0,	  1,	      9,	 10,	  99,
				       100,	  65535,      65536,	 3600000, 3600001,
				       INT32_MAX, UINT32_MAX, UINT64_MAX};

	return below(3) ? odd[below(MNL_ARRAY_SIZE(odd))] : draw();
}

static void fuzz_attr(struct message *message, const struct request_attr *attr)
{
	char text[80];
	unsigned int i, n;

	switch (attr->kind) {
	case ATTR_U32:
		message_u32(message, attr->type,
			    below(2) ? odd_number() : attr->min + below(2000));
		break;
	case ATTR_U64:
		message_u64(message, attr->type, odd_number());
		break;
	case ATTR_BYTES:
		/* Mostly a few that are often the same. */
		n = below(8) ? 1 + below(2) : below(sizeof(text));
		for (i = 0; i < n; i++)
			text[i] = below(4) ? 'a' + below(8) : draw();
		message_attr(message, attr->type, text, n);
		break;
	case ATTR_FLAG:
		message_attr(message, attr->type, "\1\0\0", below(4) ? 0 : below(5));
		break;
	default:
		n = attr->type == TIERLENS_A_TIER_PATH &&
		    attr->max == TIERLENS_SUN_PATH_MAX;
		snprintf(text, sizeof(text), "%st%u", n ? "/" : "", below(32));
		message_name(message, attr->type, text);
	}
}

static void random_attr(struct message *message)
{
	uint64_t bytes[8];
	unsigned int i;

	for (i = 0; i < 8; i++)
		bytes[i] = draw();
	message_attr(message, below(4) ? below(18) : draw(), bytes, below(sizeof(bytes)));
}

static void flip(struct message *message, unsigned int from)
{
	if (message->length > from)
		message->bytes[from + below(message->length - from)] ^= 1 << below(8);
}

static void mutate(struct message *message)
{
	struct nlmsghdr *nlh = message_header(message);

	switch (below(8)) {
	case 0:
		flip(message, NLMSG_HDRLEN);
		break;
	case 1: /* in an attribute */
		flip(message, NLMSG_HDRLEN + GENL_HDRLEN);
		break;
	case 2:
		if (message->length < TL_REQUEST_BYTES / 2 &&
		    nlh->nlmsg_len == message->length)
			random_attr(message);
		break;
	case 3: /* shorter */
		message->length -= below(message->length - NLMSG_HDRLEN + 1);
		nlh->nlmsg_len = message->length;
		break;
	case 4:
		nlh->nlmsg_len = below(2) ? below(200) : draw();
		break;
	case 5:
		nlh->nlmsg_flags ^= 1 << below(16);
		break;
	case 6:
		((struct genlmsghdr *)mnl_nlmsg_get_payload(nlh))->cmd =
			below(TIERLENS_CMD_MAX + 4);
		break;
	case 7: /* a first attribute of another length */
		((struct nlattr *)(message->bytes + NLMSG_HDRLEN + GENL_HDRLEN))
			->nla_len = below(2) ? below(64) : draw();
	}
}

static bool switches(const struct message *message)
{
	const struct genlmsghdr *head = (const void *)(message->bytes + NLMSG_HDRLEN);

	return head->cmd == TIERLENS_CMD_ENABLE || head->cmd == TIERLENS_CMD_DISABLE;
}

/* What is behind the message would be another one, for whom chance decides. */
static void clip(struct message *message)
{
	size_t length = MNL_ALIGN((size_t)message_header(message)->nlmsg_len);

	if (length >= NLMSG_HDRLEN && length < message->length)
		message->length = length;
}

static void draw_message(struct message *message, struct tl *tl, bool may_switch)
{
	const struct request *request;
	const struct request_attr *attr;
	unsigned int n;

	do {
		request = &requests[below(REQUESTS)];
		message_begin(message, tl, request->cmd, request_flags(request));
		for (attr = request->attrs; attr->kind; attr++)
			if (below(4))
				fuzz_attr(message, attr);
		for (n = below(4); n; n--)
			mutate(message);
		clip(message);
	} while (switches(message) && !may_switch);
}

/* The family never refuses without a sentence; the kernel does before it is asked. */
static bool refused_barely(const struct tl *tl, struct message *message,
			   const struct tl_answer *answer)
{
	return answer->error && answer->error != EOPNOTSUPP && !tl->sentence[0] &&
	       message_header(message)->nlmsg_len >= NLMSG_HDRLEN + GENL_HDRLEN;
}

static void note_message(const struct message *message, unsigned int i, int error)
{
	char text[2 * sizeof(message->bytes) + 1];
	unsigned int n;

	for (n = 0; n < message->length; n++)
		snprintf(text + 2 * n, 3, "%02x", (unsigned char)message->bytes[n]);
	text[2 * n] = '\0';
	tap_note("message %u, refused without a sentence (%s): %s", i, strerror(error), text);
}

int bad_fuzz(struct tl *tl, unsigned int messages, uint64_t seed)
{
	unsigned int i, taken = 0, refused = 0, silent = 0, switched = 0, bare = 0;
	struct message message;
	struct tl_answer answer;
	int ret = 0;

	tap_note("%u messages, seed %" PRIu64, messages, seed);
	state = seed;
	for (i = 0; i < messages && !ret; i++) {
		draw_message(&message, tl, switched < SWITCHES_MAX);
		ret = message_exchange(tl, &message, &answer);
		switched += switches(&message) && answer.ended && !answer.error;
		taken += answer.ended && !answer.error;
		refused += answer.ended && answer.error;
		silent += !answer.ended;
		if ((i + 1) % SHOWN_EACH == 0)
			tap_note("%u sent", i + 1);
		if (refused_barely(tl, &message, &answer) && ++bare <= BARE_SHOWN)
			note_message(&message, i, answer.error);
	}
	tap_note("%u accepted, %u refused (%u without a sentence), %u without an answer, "
		 "%u times switched",
		 taken, refused, bare, silent, switched);
	if (ret)
		tap_note("at message %u: %s", i - 1, strerror(-ret));
	tap(!ret && i == messages, "every message could be sent");
	tap(!bare, "every refusal had a sentence");
	tap(taken > messages / 20 && refused > messages / 20,
	    "some were accepted and some refused");
	ret = request_set_up(tl);
	tap(!ret, "rules are deleted by their names, and it works as before: %s",
	    strerror(-ret));
	tap(!request_clean_up(tl), "cleaned up");
	return 0;
}
