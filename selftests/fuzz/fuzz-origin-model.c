// SPDX-License-Identifier: GPL-2.0-or-later
/* A model of origins, and what it says of a file. */
#include "fuzz.h"

#include "origin.h"

static int read_model(const char *file, struct tl_error *err)
{
	static const struct tl_origin_item item = { .path = "/usr/bin/true", .kind = TL_ORIGIN_ELF, .size = 4096 };
	struct tl_origin origin = { .sure = 0.9, .root = "" };
	struct tl_origin_verdict verdict;
	int code = tl_origin_model_read(&origin.model, file, err);

	if (!code && !tl_origin_judge(&origin, &item, &verdict))
		fuzz_must(verdict.posterior >= 0 && verdict.posterior <= 1, "a probability that is none");
	tl_origin_model_free(&origin.model);
	return code;
}

FUZZ_READS(read_model)
