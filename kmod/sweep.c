// SPDX-License-Identifier: GPL-2.0-or-later
/* What ends because nothing happens any more, which no hook tells. */
#include "client.h"
#include "server.h"
#include "stats.h"
#include "sweep.h"

struct sweep {
	u64 now_ns;
	u64 quiet_ns;
};

static bool quiet(const struct tl_request *request, const struct sweep *sweep)
{
	u64 last_ns = READ_ONCE(request->last_send_ns);

	return READ_ONCE(request->state) == TL_REQUEST_ANSWERED && last_ns < sweep->now_ns &&
	       sweep->now_ns - last_ns >= sweep->quiet_ns;
}

static void sweep_server(struct tl_server *server, const struct sweep *sweep)
{
	if (!quiet(&server->request, sweep))
		return;
	this_cpu_inc(tl_stats.loss[TL_LOSS_QUIET]);
	tl_server_forget_socket(server);
	tl_server_end(server);
}

/* A hint: what it points to stays a request's storage. */
static bool has_errand(const struct tl_client *client)
{
	const struct tl_request *owner = READ_ONCE(client->call.owner.request);

	return owner && READ_ONCE(owner->errand);
}

static void sweep_one(struct tl_conn *conn, void *arg)
{
	const struct sweep *sweep = arg;
	unsigned long flags;

	if (conn->side == TL_SERVER ? !quiet(&tl_server(conn)->request, sweep) :
				      !has_errand(tl_client(conn)))
		return;
	raw_spin_lock_irqsave(&conn->lock, flags);
	if (conn->sk && conn->side == TL_SERVER)
		sweep_server(tl_server(conn), sweep);
	else if (conn->sk)
		tl_client_sweep(tl_client(conn), sweep->now_ns);
	raw_spin_unlock_irqrestore(&conn->lock, flags);
}

/**
 * tl_sweep() - End the answered requests that went quiet, and idle errands
 * @now_ns: time
 * @quiet_ns: how long nothing must have been sent
 *
 * Context: process.
 */
void tl_sweep(u64 now_ns, u64 quiet_ns)
{
	struct sweep sweep = { now_ns, quiet_ns };

	tl_conn_for_each(sweep_one, &sweep);
}
