// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hosts of a fleet: who is there, which tiers they have, and by what others know them
 *
 * It is asked once for the whole time, so that names stay the same from the first interval to the last. What is
 * claimed by several hosts at different times is claimed by several.
 */
#include "fleet/fleet.h"

#include "error.h"
#include "fleet/prom.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define NAMES "tierlens_(build_info|requests_total|tier_processes|tier_endpoint_info|host_address_info)"
#define EACH_MOST 10000 /* tiers, endpoints and addresses that a host may tell us of */

static int no_memory_or(int failed, struct tl_error *err)
{
	return failed ? tl_error_no_memory(err) : 0;
}

/**
 * tl_fleet_host() - A host by the store's name for it
 * @fleet: fleet
 * @label: that name
 *
 * Return: the host, NULL without one.
 */
struct tl_fleet_host *tl_fleet_host(const struct tl_fleet *fleet, const char *label)
{
	size_t i;

	for (i = 0; i < fleet->n_hosts; i++)
		if (!strcmp(fleet->host[i].label, label))
			return &fleet->host[i];
	return NULL;
}

static int host_add(struct tl_fleet *fleet, const char *label, struct tl_fleet_host **host, struct tl_error *err)
{
	*host = tl_fleet_host(fleet, label);
	if (*host)
		return 0;
	if (fleet->n_hosts == TL_FLEET_HOSTS_MOST)
		return tl_error_set(err, -E2BIG, "%s: more than %d hosts: choose some with --selector",
				    tl_prom_name(fleet->prom), TL_FLEET_HOSTS_MOST);
	*host = tl_array_append((void **)&fleet->host, &fleet->n_hosts, sizeof(**host));
	if (*host)
		(*host)->label = strdup(label);
	if (*host && (*host)->label)
		return 0;
	fleet->n_hosts -= !!*host;
	return tl_error_no_memory(err);
}

static int tier_add(struct tl_fleet_host *host, const char *name)
{
	struct tl_fleet_tier *tier;
	size_t i;

	for (i = 0; i < host->n_tiers; i++)
		if (!strcmp(host->tier[i].name, name))
			return 0;
	tier = tl_array_append((void **)&host->tier, &host->n_tiers, sizeof(*tier));
	if (tier)
		tier->name = strdup(name);
	return tier && tier->name ? 0 : -ENOMEM;
}

static int address_add(struct tl_fleet_host *host, const char *address)
{
	char **to = tl_array_append((void **)&host->address, &host->n_addresses, sizeof(*to));

	if (to)
		*to = strdup(address);
	return to && *to ? 0 : -ENOMEM;
}

static int endpoint_add(struct tl_fleet_host *host, const char *tier, const char *at)
{
	struct tl_fleet_endpoint *to = tl_array_append((void **)&host->endpoint, &host->n_endpoints, sizeof(*to));

	if (to) {
		to->tier = strdup(tier);
		to->at = strdup(at);
	}
	return to && to->tier && to->at ? tier_add(host, tier) : -ENOMEM;
}

static int take(json_t *labels, json_t *values, void *arg, struct tl_error *err)
{
	struct tl_fleet *fleet = arg;
	const char *label = tl_fleet_label(labels, fleet->host_label), *name = tl_fleet_label(labels, "__name__");
	const char *tier = tl_fleet_label(labels, "tier"), *at = tl_fleet_label(labels, "endpoint");
	const char *address = tl_fleet_label(labels, "address"), *version = tl_fleet_label(labels, "version");
	struct tl_fleet_host *host;
	int code;

	(void)values;
	if (!label)
		return tl_error_set(err, -EINVAL, "%s: series without the label \"%s\", which is to tell hosts apart: give "
				    "--host-label", tl_prom_name(fleet->prom), fleet->host_label);
	code = host_add(fleet, label, &host, err);
	if (code || !name)
		return code;
	if (host->n_tiers == EACH_MOST || host->n_endpoints == EACH_MOST || host->n_addresses == EACH_MOST)
		return tl_error_set(err, -E2BIG, "%s: more than %d tiers, endpoints or addresses of %s: leave it out with "
				    "--selector", tl_prom_name(fleet->prom), EACH_MOST, host->label);
	if (!strcmp(name, "tierlens_host_address_info"))
		return no_memory_or(address && address_add(host, address), err);
	if (!strcmp(name, "tierlens_tier_endpoint_info"))
		return no_memory_or(tier && at && endpoint_add(host, tier, at), err);
	if (!strcmp(name, "tierlens_build_info") && version) {
		free(host->version);
		host->version = strdup(version);
		return no_memory_or(!host->version, err);
	}
	return no_memory_or(tier && tier_add(host, tier), err);
}

/* As long as it is still one of a kind. */
static size_t without_port(const struct tl_fleet *fleet, const struct tl_fleet_host *host)
{
	const char *colon = strrchr(host->label, ':');
	size_t len = colon ? (size_t)(colon - host->label) : strlen(host->label), i;

	for (i = 0; colon && len && i < fleet->n_hosts; i++) {
		const char *other = fleet->host[i].label;

		if (&fleet->host[i] != host && !strncmp(other, host->label, len) && (other[len] == ':' || !other[len]))
			return strlen(host->label);
	}
	return len ? len : strlen(host->label);
}

static bool is_elsewhere(const struct tl_fleet *fleet, const struct tl_fleet_host *host, const char *tier)
{
	size_t i;

	for (i = 0; i < fleet->n_hosts; i++)
		if (&fleet->host[i] != host && tl_fleet_tier_as(&fleet->host[i], tier))
			return true;
	return false;
}

static int tier_name(const struct tl_fleet *fleet, const struct tl_fleet_host *host, struct tl_fleet_tier *tier)
{
	if (!is_elsewhere(fleet, host, tier->name))
		tier->as = strdup(tier->name);
	else if (asprintf(&tier->as, "%s@%s", tier->name, host->name) < 0)
		tier->as = NULL;
	return tier->as ? 0 : -ENOMEM;
}

static int by_label(const void *a, const void *b)
{
	const struct tl_fleet_host *one = a, *two = b;

	return strcmp(one->label, two->label);
}

static int names_make(struct tl_fleet *fleet)
{
	struct tl_fleet_host *host;
	size_t i, k;

	qsort(fleet->host, fleet->n_hosts, sizeof(*fleet->host), by_label);
	for (i = 0; i < fleet->n_hosts; i++) {
		host = &fleet->host[i];
		host->name = strndup(host->label, without_port(fleet, host));
		if (!host->name)
			return -ENOMEM;
	}
	/* Until there are all, a tier that has none yet is called as on its host. */
	for (i = 0; i < fleet->n_hosts; i++)
		for (k = 0; k < fleet->host[i].n_tiers; k++)
			if (tier_name(fleet, &fleet->host[i], &fleet->host[i].tier[k]))
				return -ENOMEM;
	return 0;
}

/**
 * tl_fleet_hosts_read() - Ask who is there
 * @fleet: fleet, without hosts yet
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_fleet_hosts_read(struct tl_fleet *fleet, struct tl_error *err)
{
	int code = tl_fleet_labels(fleet, NAMES, take, fleet, err);

	if (code)
		return code;
	if (!fleet->n_hosts)
		return tl_error_set(err, -ENODATA, "%s: no host has told of itself in that time: let it scrape tierlensd, or give "
				    "other --from, --to and --selector", tl_prom_name(fleet->prom));
	return names_make(fleet) ? tl_error_no_memory(err) : 0;
}

/**
 * tl_fleet_tier_as() - What a tier of a host is called in the fleet
 * @host: host
 * @tier: name on it
 *
 * Return: the name; NULL if the host has no such tier.
 */
const char *tl_fleet_tier_as(const struct tl_fleet_host *host, const char *tier)
{
	size_t i;

	for (i = 0; i < host->n_tiers; i++)
		if (!strcmp(host->tier[i].name, tier))
			return host->tier[i].as ? host->tier[i].as : tier;
	return NULL;
}

/**
 * tl_fleet_host_of() - Whose a tier is
 * @fleet: fleet
 * @as: what it is called in the fleet
 *
 * Return: index of the host; SIZE_MAX without one.
 */
size_t tl_fleet_host_of(const struct tl_fleet *fleet, const char *as)
{
	size_t i, k;

	for (i = 0; i < fleet->n_hosts; i++)
		for (k = 0; k < fleet->host[i].n_tiers; k++)
			if (!strcmp(fleet->host[i].tier[k].as, as))
				return i;
	return SIZE_MAX;
}

static void host_free(struct tl_fleet_host *host)
{
	size_t i;

	for (i = 0; i < host->n_tiers; i++) {
		free(host->tier[i].name);
		free(host->tier[i].as);
	}
	for (i = 0; i < host->n_endpoints; i++) {
		free(host->endpoint[i].tier);
		free(host->endpoint[i].at);
	}
	for (i = 0; i < host->n_addresses; i++)
		free(host->address[i]);
	free(host->tier);
	free(host->endpoint);
	free(host->address);
	free(host->label);
	free(host->name);
	free(host->version);
}

/**
 * tl_fleet_hosts_free() - Free them
 * @fleet: fleet
 */
void tl_fleet_hosts_free(struct tl_fleet *fleet)
{
	size_t i;

	for (i = 0; i < fleet->n_hosts; i++)
		host_free(&fleet->host[i]);
	free(fleet->host);
	fleet->host = NULL;
	fleet->n_hosts = 0;
}
