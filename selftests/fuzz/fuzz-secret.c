// SPDX-License-Identifier: GPL-2.0-or-later
/* An address to listen on, a token's file, and what is shown as a token. */
#include "fuzz.h"

#include "daemon/listen.h"
#include "daemon/secret.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(&data, &size), *given = fuzz_text(&data, &size);
	struct tl_error err = { "" };
	struct tl_token token;
	struct tl_listen at;

	if (!fuzz_said(tl_listen_read(&at, text, &err), &err))
		tl_listen_is_loopback(&at);
	if (!fuzz_said(tl_token_read(&token, fuzz_file(data, size), &err), &err))
		fuzz_must(!tl_token_is(&token, given) ||
			  (strlen(given) == token.len && !memcmp(given, token.bytes, token.len)),
			  "a token that is none is taken for one");
	free(given);
	free(text);
	return 0;
}
