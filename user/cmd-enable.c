// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens enable, tierlens disable */
#include "cmd.h"
#include "ctl.h"
#include "error.h"
#include "out.h"

#include <linux/tierlens.h>

static int report(struct tl_ctl *ctl, bool json, struct tl_error *err)
{
	struct tl_module m;

	if (tl_ctl_module(ctl, &m, err))
		return tl_out_failed(err);
	if (json)
		return tl_out_json(json_pack("{s:b, s:f, s:f}", "enabled", (int)m.enabled,
					     "interval_s", m.interval_ms / 1e3,
					     "quiet_s", m.quiet_ms / 1e3));
	if (m.enabled)
		printf("measuring: interval %u ms, quiet time %u ms\n", m.interval_ms,
		       m.quiet_ms);
	else
		puts("measuring is off");
	return TL_EXIT_OK;
}

static int enable(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "interval", required_argument, NULL, 'i' },
		{ "quiet", required_argument, NULL, 'q' },
		TL_COMMON_OPTIONS
	};
	u64 interval_ms = 0, quiet_ms = 0;
	int option, status = TL_EXIT_OK;
	bool json = false;
	struct tl_error err;
	struct tl_ctl *ctl;

	while ((option = tl_args_next(cmd, argc, argv, "i:q:", options)) >= 0) {
		if (option == 'i')
			status = tl_args_u64("--interval", optarg,
					     TIERLENS_INTERVAL_MS_MIN,
					     TIERLENS_INTERVAL_MS_MAX, &interval_ms);
		else if (option == 'q')
			status = tl_args_u64("--quiet", optarg, TIERLENS_QUIET_MS_MIN,
					     UINT32_MAX, &quiet_ms);
		else
			json = true;
		if (status)
			return status;
	}
	status = tl_args_end(cmd, option, argc, argv);
	if (status != TL_GO_ON)
		return status;
	if (tl_ctl_open(&ctl, &err))
		return tl_out_failed(&err);
	if (tl_ctl_enable(ctl, (u32)interval_ms, (u32)quiet_ms, &err))
		status = tl_out_failed(&err);
	else
		status = report(ctl, json, &err);
	tl_ctl_close(ctl);
	return status;
}

static int disable(const struct tl_cmd *cmd, int argc, char **argv)
{
	struct tl_error err;
	struct tl_ctl *ctl;
	bool json;
	int status = tl_args_json(cmd, argc, argv, &json);

	if (status != TL_GO_ON)
		return status;
	if (tl_ctl_open(&ctl, &err))
		return tl_out_failed(&err);
	if (tl_ctl_disable(ctl, &err))
		status = tl_out_failed(&err);
	else
		status = report(ctl, json, &err);
	tl_ctl_close(ctl);
	return status;
}

const struct tl_cmd tl_cmd_enable = {
	.name = "enable",
	.args = "[--interval MS] [--quiet MS] [--json]",
	.summary = "Start measuring",
	.help = "  -i, --interval MS length of an interval, 100 to 3600000\n"
		"  -q, --quiet MS    a response ends after so long without a byte, 10 or more;\n"
		"                    intervals become readable so much later\n"
		TL_COMMON_HELP
		"Without options the settings stay as they are.\n"
		"\nExample:\n"
		"  tierlens enable --interval 1000\n",
	.run = enable,
};

const struct tl_cmd tl_cmd_disable = {
	.name = "disable",
	.args = "[--json]",
	.summary = "Stop measuring and forget connections and open requests",
	.help = TL_COMMON_HELP
		"\nExample:\n"
		"  tierlens disable\n",
	.run = disable,
};
