#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: brief=6.1,newest,6.1-arm64 timeout=180
#
# Counters: software events everywhere; where the processor has counters (the arm64 guest has a PMUv3,
# whose cycles count) more events than it has, taking turns; where it has none that is said. Processors
# go and come back, events come and go under way, the module goes with events on it.
. /job/lib.sh
. /job/chain.sh

# rows FILE FILTER: what jq makes of all rows of a recording of counters
rows()
{
	tail -n +2 "$1" | jq -R 'split(",") | {t: .[0], cpu: .[1] | tonumber, event: .[2], value: .[3] | tonumber,
		enabled: .[4] | tonumber, running: .[5] | tonumber}' | jq -s "$2"
}

# true_of FILE FILTER NAME
true_of()
{
	is "$(rows "$1" "$2")" true "$3"
}

load_module || exit 1

# ---- software events ----------------------------------------------------------

tierlens pmu record -e context-switches,page-faults,cpu-clock -i 0.5 -n 5 -o /tmp/soft.csv --json >/tmp/soft.json ||
	not_ok 'software events are recorded'
is "$(head -n 1 /tmp/soft.csv)" 't,cpu,event,value,enabled,running' 'the head of the table'
true_of /tmp/soft.csv 'map(.event) | unique == ["context-switches", "cpu-clock", "page-faults"]' 'all events are there'
true_of /tmp/soft.csv "map(.cpu) | unique | length == $(nproc)" 'of all processors'
true_of /tmp/soft.csv 'all(.enabled == .running)' 'which take no turns'
true_of /tmp/soft.csv 'map(select(.event == "context-switches") | .value) | add > 10' 'threads are switched'
# The clock counts what it is on.
true_of /tmp/soft.csv 'map(select(.event == "cpu-clock")) | (map(.value) | add) / (map(.enabled) | add) |
	. > 0.98e9 and . < 1.02e9' 'the clock of a processor counts its nanoseconds'
# Late once: what is missing then is in the next one.
true_of /tmp/soft.csv "map(select(.event == \"cpu-clock\" and .cpu == 0) | .enabled) | add / length | . > 0.4 and . < 0.8" \
	'an interval is what is counted at a time'
is "$(jq '.events | length' /tmp/soft.json)" 3 'the summary'
is "$(tierlens status --json | jq .enabled)" false 'measuring is off as before'
is "$(tlmnl pmu-list)" '' 'no event is left'

# ---- a recorder that stood still -----------------------------------------------

# behind: intervals that the recorder has not written of those that are closed
behind()
{
	echo $(($(newest) - ($(wc -l </tmp/still.csv) - 1) / $(nproc)))
}

at_most_behind()
{
	[ "$(behind)" -le "$1" ]
}

tierlens pmu record -e context-switches -i 0.5 -o /tmp/still.csv 2>/tmp/still.err &
pid=$!
wait_until 20 grep -qs context-switches /tmp/still.csv
began=$(behind)
kill -STOP $pid
wait_until 20 newest_after $(($(newest) + 6))
kill -CONT $pid
check 'a recorder that stood still for six intervals: it catches up' wait_until 20 at_most_behind $((began + 1))
kill -INT $pid
wait $pid
is "$(grep -c gap /tmp/still.err)" 0 'and has lost none'

# ---- what the kernel says of counters ---------------------------------------------

# of_list FILTER: of the events that pmu list has
of_list()
{
	jq -r ".events | $1" /tmp/list.json
}

tierlens pmu list --json >/tmp/list.json || not_ok 'pmu list'
is "$(of_list 'map(select(.type == 1)) | length > 5 and all(.at_once == "any" and .unavailable == null)')" true \
	'software has no limit'
is "$(of_list 'all((.unavailable == null) == (.at_once != null))')" true 'of all others it is known'
none=$(of_list 'map(select(.unavailable)) | .[0].event')
is "$(tierlens pmu list | grep -c "^$none .* -  cannot be: $(of_list 'map(select(.unavailable)) | .[0].unavailable')\$")" 1 \
	"$none: the table says that, too"
refused "cannot count $none: $(of_list 'map(select(.unavailable)) | .[0].unavailable')" tierlens pmu record -e "$none"
tierlens pmu record -e "$(of_list 'map(select(.unavailable == null) | .event) | unique | join(",")')" -i 0.5 -n 1 \
	-o /tmp/all.csv 2>/tmp/all.err || not_ok "what can be counted is: $(cat /tmp/all.err)"

caps=0
for cap in /sys/bus/event_source/devices/*/caps/*; do
	[ -f "$cap" ] || continue
	device=${cap%/caps/*}
	is "$(jq -r --arg device "${device##*/}" --arg cap "${cap##*/}" \
		'.devices[] | select(.device == $device) | .caps[$cap]' /tmp/list.json)" "$(head -n 1 "$cap")" "$cap"
	caps=$((caps + 1))
done
is "$(jq '[.devices[].caps | length] | add // 0' /tmp/list.json)" $caps 'that is all that devices tell'
is "$(tierlens pmu list | sed '1,/^$/d; /^Others/,$d' | grep -o ' [a-z_]* [^ ,]*' | wc -l)" $caps 'in the table, too'

# ---- the processor's -----------------------------------------------------------

if tierlens pmu record -e cycles -i 0.5 -n 2 -o /tmp/cycles.csv 2>/tmp/cycles.err; then
	true_of /tmp/cycles.csv 'all(.value > 0 and .running > 0)' 'cycles count'
	many=cycles,armv8_pmuv3/config=0x11/,r11,armv8_pmuv3/event=0x11/,r0011,r00011
	many+=,r000011,r0000011,r00000011,armv8_pmuv3/config=0x0011/,armv8_pmuv3/event=0x0011/
	tierlens pmu record -e "$many" -i 1 -n 6 -o /tmp/many.csv 2>/tmp/many.err || not_ok "many: $(cat /tmp/many.err)"
	true_of /tmp/many.csv 'map(.event) | unique | length == 11' 'more events than counters: all are there'
	true_of /tmp/many.csv 'group_by(.event) | map((map(.running) | add) / (map(.enabled) | add)) |
		(min < 0.95) and (min > 0.05)' 'they take turns'
	once=$(of_list 'map(select(.event == "cycles")) | .[0].at_once')
	check "cycles: $once at once" test "$once" -ge 2 -a "$once" -lt 11
	check 'that they will take turns is told before' \
		grep -qx "11 events take turns on the counters: $(((10 + once) / once)) groups would not" /tmp/many.err
	tierlens pmu record -e "$(cut -d, -f "1-$once" <<<"$many")" -i 0.5 -n 2 -o /tmp/once.csv 2>/tmp/once.err ||
		not_ok "so many: $(cat /tmp/once.err)"
	true_of /tmp/once.csv "(map(.event) | unique | length == $once) and all(.running == .enabled)" \
		"$once of them take none"
	is "$(sed -n 's/^  -e //p' /tmp/many.err | tr , '\n' | sort)" "$(tr , '\n' <<<"$many" | sort)" \
		'all are in a group'
	mapfile -t groups < <(sed -n 's/^  -e //p' /tmp/many.err)
	for group in "${groups[@]}"; do
		tierlens pmu record -e "$group" -i 0.5 -n 2 -o /tmp/group.csv 2>/tmp/group.err || not_ok "$group"
		true_of /tmp/group.csv 'all(.running == .enabled)' "no turns: $group"
	done
else
	is "$(of_list 'map(select(.type == 0 or .type == 3)) | all(.unavailable == "nothing here counts that event")')" true \
		'no counters: no events of theirs'
	is "$(cat /tmp/cycles.err)" 'tierlens: cannot count cycles: nothing here counts that event, virtual machines often count none: tierlens pmu list tells what there is' \
		'no counters: that is said'
	is "$(tierlens status --json | jq .enabled)" false 'and measuring is off'
fi

# ---- a processor goes and comes back ---------------------------------------------

online=/sys/devices/system/cpu/cpu1/online
if [ -w $online ]; then
	# Of switches perf counts who wants them, and waits for processors to do so.
	tlmnl pmu-add clock 1 0 && tlmnl pmu-add switches 1 3 || not_ok 'events are added'
	tierlens enable --interval 500 >/dev/null
	record /tmp/hotplug.jsonl
	wait_for_interval
	echo 0 >$online
	wait_for_interval
	wait_for_interval
	wait_for_interval
	is "$(tlmnl pmu-list | jq -s 'map(.cpus)|tostring' -r)" '[1,1]' 'a processor goes: one is left'
	echo 1 >$online
	wait_for_interval
	wait_for_interval
	is "$(tlmnl pmu-list | jq -s 'map(.cpus)|tostring' -r)" '[2,2]' 'it is back: both are counted'
	stop_record || not_ok 'record'
	is "$(jq -s '[.[].counts // [] | map(.cpu) | tostring] | (index("[0,0]") != null) and
		(.[-1] | fromjson | length == 4)' /tmp/hotplug.jsonl)" true 'intervals have one, and then both'
	tierlens disable >/dev/null
fi

# ---- under way ---------------------------------------------------------------------

tlmnl pmu-del >/dev/null
serve front 9201 --mode pool --pool 4
tlmnl pmu-add clock 1 0 charged || not_ok 'a clock that is charged'
tierlens enable --interval 500 >/dev/null
load --to 9201 --connections 4 --requests 100000 --seconds $((100 * slow)) --ask 'small work=100' >/dev/null 2>&1 &
load=$!
for n in {1..6}; do
	tlmnl pmu-del clock && tlmnl pmu-add clock 1 0 || not_ok "$n: under way"
	[ "$n" -gt 3 ] || { tlmnl pmu-add "switches$n" 1 3 charged || not_ok "$n: charged, under way"; }
	[ ! -w $online ] || { echo $((n % 2)) >$online; sleep 0.2; }
done
[ ! -w $online ] || echo 1 >$online
wait_for_interval
wait_for_interval
# tlmnl has looked at each of its figures.
check 'events come and go under way' test "$(tlmnl get | jq '.counts | length')" -ge 4
check 'the module goes under traffic' unload_module
kill $load || not_ok 'its traffic had ended before'
wait $load 2>/dev/null
load_module || exit 1

# ---- refused ----------------------------------------------------------------------

tlmnl pmu-del >/dev/null
refused 'event "nonsense": no such name here' tierlens pmu record -e nonsense
refused 'there is no device "nobody"' tierlens pmu record -e nobody/event=1/
tlmnl pmu-add twice 1 0
is "$(tlmnl pmu-add twice 1 0 2>&1)" 'File exists: that name is counted already: choose another, or delete it' 'a name twice'
is "$(tlmnl pmu-del nobody 2>&1)" 'No such file or directory: no such event is counted: tierlens pmu list tells which are' \
	'an event that is not there'
for n in {1..63}; do tlmnl pmu-add "n$n" 1 0 || not_ok "event $n"; done
is "$(tlmnl pmu-add one-more 1 0 2>&1)" 'No space left on device: there are 64 events already: delete one' '64 and no more'
tierlens enable --interval 500 >/dev/null
# Nobody waits for a processor that is late.
all_counted()
{
	[ "$(tlmnl get | jq '.counts | length')" = $((64 * $(nproc))) ]
}
check 'all of them in an interval' wait_until 20 all_counted
# With all of them counting.
check 'the module goes with its events' unload_module
done_testing
