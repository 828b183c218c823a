// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/kernel.h>

#include "compat.h"

#ifdef TL_HAVE_GENL_SPLIT_OPS

int tl_compat_family_ops(struct genl_family *family, const struct genl_split_ops *ops,
			 unsigned int n)
{
	family->split_ops = ops;
	family->n_split_ops = n;
	return 0;
}

#else

static struct genl_ops folded[16];

/* Before 6.1 a command without a policy takes any attribute. */
static const struct nla_policy reject_all[] = {
	{ .type = NLA_REJECT },
	{ .type = NLA_REJECT },
};

/**
 * tl_compat_family_ops() - Give a family its operations
 * @family: the family, not registered yet
 * @ops: sorted by command
 * @n: how many
 *
 * Before 6.2 a command has one entry for "do" and "dump".
 *
 * Return: 0, or -E2BIG if the table here is too small.
 */
int tl_compat_family_ops(struct genl_family *family, const struct genl_split_ops *ops,
			 unsigned int n)
{
	unsigned int i, used = 0;

	for (i = 0; i < n; i++) {
		struct genl_ops *op;

		if (!used || folded[used - 1].cmd != ops[i].cmd)
			used++;
		if (used > ARRAY_SIZE(folded))
			return -E2BIG;
		op = &folded[used - 1];
		op->cmd = ops[i].cmd;
		op->policy = ops[i].policy ? ops[i].policy : reject_all;
		op->maxattr = ops[i].policy ? ops[i].maxattr : ARRAY_SIZE(reject_all) - 1;
		op->validate = ops[i].validate;
		op->flags |= ops[i].flags & ~(GENL_CMD_CAP_DO | GENL_CMD_CAP_DUMP);
		if (ops[i].flags & GENL_CMD_CAP_DO) {
			op->doit = ops[i].doit;
		} else {
			op->start = ops[i].start;
			op->dumpit = ops[i].dumpit;
			op->done = ops[i].done;
		}
	}
	family->ops = folded;
	family->n_ops = used;
	return 0;
}

#endif
