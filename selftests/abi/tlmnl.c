// SPDX-License-Identifier: GPL-2.0-or-later
/* A client of the ABI that shares nothing with the command line tool. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "interval.h"
#include "json.h"
#include "symbol.h"
#include "sync.h"
#include "tl.h"

static const char help[] =
	"usage: tlmnl [options] COMMAND\n"
	"  status | enable [INTERVAL_MS [QUIET_MS]] | disable\n"
	"  tier-add NAME PORT|PATH [NETNS] | tier-del NAME | tier-list | hooks\n"
	"  pmu-add NAME TYPE CONFIG [charged] | pmu-del [NAME] | pmu-list\n"
	"  class-add NAME PREFIX [TIER] | class-del NAME [PREFIX [TIER]] | class-list\n"
	"  level TIER|- [off|trace|server|method [LEASE_MS]]\n"
	"  lease TIER LEVEL LEASE_MS EVERY_MS   ask for it again and again\n"
	"  function-add TIER FUNCTION FILE [PROGRAM [RATE]] | function-del TIER [ID] | function-list\n"
	"  get [GENERATION]        one interval, the newest by default\n"
	"  since GENERATION        all kept ones after it\n"
	"  follow GENERATION N     the same again and again until N were read\n"
	"  hold GENERATION         begin as 'since', read one part, and wait for a "
	"signal\n"
	"  listen N                N notifications\n"
	"  sync MS BUFFER STACK PID[,PID...] [NAME:FUNCTION...]\n"
	"                          sync points of processes, and functions of libraries\n"
	"options:\n"
	"  --buffer BYTES          for one datagram (32768); bounds what the kernel puts "
	"into one\n"
	"  --rcvbuf BYTES          the socket's receive buffer\n"
	"  --stop                  stop after the first part, until SIGCONT\n"
	"  --pause MS              between two readings (20)\n"
	"  --fail N                the N-th allocation that the kernel makes for the command fails,\n"
	"                          if it can do that; exit status 3: there were fewer\n"
	"  --parts                 tell of how many parts an interval was\n"
	"In a PREFIX \\xHH is a byte; a PATH begins with / or, if abstract, with @.\n"
	"Prints JSON lines. A refusal is told on stderr as 'ERROR: SENTENCE', exit "
	"status 1.\n"
	"example: tlmnl follow 0 10\n";

static struct tl tl;
static bool stop;
static uint64_t pause_ms = 20;
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
	if (ret == -EPROTO && reader.wrong && reader.generation)
		fprintf(stderr, "tlmnl: generation %llu: %s\n",
			(unsigned long long)reader.generation, reader.wrong);
	else if (ret == -EPROTO && reader.wrong)
		fprintf(stderr, "tlmnl: %s\n", reader.wrong);
	else if (ret < 0)
		fprintf(stderr, "%s: %s\n", strerror(-ret), tl.sentence);
	return ret < 0;
}

/* ---- the module, tiers, classes, hooks ---------------------------------------- */

/* clang-format off */
static const struct fields occupancy_fields = {
	"the tables lack one", {
	[TIERLENS_A_OCCUPANCY_SERVERS] = {.name = "servers"},
	[TIERLENS_A_OCCUPANCY_CLIENTS] = {.name = "clients"},
	[TIERLENS_A_OCCUPANCY_ERRANDS] = {.name = "errands"},
	[TIERLENS_A_OCCUPANCY_THREADS] = {.name = "threads"},
	[TIERLENS_A_OCCUPANCY_PROCESSES] = {.name = "processes"},
	[TIERLENS_A_OCCUPANCY_LEDGERS] = {.name = "ledgers"},
	[TIERLENS_A_OCCUPANCY_HANDOFFS] = {.name = "handoffs"},
	[TIERLENS_A_OCCUPANCY_OFFERS] = {.name = "offers"},
	[TIERLENS_A_OCCUPANCY_TIERS] = {.name = "tiers"},
	[TIERLENS_A_OCCUPANCY_PEERS] = {.name = "peers"},
	[TIERLENS_A_OCCUPANCY_PATHS] = {.name = "paths"},
	[TIERLENS_A_OCCUPANCY_SUMS] = {.name = "sums"},
}};

static const struct fields module_fields = {
	"the module lacks an attribute", {
	[TIERLENS_A_MODULE_VERSION] = {"version", FIELD_NAME},
	[TIERLENS_A_MODULE_ABI] = {.name = "abi"},
	[TIERLENS_A_MODULE_ENABLED] = {.name = "enabled"},
	[TIERLENS_A_MODULE_INTERVAL_MS] = {.name = "interval_ms"},
	[TIERLENS_A_MODULE_QUIET_MS] = {.name = "quiet_ms"},
	[TIERLENS_A_MODULE_OLDEST] = {.name = "oldest"},
	[TIERLENS_A_MODULE_NEWEST] = {.name = "newest"},
	[TIERLENS_A_MODULE_MEMORY_USED] = {.name = "memory_used"},
	[TIERLENS_A_MODULE_MEMORY_CAP] = {.name = "memory_cap"},
	[TIERLENS_A_MODULE_CONNECTIONS] = {.name = "connections"},
	[TIERLENS_A_MODULE_THREADS] = {.name = "threads"},
	[TIERLENS_A_MODULE_TIERS] = {.name = "tiers"},
	[TIERLENS_A_MODULE_CLASS_RULES] = {.name = "class_rules"},
	[TIERLENS_A_MODULE_PATHS] = {.name = "paths"},
	[TIERLENS_A_MODULE_PROCESSORS] = {.name = "processors"},
	[TIERLENS_A_MODULE_EVENTS] = {"events", FIELD_NEST, false, &interval_events},
	[TIERLENS_A_MODULE_LOSSES] = {"losses", FIELD_NEST, false, &interval_losses},
	[TIERLENS_A_MODULE_OCCUPANCY] = {"occupancy", FIELD_NEST, false, &occupancy_fields},
	[TIERLENS_A_MODULE_LEVEL] = {.name = "level"},
	[TIERLENS_A_MODULE_FUNCTIONS] = {.name = "functions"},
	[TIERLENS_A_MODULE_LEASE_MS] = {"lease_ms", FIELD_NUMBER, true},
	[TIERLENS_A_MODULE_LEASED_FROM] = {"leased_from", FIELD_NUMBER, true},
	[TIERLENS_A_MODULE_COST] = {"cost", FIELD_NEST, false, &interval_cost},
}};

static const struct fields tier_fields = {
	"a tier lacks an attribute", {
	[TIERLENS_A_TIER_ID] = {.name = "id"},
	[TIERLENS_A_TIER_NAME] = {"name", FIELD_NAME},
	[TIERLENS_A_TIER_PORT] = {.name = "port"},
	[TIERLENS_A_TIER_NETNS] = {.name = "netns"},
	[TIERLENS_A_TIER_SOURCE] = {.name = "source"},
	[TIERLENS_A_TIER_CONNECTIONS] = {.name = "connections"},
	[TIERLENS_A_TIER_PATH] = {"path", FIELD_PATH, true},
	[TIERLENS_A_TIER_LEVEL] = {.name = "level"},
	[TIERLENS_A_TIER_LEASE_MS] = {.name = "lease_ms", .optional = true},
	[TIERLENS_A_TIER_OWN_LEVEL] = {"own_level", FIELD_FLAG, true},
}};

static const struct fields function_fields = {
	"a function lacks an attribute", {
	[TIERLENS_A_FUNCTION_ID] = {.name = "id"},
	[TIERLENS_A_FUNCTION_TIER] = {"tier", FIELD_NAME},
	[TIERLENS_A_FUNCTION_NAME] = {"name", FIELD_NAME},
	[TIERLENS_A_FUNCTION_OFFSET] = {.name = "offset"},
	[TIERLENS_A_FUNCTION_STATE] = {.name = "state"},
	[TIERLENS_A_FUNCTION_HITS] = {.name = "hits"},
	[TIERLENS_A_FUNCTION_LOST] = {.name = "lost"},
	[TIERLENS_A_FUNCTION_RATE_MAX] = {.name = "rate_max"},
}};

static const struct fields class_fields = {
	"a rule lacks an attribute", {
	[TIERLENS_A_CLASS_ID] = {.name = "id"},
	[TIERLENS_A_CLASS_NAME] = {"name", FIELD_NAME},
	[TIERLENS_A_CLASS_PREFIX] = {"prefix", FIELD_BYTES},
	[TIERLENS_A_CLASS_TIER] = {"tier", FIELD_NAME, true},
	[TIERLENS_A_CLASS_HITS] = {.name = "hits"},
}};

static const struct fields hook_fields = {
	"a hook lacks an attribute", {
	[TIERLENS_A_HOOK_NAME] = {"name", FIELD_NAME},
	[TIERLENS_A_HOOK_SYMBOL] = {"symbol", FIELD_NAME},
	[TIERLENS_A_HOOK_STATE] = {.name = "state"},
	[TIERLENS_A_HOOK_REQUIRED] = {.name = "required"},
	[TIERLENS_A_HOOK_HITS] = {.name = "hits"},
	[TIERLENS_A_HOOK_MISSED] = {.name = "missed"},
	[TIERLENS_A_HOOK_TIMED] = {.name = "timed"},
	[TIERLENS_A_HOOK_TIMED_NS] = {.name = "timed-ns"},
	[TIERLENS_A_HOOK_FLOOR_NS] = {.name = "floor-ns"},
}};

static const struct fields pmu_fields = {
	"an event lacks an attribute", {
	[TIERLENS_A_PMU_ID] = {.name = "id"},
	[TIERLENS_A_PMU_NAME] = {"name", FIELD_NAME},
	[TIERLENS_A_PMU_TYPE] = {.name = "type"},
	[TIERLENS_A_PMU_CONFIG] = {.name = "config"},
	[TIERLENS_A_PMU_CONFIG1] = {.name = "config1"},
	[TIERLENS_A_PMU_CPUS] = {.name = "cpus"},
	[TIERLENS_A_PMU_CHARGED] = {"charged", FIELD_FLAG, true},
}};
/* clang-format on */

static void take_attributes(struct field_set *set, const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;

	memset(set, 0, sizeof(*set));
	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr))
		field_set_add(set, attr);
}

/* One line for a message. */
static int print_message(const struct nlmsghdr *nlh, void *arg)
{
	struct json json = {.out = stdout};
	const struct fields *fields = arg;
	struct field_set set;

	take_attributes(&set, nlh);
	json_open(&json, NULL, '{');
	reader.wrong = fields_print(&json, fields, &set);
	json_close(&json, '}');
	putchar('\n');
	/* The tools know no other endpoint, and a tier has one. */
	if (fields == &tier_fields && !field_number(set.attrs[TIERLENS_A_TIER_PORT]) !=
					      !!set.attrs[TIERLENS_A_TIER_PATH])
		reader.wrong = "a tier has both a port and a path, or none";
	return reader.wrong ? -EPROTO : 0;
}

static int simple(uint8_t cmd, uint16_t flags, const struct fields *fields)
{
	char buffer[TL_REQUEST_BYTES];

	return tl_ask(&tl, tl_request(&tl, buffer, cmd, flags), print_message,
		      (void *)fields);
}

static int do_status(int argc, char **argv)
{
	(void)argc, (void)argv;
	return simple(TIERLENS_CMD_MODULE_GET, NLM_F_ACK, &module_fields);
}

static int do_tier_list(int argc, char **argv)
{
	(void)argc, (void)argv;
	return simple(TIERLENS_CMD_TIER_GET, NLM_F_DUMP, &tier_fields);
}

static int do_hooks(int argc, char **argv)
{
	(void)argc, (void)argv;
	return simple(TIERLENS_CMD_HOOK_GET, NLM_F_DUMP, &hook_fields);
}

static int do_pmu_list(int argc, char **argv)
{
	(void)argc, (void)argv;
	return simple(TIERLENS_CMD_PMU_GET, NLM_F_DUMP, &pmu_fields);
}

static int do_pmu_add(int argc, char **argv)
{
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh = tl_request(&tl, buffer, TIERLENS_CMD_PMU_NEW, NLM_F_ACK);

	if (argc > 4 && strcmp(argv[4], "charged")) {
		fprintf(stderr, "tlmnl: not 'charged': '%s'\n", argv[4]);
		exit(2);
	}
	mnl_attr_put_strz(nlh, TIERLENS_A_PMU_NAME, argv[1]);
	mnl_attr_put_u32(nlh, TIERLENS_A_PMU_TYPE, to_number(argv[2]));
	mnl_attr_put_u64(nlh, TIERLENS_A_PMU_CONFIG, to_number(argv[3]));
	if (argc > 4)
		mnl_attr_put(nlh, TIERLENS_A_PMU_CHARGED, 0, NULL);
	return tl_ask(&tl, nlh, NULL, NULL);
}

static int do_pmu_del(int argc, char **argv)
{
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh = tl_request(&tl, buffer, TIERLENS_CMD_PMU_DEL, NLM_F_ACK);

	if (argc > 1)
		mnl_attr_put_strz(nlh, TIERLENS_A_PMU_NAME, argv[1]);
	return tl_ask(&tl, nlh, NULL, NULL);
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
	if (argv[2][0] == '/' || argv[2][0] == '@')
		mnl_attr_put_strz(nlh, TIERLENS_A_TIER_PATH, argv[2]);
	else
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

/* \xHH is a byte; returns how many there are. */
static size_t to_bytes(char *bytes, size_t room, const char *text)
{
	unsigned int byte;
	size_t n = 0;

	for (; *text && n < room; text++, n++) {
		bytes[n] = *text;
		if (sscanf(text, "\\x%2x", &byte) != 1)
			continue;
		bytes[n] = byte;
		text += 3;
	}
	return n;
}

static int change_class(uint8_t cmd, int argc, char **argv)
{
	char buffer[TL_REQUEST_BYTES], bytes[TIERLENS_PREFIX_MAX + 1];
	struct nlmsghdr *nlh = tl_request(&tl, buffer, cmd, NLM_F_ACK);

	mnl_attr_put_strz(nlh, TIERLENS_A_CLASS_NAME, argv[1]);
	if (argc > 2)
		mnl_attr_put(nlh, TIERLENS_A_CLASS_PREFIX,
			     to_bytes(bytes, sizeof(bytes), argv[2]), bytes);
	if (argc > 3)
		mnl_attr_put_strz(nlh, TIERLENS_A_CLASS_TIER, argv[3]);
	return tl_ask(&tl, nlh, NULL, NULL);
}

static int do_class_add(int argc, char **argv)
{
	return change_class(TIERLENS_CMD_CLASS_NEW, argc, argv);
}

static int do_class_del(int argc, char **argv)
{
	return change_class(TIERLENS_CMD_CLASS_DEL, argc, argv);
}

static int do_class_list(int argc, char **argv)
{
	(void)argc, (void)argv;
	return simple(TIERLENS_CMD_CLASS_GET, NLM_F_DUMP, &class_fields);
}

/* ---- levels and functions ----------------------------------------------------- */

static uint32_t to_level(const char *text)
{
	static const char *const names[] = {"off", "trace", "server", "method"};
	unsigned int i;

	for (i = 0; i < MNL_ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], text))
			return i;
	return to_number(text);
}

static int set_level(char **argv, int argc)
{
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh = tl_request(&tl, buffer, TIERLENS_CMD_LEVEL_SET, NLM_F_ACK);

	if (strcmp(argv[1], "-"))
		mnl_attr_put_strz(nlh, TIERLENS_A_TIER_NAME, argv[1]);
	if (argc > 2)
		mnl_attr_put_u32(nlh, TIERLENS_A_TIER_LEVEL, to_level(argv[2]));
	if (argc > 3)
		mnl_attr_put_u32(nlh, TIERLENS_A_TIER_LEASE_MS, to_number(argv[3]));
	return tl_ask(&tl, nlh, NULL, NULL);
}

static int do_level(int argc, char **argv)
{
	return set_level(argv, argc);
}

static int do_lease(int argc, char **argv)
{
	uint64_t every_ms = to_number(argv[4]);
	int ret;

	while (!(ret = set_level(argv, argc - 1)))
		usleep(every_ms * 1000);
	return ret;
}

/* The number is the answer. */
static int print_id(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;

	(void)arg;
	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == TIERLENS_A_FUNCTION_ID)
			printf("%u\n", mnl_attr_get_u32(attr));
	return 0;
}

/* FUNCTION: a name, or +OFFSET */
static int do_function_add(int argc, char **argv)
{
	const char *program = argc > 4 ? argv[4] : argv[3];
	int file = open(argv[3], O_RDONLY | O_CLOEXEC);
	int exe = open(program, O_RDONLY | O_CLOEXEC);
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh = tl_request(&tl, buffer, TIERLENS_CMD_FUNCTION_NEW, NLM_F_ACK);
	bool given = argv[2][0] == '+';
	int64_t offset = given ? (int64_t)to_number(argv[2] + 1) : symbol_offset(argv[3], argv[2]);

	if (file < 0 || exe < 0 || (offset < 0 && !given)) {
		fprintf(stderr, "tlmnl: no such file or function: %s in %s\n", argv[2], argv[3]);
		exit(2);
	}
	mnl_attr_put_strz(nlh, TIERLENS_A_FUNCTION_TIER, argv[1]);
	mnl_attr_put_strz(nlh, TIERLENS_A_FUNCTION_NAME, argv[2]);
	mnl_attr_put_u32(nlh, TIERLENS_A_FUNCTION_FILE, file);
	mnl_attr_put_u32(nlh, TIERLENS_A_FUNCTION_PROGRAM, exe);
	mnl_attr_put_u64(nlh, TIERLENS_A_FUNCTION_OFFSET, offset);
	if (argc > 5)
		mnl_attr_put_u32(nlh, TIERLENS_A_FUNCTION_RATE_MAX, to_number(argv[5]));
	return tl_ask(&tl, nlh, print_id, NULL);
}

static int do_function_del(int argc, char **argv)
{
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh = tl_request(&tl, buffer, TIERLENS_CMD_FUNCTION_DEL, NLM_F_ACK);

	mnl_attr_put_strz(nlh, TIERLENS_A_FUNCTION_TIER, argv[1]);
	if (argc > 2)
		mnl_attr_put_u32(nlh, TIERLENS_A_FUNCTION_ID, to_number(argv[2]));
	return tl_ask(&tl, nlh, NULL, NULL);
}

static int do_function_list(int argc, char **argv)
{
	(void)argc, (void)argv;
	return simple(TIERLENS_CMD_FUNCTION_GET, NLM_F_DUMP, &function_fields);
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

/* What the reader must know to be strict. */
static int take_module(const struct nlmsghdr *nlh, void *arg)
{
	struct field_set set, losses;

	(void)arg;
	take_attributes(&set, nlh);
	if (!set.attrs[TIERLENS_A_MODULE_LOSSES])
		return -EPROTO;
	field_set_nest(&losses, set.attrs[TIERLENS_A_MODULE_LOSSES]);
	reader.processors = field_number(set.attrs[TIERLENS_A_MODULE_PROCESSORS]);
	if (field_number(losses.attrs[TIERLENS_A_LOSSES_CELLS_FULL]))
		reader.lossy = true;
	return 0;
}

static int read_intervals(int type, uint64_t generation)
{
	struct tl_answer answer = {0};
	char buffer[TL_REQUEST_BYTES];
	int ret;

	ret = tl_ask(&tl, tl_request(&tl, buffer, TIERLENS_CMD_MODULE_GET, NLM_F_ACK),
		     take_module, NULL);
	if (!ret)
		ret = send_get(type, generation);

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

static int do_sync(int argc, char **argv)
{
	return sync_record(&tl, argc - 1, argv + 1, pause_ms);
}

/* ---- the command line -------------------------------------------------------- */

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	int min, max; /* arguments */
} commands[] = {
	{"status", do_status, 0, 0},
	{"enable", do_enable, 0, 2},
	{"disable", do_disable, 0, 0},
	{"tier-add", do_tier_add, 2, 3},
	{"tier-del", do_tier_del, 1, 1},
	{"tier-list", do_tier_list, 0, 0},
	{"hooks", do_hooks, 0, 0},
	{"pmu-add", do_pmu_add, 3, 4},
	{"pmu-del", do_pmu_del, 0, 1},
	{"pmu-list", do_pmu_list, 0, 0},
	{"class-add", do_class_add, 2, 3},
	{"class-del", do_class_del, 1, 3},
	{"class-list", do_class_list, 0, 0},
	{"level", do_level, 1, 3},
	{"lease", do_lease, 4, 4},
	{"function-add", do_function_add, 3, 5},
	{"function-del", do_function_del, 1, 2},
	{"function-list", do_function_list, 0, 0},
	{"get", do_get, 0, 1},
	{"since", do_since, 1, 1},
	{"follow", do_follow, 2, 2},
	{"hold", do_hold, 1, 1},
	{"listen", do_listen, 1, 1},
	{"sync", do_sync, 4, 40},
};

static const struct option longs[] = {
	{"buffer", required_argument, NULL, 'b'},
	{"rcvbuf", required_argument, NULL, 'r'},
	{"stop", no_argument, NULL, 'p'},
	{"parts", no_argument, NULL, 'n'},
	{"pause", required_argument, NULL, 'e'},
	{"fail", required_argument, NULL, 'f'},
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
	unsigned int fail = 0;
	bool fewer = false;
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
		case 'e':
			pause_ms = to_number(optarg);
			break;
		case 'f':
			fail = to_number(optarg);
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
	if (!ret && fail)
		ret = tl_fail(&tl, fail);
	if (!ret)
		ret = command->run(argc - optind, argv + optind);
	if (tl.fail_fd > 0)
		fewer = !tl_has_failed(&tl);
	ret = finish(ret);
	if (fewer)
		ret = 3;
	interval_free(&reader);
	tl_close(&tl);
	return ret;
}
