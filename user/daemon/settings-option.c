// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlensd's options, wherever they stand: on its command line, or as keys of its configuration file. */
#include "daemon/settings.h"

#include "adapt-args.h"
#include "choose-args.h"
#include "cmd.h"
#include "daemon/metrics.h"
#include "error.h"
#include "out.h"

#include <stdlib.h>

#define INTERVAL_MS_LEAST 100
#define HISTORY_MB_MOST 1000000

const struct option tl_settings_options[] = {
	{ "config", required_argument, NULL, 'c' },
	{ "check", no_argument, NULL, 'C' },
	{ "interval", required_argument, NULL, 'i' },
	{ "intervals", required_argument, NULL, 'n' },
	{ "log", required_argument, NULL, 'l' },
	{ "state", required_argument, NULL, 'S' },
	{ "history", required_argument, NULL, 'D' },
	{ "history-size", required_argument, NULL, 'M' },
	{ "replay", required_argument, NULL, 'y' },
	{ "listen", required_argument, NULL, 'L' },
	{ "tls-cert", required_argument, NULL, 't' },
	{ "tls-key", required_argument, NULL, 'k' },
	{ "token-file", required_argument, NULL, 'a' },
	{ "remote-write", required_argument, NULL, 'w' },
	{ "remote-write-token-file", required_argument, NULL, 'o' },
	{ "remote-write-ca", required_argument, NULL, 'A' },
	{ "remote-write-queue", required_argument, NULL, 'q' },
	{ "remote-write-queue-size", required_argument, NULL, 'z' },
	{ "remote-write-skip", required_argument, NULL, 'K' },
	{ "label", required_argument, NULL, 'e' },
	{ "series", required_argument, NULL, 's' },
	{ "hosts", no_argument, NULL, 'H' },
	{ "function", required_argument, NULL, 'f' },
	{ "not", required_argument, NULL, 'x' },
	{ "user", required_argument, NULL, 'u' },
	TL_ADAPT_OPTIONS,
	{ "help", no_argument, NULL, 'h' },
	{ 0 }
};

/**
 * tl_settings_find() - The option of a name
 * @name: without dashes
 *
 * Return: the option; NULL if there is none, or none that may stand in a file.
 */
const struct option *tl_settings_find(const char *name)
{
	const struct option *option;

	for (option = tl_settings_options; option->name; option++)
		if (!strcmp(option->name, name) && !strchr("cChy", option->val))
			return option;
	return NULL;
}

/* A copy that lives as long as the settings. */
static const char *keep(struct tl_settings *settings, const char *value)
{
	char **to = value ? tl_array_append((void **)&settings->text, &settings->texts, sizeof(*to)) : NULL;

	if (!to)
		return NULL;
	*to = strdup(value);
	if (!*to)
		settings->texts--;
	return to ? *to : NULL;
}

static int listen_take(struct tl_settings *settings, const char *value)
{
	struct tl_listen at;
	struct tl_error err;

	if (tl_listen_read(&at, value, &err)) {
		tl_out_error("--listen %s", err.text);
		return TL_EXIT_USAGE;
	}
	settings->http.listen = value;
	settings->asked = true;
	return TL_EXIT_OK;
}

static int interval_take(struct tl_settings *settings, const char *value)
{
	u64 ms = 0;
	int status = tl_args_u64("--interval", value, INTERVAL_MS_LEAST, TL_DAEMON_INTERVAL_MS_MOST, &ms);

	settings->daemon.interval_ms = (u32)ms;
	return status;
}

static int history_size_take(struct tl_settings *settings, const char *value)
{
	u64 mb = 0;
	int status = tl_args_u64("--history-size", value, TL_HISTORY_MB_LEAST, HISTORY_MB_MOST, &mb);

	settings->limits.bytes = mb * 1000000;
	return status;
}

/* One more of what there may be several of; begun anew, the memory stays. */
static int list_add(const char ***list, size_t *n, const char *value)
{
	const char **to = tl_array_append((void **)list, n, sizeof(*to));

	if (!to) {
		tl_out_error("out of memory: free some and try again");
		return TL_EXIT_FAILED;
	}
	*to = value;
	return TL_EXIT_OK;
}

static int push_take(struct tl_push_options *push, int option, const char *value)
{
	switch (option) {
	case 'w':
		push->url = strcmp(value, "none") ? value : NULL;
		return TL_EXIT_OK;
	case 'o':
		push->token_file = value;
		return TL_EXIT_OK;
	case 'A':
		push->ca = value;
		return TL_EXIT_OK;
	case 'q':
		push->queue = value;
		return TL_EXIT_OK;
	case 'z':
		return tl_args_u64("--remote-write-queue-size", value, TL_QUEUE_MB_LEAST, TL_QUEUE_MB_MOST, &push->queue_mb);
	case 'K':
		return list_add(&push->skip, &push->skips, value);
	default:
		return list_add(&push->label, &push->labels, value);
	}
}

/**
 * tl_settings_take() - Take an option
 * @settings: changed
 * @cmd: the command, for sentences
 * @option: character of it
 * @value: its value, copied; NULL if it has none
 *
 * Return: exit status so far; anything but TL_EXIT_OK after a sentence.
 */
int tl_settings_take(struct tl_settings *settings, const struct tl_cmd *cmd, int option, const char *value)
{
	const char *kept = keep(settings, value);

	if (value && !kept) {
		tl_out_error("out of memory: free some and try again");
		return TL_EXIT_FAILED;
	}
	switch (option) {
	case 'i':
		return interval_take(settings, kept);
	case 'n':
		return tl_args_u64("--intervals", kept, 1, UINT64_MAX, &settings->daemon.n);
	case 's':
		return tl_args_u64("--series", kept, TL_SERIES_LEAST, TL_SERIES_MOST, &settings->series);
	case 'L':
		return listen_take(settings, kept);
	case 'H':
		settings->daemon.hosts = true;
		return TL_EXIT_OK;
	case 'l':
		settings->log = kept;
		return TL_EXIT_OK;
	case 'S':
		settings->daemon.state = kept;
		return TL_EXIT_OK;
	case 'D':
		settings->history = kept;
		return TL_EXIT_OK;
	case 'y':
		settings->replay = kept;
		return TL_EXIT_OK;
	case 'M':
		return history_size_take(settings, kept);
	case 't':
		settings->http.tls_cert = kept;
		return TL_EXIT_OK;
	case 'k':
		settings->http.tls_key = kept;
		return TL_EXIT_OK;
	case 'a':
		settings->http.token_file = kept;
		return TL_EXIT_OK;
	case 'w':
	case 'o':
	case 'A':
	case 'q':
	case 'z':
	case 'K':
	case 'e':
		return push_take(&settings->push, option, kept);
	case 'f':
	case 'x':
	case 'u':
		optarg = (char *)kept;
		return tl_choose_args(option, &settings->daemon.choose);
	default:
		optarg = (char *)kept;
		return tl_adapt_args(cmd, option, &settings->daemon.adapt);
	}
}
