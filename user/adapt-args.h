/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ADAPT_ARGS_H
#define TL_ADAPT_ARGS_H

struct tl_adapt_options;
struct tl_cmd;

/* Options that the adaptor has, whoever runs it. */
#define TL_ADAPT_OPTIONS \
	{ "budget", required_argument, NULL, 'B' }, { "resting", required_argument, NULL, 'R' }, \
	{ "timeout", required_argument, NULL, 'T' }, { "quiet", required_argument, NULL, 'Q' }, \
	{ "effect", required_argument, NULL, 'E' }, { "functions", required_argument, NULL, 'F' }
#define TL_ADAPT_HELP \
	"      --budget PART  of the processors that probes may take, 1% or 0.01 (1%)\n" \
	"      --resting L    level while all is well: server, or trace: then front tiers are at\n" \
	"                     trace and the others off (server)\n" \
	"      --effect PART  by so much times must be longer (20%)\n" \
	"      --timeout S    what takes S seconds is a timeout; else what is far beyond all\n" \
	"                     that was seen\n" \
	"      --quiet N      windows in which times are as before, before a level goes down (3)\n" \
	"      --functions N  of a tier that are probed at once, 1 to 256 (64)\n"

int tl_adapt_args(const struct tl_cmd *cmd, int option, struct tl_adapt_options *options);

#endif
