/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_SERVICE_H
#define TL_DAEMON_SERVICE_H

#include "daemon/board.h"
#include "daemon/log.h"
#include "daemon/settings.h"
#include "origin.h"

/**
 * struct tl_service - What tierlensd is beside its loop: settings that can change, a log, and what it tells others
 * @argv: [@argc] its command line, which is read again with the file
 * @plan: how to serve, until that is begun
 * @push_plan: the same of what to send, @push: sends it; NULL for nothing
 * @ending: remote write that is not wanted any more, and sends what it can in a moment; NULL for none
 * @bound: is told the port, with @bound_arg, before the first answer there; NULL for nobody
 * @dropped: what only root could do has been let go
 * @where_ns: when it was last asked where tiers listen, on the monotonic clock; 0 for never
 * @history: in @history_file, as long as we are there; NULL for none
 * @replay_file: that is told of instead of the kernel; NULL for none
 */
struct tl_service {
	const struct tl_cmd *cmd;
	int argc;
	char **argv;
	struct tl_settings settings;
	struct tl_http_plan plan;
	struct tl_push_plan push_plan;
	struct tl_push *push, *ending;
	struct tl_log log;
	struct tl_history *history;
	char *history_file, *replay_file;
	struct tl_origin origin;
	bool knows_origin;
	struct tl_board board;
	struct tl_http *http;
	tl_http_bound_fn *bound;
	void *bound_arg;
	bool dropped;
	u64 where_ns;
};

int tl_service_open(struct tl_service *service, const struct tl_cmd *cmd, int argc, char **argv);
int tl_service_close(struct tl_service *service, int status);

/* For the loop. */
int tl_service_begin(struct tl_service *service, struct tl_error *err);
unsigned int tl_service_port(const struct tl_service *service);
bool tl_service_turn(struct tl_service *service, const struct tl_feed *feed);
int tl_service_interval(struct tl_service *service, const struct tl_interval *interval, u64 missed, struct tl_error *err);

#endif
