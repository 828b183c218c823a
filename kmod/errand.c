// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errands: work whose request is not known yet
 *
 * A thread that serves, but has no current request, makes a call: a pool's
 * worker whose request another thread received, or an event loop that sends what
 * it had to queue. The call gets an errand as its owner, which keeps account like
 * a request. When its request turns up it is added to that, else it ends as
 * unattributed calls.
 *
 * An errand is a server's entry without a socket, so that a reference to it is
 * like any other to a request. Its calls and the thread that runs it use it; with
 * the last use it ends.
 *
 * Locks: an errand's is taken inside a server's.
 */
#include "errand.h"
#include "shard.h"
#include "stats.h"
#include "usage.h"

static struct tl_server *entry(struct tl_request *errand)
{
	return container_of(errand, struct tl_server, request);
}

/**
 * tl_errand_new() - Begin an errand
 * @now_ns: time
 *
 * Context: task, interrupts off; no server's lock is held.
 * Return: the errand, used once; empty if there is no memory left for it.
 */
struct tl_request_ref tl_errand_new(u64 now_ns)
{
	struct tl_server *server = tl_conn_errand();
	struct tl_request_ref ref = {};

	if (!server)
		return ref;
	tl_spin_lock(&server->conn.lock);
	server->uses = 1;
	server->tier = NULL;
	server->caller = NULL;
	server->request.tier = 0;
	tl_errand_begin(&server->request, now_ns);
	ref.request = &server->request;
	ref.seq = server->request.seq;
	tl_spin_unlock(&server->conn.lock);
	return ref;
}

/* Its lock is held. */
void tl_errand_use(struct tl_request *errand)
{
	lockdep_assert_held(&entry(errand)->conn.lock);
	entry(errand)->uses++;
}

/* Takes back tl_errand_use(), which was not the only use. */
void tl_errand_unuse(struct tl_request *errand)
{
	lockdep_assert_held(&entry(errand)->conn.lock);
	entry(errand)->uses--;
}

/* Nobody will ever know. */
static void end_unknown(struct tl_request *errand)
{
	unsigned int i;

	for (i = 0; i < errand->sums_used; i++)
		tl_shard_deposit_stray(&errand->sums[i]);
	tl_stats_decided(TL_UNATTRIBUTED, errand->deferred);
}

/* The slow part of tl_errand_put(). */
void tl_errand_put_used(struct tl_request_ref ref)
{
	struct tl_server *server = entry(ref.request);
	bool last = false;

	tl_spin_lock(&server->conn.lock);
	if (server->request.errand && server->request.seq == ref.seq)
		last = !--server->uses;
	if (last) {
		if (server->request.state == TL_REQUEST_OPEN)
			end_unknown(&server->request);
		server->request.state = TL_REQUEST_NONE;
		WRITE_ONCE(server->request.errand, 0);
	}
	tl_spin_unlock(&server->conn.lock);
	if (last)
		tl_conn_errand_free(server);
}

/* When it began and the last bytes of its calls were received; the errand is used. */
void tl_errand_times(struct tl_request_ref errand, u64 *begin_ns, u64 *last_ns)
{
	struct tl_server *server = entry(errand.request);

	tl_spin_lock(&server->conn.lock);
	*begin_ns = server->request.open_ns;
	*last_ns = server->request.mark_ns;
	tl_spin_unlock(&server->conn.lock);
}

/**
 * tl_errand_adopt() - Make an errand part of a server's request
 * @server: the server, locked
 * @errand: the errand; may have ended
 * @by: enum tl_by, how it is known
 *
 * Context: task, interrupts off.
 * Return: false if it cannot be.
 */
bool tl_errand_adopt(struct tl_server *server, struct tl_request_ref errand, u8 by)
{
	struct tl_server *other = entry(errand.request);
	struct tl_request *request = &server->request;
	bool adopted = false;

	tl_spin_lock_nested(&other->conn.lock);
	if (tl_request_alive(&errand) && errand.request->errand)
		adopted = tl_request_adopt(request, errand.request, by,
					   this_cpu_ptr(&tl_stats)->loss);
	if (adopted) {
		tl_stats_decided(TL_ATTRIBUTED, errand.request->deferred);
		tl_usage_charge(request->tier, errand.request->used.cpu_ns);
	}
	tl_spin_unlock(&other->conn.lock);
	return adopted;
}

/* The slow part of tl_errand_became(). */
struct tl_request_ref tl_errand_adopter(struct tl_request_ref errand)
{
	struct tl_server *server = entry(errand.request);

	tl_spin_lock(&server->conn.lock);
	if (server->request.errand && server->request.seq == errand.seq &&
	    server->request.state == TL_REQUEST_ADOPTED)
		errand = server->request.adopter;
	tl_spin_unlock(&server->conn.lock);
	return errand;
}
