// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both ends of a connection on one host
 *
 * The two ends are two sockets, used by two threads, that never hold each other's
 * locks. What one knows and the other needs goes through a link between them: the
 * caller's class and place in the tree of paths go down, the callee's times go
 * up. So what a call spends between its ends is measured call by call, from the
 * times of four events and not as a difference of sums.
 *
 * The caller of these functions holds the link's lock and that of the end that it
 * speaks for.
 */
#include "link.h"

/**
 * tl_link_called() - The caller's end: the first byte of a call was sent
 * @link: the link
 * @owner: the request that makes it, or NULL
 * @now_ns: when
 */
void tl_link_called(struct tl_link *link, const struct tl_request *owner, u64 now_ns)
{
	link->call++;
	link->called_ns = now_ns;
	link->class = owner ? owner->class : 0;
	link->node = owner ? owner->node : 0;
}

/**
 * tl_link_opened() - The callee's end: a request began
 * @link: the link
 * @request: the request; gets its class, its caller's node and the time for which
 *	     its first bytes lay unread. If no new call was begun, it is not known
 *	     what this is
 */
void tl_link_opened(struct tl_link *link, struct tl_request *request)
{
	if (link->served == link->call) {
		request->ambiguous = 1;
		return;
	}
	link->served = link->call;
	link->open_ns = request->open_ns;
	link->last_ns = 0;
	link->interim = false;
	request->class = link->class;
	request->parent = link->node;
	request->queued = 1;
	request->queue_ns = tl_since(request->open_ns, link->called_ns);
}

/**
 * tl_link_unopened() - The callee's end: a request has not begun yet
 * @link: the link
 * @request: the request. If a call was found for it, that is still to be served
 */
void tl_link_unopened(struct tl_link *link, const struct tl_request *request)
{
	if (request->queued && link->served == link->call && link->open_ns == request->open_ns)
		link->served--;
}

/**
 * tl_link_answered() - The callee's end: bytes of the answer were sent
 * @link: the link
 * @request: the request
 */
void tl_link_answered(struct tl_link *link, const struct tl_request *request)
{
	if (link->open_ns == request->open_ns)
		link->last_ns = request->last_send_ns;
}

/**
 * tl_link_promised() - The callee's end: an interim answer was sent
 * @link: the link
 */
void tl_link_promised(struct tl_link *link)
{
	link->interim = true;
}

/**
 * tl_link_interim() - Whether what the caller receives now is an interim answer
 * @link: the link
 *
 * Return: true if the callee has sent one to this call, and nothing else.
 */
bool tl_link_interim(const struct tl_link *link)
{
	return link->served == link->call && link->interim && !link->last_ns;
}

/**
 * tl_link_transit() - What a call spent between its ends, so far
 * @link: the link
 * @call: the caller's call
 * @ns: set, nanoseconds: the call's time less the callee's response time
 *
 * Return: false if the callee's times are not known.
 */
bool tl_link_transit(const struct tl_link *link, const struct tl_call *call, u64 *ns)
{
	if (link->served != link->call || !link->last_ns)
		return false;
	*ns = tl_since(link->open_ns, call->start_ns) + tl_since(call->last_ns, link->last_ns);
	return true;
}
