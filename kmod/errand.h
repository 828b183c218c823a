/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ERRAND_H
#define TL_ERRAND_H

#include "conn.h"

struct tl_request_ref tl_errand_new(u64 now_ns);
void tl_errand_use(struct tl_request *errand);
void tl_errand_unuse(struct tl_request *errand);
void tl_errand_put(struct tl_request_ref ref);
u64 tl_errand_last_ns(struct tl_request_ref errand);
bool tl_errand_adopt(struct tl_server *server, struct tl_request_ref errand, u8 by);
struct tl_request_ref tl_errand_became(struct tl_request_ref ref);

#endif
