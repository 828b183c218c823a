/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints JSON. */
#ifndef ABI_JSON_H
#define ABI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	bool comma; /* is due before the next value */
};

/* In arrays, key is NULL. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
void json_u64(struct json *json, const char *key, uint64_t value);
void json_bytes(struct json *json, const char *key, const void *bytes, size_t n);
void json_raw(struct json *json, const char *key, const char *value);

#endif
