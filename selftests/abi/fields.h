/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the attributes of a nest or message are, so that they can be checked and printed.
 */
#ifndef ABI_FIELDS_H
#define ABI_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include <libmnl/libmnl.h>

#include "json.h"

#define FIELDS_MAX 32

enum field_kind {
	FIELD_NUMBER,
	FIELD_NAME,  /* printable ASCII */
	FIELD_PATH,  /* whatever somebody has called a socket */
	FIELD_BYTES, /* printed as a text of as many characters */
	FIELD_ADDR,
	FIELD_HIST,
	FIELD_FLAG, /* there or not */
	FIELD_NEST,
	FIELD_NESTS /* a list of them, in a nest */
};

struct fields;

struct field {
	const char *name; /* NULL: not known, skipped */
	enum field_kind kind;
	bool optional;
	const struct fields *nest;
};

/* By the attributes' types. */
struct fields {
	const char *lacks; /* what to say if one is not there */
	struct field field[FIELDS_MAX];
};

/* The attributes that are there. */
struct field_set {
	const struct nlattr *attrs[FIELDS_MAX];
	const struct nlattr *nest; /* that they are in; NULL: the message */
	uint32_t twice;		   /* by bits: those that are there more than once */
};

void field_set_add(struct field_set *set, const struct nlattr *attr);
void field_set_nest(struct field_set *set, const struct nlattr *nest);
void field_set_message(struct field_set *set, const struct nlmsghdr *nlh);
uint64_t field_number(const struct nlattr *attr);
int64_t field_hist(const struct nlattr *attr);
const char *fields_print(struct json *json, const struct fields *fields,
			 const struct field_set *set);

#endif
