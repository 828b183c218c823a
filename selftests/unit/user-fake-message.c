// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages of the fake kernel, and what its intervals hold. */
#include "user-fake.h"

#include <linux/genetlink.h>
#include <linux/tierlens.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LARGE_TIERS 20

struct nlmsghdr *begin(struct message *m, uint16_t type, uint16_t flags,
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

void put_raw(struct message *m, const void *data, size_t len)
{
	memcpy(m->bytes + m->len, data, len);
	m->len += NLMSG_ALIGN(len);
}

void begin_genl(struct message *m, uint8_t cmd, uint16_t flags,
		       const struct nlmsghdr *request)
{
	struct genlmsghdr genl = { .cmd = cmd, .version = 1 };

	begin(m, FAMILY, flags, request);
	put_raw(m, &genl, sizeof(genl));
}

void put(struct message *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr attr = { .nla_len = (uint16_t)(NLA_HDRLEN + len),
			       .nla_type = type };

	put_raw(m, &attr, sizeof(attr));
	put_raw(m, data, len);
}

void put_u16(struct message *m, uint16_t type, uint16_t value)
{
	put(m, type, &value, sizeof(value));
}

void put_u32(struct message *m, uint16_t type, uint32_t value)
{
	put(m, type, &value, sizeof(value));
}

void put_u64(struct message *m, uint16_t type, uint64_t value)
{
	put(m, type, &value, sizeof(value));
}

void put_text(struct message *m, uint16_t type, const char *text)
{
	put(m, type, text, strlen(text) + 1);
}

size_t nest_begin(struct message *m, uint16_t type)
{
	size_t at = m->len;

	put(m, type, "", 0);
	return at;
}

void nest_end(struct message *m, size_t at)
{
	((struct nlattr *)(m->bytes + at))->nla_len = (uint16_t)(m->len - at);
}

void answer(int fd, const struct nlmsghdr *request, int error,
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

void finish(int fd, const struct nlmsghdr *request, int error,
		   const char *sentence)
{
	struct message m;

	begin(&m, NLMSG_DONE, NLM_F_MULTI | (sentence ? NLM_F_ACK_TLVS : 0), request);
	put_raw(&m, &error, sizeof(error));
	if (sentence)
		put_text(&m, NLMSGERR_ATTR_MSG, sentence);
	deliver(fd, &m);
}

void put_totals(struct message *m, uint16_t events, uint16_t losses)
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

const char *name_of(unsigned int tier)
{
	static char names[LARGE_TIERS + 1][16];

	if (plays("large") && tier <= LARGE_TIERS) {
		snprintf(names[tier], sizeof(names[tier]), "tier%u:80", tier);
		return names[tier];
	}
	if (plays("expansion"))
		return tier == 1 ? "$(touch x):80" : "`touch x`:9000";
	if (plays("hostile"))
		return tier == 1 ? "\033[2J\"<b>\xff:80" : "a\\b|c&:9000";
	return tier == 1 ? "web:80" : "app:9000";
}

static const char *class_name(uint32_t class)
{
	static char name[16];

	snprintf(name, sizeof(name), "class%u", class);
	if (plays("large"))
		return name;
	return plays("hostile") ? "\033[2Jcart" : "cart";
}

/* What may be absent. The second class lacks storage, as on a kernel without it. */
static void put_rests(struct message *m, uint32_t class, uint64_t count)
{
	if (plays("bare"))
		return;
	if (class)
		put_text(m, TIERLENS_A_CELL_CLASS_NAME, class_name(class));
	put_u64(m, TIERLENS_A_CELL_CPU_NS, count * 400000);
	put_u64(m, TIERLENS_A_CELL_RUN_WAIT_NS, count * 100000);
	put_u64(m, TIERLENS_A_CELL_QUEUE_NS, 5000000);
	put_u64(m, TIERLENS_A_CELL_QUEUE_COUNT, 4);
	if (class)
		return;
	put_u64(m, TIERLENS_A_CELL_STORAGE_READ, 4096);
	put_u64(m, TIERLENS_A_CELL_STORAGE_WRITE, 0);
}

/* How many times as long as otherwise requests take. */
static uint64_t slow(uint64_t generation)
{
	return plays("fault") && generation >= 1050 && generation < 1080 ? 8 : 1;
}

/* Of two buckets each; of sixteen, if there is to be much. */
static void put_hists(struct message *m, const uint32_t *response, const uint32_t *own)
{
	uint32_t wide[32], i;

	for (i = 0; i < 16; i++) {
		wide[2 * i] = 81 + 3 * i;
		wide[2 * i + 1] = 3 + (i < 2);
	}
	put(m, TIERLENS_A_CELL_HIST_RESPONSE, plays("large") ? wide : response, plays("large") ? sizeof(wide) : 16);
	put(m, TIERLENS_A_CELL_HIST_OWN, plays("large") ? wide : own, plays("large") ? sizeof(wide) : 8);
}

static void put_cell(struct message *m, unsigned int tier, uint32_t class, uint64_t count, uint64_t generation)
{
	uint64_t times = slow(generation), traced = level_of(tier) == TIERLENS_LEVEL_TRACE ? count : 0;
	uint32_t later = times > 1 ? 24 : 0;
	const uint32_t hist[] = { 81 + later, 6, 89 + later, 4 }, own[] = { tier == 2 ? 81 + later : 81, 6 };
	size_t nest = nest_begin(m, TIERLENS_A_INTERVAL_CELL);

	put_u32(m, TIERLENS_A_CELL_TIER, tier);
	put_text(m, TIERLENS_A_CELL_TIER_NAME, name_of(tier));
	put_u32(m, TIERLENS_A_CELL_CLASS, class);
	put_u64(m, TIERLENS_A_CELL_COUNT, count);
	put_u64(m, TIERLENS_A_CELL_RESPONSE_NS, count * 3000001 * times);
	put_u64(m, TIERLENS_A_CELL_OWN_NS, (count - traced) * 1000000 * (tier == 2 ? times : 1));
	put_u64(m, TIERLENS_A_CELL_OWN_SQ_HI, 1);
	put_u64(m, TIERLENS_A_CELL_OWN_SQ_LO, 5);
	put_u64(m, TIERLENS_A_CELL_CARRIED, 1);
	put_u64(m, TIERLENS_A_CELL_BYTES_IN, 100);
	put_u64(m, TIERLENS_A_CELL_BYTES_OUT, 200);
	put_rests(m, class, count);
	put_hists(m, hist, own);
	put_counted(m, class, count);
	if (!plays("bare"))
		put_u32(m, TIERLENS_A_CELL_LEVEL, level_of(tier));
	if (traced)
		put_u64(m, TIERLENS_A_CELL_TRACED, traced);
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
	if (peer_tier && !len)
		put_text(m, TIERLENS_A_EDGE_PEER_PATH, "/run/php/fpm.sock");
	put_u64(m, TIERLENS_A_EDGE_CALLS, calls);
	put_u64(m, TIERLENS_A_EDGE_TIME_NS, calls * 2000000);
	if (tier)
		put_u64(m, TIERLENS_A_EDGE_BY_OWNER, calls);
	if (tier && !plays("bare")) {
		put_u64(m, TIERLENS_A_EDGE_JOINED, peer_tier ? calls : 0);
		put_u64(m, TIERLENS_A_EDGE_TRANSIT_NS, peer_tier ? calls * 50000 : 0);
		put_u64(m, TIERLENS_A_EDGE_BYTES_OUT, 10 * calls);
		put_u64(m, TIERLENS_A_EDGE_BYTES_IN, 1000 * calls);
	}
	nest_end(m, nest);
}

static void put_path(struct message *m, uint32_t id, uint32_t parent, unsigned int tier,
		     uint32_t class, uint64_t count)
{
	size_t nest = nest_begin(m, TIERLENS_A_INTERVAL_PATH);

	put_u32(m, TIERLENS_A_PATH_ID, id);
	if (parent)
		put_u32(m, TIERLENS_A_PATH_PARENT, parent);
	if (tier) {
		put_u32(m, TIERLENS_A_PATH_TIER, tier);
		put_text(m, TIERLENS_A_PATH_TIER_NAME, name_of(tier));
		put_u32(m, TIERLENS_A_PATH_CLASS, class);
	}
	if (class)
		put_text(m, TIERLENS_A_PATH_CLASS_NAME, class_name(class));
	put_u64(m, TIERLENS_A_PATH_COUNT, count);
	put_u64(m, TIERLENS_A_PATH_RESPONSE_NS, count * 3000000 / (parent ? 2 : 1));
	put_u64(m, TIERLENS_A_PATH_OWN_NS, count * 1000000);
	put_u64(m, TIERLENS_A_PATH_CPU_NS, count * 400000);
	if (tier && level_of(tier) == TIERLENS_LEVEL_TRACE)
		put_u64(m, TIERLENS_A_PATH_TRACED, count);
	nest_end(m, nest);
}

static void put_usage(struct message *m, const char *tier, uint32_t processes,
		      uint64_t cpu_ns)
{
	size_t nest = nest_begin(m, TIERLENS_A_INTERVAL_USAGE);

	put_u32(m, TIERLENS_A_USAGE_TIER, 1);
	put_text(m, TIERLENS_A_USAGE_TIER_NAME, tier);
	put_u32(m, TIERLENS_A_USAGE_PROCESSES, processes);
	put_u64(m, TIERLENS_A_USAGE_CPU_NS, cpu_ns);
	put_u64(m, TIERLENS_A_USAGE_REQUEST_CPU_NS, 6000000);
	put_u64(m, TIERLENS_A_USAGE_ELAPSED_NS, INTERVAL_NS * 5 / 4);
	nest_end(m, nest);
}

/* A child before its parent, as ids that are used again can make it. */
static void put_paths(struct message *m)
{
	put_path(m, 3, plays("orphan") ? 77 : 7, 2, 0, 8);
	put_path(m, 7, 0, 1, 0, 10);
	put_path(m, 5, 0, 1, 4, 5);
	put_path(m, 9, 5, 2, 4, 5);
	put_path(m, 1, 0, 0, 0, 2);
	/* The second tier's usage is not known; a third one served nobody meanwhile. */
	put_usage(m, name_of(1), 3, 10000000);
	put_usage(m, "idle:7", 1, 5000000);
}

void put_head(struct message *m, uint64_t generation)
{
	put_u64(m, TIERLENS_A_INTERVAL_GENERATION, generation);
	put_u64(m, TIERLENS_A_INTERVAL_START_NS, start_ns(generation));
	put_u64(m, TIERLENS_A_INTERVAL_LENGTH_NS, INTERVAL_NS);
}

static void put_edges(struct message *m, uint64_t generation)
{
	static const uint8_t v4[4] = { 127, 0, 0, 1 };
	static const uint8_t v6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 7 };
	static const uint8_t mapped[16] = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 8 };

	put_edge(m, 1, v4, sizeof(v4), name_of(2), generation % 7);
	put_edge(m, 2, v6, sizeof(v6), NULL, 3);
	put_edge(m, 2, mapped, sizeof(mapped), NULL, 2);
	put_edge(m, 2, NULL, 0, NULL, 1);
	put_edge(m, 0, v4, sizeof(v4), name_of(2), 1);
	put_edge(m, 2, NULL, 0, "sock", 4);
}

static void put_traffic(struct message *m, uint64_t generation)
{
	put_cell(m, 1, 4, 5, generation);
	put_cell(m, 2, 0, generation % 7, generation);
	put_edges(m, generation);
	if (!plays("bare"))
		put_paths(m);
}

/* Twenty tiers of ten classes, a message each. */
static void send_large(int fd, const struct nlmsghdr *request, uint64_t generation)
{
	static const uint8_t v4[4] = { 127, 0, 0, 1 };
	struct message m;
	uint32_t tier, class;

	for (tier = 1; tier <= LARGE_TIERS; tier++) {
		begin_genl(&m, TIERLENS_CMD_INTERVAL_GET, dump_flags(), request);
		put_head(&m, generation);
		for (class = 1; class <= 10; class++)
			put_cell(&m, tier, class, 50, generation);
		put_edge(&m, tier, v4, sizeof(v4), name_of(tier % LARGE_TIERS + 1), 50);
		if (tier == LARGE_TIERS)
			put(&m, TIERLENS_A_INTERVAL_LAST, "", 0);
		deliver(fd, &m);
	}
}

/* In two messages, as a kernel with many cells would send it. */
void send_interval(int fd, const struct nlmsghdr *request, uint64_t generation)
{
	struct message m;

	if (plays("large")) {
		send_large(fd, request, generation);
		return;
	}
	begin_genl(&m, TIERLENS_CMD_INTERVAL_GET, dump_flags(), request);
	put_head(&m, generation);
	put_totals(&m, TIERLENS_A_INTERVAL_EVENTS, TIERLENS_A_INTERVAL_LOSSES);
	if (!plays("bare"))
		put_cost(&m);
	if (!plays("idle"))
		put_cell(&m, 1, 0, 10, generation);
	deliver(fd, &m);
	begin_genl(&m, TIERLENS_CMD_INTERVAL_GET, dump_flags(), request);
	put_head(&m, generation);
	if (!plays("idle"))
		put_traffic(&m, generation);
	put_counts(&m);
	put_calls(&m, 3000000 * slow(generation));
	if (!plays("cut"))
		put(&m, TIERLENS_A_INTERVAL_LAST, "", 0);
	deliver(fd, &m);
}
