// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A layered queueing network from a recording (paper 001, 2.1 to 2.3)
 *
 * Each path, a chain of (tier, class) from the front tier down, becomes an entry of its
 * tier's task: the paper's equivalent nodes, which the kernel has merged already. Entries
 * of one task are not merged, because what they call differs. A call's mean number is the
 * count of the path below divided by that of the path above, R = r'_call / r'_caller.
 *
 * What a request takes is its processor time (lqn-build-demand.c), and pauses, in which its
 * thread is held and nobody else is kept waiting: own time that was neither on a processor
 * nor ready for one, and what lies between a tier and those that it calls. Tiers elsewhere
 * are such pauses, too, but with a name.
 */
#include "lqn-build.h"

#include "error.h"
#include "figures.h"
#include "recording.h"
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAUSE_LEAST_S 1e-9 /* what clocks tell apart */
#define LOST_MOST 0.05 /* of calls without a request, and of requests without a path */

/* ---- the recording -------------------------------------------------------------- */

struct adder {
	struct tl_build *b;
	size_t at;
};

static int total_add(const struct tl_interval *interval, void *arg)
{
	struct adder *adder = arg;
	struct tl_build *b = adder->b;
	size_t at = adder->at++;

	if (at >= b->windows.n || b->windows.left_out[at])
		return 0;
	b->seconds += tl_ns_to_s(interval->length_ns);
	return tl_interval_add(b->total, interval);
}

static int recording_read(struct tl_build *b, struct tl_error *err)
{
	const char *file = b->in->recording;
	struct adder adder = { b, 0 };
	char warning[600];
	int code;

	if (tl_windows_is_table(file))
		return tl_error_set(err, -EINVAL, "%s: a table of figures does not tell who calls whom: "
				    "give a recording, and demands from the table with --demands", file);
	code = tl_windows_read(&b->windows, file, err);
	if (code)
		return code;
	b->total = tl_interval_new();
	if (!b->total)
		return tl_error_no_memory(err);
	code = tl_recording_each(file, total_add, &adder, warning, sizeof(warning), err);
	if (!code && *b->windows.note)
		tl_faults_note(&b->built->notes, 0, "%s", b->windows.note);
	if (!code && !(b->seconds > 0))
		code = tl_error_set(err, -ENODATA, "%s: no interval can be used, the first is left out "
				    "because %s: record again", file, b->windows.left_out[0]);
	return code;
}

/* ---- who is there --------------------------------------------------------------- */

/* The tier at which most of the waiting of requests that nobody here called begins. */
static int front_find(struct tl_build *b, struct tl_error *err)
{
	const struct tl_interval *total = b->total;
	u64 most = 0, *response = calloc(total->n_tiers + 1, sizeof(*response));
	size_t i;
	int tier;

	if (!response)
		return tl_error_no_memory(err);
	b->front = TL_LQN_NONE;
	for (i = 0; i < total->n_paths; i++) {
		const struct tl_path *path = &total->paths[i];

		tier = path->tier && !path->up ? tl_tier_index(total, path->tier) : -1;
		if (tier < 0 || !path->count)
			continue;
		response[tier] += path->response_ns + 1;
		if (b->in->front ? strcmp(b->in->front, path->tier) : response[tier] <= most)
			continue;
		most = response[tier];
		b->front = (size_t)tier;
	}
	free(response);
	if (b->front != TL_LQN_NONE)
		return 0;
	return b->in->front ?
	       tl_error_set(err, -ENOENT, "--front %.200s: nobody outside asks a tier of that name in %s: "
			    "give one that tierlens show --paths has in front", b->in->front,
			    b->in->recording) :
	       tl_error_set(err, -ENODATA, "%s: no request came from outside: record while the service "
			    "works", b->in->recording);
}

static int host_make(struct tl_build *b, struct tl_error *err)
{
	struct tl_built *built = b->built;
	const char *file = b->in->recording;

	b->processors = b->in->processors ? b->in->processors : b->windows.processors;
	if (!(b->processors >= 1))
		return tl_error_set(err, -ENODATA, "%s: it does not tell how many processors the host "
				    "has: say --processors N", file);
	b->host = tl_built_processor(built, "host");
	if (b->host == TL_LQN_NONE)
		return tl_error_no_memory(err);
	tl_built_number(built, &built->processor[b->host].servers, b->processors, b->in->processors ?
			"given" : "what tiers used, as time and as a part of all processors");
	return 0;
}

/* How many of the paths right above are of the same tier, which then calls itself. */
static unsigned int again(const struct tl_interval *total, const struct tl_path *path)
{
	unsigned int n = 0;

	for (; path->up; path = &total->paths[path->up - 1], n++)
		if (strcmp(path->tier, total->paths[path->up - 1].tier))
			break;
	return n;
}

/* A task calls no entry of its own: where a tier calls itself, the called is another one. */
static size_t task_of(struct tl_build *b, const struct tl_path *path)
{
	struct tl_built *built = b->built;
	unsigned int n = again(b->total, path);
	char *name = NULL;
	size_t i;

	if (asprintf(&name, n ? "%s, called by itself %u" : "%s", path->tier, n) < 0)
		return TL_LQN_NONE;
	for (i = 0; i < built->tasks && strcmp(built->task[i].name, name); i++)
		;
	if (i == built->tasks && n)
		tl_faults_note(&built->notes, 0, "%s calls itself: each time is a task of its own in the "
			       "network, threads are not shared", path->tier);
	i = i == built->tasks ? tl_built_task(built, b->host, "%s", name) : i;
	free(name);
	return i;
}

/* Two ways can end in the same class at the same tier: then the whole way is the name. */
static bool name_is_shared(const struct tl_interval *total, const struct tl_path *path)
{
	size_t i, same = 0;

	for (i = 0; i < total->n_paths; i++)
		same += total->paths[i].tier && total->paths[i].count &&
			!strcmp(total->paths[i].tier, path->tier) &&
			!strcmp(total->paths[i].class, path->class);
	return same > 1;
}

static int node_make(struct tl_build *b, size_t i)
{
	const struct tl_path *path = &b->total->paths[i];
	struct tl_build_node *node = &b->node[i];
	char *whole;

	*node = (struct tl_build_node){ path->up ? b->node[path->up - 1].root : i, TL_LQN_NONE,
					TL_LQN_NONE, 0 };
	/* Nobody knows what is above a path whose first requests ended in no interval. */
	if (!path->tier || !path->count || (path->up && b->node[path->up - 1].entry == TL_LQN_NONE))
		return 0;
	node->task = task_of(b, path);
	whole = tl_path_text(b->total, path);
	if (node->task == TL_LQN_NONE || !whole) {
		free(whole);
		return -ENOMEM;
	}
	if (name_is_shared(b->total, path))
		node->entry = tl_built_entry(b->built, node->task, "%s", whole);
	else
		node->entry = tl_built_entry(b->built, node->task, "%s/%s", path->tier, path->class);
	free(whole);
	return node->entry == TL_LQN_NONE ? -ENOMEM : 0;
}

static int nodes_make(struct tl_build *b, struct tl_error *err)
{
	size_t i;

	b->node = calloc(b->total->n_paths + 1, sizeof(*b->node));
	if (!b->node)
		return tl_error_no_memory(err);
	for (i = 0; i < b->total->n_paths; i++)
		if (node_make(b, i))
			return tl_error_no_memory(err);
	return 0;
}

/* ---- threads -------------------------------------------------------------------- */

static int threads_given(struct tl_build *b, const char *text, struct tl_error *err)
{
	const char *equals = strrchr(text, '=');
	size_t len = equals ? (size_t)(equals - text) : 0, i;
	char *end = NULL;
	unsigned long n = equals ? strtoul(equals + 1, &end, 10) : 0;

	if (!len || !n || n > 1000000000 || *end || equals[1] < '0' || equals[1] > '9')
		return tl_error_set(err, -EINVAL, "--threads %.200s: give TIER=N, such as app=20", text);
	for (i = 0; i < b->built->tasks; i++) {
		struct tl_built_task *task = &b->built->task[i];

		if (strlen(task->name) == len && !strncmp(task->name, text, len)) {
			tl_built_number(b->built, &task->threads, (double)n, "given");
			return 0;
		}
	}
	return tl_error_set(err, -ENOENT, "--threads %.200s: no tier of that name in %s: tierlens show "
			    "--paths has the names", text, b->in->recording);
}

/* Whether a thread of the tier waits for what it calls, as far as calls tell. */
static bool thread_waits(const struct tl_interval *total, const char *tier)
{
	u64 calls = 0, by_thread = 0;
	size_t i;

	for (i = 0; i < total->n_edges; i++)
		if (total->edges[i].tier && !strcmp(total->edges[i].tier, tier)) {
			calls += total->edges[i].calls;
			by_thread += total->edges[i].by[TL_BY_THREAD];
		}
	return 2 * by_thread >= calls;
}

/* A number of processes may be a limit, or what this load happened to need. */
static void threads_guess(struct tl_build *b, struct tl_built_task *task)
{
	int tier = tl_tier_index(b->total, task->name);
	const struct tl_sum *processes;

	tl_built_origin(b->built, &task->threads, "no limit is known");
	processes = tier < 0 ? NULL : &b->total->tiers[tier].usage[TL_USAGE_PROCESSES];
	if (!processes || !tl_sum_known(processes) || processes->value < 2 ||
	    !thread_waits(b->total, task->name))
		return;
	tl_built_origin(b->built, &task->threads, "%llu processes served it",
			(unsigned long long)processes->value);
	tl_faults_note(&b->built->notes, 0, "%s was served by %llu processes, and has no limit in the "
		       "network: if that is all that there are and each serves one request at a time, say "
		       "--threads %s=%llu", task->name, (unsigned long long)processes->value, task->name,
		       (unsigned long long)processes->value);
}

static int threads_set(struct tl_build *b, struct tl_error *err)
{
	int code = 0;
	size_t i;

	for (i = 0; i < b->in->n_threads && !code; i++)
		code = threads_given(b, b->in->threads[i], err);
	for (i = 0; i < b->built->tasks && !code; i++)
		if (!b->built->task[i].threads.origin)
			threads_guess(b, &b->built->task[i]);
	return code;
}

/* ---- calls and pauses ------------------------------------------------------------ */

static const struct tl_cell *cell_of(const struct tl_interval *total, const struct tl_path *path)
{
	int tier = tl_tier_index(total, path->tier);
	size_t i;

	for (i = 0; tier >= 0 && i < total->tiers[tier].n_cells; i++)
		if (!strcmp(total->tiers[tier].cells[i].class, path->class))
			return &total->tiers[tier].cells[i];
	return NULL;
}

/* What lies between a request of @from and the tier that it calls, a call, seconds. */
static double transit_s(const struct tl_interval *total, const struct tl_path *from, const char *to)
{
	double ns = 0, calls = 0;
	size_t i;

	for (i = 0; i < total->n_edges; i++) {
		const struct tl_edge *edge = &total->edges[i];

		if (!edge->tier || !edge->peer_tier || strcmp(edge->tier, from->tier) ||
		    strcmp(edge->class, from->class) || strcmp(edge->peer_tier, to) ||
		    !tl_sum_known(&edge->sum[TL_EDGE_TRANSIT]) ||
		    !tl_sum_known(&edge->sum[TL_EDGE_JOINED]))
			continue;
		ns += (double)edge->sum[TL_EDGE_TRANSIT].value;
		calls += (double)edge->sum[TL_EDGE_JOINED].value;
	}
	return calls > 0 ? ns / calls / 1e9 : 0;
}

/* Own time in which a request neither had nor wanted a processor, a request, seconds. */
static void rest_set(struct tl_build *b, size_t i)
{
	const struct tl_path *path = &b->total->paths[i];
	const struct tl_cell *cell = cell_of(b->total, path);
	struct tl_built_entry *entry = &b->built->entry[b->node[i].entry];
	const struct tl_sum *cpu = &path->sum[TL_PATH_CPU];
	bool ready = cell && cell->count && tl_sum_known(&cell->sum[TL_CELL_RUN_WAIT]);
	double own_s = tl_ns_to_s(path->own_ns) / (double)path->count, ready_s = 0, rest_s;
	double cpu_s = tl_sum_known(cpu) ? tl_ns_to_s(cpu->value) / (double)path->count :
					   entry->demand_s.value;

	if (ready)
		ready_s = tl_ns_to_s(cell->sum[TL_CELL_RUN_WAIT].value) / (double)cell->count;
	b->node[i].known_s = own_s - ready_s;
	rest_s = own_s - cpu_s - ready_s;
	if (rest_s >= PAUSE_LEAST_S)
		tl_built_number(b->built, &entry->pause_s, rest_s, "%.3g neither working nor %s", rest_s,
				ready ? "ready to" : "known to be ready to");
}

/*
 * On the way to a request and back its tier works, too: it wakes up, accepts, reads what comes. That
 * is in its demand, so it is no pause: what is left is what the call takes longer than the model says.
 */
static double way_s(const struct tl_build *b, size_t i)
{
	const struct tl_path *path = &b->total->paths[i];
	const struct tl_built_entry *entry = &b->built->entry[b->node[i].entry];
	double way = transit_s(b->total, &b->total->paths[path->up - 1], path->tier);

	return fmax(0, fmin(way, way + b->node[i].known_s - entry->demand_s.value - entry->pause_s.value));
}

static void call_set(struct tl_build *b, size_t i, double way)
{
	const struct tl_path *path = &b->total->paths[i], *up = &b->total->paths[path->up - 1];
	size_t from = b->node[path->up - 1].entry;
	struct tl_built_call *call = tl_built_call(b->built, from, b->node[i].entry);
	struct tl_built_number *pause = &b->built->entry[from].pause_s;
	double mean = (double)path->count / (double)up->count;

	if (!call)
		return;
	tl_built_number(b->built, &call->mean, mean, "%llu of %llu", (unsigned long long)path->count,
			(unsigned long long)up->count);
	if (way < PAUSE_LEAST_S)
		return;
	pause->value += mean * way;
	tl_built_origin(b->built, pause, "%.3g on the way to and from %s", mean * way, path->tier);
}

/* All ways first: what they add to pauses must not count in those above. */
static void calls_set(struct tl_build *b)
{
	double *way = calloc(b->total->n_paths + 1, sizeof(*way));
	size_t i;

	b->built->no_memory |= !way;
	for (i = 0; way && i < b->total->n_paths; i++)
		if (b->node[i].entry != TL_LQN_NONE) {
			rest_set(b, i);
			way[i] = b->total->paths[i].up ? way_s(b, i) : 0;
		}
	for (i = 0; way && i < b->total->n_paths; i++)
		if (b->node[i].entry != TL_LQN_NONE && b->total->paths[i].up)
			call_set(b, i, way[i]);
	free(way);
}

/* ---- tiers elsewhere -------------------------------------------------------------- */

static size_t task_named(const struct tl_built *built, size_t processor, const char *name)
{
	size_t i;

	for (i = 0; i < built->tasks; i++)
		if (built->task[i].processor == processor && !strcmp(built->task[i].name, name))
			return i;
	return TL_LQN_NONE;
}

/* Calls that leave the host take as long as they did. */
static int elsewhere_add(struct tl_build *b, const struct tl_edge *edge, size_t *processor)
{
	double time_s = tl_ns_to_s(edge->time_ns) / (double)edge->calls, requests = 0;
	struct tl_built *built = b->built;
	struct tl_built_call *call;
	size_t i, task, entry;

	if (*processor == TL_LQN_NONE)
		*processor = tl_built_processor(built, "elsewhere");
	task = task_named(built, *processor, edge->peer);
	if (task == TL_LQN_NONE)
		task = tl_built_task(built, *processor, "%s", edge->peer);
	entry = tl_built_entry(built, task, "%s for %s/%s", edge->peer, edge->tier, edge->class);
	if (entry == TL_LQN_NONE)
		return -ENOMEM;
	tl_built_number(built, &built->entry[entry].demand_s, time_s, "%llu calls, whatever it is that "
			"they wait for there", (unsigned long long)edge->calls);
	for (i = 0; i < b->total->n_paths; i++)
		if (b->node[i].entry != TL_LQN_NONE && !strcmp(b->total->paths[i].tier, edge->tier) &&
		    !strcmp(b->total->paths[i].class, edge->class))
			requests += (double)b->total->paths[i].count;
	for (i = 0; i < b->total->n_paths && requests > 0; i++) {
		if (b->node[i].entry == TL_LQN_NONE || strcmp(b->total->paths[i].tier, edge->tier) ||
		    strcmp(b->total->paths[i].class, edge->class))
			continue;
		call = tl_built_call(built, b->node[i].entry, entry);
		if (call)
			tl_built_number(built, &call->mean, (double)edge->calls / requests,
					"%llu of %.0f", (unsigned long long)edge->calls, requests);
	}
	return 0;
}

static int elsewhere_make(struct tl_build *b, struct tl_error *err)
{
	size_t processor = TL_LQN_NONE, i;

	for (i = 0; i < b->total->n_edges; i++) {
		const struct tl_edge *edge = &b->total->edges[i];

		if (edge->tier && !edge->peer_tier && edge->calls && edge->time_ns &&
		    elsewhere_add(b, edge, &processor))
			return tl_error_no_memory(err);
	}
	if (processor != TL_LQN_NONE)
		tl_faults_note(&b->built->notes, 0, "calls leave the host: they take as long as they did, "
			       "however many there are");
	return 0;
}

/* ---- what it is worth ------------------------------------------------------------- */

/* Least and most requests per second, in up to twenty parts of ten seconds or more. */
static void measured_set(struct tl_build *b)
{
	const struct tl_windows *w = &b->windows;
	double part_s = fmax(10, b->seconds / 20), count = 0, seconds = 0, rate;
	double *range = b->built->measured_per_s;
	size_t i, c;

	for (i = 0; i < w->n; i++) {
		if (w->left_out[i])
			continue;
		seconds += w->seconds[i];
		for (c = 0; c < w->classes.n; c++) {
			const struct tl_column *n = tl_windows_find(w, TL_COLUMN_COUNT, c, TL_NOWHERE,
								    TL_NOWHERE);

			count += n && !isnan(n->value[i]) ? n->value[i] : 0;
		}
		if (seconds < part_s && (range[1] > 0 || i + 1 < w->n))
			continue;
		rate = count / seconds;
		range[0] = range[1] > 0 ? fmin(range[0], rate) : rate;
		range[1] = fmax(range[1], rate);
		count = seconds = 0;
	}
}

static void lost_look(const struct tl_build *b, double *calls, double *requests)
{
	const struct tl_interval *total = b->total;
	double all = 0, lost = 0;
	size_t i;

	for (i = 0; i < total->n_edges; i++) {
		all += (double)total->edges[i].calls;
		lost += total->edges[i].tier ? 0 : (double)total->edges[i].calls;
	}
	*calls = all > 0 ? lost / all : 0;
	for (i = 0, all = lost = 0; i < total->n_paths; i++) {
		all += (double)total->paths[i].count;
		lost += b->node[i].entry == TL_LQN_NONE ? (double)total->paths[i].count : 0;
	}
	*requests = all > 0 ? lost / all : 0;
}

static int verdict_set(struct tl_build *b, struct tl_error *err)
{
	struct tl_built *built = b->built;
	double calls, requests;
	size_t i, out = 0;
	int len;

	lost_look(b, &calls, &requests);
	if (calls > LOST_MOST)
		len = asprintf(&built->verdict, "unreliable: %.2g %% of the calls are of no known request",
			       100 * calls);
	else if (requests > LOST_MOST)
		len = asprintf(&built->verdict, "unreliable: %.2g %% of the requests came down no known "
			       "path", 100 * requests);
	else
		len = asprintf(&built->verdict, "ok");
	if (len < 0)
		built->verdict = NULL;
	for (i = 0; i < b->windows.n; i++)
		out += b->windows.left_out[i] != NULL;
	if (out)
		tl_faults_note(&built->notes, 0, "%zu of %zu intervals are left out: tierlens demand fit "
			       "tells why", out, b->windows.n);
	if (asprintf(&built->title, "%s: %.0f s", b->windows.file, b->seconds) < 0)
		built->title = NULL;
	return built->verdict && built->title ? 0 : tl_error_no_memory(err);
}

/**
 * tl_lqn_build() - Build a network from a recording
 * @in: from what
 * @built: empty; filled in, to be given to tl_built_free(), after an error too
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_lqn_build(const struct tl_build_in *in, struct tl_built *built, struct tl_error *err)
{
	struct tl_build b = { .in = in, .built = built };
	int code;

	built->notes.file = in->recording;
	code = recording_read(&b, err);
	code = code ? code : front_find(&b, err);
	code = code ? code : host_make(&b, err);
	code = code ? code : nodes_make(&b, err);
	code = code ? code : threads_set(&b, err);
	code = code ? code : tl_build_demands(&b, err);
	if (!code)
		calls_set(&b);
	code = code ? code : elsewhere_make(&b, err);
	code = code ? code : tl_build_load(&b, err);
	measured_set(&b);
	code = code ? code : verdict_set(&b, err);
	if (!code && (built->no_memory || built->notes.no_memory))
		code = tl_error_no_memory(err);
	free(b.rest_s.origin);
	free(b.node);
	tl_interval_free(b.total);
	tl_model_free(&b.given);
	tl_demand_free(&b.fit);
	tl_windows_free(&b.windows);
	return code;
}
