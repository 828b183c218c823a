/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ANOMALY_OUT_H
#define TL_ANOMALY_OUT_H

#include "messages.h"
#include "model/anomaly.h"

#include <jansson.h>
#include <stdio.h>

/**
 * struct tl_anomalies - What became of messages
 * @messages: they
 * @kind: [messages->n]
 * @model: [messages->paths.n] what is normal on each path; of a stream, at its end
 * @count: [messages->paths.n] of each kind
 * @method: how it was found
 */
struct tl_anomalies {
	const struct tl_messages *messages;
	enum tl_anomaly *kind;
	struct tl_anomaly_model *model;
	size_t (*count)[TL_ANOMALIES];
	const char *method;
};

void tl_anomalies_write(const struct tl_anomalies *anomalies, FILE *to);
void tl_anomalies_print(const struct tl_anomalies *anomalies, FILE *to);
json_t *tl_anomalies_json(const struct tl_anomalies *anomalies);

#endif
