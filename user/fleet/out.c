// SPDX-License-Identifier: GPL-2.0-or-later
/* A fleet for people, and for programs. */
#include "fleet/network.h"

#include "figures.h"
#include "out.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static u64 lost(const struct tl_fleet_host *host)
{
	u64 n = 0;
	int i;

	for (i = 0; i < TL_LOSSES; i++)
		n += tl_loss_is_note(i) ? 0 : host->lost[i];
	return n;
}

static void time_print(char *to, size_t room, double t_s)
{
	time_t t = (time_t)t_s;
	struct tm tm;

	if (t_s <= 0 || !localtime_r(&t, &tm) || !strftime(to, room, "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(to, room, "never");
}

/* Time until it was heard of again, and at the end of what was asked for. */
static double silent_s(const struct tl_fleet *fleet, const struct tl_fleet_host *host)
{
	return host->gap_s + (host->alive || host->last_s <= 0 ? 0 : fleet->to_s - host->last_s);
}

/**
 * tl_fleet_hosts_print() - Who is there
 * @fleet: fleet that was read to its end
 */
void tl_fleet_hosts_print(const struct tl_fleet *fleet)
{
	struct tl_grid *grid = tl_grid_new("host|version|last seen|>intervals|>missed|>lost|>restarts|>silent|"
					   ">addresses|tiers");
	char text[32];
	size_t i, k;

	for (i = 0; i < fleet->n_hosts; i++) {
		const struct tl_fleet_host *host = &fleet->host[i];
		char *tiers = NULL;
		size_t len;
		FILE *to = open_memstream(&tiers, &len);

		for (k = 0; to && k < host->n_tiers; k++)
			fprintf(to, "%s%s", k ? ", " : "", host->tier[k].name);
		if (to)
			fclose(to);
		time_print(text, sizeof(text), host->last_s);
		tl_grid_add(grid, "%s", host->name);
		tl_grid_add(grid, "%s", host->version ? host->version : "-");
		tl_grid_add(grid, "%s", text);
		tl_grid_add(grid, "%" PRIu64, host->intervals);
		tl_grid_add(grid, "%" PRIu64, host->missed);
		tl_grid_add(grid, "%" PRIu64, lost(host));
		tl_grid_add(grid, "%" PRIu64, host->resets);
		tl_grid_add(grid, "%.0f s", silent_s(fleet, host));
		tl_grid_add(grid, "%zu", host->n_addresses);
		tl_grid_add(grid, "%s", tiers && *tiers ? tiers : "-");
		free(tiers);
	}
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
}

static json_t *host_json(const struct tl_fleet *fleet, const struct tl_fleet_host *host)
{
	json_t *tiers = json_array(), *addresses = json_array(), *endpoints = json_array(), *losses = json_object();
	size_t i;

	for (i = 0; i < host->n_tiers; i++)
		json_array_append_new(tiers, json_string(host->tier[i].as));
	for (i = 0; i < host->n_addresses; i++)
		json_array_append_new(addresses, json_string(host->address[i]));
	for (i = 0; i < host->n_endpoints; i++)
		json_array_append_new(endpoints, json_pack("{s:s, s:s}", "tier", host->endpoint[i].tier, "endpoint",
							   host->endpoint[i].at));
	for (i = 0; i < TL_LOSSES; i++)
		json_object_set_new(losses, tl_loss_names[i], json_integer((json_int_t)host->lost[i]));
	return json_pack("{s:s, s:s, s:s?, s:o, s:I, s:I, s:I, s:I, s:f, s:b, s:o, s:o, s:o, s:o}", "name", host->name,
			 "label", host->label, "version", host->version, "last_t",
			 host->last_s > 0 ? json_real(host->last_s) : json_null(), "intervals", (json_int_t)host->intervals,
			 "intervals_missed", (json_int_t)host->missed, "lost", (json_int_t)lost(host), "restarts",
			 (json_int_t)host->resets, "silent_s", silent_s(fleet, host), "alive", (int)host->alive, "losses", losses,
			 "tiers", tiers, "endpoints", endpoints, "addresses", addresses);
}

/**
 * tl_fleet_hosts_json() - Who is there, for programs
 * @fleet: fleet that was read to its end
 *
 * Return: a list, a new reference; NULL without memory.
 */
json_t *tl_fleet_hosts_json(const struct tl_fleet *fleet)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < fleet->n_hosts; i++)
		json_array_append_new(array, host_json(fleet, &fleet->host[i]));
	return array;
}

static const char *host_name(const struct tl_fleet *fleet, const char *as)
{
	size_t at = tl_fleet_host_of(fleet, as);

	return at == SIZE_MAX ? NULL : fleet->host[at].name;
}

static void ms(struct tl_grid *grid, double s)
{
	if (isfinite(s) && s > -1e6)
		tl_grid_add(grid, "%.3f", 1e3 * s);
	else
		tl_grid_add(grid, "-");
}

static void tiers_print(const struct tl_fleet *fleet, const struct tl_figures *figures)
{
	struct tl_grid *grid = tl_grid_new("tier|host|class|>rate/s|>response ms|>own ms|>p95 ms|>calls|>own share");
	size_t i;

	for (i = 0; i < figures->n; i++) {
		const struct tl_figure *f = &figures->row[i];
		const char *host = host_name(fleet, f->tier);

		tl_grid_add(grid, "%s", f->tier);
		if (host)
			tl_grid_add(grid, "%s", host);
		else
			tl_grid_add(grid, "-");
		tl_grid_add(grid, "%s", f->class);
		tl_grid_add(grid, "%.2f", f->rate);
		ms(grid, f->response_s);
		ms(grid, f->own_s >= 0 ? f->own_s : NAN);
		ms(grid, f->p95_s);
		if (f->calls >= 0)
			tl_grid_add(grid, "%.2f", f->calls);
		else
			tl_grid_add(grid, "-");
		if (f->own_share >= 0)
			tl_grid_add(grid, "%.1f %%", 100 * f->own_share);
		else
			tl_grid_add(grid, "-");
	}
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
}

/* What people should know about a link. */
static const char *remark(const struct tl_fleet_link *link)
{
	const char *text;

	static const char *const kinds[TL_PEER_KINDS] = {
		[TL_PEER_NO_TIER] = "a host that is known, but no tier of it listens there",
		[TL_PEER_OUTSIDE] = "no host has this address: unknown, translated, or a load balancer",
		[TL_PEER_CLAIMED] = "several hosts have this address: whose it is cannot be told",
		[TL_PEER_SHARED] = "several tiers of the host listen there",
		[TL_PEER_MORE] = "endpoints for which there was no room",
	};
	static const char *const verdicts[TL_FLEET_VERDICTS] = {
		[TL_FLEET_KNOWN] = "",
		[TL_FLEET_MEAN] = "mean of all callers' requests there",
		[TL_FLEET_OTHERS] = "more requests there than calls: some callers are not measured",
		[TL_FLEET_MISSING] = "fewer requests there than calls: some were not seen there",
	};

	text = link->verdict == TL_FLEET_UNSEEN ? kinds[link->kind] : verdicts[link->verdict];
	return text ? text : "";
}

static void links_print(const struct tl_fleet_figures *figures)
{
	struct tl_grid *grid = tl_grid_new("from|to|>calls|>requests there|>call ms|>there ms|>network ms|"
					   ">95 % from|>to|");
	size_t i;

	for (i = 0; i < figures->n_links; i++) {
		const struct tl_fleet_link *l = &figures->link[i];

		tl_grid_add(grid, "%s", l->from ? l->from : "(no request found)");
		tl_grid_add(grid, "%s", l->to);
		tl_grid_add(grid, "%" PRIu64, l->calls);
		if (l->verdict == TL_FLEET_UNSEEN)
			tl_grid_add(grid, "-");
		else
			tl_grid_add(grid, "%" PRIu64, l->requests);
		ms(grid, l->time_s / (double)l->calls);
		ms(grid, l->requests ? l->response_s / (double)l->requests : NAN);
		ms(grid, l->network_s);
		ms(grid, l->low95_s);
		ms(grid, l->high95_s);
		tl_grid_add(grid, "%s", remark(l));
	}
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
}

/* What the figures lack. */
static void lacks_print(const struct tl_fleet *fleet)
{
	size_t i;

	for (i = 0; i < fleet->n_hosts; i++) {
		const struct tl_fleet_host *host = &fleet->host[i];

		if (host->resets || silent_s(fleet, host) > 0)
			printf("%s: tierlensd began anew %" PRIu64 " times, silent for %.0f s\n", host->name,
			       host->resets, silent_s(fleet, host));
	}
	if (fleet->bad)
		printf("%" PRIu64 " values of the store are none and were left out\n", fleet->bad);
}

/**
 * tl_fleet_print() - Tiers over all hosts, and the calls between them
 * @figures: figures
 *
 * Return: 0 or -ENOMEM.
 */
int tl_fleet_print(const struct tl_fleet_figures *figures)
{
	const struct tl_fleet *fleet = figures->fleet;
	struct tl_figures of_tiers;
	char from[32], to[32];

	if (tl_figures_make(&of_tiers, figures->total))
		return -ENOMEM;
	time_print(from, sizeof(from), fleet->from_s);
	time_print(to, sizeof(to), fleet->to_s);
	printf("%s to %s, %zu windows, %zu hosts\n\n", from, to, figures->windows, fleet->n_hosts);
	tiers_print(fleet, &of_tiers);
	if (figures->n_links) {
		putchar('\n');
		links_print(figures);
	}
	lacks_print(fleet);
	tl_figures_free(&of_tiers);
	return 0;
}

static json_t *known(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *link_json(const struct tl_fleet *fleet, const struct tl_fleet_link *link)
{
	double calls = (double)link->calls, requests = (double)link->requests;
	bool tier = link->verdict != TL_FLEET_UNSEEN;
	const char *from_host = link->from ? host_name(fleet, link->from) : NULL;
	const char *to_host = tier ? host_name(fleet, link->to) : NULL;
	json_t *there = tier ? json_integer((json_int_t)link->requests) : json_null();

	return json_pack("{s:s?, s:s?, s:s, s:s?, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "from", link->from, "from_host", from_host, "to", link->to, "to_host", to_host,
			 "peer", tl_peer_names[link->kind], "verdict", tl_fleet_verdict_names[link->verdict],
			 "calls", (json_int_t)link->calls, "requests", there,
			 "mean_call_s", known(calls > 0 ? link->time_s / calls : NAN),
			 "mean_response_s", known(requests > 0 ? link->response_s / requests : NAN),
			 "mean_network_s", known(link->network_s), "low95_s", known(link->low95_s),
			 "high95_s", known(link->high95_s));
}

static json_t *tier_json(const struct tl_fleet *fleet, const struct tl_figure *f)
{
	return json_pack("{s:s, s:s?, s:s, s:f, s:f, s:o, s:f, s:f, s:f}", "tier", f->tier,
			 "host", host_name(fleet, f->tier), "class", f->class, "rate", f->rate,
			 "mean_response_s", f->response_s, "mean_own_s", tl_known_json(f->own_s),
			 "p50_s", f->p50_s, "p95_s", f->p95_s, "p99_s", f->p99_s);
}

/**
 * tl_fleet_json() - The same for programs
 * @figures: figures
 *
 * Return: an object, a new reference; NULL without memory.
 */
json_t *tl_fleet_json(const struct tl_fleet_figures *figures)
{
	json_t *links = json_array(), *tiers;
	struct tl_figures of_tiers;
	size_t i;

	if (tl_figures_make(&of_tiers, figures->total)) {
		json_decref(links);
		return NULL;
	}
	for (i = 0; i < figures->n_links; i++)
		json_array_append_new(links, link_json(figures->fleet, &figures->link[i]));
	tiers = json_array();
	for (i = 0; i < of_tiers.n; i++)
		json_array_append_new(tiers, tier_json(figures->fleet, &of_tiers.row[i]));
	tl_figures_free(&of_tiers);
	return json_pack("{s:f, s:f, s:I, s:o, s:o, s:o}", "from_t", figures->fleet->from_s,
			 "to_t", figures->fleet->to_s, "windows", (json_int_t)figures->windows, "hosts", tl_fleet_hosts_json(figures->fleet), "tiers", tiers, "calls", links);
}
