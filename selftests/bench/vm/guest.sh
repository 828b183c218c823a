#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: manual machine=virtual timeout=14000
#
# tools/bench-vm's part in the guest, on a machine whose clock counts instructions, one nanosecond each: blocks of the same
# requests without a tool, again without, with the module at each level, in turn, TURNS times. What a block took, idle
# time apart, is the instructions of clients, servers, kernel and tool. A line a block: see "block" below.
. /job/servers.sh
. /job/others.sh

turns=${TURNS:?} kinds=${KINDS:?}
blocks=/out/blocks

# now: instructions so far, and those that the processor has not been idle for
now()
{
	awk '/^now at/ { at = $3 } /idle_sleeptime/ { sub(/.*:/, ""); idle += $1 } END { printf "%.0f %.0f\n", at, at - idle }' /proc/timer_list
}

# ---- tools ------------------------------------------------------------------

at_level()
{
	load_module && tierlens enable --interval 1000 && tierlens level --default "$1" >/dev/null || not_ok "level $1"
}

none_begin() { :; }
none_end() { :; }
again_begin() { :; }
again_end() { :; }
loaded_begin() { load_module || not_ok 'insmod'; }
loaded_end() { unload_module; }
off_begin() { at_level off; }
off_end() { unload_module; }
trace_begin() { at_level trace; }
trace_end() { losses; unload_module; }
server_begin() { at_level server; }
server_end() { hooks "$@"; losses; unload_module; }

method_begin()
{
	local tier

	at_level server
	"$1" "$2" "$3" >/dev/null
	for tier in $(tierlens tier list --json | jq -r '.tiers[] | select(.connections > 0 or .port != 0) | .name'); do
		tierlens level "$tier" method --functions 80 --json >/dev/null 2>/tmp/method.err ||
			{ not_ok "$tier: at method"; diag "$(cat /tmp/method.err)"; }
	done
}

method_end()
{
	losses
	unload_module
}

# As it is meant to be used: the daemon decides, within its budget. It has seen the load for a while before.
daemon_begin()
{
	local until

	load_module && tierlens enable --interval 1000 || not_ok 'insmod'
	tierlensd --config /dev/null --listen none --log /out/daemon.jsonl 2>>/out/daemon.err &
	daemon=$!
	until=$(($(cut -d. -f1 /proc/uptime) + ${SETTLE_S:-12}))
	while [ "$(cut -d. -f1 /proc/uptime)" -lt $until ]; do
		"$1" "$2" "$3" >/dev/null
	done
}

daemon_end()
{
	diag "daemon: levels $(tierlens level --json | jq -c '[.default, [.tiers[]? | .level]]')"
	kill -TERM "$daemon"
	wait "$daemon" || not_ok "tierlensd: $(tail -n 1 /out/daemon.err)"
	losses
	unload_module
}

# hooks LOAD CONNECTIONS REQUESTS: what each hook took, and the way to it: lines of JSON.
hooks()
{
	tierlens status --json | jq -c --arg load "$1" --argjson connections "$2" --argjson requests "$3" '.hooks[] |
		select(.hits > 0) | {$load, $connections, $requests, hook: .name, symbol, hits, timed, timed_ns, floor_ns}' >>/out/hooks
}

# What was lost since the module is there, but for what is only noted.
losses()
{
	local lost

	lost=$(tierlens status --json | jq -c '.losses | del(.quiet, .unanswered, .push) | with_entries(select(.value > 0))')
	[ "$lost" = '{}' ] || diag "lost: $lost"
	echo "lost $lost" >>/out/lost
}

# ---- loads: NAME CONNECTIONS REQUESTS ---------------------------------------

pages()
{
	load --to 127.0.0.1:8080 --proto http --connections "$1" --requests "$2" --seconds 3600 "${@:3}" >/tmp/load.json ||
		not_ok 'load'
	jq -r .mean_s /tmp/load.json
}

shop() { pages "$1" "$2" --mix /job/demo/mix.txt --tail '</html>'; }
static() { pages "$1" "$2" --ask /style.css; }

redis()
{
	redis-benchmark -q -t get -c "$1" -n "$2" --csv "${@:3}" | tail -n 1 | tr -d '"' | awk -F, '{ print $3 / 1000 }'
}

redis_pipelined() { redis "$1" "$2" -P 16; }

# ---- blocks -----------------------------------------------------------------

# block LOAD CONNECTIONS TURN KIND REQUESTS: "LOAD CONNECTIONS TURN KIND REQUESTS INSTRUCTIONS NANOSECONDS MEAN-RESPONSE"
block()
{
	local from to busy_from busy_to mean
	"$4_begin" "$1" "$2" "$(($5 / 8))"
	"$1" "$2" "$(($5 / 8))" >/dev/null
	read -r from busy_from < <(now)
	mean=$("$1" "$2" "$5")
	read -r to busy_to < <(now)
	"$4_end" "$1" "$2" $(($5 / 8 + $5))
	echo "$1 $2 $3 $4 $5 $((busy_to - busy_from)) $((to - from)) $mean" | tee -a $blocks | sed 's/^/# /'
}

# blocks_of LOAD REQUESTS CONNECTIONS...
blocks_of()
{
	local load=$1 requests=$2 connections turn place order

	[[ " $LOADS " == *" $load "* ]] || return 0
	# The daemon looks once a second, and is to be seen doing so.
	[[ " $kinds " != *" daemon "* ]] || requests=$((requests * 5))
	read -ra order <<<"$kinds"
	for connections in "${@:3}"; do
		# All that is done once is done before the first.
		"$load" "$connections" $((requests * 2)) >/dev/null
		for ((turn = 1; turn <= turns; turn++)); do
			# Each turn begins with another, so that none always follows the same.
			for place in "${!order[@]}"; do
				block "$load" "$connections" $turn "${order[(place + turn) % ${#order[@]}]}" "$requests"
			done
		done
	done
}

: >$blocks
: >/out/lost
: >/out/hooks
finish_first
[ ! -b /dev/vdc ] || tools_mount || not_ok 'the drive with the other tools'
cd /job/demo || exit 1
./start.sh --children 4 >/tmp/start.log 2>&1 || { diag "$(tail -n 20 /tmp/start.log)"; exit 1; }
# shellcheck disable=SC2086
blocks_of shop "${PAGES:-240}" ${SHOP_CONNECTIONS:-1 8 64}
# shellcheck disable=SC2086
blocks_of static "${FILES:-2000}" ${CONNECTIONS:-1 64}
./stop.sh >/dev/null
redis-server --daemonize yes --port 6379 --save '' >/dev/null
wait_for_port 6379 10
# So many that the start of redis-benchmark, 34 to 45 M instructions in each block, is a small part of them.
# shellcheck disable=SC2086
blocks_of redis "${COMMANDS:-20000}" ${CONNECTIONS:-1 64}
# shellcheck disable=SC2086
blocks_of redis_pipelined $((${COMMANDS:-20000} * 4)) ${CONNECTIONS:-1 64}
redis-cli shutdown nosave
ok 'all blocks were run'
done_testing
