// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens pmu list: events that can be counted here, and those that are. */
#include "cmd.h"
#include "error.h"
#include "out.h"
#include "pmu-events.h"
#include "pmu-at-once.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* @fit: [names.n] of those that are known, the others are all 0. @not_known: why, or "" */
struct list {
	struct tl_pmu_names names;
	struct tl_pmu_at_once *fit;
	struct tl_pmu_cap *caps;
	struct tl_pmu_info *counted;
	size_t n_counted, n_caps;
	struct tl_error not_known;
};

/* How the event is counted now, by type and configuration: under one name, or several. */
static struct tl_pmu_info counted_as(const struct list *list, const struct tl_pmu_info *event)
{
	struct tl_pmu_info all = { 0 };
	size_t i;

	for (i = 0; i < list->n_counted; i++) {
		const struct tl_pmu_info *c = &list->counted[i];

		if (c->type != event->type || c->config != event->config || c->config1 != event->config1)
			continue;
		all.cpus = max(all.cpus, c->cpus);
		all.charged |= c->charged;
	}
	return all;
}

static void add_at_once(struct tl_grid *grid, const struct tl_pmu_at_once *fit)
{
	if (fit->unavailable)
		tl_grid_add(grid, "-");
	else if (!fit->at_once)
		tl_grid_add(grid, "?");
	else if (fit->at_once == TL_PMU_AT_ONCE_ANY)
		tl_grid_add(grid, "any");
	else
		tl_grid_add(grid, "%u", fit->at_once);
}

static void add_counted(struct tl_grid *grid, const struct tl_pmu_info *counted,
			const struct tl_pmu_at_once *fit)
{
	if (counted->cpus)
		tl_grid_add(grid, "%u processors%s", counted->cpus,
			    counted->charged ? ", charged to requests" : "");
	else if (fit->unavailable)
		tl_grid_add(grid, "cannot be: %s", fit->unavailable);
	else
		tl_grid_add(grid, "-");
}

static void caps_print(const struct list *list)
{
	size_t i;

	for (i = 0; i < list->n_caps; i++) {
		const struct tl_pmu_cap *cap = &list->caps[i];
		bool first = !i || strcmp(cap[-1].device, cap->device);

		if (first)
			printf("\n%s:", cap->device);
		printf("%s %s %s", first ? "" : ",", cap->name, cap->value);
	}
	if (list->n_caps)
		putchar('\n');
}

static void print(const struct list *list)
{
	struct tl_grid *grid = tl_grid_new("event|device|>type|>config|>at once|counted on");
	size_t i;

	for (i = 0; i < list->names.n; i++) {
		const struct tl_pmu_info *event = &list->names.event[i];
		struct tl_pmu_info counted = counted_as(list, event);

		tl_grid_add(grid, "%s", event->name);
		tl_grid_add(grid, "%s", list->names.device[i]);
		tl_grid_add(grid, "%u", event->type);
		tl_grid_add(grid, "%#" PRIx64, event->config);
		add_at_once(grid, &list->fit[i]);
		add_counted(grid, &counted, &list->fit[i]);
	}
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
	caps_print(list);
	if (*list->not_known.text)
		printf("\n? is not known: %s.\n", list->not_known.text);
	puts("\nOthers: rHEX for a raw code, DEVICE/TERM=NUMBER,.../ for what a device takes.");
}

static json_t *at_once_json(const struct tl_pmu_at_once *fit)
{
	if (!fit->at_once)
		return json_null();
	return fit->at_once == TL_PMU_AT_ONCE_ANY ? json_string("any") : json_integer(fit->at_once);
}

static json_t *event_json(const struct list *list, size_t i)
{
	const struct tl_pmu_info *event = &list->names.event[i];
	struct tl_pmu_info counted = counted_as(list, event);

	return json_pack("{s:o, s:o, s:I, s:I, s:I, s:o, s:s?, s:I, s:b}", "event", tl_out_name(event->name),
			 "device", tl_out_name(list->names.device[i]), "type", (json_int_t)event->type,
			 "config", (json_int_t)event->config, "config1", (json_int_t)event->config1, "at_once",
			 at_once_json(&list->fit[i]), "unavailable", list->fit[i].unavailable, "counted_on",
			 (json_int_t)counted.cpus, "charged", counted.charged);
}

static json_t *devices_json(const struct list *list)
{
	json_t *devices = json_array(), *caps = NULL;
	size_t i;

	for (i = 0; i < list->n_caps; i++) {
		const struct tl_pmu_cap *cap = &list->caps[i];

		if (!i || strcmp(cap[-1].device, cap->device)) {
			caps = json_object();
			json_array_append_new(devices, json_pack("{s:o, s:o}", "device",
								 tl_out_name(cap->device), "caps", caps));
		}
		json_object_set_new(caps, cap->name, tl_out_name(cap->value));
	}
	return devices;
}

static int print_json(const struct list *list)
{
	json_t *events = json_array();
	size_t i;

	for (i = 0; i < list->names.n; i++)
		json_array_append_new(events, event_json(list, i));
	return tl_out_json(json_pack("{s:o, s:o}", "events", events, "devices", devices_json(list)));
}

/* The first time that it is not known is told of: mostly it is the same for all. */
static int fits_read(struct list *list, struct tl_error *err)
{
	struct tl_error why;
	size_t i;

	list->fit = calloc(list->names.n, sizeof(*list->fit));
	if (!list->fit)
		return tl_error_no_memory(err);
	for (i = 0; i < list->names.n; i++)
		if (tl_pmu_at_once(&list->names.event[i], &list->fit[i], &why) && !*list->not_known.text)
			list->not_known = why;
	return 0;
}

static int names_read(struct list *list, struct tl_error *err)
{
	int code = tl_pmu_events_list(TL_PMU_DEVICES, &list->names, err);

	if (!code)
		code = tl_pmu_events_caps(TL_PMU_DEVICES, &list->caps, &list->n_caps, err);
	return code ? code : fits_read(list, err);
}

/* Without the module there are names all the same. */
static void counted_read(struct list *list)
{
	struct tl_error ignored;
	struct tl_ctl *ctl;

	if (tl_ctl_open(&ctl, &ignored))
		return;
	if (tl_ctl_pmus(ctl, &list->counted, &list->n_counted, &ignored))
		list->n_counted = 0;
	tl_ctl_close(ctl);
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	struct list list = { 0 };
	struct tl_error err;
	int status;
	bool json;

	status = tl_args_json(cmd, argc, argv, &json);
	if (status != TL_GO_ON)
		return status;
	status = TL_EXIT_OK;
	counted_read(&list);
	if (names_read(&list, &err))
		status = tl_out_failed(&err);
	else if (json)
		status = print_json(&list);
	else
		print(&list);
	tl_pmu_events_free(&list.names);
	free(list.fit);
	free(list.caps);
	free(list.counted);
	return status;
}

const struct tl_cmd tl_cmd_pmu_list = {
	.name = "pmu list",
	.args = "[--json]",
	.summary = "Events that can be counted here, and those that are",
	.help = TL_COMMON_HELP
		"Generic names stand for what the kernel maps to the processor's own events, if it has\n"
		"any. \"At once\" is how many of an event a processor counts at the same time: more than\n"
		"that take turns. The kernel is asked for that, which only root may, and nothing is\n"
		"counted. What others hold, as the NMI watchdog does, it leaves out.\n"
		"\nExample:\n"
		"  tierlens pmu list\n",
	.run = run,
};
