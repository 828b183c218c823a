// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tierlensd as a service: it begins, is told to read its configuration again, and ends
 *
 * A new configuration is tried as a whole before anything of the old one is let go: files are read, the log is opened,
 * the server listens. If any of that fails, all is as it was, and it is said why.
 */
#include "daemon/service.h"

#include "clock.h"
#include "cmd.h"
#include "daemon/notify.h"
#include "daemon/privileges.h"
#include "daemon/study.h"
#include "daemon/where.h"
#include "error.h"
#include "feed.h"
#include "out.h"
#include "signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHERE_NS 10000000000ULL

static void tell_mistake(const struct tl_error *err, void *arg)
{
	(void)arg;
	tl_out_error("%s", err->text);
}

static void tell_bare(const struct tl_http_plan *plan, bool push)
{
	if (push)
		tl_out_error("warning: the token of --remote-write goes over the network as it is: give an address with https://");
	if (tl_http_is_bare(plan))
		tl_out_error("warning: the token and all figures go over the network as they are: give --tls-cert and --tls-key");
}

static void on_row(void *arg, json_t *row, const char *line)
{
	struct tl_service *service = arg;
	double t_s = json_number_value(json_object_get(row, "t"));

	tl_board_row(&service->board, row, line);
	if (service->history)
		tl_history_row(service->history, t_s > 0 ? t_s : (double)time(NULL), line);
}

static int log_open(struct tl_service *service, struct tl_log *log, const char *file, struct tl_error *err)
{
	int code = tl_log_open(log, file, err);

	log->also = on_row;
	log->arg = service;
	return code;
}

static int history_open(struct tl_service *service, struct tl_error *err)
{
	const char *file = service->settings.history, *replay = service->settings.replay;

	service->replay_file = replay ? strdup(replay) : NULL;
	if (replay && !service->replay_file)
		return tl_error_no_memory(err);
	if (!file)
		return 0;
	service->history_file = strdup(file);
	if (!service->history_file)
		return tl_error_no_memory(err);
	return tl_history_open(&service->history, file, &service->settings.limits, err);
}

static void push_tell(struct tl_service *service, struct tl_push *push)
{
	char text[600];

	while (push && tl_push_news(push, text, sizeof(text)))
		tl_log_text(&service->log, (double)time(NULL), "remote_write", NULL, NULL, text);
}

/* It may have to be waited for, and has something to say then. */
static void ending_close(struct tl_service *service)
{
	if (!service->ending)
		return;
	tl_push_wait(service->ending);
	push_tell(service, service->ending);
	tl_push_close(service->ending);
	service->ending = NULL;
}

/* The loop goes on meanwhile. */
static void push_end(struct tl_service *service)
{
	ending_close(service);
	service->ending = service->push;
	service->push = NULL;
	tl_push_end(service->ending);
}

static int push_open(struct tl_service *service, struct tl_push_plan *plan, struct tl_error *err)
{
	if (!plan->target.url || service->push)
		return 0;
	/* It may have the same queue. */
	ending_close(service);
	return tl_push_open(&service->push, plan, err);
}

static bool is_other_history(const struct tl_service *service)
{
	const char *file = service->settings.history;

	return !file != !service->history_file || (file && strcmp(file, service->history_file));
}

/* What the loop goes by, of settings that were just read. */
static void daemon_set(struct tl_service *service)
{
	service->settings.daemon.log = &service->log;
	service->settings.daemon.service = service;
	service->settings.daemon.history = service->history;
	service->settings.daemon.choose.origin = service->knows_origin ? &service->origin : NULL;
}

/* A history that is replayed is also the one that is asked. */
static void board_set(struct tl_service *service)
{
	struct tl_board *board = &service->board;

	board->replay = service->replay_file;
	board->history = service->history_file;
	if (!board->history && board->replay && tl_history_is(board->replay))
		board->history = board->replay;
}

/* Return: TL_GO_ON or the exit status. */
static int checked(const struct tl_service *service, bool well)
{
	if (!well)
		return TL_EXIT_USAGE;
	if (!service->settings.check)
		return TL_GO_ON;
	tell_bare(&service->plan, service->push_plan.bare);
	printf("%s: no mistakes\n", service->settings.config ? service->settings.config : "no configuration file");
	return TL_EXIT_OK;
}

/**
 * tl_service_open() - Read the settings, and open the log
 * @service: filled in, to be given to tl_service_close() in any case
 * @cmd: the command, for sentences
 * @argc: as given to it
 * @argv: as given to it
 *
 * Return: TL_GO_ON, or the exit status after a sentence for each mistake.
 */
int tl_service_open(struct tl_service *service, const struct tl_cmd *cmd, int argc, char **argv)
{
	struct tl_error err;
	int status;
	bool well;

	*service = (struct tl_service){ .cmd = cmd, .argc = argc, .argv = argv, .origin.sure = TL_ORIGIN_SURE };
	status = tl_settings_read(&service->settings, cmd, argc, argv);
	if (status == TL_EXIT_OK)
		return status;
	/* Also after a mistake: all of them in one go. */
	well = !tl_http_plan(&service->plan, &service->settings.http, tell_mistake, NULL) && status == TL_GO_ON;
	well &= !tl_push_plan(&service->push_plan, &service->settings.push, tell_mistake, NULL);
	status = checked(service, well);
	if (status != TL_GO_ON)
		return status;
	if (tl_board_begin(&service->board, service->settings.series)) {
		tl_error_no_memory(&err);
		return tl_out_failed(&err);
	}
	service->board.studies = tl_studies_new(&service->board);
	if (!service->board.studies) {
		tl_error_no_memory(&err);
		return tl_out_failed(&err);
	}
	if (history_open(service, &err) || push_open(service, &service->push_plan, &err) ||
	    log_open(service, &service->log, service->settings.log, &err))
		return tl_out_failed(&err);
	/* Only here: what we have counted ourselves is in no queue of an earlier life. */
	if (service->push)
		tl_board_known(&service->board, tl_push_known_ns(service->push));
	service->knows_origin = !tl_origin_open(&service->origin, NULL, "", &err);
	if (!service->knows_origin)
		tl_log_text(&service->log, 0, "note", NULL, NULL, err.text);
	else if (*service->origin.note)
		tl_log_text(&service->log, 0, "note", NULL, NULL, service->origin.note);
	daemon_set(service);
	board_set(service);
	return TL_GO_ON;
}

/**
 * tl_service_close() - End all of it
 * @service: service
 * @status: exit status so far
 *
 * Return: exit status.
 */
int tl_service_close(struct tl_service *service, int status)
{
	struct tl_error err;

	tl_http_close(service->http);
	if (service->push)
		push_end(service);
	ending_close(service);
	tl_studies_free(service->board.studies);
	if (tl_log_close(&service->log, &err) && status == TL_EXIT_OK)
		status = tl_out_failed(&err);
	tl_history_close(service->history);
	free(service->history_file);
	free(service->replay_file);
	tl_origin_close(&service->origin);
	if (service->board.version)
		tl_board_end(&service->board);
	tl_http_plan_free(&service->plan);
	tl_push_plan_free(&service->push_plan);
	tl_settings_free(&service->settings);
	return status;
}

static void tell_listening(struct tl_service *service)
{
	tl_log_row(&service->log, json_pack("{s:s, s:f, s:s, s:b, s:b}", "kind", "listen", "t", service->board.began_s,
					    "address", service->board.address, "tls", (int)service->board.tls, "token",
					    service->settings.http.token_file != NULL));
}

static void privileges_drop(struct tl_service *service)
{
	struct tl_error err;

	if (!service->dropped && tl_privileges_drop(&err))
		tl_log_text(&service->log, service->board.began_s, "note", NULL, NULL, err.text);
	service->dropped = true;
}

/* Before there is a thread that reads what others send: each has what the one had that began it. */
static void on_first_bound(unsigned int port, void *arg)
{
	struct tl_service *service = arg;

	privileges_drop(service);
	if (service->bound)
		service->bound(port, service->bound_arg);
}

/**
 * tl_service_begin() - The kernel answers: from now on we serve
 * @service: service
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_service_begin(struct tl_service *service, struct tl_error *err)
{
	int code = 0;

	if (service->plan.at.len)
		code = tl_http_open(&service->http, &service->plan, &service->board, NULL, on_first_bound, service, err);
	privileges_drop(service);
	if (code && !service->settings.asked) {
		/* Nobody has asked for it: somebody else may have the port. */
		tl_log_text(&service->log, service->board.began_s, "note", NULL, NULL, err->text);
		code = 0;
	}
	if (code)
		return code;
	tell_bare(&service->plan, service->push_plan.bare);
	if (service->http)
		tell_listening(service);
	tl_board_reloaded(&service->board, true);
	tl_signals_catch_reload();
	tl_notify("READY=1");
	return 0;
}

/* All that can fail. Return: TL_GO_ON if nothing did; then @log and @http are open. */
static int renew_try(struct tl_service *service, struct tl_settings *settings, struct tl_http_plan *plan,
		     struct tl_push_plan *push, struct tl_log *log, struct tl_http **http)
{
	int status = tl_settings_read(settings, service->cmd, service->argc, service->argv);
	struct tl_error err;

	bool well = !tl_http_plan(plan, &settings->http, tell_mistake, NULL);

	if (tl_push_plan(push, &settings->push, tell_mistake, NULL) || !well || status != TL_GO_ON)
		return TL_EXIT_USAGE;
	if (push_open(service, push, &err) || log_open(service, log, settings->log, &err))
		return tl_out_failed(&err);
	*http = NULL;
	if (!plan->at.len ||
	    !tl_http_open(http, plan, &service->board, service->http, service->bound, service->bound_arg, &err))
		return TL_GO_ON;
	tl_out_failed(&err);
	tl_log_close(log, &err);
	return TL_EXIT_FAILED;
}

/* One that was begun just now has no other settings. */
static void push_renew(struct tl_service *service, struct tl_push_plan *plan)
{
	if (!service->push)
		return;
	if (!service->settings.push.url) {
		push_end(service);
	} else if (plan->target.url && !tl_push_renew(service->push, plan)) {
		tl_log_text(&service->log, (double)time(NULL), "note", NULL, NULL,
			    "the queue of remote write stays where it is: restart tierlensd to have another one");
	}
}

static void renew(struct tl_service *service, struct tl_settings *settings, struct tl_push_plan *push,
		  const struct tl_log *log, struct tl_http *http)
{
	struct tl_error err;

	tl_http_close(service->http);
	service->http = http;
	if (!http)
		tl_board_address(&service->board, "", false);
	if (tl_log_close(&service->log, &err))
		tl_out_failed(&err);
	service->log = *log;
	tl_settings_free(&service->settings);
	service->settings = *settings;
	daemon_set(service);
	if (is_other_history(service))
		tl_log_text(&service->log, (double)time(NULL), "note", NULL, NULL,
			    "the history stays where it is: restart tierlensd to begin another one");
	tl_board_cap(&service->board, settings->series);
	push_renew(service, push);
}

static bool reload(struct tl_service *service)
{
	struct tl_settings settings;
	struct tl_push_plan push = { .bare = false };
	struct tl_http_plan plan;
	struct tl_http *http;
	struct tl_log log;
	bool pushed = service->push, well;

	tl_notify_reloading();
	well = renew_try(service, &settings, &plan, &push, &log, &http) == TL_GO_ON;
	if (well) {
		renew(service, &settings, &push, &log, http);
		tell_bare(&plan, push.bare);
	} else {
		tl_settings_free(&settings);
		if (service->push && !pushed)
			push_end(service);
		tl_out_error("the configuration was not changed: what was read before holds");
	}
	tl_http_plan_free(&plan);
	tl_push_plan_free(&push);
	tl_board_reloaded(&service->board, well);
	tl_log_text(&service->log, service->board.began_s, well ? "note" : "refused", NULL, NULL,
		    well ? "the configuration was read again" : "the configuration was not changed: what was read before holds");
	if (well && http)
		tell_listening(service);
	tl_notify("READY=1");
	return well;
}

/* Tiers and addresses come and go seldom, and to ask costs something. What fails now is tried again. */
static void where_turn(struct tl_service *service, const struct tl_feed *feed)
{
	struct tl_where where;
	struct tl_error err;
	u64 now_ns = tl_clock_ns(CLOCK_MONOTONIC);

	/* A recording may be of another host. */
	if (!feed->ctl)
		return;
	if (service->where_ns && now_ns - service->where_ns < WHERE_NS)
		return;
	service->where_ns = now_ns;
	if (!tl_where_read(&where, feed->ctl, &err))
		tl_board_where(&service->board, &where);
	tl_where_free(&where);
}

/**
 * tl_service_port() - Where it serves
 * @service: service
 *
 * Return: the port, 0 for none.
 */
unsigned int tl_service_port(const struct tl_service *service)
{
	return tl_http_port(service->http);
}

/**
 * tl_service_turn() - The loop has come round: between two intervals, or a second later
 * @service: service
 * @feed: what it follows
 *
 * Return: whether there are other settings, in the same place.
 */
bool tl_service_turn(struct tl_service *service, const struct tl_feed *feed)
{
	push_tell(service, service->push);
	push_tell(service, service->ending);
	if (service->ending && tl_push_has_ended(service->ending))
		ending_close(service);
	tl_notify_watchdog();
	tl_http_turn(service->http);
	tl_board_turn(&service->board, feed);
	where_turn(service, feed);
	return tl_signals_reload() && reload(service);
}

/**
 * tl_service_interval() - There is another interval
 * @service: service
 * @interval: interval
 * @missed: so many before it were not read
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_service_interval(struct tl_service *service, const struct tl_interval *interval, u64 missed, struct tl_error *err)
{
	u64 end_ns = interval->start_ns + interval->length_ns;
	struct tl_push_figures figures;

	if (service->push) {
		tl_push_figures(service->push, &figures);
		tl_board_pushed(&service->board, &figures);
	}
	if (tl_board_interval(&service->board, interval, missed))
		return tl_error_no_memory(err);
	/* Else it was one that had been sent before. */
	if (service->push && service->board.metrics.time_ns == end_ns)
		tl_push_interval(service->push, &service->board.metrics, interval->start_ns, end_ns);
	return 0;
}
