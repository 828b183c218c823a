// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What root could do and tierlensd need not
 *
 * Whatever of the capabilities below we were given is kept, all others are let go, also those that a program that we
 * start could have. The systemd unit gives the same ones.
 */
#include "daemon/privileges.h"

#include "error.h"
#include "hist.h"

#include <cap-ng.h>
#include <errno.h>

static const unsigned int needed[] = {
	CAP_NET_ADMIN, /* the module's figures and levels */
	CAP_PERFMON, /* functions */
	CAP_SYS_PTRACE, /* which processes have a tier's sockets, and what they run */
	CAP_CHECKPOINT_RESTORE, /* files that they have mapped */
	CAP_DAC_READ_SEARCH, /* programs that only their users may read */
};

/**
 * tl_privileges_drop() - Keep what is needed, in this thread and those that it begins
 * @err: the sentence if it fails
 *
 * Return: 0 or -EPERM.
 */
int tl_privileges_drop(struct tl_error *err)
{
	bool bounding, keep[ARRAY_SIZE(needed)];
	size_t i;

	if (capng_get_caps_process())
		return tl_error_set(err, -EPERM, "capabilities cannot be read: is /proc mounted?");
	bounding = capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP);
	for (i = 0; i < ARRAY_SIZE(needed); i++)
		keep[i] = capng_have_capability(CAPNG_PERMITTED, needed[i]);
	/* Without it processes can be looked at by those only that may do as much as they. */
	if (!capng_have_capability(CAPNG_PERMITTED, CAP_SYS_PTRACE))
		return tl_error_set(err, -EPERM, "without CAP_SYS_PTRACE no capability was let go: give it that one, too");
	capng_clear(CAPNG_SELECT_BOTH);
	for (i = 0; i < ARRAY_SIZE(needed); i++)
		if (keep[i])
			capng_updatev(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED | CAPNG_BOUNDING_SET, needed[i], -1);
	if (capng_apply(bounding ? CAPNG_SELECT_BOTH : CAPNG_SELECT_CAPS))
		return tl_error_set(err, -EPERM, "capabilities that are not needed cannot be let go: see what a sandbox "
				    "around tierlensd forbids");
	return 0;
}
