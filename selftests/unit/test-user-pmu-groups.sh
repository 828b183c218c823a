#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens pmu list and pmu record against the fake kernel's counters, of which there are four: how
# many of an event are counted at once, and groups that take no turns. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"

csv=$dir/counts.csv

# fake SCENE ARGUMENTS...: of tierlens pmu
fake()
{
	TIERLENS_FAKE=$1 run "$fake" pmu "${@:2}"
}

# errs NAME: the last run ended well and said what is on stdin, beside the table
errs()
{
	[[ $status == 0 ]] && diff <(grep -vE '^event|[0-9]$' "$dir/err") - >"$dir/out"
	result $? "$1"
}

lists()
{
	fake off list --json
	good 'list: how many at once' '.[0].events | map({key: .event, value: .at_once}) | from_entries |
		.cycles == 4 and ."ref-cycles" == 1 and ."L1-dcache-loads" == 4 and ."bus-cycles" == null and
		."page-faults" == "any"'
	good 'and why not' '.[0].events | map({key: .event, value: .unavailable}) | from_entries |
		."bus-cycles" == "nothing here counts that event" and .cycles == null and ."page-faults" == null'
	good 'what devices tell' '.[0].devices | all((.device | type) == "string" and (.caps | length > 0))'
	fake charged list
	[[ $status == 0 ]] && grep -Eq '^ref-cycles +generic +0 +0x9 +1  -$' "$dir/out" &&
		grep -Eq '^bus-cycles +generic +0 +0x6 +-  cannot be: nothing here counts that event$' "$dir/out" &&
		grep -Eq '^page-faults +generic +1 +0x2 +any  2 processors$' "$dir/out" &&
		! grep -q 'not known' "$dir/out"
	result $? 'as a table'
	fake off,no-perf list
	[[ $status == 0 ]] && grep -Eq '^cycles .* \?  -$' "$dir/out" &&
		grep -q '^? is not known: perf_event_open is not permitted: run this as root' "$dir/out"
	result $? 'list: not permitted'
	fake off,no-perf list --json
	good 'which is null' '.[0].events | length > 20 and all(.at_once == null and .unavailable == null)'
}

records()
{
	local five=cycles,instructions,branches,branch-misses,cache-misses

	fake off-on,turns record -e ref-cycles,$five,page-faults -n 2 -o "$csv"
	errs 'record: groups, before and in the end' <<-EOF
		7 events take turns on the counters: 2 groups would not
		2 groups take no turns, if nobody else counts:
		  -e ref-cycles,cycles,instructions,branches,page-faults
		  -e branch-misses,cache-misses
	EOF
	fake off-on,turns record -e ref-cycles,$five,page-faults -n 2 -o "$csv" --json
	good 'as JSON' '.[0].groups == [["ref-cycles", "cycles", "instructions", "branches", "page-faults"],
		["branch-misses", "cache-misses"]]'
	fake off-on,turns record -e cycles,instructions -n 2 -o "$csv"
	errs 'they fit and take turns all the same: that is what is said' <<-EOF
		They fit on the counters, but somebody else counts as well: the NMI watchdog, or perf.
		1 of them are counted at once. Without taking turns:
		  -e cycles
		  -e instructions
	EOF
	fake off-on,turns,no-perf record -e $five -n 2 -o "$csv"
	errs 'not permitted: a guess' <<-EOF
		2 of them are counted at once. Without taking turns:
		  -e cycles,instructions
		  -e branches,branch-misses
		  -e cache-misses
	EOF
	fake off-on,turns,no-perf record -e $five -n 2 -o "$csv" --json
	good 'which is not for programs' '.[0] | has("groups") and .groups == null'
	fake off-on record -e cycles,page-faults -n 2 -o "$csv"
	errs 'no turns: nothing is said' </dev/null
	fake off-on record --classes -e ref-cycles,r101 -n 2 -o "$csv" --json
	[[ $status == 0 && ! -s $dir/err ]]
	result $? 'charged ones take none'
}

lists
records
finish
