// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Changes of a layered queueing network in words: what they do, a sentence for each wrong
 * one, and words that are damaged, of which none may harm. With it, what a model says of
 * the loads that it was measured with. LQN_MUTANTS: how many damaged words (4000).
 */
#include "tap.h"

#include "error.h"
#include "lqn-read.h"
#include "lqn-set.h"
#include "model/lqn.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char model[] =
	"P 0\np out i\np web s\np db f m 2\n-1\n"
	"T 0\nt Users r u -1 out z 7 m 50\nt App n page buy -1 web m 20\nt Log n log -1 web i\n"
	"t db n q r.1 -1 db m 8\n-1\n"
	"E 0\ny u page 1 -1\ns page 0.02 0.01 -1\ny page q 2 -1\ns buy 0.05 -1\ny buy r.1 1 -1\n"
	"s q 0.01 -1\ns r.1 0.03 -1\ns log 0.001 -1\na log 3\n-1\n";

enum { OUT, WEB, DB };
enum { USERS, APP, LOG, DB_TASK };
enum { U, PAGE, BUY, LOG_E, Q, R1 };

static bool read_model(struct tl_lqn *lqn, const char *text, bool xml, char *fault, size_t size)
{
	struct tl_faults faults = { .file = "m" };
	bool good = !tl_lqn_parse(lqn, text, strlen(text), xml, &faults);

	snprintf(fault, size, "%s", faults.faults ? faults.fault[0] : "");
	tl_faults_free(&faults);
	return good;
}

static double value_of(const struct tl_lqn *l, int what, size_t i)
{
	switch (what) {
	case 't':
		return l->task[i].threads;
	case 'z':
		return l->task[i].think_s;
	case 's':
		return l->processor[i].servers;
	case 'v':
		return l->processor[i].speed;
	case 'a':
		return l->entry[i].arrivals_per_s;
	case 'd':
		return l->entry[i].phase[0].demand_s;
	default:
		return l->entry[i].phase[1].demand_s;
	}
}

/* A change, and what is @value then: a letter of value_of() and an index. */
struct change {
	const char *text;
	int what;
	size_t of;
	double value;
};

static const struct change good[] = {
	{ "App.threads=5", 't', APP, 5 },
	{ "App.threads*=0.5", 't', APP, 10 },
	{ "App.threads=inf", 't', APP, TL_LQN_UNLIMITED },
	{ "Users.users=7", 't', USERS, 7 },
	{ "Users.users*=3", 't', USERS, 150 },
	{ "Users.think*=0.5", 'z', USERS, 3.5 },
	{ "web.servers=4", 's', WEB, 4 },
	{ "out.servers=4", 's', OUT, 4 },
	{ "db.speed=2.5", 'v', DB, 2.5 },
	{ "log.arrivals*=2", 'a', LOG_E, 6 },
	{ "db.demand*=0.7", 'd', R1, 0.021 },
	{ "db.demand*=0.7", 'd', Q, 0.007 },
	{ "db.demand*=0.7", 'd', PAGE, 0.02 },
	{ "web.demand*=2", 'd', LOG_E, 0.002 },
	{ "web.demand*=2", 'e', PAGE, 0.02 },
	{ "App.demand*=2", 'd', LOG_E, 0.001 },
	{ "App.demand*=2", 'd', BUY, 0.1 },
	{ "page.demand=0.06", 'd', PAGE, 0.04 },
	{ "page.demand=0.06", 'e', PAGE, 0.02 },
	{ "r.1.demand=5e-3", 'd', R1, 0.005 },
	{ "u.demand=0.1", 'd', U, 0.1 },
	{ "Log.demand=0.1", 'd', LOG_E, 0.1 },
};

static void test_good(const struct change *c)
{
	struct tl_lqn lqn = { 0 }, copy = { 0 };
	struct tl_error err = { "" };
	char fault[300];
	int code = -1;
	double is = 0, before = 0;

	if (read_model(&lqn, model, false, fault, sizeof(fault)) && !tl_lqn_copy(&copy, &lqn))
		code = tl_lqn_set(&copy, "m", &c->text, 1, &err);
	if (!code) {
		is = value_of(&copy, c->what, c->of);
		before = value_of(&lqn, c->what, c->of);
	}
	ok(!code && fabs(is - c->value) <= 1e-12 * c->value &&
	   (fabs(before - c->value) > 1e-12 || strstr(c->text, "db.demand") ||
	    strstr(c->text, "App.demand")),
	   "%s: %g, was %g %s%s", c->text, is, before, fault, err.text);
	tl_lqn_free(&copy);
	tl_lqn_free(&lqn);
}

static const struct {
	const char *text, *says;
} wrong[] = {
	{ "", "is no change: give NAME.WHAT=VALUE" },
	{ "=", "is no change" },
	{ ".threads=3", "is no change" },
	{ "App=3", "is no change" },
	{ "App.threads", "is no change" },
	{ "App.threads=", "\"\" is not a number from 0 on" },
	{ "App.threads=nan", "\"nan\" is not a number" },
	{ "App.threads=-3", "\"-3\" is not a number" },
	{ "App.threads*=inf", "\"inf\" is not a number" },
	{ "App.threads=2.5", "give a whole number from 1 to 1e9, or inf" },
	{ "App.threads=0", "give a whole number" },
	{ "App.threads*=1e300", "give a whole number" },
	{ "Log.threads*=2", "there is no limit to multiply" },
	{ "Users.users=inf", "give a whole number from 1 to 1e9" },
	{ "Users.threads=5", "no task has the name \"Users\": give one that has, the nearest are" },
	{ "Ap.threads=5", "no task has the name \"Ap\": give one that has, the nearest are \"App\"" },
	{ "APP.threads=5", "the nearest are \"App\"" },
	{ "App.users=5", "no reference task has the name \"App\": give one that has, the nearest is \"Users\"" },
	{ "wbe.servers=5", "the nearest are \"web\"" },
	{ "page.arrivals=5", "no entry with arrivals has the name \"page\": give one that has, the nearest is \"log\"" },
	{ "nobody.demand=5", "no processor or task or reference task or entry has the name" },
	{ "App.treads=5", "nothing has \"treads\": give threads of a task" },
	{ "db.demand=1", "it has several entries, or none: scale them" },
	{ "web.speed=0", "it would not be from 1e-09 to 1e+09" },
	{ "log.arrivals=0", "it would not be from" },
};

static void test_wrong(const char *text, const char *says)
{
	struct tl_error err = { "" };
	struct tl_lqn lqn = { 0 };
	char fault[300];
	int code = 0;

	if (read_model(&lqn, model, false, fault, sizeof(fault)))
		code = tl_lqn_set(&lqn, "m", &text, 1, &err);
	ok(code < 0 && strstr(err.text, says), "\"%s\": %s", text, err.text);
	tl_lqn_free(&lqn);
}

/* What is sound change by change need not be together. */
static void test_check(void)
{
	static const char *const changes[] = { "Users.think=0", "page.demand=0", "q.demand=0" };
	struct tl_error err = { "" };
	struct tl_lqn lqn = { 0 };
	char fault[300];
	int code = 0;

	if (read_model(&lqn, model, false, fault, sizeof(fault)))
		code = tl_lqn_set(&lqn, "shop.lqn", changes, 3, &err);
	ok(code < 0 && strstr(err.text, "shop.lqn:7: customers of \"Users\" neither think nor need"),
	   "the changed network is checked: %s", err.text);
	tl_lqn_free(&lqn);
}

/* ---- measured ----------------------------------------------------------------------- */

#define XML(value) \
	"<lqn-model><solver-params><pragma param='tierlens-measured' value='" value "'/>" \
	"<pragma param='x' value='y'/><result-general/></solver-params>" \
	"<processor name='p' scheduling='inf'><task name='t'><entry name='e' type='PH1PH2' " \
	"open-arrival-rate='1'><entry-phase-activities><activity name='a' phase='1' " \
	"host-demand-mean='0.1'/></entry-phase-activities></entry></task></processor></lqn-model>"
#define TEXT(pragma) \
	"P 0 # " pragma "\n" pragma "\np p i\n-1\nT 0\nt t n e -1 p\n-1\nE 0\na e 1\ns e 0.1 -1\n-1\n"

static void test_measured(const char *what, const char *text, bool xml, double low, double high,
			  const char *says)
{
	struct tl_lqn lqn = { 0 };
	char fault[300];
	bool is = read_model(&lqn, text, xml, fault, sizeof(fault));

	if (says)
		ok(!is && strstr(fault, says), "measured, %s: %s", what, fault);
	else
		ok(is && lqn.measured_per_s[0] == low && lqn.measured_per_s[1] == high,
		   "measured, %s: %g to %g %s", what, lqn.measured_per_s[0], lqn.measured_per_s[1],
		   fault);
	tl_lqn_free(&lqn);
}

static void test_all_measured(void)
{
	test_measured("text", TEXT("#pragma tierlens-measured=12.5:80"), false, 12.5, 80, NULL);
	test_measured("text, at the end of a line", TEXT("#pragma tierlens-measured=2:3 \t"), false, 2,
		      3, NULL);
	test_measured("text, another pragma", TEXT("#pragma measured=1:2"), false, 0, 0, NULL);
	test_measured("text, a comment", TEXT("# #pragma tierlens-measured=1:2"), false, 0, 0, NULL);
	test_measured("XML", XML("12.5:80"), true, 12.5, 80, NULL);
	test_measured("text, upside down", TEXT("#pragma tierlens-measured=80:12"), false, 0, 0,
		      "m:2: tierlens-measured is \"80:12\": give the least and the largest");
	test_measured("text, nothing", TEXT("#pragma tierlens-measured="), false, 0, 0,
		      "m:2: tierlens-measured is \"\"");
	test_measured("XML, one number", XML("5"), true, 0, 0, "tierlens-measured is \"5\"");
	test_measured("XML, none", XML("nan:inf"), true, 0, 0, "tierlens-measured is \"nan:inf\"");
}

/* ---- damaged words -------------------------------------------------------------------- */

static unsigned int below(unsigned int n)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned int)(state % n);
}

static void damage(char *text, size_t room)
{
	static const char bytes[] = "=.*0123456789einfx-+ \n\x1b\xff";
	size_t len = strlen(text), at = len ? below((unsigned int)len + 1) : 0;

	if (below(3) || len + 1 >= room) {
		if (at < len)
			text[at] = bytes[below(sizeof(bytes) - 1)];
	} else if (below(2)) {
		memmove(text + at + 1, text + at, len - at + 1);
		text[at] = bytes[below(sizeof(bytes) - 1)];
	} else if (at < len) {
		memmove(text + at, text + at + 1, len - at);
	}
}

static bool sound(const struct tl_lqn *lqn)
{
	bool is = true;
	size_t i;

	for (i = 0; i < lqn->tasks; i++)
		is = is && lqn->task[i].threads && isfinite(lqn->task[i].think_s);
	for (i = 0; i < lqn->entries; i++)
		is = is && isfinite(lqn->entry[i].phase[0].demand_s) &&
		     lqn->entry[i].phase[0].demand_s >= 0;
	return is;
}

static void test_damaged(unsigned int mutants)
{
	size_t n = sizeof(good) / sizeof(*good), done_well = 0, silent = 0, unsound = 0;
	unsigned int i, k;

	for (i = 0; i < mutants; i++) {
		struct tl_error err = { "" };
		struct tl_lqn lqn = { 0 };
		char text[80], fault[300], *exact;
		const char *change;

		snprintf(text, sizeof(text), "%s", good[i % n].text);
		for (k = below(4) + 1; k > 0; k--)
			damage(text, sizeof(text));
		exact = strdup(text); /* so that what is read behind it is seen */
		change = exact;
		if (!read_model(&lqn, model, false, fault, sizeof(fault)))
			silent++;
		else if (!tl_lqn_set(&lqn, "m", &change, 1, &err))
			done_well++;
		else
			silent += !*err.text;
		unsound += !*err.text && !sound(&lqn);
		tl_lqn_free(&lqn);
		free(exact);
	}
	ok(!silent && !unsound && done_well > mutants / 100 && done_well < mutants,
	   "%u damaged changes: %zu done, %zu refused without a sentence, %zu that harmed", mutants,
	   done_well, silent, unsound);
}

int main(void)
{
	const char *mutants = getenv("LQN_MUTANTS");
	unsigned int n = mutants ? (unsigned int)atoi(mutants) : 4000;
	size_t i;

	gsl_set_error_handler_off();
	alarm(60 + n / 100);
	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		test_good(&good[i]);
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		test_wrong(wrong[i].text, wrong[i].says);
	test_check();
	test_all_measured();
	test_damaged(n);
	return done();
}
