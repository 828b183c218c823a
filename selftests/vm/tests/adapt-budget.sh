#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 machine=virtual timeout=600
#
# Two tiers that do next to nothing but talk, asked thousands of times a second: what the hooks cost there is above
# the budget. tierlensd lowers levels, those of tiers that are not known yet included, so that hooks are armed no more,
# and never are two windows in turn above it. It decides when a window can be read, a quiet time after its end, so
# that holds for up to four times the budget. When it has ended all is as before.
. /job/lib.sh
. /job/chain.sh

load_module || exit 1
serve back 9102 --seconds 500 --requests 1000000
serve front 9101 --next 9102 --calls 1 --seconds 500 --requests 1000000
tierlens enable --interval 1000 || exit 1

ask()
{
	load --to 9101 --connections 4 --think-ms 1 --ask home --requests 10000000 --seconds "$1" >/tmp/load.json
}

# with BUDGET LEVEL SECONDS: a part of the one processor, where all are then, and how long they are asked
with()
{
	local daemon

	tierlensd --budget "$1" --log /tmp/d.jsonl 2>/tmp/d.err &
	daemon=$!
	sleep 2
	record_new /tmp/r.jsonl
	ask "$3"
	is "$(tlmnl status | jq -c '[.level, .leased_from]')" "[$2,2]" "$1: all are at level $2"
	stop_record_new /tmp/r.jsonl
	kill -TERM $daemon
	wait $daemon || not_ok "tierlensd ends well: $(cat /tmp/d.err)"
	cp /tmp/d.jsonl "/out/budget-$1.jsonl"
	cp /tmp/r.jsonl "/out/recording-$1.jsonl"
	jq '(.cost | .hook_s + .hook_way_s) / .seconds' /tmp/r.jsonl >/tmp/shares
	diag "shares: $(awk '{ printf "%s%.4f", s, $1; s = " " }' /tmp/shares)"
	diag "$(jq -c 'select(.kind == "decision") | [.why, .tier, .from, .to]' /tmp/d.jsonl)"
	is "$(awk -v b="$1" '$1 > b { n++ } END { print n + 0 }' /tmp/shares)" 1 "$1: above the budget in the first window"
	check 'and says why' test "$(jq -s 'map(select(.why == "budget" and .cost.share > .cost.budget)) | length' /tmp/d.jsonl)" -gt 0
	wait_until 10 eval '[ "$(tlmnl status | jq -c "[.level, .leased_from]")" = "[2,null]" ]'
	is "$(tlmnl status | jq -c '[.level, .leased_from]')" '[2,null]' 'all as before, when it has ended'
}

# At server the hooks take 1.7 % of the processor there, and more, at trace 1.1.
with 0.0145 1 5
with 0.003 0 4
record_new /tmp/r.jsonl
ask 1
stop_record_new /tmp/r.jsonl
check 'measured as before' test "$(cell_sum /tmp/r.jsonl 9101 count)" -gt 100
is "$(jq -s '[.[].events.unattributed] | add' /tmp/r.jsonl)" 0 'and well'
stop_servers
unload_module
done_testing
