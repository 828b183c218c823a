#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens pmu list and pmu record against a fake kernel: what is asked of it, counts of
# processors, and counts that are charged to requests. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"

csv=$dir/counts.csv
log=$dir/log
export TIERLENS_FAKE_LOG=$log

# fake SCENE ARGUMENTS...: of tierlens pmu
fake()
{
	rm -f "$log"
	TIERLENS_FAKE=$1 run "$fake" pmu "${@:2}"
}

# told NAME: the last run has asked the kernel for this, from stdin, in this order
told()
{
	# Ids of attributes are those of the ABI: name, type, config, charged.
	diff - <(sed 's/ *$//' "$log") >"$dir/out"
	result $? "$1"
}

# name_is TEXT: the attribute of an event's name
name_is()
{
	printf '3=%s00' "$(printf %s "$1" | od -An -tx1 | tr -d ' \n')"
}

lists()
{
	fake charged list --json
	good 'list: what is counted, and what is charged' '.[0].events |
		(map(select(.counted_on > 0)) | map([.event, .counted_on, .charged]) | sort) ==
			[["cycles", 2, true], ["page-faults", 2, false]] and
		(map(select(.counted_on == 0)) | length > 10 and all(.charged == false))'
	fake charged list
	[[ $status == 0 ]] && grep -q '^cycles .* 2 processors, charged to requests$' "$dir/out" &&
		grep -q '^page-faults .* 2 processors$' "$dir/out" && grep -q '^instructions .* -$' "$dir/out"
	result $? 'list: as a table'
}

usage()
{
	plays off-on 2 'pmu record --classes takes at most 4 events' pmu record --classes \
		-e cycles,instructions,branches,page-faults,context-switches
	plays off-on 1 'event "nonsense": no such name here' pmu record --classes -e nonsense
	plays absent 1 'the kernel module is not loaded' pmu record --classes -e cycles
}

# Counts per request are what the fake counts; the rest was counted outside.
records()
{
	fake off-on record --classes -e cycles,page-faults -n 7 -o "$csv" --json
	good 'record --classes: counts per request' '.[0] | .intervals == 7 and
		(.classes | map([.tier, .class, .requests]) == [["web:80", "cart", 35], ["web:80", "other", 70], ["app:9000", "other", 21]]) and
		(.classes | map(.events | map([.event, .per_request])) == [
			[["cycles", 2000], ["page-faults", 4000]],
			[["cycles", 1000], ["page-faults", 2000]],
			[["cycles", 1000], ["page-faults", 2000]]]) and
		(.classes | map(.events[0].value) == [70000, 70000, 21000])'
	good 'and what was counted outside' '.[0] | .events[0].value == 350000 and
		.outside == [{"event": "cycles", "value": 189000, "part": 0.54},
			{"event": "page-faults", "value": 378000, "part": 0.54}]'
	told 'events are to be charged; measuring ends before they go' <<-EOF
		$(name_is cycles) 4=00000000 5=0000000000000000 8=
		$(name_is page-faults) 4=01000000 5=0200000000000000 8=
		5=e8030000

		$(name_is page-faults)
		$(name_is cycles)
	EOF
	[[ $(head -n 1 "$csv") == t,cpu,event,value,enabled,running && $(wc -l <"$csv") == 29 ]] &&
		! grep -q cart "$csv"
	result $? 'the file is that of processors'
	fake off-on record --classes -e cycles,page-faults -n 7 -o "$csv"
	[[ $status == 0 && ! -s $dir/out ]] && grep -Eq '^web:80 +cart +35 +2000 +4000$' "$dir/err" &&
		grep -Eq '^tier +class +requests +cycles per request +page-faults per request$' "$dir/err" &&
		grep -q '^Outside of requests: cycles 189000 (54.0 %), page-faults 378000 (54.0 %)$' "$dir/err"
	result $? 'as a table'
	cp "$dir/err" "$dir/table"
	fake off-on record -e cycles,page-faults -n 2 -o "$csv" --json
	good 'without --classes nothing of it' '.[0] | has("classes") or has("outside") | not'
	grep -q ' 8=' "$log"
	[[ $? == 1 ]]
	result $? 'and nothing is charged'
}

# older FILE: the first interval began more than a minute ago
older()
{
	awk -F, -v now="$EPOCHSECONDS" 'NR == 2 { exit !($1 < now - 60) }' "$1"
}

# Measuring was on: requests before the events were there are not for them to be divided by.
joins()
{
	fake clock record --classes -e cycles -n 3 -o "$csv" --json
	good 'measuring is on: whole intervals only' '.[0] | .intervals == 3 and .missed == 0 and
		(.classes | map(select(.class == "cart")) | .[0].requests == 15 and .[0].events[0].per_request == 2000)'
	fake long-ago record -e cycles -n 1 -o "$csv"
	[[ $status == 0 ]] && older "$csv"
	result $? 'an interval that has begun before is recorded'
	fake long-ago record --classes -e cycles -n 1 -o "$csv"
	[[ $status == 0 && $(wc -l <"$csv") == 3 ]] && ! older "$csv"
	result $? 'but not with --classes'
}

nobody()
{
	fake off-on,idle record --classes -e cycles -n 2 -o "$csv" --json
	good 'no requests: all was counted outside' '.[0] | .classes == [] and
		.outside == [{"event": "cycles", "value": 100000, "part": 1}]'
	fake off-on,idle record --classes -e cycles -n 2 -o "$csv"
	[[ $status == 0 ]] && grep -q '^There were no requests: nothing was charged to any.$' "$dir/err" &&
		grep -q '^Outside of requests: cycles 100000 (100.0 %)$' "$dir/err"
	result $? 'which is said'
}

# Charges go into recordings, and from there on.
recordings()
{
	TIERLENS_FAKE=off-on run "$fake" show --json
	good 'show --json: no event, nothing charged' '.[0] | has("charged") | not'
	TIERLENS_FAKE=charged run "$fake" show --json
	good 'show --json: charges by tier, class and event' '.[0] | (.counts | length) == 4 and
		(.charged | map([.tier, .class, .event]) == [["web:80", "other", "cycles"],
			["web:80", "cart", "cycles"], ["app:9000", "other", "cycles"]]) and
		(.charged | map(.value)) as [$web, $cart, $app] | $web == 10000 and $cart == 10000 and
		$app == 1000 * (.generation % 7)'
	TIERLENS_FAKE=charged run "$fake" record -n 3 -o "$dir/r.jsonl"
	run "$real" replay "$dir/r.jsonl" --json
	good 'and in a recording that is replayed' 'length == 3 and
		all((.charged | length) == 3 and .charged[1].value == 10000)'
}

lists
usage
records
joins
nobody
recordings
finish
