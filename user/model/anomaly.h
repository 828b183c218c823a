/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_ANOMALY_H
#define TL_MODEL_ANOMALY_H

#include <stdbool.h>
#include <stddef.h>

#define TL_ANOMALY_LEAST 50 /* messages; of fewer nothing is said */

enum tl_anomaly { TL_ANOMALY_NORMAL, TL_ANOMALY_DELAYED, TL_ANOMALY_TIMEOUT, TL_ANOMALIES };

/**
 * struct tl_anomaly_in - Messages of one path
 * @size: [@n] bytes, finite, from 0
 * @time_ms: [@n] finite, from 0
 * @mtu: bytes of a packet, above 0
 */
struct tl_anomaly_in {
	const double *size, *time_ms;
	size_t n;
	double mtu;
};

/**
 * struct tl_anomaly_line - How long a message normally takes: with k full packets before the last one,
 *                          and that filled to a part f, @base_ms + @packet_ms k + @fill_ms f
 */
struct tl_anomaly_line {
	double base_ms, packet_ms, fill_ms;
};

/**
 * struct tl_anomaly_model - What is normal
 * @line: time by size
 * @scale_ms: how far normal messages are off it, as a standard deviation
 * @unit_ms: what a packet normally takes
 * @delayed_ms: from so much above the line on a message is delayed, also where none was; 0: not known
 * @timeout_ms: from so much on it is a timeout; 0: not known
 * @humps: groups that the evidence is for, @gain: of the weakest that is believed, else of the strongest
 *         that is not
 * @enough: there were messages enough to say anything
 */
struct tl_anomaly_model {
	struct tl_anomaly_line line;
	double mtu, scale_ms, unit_ms, delayed_ms, timeout_ms, gain;
	size_t humps;
	bool enough;
};

int tl_anomaly(const struct tl_anomaly_in *in, struct tl_anomaly_model *model);
int tl_anomaly_printed(const struct tl_anomaly_in *in, struct tl_anomaly_model *model);
enum tl_anomaly tl_anomaly_judge(const struct tl_anomaly_model *model, double size, double time_ms);

/* anomaly-line.c */
void tl_anomaly_packets(double size, double mtu, double *full, double *part);
double tl_anomaly_excess(const struct tl_anomaly_model *model, double size, double time_ms);
int tl_anomaly_line(const struct tl_anomaly_in *in, struct tl_anomaly_line *line);

#endif
