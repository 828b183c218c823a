// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/kernel.h>
#include <linux/string.h>

#include "compat.h"

#define OPS_MAX 24

/* Without a policy most kernels take any attribute, and any garbage. */
static const struct nla_policy reject_all[] = {
	{ .type = NLA_REJECT },
	{ .type = NLA_REJECT },
};

static void fill_policy(struct genl_split_ops *op)
{
	if (op->policy)
		return;
	op->policy = reject_all;
	op->maxattr = ARRAY_SIZE(reject_all) - 1;
}

static struct genl_split_ops split[OPS_MAX];

#ifdef TL_HAVE_GENL_SPLIT_OPS

static int set_ops(struct genl_family *family, unsigned int n)
{
	family->split_ops = split;
	family->n_split_ops = n;
	return 0;
}

#else

static struct genl_ops folded[OPS_MAX];

/* Before 6.2 a command has one entry for "do" and "dump". */
static int set_ops(struct genl_family *family, unsigned int n)
{
	unsigned int i, used = 0;

	for (i = 0; i < n; i++) {
		const struct genl_split_ops *from = &split[i];
		struct genl_ops *op;

		if (!used || folded[used - 1].cmd != from->cmd)
			used++;
		op = &folded[used - 1];
		op->cmd = from->cmd;
		op->policy = from->policy;
		op->maxattr = from->maxattr;
		op->validate = from->validate;
		op->flags |= from->flags & ~(GENL_CMD_CAP_DO | GENL_CMD_CAP_DUMP);
		if (from->flags & GENL_CMD_CAP_DO) {
			op->doit = from->doit;
		} else {
			op->start = from->start;
			op->dumpit = from->dumpit;
			op->done = from->done;
		}
	}
	family->ops = folded;
	family->n_ops = used;
	return 0;
}

#endif

/**
 * tl_compat_family_ops() - Give a family its operations
 * @family: the family, not registered yet
 * @ops: sorted by command
 * @n: how many
 *
 * Return: 0, or -E2BIG if the table here is too small.
 */
int tl_compat_family_ops(struct genl_family *family, const struct genl_split_ops *ops,
			 unsigned int n)
{
	unsigned int i;

	if (n > OPS_MAX)
		return -E2BIG;
	memcpy(split, ops, n * sizeof(*ops));
	for (i = 0; i < n; i++)
		fill_policy(&split[i]);
	return set_ops(family, n);
}
