/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_SETTINGS_H
#define TL_DAEMON_SETTINGS_H

#include "daemon/history.h"
#include "daemon/http.h"
#include "daemon/loop.h"
#include "daemon/push.h"

#include <getopt.h>

#define TL_CONFIG_DEFAULT "/etc/tierlens/tierlensd.conf"

struct tl_cmd;

/**
 * struct tl_settings - What the command line and the configuration file say
 * @log: name of the log, NULL for standard output
 * @history: name of the history, NULL for none; @limits: of it
 * @config: name of the configuration file; NULL if there is none
 * @series: that metrics may have
 * @replay: name of a recording that is told of instead of the kernel; NULL for the kernel
 * @asked: an address to listen on was given
 * @check: only say whether all is well
 * @text: [@texts] that the others point to
 */
struct tl_settings {
	struct tl_daemon daemon;
	struct tl_http_options http;
	struct tl_push_options push;
	const char *log, *history, *replay, *config;
	struct tl_history_limits limits;
	u64 series;
	bool asked, check;
	char **text;
	size_t texts;
};

int tl_settings_read(struct tl_settings *settings, const struct tl_cmd *cmd, int argc, char **argv);
void tl_settings_free(struct tl_settings *settings);

/* settings-option.c */
#define TL_SETTINGS_SHORTS "n:l:c:"
extern const struct option tl_settings_options[];
const struct option *tl_settings_find(const char *name);
int tl_settings_take(struct tl_settings *settings, const struct tl_cmd *cmd, int option, const char *value);

/* settings-file.c */
int tl_settings_file(struct tl_settings *settings, const struct tl_cmd *cmd);

#endif
