// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens pmu list: events that can be counted here, and those that are. */
#include "cmd.h"
#include "error.h"
#include "out.h"
#include "pmu-events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct list {
	struct tl_pmu_names names;
	struct tl_pmu_info *counted;
	size_t n_counted;
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

static void print(const struct list *list)
{
	struct tl_grid *grid = tl_grid_new("event|device|>type|>config|counted on");
	size_t i;

	for (i = 0; i < list->names.n; i++) {
		const struct tl_pmu_info *event = &list->names.event[i];
		struct tl_pmu_info counted = counted_as(list, event);

		tl_grid_add(grid, "%s", event->name);
		tl_grid_add(grid, "%s", list->names.device[i]);
		tl_grid_add(grid, "%u", event->type);
		tl_grid_add(grid, "%#" PRIx64, event->config);
		if (counted.cpus)
			tl_grid_add(grid, "%u processors%s", counted.cpus,
				    counted.charged ? ", charged to requests" : "");
		else
			tl_grid_add(grid, "-");
	}
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
	puts("\nOthers: rHEX for a raw code, DEVICE/TERM=NUMBER,.../ for what a device takes.");
}

static json_t *event_json(const struct list *list, size_t i)
{
	const struct tl_pmu_info *event = &list->names.event[i];
	struct tl_pmu_info counted = counted_as(list, event);

	return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:b}", "event", tl_out_name(event->name), "device",
			 tl_out_name(list->names.device[i]), "type", (json_int_t)event->type, "config",
			 (json_int_t)event->config, "config1", (json_int_t)event->config1, "counted_on",
			 (json_int_t)counted.cpus, "charged", counted.charged);
}

static int print_json(const struct list *list)
{
	json_t *events = json_array();
	size_t i;

	for (i = 0; i < list->names.n; i++)
		json_array_append_new(events, event_json(list, i));
	return tl_out_json(json_pack("{s:o}", "events", events));
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
	if (tl_pmu_events_list(TL_PMU_DEVICES, &list.names, &err))
		status = tl_out_failed(&err);
	else if (json)
		status = print_json(&list);
	else
		print(&list);
	tl_pmu_events_free(&list.names);
	free(list.counted);
	return status;
}

const struct tl_cmd tl_cmd_pmu_list = {
	.name = "pmu list",
	.args = "[--json]",
	.summary = "Events that can be counted here, and those that are",
	.help = TL_COMMON_HELP
		"Generic names stand for what the kernel maps to the processor's own events, if it has\n"
		"any: whether it has is known when one is to be counted.\n"
		"\nExample:\n"
		"  tierlens pmu list\n",
	.run = run,
};
