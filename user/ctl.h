/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CTL_H
#define TL_CTL_H

#include "table.h"

#include <linux/tierlens.h>

struct tl_ctl;
struct tl_error;

/* Of what the kernel tells how much is in use. */
#define TL_TABLES 12
extern const char *const tl_table_names[TL_TABLES];

struct tl_module {
	char version[64];
	u32 abi, enabled, interval_ms, quiet_ms;
	u64 oldest, newest, memory_used, memory_cap;
	u32 connections, threads, tiers, class_rules, paths, processors, functions;
	u32 lease_ms; /* how long it is leased; 0: it is not */
	enum tl_at level, leased_from; /* of tiers that have none of their own; and when the lease is over */
	u64 events[TL_EVENTS], losses[TL_LOSSES], occupancy[TL_TABLES];
	struct tl_sum cost[TL_COST_SUMS];
};

/* What the kernel says about a tier: a rule, or one that it found by itself. @path:
 * of a UNIX socket; "" for a tier that has a port. Room for its bytes as UTF-8.
 * @leased: somebody has to ask for its level again in @lease_ms. @own_level: it was set for this
 * tier. */
struct tl_tier_info {
	char name[64], path[3 * TIERLENS_SUN_PATH_MAX + 1];
	u32 id, port, netns, source, connections, lease_ms;
	enum tl_at level;
	bool leased, own_level;
};

/* A function that is probed, or was, @state: enum tierlens_function_state. @lost: calls whose
 * return was not seen. */
struct tl_function_info {
	char tier[64], name[3 * TIERLENS_FUNCTION_NAME_MAX + 1];
	u32 id, rate_max, state;
	u64 offset, hits, lost;
};

/**
 * struct tl_function_request - A function that is to be probed
 * @tier: name of the tier, @name: of the function
 * @file: descriptor of what the function is in, open for reading
 * @program: the same of the program whose processes are probed
 * @offset: of the function in the file
 * @rate_max: calls a second above which it is probed no longer, 0 for the kernel's own
 */
struct tl_function_request {
	const char *tier, *name;
	int file, program;
	u64 offset;
	u32 rate_max;
};

/* A rule for classes. @tier: the only one that it is for; "" for all. */
struct tl_class_info {
	char name[64], tier[64];
	u8 prefix[TIERLENS_PREFIX_MAX];
	size_t prefix_len;
	u32 id;
	u64 hits;
};

struct tl_hook {
	char name[64], symbol[128];
	u32 state, required;
	u64 hits, missed;
	u64 timed, timed_ns; /* of a sample: time in the handler */
	u64 floor_ns; /* of a hit whose handler does nothing; 0: not known */
};

/* An event that is counted on each processor, as struct perf_event_attr has it. @cpus: on
 * so many it is. @charged: its counts are charged to requests, too. */
struct tl_pmu_info {
	char name[64];
	u32 id, type, cpus;
	u64 config, config1;
	bool charged;
};

/* A function of a library that is watched. @function: enum tierlens_sync_function */
struct tl_sync_probe {
	int fd;
	u64 offset;
	u32 function;
};

/**
 * struct tl_sync_request - What sync points are to be recorded
 * @process: [@processes] their numbers
 * @ms: for how long
 * @buffer: bytes per processor
 * @stack: bytes of a stack
 * @probe: [@probes]
 */
struct tl_sync_request {
	u32 process[TIERLENS_SYNC_PROCESSES_MAX], ms, buffer, stack;
	struct tl_sync_probe probe[TIERLENS_SYNC_PROBES_MAX];
	size_t processes, probes;
};

enum tl_which { TL_WHICH_NEWEST, TL_WHICH_GENERATION, TL_WHICH_SINCE, TL_WHICH_NEXT };

#define TL_NEXT_BYTES (1 << 20) /* of messages; an interval of twenty tiers by ten classes takes more */

/* @more: there are others, which were not asked for now */
struct tl_intervals {
	struct tl_interval **interval;
	size_t n;
	bool more;
};

int tl_ctl_open(struct tl_ctl **ctl, struct tl_error *err);
void tl_ctl_close(struct tl_ctl *ctl);
int tl_ctl_module(struct tl_ctl *ctl, struct tl_module *module, struct tl_error *err);
int tl_ctl_enable(struct tl_ctl *ctl, u32 interval_ms, u32 quiet_ms,
		  struct tl_error *err);
int tl_ctl_disable(struct tl_ctl *ctl, struct tl_error *err);
int tl_ctl_tier_add(struct tl_ctl *ctl, const char *name, u32 port, const char *path,
		    u32 netns, struct tl_error *err);
int tl_ctl_tier_del(struct tl_ctl *ctl, const char *name, struct tl_error *err);
int tl_ctl_tiers(struct tl_ctl *ctl, struct tl_tier_info **tiers, size_t *n,
		 struct tl_error *err);
int tl_ctl_class_add(struct tl_ctl *ctl, const struct tl_class_info *class,
		     struct tl_error *err);
int tl_ctl_class_del(struct tl_ctl *ctl, const struct tl_class_info *class,
		     struct tl_error *err);
int tl_ctl_classes(struct tl_ctl *ctl, struct tl_class_info **classes, size_t *n,
		   struct tl_error *err);
int tl_ctl_hooks(struct tl_ctl *ctl, struct tl_hook **hooks, size_t *n,
		 struct tl_error *err);
/* ctl-level.c */
int tl_ctl_level_set(struct tl_ctl *ctl, const char *tier, enum tl_at level, u32 lease_ms,
		     struct tl_error *err);
int tl_ctl_function_add(struct tl_ctl *ctl, const struct tl_function_request *function, u32 *id,
			struct tl_error *err);
int tl_ctl_function_del(struct tl_ctl *ctl, const char *tier, u32 id, struct tl_error *err);
int tl_ctl_functions(struct tl_ctl *ctl, struct tl_function_info **functions, size_t *n,
		     struct tl_error *err);
/* ctl-pmu.c */
int tl_ctl_pmu_add(struct tl_ctl *ctl, const struct tl_pmu_info *event, struct tl_error *err);
int tl_ctl_pmu_del(struct tl_ctl *ctl, const char *name, struct tl_error *err);
int tl_ctl_pmus(struct tl_ctl *ctl, struct tl_pmu_info **events, size_t *n,
		struct tl_error *err);
/* ctl-sync.c */
int tl_ctl_sync_start(struct tl_ctl *ctl, const struct tl_sync_request *request, int *fd,
		      struct tl_error *err);

int tl_ctl_intervals(struct tl_ctl *ctl, enum tl_which which, u64 generation,
		     struct tl_intervals *list, struct tl_error *err);
int tl_ctl_wait(struct tl_ctl *ctl, int timeout_ms, struct tl_error *err);
void tl_intervals_free(struct tl_intervals *list);

const char *tl_tier_source_name(u32 source);
const char *tl_function_state_name(u32 state);
const char *tl_hook_state_name(u32 state);

#endif
