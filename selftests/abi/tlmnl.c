// SPDX-License-Identifier: GPL-2.0-or-later
/* A client of the ABI that shares nothing with the command line tool. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sync.h"
#include "tlmnl.h"

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
	"  follow GENERATION N     the same again and again until N were read, or SIGTERM\n"
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

struct client client;
static uint64_t pause_ms = 20;

uint64_t to_number(const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 0);

	if (end == text || *end) {
		fprintf(stderr, "tlmnl: not a number: '%s'\n", text);
		exit(2);
	}
	return value;
}

volatile sig_atomic_t told_to_end;

static void on_signal(int number)
{
	(void)number;
	told_to_end = 1;
}

void end_when_told(void)
{
	signal(SIGTERM, on_signal);
}

static int finish(int ret)
{
	if (ret == -EPROTO && client.reader.wrong && client.reader.generation)
		fprintf(stderr, "tlmnl: generation %llu: %s\n",
			(unsigned long long)client.reader.generation, client.reader.wrong);
	else if (ret == -EPROTO && client.reader.wrong)
		fprintf(stderr, "tlmnl: %s\n", client.reader.wrong);
	else if (ret < 0)
		fprintf(stderr, "%s: %s\n", strerror(-ret), client.tl.sentence);
	return ret < 0;
}

static int do_sync(int argc, char **argv)
{
	return sync_record(&client.tl, argc - 1, argv + 1, pause_ms);
}

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
			client.stop = true;
			break;
		case 'n':
			client.reader.show_parts = true;
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
	client.reader.out = stdout;
	command = find(argc - optind, argv + optind);
	ret = tl_open(&client.tl, buffer_bytes, rcvbuf);
	if (!ret && fail)
		ret = tl_fail(&client.tl, fail);
	if (!ret)
		ret = command->run(argc - optind, argv + optind);
	if (client.tl.fail_fd > 0)
		fewer = !tl_has_failed(&client.tl);
	ret = finish(ret);
	if (fewer)
		ret = 3;
	interval_free(&client.reader);
	tl_close(&client.tl);
	return ret;
}
