// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Layered queueing networks in LQNX, the XML format
 *
 * Tasks stand inside their processor, entries inside their task, phases inside their
 * entry as activities with a phase number. Described by lqn-core.xsd of the Layered
 * Queueing Network Solver, and chapter "XML Grammar" of its user manual. Results that
 * a solver wrote into the file are skipped.
 *
 * Expat takes the elements apart. It is told that there is no document type, so that
 * nothing is expanded and nothing else is opened.
 */
#include "lqn-read.h"

#include "hist.h"
#include "lqn-draft.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 8 /* elements nest no deeper, see the table of them */

/*
 * @processor and so on: where we are; TL_LQN_NONE in one that is faulty
 * @in: elements that are open, the innermost one last
 * @skipped: how many are open from the one on that is left out
 */
struct reader {
	struct tl_draft *draft;
	XML_Parser expat;
	size_t processor, task, entry, phase;
	const struct element *in[DEPTH_MAX];
	unsigned int depth, skipped;
	bool ended;
};

static size_t line_of(const struct reader *r)
{
	return XML_GetCurrentLineNumber(r->expat);
}

static const char *attribute(const char **attributes, const char *name)
{
	for (; *attributes; attributes += 2)
		if (!strcmp(attributes[0], name))
			return attributes[1];
	return NULL;
}

/* One that has to be there; "" after a fault. */
static const char *needed(struct reader *r, const char **attributes, const char *element,
			  const char *name)
{
	const char *value = attribute(attributes, name);

	if (!value || !*value)
		tl_faults_add(r->draft->faults, line_of(r), "<%s> has no %s: give it one", element,
			      name);
	return value ? value : "";
}

static void bad_value(struct reader *r, const char *name, const char *value,
		      const char *remedy)
{
	tl_faults_add(r->draft->faults, line_of(r), "%s is \"%.60s\": %s", name, value,
		      *value == '$' ? "variables are not followed, write the number" : remedy);
}

/* Return: whether the attribute is there and is a number. */
static bool decimal(struct reader *r, const char **attributes, const char *name,
		    double *number)
{
	const char *value = attribute(attributes, name);

	if (value && tl_draft_decimal(value, number))
		return true;
	if (value)
		bad_value(r, name, value, "give a number such as 0.25");
	return false;
}

/* @scheduling: "inf" has no limit, whatever the multiplicity. */
static uint32_t multiplicity(struct reader *r, const char **attributes, const char *scheduling)
{
	const char *value = attribute(attributes, "multiplicity");
	uint32_t n = 1;

	if (value && !tl_draft_count(value, &n))
		bad_value(r, "multiplicity", value, "give a whole number from 1 to 1000000000");
	value = attribute(attributes, "replication");
	if (value && strcmp(value, "1"))
		bad_value(r, "replication", value, "write each replica as a thing of its own");
	return strcmp(scheduling, "inf") ? n : TL_LQN_UNLIMITED;
}

/* ---- elements: each gets its attributes -------------------------------------- */

static void processor(struct reader *r, const char **attributes)
{
	const char *name = needed(r, attributes, "processor", "name");
	const char *scheduling = attribute(attributes, "scheduling") ?: "fcfs";
	struct tl_lqn_processor *p;

	r->processor = *name ? tl_draft_processor(r->draft, name, line_of(r)) : TL_LQN_NONE;
	if (r->processor == TL_LQN_NONE)
		return;
	p = &r->draft->lqn->processor[r->processor];
	p->servers = multiplicity(r, attributes, scheduling);
	if (p->servers == TL_LQN_UNLIMITED)
		p->discipline = TL_LQN_DELAY;
	else if (!strcmp(scheduling, "ps"))
		p->discipline = TL_LQN_PS;
	else if (strcmp(scheduling, "fcfs"))
		bad_value(r, "scheduling", scheduling, "give fcfs, ps or inf, no others are known");
	if (decimal(r, attributes, "speed-factor", &p->speed) &&
	    !(p->speed >= 1e-9 && p->speed <= 1e9))
		bad_value(r, "speed-factor", attribute(attributes, "speed-factor"),
			  "give one above 0, such as 1");
}

static void task(struct reader *r, const char **attributes)
{
	const char *name = needed(r, attributes, "task", "name");
	const char *scheduling = attribute(attributes, "scheduling") ?: "fcfs";
	const char *queue = attribute(attributes, "queue-length");
	struct tl_lqn_task *t;

	r->task = *name ? tl_draft_task(r->draft, name, line_of(r)) : TL_LQN_NONE;
	if (r->task == TL_LQN_NONE)
		return;
	t = &r->draft->lqn->task[r->task];
	t->reference = !strcmp(scheduling, "ref");
	t->threads = multiplicity(r, attributes, scheduling);
	if (!t->reference && strcmp(scheduling, "inf") && strcmp(scheduling, "fcfs"))
		bad_value(r, "scheduling", scheduling, "give ref, fcfs or inf, no others are known");
	if (queue && strcmp(queue, "0"))
		bad_value(r, "queue-length", queue, "queues of limited length are not known, leave it "
			  "out");
	decimal(r, attributes, "think-time", &t->think_s);
	if (r->processor != TL_LQN_NONE)
		tl_draft_runs_on(r->draft, r->task, r->draft->lqn->processor[r->processor].name);
}

static void entry(struct reader *r, const char **attributes)
{
	const char *name = needed(r, attributes, "entry", "name");
	const char *type = attribute(attributes, "type");
	double arrivals;

	r->entry = r->task == TL_LQN_NONE || !*name ? TL_LQN_NONE :
		   tl_draft_entry(r->draft, r->task, name, line_of(r));
	if (r->entry == TL_LQN_NONE)
		return;
	if (type && strcmp(type, "PH1PH2"))
		bad_value(r, "type", type, "activity graphs are not known, give PH1PH2 and describe "
			  "the entry by phases");
	if (attribute(attributes, "semaphore") || attribute(attributes, "rwlock"))
		tl_faults_add(r->draft->faults, line_of(r), "entry \"%.60s\" is one of a lock: locks "
			      "are not known, leave it out", name);
	if (decimal(r, attributes, "open-arrival-rate", &arrivals))
		tl_draft_arrivals(r->draft, r->entry, arrivals, line_of(r));
}

static void order_of_calls(struct reader *r, const char **attributes)
{
	const char *order = attribute(attributes, "call-order");

	if (!order)
		return;
	if (!strcmp(order, "DETERMINISTIC"))
		tl_draft_number(r->draft, TL_DRAFT_EXACT, r->entry, r->phase, 1, line_of(r));
	else if (strcmp(order, "STOCHASTIC"))
		bad_value(r, "call-order", order, "give STOCHASTIC or DETERMINISTIC");
}

/* An activity is a phase of its entry. */
static void activity(struct reader *r, const char **attributes)
{
	static const struct {
		const char *name;
		enum tl_draft_number what;
	} numbers[] = {
		{ "host-demand-mean", TL_DRAFT_DEMAND },
		{ "host-demand-cvsq", TL_DRAFT_CV2 },
		{ "think-time", TL_DRAFT_THINK },
	};
	const char *phase = needed(r, attributes, "activity", "phase");
	double number;
	size_t i;

	r->phase = TL_LQN_NONE;
	if (r->entry == TL_LQN_NONE || !*phase)
		return;
	if (strcmp(phase, "1") && strcmp(phase, "2")) {
		bad_value(r, "phase", phase, "give 1 or 2, and add a third one to the second");
		return;
	}
	r->phase = phase[0] == '2';
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		if (decimal(r, attributes, numbers[i].name, &number))
			tl_draft_number(r->draft, numbers[i].what, r->entry, r->phase, number,
					line_of(r));
	order_of_calls(r, attributes);
}

static void call(struct reader *r, const char **attributes, enum tl_lqn_kind kind,
		 const char *element, const char *how_often)
{
	struct tl_draft_call new = { .kind = kind, .from = r->entry, .phase = r->phase,
				     .line = line_of(r) };

	/* It is copied, not written to. */
	new.to = (char *)needed(r, attributes, element, "dest");
	if (!*needed(r, attributes, element, how_often) || !*new.to ||
	    !decimal(r, attributes, how_often, &new.mean) || r->entry == TL_LQN_NONE)
		return;
	if (kind != TL_LQN_FORWARD && r->phase == TL_LQN_NONE)
		return;
	if (kind == TL_LQN_FORWARD)
		new.phase = 0;
	tl_draft_call(r->draft, &new);
}

static void sync_call(struct reader *r, const char **attributes)
{
	call(r, attributes, TL_LQN_SYNC, "synch-call", "calls-mean");
}

static void async_call(struct reader *r, const char **attributes)
{
	call(r, attributes, TL_LQN_ASYNC, "asynch-call", "calls-mean");
}

static void forwarding(struct reader *r, const char **attributes)
{
	call(r, attributes, TL_LQN_FORWARD, "forwarding", "prob");
}

static void model(struct reader *r, const char **attributes)
{
	const char *title = attribute(attributes, "description") ?: attribute(attributes, "name");

	if (title)
		r->draft->lqn->title = strdup(title);
}

static void pragma(struct reader *r, const char **attributes)
{
	const char *name = attribute(attributes, "param"), *value = attribute(attributes, "value");

	if (name && value && !strcmp(name, TL_DRAFT_MEASURED))
		tl_draft_measured(r->draft, value, line_of(r));
}

static void nothing(struct reader *r, const char **attributes)
{
	(void)r;
	(void)attributes;
}

/*
 * What may stand where, and the attributes that it may have. What is in no list here
 * is said, so that a slip of the pen does not become a number that nobody gave.
 */
static const struct element {
	const char *name, *parent;
	void (*begin)(struct reader *r, const char **attributes);
	const char *attributes;
} elements[] = {
	{ "lqn-model", "", model, NULL },
	{ "solver-params", "lqn-model", nothing, NULL },
	{ "pragma", "solver-params", pragma, NULL },
	{ "processor", "lqn-model", processor,
	  " name multiplicity scheduling speed-factor quantum replication " },
	{ "task", "processor", task,
	  " name multiplicity scheduling think-time queue-length priority replication "
	  "activity-graph initially " },
	{ "entry", "task", entry, " name type open-arrival-rate priority semaphore rwlock " },
	{ "forwarding", "entry", forwarding, " dest prob " },
	{ "entry-phase-activities", "entry", nothing, " " },
	{ "activity", "entry-phase-activities", activity,
	  " name phase host-demand-mean host-demand-cvsq think-time call-order "
	  "max-service-time " },
	{ "synch-call", "activity", sync_call, " dest calls-mean " },
	{ "asynch-call", "activity", async_call, " dest calls-mean " },
};

static const char *const skipped[] = {
	"solver-params", "service", "service-time-distribution", "run-control", "plot-control",
};

/* What a network may have that is not followed, and what to do about it. */
static const struct {
	const char *name, *remedy;
} refused[] = {
	{ "task-activities", "activity graphs are not known: describe entries by phases" },
	{ "entry-activity-graph", "activity graphs are not known: describe entries by phases" },
	{ "group", "groups are not known: put the tasks into the processor itself" },
	{ "slot", "components are not known: write out what they stand for" },
	{ "call-list", "lists of calls are not known: write synch-call and asynch-call" },
	{ "fan-in", "replicas are not known: write each one out" },
	{ "fan-out", "replicas are not known: write each one out" },
	{ "lqx", "programs are not followed: write the numbers" },
};

static void stop(struct reader *r, const char *what)
{
	tl_faults_add(r->draft->faults, line_of(r), "%s", what);
	r->ended = true;
	XML_StopParser(r->expat, XML_FALSE);
}

static bool skip_known(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(skipped); i++)
		if (!strcmp(name, skipped[i]))
			return true;
	return !strncmp(name, "result-", strlen("result-"));
}

static void element_unknown(struct reader *r, const char *name, const char *parent)
{
	size_t i;

	if (skip_known(name))
		return;
	for (i = 0; i < ARRAY_SIZE(refused); i++)
		if (!strcmp(name, refused[i].name)) {
			tl_faults_add(r->draft->faults, line_of(r), "<%s>: %s", name, refused[i].remedy);
			return;
		}
	if (*parent)
		tl_faults_add(r->draft->faults, line_of(r), "<%.60s> does not belong into <%s>: mend "
			      "its name, or leave it out", name, parent);
	else
		tl_faults_add(r->draft->faults, line_of(r), "<%.60s> is no model: give one whose "
			      "first element is <lqn-model>", name);
}

/* Each must follow @known's blank; names are short. */
static void attributes_check(struct reader *r, const struct element *element,
			     const char **attributes)
{
	char word[66];

	for (; element->attributes && *attributes; attributes += 2) {
		snprintf(word, sizeof(word), " %.63s ", *attributes);
		if (!strstr(element->attributes, word))
			tl_faults_note(r->draft->faults, line_of(r), "<%s> has an attribute \"%.60s\" "
				       "that is not known: mend its name if it matters", element->name,
				       *attributes);
	}
}

static void on_begin(void *arg, const char *name, const char **attributes)
{
	struct reader *r = arg;
	const char *parent = r->depth ? r->in[r->depth - 1]->name : "";
	size_t i;

	if (r->skipped++)
		return;
	for (i = 0; i < ARRAY_SIZE(elements); i++)
		if (!strcmp(elements[i].name, name) && !strcmp(elements[i].parent, parent))
			break;
	if (i == ARRAY_SIZE(elements)) {
		element_unknown(r, name, parent);
		return;
	}
	r->skipped = 0;
	r->in[r->depth++] = &elements[i];
	attributes_check(r, &elements[i], attributes);
	elements[i].begin(r, attributes);
}

static void on_end(void *arg, const char *name)
{
	struct reader *r = arg;

	(void)name;
	if (r->skipped)
		r->skipped--;
	else if (r->depth)
		r->depth--;
}

static void on_doctype(void *arg, const char *name, const char *system, const char *public,
		       int internal)
{
	(void)name;
	(void)system;
	(void)public;
	(void)internal;
	stop(arg, "a document type (<!DOCTYPE>), and with it entities: models need none, leave it "
		  "out");
}

/**
 * tl_lqn_xml() - Read a network in LQNX
 * @draft: where it goes
 * @text: the file
 * @len: its length, below INT_MAX
 */
void tl_lqn_xml(struct tl_draft *draft, const char *text, size_t len)
{
	struct reader r = { .draft = draft, .expat = XML_ParserCreate(NULL) };

	if (!r.expat) {
		draft->faults->no_memory = true;
		return;
	}
	XML_SetUserData(r.expat, &r);
	XML_SetElementHandler(r.expat, on_begin, on_end);
	XML_SetStartDoctypeDeclHandler(r.expat, on_doctype);
	if (XML_Parse(r.expat, text, (int)len, 1) == XML_STATUS_ERROR && !r.ended) {
		if (XML_GetErrorCode(r.expat) == XML_ERROR_NO_MEMORY)
			draft->faults->no_memory = true;
		else
			tl_faults_add(draft->faults, line_of(&r), "column %zu: this is no XML (%s): "
				      "mend it", (size_t)XML_GetCurrentColumnNumber(r.expat) + 1,
				      XML_ErrorString(XML_GetErrorCode(r.expat)));
	}
	XML_ParserFree(r.expat);
}
