#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens pmu list against the fake kernel's counters, of which there are four: how many of an event
# are counted at once. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"

# fake SCENE ARGUMENTS...: of tierlens pmu
fake()
{
	TIERLENS_FAKE=$1 run "$fake" pmu "${@:2}"
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

lists
finish
