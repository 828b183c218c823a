// SPDX-License-Identifier: GPL-2.0-or-later
#include "json.h"

#include <inttypes.h>

static void begin(struct json *json, const char *key)
{
	if (json->comma)
		putc(',', json->out);
	if (key)
		fprintf(json->out, "\"%s\":", key);
	json->comma = true;
}

void json_open(struct json *json, const char *key, char bracket)
{
	begin(json, key);
	putc(bracket, json->out);
	json->comma = false;
}

void json_close(struct json *json, char bracket)
{
	putc(bracket, json->out);
	json->comma = true;
}

void json_u64(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

/* Each byte becomes the character of its number, so that any are valid JSON. */
void json_bytes(struct json *json, const char *key, const void *bytes, size_t n)
{
	const unsigned char *c = bytes;

	begin(json, key);
	putc('"', json->out);
	for (; n; n--, c++)
		if (*c < ' ' || *c == '"' || *c == '\\' || *c >= 0x7f)
			fprintf(json->out, "\\u%04x", *c);
		else
			putc(*c, json->out);
	putc('"', json->out);
}

void json_raw(struct json *json, const char *key, const char *value)
{
	begin(json, key);
	fputs(value, json->out);
}
