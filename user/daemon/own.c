// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The daemon as a tier
 *
 * Its page and its metrics are asked for over TCP, so it would be found like any other tier, and who looks would be among
 * the users of what he looks at. So its port has a name, and the level of that is leased: off. Who has named the port
 * himself wants to see it, and a level that he gives it holds.
 */
#include "daemon/own.h"

#include "ctl.h"
#include "error.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define NETNS "/proc/self/ns/net"

/* Return: whether the kernel knows it by our name. After a daemon that was killed it does already. */
static bool name(struct tl_ctl *ctl, unsigned int port)
{
	struct stat netns;
	struct tl_error err;
	int code;

	if (stat(NETNS, &netns))
		return false;
	code = tl_ctl_tier_add(ctl, TL_OWN_NAME, port, NULL, netns.st_ino, &err);
	return !code || code == -EEXIST;
}

/**
 * tl_own_hold() - See to it that the daemon is in no figure
 * @own: its tier
 * @ctl: kernel
 * @port: where it serves, 0 for nowhere
 * @lease_ms: until it is called again
 *
 * What the kernel refuses is let be: it costs a line in tables.
 */
void tl_own_hold(struct tl_own *own, struct tl_ctl *ctl, unsigned int port, u32 lease_ms)
{
	struct tl_error err;

	if (own->port != port) {
		tl_own_end(own, ctl);
		own->port = port && name(ctl, port) ? port : 0;
	}
	if (own->port)
		tl_ctl_level_set(ctl, TL_OWN_NAME, TL_AT_OFF, lease_ms, &err);
}

/**
 * tl_own_is() - Is that us?
 * @own: its tier
 * @tier: name
 */
bool tl_own_is(const struct tl_own *own, const char *tier)
{
	return own->port && !strcmp(tier, TL_OWN_NAME);
}

/**
 * tl_own_end() - It serves no longer
 * @own: its tier
 * @ctl: kernel
 */
void tl_own_end(struct tl_own *own, struct tl_ctl *ctl)
{
	struct tl_error err;

	if (own->port)
		tl_ctl_tier_del(ctl, TL_OWN_NAME, &err);
	own->port = 0;
}
