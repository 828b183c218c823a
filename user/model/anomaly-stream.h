/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_ANOMALY_STREAM_H
#define TL_MODEL_ANOMALY_STREAM_H

#include "anomaly.h"

/**
 * struct tl_anomaly_stream - Messages of a path as they come; all zero but @window and @mtu at first
 * @window: how many are remembered, at least TL_ANOMALY_LEAST
 * @size: [@window], @time_ms: the same, in turn
 * @seen: how many there were, @fit_at: when what is normal will be found again
 */
struct tl_anomaly_stream {
	size_t window, seen, fit_at;
	double mtu, *size, *time_ms;
	struct tl_anomaly_model model;
};

int tl_anomaly_next(struct tl_anomaly_stream *stream, double size, double time_ms, enum tl_anomaly *kind);
void tl_anomaly_stream_free(struct tl_anomaly_stream *stream);

#endif
