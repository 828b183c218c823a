// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens status: is it loaded, does it measure, what did it lose? */
#include "cmd.h"
#include "ctl.h"
#include "error.h"
#include "out.h"
#include "tiers.h"

#include <inttypes.h>
#include <stdlib.h>

struct status {
	struct tl_module module;
	struct tl_hook *hooks;
	struct tl_tier_info *tiers;
	size_t n_hooks, n_tiers;
};

static int status_read(struct status *s, struct tl_error *err)
{
	struct tl_ctl *ctl;
	int code = tl_ctl_open(&ctl, err);

	code = code ? code : tl_ctl_module(ctl, &s->module, err);
	code = code ? code : tl_ctl_hooks(ctl, &s->hooks, &s->n_hooks, err);
	code = code ? code : tl_ctl_tiers(ctl, &s->tiers, &s->n_tiers, err);
	tl_ctl_close(ctl);
	return code;
}

/* All tables, in a line that a narrow terminal wraps. */
static void occupancy_print(const struct tl_module *m)
{
	int i;

	printf("in use       ");
	for (i = 0; i < TL_TABLES; i++)
		printf("%s%s %" PRIu64, i ? ", " : "", tl_table_names[i],
		       m->occupancy[i]);
	putchar('\n');
}

static void module_print(const struct tl_module *m)
{
	printf("module       version %s, ABI %u, %s\n", m->version, m->abi,
	       m->enabled ? "measuring" : "off (tierlens enable)");
	printf("intervals    %u ms, readable %u ms after their end", m->interval_ms,
	       m->quiet_ms);
	if (m->newest)
		printf("; generations %" PRIu64 " to %" PRIu64 " are kept", m->oldest,
		       m->newest);
	printf("\nmemory       %.1f of %.1f MiB used\n", (double)m->memory_used / 0x1p20,
	       (double)m->memory_cap / 0x1p20);
	printf("tables       %u connections, %u threads, %u tiers, %u paths; %u rules for "
	       "classes\n", m->connections, m->threads, m->tiers, m->paths, m->class_rules);
	if (m->level)
		printf("level        %s, of tiers that have none of their own; %u functions are probed\n",
		       tl_at_name(m->level), m->functions);
	occupancy_print(m);
	printf("events       %" PRIu64 " seen: %" PRIu64 " attributed, %" PRIu64
	       " unattributed, %" PRIu64 " ignored\n", m->events[TL_EVENT_SEEN],
	       m->events[TL_EVENT_ATTRIBUTED], m->events[TL_EVENT_UNATTRIBUTED],
	       m->events[TL_EVENT_IGNORED]);
}

static void losses_print(const struct tl_module *m)
{
	char text[1100];

	tl_losses_text(text, sizeof(text), m->losses);
	printf("losses       %s\n", text);
}

static void hooks_print(const struct status *s)
{
	struct tl_grid *grid = tl_grid_new("hook|symbol|state|>hits|>missed|>ns a hit|>floor");
	size_t i;

	for (i = 0; i < s->n_hooks; i++) {
		const struct tl_hook *hook = &s->hooks[i];

		tl_grid_add(grid, "%s", hook->name);
		tl_grid_add(grid, "%s", hook->symbol[0] ? hook->symbol : "-");
		tl_grid_add(grid, "%s%s", tl_hook_state_name(hook->state),
			    hook->required ? "" : " (optional)");
		tl_grid_add(grid, "%" PRIu64, hook->hits);
		tl_grid_add(grid, "%" PRIu64, hook->missed);
		if (hook->timed)
			tl_grid_add(grid, "%.0f", (double)hook->timed_ns / (double)hook->timed);
		else
			tl_grid_add(grid, "-");
		if (hook->floor_ns)
			tl_grid_add(grid, "%" PRIu64, hook->floor_ns);
		else
			tl_grid_add(grid, "-");
	}
	putchar('\n');
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
}

static json_t *counters_json(const char *const *names, const u64 *values, int n)
{
	json_t *object = json_object();
	int i;

	for (i = 0; i < n; i++)
		json_object_set_new(object, names[i],
				    json_integer((json_int_t)values[i]));
	return object;
}

static json_t *hooks_json(const struct status *s)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < s->n_hooks; i++)
		json_array_append_new(array, json_pack(
			"{s:s, s:s, s:s, s:b, s:I, s:I, s:I, s:I, s:o}",
			"name", s->hooks[i].name,
			"symbol", s->hooks[i].symbol,
			"state", tl_hook_state_name(s->hooks[i].state),
			"required", (int)s->hooks[i].required,
			"hits", (json_int_t)s->hooks[i].hits,
			"missed", (json_int_t)s->hooks[i].missed,
			"timed", (json_int_t)s->hooks[i].timed,
			"timed_ns", (json_int_t)s->hooks[i].timed_ns,
			"floor_ns", s->hooks[i].floor_ns ?
				json_integer((json_int_t)s->hooks[i].floor_ns) : json_null()));
	return array;
}

static json_t *status_json(const struct status *s)
{
	const struct tl_module *m = &s->module;

	return json_pack("{s:s, s:i, s:b, s:f, s:f, s:I, s:I, s:I, s:I, s:i, s:i, s:i, s:i, "
			 "s:i, s:s?, s:i, s:o, s:o, s:o, s:o, s:o}",
			 "version", m->version,
			 "abi", (int)m->abi,
			 "enabled", (int)m->enabled,
			 "interval_s", m->interval_ms / 1e3,
			 "quiet_s", m->quiet_ms / 1e3,
			 "oldest", (json_int_t)m->oldest,
			 "newest", (json_int_t)m->newest,
			 "memory_used_bytes", (json_int_t)m->memory_used,
			 "memory_cap_bytes", (json_int_t)m->memory_cap,
			 "connections", (int)m->connections,
			 "threads", (int)m->threads,
			 "paths", (int)m->paths,
			 "class_rules", (int)m->class_rules,
			 "processors", (int)m->processors,
			 "level", m->level ? tl_at_name(m->level) : NULL,
			 "functions", (int)m->functions,
			 "occupancy", counters_json(tl_table_names, m->occupancy, TL_TABLES),
			 "tiers", tl_tiers_json(s->tiers, s->n_tiers),
			 "events", counters_json(tl_event_names, m->events, TL_EVENTS),
			 "losses", counters_json(tl_loss_names, m->losses, TL_LOSSES),
			 "hooks", hooks_json(s));
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	struct status s = { 0 };
	struct tl_error err;
	bool json;
	int status = tl_args_json(cmd, argc, argv, &json);

	if (status != TL_GO_ON)
		return status;
	status = TL_EXIT_OK;
	if (status_read(&s, &err)) {
		status = tl_out_failed(&err);
	} else if (json) {
		status = tl_out_json(status_json(&s));
	} else {
		module_print(&s.module);
		losses_print(&s.module);
		hooks_print(&s);
		putchar('\n');
		tl_tiers_print(s.tiers, s.n_tiers);
	}
	free(s.hooks);
	free(s.tiers);
	return status;
}

const struct tl_cmd tl_cmd_status = {
	.name = "status",
	.args = "[--json]",
	.summary = "The module's state, memory, hooks, tiers and losses",
	.help = TL_COMMON_HELP
		"\nExample:\n"
		"  tierlens status\n",
	.run = run,
};
