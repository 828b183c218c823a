// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of events that can be counted
 *
 * Generic names stand for what the kernel maps to whatever the processor has. Others are
 * in sysfs: each device there has a type, a file for each event with terms like
 * "event=0x3c,umask=1", and for each term a file with the bits that it goes to. What none
 * of these names is given as rHEX (raw), or DEVICE/TERMS/.
 */
#include "pmu-events.h"

#include "error.h"
#include "table.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHE(which, op, result) \
	(PERF_COUNT_HW_CACHE_##which | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct generic {
	const char *name;
	u32 type;
	u64 config;
} generics[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS) },
	{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS) },
	{ "L1-dcache-stores", PERF_TYPE_HW_CACHE, CACHE(L1D, WRITE, ACCESS) },
	{ "L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS) },
	{ "LLC-loads", PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS) },
	{ "LLC-load-misses", PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS) },
	{ "LLC-stores", PERF_TYPE_HW_CACHE, CACHE(LL, WRITE, ACCESS) },
	{ "LLC-store-misses", PERF_TYPE_HW_CACHE, CACHE(LL, WRITE, MISS) },
	{ "dTLB-loads", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, ACCESS) },
	{ "dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS) },
	{ "iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS) },
	{ "node-loads", PERF_TYPE_HW_CACHE, CACHE(NODE, READ, ACCESS) },
	{ "node-load-misses", PERF_TYPE_HW_CACHE, CACHE(NODE, READ, MISS) },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
};

/* ---- sysfs ------------------------------------------------------------------------ */

/* The first line of DEVICES/DEVICE/PART/NAME, or of DEVICES/DEVICE/NAME. */
static bool line_read(const char *devices, const char *device, const char *part,
		      const char *name, char *line, size_t room)
{
	char path[1024];
	FILE *from;
	bool good;

	snprintf(path, sizeof(path), "%s/%s/%s%s%s", devices, device, part, *part ? "/" : "", name);
	from = fopen(path, "re");
	if (!from)
		return false;
	good = fgets(line, (int)room, from) != NULL;
	fclose(from);
	if (good)
		line[strcspn(line, "\n")] = '\0';
	return good;
}

static bool device_type(const char *devices, const char *device, u32 *type)
{
	char line[64];

	if (!line_read(devices, device, "", "type", line, sizeof(line)) || !isdigit((unsigned char)*line))
		return false;
	*type = (u32)strtoul(line, NULL, 10);
	return true;
}

/* The value's bits, from the lowest on, go to the bits that the format names: "0-7,32-35".
 * Return: whether there are enough. */
static bool bits_place(const char *bits, u64 value, u64 *to)
{
	char *end;

	while (isdigit((unsigned char)*bits)) {
		unsigned long low = strtoul(bits, &end, 10), high = low, bit;

		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		for (bit = low; bit <= high && bit < 64; bit++, value >>= 1)
			*to |= (value & 1) << bit;
		bits = *end == ',' ? end + 1 : end;
	}
	return !value;
}

static int term_apply(const char *devices, const char *device, const char *term,
		      struct tl_pmu_info *event, struct tl_error *err)
{
	const char *equals = strchr(term, '=');
	char name[64], format[128], *end = NULL;
	u64 value = 1, *to;

	snprintf(name, sizeof(name), "%.*s", equals ? (int)(equals - term) : (int)strlen(term), term);
	if (equals)
		value = strtoull(equals + 1, &end, 0);
	if (!*name || strchr(name, '/') || (equals && (end == equals + 1 || *end)))
		return tl_error_set(err, -EINVAL, "event %s/%.100s/: \"%.60s\" is no term: give NAME=NUMBER, as in "
				    "event=0x11", device, term, term);
	if (!strcmp(name, "config") || !strcmp(name, "config1"))
		snprintf(format, sizeof(format), "%s:0-63", name);
	else if (!line_read(devices, device, "format", name, format, sizeof(format)))
		return tl_error_set(err, -ENOENT, "event %s/%.100s/: the device has no term \"%.60s\": "
				    "%s/%s/format has them", device, term, name, devices, device);
	to = !strncmp(format, "config:", 7)  ? &event->config :
	     !strncmp(format, "config1:", 8) ? &event->config1 : NULL;
	if (!to)
		return tl_error_set(err, -EOPNOTSUPP, "event %s/%.100s/: \"%.60s\" goes to %.40s, which is not "
				    "known: leave it out", device, term, name, format);
	if (!bits_place(strchr(format, ':') + 1, value, to))
		return tl_error_set(err, -ERANGE, "event %s/%.100s/: the number does not fit into bits %.40s of "
				    "\"%.60s\": give a smaller one", device, term, strchr(format, ':') + 1, name);
	return 0;
}

static int terms_apply(const char *devices, const char *device, const char *terms,
		       struct tl_pmu_info *event, struct tl_error *err)
{
	char *copy = strdup(terms), *rest = copy, *term;
	int code = copy ? 0 : tl_error_no_memory(err);

	while (!code && (term = strsep(&rest, ",")))
		code = term_apply(devices, device, term, event, err);
	free(copy);
	return code;
}

/* Of a device, the event of that name. Return: whether there is one. */
static bool named_find(const char *devices, const char *device, const char *name,
		       struct tl_pmu_info *event, int *code, struct tl_error *err)
{
	char terms[256];

	if (strchr(name, '/') || *name == '.' ||
	    !device_type(devices, device, &event->type) ||
	    !line_read(devices, device, "events", name, terms, sizeof(terms)))
		return false;
	*code = terms_apply(devices, device, terms, event, err);
	return true;
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Calls @see with the name of each that is in a folder, in order; ends when it returns true. */
static bool each_in(const char *folder, bool (*see)(const char *name, void *arg), void *arg)
{
	struct dirent **entry;
	int n = scandir(folder, &entry, visible, alphasort), i;
	bool done = false;

	for (i = 0; i < n; i++) {
		done = done || see(entry[i]->d_name, arg);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return done;
}

/* The same of what is in a part of a device's folder. */
static bool each_of(const char *devices, const char *device, const char *part,
		    bool (*see)(const char *name, void *arg), void *arg)
{
	char folder[1024];

	snprintf(folder, sizeof(folder), "%s/%s/%s", devices, device, part);
	return each_in(folder, see, arg);
}

/* ---- one event --------------------------------------------------------------------- */

struct search {
	const char *devices, *name;
	struct tl_pmu_info *event;
	struct tl_error *err;
	int code;
};

static bool device_search(const char *device, void *arg)
{
	struct search *s = arg;

	return named_find(s->devices, device, s->name, s->event, &s->code, s->err);
}

/* DEVICE/TERMS/ or DEVICE/NAME/ */
static int in_device(const char *devices, const char *text, struct tl_pmu_info *event,
		     struct tl_error *err)
{
	const char *slash = strchr(text, '/'), *last = strrchr(text, '/');
	char device[128], terms[256];
	int code = 0;

	snprintf(device, sizeof(device), "%.*s", (int)(slash - text), text);
	snprintf(terms, sizeof(terms), "%.*s", (int)(last - slash) - 1, slash + 1);
	if (last == slash || last[1])
		return tl_error_set(err, -EINVAL, "event \"%.100s\": give DEVICE/TERMS/", text);
	if (!*device || *device == '.' || !device_type(devices, device, &event->type))
		return tl_error_set(err, -ENOENT, "event \"%.100s\": there is no device \"%s\" in %s", text, device,
				    devices);
	if (named_find(devices, device, terms, event, &code, err))
		return code;
	return terms_apply(devices, device, terms, event, err);
}

static bool raw(const char *text, u64 *config)
{
	char *end;

	if (text[0] != 'r' || !isxdigit((unsigned char)text[1]))
		return false;
	*config = strtoull(text + 1, &end, 16);
	return !*end;
}

/**
 * tl_pmu_events_find() - What an event is for the kernel
 * @devices: where sysfs has the devices, TL_PMU_DEVICES
 * @text: a generic name, one of sysfs, rHEX, or DEVICE/TERMS/
 * @event: name, type and configuration are filled in
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_pmu_events_find(const char *devices, const char *text, struct tl_pmu_info *event,
		       struct tl_error *err)
{
	struct search s = { devices, text, event, err, 0 };
	size_t i;

	*event = (struct tl_pmu_info){ 0 };
	if (!*text || strlen(text) > TIERLENS_NAME_MAX)
		return tl_error_set(err, -EINVAL, "event \"%.100s\": give a name of 1 to %d bytes", text,
				    TIERLENS_NAME_MAX);
	snprintf(event->name, sizeof(event->name), "%s", text);
	for (i = 0; i < ARRAY_SIZE(generics); i++)
		if (!strcmp(generics[i].name, text)) {
			event->type = generics[i].type;
			event->config = generics[i].config;
			return 0;
		}
	if (strchr(text, '/'))
		return in_device(devices, text, event, err);
	if (each_in(devices, device_search, &s))
		return s.code;
	event->type = PERF_TYPE_RAW;
	if (raw(text, &event->config))
		return 0;
	return tl_error_set(err, -ENOENT, "event \"%.100s\": no such name here: tierlens pmu list has them all",
			    text);
}

/* ---- all of them -------------------------------------------------------------------- */

struct collect {
	const char *devices, *device;
	struct tl_pmu_names *names;
	bool no_memory;
};

static bool collect_add(struct collect *c, const struct tl_pmu_info *event)
{
	size_t n = c->names->n;
	struct tl_pmu_info *new = tl_array_append((void **)&c->names->event, &n, sizeof(*new));
	char **device;

	n = c->names->n;
	device = new ? tl_array_append((void **)&c->names->device, &n, sizeof(*device)) : NULL;
	if (!device) {
		c->no_memory = true;
		return true;
	}
	*new = *event;
	*device = strdup(c->device);
	c->names->n++;
	c->no_memory = !*device;
	return c->no_memory;
}

/* Beside events there are files with their units and scales. */
static bool event_collect(const char *name, void *arg)
{
	struct tl_pmu_info event = { 0 };
	struct collect *c = arg;
	struct tl_error ignored;
	int code = 0;

	if (strchr(name, '.') || strlen(name) > TIERLENS_NAME_MAX ||
	    !named_find(c->devices, c->device, name, &event, &code, &ignored) || code)
		return false;
	snprintf(event.name, sizeof(event.name), "%s", name);
	return collect_add(c, &event);
}

static bool device_collect(const char *device, void *arg)
{
	struct collect *c = arg;

	c->device = device;
	return each_of(c->devices, device, "events", event_collect, c);
}

/**
 * tl_pmu_events_list() - All events that have names
 * @devices: where sysfs has the devices, TL_PMU_DEVICES
 * @names: filled in, the generic ones first; to be given to tl_pmu_events_free()
 * @err: the sentence if it fails
 *
 * Return: 0 or -ENOMEM.
 */
int tl_pmu_events_list(const char *devices, struct tl_pmu_names *names, struct tl_error *err)
{
	struct collect c = { devices, "generic", names, false };
	size_t i;

	*names = (struct tl_pmu_names){ 0 };
	for (i = 0; i < ARRAY_SIZE(generics) && !c.no_memory; i++) {
		struct tl_pmu_info event = { .type = generics[i].type, .config = generics[i].config };

		snprintf(event.name, sizeof(event.name), "%s", generics[i].name);
		collect_add(&c, &event);
	}
	if (!c.no_memory)
		each_in(devices, device_collect, &c);
	return c.no_memory ? tl_error_no_memory(err) : 0;
}

/**
 * tl_pmu_events_free() - Free a list of events
 * @names: the list
 */
void tl_pmu_events_free(struct tl_pmu_names *names)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		free(names->device[i]);
	free(names->device);
	free(names->event);
}

/* ---- devices -------------------------------------------------------------------------- */

struct of_type {
	const char *devices;
	u32 type;
};

/* Processors' own counters have a list of these processors, those of others a mask. */
static bool is_core(const char *device, void *arg)
{
	const struct of_type *wanted = arg;
	char line[1024];
	u32 type;

	return device_type(wanted->devices, device, &type) && type == wanted->type &&
	       line_read(wanted->devices, device, "", "cpus", line, sizeof(line));
}

/**
 * tl_pmu_events_core() - Are events of a type on the processor's own counters?
 * @devices: where sysfs has the devices, TL_PMU_DEVICES
 * @type: of the event
 *
 * Return: true also for generic and raw ones.
 */
bool tl_pmu_events_core(const char *devices, u32 type)
{
	struct of_type wanted = { devices, type };

	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW ||
	       each_in(devices, is_core, &wanted);
}

struct caps {
	const char *devices, *device;
	struct tl_pmu_cap *cap;
	size_t n;
	bool no_memory;
};

static bool cap_collect(const char *name, void *arg)
{
	struct caps *c = arg;
	struct tl_pmu_cap *new, cap = { 0 };

	if (!line_read(c->devices, c->device, "caps", name, cap.value, sizeof(cap.value)))
		return false;
	snprintf(cap.device, sizeof(cap.device), "%.63s", c->device);
	snprintf(cap.name, sizeof(cap.name), "%.63s", name);
	new = tl_array_append((void **)&c->cap, &c->n, sizeof(*new));
	c->no_memory = !new;
	if (new)
		*new = cap;
	return c->no_memory;
}

static bool caps_collect(const char *device, void *arg)
{
	struct caps *c = arg;

	c->device = device;
	return each_of(c->devices, device, "caps", cap_collect, c);
}

/**
 * tl_pmu_events_caps() - What devices tell about their counters
 * @devices: where sysfs has the devices, TL_PMU_DEVICES
 * @caps: set to an array to be freed by the caller, those of a device one after the other
 * @n: set to its length
 * @err: the sentence if it fails
 *
 * Return: 0 or -ENOMEM.
 */
int tl_pmu_events_caps(const char *devices, struct tl_pmu_cap **caps, size_t *n,
		       struct tl_error *err)
{
	struct caps c = { .devices = devices };

	each_in(devices, caps_collect, &c);
	*caps = c.cap;
	*n = c.n;
	return c.no_memory ? tl_error_no_memory(err) : 0;
}
