// SPDX-License-Identifier: GPL-2.0-or-later
/* The module, tiers, classes, hooks, counters, levels and functions: asked for, and changed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "symbol.h"
#include "tlmnl.h"

/* ---- what is printed ---------------------------------------------------------- */

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

/* One line for a message. */
static int print_message(const struct nlmsghdr *nlh, void *arg)
{
	struct json json = {.out = stdout};
	const struct fields *fields = arg;
	struct field_set set;

	field_set_message(&set, nlh);
	json_open(&json, NULL, '{');
	client.reader.wrong = fields_print(&json, fields, &set);
	json_close(&json, '}');
	putchar('\n');
	/* The tools know no other endpoint, and a tier has one. */
	if (fields == &tier_fields && !field_number(set.attrs[TIERLENS_A_TIER_PORT]) !=
					      !!set.attrs[TIERLENS_A_TIER_PATH])
		client.reader.wrong = "a tier has both a port and a path, or none";
	return client.reader.wrong ? -EPROTO : 0;
}

static int simple(uint8_t cmd, uint16_t flags, const struct fields *fields)
{
	char buffer[TL_REQUEST_BYTES];

	return tl_ask(&client.tl, tl_request(&client.tl, buffer, cmd, flags), print_message,
		      (void *)fields);
}

/* ---- the module, tiers, classes, hooks ---------------------------------------- */

int do_status(int argc, char **argv)
{
	(void)argc, (void)argv;
	return simple(TIERLENS_CMD_MODULE_GET, NLM_F_ACK, &module_fields);
}

int do_tier_list(int argc, char **argv)
{
	(void)argc, (void)argv;
	return simple(TIERLENS_CMD_TIER_GET, NLM_F_DUMP, &tier_fields);
}

int do_hooks(int argc, char **argv)
{
	(void)argc, (void)argv;
	return simple(TIERLENS_CMD_HOOK_GET, NLM_F_DUMP, &hook_fields);
}

int do_pmu_list(int argc, char **argv)
{
	(void)argc, (void)argv;
	return simple(TIERLENS_CMD_PMU_GET, NLM_F_DUMP, &pmu_fields);
}

int do_pmu_add(int argc, char **argv)
{
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh = tl_request(&client.tl, buffer, TIERLENS_CMD_PMU_NEW, NLM_F_ACK);

	if (argc > 4 && strcmp(argv[4], "charged")) {
		fprintf(stderr, "tlmnl: not 'charged': '%s'\n", argv[4]);
		exit(2);
	}
	mnl_attr_put_strz(nlh, TIERLENS_A_PMU_NAME, argv[1]);
	mnl_attr_put_u32(nlh, TIERLENS_A_PMU_TYPE, to_number(argv[2]));
	mnl_attr_put_u64(nlh, TIERLENS_A_PMU_CONFIG, to_number(argv[3]));
	if (argc > 4)
		mnl_attr_put(nlh, TIERLENS_A_PMU_CHARGED, 0, NULL);
	return tl_ask(&client.tl, nlh, NULL, NULL);
}

int do_pmu_del(int argc, char **argv)
{
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh = tl_request(&client.tl, buffer, TIERLENS_CMD_PMU_DEL, NLM_F_ACK);

	if (argc > 1)
		mnl_attr_put_strz(nlh, TIERLENS_A_PMU_NAME, argv[1]);
	return tl_ask(&client.tl, nlh, NULL, NULL);
}

int do_enable(int argc, char **argv)
{
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh = tl_request(&client.tl, buffer, TIERLENS_CMD_ENABLE, NLM_F_ACK);

	if (argc > 1)
		mnl_attr_put_u32(nlh, TIERLENS_A_MODULE_INTERVAL_MS, to_number(argv[1]));
	if (argc > 2)
		mnl_attr_put_u32(nlh, TIERLENS_A_MODULE_QUIET_MS, to_number(argv[2]));
	return tl_ask(&client.tl, nlh, NULL, NULL);
}

int do_disable(int argc, char **argv)
{
	char buffer[TL_REQUEST_BYTES];

	(void)argc, (void)argv;
	return tl_ask(&client.tl, tl_request(&client.tl, buffer, TIERLENS_CMD_DISABLE, NLM_F_ACK), NULL,
		      NULL);
}

int do_tier_add(int argc, char **argv)
{
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh = tl_request(&client.tl, buffer, TIERLENS_CMD_TIER_NEW, NLM_F_ACK);

	mnl_attr_put_strz(nlh, TIERLENS_A_TIER_NAME, argv[1]);
	if (argv[2][0] == '/' || argv[2][0] == '@')
		mnl_attr_put_strz(nlh, TIERLENS_A_TIER_PATH, argv[2]);
	else
		mnl_attr_put_u32(nlh, TIERLENS_A_TIER_PORT, to_number(argv[2]));
	if (argc > 3)
		mnl_attr_put_u32(nlh, TIERLENS_A_TIER_NETNS, to_number(argv[3]));
	return tl_ask(&client.tl, nlh, NULL, NULL);
}

int do_tier_del(int argc, char **argv)
{
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh = tl_request(&client.tl, buffer, TIERLENS_CMD_TIER_DEL, NLM_F_ACK);

	(void)argc;
	mnl_attr_put_strz(nlh, TIERLENS_A_TIER_NAME, argv[1]);
	return tl_ask(&client.tl, nlh, NULL, NULL);
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
	struct nlmsghdr *nlh = tl_request(&client.tl, buffer, cmd, NLM_F_ACK);

	mnl_attr_put_strz(nlh, TIERLENS_A_CLASS_NAME, argv[1]);
	if (argc > 2)
		mnl_attr_put(nlh, TIERLENS_A_CLASS_PREFIX,
			     to_bytes(bytes, sizeof(bytes), argv[2]), bytes);
	if (argc > 3)
		mnl_attr_put_strz(nlh, TIERLENS_A_CLASS_TIER, argv[3]);
	return tl_ask(&client.tl, nlh, NULL, NULL);
}

int do_class_add(int argc, char **argv)
{
	return change_class(TIERLENS_CMD_CLASS_NEW, argc, argv);
}

int do_class_del(int argc, char **argv)
{
	return change_class(TIERLENS_CMD_CLASS_DEL, argc, argv);
}

int do_class_list(int argc, char **argv)
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
	struct nlmsghdr *nlh = tl_request(&client.tl, buffer, TIERLENS_CMD_LEVEL_SET, NLM_F_ACK);

	if (strcmp(argv[1], "-"))
		mnl_attr_put_strz(nlh, TIERLENS_A_TIER_NAME, argv[1]);
	if (argc > 2)
		mnl_attr_put_u32(nlh, TIERLENS_A_TIER_LEVEL, to_level(argv[2]));
	if (argc > 3)
		mnl_attr_put_u32(nlh, TIERLENS_A_TIER_LEASE_MS, to_number(argv[3]));
	return tl_ask(&client.tl, nlh, NULL, NULL);
}

int do_level(int argc, char **argv)
{
	return set_level(argv, argc);
}

int do_lease(int argc, char **argv)
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
int do_function_add(int argc, char **argv)
{
	const char *program = argc > 4 ? argv[4] : argv[3];
	int file = open(argv[3], O_RDONLY | O_CLOEXEC);
	int exe = open(program, O_RDONLY | O_CLOEXEC);
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh = tl_request(&client.tl, buffer, TIERLENS_CMD_FUNCTION_NEW, NLM_F_ACK);
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
	return tl_ask(&client.tl, nlh, print_id, NULL);
}

int do_function_del(int argc, char **argv)
{
	char buffer[TL_REQUEST_BYTES];
	struct nlmsghdr *nlh = tl_request(&client.tl, buffer, TIERLENS_CMD_FUNCTION_DEL, NLM_F_ACK);

	mnl_attr_put_strz(nlh, TIERLENS_A_FUNCTION_TIER, argv[1]);
	if (argc > 2)
		mnl_attr_put_u32(nlh, TIERLENS_A_FUNCTION_ID, to_number(argv[2]));
	return tl_ask(&client.tl, nlh, NULL, NULL);
}

int do_function_list(int argc, char **argv)
{
	(void)argc, (void)argv;
	return simple(TIERLENS_CMD_FUNCTION_GET, NLM_F_DUMP, &function_fields);
}
