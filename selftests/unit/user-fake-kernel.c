// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel that speaks the ABI, for a command line that is linked with it
 *
 * Stands where libnl meets the C library: a generic netlink socket becomes one end
 * of a socket pair, a request is answered into the other end at once. What it
 * plays is said by the environment variable TIERLENS_FAKE, words separated by
 * commas:
 *   absent       the family does not exist        eperm    no capability
 *   abi          another ABI number               off      measuring is off
 *   full         the table of tiers is full       intr     every first dump is
 * interrupted always-intr  every dump is                    cut      a dump ends in
 * mid-interval gap          every fourth generation is lost  hints    intervals are
 * announced hostile      names that no one should print   empty    no interval is ever
 * closed expansion    names that a shell must not read turn-off     measuring is turned
 * off after five requests for intervals An interval takes 100 ms; 16 are kept.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/tierlens.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FAMILY 0x99
#define GROUP 7
#define FDS 64
#define FIRST 1001
#define INTERVAL_NS 100000000ULL
#define EPOCH_NS 1763700000000000000ULL

struct message {
	char bytes[8192];
	size_t len;
};

static int far_end[FDS]; /* of our sockets; 0 for those that are not ours */
static int hint_fd;
static unsigned int dumps, interval_gets;

static bool plays(const char *word)
{
	const char *all = getenv("TIERLENS_FAKE"), *at = all;
	size_t len = strlen(word);

	for (; at && (at = strstr(at, word)); at += len)
		if ((at == all || at[-1] == ',') && (!at[len] || at[len] == ','))
			return true;
	return false;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Intervals close as time goes by; a few are closed already when we begin. */
static uint64_t newest(void)
{
	static uint64_t began;

	if (!began)
		began = now_ns();
	return plays("empty") ? 0 : FIRST + 19 + (now_ns() - began) / INTERVAL_NS;
}

static uint64_t oldest(void)
{
	return newest() ? newest() - TIERLENS_INTERVALS_KEPT + 1 : 0;
}

static bool lost(uint64_t generation)
{
	return plays("gap") && generation % 4 == 0;
}

/* Messages */

static struct nlmsghdr *begin(struct message *m, uint16_t type, uint16_t flags,
			      const struct nlmsghdr *request)
{
	struct nlmsghdr *head = (struct nlmsghdr *)m->bytes;

	memset(m, 0, sizeof(*m));
	head->nlmsg_type = type;
	head->nlmsg_flags = flags;
	head->nlmsg_seq = request ? request->nlmsg_seq : 0;
	head->nlmsg_pid = request ? (uint32_t)getpid() : 0;
	m->len = NLMSG_HDRLEN;
	return head;
}

static void put_raw(struct message *m, const void *data, size_t len)
{
	memcpy(m->bytes + m->len, data, len);
	m->len += NLMSG_ALIGN(len);
}

static void begin_genl(struct message *m, uint8_t cmd, uint16_t flags,
		       const struct nlmsghdr *request)
{
	struct genlmsghdr genl = { .cmd = cmd, .version = 1 };

	begin(m, FAMILY, flags, request);
	put_raw(m, &genl, sizeof(genl));
}

static void put(struct message *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr attr = { .nla_len = (uint16_t)(NLA_HDRLEN + len),
			       .nla_type = type };

	put_raw(m, &attr, sizeof(attr));
	put_raw(m, data, len);
}

static void put_u16(struct message *m, uint16_t type, uint16_t value)
{
	put(m, type, &value, sizeof(value));
}

static void put_u32(struct message *m, uint16_t type, uint32_t value)
{
	put(m, type, &value, sizeof(value));
}

static void put_u64(struct message *m, uint16_t type, uint64_t value)
{
	put(m, type, &value, sizeof(value));
}

static void put_text(struct message *m, uint16_t type, const char *text)
{
	put(m, type, text, strlen(text) + 1);
}

static size_t nest_begin(struct message *m, uint16_t type)
{
	size_t at = m->len;

	put(m, type, "", 0);
	return at;
}

static void nest_end(struct message *m, size_t at)
{
	((struct nlattr *)(m->bytes + at))->nla_len = (uint16_t)(m->len - at);
}

static void deliver(int fd, struct message *m)
{
	((struct nlmsghdr *)m->bytes)->nlmsg_len = (uint32_t)m->len;
	(void)!write(far_end[fd], m->bytes, m->len);
}

static void answer(int fd, const struct nlmsghdr *request, int error,
		   const char *sentence)
{
	struct nlmsgerr body = { .error = error, .msg = *request };
	struct message m;

	begin(&m, NLMSG_ERROR, sentence ? NLM_F_CAPPED | NLM_F_ACK_TLVS : NLM_F_CAPPED,
	      request);
	put_raw(&m, &body, sizeof(body));
	if (sentence)
		put_text(&m, NLMSGERR_ATTR_MSG, sentence);
	deliver(fd, &m);
}

static void finish(int fd, const struct nlmsghdr *request, int error,
		   const char *sentence)
{
	struct message m;

	begin(&m, NLMSG_DONE, NLM_F_MULTI | (sentence ? NLM_F_ACK_TLVS : 0), request);
	put_raw(&m, &error, sizeof(error));
	if (sentence)
		put_text(&m, NLMSGERR_ATTR_MSG, sentence);
	deliver(fd, &m);
}

/* Answers */

static void answer_family(int fd, const struct nlmsghdr *request)
{
	struct genlmsghdr genl = { .cmd = CTRL_CMD_NEWFAMILY, .version = 2 };
	struct message m;
	size_t groups, group;

	if (plays("absent")) {
		answer(fd, request, -ENOENT, NULL);
		return;
	}
	begin(&m, GENL_ID_CTRL, 0, request);
	put_raw(&m, &genl, sizeof(genl));
	put_text(&m, CTRL_ATTR_FAMILY_NAME, TIERLENS_GENL_NAME);
	put_u16(&m, CTRL_ATTR_FAMILY_ID, FAMILY);
	groups = nest_begin(&m, CTRL_ATTR_MCAST_GROUPS);
	group = nest_begin(&m, 1);
	put_text(&m, CTRL_ATTR_MCAST_GRP_NAME, TIERLENS_MCGRP_INTERVAL);
	put_u32(&m, CTRL_ATTR_MCAST_GRP_ID, GROUP);
	nest_end(&m, group);
	nest_end(&m, groups);
	deliver(fd, &m);
	answer(fd, request, 0, NULL);
}

static void put_totals(struct message *m, uint16_t events, uint16_t losses)
{
	size_t nest = nest_begin(m, events);
	uint16_t i;

	put_u64(m, TIERLENS_A_EVENTS_SEEN, 1000);
	put_u64(m, TIERLENS_A_EVENTS_ATTRIBUTED, 950);
	put_u64(m, TIERLENS_A_EVENTS_UNATTRIBUTED, 30);
	put_u64(m, TIERLENS_A_EVENTS_IGNORED, 20);
	nest_end(m, nest);
	nest = nest_begin(m, losses);
	for (i = TIERLENS_A_LOSSES_CONNECTIONS_FULL; i <= TIERLENS_A_LOSSES_MAX; i++)
		put_u64(m, i, i == TIERLENS_A_LOSSES_LATE ? 3 : 0);
	nest_end(m, nest);
}

static void answer_module(int fd, const struct nlmsghdr *request)
{
	bool off = plays("off") || (plays("turn-off") && interval_gets > 5);
	struct message m;

	begin_genl(&m, TIERLENS_CMD_MODULE_GET, 0, request);
	put_text(&m, TIERLENS_A_MODULE_VERSION, "9.8.7");
	put_u32(&m, TIERLENS_A_MODULE_ABI, TIERLENS_ABI + plays("abi"));
	put_u32(&m, TIERLENS_A_MODULE_ENABLED, !off);
	put_u32(&m, TIERLENS_A_MODULE_INTERVAL_MS, INTERVAL_NS / 1000000);
	put_u32(&m, TIERLENS_A_MODULE_QUIET_MS, 50);
	put_u64(&m, TIERLENS_A_MODULE_OLDEST, plays("off") ? 0 : oldest());
	put_u64(&m, TIERLENS_A_MODULE_NEWEST, plays("off") ? 0 : newest());
	put_u64(&m, TIERLENS_A_MODULE_MEMORY_USED, 1 << 20);
	put_u64(&m, TIERLENS_A_MODULE_MEMORY_CAP, 32 << 20);
	put_u32(&m, TIERLENS_A_MODULE_CONNECTIONS, 11);
	put_u32(&m, TIERLENS_A_MODULE_THREADS, 12);
	put_u32(&m, TIERLENS_A_MODULE_TIERS, 2);
	put_totals(&m, TIERLENS_A_MODULE_EVENTS, TIERLENS_A_MODULE_LOSSES);
	deliver(fd, &m);
	answer(fd, request, 0, NULL);
}

static const char *name_of(unsigned int tier)
{
	if (plays("expansion"))
		return tier == 1 ? "$(touch x):80" : "`touch x`:9000";
	if (plays("hostile"))
		return tier == 1 ? "\033[2J\"<b>\xff:80" : "a\\b|c&:9000";
	return tier == 1 ? "web:80" : "app:9000";
}

static uint16_t dump_flags(void)
{
	bool interrupted = plays("always-intr") || (plays("intr") && dumps % 2 == 0);

	return NLM_F_MULTI | (interrupted ? NLM_F_DUMP_INTR : 0);
}

static void dump_tiers(int fd, const struct nlmsghdr *request)
{
	struct message m;
	unsigned int i;

	for (i = 1; i <= 2; i++) {
		begin_genl(&m, TIERLENS_CMD_TIER_GET, dump_flags(), request);
		put_u32(&m, TIERLENS_A_TIER_ID, i);
		put_text(&m, TIERLENS_A_TIER_NAME, name_of(i));
		put_u32(&m, TIERLENS_A_TIER_PORT, i == 1 ? 80 : 9000);
		put_u32(&m, TIERLENS_A_TIER_NETNS, i == 1 ? 0 : 4026531840U);
		put_u32(&m, TIERLENS_A_TIER_SOURCE, i);
		put_u32(&m, TIERLENS_A_TIER_CONNECTIONS, 3 * i);
		deliver(fd, &m);
	}
	dumps++;
	finish(fd, request, 0, NULL);
}

static void dump_hooks(int fd, const struct nlmsghdr *request)
{
	struct message m;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		begin_genl(&m, TIERLENS_CMD_HOOK_GET, dump_flags(), request);
		put_text(&m, TIERLENS_A_HOOK_NAME,
			 (const char *[]){ "send", "accept", "page" }[i]);
		put_text(&m, TIERLENS_A_HOOK_SYMBOL,
			 (const char *[]){ "tcp_sendmsg", "inet_csk_accept", "" }[i]);
		put_u32(&m, TIERLENS_A_HOOK_STATE, 2 - i);
		put_u32(&m, TIERLENS_A_HOOK_REQUIRED, i < 2);
		put_u64(&m, TIERLENS_A_HOOK_HITS, 100 * i);
		put_u64(&m, TIERLENS_A_HOOK_MISSED, i);
		deliver(fd, &m);
	}
	dumps++;
	finish(fd, request, 0, NULL);
}

static void put_cell(struct message *m, unsigned int tier, uint32_t class, uint64_t count)
{
	static const uint32_t hist[] = { 81, 6, 89, 4 };
	size_t nest = nest_begin(m, TIERLENS_A_INTERVAL_CELL);

	put_u32(m, TIERLENS_A_CELL_TIER, tier);
	put_text(m, TIERLENS_A_CELL_TIER_NAME, name_of(tier));
	put_u32(m, TIERLENS_A_CELL_CLASS, class);
	put_u64(m, TIERLENS_A_CELL_COUNT, count);
	put_u64(m, TIERLENS_A_CELL_RESPONSE_NS, count * 3000001);
	put_u64(m, TIERLENS_A_CELL_OWN_NS, count * 1000000);
	put_u64(m, TIERLENS_A_CELL_OWN_SQ_HI, 1);
	put_u64(m, TIERLENS_A_CELL_OWN_SQ_LO, 5);
	put_u64(m, TIERLENS_A_CELL_CARRIED, 1);
	put_u64(m, TIERLENS_A_CELL_BYTES_IN, 100);
	put_u64(m, TIERLENS_A_CELL_BYTES_OUT, 200);
	put(m, TIERLENS_A_CELL_HIST_RESPONSE, hist, sizeof(hist));
	put(m, TIERLENS_A_CELL_HIST_OWN, hist, sizeof(uint32_t) * 2);
	nest_end(m, nest);
}

static void put_edge(struct message *m, unsigned int tier, const void *addr, size_t len,
		     const char *peer_tier, uint64_t calls)
{
	size_t nest = nest_begin(m, TIERLENS_A_INTERVAL_EDGE);

	put_u32(m, TIERLENS_A_EDGE_TIER, tier);
	put_text(m, TIERLENS_A_EDGE_TIER_NAME, tier ? name_of(tier) : "");
	put_u32(m, TIERLENS_A_EDGE_CLASS, 0);
	if (len) {
		put(m, TIERLENS_A_EDGE_PEER_ADDR, addr, len);
		put_u32(m, TIERLENS_A_EDGE_PEER_PORT, 9000);
	}
	if (peer_tier)
		put_text(m, TIERLENS_A_EDGE_PEER_TIER, peer_tier);
	put_u64(m, TIERLENS_A_EDGE_CALLS, calls);
	put_u64(m, TIERLENS_A_EDGE_TIME_NS, calls * 2000000);
	if (tier)
		put_u64(m, TIERLENS_A_EDGE_BY_OWNER, calls);
	nest_end(m, nest);
}

static void put_head(struct message *m, uint64_t generation)
{
	put_u64(m, TIERLENS_A_INTERVAL_GENERATION, generation);
	put_u64(m, TIERLENS_A_INTERVAL_START_NS, EPOCH_NS + generation * INTERVAL_NS);
	put_u64(m, TIERLENS_A_INTERVAL_LENGTH_NS, INTERVAL_NS);
}

/* In two messages, as a kernel with many cells would send it. */
static void send_interval(int fd, const struct nlmsghdr *request, uint64_t generation)
{
	static const uint8_t v4[4] = { 127, 0, 0, 1 };
	static const uint8_t v6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 7 };
	static const uint8_t mapped[16] = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 8 };
	struct message m;

	begin_genl(&m, TIERLENS_CMD_INTERVAL_GET, dump_flags(), request);
	put_head(&m, generation);
	put_totals(&m, TIERLENS_A_INTERVAL_EVENTS, TIERLENS_A_INTERVAL_LOSSES);
	put_cell(&m, 1, 0, 10);
	deliver(fd, &m);
	begin_genl(&m, TIERLENS_CMD_INTERVAL_GET, dump_flags(), request);
	put_head(&m, generation);
	put_cell(&m, 1, 4, 5);
	put_cell(&m, 2, 0, generation % 7);
	put_edge(&m, 1, v4, sizeof(v4), name_of(2), generation % 7);
	put_edge(&m, 2, v6, sizeof(v6), NULL, 3);
	put_edge(&m, 2, mapped, sizeof(mapped), NULL, 2);
	put_edge(&m, 2, NULL, 0, NULL, 1);
	put_edge(&m, 0, v4, sizeof(v4), name_of(2), 1);
	if (!plays("cut"))
		put(&m, TIERLENS_A_INTERVAL_LAST, "", 0);
	deliver(fd, &m);
}

static const struct nlattr *attr_of(const struct nlmsghdr *request, uint16_t type)
{
	const char *at = (const char *)request + NLMSG_HDRLEN + GENL_HDRLEN;
	const char *end = (const char *)request + request->nlmsg_len;

	while (at + NLA_HDRLEN <= end) {
		const struct nlattr *attr = (const struct nlattr *)at;

		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr;
		at += NLA_ALIGN(attr->nla_len);
	}
	return NULL;
}

static uint64_t u64_of(const struct nlattr *attr)
{
	uint64_t value;

	memcpy(&value, (const char *)attr + NLA_HDRLEN, sizeof(value));
	return value;
}

static void dump_intervals(int fd, const struct nlmsghdr *request)
{
	const struct nlattr *since = attr_of(request, TIERLENS_A_INTERVAL_SINCE);
	const struct nlattr *one = attr_of(request, TIERLENS_A_INTERVAL_GENERATION);
	uint64_t last = newest(), g = oldest();

	interval_gets++;
	if (one && (u64_of(one) > last || u64_of(one) < g)) {
		answer(fd, request, -ENOENT, "no such interval is kept: status tells the "
		       "oldest and newest generation");
		return;
	}
	if (one)
		g = last = u64_of(one);
	else if (!since)
		g = last;
	else if (u64_of(since) >= g)
		g = u64_of(since) + 1;
	for (; g && g <= last; g++)
		if (!lost(g))
			send_interval(fd, request, g);
	dumps++;
	finish(fd, request, 0, NULL);
}

static void answer_tier(int fd, const struct nlmsghdr *request, uint8_t cmd)
{
	const struct nlattr *name = attr_of(request, TIERLENS_A_TIER_NAME);
	const char *text = name ? (const char *)name + NLA_HDRLEN : "";

	if (cmd == TIERLENS_CMD_TIER_NEW && plays("full"))
		answer(fd, request, -ENOSPC,
		       "the table of tiers is full: delete a tier first");
	else if (cmd == TIERLENS_CMD_TIER_NEW && !strcmp(text, "twice"))
		answer(fd, request, -EEXIST,
		       "that port has a tier already: delete it first");
	else if (cmd == TIERLENS_CMD_TIER_DEL && !strcmp(text, "nobody"))
		answer(fd, request, -ENOENT,
		       "no tier has that name: see the list of tiers");
	else
		answer(fd, request, 0, NULL);
}

static void respond(int fd, const struct nlmsghdr *request)
{
	const struct genlmsghdr *genl = NLMSG_DATA(request);

	if (request->nlmsg_type == GENL_ID_CTRL)
		answer_family(fd, request);
	else if (plays("eperm"))
		answer(fd, request, -EPERM, NULL);
	else if (genl->cmd == TIERLENS_CMD_MODULE_GET)
		answer_module(fd, request);
	else if (genl->cmd == TIERLENS_CMD_TIER_GET)
		dump_tiers(fd, request);
	else if (genl->cmd == TIERLENS_CMD_HOOK_GET)
		dump_hooks(fd, request);
	else if (genl->cmd == TIERLENS_CMD_INTERVAL_GET)
		dump_intervals(fd, request);
	else if (genl->cmd == TIERLENS_CMD_TIER_NEW || genl->cmd == TIERLENS_CMD_TIER_DEL)
		answer_tier(fd, request, genl->cmd);
	else
		answer(fd, request, 0, NULL);
}

/* Announces intervals when they close; without it a reader has to ask by itself. */
static void *announce(void *unused)
{
	uint64_t told = newest();
	struct message m;

	for (;;) {
		struct timespec moment = { .tv_nsec = 1000000 };

		nanosleep(&moment, NULL);
		if (newest() == told)
			continue;
		told = newest();
		begin_genl(&m, TIERLENS_CMD_INTERVAL_NTF, 0, NULL);
		put_head(&m, told);
		deliver(hint_fd, &m);
	}
	return unused;
}

/* The C library, as libnl sees it */

#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static bool ours(int fd)
{
	return fd >= 0 && fd < FDS && far_end[fd];
}

int socket(int domain, int type, int protocol)
{
	int pair[2], bytes = 4 << 20;

	if (domain != AF_NETLINK)
		return REAL(socket)(domain, type, protocol);
	if (socketpair(AF_UNIX, SOCK_DGRAM | (type & SOCK_CLOEXEC), 0, pair))
		return -1;
	if (pair[0] >= FDS)
		abort();
	/* A dump is answered before it is read: it must fit. */
	REAL(setsockopt)(pair[1], SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
	REAL(setsockopt)(pair[0], SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	far_end[pair[0]] = pair[1];
	return pair[0];
}

int bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	return ours(fd) ? 0 : REAL(bind)(fd, addr, len);
}

int getsockname(int fd, struct sockaddr *restrict addr, socklen_t *restrict len)
{
	struct sockaddr_nl name = { .nl_family = AF_NETLINK,
				    .nl_pid = (uint32_t)getpid() };

	if (!ours(fd))
		return REAL(getsockname)(fd, addr, len);
	memcpy(addr, &name, sizeof(name));
	*len = sizeof(name);
	return 0;
}

int setsockopt(int fd, int level, int option, const void *value, socklen_t len)
{
	pthread_t thread;

	if (!ours(fd) || level != SOL_NETLINK)
		return REAL(setsockopt)(fd, level, option, value, len);
	if (option == NETLINK_ADD_MEMBERSHIP && plays("hints")) {
		hint_fd = fd;
		pthread_create(&thread, NULL, announce, NULL);
		pthread_detach(thread);
	}
	return 0;
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	if (!ours(fd))
		return REAL(sendmsg)(fd, msg, flags);
	respond(fd, msg->msg_iov[0].iov_base);
	return (ssize_t)msg->msg_iov[0].iov_len;
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	void *name = msg->msg_name;
	ssize_t got;

	if (!ours(fd))
		return REAL(recvmsg)(fd, msg, flags);
	msg->msg_name = NULL;
	got = REAL(recvmsg)(fd, msg, flags);
	msg->msg_name = name;
	msg->msg_namelen = sizeof(kernel);
	if (name)
		memcpy(name, &kernel, sizeof(kernel));
	return got;
}

int close(int fd)
{
	if (ours(fd)) {
		REAL(close)(far_end[fd]);
		far_end[fd] = 0;
	}
	return REAL(close)(fd);
}
