#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 timeout=600
#
# Classes under load: what the rules say is what is counted, in every tier of a chain,
# whether a tier has rules of its own or not, while rules come and go, and where there are
# more paths than places for them. Read by the client that checks of each interval that
# paths sum up to cells.
. /job/lib.sh
. /job/chain.sh

requests=$((160 / slow))
classes=()
asks=()
for n in {00..15}; do
	classes+=("c$n")
	asks+=(--ask "c$n")
done

# ---- helpers ----------------------------------------------------------------

# Until an interval has ended: their numbers go on from a higher one, and two more than the last
# before would be the first.
enable()
{
	local before

	before=$(newest)
	tlmnl enable $((500 * slow))
	wait_until 20 newest_after $((before + 1))
}

# An even mix of all classes; what was measured goes to /tmp/m.jsonl.
ask()
{
	local first

	first=$(newest)
	load --to 9101 --in-order "${asks[@]}" --connections 4 --seconds $((60 * slow)) --requests $requests \
		>/tmp/load.json || not_ok 'load'
	settle "$first"
}

# settle GENERATION: all that ended after it, once it can be read
settle()
{
	wait_until 20 newest_after $(($(newest) + 2))
	wait_until 30 grep -q "^{\"generation\":$(newest)," /tmp/all.jsonl ||
		diag "the reader has stopped: $(cat /tmp/all.err)"
	jq -c "select(.generation > $1)" /tmp/all.jsonl >/tmp/m.jsonl
}

# counted TIER: requests by class
counted()
{
	jq -c -s --arg tier "$1" '
		reduce (.[].cells[] | select(.tier_name == $tier and .count > 0)) as $c ({};
			.[$c.class_name] += $c.count)' /tmp/m.jsonl
}

# asked_for TIMES [CLASS-OF]: requests by class, as the load says; CLASS-OF is a jq
# filter from its targets to classes.
asked_for()
{
	jq -c "reduce .targets[] as \$t ({}; .[\$t.name | ${2:-.}] += \$t.count * $1)" /tmp/load.json
}

# counted_paths: requests by path, from the front down
counted_paths()
{
	jq -c -s '
		reduce (.[] | (.paths | INDEX(.id)) as $node | .paths[] | select(.count > 0) |
			{count, path: ([recurse(if .parent then $node[.parent | tostring] else empty end) |
				"\(.tier_name)/\(.class_name)"] | reverse | join(" > "))}) as $p
		({}; .[$p.path] += $p.count)' /tmp/m.jsonl
}

# asked_paths FRONT MID BACK: the same as the load says; jq filters from targets to classes
asked_paths()
{
	jq -c "
		reduce (.targets[] | .count as \$n | [(.name | \"front/\" + $1), (.name | \" > mid/\" + $2),
			(.name | \" > back/\" + $3)] as [\$f, \$m, \$b] |
			{path: \$f, n: \$n}, {path: (\$f + \$m), n: \$n}, {path: (\$f + \$m + \$b), n: (2 * \$n)}) as \$p
		({}; .[\$p.path] += \$p.n)" /tmp/load.json
}

lost()
{
	jq -s '[.[].losses | to_entries[] | select(.key != "quiet") | .value] | add' /tmp/m.jsonl
}

# sum FILTER: of what it yields in all intervals
sum()
{
	jq -s "[.[] | $1] | add // 0" /tmp/m.jsonl
}

# expect NAME FRONT MID BACK: jq filters from the load's targets to a tier's classes
expect()
{
	is "$(counted front)" "$(asked_for 1 "$2")" "$1: requests by class at the front"
	is "$(counted mid)" "$(asked_for 1 "$3")" "$1: in the middle"
	is "$(counted back)" "$(asked_for 2 "$4")" "$1: at the back"
	is "$(counted_paths)" "$(asked_paths "$2" "$3" "$4")" "$1: by path"
	is "$(lost)" 0 "$1: nothing is lost"
}

# add_rules [TIER]: one for each class
add_rules()
{
	local class

	for class in "${classes[@]}"; do
		tlmnl class-add "$class" "$class\\x20" "$@" || return 1
	done
}

delete_rules()
{
	local class

	for class in $(tlmnl class-list | jq -r .name | sort -u); do
		tlmnl class-del "$class" || return 1
	done
	[ "$(tlmnl status | jq .class_rules)" = 0 ]
}

# ---- the chain --------------------------------------------------------------

load_module || exit 1
enable
tlmnl tier-add front 9101
tlmnl tier-add mid 9102
tlmnl tier-add back 9103
serve back 9103 --mode thread --work-us 100
serve mid 9102 --mode epoll --pool 8 --next 9103 --calls 2 --work-us 100
serve front 9101 --mode thread --next 9102 --calls 1 --work-us 100
tlmnl follow 0 1000000 >/tmp/all.jsonl 2>/tmp/all.err &
reader=$!

# ---- none -------------------------------------------------------------------

ask
expect 'no rules' '"other"' '"other"' '"other"'

# ---- for the back only ------------------------------------------------------

# Its threads have been waiting for the next request since before there was a rule.
check 'rules for the back tier only' add_rules back
ask
expect 'for the back' '"other"' '"other"' .
delete_rules || not_ok 'rules deleted'

# ---- for all tiers ----------------------------------------------------------

check '16 rules' add_rules
is "$(tlmnl status | jq .class_rules)" 16 'the module says so'
ask
expect 'for all tiers' . . .
is "$(tlmnl class-list | jq -c -s 'map({key: .name, value: .hits}) | from_entries')" "$(asked_for 4)" \
	'each has decided as many requests as there were in all tiers'
is "$(sum '.edges[] | .joined')" $((requests * 3)) 'both ends of each call were seen'
is "$(sum '.edges[] | .calls')" $((requests * 3)) 'no more calls than that'
is "$(sum '.cells[] | .queue_count')" $((requests * 4)) 'and of each request, the load'\''s as well'
is "$(jq -s '[.[].edges[] | select(.class_name | test("^c[01][0-9]$") | not)] | length' /tmp/m.jsonl)" 0 \
	'each call has a class'
is "$(sum '(.cells[] | select(.tier_name != "front") | .response_ns), -(.edges[] | .time_ns - .transit_ns)')" 0 \
	'calls less what lies between their ends = responses of the callees, to the nanosecond'

# What the threads did, they did for these requests: each burns 100 us.
cells=$(sum '.cells[] | .cpu_ns') charged=$(sum '.usage[] | .request_cpu_ns') used=$(sum '.usage[] | .cpu_ns')
diag "processor time: of the requests that ended $cells ns, charged $charged ns, of the processes $used ns"
check 'processor time: no less than what they burn' test "$cells" -ge $((requests * 4 * 100000))
check 'processor time: no more than was charged' test "$cells" -le "$charged"
# The processes' own is brought up to date at ticks, of which each CPU may be short by one.
check 'processor time: no more charged than used' test "$charged" -le $((used + 20000000))
delete_rules || not_ok 'rules deleted'

# ---- for the front only -----------------------------------------------------

check 'rules for the front tier only' add_rules front
ask
expect 'for the front' . . .
is "$(tlmnl class-list | jq -c -s 'map({key: .name, value: .hits}) | from_entries')" "$(asked_for 1)" \
	'for the front: the other tiers have the class of their caller, and no rule decided it'
delete_rules || not_ok 'rules deleted'

# ---- for the middle only ----------------------------------------------------

check 'rules for the middle tier only' add_rules mid
ask
expect 'for the middle' '"other"' . .
delete_rules || not_ok 'rules deleted'

# ---- that overlap -----------------------------------------------------------

# The longest first, in the middle and last; one for a tier, as long as one for all.
tlmnl class-add one c01
tlmnl class-add any c
tlmnl class-add zero c0
tlmnl class-add zero-mid c0 mid
tlmnl class-add any-back c back
ask
longest='if . == "c01" then "one" elif startswith("c0") then "zero" else "any" end'
expect 'overlapping' "($longest)" "($longest | if . == \"zero\" then \"zero-mid\" else . end)" \
	"($longest | if . == \"any\" then \"any-back\" else . end)"

# refuses SENTENCE ARGUMENT...
refuses()
{
	local sentence=$1
	shift

	! tierlens class "$@" >/tmp/said 2>&1 && [ "$(wc -l </tmp/said)" = 1 ] && grep -qF "$sentence" /tmp/said &&
		ok "class $*: $sentence" ||
		not_ok "class $*: '$(cat /tmp/said)' instead of '$sentence'"
}

refuses 'a rule has that prefix already: delete it first' add one c01
refuses 'a rule has that prefix already: delete it first' add another c01
refuses 'a rule has that prefix already: delete it first' add another c --tier back
refuses '"other" is what no rule matches: choose another name' add other x
refuses 'the prefix is empty' add nothing ''
refuses '65 bytes are too many: give at most 64' add long "$(printf '%065d' 1)"
refuses 'no rule is like that: see the list of rules' del one --prefix c0
check 'as many rules as before' test "$(tlmnl status | jq .class_rules)" = 5

# The next longest takes over, and the name comes back with its number.
number=$(tlmnl class-list | jq 'select(.name == "one") | .id')
tlmnl class-del one c01
tlmnl class-del zero-mid c0 mid
tlmnl class-del any-back c back
ask
longest='if startswith("c0") then "zero" else "any" end'
expect 'one of them deleted' "($longest)" "($longest)" "($longest)"
tlmnl class-add one c01
is "$(tlmnl class-list | jq 'select(.name == "one") | .id')" "$number" 'a name keeps its number'
delete_rules || not_ok 'rules deleted'

# ---- changed under load -----------------------------------------------------

first=$(newest)
load --to 9101 --in-order "${asks[@]}" --connections 4 --requests 1000000 --seconds 60 --think-ms 25 \
	>/tmp/load.json &
load=$!
changes=0
for _ in 1 2; do
	add_rules && add_rules front && tlmnl class-add any c && tlmnl class-add any-mid c mid &&
		sleep 0.3 && delete_rules || not_ok 'rules changed under load'
	changes=$((changes + 68))
done
kill -INT $load
wait $load || not_ok 'load'
settle "$first"
asked=$(jq .count /tmp/load.json)
for tier in front mid back; do
	[ $tier = back ] && times=2 || times=1
	is "$(sum ".cells[] | select(.tier_name == \"$tier\") | .count")" $((asked * times)) \
		"under load: classes of $tier sum up to what was asked for"
done
is "$(sum '.paths[] | .count')" $((asked * 4)) 'under load: and so do the paths'
is "$(jq -s '[.[].cells[] | select(.count > 0).class_name] | unique | map(select(test("^(other|any|any-mid|c[01][0-9])$") | not))' \
	-c /tmp/m.jsonl)" '[]' 'under load: no class that never was'
check 'under load: there were more classes than "other"' \
	test "$(jq -s '[.[].cells[].class_name] | unique | length' /tmp/m.jsonl)" -ge 17
is "$(lost)" 0 'under load: nothing is lost'
diag "$changes rules changed during $asked requests"

# ---- none again -------------------------------------------------------------

ask
expect 'no rules again' '"other"' '"other"' '"other"'

# ---- older connections --------------------------------------------------------

tlmnl disable
enable
ask
expect 'older connections' '"other"' '"other"' '"other"'

# ---- more paths than there is room for -----------------------------------------

# 1,022 fit, and each class of the door's has one in every tier: 1,275.
tlmnl disable
tlmnl tier-add door 9105
tlmnl tier-add hall 9104
serve hall 9104 --mode epoll --next 9101 --calls 1
serve door 9105 --mode thread --next 9104 --calls 1
enable
first=$(newest)
errors=0
for round in 0 1 2 3; do
	asks=()
	for n in {00..63}; do
		[ "$round$n" = 363 ] && continue
		asks+=(--ask "r$round$n")
		tlmnl class-add "r$round$n" "r$round$n\\x20" door || errors=$((errors + 1))
	done
	load --to 9105 --in-order "${asks[@]}" --connections 4 --seconds $((60 * slow)) --requests ${#asks[@]} \
		>/tmp/load-$round.json || errors=$((errors + 1))
	delete_rules || errors=$((errors + 1))
done
is $errors 0 'more paths: all was asked'
settle "$first"
jq -s '{targets: map(.targets[])}' /tmp/load-[0-3].json >/tmp/load.json
is "$(jq '.targets | length' /tmp/load.json)" 255 'more paths: for as many classes as can be'
for tier in door hall front mid back; do
	[ $tier = back ] && times=2 || times=1
	is "$(counted $tier)" "$(asked_for "$times")" "more paths: requests by class at $tier"
done
is "$(sum '.losses.paths_full')" "$(sum '.paths[] | select(.id == 1) | .count')" \
	'more paths: those without room are counted, and summed up together'
check 'more paths: there are some' test "$(sum .losses.paths_full)" -gt 0
is "$(lost)" "$(sum .losses.paths_full)" 'more paths: nothing else is lost'

stop_servers
tlmnl disable
wait_until 30 grep -q "^{\"generation\":$(newest)," /tmp/all.jsonl
kill $reader
wait $reader 2>/dev/null
is "$(cat /tmp/all.err)" '' 'every interval is as the ABI promises'
is "$(unaccounted "$(</tmp/all.jsonl)")" 0 \
	'events seen = attributed + unattributed + ignored'
cp /tmp/all.jsonl /out/classes.jsonl
unload_module
done_testing
