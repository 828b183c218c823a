// SPDX-License-Identifier: GPL-2.0-or-later
#include "fields.h"

#include <arpa/inet.h>
#include <linux/genetlink.h>
#include <string.h>

void field_set_add(struct field_set *set, const struct nlattr *attr)
{
	unsigned int type = mnl_attr_get_type(attr);

	if (type >= FIELDS_MAX)
		return;
	set->twice |= (uint32_t)!!set->attrs[type] << type;
	set->attrs[type] = attr;
}

void field_set_nest(struct field_set *set, const struct nlattr *nest)
{
	const struct nlattr *attr;

	memset(set, 0, sizeof(*set));
	set->nest = nest;
	mnl_attr_for_each_nested (attr, nest)
		field_set_add(set, attr);
}

/* Of a message. */
void field_set_message(struct field_set *set, const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;

	memset(set, 0, sizeof(*set));
	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr))
		field_set_add(set, attr);
}

/* 0 if it is not there. */
uint64_t field_number(const struct nlattr *attr)
{
	uint64_t value = 0;

	/* On some architectures a u64 is aligned to four bytes only. */
	if (attr)
		memcpy(&value, mnl_attr_get_payload(attr),
		       mnl_attr_get_payload_len(attr) == 8 ? 8 : 4);
	return value;
}

static void hist_pair(const struct nlattr *attr, unsigned int i, uint32_t pair[2])
{
	memcpy(pair, (const char *)mnl_attr_get_payload(attr) + i * 8, 8);
}

/* Returns how much the histogram holds in all; -1 if it is no histogram. */
int64_t field_hist(const struct nlattr *attr)
{
	unsigned int i, n = mnl_attr_get_payload_len(attr) / 8;
	uint32_t pair[2], before = 0;
	int64_t sum = 0;

	if (mnl_attr_get_payload_len(attr) % 8)
		return -1;
	for (i = 0; i < n; i++) {
		hist_pair(attr, i, pair);
		if ((i && pair[0] <= before) || !pair[1])
			return -1;
		before = pair[0];
		sum += pair[1];
	}
	return sum;
}

static void print_hist(struct json *json, const char *key, const struct nlattr *attr)
{
	unsigned int i, n = mnl_attr_get_payload_len(attr) / 8;
	uint32_t pair[2];

	json_open(json, key, '[');
	for (i = 0; i < n; i++) {
		hist_pair(attr, i, pair);
		json_open(json, NULL, '[');
		json_u64(json, NULL, pair[0]);
		json_u64(json, NULL, pair[1]);
		json_close(json, ']');
	}
	json_close(json, ']');
}

/* One string, as long as its attribute. */
static const char *wrong_text(const struct nlattr *attr, bool printable)
{
	const unsigned char *text = mnl_attr_get_payload(attr);
	unsigned int i, n = mnl_attr_get_payload_len(attr);

	if (!n || text[n - 1] || strlen((const char *)text) != n - 1)
		return "a string does not end with its attribute";
	for (i = 0; printable && i < n - 1; i++)
		if (text[i] < ' ' || text[i] >= 0x7f)
			return "a name is not of printable ASCII characters";
	return NULL;
}

static const char *wrong_value(const struct field *field, const struct nlattr *attr)
{
	unsigned int n = mnl_attr_get_payload_len(attr);

	switch (field->kind) {
	case FIELD_NUMBER:
		return n == 4 || n == 8 ? NULL : "a number is not of 4 or 8 bytes";
	case FIELD_NAME:
	case FIELD_PATH:
		return wrong_text(attr, field->kind == FIELD_NAME);
	case FIELD_ADDR:
		return n == 4 || n == 16 ? NULL : "an address is not of 4 or 16 bytes";
	case FIELD_HIST:
		return field_hist(attr) < 0 ? "a histogram is none" : NULL;
	case FIELD_FLAG:
		return n ? "a flag has a value" : NULL;
	case FIELD_BYTES:
	case FIELD_NEST:
	case FIELD_NESTS:
		break;
	}
	return NULL;
}

static const char *print_nest(struct json *json, const char *key,
			      const struct field *field, const struct nlattr *attr)
{
	struct field_set set;
	const char *wrong;

	field_set_nest(&set, attr);
	json_open(json, key, '{');
	wrong = fields_print(json, field->nest, &set);
	json_close(json, '}');
	return wrong;
}

static const char *print_nests(struct json *json, const struct field *field,
			       const struct field_set *set, unsigned int type)
{
	const struct nlattr *attr;
	const char *wrong = NULL;

	json_open(json, field->name, '[');
	mnl_attr_for_each_nested (attr, set->nest)
		if (mnl_attr_get_type(attr) == type && !wrong)
			wrong = print_nest(json, NULL, field, attr);
	json_close(json, ']');
	return wrong;
}

static const char *print_value(struct json *json, const struct field *field,
			       const struct nlattr *attr)
{
	const void *bytes = mnl_attr_get_payload(attr);
	unsigned int n = mnl_attr_get_payload_len(attr);
	char text[INET6_ADDRSTRLEN];

	switch (field->kind) {
	case FIELD_NUMBER:
		json_u64(json, field->name, field_number(attr));
		break;
	case FIELD_NAME:
	case FIELD_PATH:
		json_bytes(json, field->name, bytes, n - 1);
		break;
	case FIELD_BYTES:
		json_bytes(json, field->name, bytes, n);
		break;
	case FIELD_ADDR:
		inet_ntop(n == 4 ? AF_INET : AF_INET6, bytes, text, sizeof(text));
		json_bytes(json, field->name, text, strlen(text));
		break;
	case FIELD_HIST:
		print_hist(json, field->name, attr);
		break;
	case FIELD_FLAG:
		json_raw(json, field->name, "true");
		break;
	case FIELD_NEST:
		return print_nest(json, field->name, field, attr);
	case FIELD_NESTS:
		break;
	}
	return NULL;
}

/**
 * fields_print() - Check and print all fields that are known, without brackets
 * @json: where to
 * @fields: what there can be
 * @set: what there is
 *
 * Return: what is wrong, or NULL.
 */
const char *fields_print(struct json *json, const struct fields *fields,
			 const struct field_set *set)
{
	const struct field *field;
	const char *wrong = NULL;
	unsigned int i;

	for (i = 0; i < FIELDS_MAX && !wrong; i++) {
		field = &fields->field[i];
		if (set->twice & 1U << i && field->kind != FIELD_NESTS)
			return "an attribute is there twice";
		if (!field->name)
			continue;
		if (!set->attrs[i] && !field->optional)
			return fields->lacks;
		if (!set->attrs[i])
			continue;
		if (field->kind == FIELD_NESTS) {
			wrong = print_nests(json, field, set, i);
			continue;
		}
		wrong = wrong_value(field, set->attrs[i]);
		if (!wrong)
			wrong = print_value(json, field, set->attrs[i]);
	}
	return wrong;
}
