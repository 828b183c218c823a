// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages and their times. */
#include "fuzz.h"

#include "messages.h"

static int read_messages(const char *file, struct tl_error *err)
{
	struct tl_messages messages = { 0 };
	int code = tl_messages_read(&messages, file, err);

	tl_messages_free(&messages);
	return code;
}

FUZZ_READS(read_messages)
