/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the small world want of each other. */
#ifndef TL_CORE_WORLD_PARTS_H
#define TL_CORE_WORLD_PARTS_H

#include "core-world.h"

#define GARBAGE 0xa5 /* what storage holds that nobody has set */

/* core-world.c */
struct entry *world_entry(struct tl_request *request);
struct entry *world_entry_take(struct world *world);
void world_accept(struct world *world, unsigned int server);
struct tl_request *world_lock(struct tl_request_ref ref);
void world_record_stray(struct world *world, const struct tl_call_sum *sum);
void world_record_ended(struct world *world, u8 server, const struct tl_request *ended);
void world_decided(struct world *world, enum tl_outcome outcome, u64 n);

/* core-world-errand.c */
void world_errand_put(struct world *world, struct tl_request_ref ref);
bool world_errand_adopt(struct world *world, struct tl_request *request,
			struct tl_request_ref errand);
struct tl_request_ref world_errand_became(struct tl_request_ref ref);
void world_charge(struct world *world, const struct event *event);
void world_errand_begin(struct world *world, struct worker *worker, u64 now_ns);
void world_dispatch(struct world *world, const struct event *event);
void world_exit(struct world *world, const struct event *event);

/* core-world-server.c */
void world_join_new_client(struct client *client);
enum tl_outcome world_received(struct world *world, const struct event *event);
u32 world_place(struct tl_request *request);
enum tl_outcome world_sent(struct world *world, const struct event *event);
void world_end(struct world *world, const struct event *event);

/* core-world-client.c */
void world_client_remove(struct world *world, struct client *client);
void world_client_add(struct client *client, const struct event *event);
void world_connect(struct world *world, const struct event *event);
enum tl_outcome world_call(struct world *world, const struct event *event);
enum tl_outcome world_reply(struct world *world, const struct event *event);
void world_idle(struct world *world, const struct event *event);

#endif
