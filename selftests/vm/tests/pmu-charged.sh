#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1,6.1-arm64 timeout=180 machine=virtual
#
# Counts that are charged to requests. What the clock of a processor counts while a thread
# is on it is that thread's time on a processor, which is charged by the same rule and
# known by other means: both must agree for each tier and class. Where the processor has
# counters, its cycles agree with them in proportion.
. /job/lib.sh
. /job/chain.sh

requests=$((60 / slow))
bound=1 # percent

# charged FILE PORT CLASS EVENT
charged()
{
	jq -s --arg class "$3" "[.[].charged[]? | select((.tier | endswith(\":$2\")) and .class == \$class and
		.event == \"$4\") | .value] | add // 0" "$1"
}

# cpu FILE PORT CLASS
cpu()
{
	jq -s --arg class "$3" "[.[].tiers[] | select(.name | endswith(\":$2\")) | .cells[] |
		select(.class == \$class) | .cpu_ns] | add // 0" "$1"
}

# refused SENTENCE COMMAND...
refused()
{
	is "$("${@:2}" 2>&1)" "$1" "${*:2}"
}

load_module || exit 1
for class in small large; do tlmnl class-add $class $class || not_ok 'a class'; done
tlmnl pmu-add clock 1 0 charged || not_ok 'a clock'
tlmnl pmu-add switches 1 3 charged || not_ok 'switches'
tlmnl pmu-add cycles 0 0 charged 2>/dev/null && cycles=1 || cycles=0
tlmnl pmu-add beside 1 0 || not_ok 'a clock that is not charged'
is "$(tlmnl pmu-list | jq -s 'map(select(.charged) | .name) - ["cycles"] == ["clock", "switches"]')" true 'which are charged'
serve back 9202 --mode thread --work-us 0
serve front 9201 --mode pool --pool 4 --next 9202 --calls 2 --work-us 0
tierlens enable --interval $((500 * slow)) >/dev/null
record_new /tmp/r.jsonl
load --to 9201 --connections 4 --requests $requests --ask 'small work=3000,1500' --ask 'large work=9000,6000' >/dev/null ||
	not_ok 'load'
stop_record_new /tmp/r.jsonl || not_ok 'record'
for port in 9201 9202; do
	for class in small large; do
		within "$(charged /tmp/r.jsonl $port $class clock)" "$(cpu /tmp/r.jsonl $port $class)" "$port $class: the clock" $bound
	done
done
is "$(jq -s '[.[].charged[]? | select(.event == "switches") | .value] | add > 0' /tmp/r.jsonl)" true 'threads are switched'
is "$(jq -s '[.[].charged[]? | .event] | unique | index("beside")' /tmp/r.jsonl)" null 'what is not charged is not'
is "$(jq -s '([.[].charged[]? | select(.event == "clock") | .value] | add) <
	([.[].counts[]? | select(.event == "clock") | .value] | add)' /tmp/r.jsonl)" true \
	'less is charged than processors have counted'
is "$(jq -s '[.[].counts[]? | select(.event == "clock") | .enabled_ns == .running_ns] | all' /tmp/r.jsonl)" true \
	'it takes no turns'
if [ "$cycles" = 1 ]; then
	rate=$(jq -s '([.[].charged[]? | select(.event == "cycles") | .value] | add) /
		([.[].charged[]? | select(.event == "clock") | .value] | add)' /tmp/r.jsonl)
	diag "$rate cycles a nanosecond"
	for class in small large; do
		within "$(charged /tmp/r.jsonl 9201 $class cycles)" \
			"$(jq -n "$rate * $(charged /tmp/r.jsonl 9201 $class clock)")" "$class: cycles" $bound
	done
fi

# ---- four, and one after the other -----------------------------------------------

tlmnl pmu-del cycles 2>/dev/null
[ "$cycles" = 1 ] || tlmnl pmu-add third 1 3 charged || not_ok 'a third'
tlmnl pmu-add fourth 1 4 charged || not_ok 'a fourth'
full='No space left on device: four events are charged to requests already: delete one, and disable measuring'
refused "$full" tlmnl pmu-add fifth 1 5 charged
tlmnl pmu-del fourth || not_ok 'delete'
refused "$full" tlmnl pmu-add fifth 1 5 charged
tlmnl pmu-add fourth 77 0 charged 2>/dev/null && not_ok 'there is no such type'
refused "$full" tlmnl pmu-add fifth 1 5 charged
wait_for_interval
record_new /tmp/gone.jsonl
load --to 9201 --requests 4 --ask 'small work=100,100' >/dev/null || not_ok 'load'
stop_record_new /tmp/gone.jsonl || not_ok 'record'
is "$(jq -s '[.[].charged[]? | .event] | unique | (index("clock") != null) and (index("fourth") == null)' /tmp/gone.jsonl)" true \
	'what is not counted any more is not 0, but not there'
tlmnl pmu-add fifth 1 5 || not_ok 'one that is not charged'
check 'one of the same name goes on' tlmnl pmu-add fourth 1 4 charged
tlmnl pmu-del fourth || not_ok 'delete'
tierlens disable >/dev/null
tierlens enable --interval $((500 * slow)) >/dev/null
tlmnl pmu-add nothing 77 0 charged 2>/dev/null && not_ok 'there is no such type'
check 'when measuring has begun anew there is room, which what is refused does not take' tlmnl pmu-add sixth 1 5 charged

check 'the module goes with its events' unload_module
done_testing
