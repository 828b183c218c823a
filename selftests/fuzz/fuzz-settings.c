// SPDX-License-Identifier: GPL-2.0-or-later
/* The daemon's configuration file. */
#include "fuzz.h"

#include "cmd.h"
#include "daemon/settings.h"

static const struct tl_cmd cmd = { .name = "tierlensd", .args = "", .summary = "", .help = "", .alone = true };

/* Other files are other inputs. */
static bool includes(const uint8_t *data, size_t size)
{
	return memmem(data, size, "@include", 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_settings settings = { 0 };

	if (includes(data, size))
		return 0;
	settings.config = fuzz_file(data, size);
	tl_settings_file(&settings, &cmd);
	tl_settings_free(&settings);
	return 0;
}
