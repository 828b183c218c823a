#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 machine=virtual timeout=240
#
# The cost that tierlens selftest measures, on a machine whose clock counts instructions:
# there is no noise, so every hook must show, and what has no hook must not.
. /job/lib.sh

load_module || exit 1
tierlens selftest --shapes cost --json >/out/cost.json
is $? 0 'exit status'
# shellcheck disable=SC2034
while IFS=$'\t' read -r verdict line; do
	[ "$verdict" = true ] && ok "$line" || not_ok "$line"
done < <(jq -r '.cost[] | [(if .operation | startswith("no hook") then
		.hits < 0.1 and (.cost_ns | fabs) < 0.02 * .off_ns
	else
		.verdict == "measured" and .cost_ns > 0 and .cost_ns < 20000
	end), "\(.operation): \(.off_ns | round) ns, measuring adds \(.cost_ns | round) (\(.cost_low_ns | round) to \(.cost_high_ns | round)); \(.hooks)"]
	| @tsv' /out/cost.json)

# hits OPERATION HOOK TIMES: the first of a peer's may have been there before we look
hits()
{
	local got

	got=$(jq -r --arg op "$1" --arg hook "$2" '.cost[] | select(.operation == $op) | .hooks |
		capture("(^|, )\($hook) (?<n>[0-9.]+)").n // 0 | tonumber | . + 0.05 | floor' /out/cost.json)
	is "$got" "$3" "$1: hits of $2"
}
hits 'TCP request and answer' send 2
hits 'TCP request and answer' receive 2
hits 'UNIX request and answer' unix-send 2
hits epoll_wait epoll 1
hits 'eventfd write' eventfd-write 1
hits 'pipe read' pipe-read 1
hits 'futex wake' futex-wake 1
is "$(tierlens status --json | jq .enabled)" false 'measuring is off again'
unload_module
done_testing
