// SPDX-License-Identifier: GPL-2.0-or-later
/* Intervals and notifications, as they come. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "tlmnl.h"

static int send_get(int type, uint64_t generation)
{
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh;

	nlh = tl_request(&client.tl, buffer, TIERLENS_CMD_INTERVAL_GET, NLM_F_DUMP);
	if (type)
		mnl_attr_put_u64(nlh, type, generation);
	client.tl.sentence[0] = '\0';
	return tl_send(&client.tl, nlh, nlh->nlmsg_len);
}

/* What the reader must know to be strict. */
static int take_module(const struct nlmsghdr *nlh, void *arg)
{
	struct field_set set, losses;

	(void)arg;
	field_set_message(&set, nlh);
	if (!set.attrs[TIERLENS_A_MODULE_LOSSES])
		return -EPROTO;
	field_set_nest(&losses, set.attrs[TIERLENS_A_MODULE_LOSSES]);
	client.reader.processors = field_number(set.attrs[TIERLENS_A_MODULE_PROCESSORS]);
	if (field_number(losses.attrs[TIERLENS_A_LOSSES_CELLS_FULL]))
		client.reader.lossy = true;
	return 0;
}

static int read_intervals(int type, uint64_t generation)
{
	struct tl_answer answer = {0};
	char buffer[TL_REQUEST_BYTES];
	int ret;

	ret = tl_ask(&client.tl, tl_request(&client.tl, buffer, TIERLENS_CMD_MODULE_GET, NLM_F_ACK),
		     take_module, NULL);
	if (!ret)
		ret = send_get(type, generation);

	while (!ret && !answer.ended) {
		ret = tl_receive(&client.tl, 0, interval_part, &client.reader, &answer);
		if (client.stop)
			raise(SIGSTOP);
		client.stop = false;
	}
	if (!ret && !answer.error && client.reader.open) {
		client.reader.wrong = "the dump ended within an interval";
		return -EPROTO;
	}
	return ret ? ret : -answer.error;
}

int do_get(int argc, char **argv)
{
	if (argc == 1)
		return read_intervals(0, 0);
	return read_intervals(TIERLENS_A_INTERVAL_GENERATION, to_number(argv[1]));
}

int do_since(int argc, char **argv)
{
	(void)argc;
	return read_intervals(TIERLENS_A_INTERVAL_SINCE, to_number(argv[1]));
}

/* Whoever ends it finds whole lines: a long one is written in pieces. */
int do_follow(int argc, char **argv)
{
	uint64_t n = to_number(argv[2]);
	int ret = 0;

	(void)argc;
	end_when_told();
	client.reader.generation = to_number(argv[1]);
	while (!ret && !told_to_end && client.reader.printed < n) {
		ret = read_intervals(TIERLENS_A_INTERVAL_SINCE, client.reader.generation);
		if (!ret && client.reader.printed < n)
			usleep(50000);
	}
	return ret;
}

int do_hold(int argc, char **argv)
{
	struct tl_answer answer = {0};
	int ret = send_get(TIERLENS_A_INTERVAL_SINCE, to_number(argv[1]));

	(void)argc;
	if (!ret)
		ret = tl_receive(&client.tl, 0, NULL, NULL, &answer);
	if (ret || answer.ended)
		return ret ? ret : -EPROTO;
	printf("holding\n");
	fflush(stdout);
	for (;;)
		pause();
}

/* ---- notifications ----------------------------------------------------------- */

static int print_notification(const struct nlmsghdr *nlh, void *arg)
{
	const struct genlmsghdr *head = mnl_nlmsg_get_payload(nlh);
	struct json json = {.out = stdout};
	const struct nlattr *attr;
	uint64_t value;

	(void)arg;
	json_open(&json, NULL, '{');
	json_u64(&json, "cmd", head->cmd);
	mnl_attr_for_each (attr, nlh, sizeof(*head)) {
		char name[16];

		value = 0;
		if (mnl_attr_get_type(attr) == TIERLENS_A_INTERVAL_PAD)
			continue;
		if (mnl_attr_get_payload_len(attr) == sizeof(value))
			memcpy(&value, mnl_attr_get_payload(attr), sizeof(value));
		snprintf(name, sizeof(name), "a%u", mnl_attr_get_type(attr));
		json_u64(&json, name, value);
	}
	json_close(&json, '}');
	putchar('\n');
	fflush(stdout);
	return 0;
}

int do_listen(int argc, char **argv)
{
	struct tl_answer answer = {0};
	uint64_t n = to_number(argv[1]);
	int ret = 0;

	(void)argc;
	if (mnl_socket_setsockopt(client.tl.socket, NETLINK_ADD_MEMBERSHIP, &client.tl.group,
				  sizeof(client.tl.group)))
		return -errno;
	while (!ret && answer.messages < n)
		ret = tl_receive(&client.tl, 0, print_notification, NULL, &answer);
	return ret;
}
