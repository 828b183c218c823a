// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Layered queueing networks from text and XML: what a good one is read as, a sentence with
 * the line for each fault, the same network from both formats, and files with bytes
 * changed, cut and doubled, of which none may harm. LQN_MUTANTS: how many of those (4000).
 */
#include "damage.h"
#include "tap.h"

#include "lqn-read.h"
#include "model/lqn-simulate.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char good_text[] =
	"# a shop\n"
	"#pragma multiserver=conway\n"
	"G \"shop # 1\" 1e-5 50 5 0.9 -1\n"
	"P 3\n"
	"  p users f i\n"
	"  p web s 0.1 m 2\n"
	"  p db f R 2\n"
	"-1\n"
	"T 0\n"
	"  t Users r u1 -1 users z 7 m 50\n"
	"  t Web n w1 w2 -1 web 3 m 20\n"
	"  t Db f d1 d2 -1 db\n"
	"  t Log n l1 -1 db m @infinity\n"
	"-1\n"
	"E 0\n"
	"  s u1 0 -1 y u1 w1 0.7 -1\n"
	"  y u1 w2 0.3 -1\n"
	"  s w1 0.02 0.005 -1\n"
	"  c w1 2 0.5 -1\n"
	"  y w1 d1 2 0 -1\n"
	"  z w1 l1 0 1 -1\n"
	"  H w1 1 0:30 30\n"
	"  M w1 74 -1\n"
	"  p w1 2\n"
	"  s w2\n   0.05 # on the next line\n   -1\n"
	"  f w2 1 -1 y w2 d1 3 -1 Z w2 0.25 -1\n"
	"  a w2 0.125\n"
	"  s d1 0.01 -1\n"
	"  F d1 d2 0.5 -1\n"
	"  s d2 0.02 -1\n"
	"  s l1 0.001 -1\n"
	"-1\n";

#define PHASES(n, activities) \
	"<entry name='" n "' type='PH1PH2'><entry-phase-activities>" activities \
	"</entry-phase-activities></entry>"

static const char good_xml[] =
	"<?xml version='1.0'?>\n"
	"<lqn-model name='shop' description='shop # 1' xmlns:xsi='urn:x'>\n"
	"<solver-params comment='x'><pragma param='a' value='b'/></solver-params>\n"
	"<processor name='users' scheduling='inf'>\n"
	"<task name='Users' scheduling='ref' multiplicity='50' think-time='7'>\n"
	PHASES("u1", "<activity name='a' phase='1' host-demand-mean='0'>"
		     "<synch-call dest='w1' calls-mean='0.7'><result-call waiting='1'/></synch-call>"
		     "<synch-call dest='w2' calls-mean='0.3'/></activity>")
	"</task></processor>\n"
	"<processor name='web' scheduling='ps' quantum='0.1' multiplicity='2'>"
	"<result-processor utilization='0.3'/>\n"
	"<task name='Web' multiplicity='20' priority='3'>\n"
	PHASES("w1", "<activity name='a' phase='1' host-demand-mean='0.02' host-demand-cvsq='2' "
		     "max-service-time='74'><synch-call dest='d1' calls-mean='2'/></activity>\n"
		     "<activity name='b' phase='2' host-demand-mean='0.005' "
		     "host-demand-cvsq='0.5'><asynch-call dest='l1' calls-mean='1'/></activity>")
	"<entry name='w2' type='PH1PH2' open-arrival-rate='0.125'><entry-phase-activities>"
	"<activity name='a' phase='1' host-demand-mean='0.05' call-order='DETERMINISTIC' "
	"think-time='0.25'><synch-call dest='d1' calls-mean='3'/></activity>"
	"</entry-phase-activities></entry></task></processor>\n"
	"<processor name='db' scheduling='fcfs' speed-factor='2'><task name='Db'>\n"
	"<entry name='d1' type='PH1PH2'><forwarding dest='d2' prob='0.5'/>"
	"<entry-phase-activities><activity name='a' phase='1' host-demand-mean='0.01'/>"
	"</entry-phase-activities></entry>\n"
	PHASES("d2", "<activity name='a' phase='1' host-demand-mean='0.02'/>")
	"</task>\n<task name='Log' multiplicity='@infinity'>"
	PHASES("l1", "<activity name='a' phase='1' host-demand-mean='0.001'/>")
	"</task></processor>\n</lqn-model>\n";

struct read {
	struct tl_lqn lqn;
	struct tl_faults faults;
	int code;
};

static void read_text(struct read *r, const char *text, size_t len, bool xml)
{
	*r = (struct read){ .faults = { .file = "m" } };
	r->code = tl_lqn_parse(&r->lqn, text, len, xml, &r->faults);
}

static void read_free(struct read *r)
{
	tl_faults_free(&r->faults);
	tl_lqn_free(&r->lqn);
}

/* The whole network in words, so that two can be compared. */
static char *described(const struct tl_lqn *lqn)
{
	char *text = NULL;
	size_t len, i, p, k;
	FILE *to = open_memstream(&text, &len);

	for (i = 0; i < lqn->processors; i++)
		fprintf(to, "%s %d %u %g\n", lqn->processor[i].name, lqn->processor[i].discipline,
			lqn->processor[i].servers, lqn->processor[i].speed);
	for (i = 0; i < lqn->tasks; i++)
		fprintf(to, "%s %d %u %zu %g %zu %zu\n", lqn->task[i].name, lqn->task[i].reference,
			lqn->task[i].threads, lqn->task[i].processor, lqn->task[i].think_s,
			lqn->task[i].first_entry, lqn->task[i].entries);
	for (i = 0; i < lqn->entries; i++) {
		const struct tl_lqn_entry *e = &lqn->entry[i];

		fprintf(to, "%s %zu %g", e->name, e->task, e->arrivals_per_s);
		for (p = 0; p < TL_LQN_PHASES; p++)
			fprintf(to, " %g %g %g %d %g %zu", e->phase[p].demand_s, e->phase[p].cv2,
				e->phase[p].think_s, e->phase[p].exact, e->phase[p].calls_mean,
				e->phase[p].calls);
		for (k = e->phase[0].first_call; k < e->first_forward + e->forwards; k++)
			fprintf(to, " %d:%zu:%g", lqn->call[k].kind, lqn->call[k].to,
				lqn->call[k].mean);
		fputc('\n', to);
	}
	fclose(to);
	return text;
}

static const char good_described[] =
	"users 2 4294967295 1\nweb 1 2 1\ndb 0 1 2\n"
	"Users 1 50 0 7 0 1\nWeb 0 20 1 0 1 2\nDb 0 1 2 0 3 2\nLog 0 4294967295 2 0 5 1\n"
	"u1 0 0 0 1 0 0 1 2 0 1 0 0 0 0 0:1:0.7 0:2:0.3\n"
	"w1 1 0 0.02 2 0 0 2 1 0.005 0.5 0 0 1 1 0:3:2 1:5:1\n"
	"w2 1 0.125 0.05 1 0.25 1 3 1 0 1 0 0 0 0 0:3:3\n"
	"d1 2 0 0.01 1 0 0 0 0 0 1 0 0 0 0 2:4:0.5\n"
	"d2 2 0 0.02 1 0 0 0 0 0 1 0 0 0 0\n"
	"l1 3 0 0.001 1 0 0 0 0 0 1 0 0 0 0\n";

static void test_good(const char *name, const char *text, bool xml)
{
	struct read r;
	char *words;

	read_text(&r, text, strlen(text), xml);
	ok(!r.code && !r.faults.notes, "%s: read without faults and notes: %s", name,
	   r.faults.faults ? r.faults.fault[0] : r.faults.notes ? r.faults.note[0] : "");
	words = described(&r.lqn);
	if (!ok(!strcmp(words, good_described), "%s: is what it says", name))
		printf("# got:\n%s# expected:\n%s", words, good_described);
	ok(r.lqn.title && !strcmp(r.lqn.title, "shop # 1"), "%s: its title", name);
	free(words);
	read_free(&r);
}

/* ---- faults ------------------------------------------------------------------- */

/* The beginning of a network with a customer, and what may follow. */
#define HEAD "P 0\np c f\n-1\nT 0\nt U r u -1 c z 1\nt S n s1 s2 -1 c\n-1\n"
#define BODY "E 0\ns u 1 -1\ny u s1 1 -1\ny u s2 1 -1\ns s1 1 -1\ns s2 1 -1\n"

struct wrong {
	const char *text, *sentence;
};

static const struct wrong wrong_text[] = {
	{ "", "m: nothing asks for anything: add a reference task" },
	{ "X\n", "m:1: a section begins with G, P, T or E, not \"X\"" },
	{ "P 0\np c f\n", "m:3: the file ends where there should be the -1 that ends the section" },
	{ "P 0\np c q\n-1\n", "m:2: a processor's discipline is f, s or i, not \"q\"" },
	{ "P 0\np c h\n-1\n", "m:2: a processor's discipline is f, s or i, not \"h\"" },
	{ "P 0\np c f m 0\n-1\n", "m:2: the multiplicity after m, not \"0\": give a whole" },
	{ "P 0\np c f m 1.5\n-1\n", "m:2: the multiplicity after m, not \"1.5\"" },
	{ "P 0\np c f m $n\n-1\n", "not \"$n\": variables are not followed" },
	{ "P 0\np c f r 2\n-1\n", "m:2: the replicas after r must be 1, not \"2\"" },
	{ "P 0\np c f R 0\n-1\n", "m:2: the speed of processor \"c\" is 0: give one above 0" },
	{ "P 0\np c f R nan\n-1\n", "m:2: the speed after R, not \"nan\"" },
	{ "P 0\np c f\np c f\n-1\n", "m:3: processor \"c\" is there twice" },
	{ "P 0\np\xff f\n-1\n", "m:2: a record of a processor begins with p" },
	{ "P 0\np \xff\xfe f\n-1\n", "has a name that is not UTF-8" },
	{ "U 0\ng x 1 c\n-1\n", "m:1: a section is G, P, T or E, not \"U\": activities, groups" },
	{ "$n = 3\n", "m:1: a section is G, P, T or E, not \"$n\"" },
	{ "T 0\nt U r u -1 c z 1\n-1\nE 0\ns u 1 -1\n-1\n", "m:2: there is no processor \"c\"" },
	{ "T 0\nt U q u -1 c z 1\n-1\n", "m:2: a task's kind is r, n, f or i, not \"q\"" },
	{ "T 0\nt U r u u -1 c z 1\n-1\n", "m:2: entry \"u\" is there twice" },
	{ "T 0\nt U r u -1 c z 1\nt U r v -1 c\n-1\n", "m:3: task \"U\" is there twice" },
	{ "P 0\np c f\n-1\nT 0\nt U r u -1 c z -2\n-1\n",
	  "m:5: the think time of task \"U\" is -2: give a number from 0" },
	{ "T 0\nt U r u -1 c q 5\n-1\n", "m:2: a task's options are z, m, i, r and a priority, not "
	  "\"q\"" },
	{ "T 0\nt U r u", "m:2: the file ends where there should be the -1 that ends the list" },
	{ "T 0\nt U r u -1", "m:2: the file ends where there should be the name of a processor" },
	{ "T 0\nt U n -1 c\n-1\nP 0\np c f\n-1\n", "m:2: task \"U\" has no entry" },
	{ "T 0\nI a b 2\n-1\n", "m:2: a record of a task begins with t, not \"I\": replicas" },
	{ HEAD "E 0\ns u -1 -1\n-1\n", "m:9: the service time is missing before -1" },
	{ HEAD "E 0\ns u -5 -1\n-1\n", "m:9: demand is -5: give a number from 0" },
	{ HEAD "E 0\ns u 1e300 -1\n-1\n", "m:9: demand is 1e+300" },
	{ HEAD "E 0\ns u 0x10 -1\n-1\n", "m:9: the service time, not \"0x10\"" },
	{ HEAD "E 0\ns u 1e-310 -1\n-1\n", "m:9: the service time, not \"1e-310\"" },
	{ HEAD "E 0\ns u 1\ny u s1 1 -1\n-1\n", "m:10: a number or the -1 that ends them, not \"y\"" },
	{ HEAD "E 0\ns u 1 2 3 -1\n-1\n", "m:9: a third phase: two are known" },
	{ HEAD BODY "s u 2 -1\n-1\n", "m:14: the demand of entry \"u\" is given twice" },
	{ HEAD BODY "s x 2 -1\n-1\n", "m:14: there is no entry \"x\"" },
	{ HEAD BODY "y s1 x 2 -1\n-1\n", "m:14: there is no entry \"x\"" },
	{ HEAD BODY "y u s1 2 -1\n-1\n", "m:14: the calls from \"u\" to \"s1\" are given twice" },
	{ HEAD BODY "y s1 s2 -2 -1\n-1\n", "m:14: number of calls is -2" },
	{ HEAD BODY "y s1 u 1 -1\n-1\n", "m:14: entry \"u\" of a reference task is called" },
	{ HEAD BODY "y s1 s2 1 -1\ny s2 s1 1 -1\n-1\n", "the calls of entry \"s" },
	{ HEAD BODY "y s1 s1 1 -1\n-1\n", "m:6: the calls of entry \"s1\" come back to it" },
	{ HEAD BODY "y s2 s2 1 -1\ny s2 s1 1 -1\n-1\n", "m:6: the calls of entry \"s2\" come back" },
	{ HEAD BODY "F s1 s2 1.5 -1\n-1\n", "m:6: entry \"s1\" forwards with probability 1.5" },
	{ HEAD BODY "F s1 s2 0.5\n-1\nX\n", "m:16: a section begins with" },
	{ HEAD BODY "F u s2 0.5\n-1\n", "m:5: entry \"u\" of a reference task forwards" },
	{ HEAD BODY "a u 1\n-1\n", "m:5: entry \"u\" of a reference task has arrivals" },
	{ HEAD BODY "a s1 -1\n-1\n", "m:14: open arrival rate is -1" },
	{ HEAD BODY "a s1 1\na s1 1\n-1\n", "m:15: the arrivals at entry \"s1\" are given twice" },
	{ HEAD BODY "f s1 2 -1\n-1\n", "m:14: the order of calls is 2: give 0" },
	{ HEAD BODY "f s1 1 -1\ny s1 s2 1.5 -1\n-1\n", "m:15: entry \"s1\" calls \"s2\" exactly 1.5 "
	  "times" },
	{ HEAD BODY "A s1 act\n-1\n", "m:14: a record of an entry is s, c, f, Z, y, z, F or a, not "
	  "\"A\": activities" },
	{ HEAD BODY "-1\nA S\ns act 1\n:\nact[s1]\n-1\n", "m:15: a section is G, P, T or E, not \"A\"" },
	{ "P 0\np c i\n-1\nT 0\nt U r u -1 c\n-1\nE 0\ns u 0 -1\n-1\n",
	  "m:5: customers of \"U\" neither think nor need any time" },
	{ "P 0\np c i\n-1\nT 0\nt U r u v -1 c z 1\n-1\n", "m:5: reference task \"U\" has 2 entries" },
	{ "P 0\np c i\n-1\nT 0\nt U r u -1 c z 1 i\n-1\n",
	  "m:5: reference task \"U\" has customers without limit" },
	{ "P 0\np c i\n-1\nT 0\nt S n s1 -1 c z 1\n-1\nE 0\na s1 1\ns s1 1 -1\n-1\n",
	  "m:5: task \"S\" has a think time and is no reference task" },
	{ "G \"shop\nP 0\n", "m:1: a quote is not closed" },
	{ "P 0\np c f\n-1\n#", "m: nothing asks for anything" },
};

#define XML_HEAD "<lqn-model>\n<processor name='c'>\n"
#define XML_END "</processor></lqn-model>"
#define XML_ENTRY(inside) \
	XML_HEAD "<task name='S'><entry name='s1' type='PH1PH2' open-arrival-rate='1'>\n" inside \
	"</entry></task>" XML_END
#define XML_PHASE(attributes, inside) \
	XML_ENTRY("<entry-phase-activities><activity name='a' " attributes ">" inside \
		  "</activity></entry-phase-activities>")

static const struct wrong wrong_xml[] = {
	{ "", "m:1: column 1: this is no XML (no element found)" },
	{ "<lqn-model>", "this is no XML" },
	{ "<svg/>", "m:1: <svg> is no model: give one whose first element is <lqn-model>" },
	{ "<!DOCTYPE a [<!ENTITY x 'y'>]><lqn-model>&x;</lqn-model>", "m:1: a document type" },
	{ "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><lqn-model/>", "m:1: a document type" },
	{ "<lqn-model>&x;</lqn-model>", "this is no XML (undefined entity)" },
	{ "<lqn-model/>", "m: nothing asks for anything" },
	{ "<lqn-model><task name='x'/></lqn-model>", "m:1: <task> does not belong into <lqn-model>" },
	{ "<lqn-model><procesor name='x'/></lqn-model>", "m:1: <procesor> does not belong into" },
	{ "<lqn-model><processor/></lqn-model>", "m:1: <processor> has no name" },
	{ "<lqn-model><processor name=''><task name='S'><entry name='s1' open-arrival-rate='1'/></task>"
	  "</processor></lqn-model>", "m:1: <processor> has no name" },
	{ XML_HEAD "<processor name='d'/>" XML_END, "m:3: <processor> does not belong" },
	{ "<lqn-model><processor name='c' scheduling='hol'/></lqn-model>", "scheduling is \"hol\"" },
	{ "<lqn-model><processor name='c' multiplicity='-2'/></lqn-model>",
	  "multiplicity is \"-2\": give a whole number" },
	{ "<lqn-model><processor name='c' multiplicity='$n'/></lqn-model>", "variables are not" },
	{ "<lqn-model><processor name='c' speed-factor='0'/></lqn-model>", "speed-factor is \"0\"" },
	{ "<lqn-model><processor name='c' replication='2'/></lqn-model>", "replication is \"2\"" },
	{ XML_HEAD "<group name='g'><task name='S'/></group>" XML_END, "m:3: <group>: groups are not" },
	{ XML_HEAD "<task name='S' scheduling='poll'/>" XML_END, "m:3: scheduling is \"poll\"" },
	{ XML_HEAD "<task name='S'><task-activities><activity name='a'/></task-activities></task>"
	  XML_END, "m:3: <task-activities>: activity graphs are not known" },
	{ XML_HEAD "<task name='S' queue-length='3'/>" XML_END, "m:3: queue-length is \"3\"" },
	{ XML_HEAD "<task name='S'/>" XML_END, "m:3: task \"S\" has no entry" },
	{ XML_HEAD "<task name='S'><entry name='e' type='NONE'/></task>" XML_END, "type is \"NONE\"" },
	{ XML_PHASE("phase='3'", ""), "m:4: phase is \"3\": give 1 or 2" },
	{ XML_PHASE("host-demand-mean='1'", ""), "m:4: <activity> has no phase" },
	{ XML_PHASE("phase='1' host-demand-mean='-1'", ""), "m:4: demand is -1" },
	{ XML_PHASE("phase='1' host-demand-mean='1,5'", ""), "m:4: host-demand-mean is \"1,5\"" },
	{ XML_PHASE("phase='1' call-order='LIST'", ""), "m:4: call-order is \"LIST\"" },
	{ XML_PHASE("phase='1'", "<synch-call calls-mean='1'/>"), "<synch-call> has no dest" },
	{ XML_PHASE("phase='1'", "<synch-call dest='x'/>"), "<synch-call> has no calls-mean" },
	{ XML_PHASE("phase='1'", "<synch-call dest='x' calls-mean='1'/>"), "there is no entry \"x\"" },
	{ XML_PHASE("phase='1'", "<sync-call dest='x' calls-mean='1'/>"), "<sync-call> does not" },
	{ XML_ENTRY("<forwarding dest='x'/>"), "<forwarding> has no prob" },
};

static void test_wrong(const struct wrong *wrong, bool xml)
{
	struct read r;
	size_t i, n = 0;

	read_text(&r, wrong->text, strlen(wrong->text), xml);
	for (i = 0; i < tl_faults_kept(r.faults.faults); i++)
		n += strstr(r.faults.fault[i], wrong->sentence) != NULL;
	if (!ok(r.code && n, "%s", wrong->sentence))
		for (i = 0; i < tl_faults_kept(r.faults.faults); i++)
			printf("# %s\n", r.faults.fault[i]);
	read_free(&r);
}

static const struct wrong notes[] = {
	{ HEAD BODY "-1\n", "" },
	{ "P 0\np c f\n-1\nT 0\nt U r u -1 c\n-1\nE 0\ns u 1 -1\n-1\n",
	  "m:5: reference task \"U\" has no think time" },
	{ HEAD "E 0\ns u 1 -1\ny u s1 1 -1\ns s1 1 -1\ns s2 1 -1\n-1\n",
	  "m:6: entry \"s2\" cannot be reached" },
	{ HEAD "E 0\ns u 1 -1\ny u s1 1 -1\ny u s2 1 -1\ns s1 1 -1\ns s2 0 -1\n-1\n",
	  "m:6: entry \"s2\" has no demand and no calls" },
	{ HEAD BODY "y s1 s2 1 -1\n-1\n", "m:6: requests come back to a task whose threads they hold" },
	{ HEAD BODY "z s1 s2 1 -1\n-1\n", "" },
	{ HEAD BODY "F s1 s2 1 -1\n-1\n", "" }, /* its own thread is free when it has forwarded */
};

static void test_note(const struct wrong *note)
{
	struct read r;

	read_text(&r, note->text, strlen(note->text), false);
	ok(!r.code && r.faults.notes == (*note->sentence ? 1 : 0) &&
	   (!r.faults.notes || strstr(r.faults.note[0], note->sentence)),
	   "a note: \"%s\": \"%s\"", note->sentence, r.faults.notes ? r.faults.note[0] : "");
	read_free(&r);
}

/* ---- files that were damaged -------------------------------------------------- */

static const char *const pieces[] = {
	"-1", "1e308", "-", "\"", "#", "$x", " t ", " i ", " 4294967296 ", "<", "&#x41;", "<!--", "]]>",
	"u1", "w1", " y d1 w1 1 -1\n", "\xc3", "=''", "/>", "<task name='U'>", "0", "99999999999",
};

/* What is sound can be simulated, whatever it is: no figure that is none comes of it. */
static bool harmless(const struct read *r)
{
	struct tl_lqn_simulate_in in = { .lqn = &r->lqn, .confidence = 0.95, .steps_max = 3000 };
	struct tl_lqn_simulate_out out;
	bool finite = true;
	size_t i;
	int code = tl_lqn_simulate(&in, &out);

	for (i = 0; !code && i < r->lqn.entries; i++)
		finite = finite && isfinite(out.solution.value.entry[i].throughput_per_s) &&
			 isfinite(out.solution.half95.entry[i].throughput_per_s);
	for (i = 0; !code && i < r->lqn.processors; i++)
		finite = finite && isfinite(out.solution.value.processor[i]);
	finite = finite && isfinite(out.solution.residual);
	tl_lqn_solution_free(&out.solution);
	return finite;
}

static void test_damaged(const char *name, const char *text, bool xml, unsigned int mutants)
{
	size_t room = 3 * strlen(text), len, i, sound = 0, silent = 0, bad = 0;
	unsigned int n;

	for (n = 0; n < mutants; n++) {
		/* As large as it has to be, so that what is read behind it is seen. */
		char *work = malloc(room + 1), *exact;
		struct read r;

		len = strlen(text);
		memcpy(work, text, len);
		for (i = damage_below(4) + 1; i > 0; i--)
			len = damage(work, len, room, pieces,
				     sizeof(pieces) / sizeof(*pieces));
		exact = malloc(len + 1);
		memcpy(exact, work, len);
		exact[len] = '\0';
		read_text(&r, exact, len, xml);
		sound += !r.code;
		silent += r.code && !r.faults.faults;
		bad += !r.code && !harmless(&r);
		read_free(&r);
		free(exact);
		free(work);
	}
	ok(!silent && !bad && sound > mutants / 100 && sound < mutants,
	   "%s: %u damaged files: %zu still sound, %zu refused without a sentence, %zu with figures "
	   "that are none", name, mutants, sound, silent, bad);
}

int main(void)
{
	const char *mutants = getenv("LQN_MUTANTS");
	unsigned int n = mutants ? (unsigned int)atoi(mutants) : 4000;
	size_t i;

	gsl_set_error_handler_off();
	alarm(60 + n / 100); /* who never comes back has failed */
	test_good("text", good_text, false);
	test_good("XML", good_xml, true);
	for (i = 0; i < sizeof(wrong_text) / sizeof(*wrong_text); i++)
		test_wrong(&wrong_text[i], false);
	for (i = 0; i < sizeof(wrong_xml) / sizeof(*wrong_xml); i++)
		test_wrong(&wrong_xml[i], true);
	for (i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		test_note(&notes[i]);
	test_damaged("text", good_text, false, n);
	test_damaged("XML", good_xml, true, n);
	return done();
}
