// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hosts whose figures are in a store, as one recording
 *
 * Time goes in steps. What a host did between two of its samples is added to the window in hand; a window is handed
 * out when every host has told of it, so that one whose samples come late makes a window longer and not poorer. A host
 * that stays silent for longer is left out until it comes back, and the time between is a gap of it.
 *
 * All times are those of the store. What a host's own clock says enters no difference.
 */
#include "fleet/fleet.h"

#include "clock.h"
#include "error.h"
#include "fleet/prom.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SILENT_S 300.0 /* as long as Prometheus itself takes a sample for the newest one */
#define STEP_S 15.0
#define STEPS_DEFAULT 500
#define STEPS_FIRST 2 /* as long as it is not known how many series there are */
#define STEPS_MOST 1000000.0
#define DEFAULT_S 3600.0 /* that long ago it begins */
#define ARRIVED_S 5.0 /* what is younger may still be on its way into the store */

struct tl_fleet_settings tl_fleet_settings;

/* The same for all that a command reads. */
static double now_s(void)
{
	static double now;

	if (now == 0)
		now = floor(tl_clock_s(CLOCK_REALTIME));
	return now;
}

static int times_set(struct tl_fleet *fleet, u64 from_ns, u64 to_ns, struct tl_error *err)
{
	double to_s = to_ns ? tl_ns_to_s(to_ns) : now_s() - ARRIVED_S;
	double from_s = from_ns ? tl_ns_to_s(from_ns) : to_s - DEFAULT_S;
	double step_s = (double)tl_fleet_settings.step_s;

	if (step_s <= 0)
		step_s = STEP_S * max(1.0, ceil((to_s - from_s) / STEP_S / STEPS_DEFAULT));
	fleet->step_s = step_s;
	/* As whole steps of the epoch, so that it does not matter when it is asked. */
	fleet->from_s = fleet->at_s = fleet->pending_s = ceil(from_s / step_s - 1e-9) * step_s;
	fleet->to_s = floor(to_s / step_s + 1e-9) * step_s;
	if (fleet->to_s - fleet->from_s < step_s)
		return tl_error_set(err, -EINVAL, "%s: less than a step of %.0f s from --from to --to: give a longer time, or a "
				    "shorter --step", tl_prom_name(fleet->prom), step_s);
	if ((fleet->to_s - fleet->from_s) / step_s > STEPS_MOST)
		return tl_error_set(err, -EINVAL, "%s: more than %.0f steps from --from to --to: give a longer --step",
				    tl_prom_name(fleet->prom), STEPS_MOST);
	return 0;
}

/**
 * tl_fleet_open() - Begin to read hosts from a store
 * @fleet: set, to be given to tl_fleet_close()
 * @url: of the store
 * @from_ns: beginning since the epoch, 0 for an hour ago
 * @to_ns: end, 0 for now
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno, with *@fleet then NULL.
 */
int tl_fleet_open(struct tl_fleet **fleet, const char *url, u64 from_ns, u64 to_ns, struct tl_error *err)
{
	const struct tl_fleet_settings *settings = &tl_fleet_settings;
	const struct tl_prom_plan plan = { url, settings->token_file, settings->ca };
	struct tl_fleet *f = calloc(1, sizeof(*f));
	int code;

	*fleet = NULL;
	if (!f)
		return tl_error_no_memory(err);
	f->host_label = settings->host_label ? settings->host_label : "instance";
	f->steps_most = STEPS_FIRST;
	if (asprintf(&f->selector, "%s%s", settings->selector ? "," : "", settings->selector ? settings->selector : "") < 0)
		f->selector = NULL;
	code = f->selector ? tl_prom_open(&f->prom, &plan, err) : tl_error_no_memory(err);
	code = code ? code : times_set(f, from_ns, to_ns, err);
	code = code ? code : tl_fleet_hosts_read(f, err);
	if (code)
		tl_fleet_close(f);
	else
		*fleet = f;
	return code;
}

/**
 * tl_fleet_close() - End it
 * @fleet: fleet or NULL
 */
void tl_fleet_close(struct tl_fleet *fleet)
{
	if (!fleet)
		return;
	tl_fleet_rows_free(fleet);
	tl_fleet_hosts_free(fleet);
	while (fleet->n_sums)
		free(fleet->sum[--fleet->n_sums].tier);
	free(fleet->sum);
	tl_interval_free(fleet->pending);
	tl_prom_close(fleet->prom);
	free(fleet->selector);
	free(fleet);
}

static double silent_s(const struct tl_fleet *fleet)
{
	return max(SILENT_S, 2 * fleet->step_s);
}

static int sample_add(struct tl_fleet *fleet, size_t at, size_t step, double t_s)
{
	struct tl_fleet_host *host = &fleet->host[at];
	bool was_alive = host->alive;

	if (!was_alive && host->last_s > 0)
		host->gap_s += t_s - host->last_s;
	host->first_s = host->first_s > 0 ? host->first_s : t_s;
	host->last_s = t_s;
	host->alive = true;
	host->late = 0;
	if (was_alive && !fleet->pending) {
		fleet->pending = tl_interval_new();
		if (!fleet->pending)
			return -ENOMEM;
	}
	return tl_fleet_sums(fleet, at, step, was_alive ? fleet->pending : NULL);
}

/* Return: whether somebody has to be waited for. */
static bool is_waited_for(struct tl_fleet *fleet, struct tl_fleet_host *host)
{
	if (!host->alive)
		return false;
	host->late++;
	if ((double)host->late * fleet->step_s <= silent_s(fleet))
		return true;
	host->alive = false;
	host->gone++;
	return false;
}

/* Return: 1 if the window is complete, 0 if not, or a negative errno. */
static int step_add(struct tl_fleet *fleet, size_t step, struct tl_error *err)
{
	bool wait = false;
	size_t i;

	for (i = 0; i < fleet->n_hosts; i++) {
		double t_s = fleet->sampled[i * fleet->steps + step];

		if (!(t_s > fleet->host[i].last_s + 1e-3))
			wait |= is_waited_for(fleet, &fleet->host[i]);
		else if (sample_add(fleet, i, step, t_s))
			return tl_error_no_memory(err);
	}
	return !wait;
}

/* Of calls to a tier of another host, what its own requests do not explain is on the way: evenly of all, since nobody
 * knows which request was which call's. Where calls and requests do not agree it is not known. */
static void transit_set(struct tl_fleet *fleet, const struct tl_tier *tier)
{
	double calls = 0, time = 0, count = 0, response = 0;
	struct tl_interval *interval = fleet->pending;
	size_t i, far = 0;

	for (i = 0; i < tier->n_cells; i++) {
		count += (double)tier->cells[i].count;
		response += (double)tier->cells[i].response_ns;
	}
	for (i = 0; i < interval->n_edges; i++) {
		const struct tl_edge *e = &interval->edges[i];

		if (!e->peer_tier || strcmp(e->peer_tier, tier->name))
			continue;
		calls += (double)e->calls;
		time += (double)e->time_ns;
		far += e->sum[TL_EDGE_JOINED].value != e->calls;
	}
	if (!far || fabs(calls - count) > TL_FLEET_AGREE * count || time < response)
		return;
	for (i = 0; i < interval->n_edges; i++) {
		struct tl_edge *e = &interval->edges[i];

		if (!e->peer_tier || strcmp(e->peer_tier, tier->name) || e->sum[TL_EDGE_JOINED].value)
			continue;
		tl_sum_set(&e->sum[TL_EDGE_JOINED], e->calls);
		tl_sum_set(&e->sum[TL_EDGE_TRANSIT], (u64)llround((time - response) * (double)e->calls / calls));
	}
}

static struct tl_fleet_sum *sum_of(struct tl_fleet *fleet, const char *tier)
{
	struct tl_fleet_sum *sum;
	size_t i;

	for (i = 0; i < fleet->n_sums; i++)
		if (!strcmp(fleet->sum[i].tier, tier))
			return &fleet->sum[i];
	sum = tl_array_append((void **)&fleet->sum, &fleet->n_sums, sizeof(*sum));
	if (sum)
		sum->tier = strdup(tier);
	return sum && sum->tier ? sum : NULL;
}

/* Whether requests come to a tier that are nobody's calls. Hosts are not looked at in the same moment, so in a window
 * alone calls and requests differ by as much as comes in a window. */
static int is_direct(struct tl_fleet *fleet, const struct tl_tier *tier, bool *direct)
{
	struct tl_fleet_sum *sum = sum_of(fleet, tier->name);
	double requests = 0;
	size_t i;

	if (!sum)
		return -ENOMEM;
	for (i = 0; i < tier->n_cells; i++)
		requests += (double)tier->cells[i].count;
	for (i = 0; i < fleet->pending->n_edges; i++) {
		const struct tl_edge *e = &fleet->pending->edges[i];

		if (e->peer_tier && !strcmp(e->peer_tier, tier->name))
			sum->calls += (double)e->calls;
	}
	sum->requests += requests;
	*direct = sum->calls == 0 || sum->requests - sum->calls > max(requests, TL_FLEET_AGREE * sum->requests);
	return 0;
}

static int paths_make(struct tl_fleet *fleet)
{
	struct tl_interval *pending = fleet->pending;
	bool *direct = calloc(pending->n_tiers + 1, sizeof(*direct));
	int code = direct ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < pending->n_tiers && !code; i++)
		code = is_direct(fleet, &pending->tiers[i], &direct[i]);
	code = code ? code : tl_fleet_paths(pending, direct);
	free(direct);
	return code;
}

static int window_end(struct tl_fleet *fleet, double end_s, struct tl_interval **interval, struct tl_error *err)
{
	struct tl_interval *pending = fleet->pending;
	size_t i;

	pending->start_ns = (u64)llround(fleet->pending_s * 1e9);
	pending->length_ns = (u64)llround((end_s - fleet->pending_s) * 1e9);
	pending->generation = ++fleet->generation;
	tl_usage_settle(pending);
	for (i = 0; i < pending->n_tiers; i++)
		transit_set(fleet, &pending->tiers[i]);
	if (paths_make(fleet))
		return tl_error_no_memory(err);
	*interval = pending;
	fleet->pending = NULL;
	fleet->pending_s = end_s;
	return 1;
}

static int none(const struct tl_fleet *fleet, struct tl_error *err)
{
	return tl_error_set(err, -ENODATA, "%s: no two samples of a host in that time: give a longer time, or a --step that is not "
			    "shorter than the time between samples", tl_prom_name(fleet->prom));
}

/**
 * tl_fleet_next() - Read the next window
 * @fleet: fleet
 * @interval: set to it, to be given to tl_interval_free(); NULL at the end
 * @err: the sentence if it fails
 *
 * Return: 1 for a window, 0 at the end, or a negative errno.
 */
int tl_fleet_next(struct tl_fleet *fleet, struct tl_interval **interval, struct tl_error *err)
{
	double t_s = fleet->pending_s;
	int code = 0;
	size_t step;

	*interval = NULL;
	while (fleet->at_s <= fleet->to_s + 1e-3) {
		step = fleet->steps ? (size_t)lround((fleet->at_s - fleet->begin_s) / fleet->step_s) : 0;
		if (!fleet->sampled || step >= fleet->steps) {
			code = tl_fleet_chunk(fleet, err);
			step = 0;
		}
		code = code ? code : step_add(fleet, step, err);
		if (code < 0)
			return code;
		t_s = fleet->at_s;
		fleet->at_s += fleet->step_s;
		if (code && fleet->pending)
			return window_end(fleet, t_s, interval, err);
		if (!fleet->pending)
			fleet->pending_s = t_s;
		code = 0;
	}
	if (fleet->pending)
		return window_end(fleet, t_s, interval, err);
	return fleet->generation ? 0 : none(fleet, err);
}

/**
 * tl_fleet_warning() - What to tell about what was read, after the end
 * @fleet: fleet
 *
 * Return: a sentence, NULL for none.
 */
const char *tl_fleet_warning(struct tl_fleet *fleet)
{
	u64 resets = 0, gaps = 0, silent = 0;
	size_t i;
	int len;

	for (i = 0; i < fleet->n_hosts; i++) {
		const struct tl_fleet_host *host = &fleet->host[i];

		resets += host->resets;
		gaps += host->gap_s > 0;
		silent += !host->alive;
	}
	len = snprintf(fleet->warning, sizeof(fleet->warning), "%s: paths are put together from calls, as if requests of "
		       "a class cost the same whoever called", tl_prom_name(fleet->prom));
	if ((resets || gaps || silent || fleet->bad) && len > 0 && (size_t)len < sizeof(fleet->warning))
		snprintf(fleet->warning + len, sizeof(fleet->warning) - (size_t)len,
			 "; restarts of tierlensd %llu, hosts with gaps %llu, silent at the end %llu, values that are "
			 "none %llu: see tierlens fleet hosts", (unsigned long long)resets, (unsigned long long)gaps,
			 (unsigned long long)silent, (unsigned long long)fleet->bad);
	return fleet->warning;
}
