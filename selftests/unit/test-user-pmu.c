// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of counters that were damaged: nothing is read that is not there, each refusal has a
 * sentence, and what is sound is cleaned to figures that are figures.
 */
#include "damage.h"
#include "tap.h"

#include "error.h"
#include "hist.h"
#include "pmu-csv.h"

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const pieces[] = {
	"\"", "\n", ",", ",,", "-", "-1", "nan", "inf", "1e308", "1e-308", "0", "99999999999999999999",
	"0x10", ";", "\t", "\r\n", "t,cpu,event,value,enabled,running\n", "action", "\xc3", "cycles", "1,0,",
};

static const char text[] =
	"t,cpu,event,value,enabled,running\n"
	"1,0,cycles,1000,0.1,0.1\n1,0,\"cache,misses\",10,0.1,0.05\n1,1,cycles,900,0.1,0.1\n"
	"2,0,cycles,1100,0.1,0.1\n2,0,\"cache,misses\",0,0.1,0\n2,1,cycles,800,0.1,0.1\n"
	"3,0,cycles,99000,0.1,0.1\n3,0,\"cache,misses\",12,0.1,0.1\n3,1,cycles,850,0.1,0.1\n";

struct counts {
	size_t sound, broken, silent, odd;
};

static bool part_odd(const struct tl_pmu_part *part)
{
	struct tl_pmu_in in = { &part->record, NULL, 0, TL_PMU_SD };
	struct tl_pmu_out out;
	int code = tl_pmu_clean(&in, &out);
	size_t i;
	bool odd = code && code != -EINVAL;

	for (i = 0; !code && i < part->record.intervals * part->record.events; i++)
		odd |= !isfinite(out.count[i]) || !isfinite(out.low95[i]) || !isfinite(out.high95[i]);
	tl_pmu_out_free(&out);
	return odd;
}

static void file_try(const char *name, struct counts *counts)
{
	struct tl_error err = { "" };
	struct tl_pmu_file file;
	int code = tl_pmu_file_read(&file, name, &err);
	size_t p;

	counts->sound += !code;
	counts->broken += code != 0;
	counts->silent += code && !*err.text;
	for (p = 0; !code && p < file.parts; p++)
		counts->odd += part_odd(&file.part[p]);
	tl_pmu_file_free(&file);
}

int main(int argc, char **argv)
{
	unsigned int mutants = argc > 1 ? (unsigned int)atoi(argv[1]) : 3000, n;
	size_t room = 3 * sizeof(text), len, i;
	struct counts counts = { 0 };
	char name[64], *work = malloc(room);
	FILE *to;

	gsl_set_error_handler_off();
	snprintf(name, sizeof(name), "/tmp/test-user-pmu.%d.csv", (int)getpid());
	for (n = 0; n < mutants; n++) {
		len = strlen(text);
		memcpy(work, text, len);
		/* The first one is whole. */
		for (i = n ? damage_below(3) + 1 : 0; i > 0; i--)
			len = damage(work, len, room, pieces, ARRAY_SIZE(pieces));
		to = fopen(name, "we");
		fwrite(work, 1, len, to);
		fclose(to);
		file_try(name, &counts);
		if (!n)
			ok(counts.sound == 1, "a sound record is read");
	}
	unlink(name);
	free(work);
	ok(!counts.silent && !counts.odd && counts.sound > mutants / 100 && counts.broken > mutants / 4,
	   "%u damaged records: %zu still sound, %zu refused without a sentence, %zu with figures that are "
	   "none", mutants, counts.sound, counts.silent, counts.odd);
	return done();
}
