/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of the fake kernel. */
#ifndef USER_FAKE_H
#define USER_FAKE_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAMILY 0x99
#define INTERVAL_NS 100000000ULL

struct message {
	char bytes[8192];
	size_t len;
};

/* user-fake-kernel.c */
bool plays(const char *word);
uint64_t start_ns(uint64_t generation);
uint16_t dump_flags(void);
void respond(int fd, const struct nlmsghdr *request);
void announce_begin(int fd);
const struct nlattr *attr_of(const struct nlmsghdr *request, uint16_t type);
uint64_t number_of(const struct nlattr *attr);
void request_log(const struct nlmsghdr *request);

/* user-fake-pmu.c */
void answer_event(int fd, const struct nlmsghdr *request, uint8_t cmd);
void dump_events(int fd, const struct nlmsghdr *request);
void put_counted(struct message *m, uint32_t class, uint64_t count);
void put_counts(struct message *m);

/* user-fake-level.c */
uint32_t level_of(unsigned int tier);
void put_level(struct message *m, unsigned int tier);
void put_module_level(struct message *m);
void put_calls(struct message *m, uint64_t each_ns);
void put_cost(struct message *m);
void answer_level(int fd, const struct nlmsghdr *request);
void answer_function(int fd, const struct nlmsghdr *request, uint8_t cmd);
void dump_functions(int fd, const struct nlmsghdr *request);

/* user-fake-sync.c */
void answer_sync(int fd, const struct nlmsghdr *request);

/* user-fake-message.c: bytes; what an interval holds */
struct nlmsghdr *begin(struct message *m, uint16_t type, uint16_t flags,
		       const struct nlmsghdr *request);
void put_raw(struct message *m, const void *data, size_t len);
void begin_genl(struct message *m, uint8_t cmd, uint16_t flags,
		const struct nlmsghdr *request);
void put(struct message *m, uint16_t type, const void *data, size_t len);
void put_u16(struct message *m, uint16_t type, uint16_t value);
void put_u32(struct message *m, uint16_t type, uint32_t value);
void put_u64(struct message *m, uint16_t type, uint64_t value);
void put_text(struct message *m, uint16_t type, const char *text);
size_t nest_begin(struct message *m, uint16_t type);
void nest_end(struct message *m, size_t at);
void answer(int fd, const struct nlmsghdr *request, int error, const char *sentence);
void finish(int fd, const struct nlmsghdr *request, int error, const char *sentence);
void put_totals(struct message *m, uint16_t events, uint16_t losses);
void put_head(struct message *m, uint64_t generation);
void send_interval(int fd, const struct nlmsghdr *request, uint64_t generation);
const char *name_of(unsigned int tier);

/* user-fake-socket.c */
void deliver(int fd, struct message *m);

#endif
