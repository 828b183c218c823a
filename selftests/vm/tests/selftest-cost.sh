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
done < <(jq -r '.cost[] | [(.verdict == "measured" and .cost_ns > 0 and .cost_ns < 20000) !=
	(.operation | startswith("no hook")),
	"\(.operation): \(.off_ns | round) ns, measuring adds \(.cost_ns | round) (\(.cost_low_ns | round) to \(.cost_high_ns | round)); \(.hooks)"]
	| @tsv' /out/cost.json)
hits()
{
	is "$(jq -r ".cost[] | select(.operation == \"$1\") | .hooks" /out/cost.json)" "$2" "$1: hits"
}
hits 'TCP request and answer' 'send 2, received 2, receive 2'
hits epoll_wait 'epoll 1'
hits 'eventfd write' 'eventfd-write 1'
hits 'pipe read' 'pipe-read 1'
hits 'futex wake' 'futex-wake 1'
hits 'no hook: getppid' ''
is "$(tierlens status --json | jq .enabled)" false 'measuring is off again'
unload_module
done_testing
