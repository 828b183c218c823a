// SPDX-License-Identifier: GPL-2.0-or-later
/* A client of the ABI that shares nothing with the command line tool. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "interval.h"
#include "json.h"
#include "tl.h"

static const char help[] =
	"usage: tlmnl [options] COMMAND\n"
	"  status | enable [INTERVAL_MS [QUIET_MS]] | disable\n"
	"  tier-add NAME PORT [NETNS] | tier-del NAME | tier-list | hooks\n"
	"  get [GENERATION]        one interval, the newest by default\n"
	"  since GENERATION        all kept ones after it\n"
	"  follow GENERATION N     the same again and again until N were read\n"
	"  hold GENERATION         begin as 'since', read one part, and wait for a "
	"signal\n"
	"  listen N                N notifications\n"
	"options:\n"
	"  --buffer BYTES          for one datagram (32768); bounds what the kernel puts "
	"into one\n"
	"  --rcvbuf BYTES          the socket's receive buffer\n"
	"  --stop                  stop after the first part, until SIGCONT\n"
	"  --parts                 tell of how many parts an interval was\n"
	"Prints JSON lines. A refusal is told on stderr as 'ERROR: SENTENCE', exit "
	"status 1.\n"
	"example: tlmnl follow 0 10\n";

static struct tl tl;
static bool stop;
static struct interval_reader reader;

static uint64_t to_number(const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 0);

	if (end == text || *end) {
		fprintf(stderr, "tlmnl: not a number: '%s'\n", text);
		exit(2);
	}
	return value;
}

static int finish(int ret)
{
	if (ret == -EPROTO && reader.wrong)
		fprintf(stderr, "tlmnl: generation %llu: %s\n",
			(unsigned long long)reader.generation, reader.wrong);
	else if (ret < 0)
		fprintf(stderr, "%s: %s\n", strerror(-ret), tl.sentence);
	return ret < 0;
}

/* ---- the module, tiers, hooks ------------------------------------------------ */

enum kind { NUMBER, TEXT, EVENTS, LOSSES };

struct field {
	const char *name; /* NULL: not there */
	enum kind kind;
};

static const struct field module_fields[] = {
	[TIERLENS_A_MODULE_VERSION] = {"version", TEXT},
	[TIERLENS_A_MODULE_ABI] = {"abi", NUMBER},
	[TIERLENS_A_MODULE_ENABLED] = {"enabled", NUMBER},
	[TIERLENS_A_MODULE_INTERVAL_MS] = {"interval_ms", NUMBER},
	[TIERLENS_A_MODULE_QUIET_MS] = {"quiet_ms", NUMBER},
	[TIERLENS_A_MODULE_OLDEST] = {"oldest", NUMBER},
	[TIERLENS_A_MODULE_NEWEST] = {"newest", NUMBER},
	[TIERLENS_A_MODULE_MEMORY_USED] = {"memory_used", NUMBER},
	[TIERLENS_A_MODULE_MEMORY_CAP] = {"memory_cap", NUMBER},
	[TIERLENS_A_MODULE_CONNECTIONS] = {"connections", NUMBER},
	[TIERLENS_A_MODULE_THREADS] = {"threads", NUMBER},
	[TIERLENS_A_MODULE_TIERS] = {"tiers", NUMBER},
	[TIERLENS_A_MODULE_EVENTS] = {"events", EVENTS},
	[TIERLENS_A_MODULE_LOSSES] = {"losses", LOSSES},
	{NULL, NUMBER},
};

static const struct field tier_fields[] = {
	[TIERLENS_A_TIER_ID] = {"id", NUMBER},
	[TIERLENS_A_TIER_NAME] = {"name", TEXT},
	[TIERLENS_A_TIER_PORT] = {"port", NUMBER},
	[TIERLENS_A_TIER_NETNS] = {"netns", NUMBER},
	[TIERLENS_A_TIER_SOURCE] = {"source", NUMBER},
	[TIERLENS_A_TIER_CONNECTIONS] = {"connections", NUMBER},
	{NULL, NUMBER},
};

static const struct field hook_fields[] = {
	[TIERLENS_A_HOOK_NAME] = {"name", TEXT},
	[TIERLENS_A_HOOK_SYMBOL] = {"symbol", TEXT},
	[TIERLENS_A_HOOK_STATE] = {"state", NUMBER},
	[TIERLENS_A_HOOK_REQUIRED] = {"required", NUMBER},
	[TIERLENS_A_HOOK_HITS] = {"hits", NUMBER},
	[TIERLENS_A_HOOK_MISSED] = {"missed", NUMBER},
	{NULL, NUMBER},
};

static void print_field(struct json *json, const struct field *field,
			const struct nlattr *attr)
{
	uint64_t value = 0;

	switch (field->kind) {
	case NUMBER:
		memcpy(&value, mnl_attr_get_payload(attr),
		       mnl_attr_get_payload_len(attr));
		json_u64(json, field->name, value);
		break;
	case TEXT:
		json_text(json, field->name, mnl_attr_get_str(attr));
		break;
	case EVENTS:
	case LOSSES:
		json_open(json, field->name, '{');
		if (field->kind == EVENTS)
			interval_attributes(json, attr, interval_event_names,
					    TIERLENS_A_EVENTS_MAX + 1);
		else
			interval_attributes(json, attr, interval_loss_names,
					    TIERLENS_A_LOSSES_MAX + 1);
		json_close(json, '}');
	}
}

/* One line for a message, every field once. */
static int print_message(const struct nlmsghdr *nlh, void *arg)
{
	struct json json = {.out = stdout};
	const struct field *fields = arg;
	const struct nlattr *attr;
	unsigned int i, n = 0, seen = 0;

	for (i = 1; i < 2 || fields[i].name; i++)
		n += !!fields[i].name;
	json_open(&json, NULL, '{');
	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr)) {
		i = mnl_attr_get_type(attr);
		if (!i || i > n + 1 || !fields[i].name)
			continue;
		print_field(&json, &fields[i], attr);
		seen++;
	}
	json_close(&json, '}');
	putchar('\n');
	if (seen == n)
		return 0;
	fprintf(stderr, "tlmnl: %u of %u attributes\n", seen, n);
	return -EPROTO;
}

static int simple(uint8_t cmd, uint16_t flags, const struct field *fields)
{
	char buffer[TL_REQUEST_BYTES];

	return tl_ask(&tl, tl_request(&tl, buffer, cmd, flags), print_message,
		      (void *)fields);
}

static int do_status(int argc, char **argv)
{
	(void)argc, (void)argv;
	return simple(TIERLENS_CMD_MODULE_GET, NLM_F_ACK, module_fields);
}

static int do_tier_list(int argc, char **argv)
{
	(void)argc, (void)argv;
	return simple(TIERLENS_CMD_TIER_GET, NLM_F_DUMP, tier_fields);
}

static int do_hooks(int argc, char **argv)
{
	(void)argc, (void)argv;
	return simple(TIERLENS_CMD_HOOK_GET, NLM_F_DUMP, hook_fields);
}

static int do_enable(int argc, char **argv)
{
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh = tl_request(&tl, buffer, TIERLENS_CMD_ENABLE, NLM_F_ACK);

	if (argc > 1)
		mnl_attr_put_u32(nlh, TIERLENS_A_MODULE_INTERVAL_MS, to_number(argv[1]));
	if (argc > 2)
		mnl_attr_put_u32(nlh, TIERLENS_A_MODULE_QUIET_MS, to_number(argv[2]));
	return tl_ask(&tl, nlh, NULL, NULL);
}

static int do_disable(int argc, char **argv)
{
	char buffer[TL_REQUEST_BYTES];

	(void)argc, (void)argv;
	return tl_ask(&tl, tl_request(&tl, buffer, TIERLENS_CMD_DISABLE, NLM_F_ACK), NULL,
		      NULL);
}

static int do_tier_add(int argc, char **argv)
{
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh = tl_request(&tl, buffer, TIERLENS_CMD_TIER_NEW, NLM_F_ACK);

	mnl_attr_put_strz(nlh, TIERLENS_A_TIER_NAME, argv[1]);
	mnl_attr_put_u32(nlh, TIERLENS_A_TIER_PORT, to_number(argv[2]));
	if (argc > 3)
		mnl_attr_put_u32(nlh, TIERLENS_A_TIER_NETNS, to_number(argv[3]));
	return tl_ask(&tl, nlh, NULL, NULL);
}

static int do_tier_del(int argc, char **argv)
{
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh = tl_request(&tl, buffer, TIERLENS_CMD_TIER_DEL, NLM_F_ACK);

	(void)argc;
	mnl_attr_put_strz(nlh, TIERLENS_A_TIER_NAME, argv[1]);
	return tl_ask(&tl, nlh, NULL, NULL);
}

/* ---- intervals --------------------------------------------------------------- */

static int send_get(int type, uint64_t generation)
{
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh;

	nlh = tl_request(&tl, buffer, TIERLENS_CMD_INTERVAL_GET, NLM_F_DUMP);
	if (type)
		mnl_attr_put_u64(nlh, type, generation);
	tl.sentence[0] = '\0';
	return tl_send(&tl, nlh, nlh->nlmsg_len);
}

static int read_intervals(int type, uint64_t generation)
{
	struct tl_answer answer = {0};
	int ret = send_get(type, generation);

	while (!ret && !answer.ended) {
		ret = tl_receive(&tl, 0, interval_part, &reader, &answer);
		if (stop)
			raise(SIGSTOP);
		stop = false;
	}
	if (!ret && !answer.error && reader.open) {
		reader.wrong = "the dump ended within an interval";
		return -EPROTO;
	}
	return ret ? ret : -answer.error;
}

static int do_get(int argc, char **argv)
{
	if (argc == 1)
		return read_intervals(0, 0);
	return read_intervals(TIERLENS_A_INTERVAL_GENERATION, to_number(argv[1]));
}

static int do_since(int argc, char **argv)
{
	(void)argc;
	return read_intervals(TIERLENS_A_INTERVAL_SINCE, to_number(argv[1]));
}

static int do_follow(int argc, char **argv)
{
	uint64_t n = to_number(argv[2]);
	int ret = 0;

	(void)argc;
	reader.generation = to_number(argv[1]);
	while (!ret && reader.printed < n) {
		ret = read_intervals(TIERLENS_A_INTERVAL_SINCE, reader.generation);
		if (!ret && reader.printed < n)
			usleep(50000);
	}
	return ret;
}

static int do_hold(int argc, char **argv)
{
	struct tl_answer answer = {0};
	int ret = send_get(TIERLENS_A_INTERVAL_SINCE, to_number(argv[1]));

	(void)argc;
	if (!ret)
		ret = tl_receive(&tl, 0, NULL, NULL, &answer);
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

static int do_listen(int argc, char **argv)
{
	struct tl_answer answer = {0};
	uint64_t n = to_number(argv[1]);
	int ret = 0;

	(void)argc;
	if (mnl_socket_setsockopt(tl.socket, NETLINK_ADD_MEMBERSHIP, &tl.group,
				  sizeof(tl.group)))
		return -errno;
	while (!ret && answer.messages < n)
		ret = tl_receive(&tl, 0, print_notification, NULL, &answer);
	return ret;
}

/* ---- the command line -------------------------------------------------------- */

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	int min, max; /* arguments */
} commands[] = {
	{"status", do_status, 0, 0},	 {"enable", do_enable, 0, 2},
	{"disable", do_disable, 0, 0},	 {"tier-add", do_tier_add, 2, 3},
	{"tier-del", do_tier_del, 1, 1}, {"tier-list", do_tier_list, 0, 0},
	{"hooks", do_hooks, 0, 0},	 {"get", do_get, 0, 1},
	{"since", do_since, 1, 1},	 {"follow", do_follow, 2, 2},
	{"hold", do_hold, 1, 1},	 {"listen", do_listen, 1, 1},
};

static const struct option longs[] = {
	{"buffer", required_argument, NULL, 'b'},
	{"rcvbuf", required_argument, NULL, 'r'},
	{"stop", no_argument, NULL, 'p'},
	{"parts", no_argument, NULL, 'n'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static const struct command *find(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; argc && i < MNL_ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, argv[0]) && argc - 1 >= commands[i].min &&
		    argc - 1 <= commands[i].max)
			return &commands[i];
	fputs(help, stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	size_t buffer_bytes = TL_BUFFER_BYTES;
	const struct command *command;
	int option, rcvbuf = 0, ret;

	while ((option = getopt_long(argc, argv, "+h", longs, NULL)) != -1)
		switch (option) {
		case 'b':
			buffer_bytes = to_number(optarg);
			break;
		case 'r':
			rcvbuf = to_number(optarg);
			break;
		case 'p':
			stop = true;
			break;
		case 'n':
			reader.show_parts = true;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			return 2;
		}
	reader.out = stdout;
	command = find(argc - optind, argv + optind);
	ret = tl_open(&tl, buffer_bytes, rcvbuf);
	if (!ret)
		ret = command->run(argc - optind, argv + optind);
	ret = finish(ret);
	tl_close(&tl);
	return ret;
}
