// SPDX-License-Identifier: GPL-2.0-or-later
/* What the family must refuse, how, and that it is none the worse for it. Prints TAP. */
#include "bad-message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"usage: abi-bad refused          malformed messages, one at a time\n"
	"       abi-bad denied           everything, by somebody without the capability\n"
	"       abi-bad fuzz N [SEED]    N mutated messages\n"
	"Leaves the module disabled and without rules, except 'denied', which must not "
	"change\n"
	"anything.\n";

int main(int argc, char **argv)
{
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	struct tl tl;
	int ret;

	if (argc < 2) {
		fputs(help, stderr);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	ret = tl_open(&tl, TL_BUFFER_BYTES, 1 << 20);
	if (ret) {
		printf("Bail out! no family: %s\n", strerror(-ret));
		return 1;
	}
	if (!strcmp(argv[1], "refused"))
		ret = bad_cases(&tl);
	else if (!strcmp(argv[1], "denied"))
		ret = bad_denied(&tl);
	else if (!strcmp(argv[1], "fuzz") && argc > 2)
		ret = bad_fuzz(&tl, atoi(argv[2]), seed);
	else
		ret = 2;
	if (ret == 2)
		fputs(help, stderr);
	tl_close(&tl);
	return ret ? ret : tap_end();
}
