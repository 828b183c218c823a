#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 kernels=6.1 timeout=300 machine=single
#
# Connections of one request each, one after the other: each request is counted, nothing is lost, and no more
# memory is used than after the first tenth of them. A million takes an hour or more in the emulator:
#
#   selftests/vm/run 6.1+single --timeout 9000 --env SHORT=1000000 selftests/vm/tests/short.sh
. /job/lib.sh
. /job/chain.sh

short=$((${SHORT:-2000} / slow))

# ask COUNT
#
# On one processor, on which what it sends is received in order. From two, an acknowledgement may come so late that
# Linux 6.1 finds the listening socket for it, which sends a reset: one in 10,000 connections, without the module, too.
# Of a million requests one, served and counted, had a reset instead of its answer. scale.sh asks from all processors.
ask()
{
	taskset -c 0 load --to 9102 --ask 'short size=10' --connections 2 --reconnect-every 1 --requests "$1" --seconds 9000 >/tmp/load.json ||
		not_ok 'load'
}

load_module && tierlens enable --interval 1000 >/dev/null || exit 1
serve below 9102 --mode epoll --requests 10000000 --seconds 9000
ask 2
wait_until 20 no_connections
before=$(occupancy)
record_new /tmp/r.jsonl
ask $((short / 10))
used=$(of_module memory_used)
ask "$short"
is "$(jq -c '[.count, .errors, .connects]' /tmp/load.json)" "[$short,0,$short]" 'each request has its answer, and its connection'
is "$(of_module memory_used)" "$used" "$short short connections later as much memory is used"
diag "$(jq '.rate | round' /tmp/load.json) a second; $used bytes"
stop_record_new /tmp/r.jsonl || not_ok 'record'
is "$(jq -n '[inputs.tiers[].cells[].count] | add' /tmp/r.jsonl)" $((short + short / 10)) 'every request is counted'
is "$(of_status '.losses | with_entries(select(.value > 0))')" '{}' 'nothing is lost'
is "$(unaccounted)" 0 'events seen = attributed + unattributed + ignored'
wait_until 20 back_to "$before"
is "$(occupancy)" "$before" 'all tables are as they were'
stop_servers
tierlens disable >/dev/null
check 'the module is unloaded' unload_module
done_testing
