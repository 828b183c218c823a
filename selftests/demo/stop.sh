#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Ends the shop that start.sh has started: front first, each by its process number.
set -euo pipefail

run=${SHOP_RUN:-/run/shop}
failed=0

gone()
{
	[ ! -e "/proc/$1" ] || grep -q '^State:[[:space:]]*Z' "/proc/$1/status" 2>/dev/null
}

# The server itself and, should it have died before them, its children: each server leads its
# own process group.
group_gone()
{
	gone "$1" && ! kill -0 -- "-$1" 2>/dev/null
}

# end NAME PID: asks, waits, and insists in the end.
end()
{
	local name=$1 pid=$2 i

	group_gone "$pid" && return
	kill -TERM "$pid" 2>/dev/null || kill -TERM -- "-$pid" 2>/dev/null || return 0
	for ((i = 0; i < 300; i++)); do
		if group_gone "$pid"; then
			return
		fi
		sleep 0.1
	done
	echo "stop.sh: $name ($pid) did not end in 30 s, killed" >&2
	kill -KILL -- "-$pid" || true
	failed=1
}

[ -f "$run/pids" ] || { echo 'stop.sh: the shop is not running' >&2; exit 1; }
while read -r name pid; do
	end "$name" "$pid"
done < <(tac "$run/pids")
rm -f "$run/pids"
exit $failed
