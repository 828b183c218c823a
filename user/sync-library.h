/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SYNC_LIBRARY_H
#define TL_SYNC_LIBRARY_H

#include "hist.h"

struct tl_error;
struct tl_faults;
struct tl_maps;
struct tl_sync_probe;
struct tl_sync_request;

int tl_sync_library(int fd, struct tl_sync_probe **probes, size_t *n);
int tl_sync_libraries(const struct tl_maps *maps, struct tl_sync_request *request, struct tl_faults *notes,
		      struct tl_error *err);

#endif
