#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=300
#
# Over a chain of synchronous tiers no nanosecond is lost: response = own + calls at
# every tier in every interval; and the own times of all tiers, with what each call
# spent between its two ends, make up the front tier's response. What is between the
# ends is measured call by call at both of them, so the second sum does not follow from
# the first. Everything here is compared as integers.
. /job/lib.sh
. /job/chain.sh

all_closed()
{
	! ss -Htn state established '( dport >= :9101 and dport <= :9103 )' | grep -q .
}

requests=$((600 / slow)) burst=$((24 / slow))
load_module || exit 1
serve back 9103 --mode thread --work-us 300
serve mid 9102 --mode thread --next 9103 --calls 2 --work-us 200
serve front 9101 --mode thread --next 9102 --calls 1 --work-us 100

# Intervals in which a burst has room, and gaps longer than they are, however slow this machine is.
load --to 9101 --connections 3 --ask home --requests $burst >/tmp/load.json || not_ok 'load before'
wait_until 20 all_closed || not_ok 'connections of the load before are closed'
interval=$(jq '.seconds * 4000 | ceil | [., 500] | max' /tmp/load.json)
tierlens enable --interval "$interval"
record /tmp/r.jsonl
load --to 9101 --connections 3 --ask home --requests $requests --seconds $((200 * slow)) --burst $burst --gap-ms $((interval * 7 / 5)) \
	>/tmp/load.json || not_ok 'load'
wait_for_interval
stop_record || not_ok 'record'
before=$(newest)
status=$(tierlens status --json)
is "$(jq -c "[.newest >= $before and .newest <= $(newest), (.interval_s * 1000 | round), (.quiet_s * 1000 | round)]" <<<"$status")" \
	"[true,$(of_module interval_ms),$(of_module quiet_ms)]" 'both clients are told the same'
stop_servers
tierlens disable
unload_module
cp /tmp/r.jsonl /out/conservation.jsonl

is "$(cell_sum /tmp/r.jsonl 9101 count)" $requests 'front: every request counted once'
is "$(cell_sum /tmp/r.jsonl 9102 count)" $requests 'middle: every request counted once'
is "$(cell_sum /tmp/r.jsonl 9103 count)" $((2 * requests)) 'back: every request counted once'

cat >/tmp/conserve.jq <<'END'
# Per tier of one interval: response - own - calls; zero for synchronous tiers.
def rest: . as $i | [.tiers[] | .name as $n |
	([.cells[].response_ns] | add // 0) - ([.cells[].own_ns] | add // 0)
	- ([$i.edges[] | select(.tier == $n) | .time_ns] | add // 0)];
def own: [.tiers[].cells[].own_ns] | add // 0;
def front: [.tiers[] | select(.name | endswith(":9101")) | .cells[].response_ns] | add // 0;
def calls(key): [.edges[] | select(.tier != null and .tier != "") | .[key]] | add // 0;
def transit: calls("transit_ns");
def carried: [.tiers[].cells[].carried] | add // 0;
def count: [.tiers[].cells[].count] | add // 0;
END
jqs()
{
	jq -s "$(cat /tmp/conserve.jq) $1" /tmp/r.jsonl
}

is "$(jqs '[.[] | rest[] | select(. != 0)] | length')" 0 \
	'every tier, every interval: response = own + calls to the nanosecond'
# An interval counts if no request reaches into it or out of it.
jqs '[range(1; length - 1) as $k | select(.[$k] | count > 0) |
	select((.[$k] | carried) == 0 and (.[$k + 1] | carried) == 0) |
	.[$k] | front - own - transit]' >/tmp/whole
whole=$(jq length /tmp/whole)
[ "$whole" -ge 5 ] && ok "$whole intervals that no request reaches across" ||
	not_ok "only $whole intervals that no request reaches across"
is "$(jq '[.[] | select(. != 0)] | length' /tmp/whole)" 0 \
	'in each of them: front response = own times + transit of calls to the nanosecond'
is "$(jqs '([.[] | front] | add) - ([.[] | own] | add) - ([.[] | transit] | add)')" 0 \
	'in total: front response = own times + transit of calls to the nanosecond'
is "$(jqs '([.[] | calls("joined")] | add) - ([.[] | calls("calls")] | add)')" 0 \
	'the other end of every call was seen'
is "$(jqs '[.[] | calls("time_ns") - transit] | add')" \
	"$(jqs '[.[].tiers[] | select(.name | endswith(":9101") | not) | .cells[].response_ns] | add')" \
	'time of the calls less their transit = response of the tiers below'
diag "front $(jqs '[.[] | front] | add') ns, own $(jqs '[.[] | own] | add') ns, transit $(jqs '[.[] | transit] | add') ns"

is "$(unaccounted "$status")" 0 'events seen = attributed + unattributed + ignored'
is "$(unaccounted "$(</tmp/r.jsonl)")" 0 'the same in every interval'
# A request is a receive and a send at each tier, and each call a send and a receive.
is "$(jq .events.attributed <<<"$status")" $((requests * (2 + 2 + 2 + 4 + 4))) \
	'every event of the chain is attributed'
is "$(jq .events.unattributed <<<"$status")" 0 'none is unattributed'
is "$(jq .events.ignored <<<"$status")" $((requests * 2)) 'those of the load are ignored'
is "$(jq '[.losses | to_entries[] | select(.key != "quiet") | .value] | add' <<<"$status")" 0 \
	'nothing is lost'
done_testing
