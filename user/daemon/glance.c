// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What probes cost, before the window is over
 *
 * A window can be read a quiet time after its end, and levels are lowered then. Until then the next one costs as much
 * as this one did: at a budget b, a rate r and a quiet part q of the window, that one is above the budget, too, if
 *
 *	r q > b
 *
 * The kernel's totals can be read at any time. As soon as a window has cost more than it may, and the rate at that
 * moment is so high, with a margin of two, nobody waits.
 */
#include "daemon/glance.h"

#include "hist.h"

#define MARGIN 2
#define APART 32 /* glances in a window, at most: what is read of a shorter time is mostly noise */

static struct tl_adapt_cost minus(const struct tl_adapt_cost *a, const struct tl_adapt_cost *b)
{
	struct tl_adapt_cost c = *a;

	c.hook_s -= b->hook_s;
	c.function_s -= b->function_s;
	c.function_hits -= b->function_hits;
	return c;
}

static double seconds_of(const struct tl_adapt_cost *c)
{
	return c->hook_s + c->function_s + c->function_hits * c->function_trap_s;
}

/**
 * tl_glance() - A look at what probes have cost
 * @glance: what was seen before
 * @now_ns: on a clock that only goes on
 * @window: where in it the kernel is
 * @total: what probes have cost since the module was loaded
 * @room_s: what they may cost in a window
 * @ahead: set to what a window would cost as it goes on now
 *
 * Return: whether that has to end before this window can be read.
 */
bool tl_glance(struct tl_glance *glance, u64 now_ns, const struct tl_window *window, const struct tl_adapt_cost *total,
	       double room_s, struct tl_adapt_cost *ahead)
{
	u64 since_ns = now_ns - glance->looked_ns;
	bool ended = since_ns > window->into_ns;
	struct tl_adapt_cost window_cost, rate;
	double windows;

	if (!glance->looked_ns || seconds_of(total) < seconds_of(&glance->looked)) {
		*glance = (struct tl_glance){ *total, *total, now_ns };
		return false;
	}
	if (!ended && since_ns * APART < window->length_ns)
		return false;
	window_cost = minus(total, &glance->began);
	rate = minus(total, &glance->looked);
	windows = (double)max(since_ns, window->length_ns / APART) / (double)window->length_ns;
	*ahead = *total;
	ahead->hook_s = rate.hook_s / windows;
	ahead->function_s = rate.function_s / windows;
	ahead->function_hits = rate.function_hits / windows;
	if (ended)
		glance->began = *total;
	glance->looked = *total;
	glance->looked_ns = now_ns;
	return seconds_of(&window_cost) > room_s &&
	       seconds_of(ahead) * MARGIN * (double)window->quiet_ns > room_s * (double)window->length_ns;
}
