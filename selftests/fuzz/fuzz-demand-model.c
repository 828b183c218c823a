// SPDX-License-Identifier: GPL-2.0-or-later
/* Demands that were fitted, as "demand predict" reads them. */
#include "fuzz.h"

#include "demand-model.h"

static int read_model(const char *file, struct tl_error *err)
{
	struct tl_model model = { 0 };
	int code = tl_model_read(&model, file, err);

	tl_model_free(&model);
	return code;
}

FUZZ_READS(read_model)
