/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_FLEET_PROM_H
#define TL_FLEET_PROM_H

#include <jansson.h>
#include <stdbool.h>

#define TL_PROM_REPLY_BYTES (32UL << 20) /* nobody may send us more at once */

struct tl_error;
struct tl_prom;

/**
 * struct tl_prom_plan - A store that answers the query API of Prometheus
 * @url: of it, "http://" or "https://"
 * @token_file: its first line is sent as bearer token; NULL for none
 * @ca: certificates of who may have signed the store's; NULL for those of the system
 */
struct tl_prom_plan {
	const char *url, *token_file, *ca;
};

/**
 * struct tl_prom_field - Of a form that is sent
 */
struct tl_prom_field {
	const char *name, *value;
};

int tl_prom_open(struct tl_prom **prom, const struct tl_prom_plan *plan, struct tl_error *err);
void tl_prom_close(struct tl_prom *prom);
const char *tl_prom_name(const struct tl_prom *prom);
int tl_prom_ask(struct tl_prom *prom, const char *function, const struct tl_prom_field *field, size_t n, json_t **data,
		struct tl_error *err);
bool tl_prom_is_url(const char *text);

#endif
