#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Whether tools/eval-demand reckons right: recordings, predictions and verdicts of which the results are
# known. Prints TAP.
set -euo pipefail

# shellcheck source=selftests/unit/tap.sh
. "$(dirname "$0")/tap.sh"
eval=$top/selftests/eval

# interval NR REQUESTS OWN-S USED-S: of one second, one tier, one class
interval()
{
	local cells=''

	[ "$2" = 0 ] || cells="{\"class\":\"home\",\"count\":$2,\"own_s\":$3,\"cpu_s\":$3,\"run_wait_s\":0}"
	echo "{\"generation\":$1,\"seconds\":1,\"tiers\":[{\"name\":\"front\",\"cells\":[$cells],\"usage\":{\"cpu_s\":$4}}]," \
		'"hosts":{"cpu":0.5},"events":{"unattributed":0},"losses":{"late":0,"quiet":3}}'
}

# Idle, idle, two busy ones with an idle one between them, idle, idle.
recording()
{
	interval 1 0 0 0.001
	interval 2 0 0 0.002
	interval 3 4 0.4 0.5
	interval 4 0 0 0.003
	interval 5 6 0.5 0.6
	interval 6 0 0 0.1
	interval 7 0 0 0.005
}

# one RUN OWN-S USED-S REQUESTS: what sums.jq would make of it, for three tiers and one class
one()
{
	local tier="{\"own_s\":$2,\"used_s\":$3,\"cpu_s\":$3,\"idle_s\":0.1,\"class\":{\"home\":{\"n\":$4}}}"

	echo "{\"$1\":{\"seconds\":10,\"host\":0.5,\"requests\":{\"home\":$4},\"idle_seconds\":10,\"unattributed\":0,\"lost\":0," \
		"\"tier\":{\"front\":$tier,\"app\":$tier,\"db\":$tier}}}"
}

# demand TIER RESOURCE SECONDS
demand()
{
	echo "{\"class\":\"home\",\"tier\":\"$1\",\"resource\":\"$2\",\"value_s\":$3}"
}

# Predicts 10 % too much own time and 20 % too little of the processor; its demands are 5 % too large,
# but for that of the processor at the front tier, which it does not tell.
judged()
{
	local tier='{"front":1.1,"app":1.1,"db":1.1}' busy='{"front":0.16,"app":0.16,"db":0.16}'

	{ one test-01 1 2 100; one alone-home 0.4 0.9 40; } | jq -s 'add' >"$dir/sums"
	{ for t in front app db; do demand $t own 0.0105; done
		demand front front.cpu null; demand app app.cpu 0.0210; demand db db.cpu 0.0210; } | jq -s '{m: {demands: .}}' >"$dir/fit"
	# shellcheck disable=SC2016  # for jq
	jq -n --slurpfile sums "$dir/sums" --slurpfile fit "$dir/fit" \
		"{app: \"x\", sums: \$sums[0], fit: \$fit[0], predict: {m: {\"01\": {y: $tier, u: $busy}}},
		  client: {\"test-01\": {mean_s: 0.0103, seconds: 10}, \"off-01\": {mean_s: 0.01, seconds: 10}}}" |
		jq -f "$eval/judge.jq" >"$dir/result"
}

# result FILTER: a part in whole thousandths
result()
{
	jq -r "$1 | if type == \"number\" then (. * 1000 | round) else . end" "$dir/result"
}

plan 16
recording | jq -s -f "$eval/sums.jq" >"$dir/sum"
same 'requests are counted' "$(jq .requests.home "$dir/sum")" 10
same 'own time is summed' "$(jq '.tier.front.own_s * 10 | round' "$dir/sum")" 9
same 'the intervals before and after belong to it' "$(jq .seconds "$dir/sum")" 5
same 'and what was used in them' "$(jq '.tier.front.used_s * 1000 | round' "$dir/sum")" 1205
same 'the others were idle' "$(jq '[.idle_seconds, (.tier.front.idle_s * 1000 | round)]' -c "$dir/sum")" '[2,6]'
same 'what is no loss is none' "$(jq .lost "$dir/sum")" 0
same 'a run without a request' "$(interval 1 0 0 0 | jq -s -f "$eval/sums.jq" | jq -c '[.seconds, .requests]')" '[0,{}]'
judged
same 'own time: error' "$(result '.errors.tier_time["very light"].m.all')" 100
same 'processor: error' "$(result '.errors.resources["very light"].m.all')" 200
same 'demands: own time, against a single client' "$(result .demands.m.own.mean)" 50
# 0.9 s less 0.01 a second for the 10 s, by 40.
same 'what a tier uses when idle is taken off' "$(result '.truth[0].cpu_s')" 20
same 'demands: processor' "$(result .demands.m.used.mean)" 50
same 'demands that are not told are counted' "$(result '.demands.m.used | "\(.unknown) of \(.judged)"')" '1 of 3'
same 'overhead' "$(result .overhead.mean)" 30
jq -s '{apps: .}' "$dir/result" >"$dir/table.json"
same 'the table has them' "$(jq -r -f "$eval/table.jq" "$dir/table.json" | grep -cE '^  m +(10|20|5) %')" 3
same 'and so has the page' "$(jq -r -f "$eval/report.jq" "$dir/table.json" | grep -c '<title>#1, m: 10 %</title>')" 1
finish
