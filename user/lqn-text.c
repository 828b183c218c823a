// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Layered queueing networks in the LQN text format
 *
 * Sections G, P, T and E, each of records that begin with a letter, each ended with -1,
 * as are the lists in them; # begins a comment. Described in the Layered Queueing
 * Network Solver and Simulator User Manual, chapter "LQN Input File Format".
 *
 * What a record wants stands at fixed places, so a name may be any word. After a fault
 * reading goes on with the next line that does not belong to the record.
 */
#include "lqn-read.h"

#include "lqn-draft.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BYTES_MAX 400

struct reader {
	struct tl_draft *draft;
	const char *at, *end;
	char word[WORD_BYTES_MAX]; /* the next one, "" at the end of the file */
	bool quoted;
	size_t line, word_line;
};

static void fault(struct reader *r, const char *what, const char *remedy)
{
	if (*r->word)
		tl_faults_add(r->draft->faults, r->word_line, "%s, not \"%.60s\": %s", what, r->word,
			      remedy);
	else
		tl_faults_add(r->draft->faults, r->line, "the file ends where there should be %s: "
			      "%s", what, remedy);
}

/* Pragmas are comments; one of them says something here. */
static void pragma_see(struct reader *r)
{
	static const char pragma[] = "#pragma " TL_DRAFT_MEASURED "=";
	const char *at = r->at + strlen(pragma);
	char range[80];
	size_t len = 0;

	if ((size_t)(r->end - r->at) < strlen(pragma) || memcmp(r->at, pragma, strlen(pragma)))
		return;
	while (at < r->end && *at != '\n' && len < sizeof(range) - 1)
		range[len++] = *at++;
	while (len && isspace((unsigned char)range[len - 1]))
		len--;
	range[len] = '\0';
	tl_draft_measured(r->draft, range, r->line);
}

static void blank_skip(struct reader *r)
{
	bool comment = false;

	for (; r->at < r->end; r->at++) {
		if (!comment && *r->at == '#')
			pragma_see(r);
		comment = *r->at != '\n' && (comment || *r->at == '#');
		if (!comment && !isspace((unsigned char)*r->at))
			break;
		r->line += *r->at == '\n';
	}
}

static bool word_ends(const struct reader *r)
{
	if (r->quoted)
		return *r->at == '"';
	return isspace((unsigned char)*r->at) || *r->at == '#' || *r->at == '"';
}

/* Read the next word. Too much of one is cut off, which is a fault where it is used. */
static void next(struct reader *r)
{
	size_t len = 0;

	blank_skip(r);
	r->word_line = r->line;
	r->quoted = r->at < r->end && *r->at == '"';
	r->at += r->quoted;
	for (; r->at < r->end && !word_ends(r); r->at++) {
		r->line += *r->at == '\n';
		if (len < sizeof(r->word) - 1)
			r->word[len++] = *r->at;
	}
	r->word[len] = '\0';
	if (r->quoted && r->at == r->end)
		tl_faults_add(r->draft->faults, r->word_line, "a quote is not closed: mend it");
	r->at += r->quoted && r->at < r->end;
}

static bool is(const struct reader *r, const char *word)
{
	return !r->quoted && !strcmp(r->word, word);
}

static bool at_end(const struct reader *r)
{
	return !*r->word && !r->quoted && r->at >= r->end;
}

/* Leave the record that began in @line: go to the first word of a later line. */
static void record_skip(struct reader *r, size_t line)
{
	while (!at_end(r) && r->word_line <= line)
		next(r);
}

static bool decimal(struct reader *r, const char *what, double *value)
{
	if (tl_draft_decimal(r->word, value)) {
		next(r);
		return true;
	}
	if (*r->word == '$')
		fault(r, what, "variables are not followed: write the number");
	else
		fault(r, what, "give a number such as 0.25");
	return false;
}

static bool count(struct reader *r, const char *what, uint32_t *value)
{
	if (tl_draft_count(r->word, value)) {
		next(r);
		return true;
	}
	if (*r->word == '$')
		fault(r, what, "variables are not followed: write the number");
	else
		fault(r, what, "give a whole number from 1 to 1000000000");
	return false;
}

/* ---- processors --------------------------------------------------------------- */

static bool discipline(struct reader *r, struct tl_lqn_processor *p)
{
	double quantum;

	if (is(r, "f"))
		p->discipline = TL_LQN_FCFS;
	else if (is(r, "s"))
		p->discipline = TL_LQN_PS;
	else if (is(r, "i"))
		p->servers = TL_LQN_UNLIMITED;
	else
		return fault(r, "a processor's discipline is f, s or i",
			     "h, p, r and c are not known: give f for first come, first served, s for "
			     "shared, i for a delay"), false;
	next(r);
	/* Sharing is even, whatever the slices of time are. */
	if (p->discipline == TL_LQN_PS && isdigit((unsigned char)*r->word))
		return decimal(r, "the quantum of the processor", &quantum);
	return true;
}

/* What both processors and tasks may have: m COPIES, i, r REPLICAS. */
static bool multiplicity(struct reader *r, uint32_t *servers, bool *known)
{
	uint32_t replicas;

	*known = true;
	if (is(r, "m"))
		return next(r), count(r, "the multiplicity after m", servers);
	if (is(r, "i")) {
		*servers = TL_LQN_UNLIMITED;
		return next(r), true;
	}
	*known = is(r, "r");
	if (!*known)
		return true;
	next(r);
	if (is(r, "1"))
		return count(r, "the replicas after r", &replicas);
	return fault(r, "the replicas after r must be 1",
		     "write each replica as a thing of its own"), false;
}

static bool processor_options(struct reader *r, struct tl_lqn_processor *p)
{
	bool good = true, known = true;

	while (good && known) {
		good = multiplicity(r, &p->servers, &known);
		if (good && !known && is(r, "R")) {
			known = true;
			next(r);
			good = decimal(r, "the speed after R", &p->speed);
			if (good && !(p->speed >= 1e-9 && p->speed <= 1e9)) {
				tl_faults_add(r->draft->faults, p->line, "the speed of processor \"%s\" is "
					      "%g: give one above 0, such as 1", p->name, p->speed);
				p->speed = 1;
			}
		}
	}
	if (p->servers == TL_LQN_UNLIMITED)
		p->discipline = TL_LQN_DELAY;
	return good;
}

static bool processor(struct reader *r)
{
	size_t line = r->word_line, index;
	struct tl_lqn_processor *p;

	next(r);
	index = tl_draft_processor(r->draft, r->word, line);
	if (index == TL_LQN_NONE)
		return false;
	p = &r->draft->lqn->processor[index];
	next(r);
	return discipline(r, p) && processor_options(r, p);
}

/* ---- tasks -------------------------------------------------------------------- */

static bool task_kind(struct reader *r, struct tl_lqn_task *task)
{
	if (is(r, "r"))
		task->reference = true;
	else if (is(r, "i"))
		task->threads = TL_LQN_UNLIMITED;
	else if (!is(r, "n") && !is(r, "f"))
		return fault(r, "a task's kind is r, n, f or i", "others are not known: give r for "
			     "customers, n for servers, i for servers without limit"), false;
	next(r);
	return true;
}

static bool task_entries(struct reader *r, size_t task)
{
	bool good = true;

	for (; *r->word && !is(r, "-1"); next(r))
		good = tl_draft_entry(r->draft, task, r->word, r->word_line) != TL_LQN_NONE &&
		       good;
	if (!is(r, "-1"))
		return fault(r, "the -1 that ends the list of entries", "add it"), false;
	next(r);
	return good;
}

/* Options that are refused have a reason; those that change nothing here are read. */
static bool task_option(struct reader *r, struct tl_lqn_task *task, bool *known)
{
	uint32_t priority;
	bool good = multiplicity(r, &task->threads, known);

	if (*known)
		return good;
	*known = true;
	if (is(r, "z"))
		return next(r), decimal(r, "the think time after z", &task->think_s);
	if (is(r, "q") || is(r, "g") || is(r, "T"))
		return fault(r, "a task's options are z, m, i, r and a priority", "queues of limited "
			     "length, groups and tokens are not known: leave it out"), false;
	if (is(r, "0"))
		return next(r), true;
	*known = isdigit((unsigned char)*r->word);
	return !*known || count(r, "the priority", &priority);
}

static bool task(struct reader *r)
{
	size_t line = r->word_line, index;
	bool good, known = true;

	next(r);
	index = tl_draft_task(r->draft, r->word, line);
	if (index == TL_LQN_NONE)
		return false;
	next(r);
	good = task_kind(r, &r->draft->lqn->task[index]);
	good = good && task_entries(r, index);
	if (!good || at_end(r)) {
		if (good)
			fault(r, "the name of a processor", "add it");
		return false;
	}
	tl_draft_runs_on(r->draft, index, r->word);
	next(r);
	while (good && known)
		good = task_option(r, &r->draft->lqn->task[index], &known);
	return good;
}

/* ---- entries ------------------------------------------------------------------ */

/* A value for each phase, and -1. Return: how many, or -1 after a fault. */
static int phases(struct reader *r, const char *what, double *value)
{
	double more = 0;
	int n = 0;

	for (; !is(r, "-1"); n++) {
		if (!decimal(r, n ? "a number or the -1 that ends them" : what,
			     n < TL_LQN_PHASES ? &value[n] : &more))
			return -1;
		if (more == 0)
			continue;
		tl_faults_add(r->draft->faults, r->word_line,
			      "a third phase: two are known, add what it does to the second");
		return -1;
	}
	if (!n) {
		tl_faults_add(r->draft->faults, r->word_line, "%s is missing before -1: give a "
			      "number, not below 0", what);
		return -1;
	}
	next(r);
	return n < TL_LQN_PHASES ? n : TL_LQN_PHASES;
}

static bool numbers(struct reader *r, enum tl_draft_number what, size_t entry)
{
	static const char *const names[TL_DRAFT_NUMBERS] = {
		"the service time", "the squared coefficient of variation", "the think time",
		"the order of calls",
	};
	size_t line = r->word_line;
	double value[TL_LQN_PHASES];
	int n = phases(r, names[what], value), i;

	for (i = 0; i < n; i++)
		tl_draft_number(r->draft, what, entry, (size_t)i, value[i], line);
	return n >= 0;
}

/* There are files with and without a -1 after it; what ends the section is on a later line. */
static bool forward_value(struct reader *r, double *value)
{
	size_t line = r->word_line;

	if (!decimal(r, "the probability to forward", value))
		return false;
	if (is(r, "-1") && r->word_line == line)
		next(r);
	return true;
}

static bool calls(struct reader *r, enum tl_lqn_kind kind, size_t entry)
{
	struct tl_draft_call call = { kind, entry, 0, NULL, 0, r->word_line };
	double value[TL_LQN_PHASES];
	char to[WORD_BYTES_MAX];
	int n = 1;

	strcpy(to, r->word);
	call.to = to;
	next(r);
	if (kind != TL_LQN_FORWARD)
		n = phases(r, "the number of calls", value);
	else if (!forward_value(r, value))
		return false;
	for (; (int)call.phase < n; call.phase++) {
		call.mean = value[call.phase];
		tl_draft_call(r->draft, &call);
	}
	return n >= 0;
}

static bool arrivals(struct reader *r, size_t entry)
{
	size_t line = r->word_line;
	double rate;

	if (!decimal(r, "the arrival rate", &rate))
		return false;
	tl_draft_arrivals(r->draft, entry, rate, line);
	return true;
}

/* What is there for other solvers' sake, and changes nothing here. */
static bool ignored(struct reader *r, char key, size_t line)
{
	double value[TL_LQN_PHASES];

	if (key == 'H') {
		record_skip(r, line);
		return true;
	}
	if (key == 'M')
		return phases(r, "the greatest service time", value) >= 0;
	return decimal(r, "the priority", value);
}

static bool entry_record(struct reader *r, char key, size_t entry, size_t line)
{
	switch (key) {
	case 's':
		return numbers(r, TL_DRAFT_DEMAND, entry);
	case 'c':
		return numbers(r, TL_DRAFT_CV2, entry);
	case 'Z':
		return numbers(r, TL_DRAFT_THINK, entry);
	case 'f':
		return numbers(r, TL_DRAFT_EXACT, entry);
	case 'y':
		return calls(r, TL_LQN_SYNC, entry);
	case 'z':
		return calls(r, TL_LQN_ASYNC, entry);
	case 'F':
		return calls(r, TL_LQN_FORWARD, entry);
	case 'a':
		return arrivals(r, entry);
	default:
		return ignored(r, key, line);
	}
}

static bool entry(struct reader *r)
{
	char key = r->word[1] || r->quoted ? '\0' : r->word[0];
	size_t line = r->word_line, index;

	if (key && strchr("APVRUWX", key))
		return fault(r, "a record of an entry is s, c, f, Z, y, z, F or a",
			     "activities, semaphores and locks are not known: describe the entry by "
			     "phases"), false;
	if (!key || !strchr("scZfyzFaHMp", key))
		return fault(r, "a record of an entry is s, c, f, Z, y, z, F or a",
			     "mend it; -1 ends the section"), false;
	next(r);
	index = tl_draft_find_entry(r->draft, r->word, r->word_line);
	if (index == TL_LQN_NONE)
		return false;
	next(r);
	return entry_record(r, key, index, line);
}

/* ---- sections ----------------------------------------------------------------- */

/* Records of a section, up to its -1. */
static void records(struct reader *r, const char *key, bool (*record)(struct reader *r))
{
	size_t line;
	double n;

	next(r);
	decimal(r, "the number of records, or 0", &n);
	while (!at_end(r) && !is(r, "-1")) {
		line = r->word_line;
		if (key && !is(r, key)) {
			fault(r, *key == 'p' ? "a record of a processor begins with p" :
					       "a record of a task begins with t",
			      *key == 'p' ? "mend it; -1 ends the section" :
					    "replicas' I and O are not known; -1 ends the section");
			record_skip(r, line);
		} else if (!record(r)) {
			record_skip(r, line);
		}
	}
	if (!is(r, "-1"))
		fault(r, "the -1 that ends the section", "add it");
	next(r);
}

/* Title, and numbers for solvers that go step by step. */
static void general(struct reader *r)
{
	double number;

	next(r);
	if (r->quoted) {
		free(r->draft->lqn->title);
		r->draft->lqn->title = strdup(r->word);
		next(r);
	}
	while (!at_end(r) && !is(r, "-1")) {
		if (!decimal(r, "a number of the section G, or the -1 that ends it", &number))
			break;
	}
	if (is(r, "-1"))
		next(r);
	else
		record_skip(r, r->word_line);
}

/* Up to the -1 that ends it: what is in it needs no fault of its own. */
static void section_skip(struct reader *r)
{
	while (!at_end(r) && !is(r, "-1"))
		next(r);
	next(r);
}

static void section_unknown(struct reader *r)
{
	static const char known[] = "activities, groups, variables and experiments are not known: "
				    "leave them out";
	bool letter = is(r, "A") || is(r, "U") || is(r, "R") || is(r, "C");

	if (letter || *r->word == '$')
		fault(r, "a section is G, P, T or E", known);
	else
		fault(r, "a section begins with G, P, T or E", "mend it; is a -1 too many above?");
	if (letter)
		section_skip(r);
	else
		record_skip(r, r->word_line);
}

static void section(struct reader *r)
{
	if (is(r, "G"))
		general(r);
	else if (is(r, "P"))
		records(r, "p", processor);
	else if (is(r, "T"))
		records(r, "t", task);
	else if (is(r, "E"))
		records(r, NULL, entry);
	else
		section_unknown(r);
}

/**
 * tl_lqn_text() - Read a network in the LQN text format
 * @draft: where it goes
 * @text: the file
 * @len: its length
 */
void tl_lqn_text(struct tl_draft *draft, const char *text, size_t len)
{
	struct reader r = { .draft = draft, .at = text, .end = text + len, .line = 1 };

	if (memchr(text, '\0', len)) {
		tl_faults_add(draft->faults, 0, "a NUL byte: is this a model in the LQN text "
			      "format? Give one");
		return;
	}
	next(&r);
	while (!at_end(&r))
		section(&r);
}
