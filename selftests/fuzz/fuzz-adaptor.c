// SPDX-License-Identifier: GPL-2.0-or-later
/* What tierlensd says that it is doing. */
#include "fuzz.h"

#include "adaptor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_adaptor adaptor = { .file = fuzz_file(data, size) };

	if (tl_adaptor_look(&adaptor))
		json_decref(tl_adaptor_json(&adaptor));
	tl_adaptor_free(&adaptor);
	return 0;
}
