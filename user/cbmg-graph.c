// SPDX-License-Identifier: GPL-2.0-or-later
/* Customer behaviour model graphs of access logs, and what should be known of them. */
#include "cbmg-graph.h"

#include "error.h"
#include "weblog-read.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/**
 * tl_cbmg_has() - Whether a graph has a state
 * @fit: figures of the graph
 * @state: index
 *
 * Return: true if it has.
 */
bool tl_cbmg_has(const struct tl_cbmg_fit *fit, size_t state)
{
	return state < fit->n && (fit->left[state] || fit->asked[state]);
}

/**
 * tl_cbmg_has_figures() - Whether there is a graph of a type of users
 * @graph: graph of all
 * @type: type of users
 *
 * Of a log that is what has an end: a mix alone would be that of a part.
 *
 * Return: true if there is.
 */
bool tl_cbmg_has_figures(const struct tl_cbmg_graph *graph, const struct tl_cbmg_type *type)
{
	return graph->figures && type->fit.n &&
	       (graph->log ? type->fit.verdict == TL_CBMG_OK : tl_cbmg_has_mix(type->fit.verdict));
}

/**
 * tl_cbmg_type_verdict() - Whether there is a graph of a type of users, in words
 * @graph: graph of all
 * @type: type of users
 *
 * Return: "ok", or why not.
 */
const char *tl_cbmg_type_verdict(const struct tl_cbmg_graph *graph,
				 const struct tl_cbmg_type *type)
{
	if (!graph->figures)
		return graph->verdict;
	return tl_cbmg_has_figures(graph, type) ? "ok" :
	       "not identifiable: of this type no session was seen to begin, or some never to end";
}

/* The start, those that are asked for most, the end. */
static double rank_of(const struct tl_cbmg_graph *g, size_t i)
{
	if (i < TL_CBMG_FIRST)
		return i == TL_CBMG_START ? INFINITY : -INFINITY;
	return g->log && i < g->all.fit.n ? (double)g->all.fit.asked[i] : 0;
}

/**
 * tl_cbmg_order() - Settle the order in which states are shown
 * @graph: graph
 *
 * Return: 0 or -ENOMEM.
 */
int tl_cbmg_order(struct tl_cbmg_graph *graph)
{
	size_t i, k;

	graph->order = calloc(graph->n, sizeof(*graph->order));
	if (!graph->order)
		return -ENOMEM;
	for (i = 0; i < graph->n; i++) {
		for (k = i; k > 0 && rank_of(graph, graph->order[k - 1]) < rank_of(graph, i); k--)
			graph->order[k] = graph->order[k - 1];
		graph->order[k] = i;
	}
	return 0;
}

/* ---- verdict and notes ----------------------------------------------------------------- */

static int verdict_make(struct tl_cbmg_graph *g)
{
	const struct tl_weblog *log = g->log;
	const struct tl_cbmg_fit *fit = &g->all.fit;
	int len;

	g->figures = false;
	if ((double)log->broken > log->broken_part * (double)log->lines)
		len = asprintf(&g->verdict, "unreliable: %.2g %% of the lines could not be read, more than "
			       "%g %% (--broken), the first at %s",
			       100 * (double)log->broken / (double)log->lines, 100 * log->broken_part,
			       log->where[0]);
	else if (!log->sessions.requests)
		len = asprintf(&g->verdict, "not identifiable: there is no request that belongs to a state "
			       "and a session");
	else if (!fit->n || fit->verdict == TL_CBMG_NO_START)
		len = asprintf(&g->verdict, "not identifiable: no session was seen to begin, the log is "
			       "too short");
	else if (fit->verdict == TL_CBMG_TRAP)
		len = asprintf(&g->verdict, "not identifiable: sessions that came to \"%s\" were not seen to "
			       "end: give a longer log, or leave it out (--state -=PREFIX)",
			       g->name[fit->culprit]);
	else if (fit->verdict == TL_CBMG_ENDLESS || fit->verdict == TL_CBMG_SPLIT)
		len = asprintf(&g->verdict, "not identifiable: no session was seen to end: give a longer log");
	else
		len = asprintf(&g->verdict, fit->verdict == TL_CBMG_TINY ? "unstable: sessions hardly ever "
			       "end" : "ok");
	g->figures = len >= 0 && !strcmp(g->verdict, "ok");
	return len < 0 ? -ENOMEM : 0;
}

static void note_count(struct tl_cbmg_graph *g, uint64_t n, const char *what)
{
	if (n)
		tl_faults_note(&g->notes, 0, "%" PRIu64 " %s", n, what);
}

static void notes_of_lines(struct tl_cbmg_graph *g)
{
	const struct tl_weblog *log = g->log;

	if (log->broken)
		tl_faults_note(&g->notes, 0, "%" PRIu64 " of %" PRIu64 " lines could not be read and do not "
			       "count: %s%s%s%s%s", log->broken, log->lines, log->where[0],
			       log->where[1] ? ", " : "", log->where[1] ? log->where[1] : "",
			       log->where[2] ? ", " : "", log->where[2] ? log->where[2] : "");
	note_count(g, log->no_request, "lines have no request and do not count");
	note_count(g, log->no_session, "requests do not say which session they are of and do not count");
	if (log->sessions.back)
		tl_faults_note(&g->notes, 0, "the clock goes back by more than a gap %" PRIu64 " times, first "
			       "at %s: are the files in the order of time?", log->sessions.back,
			       log->back_where);
	note_count(g, log->sessions.overlaps, "requests came before the one before them was answered: "
		   "the time between is not counted");
	note_count(g, log->sessions.crowded, "sessions were taken to have ended, because there were more "
		   "than a million at once");
	if (log->states.crowded)
		tl_faults_note(&g->notes, 0, "there are more than %d states, what is beyond is \"other\": "
			       "give rules (--state NAME=PREFIX)", TL_WEBLOG_STATES_MAX);
}

static void notes_of_sessions(struct tl_cbmg_graph *g)
{
	const struct tl_sessions *s = &g->log->sessions;

	if (!s->requests)
		return;
	if (s->whole == TL_SESSIONS_CUT)
		tl_faults_note(&g->notes, 0, "of %" PRIu64 " sessions the begin and of %" PRIu64 " the end may "
			       "lie outside of the log: these ends do not count (--whole: they do)",
			       s->cut[0], s->cut[1]);
	else if (s->last_s - s->first_s < 4 * s->gap_s)
		tl_faults_note(&g->notes, 0, "the log is shorter than four gaps: sessions are taken to begin "
			       "and end in it");
	if (!g->log->timed)
		tl_faults_note(&g->notes, 0, "the log has no response times: think times are from one "
			       "request's entry to the next one's, with a response in them");
	else if (g->log->timed < s->requests)
		tl_faults_note(&g->notes, 0, "%" PRIu64 " of %" PRIu64 " requests have no response time: their "
			       "think times have a response in them", s->requests - g->log->timed,
			       s->requests);
}

/* ---- a graph of a log ------------------------------------------------------------------- */

static int type_fit(struct tl_cbmg_type *type, const struct tl_sessions_type *did)
{
	int code = tl_cbmg_fit(&did->counts, &type->fit);

	type->sessions = did->sessions;
	type->requests = did->requests;
	return code == -ENODATA ? 0 : code;
}

static int types_fit(struct tl_cbmg_graph *g)
{
	const struct tl_weblog *log = g->log;
	struct tl_sessions_type sum = { 0 };
	size_t i;
	int code = 0;

	for (i = 0; i < (log->types ? log->types : 1) && !code; i++) {
		code = tl_cbmg_counts_sum(&sum.counts, &log->sessions.type[i].counts);
		sum.sessions += log->sessions.type[i].sessions;
		sum.requests += log->sessions.type[i].requests;
	}
	code = code ? code : type_fit(&g->all, &sum);
	tl_cbmg_counts_free(&sum.counts);
	if (code || log->types < 2)
		return code;
	g->type = calloc(log->types, sizeof(*g->type));
	for (i = 0; g->type && i < log->types && !code; i++) {
		g->type[i].name = strdup(log->type[i]);
		g->types++;
		g->type[i].share = sum.sessions ? (double)log->sessions.type[i].sessions /
						  (double)sum.sessions : 0;
		code = type_fit(&g->type[i], &log->sessions.type[i]);
		if (!g->type[i].name)
			code = -ENOMEM;
	}
	return g->type ? code : -ENOMEM;
}

static int names_copy(struct tl_cbmg_graph *g)
{
	const struct tl_weblog_states *states = &g->log->states;
	static const char *const first[] = { "(start)", "(exit)" };
	size_t i;

	g->n = states->n > TL_CBMG_FIRST ? states->n : TL_CBMG_FIRST;
	g->name = calloc(g->n, sizeof(*g->name));
	for (i = 0; g->name && i < g->n; i++) {
		g->name[i] = strdup(i < TL_CBMG_FIRST ? first[i] : states->name[i]);
		if (!g->name[i])
			return -ENOMEM;
	}
	return g->name ? 0 : -ENOMEM;
}

/**
 * tl_cbmg_from_log() - A graph of what access logs say
 * @graph: empty; filled in
 * @log: read; stays the caller's, and there as long as the graph
 * @err: the sentence if it fails
 *
 * Return: 0 or -ENOMEM.
 */
int tl_cbmg_from_log(struct tl_cbmg_graph *graph, const struct tl_weblog *log,
		     struct tl_error *err)
{
	graph->log = log;
	graph->pooled = true;
	graph->all.share = 1;
	if (names_copy(graph) || types_fit(graph) || verdict_make(graph) || tl_cbmg_order(graph))
		return tl_error_no_memory(err);
	notes_of_lines(graph);
	notes_of_sessions(graph);
	return 0;
}

/**
 * tl_cbmg_graph_free() - Free what a graph holds
 * @graph: graph
 */
void tl_cbmg_graph_free(struct tl_cbmg_graph *graph)
{
	size_t i;

	for (i = 0; i < graph->types; i++) {
		tl_cbmg_fit_free(&graph->type[i].fit);
		free(graph->type[i].name);
	}
	tl_cbmg_fit_free(&graph->all.fit);
	free(graph->all.name);
	free(graph->type);
	for (i = 0; graph->name && i < graph->n; i++)
		free(graph->name[i]);
	free(graph->name);
	free(graph->order);
	free(graph->verdict);
	tl_faults_free(&graph->notes);
}
