// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules for states, as lines or as "class list --json" prints them; and which one is for a request, its first line. */
#include "fuzz.h"

#include "weblog-states.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *request = fuzz_text(&data, &size);
	struct tl_weblog_states states = { .depth = 1 };
	struct tl_error err = { "" };
	int state;

	if (!fuzz_said(tl_weblog_rules_read(&states, fuzz_file(data, size), &err), &err) &&
	    !tl_weblog_state(&states, request, NULL, NULL, &state))
		fuzz_must(state >= TL_WEBLOG_NO_REQUEST && state < (int)states.n, "a state that there is not");
	tl_weblog_states_free(&states);
	free(request);
	return 0;
}
