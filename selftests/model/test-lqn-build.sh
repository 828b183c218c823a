#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens lqn build: networks from recordings of which everything is known (recording.py), and from
# what cannot be built of. How well it predicts real servers is tools/eval-lqn's business. Prints TAP.
# TIERLENS names the program (make model-programs).
# shellcheck disable=SC2016  # for jq
set -uo pipefail

# shellcheck source=selftests/model/model-cli.sh
. "$(dirname "$0")/model-cli.sh"

# For jq: the entry of that name, and whether two numbers are the same.
defs='def entry($name): .entries[] | select(.name == $name);
	def task($name): .tasks[] | select(.name == $name);
	def calls($from; $to): entry($from) | .calls[] | select(.to == $to) | .mean;
	def near($x): (. - $x | fabs) <= 1e-6 * ($x | fabs) + 1e-12; '

record()
{
	local kind

	for kind in plain shared mesh loose free crowd wake calm; do
		python3 "$here/recording.py" $kind >"$dir/$kind.jsonl"
	done
}

# builds NAME FILTER ARGUMENTS...: what is built, as JSON, and as a file that is sound
builds()
{
	local name=$1 filter=$2

	shift 2
	run "$real" lqn build "$@" -o "$dir/built.lqn" --json
	good "$name" "$defs .[0] | $filter"
}

# sound NAME: the file that was built last is read without a note
sound()
{
	run "$real" lqn check "$dir/built.lqn"
	[[ $status = 0 && ! -s $dir/err ]]
	result $? "$1"
}

plain()
{
	local each

	builds 'demands are those of the requests, not what tiers use without any' '
		(entry("front/buy") | .demand_s | near(0.0002)) and (entry("app/look") | .demand_s | near(0.001)) and
		(entry("db/buy") | .demand_s | near(0.0005)) and ([.entries[] | .demand_half95_s // 0] | all(. < 1e-9))' \
		"$dir/plain.jsonl" --users 20 --threads app=8
	sound 'the file is sound'
	run "$real" lqn build "$dir/plain.jsonl" --users 20 --threads app=8 --json -o "$dir/built.lqn"
	good 'calls are as many as were made' "$defs .[0] | "'(calls("front/buy"; "app/buy") == 1) and
		(calls("app/buy"; "db/buy") == 6) and (calls("app/look"; "db/look") == 2)'
	good 'pauses are what is neither work nor wait for a processor, and ways' "$defs .[0] | "'
		(entry("app/buy") | .pause_s | near(0.0002 + 6 * 0.0003)) and (entry("db/look") | .pause_s | near(0.001)) and
		(entry("front/look") | .pause_s | near(0.0003))'
	good 'the host: processors, what is always there, what comes with requests' "$defs .[0] | "'
		(.processors[] | select(.name == "host") | .servers == 2 and (.speed | near(1 - 0.01 - 0.006 / 2))) and
		(entry("rest of host") | .demand_s | near(0.0005)) and calls("request"; "rest of host") == 1'
	good 'threads: given, or none with what is known' "$defs .[0] | "'(task("app") | .threads == 8 and .threads_from == "given") and
		(task("db") | .threads == null and (.threads_from | test("4 processes")))'
	good 'customers: as many as said, and they think as long as fits' "$defs .[0] | "'(task("users") | .customers == 20 and
		.reference) and ([entry("request") | .calls[] | select(.to != "rest of host") | .mean] | add | near(1))'
	good 'the pragma says with what it was measured' '.[0] | .measured_per_s[0] > 30 and .measured_per_s[1] < 75 and
		.measured_per_s[0] < .measured_per_s[1]'
	! grep -E '^[syzZa] ' "$dir/built.lqn" | grep -qv '  # '
	result $? 'each number of an entry has a comment'
	grep -q '^#pragma tierlens-measured=' "$dir/built.lqn"
	result $? 'and there is the pragma'
	# 20 customers, with what the processors need for one request: near to what was measured.
	each=$(jq -s 'map([.tiers[] | select(.name == "front") | .cells[].count] | add) | add / length' "$dir/plain.jsonl")
	run "$real" lqn solve "$dir/built.lqn" --json
	good 'solved, it gives the throughput that was measured' \
		".[0] | .verdict == \"ok\" and ((.reference.users.throughput / $each - 1) | fabs) < 0.01"
	run "$real" lqn solve "$dir/built.lqn" --set users.users=1 --json
	good 'alone, a customer waits for what requests need' \
		'.[0].entries["front/buy"].service_s[0] -
		((0.0002 + 0.003 + 6 * 0.0005) / 0.987 + 0.0003 + 0.002 + 6 * 0.001) | fabs < 1e-7'
}

# What a tier does on the way to a request is its demand, shared out as the rest of it, and no pause of
# who waits for it.
wake()
{
	builds 'work on the way' '([entry("app/buy", "app/look") | .demand_s] | .[0] > 0.0031 and .[1] > 0.00107) and
		([entry("front/buy", "front/look") | .pause_s] | .[0] < 0.0001 and .[1] > 0.0001 and .[1] < 0.00025)' \
		"$dir/wake.jsonl" --users 20
}

# What is said of an estimate beside its value is said of the number, too; and nothing of a good one.
calm()
{
	run "$real" demand fit "$dir/calm.jsonl" --json
	good 'a load that varies by chance: demands are known to be at most so much' '.[0].demands |
		map(select(.tier == "app" and .resource != "own") | .verdict) |
		length == 2 and all(startswith("at most: what works without requests"))'
	builds 'which the origins of the numbers say' '([.entries[] | select(.name | test("^app/")) | .demand_s_from] |
		length == 2 and all(test("; at most: what works without requests is in it$"))) and
		([.entries[] | select(.name | test("^app/")) | .demand_half95_s] | all(. == null))' "$dir/calm.jsonl"
	sound 'the file is sound'
	grep -q '^s app/buy .*  # 0 to 0\.0035, .*; at most: what works without requests is in it$' "$dir/built.lqn"
	result $? 'and the comments'
	builds 'of what is known nothing is said' '[.entries[].demand_s_from // "" | test("at most|uncertain|not known")] |
		any | not' "$dir/plain.jsonl"
	"$real" demand fit "$dir/calm.jsonl" -o "$dir/calm.json" >/dev/null
	builds 'a file with demands keeps it' '[.entries[] | select(.name | test("^app/")) | .demand_s_from] |
		length == 2 and all(test("calm.json; at most: what works without requests is in it$"))' \
		"$dir/calm.jsonl" --demands "$dir/calm.json"
	jq 'del(.model.targets[].verdicts)' "$dir/calm.json" >"$dir/old.json"
	builds 'a file of before has nothing' '[.entries[] | select(.name | test("^app/")) | .demand_s_from] |
		length == 2 and all(test("old.json$"))' "$dir/calm.jsonl" --demands "$dir/old.json"
	jq '.model.targets[].verdicts[] = "inseparable"' "$dir/calm.json" >"$dir/none.json"
	builds 'what a file does not know is not built with' '[.entries[] | select(.name | test("^app/")) | .demand_s_from] |
		length == 2 and all(test("^charged to"))' "$dir/calm.jsonl" --demands "$dir/none.json"
}

# What tools/eval-lqn makes of it, if nothing was predicted but what was measured.
judge()
{
	"$real" lqn build "$dir/plain.jsonl" --users 20 --json -o "$dir/built.lqn" >"$dir/built.json" 2>/dev/null
	"$real" lqn solve "$dir/built.lqn" --json >"$dir/solved.json"
	run jq -s -f "$here/../eval/lqn.jq" --argjson users 20 --slurpfile built "$dir/built.json" \
		--slurpfile solved "$dir/solved.json" "$dir/plain.jsonl"
	good 'judged by the experiment: nothing is off, but by the load that customers vary' '.[0] | .users == 20 and
		.verdict == "ok" and ([.off.requests_per_s, .off.cpu | fabs] | max < 0.01) and
		(.measured.cpu > 0.1) and (.off.response_s | fabs < 0.05)'
	cp "$dir/out" "$dir/judged.json"
	run jq -r -f "$here/../eval/lqn-table.jq" <(jq -n --slurpfile a "$dir/judged.json" '[{app: "x", loads: [$a[0], $a[0]]}]')
	[[ $status = 0 && $(<"$dir/out") = *'off in the mean over the heavier loads: throughput '* ]]
	result $? 'and shown'
}

load()
{
	builds 'a think time alone: as many customers as fit' 'task("users") | (.think_s == 0.4) and .customers == 22' \
		"$dir/plain.jsonl" --think 0.4
	builds 'both: as said' 'task("users") | (.think_s == 0.4) and .customers == 300' \
		"$dir/plain.jsonl" --think 0.4 --users 300
	builds 'neither: arrivals as they were' '(.tasks | all(.reference | not)) and
		(entry("front/look") | .arrivals_per_s * 40 | near('"$(jq -s 'map(.paths[] | select(.parent == null and .class == "look") | .count) | add' "$dir/plain.jsonl")"'))' \
		"$dir/plain.jsonl"
	sound 'the file is sound'
	says 1 's each need 1.9 at least' "$real" lqn build "$dir/crowd.jsonl" --users 1
}

graph()
{
	cat >"$dir/site.json" <<-END
	{ "states": ["(start)", "look", "buy", "(exit)"],
	  "P": [[0, 1, 0, 0], [0, 0.5, 0.25, 0.25], [0, 0, 0, 1], [0, 0, 0, 0]],
	  "D": [[null, null, null, null], [null, 2, 4, null], [null, null, null, null], [null, null, null, null]] }
	END
	# V: look 2, buy 0.5. W: look 0.5 * 2 + 0.25 * 4 = 2, buy 0. Per request 2 * 2 / 2.5.
	builds 'mix and think time of a behaviour graph' '(calls("request"; "front/look") | near(0.8)) and
		(calls("request"; "front/buy") | near(0.2)) and (task("users") | .customers == 10 and (.think_s | near(1.6)))' \
		"$dir/plain.jsonl" --cbmg "$dir/site.json" --users 10
	sed 's/"buy"/"pay"/' "$dir/site.json" >"$dir/other.json"
	says 1 'other.json: no request of class "pay" came to front in' \
		"$real" lqn build "$dir/plain.jsonl" --cbmg "$dir/other.json" --users 10
	jq 'del(.D)' "$dir/site.json" >"$dir/timeless.json"
	says 1 'timeless.json: it has no think times: give --think S, or --users N' \
		"$real" lqn build "$dir/plain.jsonl" --cbmg "$dir/timeless.json"
	says 1 'plain.jsonl: not the name of a matrix' \
		"$real" lqn build "$dir/plain.jsonl" --cbmg "$dir/plain.jsonl" --users 10
}

ways()
{
	builds 'two ways to the same class: entries of their own' '
		([.entries[].name | select(test("db/look$"))] | length == 3) and
		([.entries[] | select(.name | test("db/look$")) | .demand_s | near(0.0004)] | all)' "$dir/shared.jsonl" --users 20
	sound 'the file is sound'
	builds 'a tier that calls itself, arrivals in the midst, and what is elsewhere' '
		(task("app, called by itself 1") | .processor == "host") and (entry("db/look") | .arrivals_per_s == 3) and
		(task("10.0.0.7:80") | .processor == "elsewhere") and calls("front/buy"; "10.0.0.7:80 for front/buy") == 2 and
		(entry("10.0.0.7:80 for front/buy") | .demand_s | near(0.01)) and (.notes | length == 5)' \
		"$dir/mesh.jsonl" --users 20 --front front
	run "$real" lqn solve "$dir/built.lqn" --json
	good 'which can be solved' '.[0].verdict == "ok"'
	run "$real" lqn build "$dir/loose.jsonl" --users 20 --json
	good 'calls of nobody: a verdict' '.[0].verdict | test("^unreliable: 15 % of the calls are of no known request")'
	grep -q 'unreliable: 15 %' "$dir/err"
	result $? 'which is said'
	sed 's/"look"/"a \\"b\\"\\n#c\\u00e9"/g' "$dir/plain.jsonl" >"$dir/odd.jsonl"
	builds 'names that no file can hold become others' 'entry("front/a _b__#cé") | .demand_s | near(0.0001)' \
		"$dir/odd.jsonl" --users 20
	sound 'the file is sound'
}

demands()
{
	"$real" demand fit "$dir/plain.jsonl" -o "$dir/demands.json" >/dev/null
	says 1 'free.jsonl: it does not tell how many processors the host has: say --processors N' \
		"$real" lqn build "$dir/free.jsonl"
	says 1 'free.jsonl: the processor time of requests at front is not known' \
		"$real" lqn build "$dir/free.jsonl" --processors 2
	builds 'demands from a file' '(entry("db/buy") | .demand_s | near(0.0005)) and
		(entry("db/buy") | .demand_s_from | test("demands.json")) and
		(entry("app/buy") | .pause_s | near(0.0002 + 0.00005 + 6 * 0.0003))' \
		"$dir/free.jsonl" --processors 2 --demands "$dir/demands.json"
}

bad_input()
{
	says 2 'lqn build needs a recording' "$real" lqn build
	says 2 'unexpected argument "b"' "$real" lqn build a b
	says 2 '--users 0 is out of range' "$real" lqn build a --users 0
	says 2 '--think "x" is not a number' "$real" lqn build a --think x
	says 1 '--threads app=0: give TIER=N' "$real" lqn build "$dir/plain.jsonl" --threads app=0
	says 1 '--threads =8: give TIER=N' "$real" lqn build "$dir/plain.jsonl" --threads =8
	says 1 '--threads web=8: no tier of that name' "$real" lqn build "$dir/plain.jsonl" --threads web=8
	says 1 '--front db: nobody outside asks a tier of that name' "$real" lqn build "$dir/plain.jsonl" --front db
	says 1 'nothing.jsonl' "$real" lqn build "$dir/nothing.jsonl"
	echo 't,seconds,n_a,rt_a' >"$dir/a.csv"
	says 1 'a.csv: a table of figures does not tell who calls whom' "$real" lqn build "$dir/a.csv"
	says 1 'a.csv' "$real" lqn build "$dir/plain.jsonl" --demands "$dir/a.csv"
	head -n 1 "$dir/plain.jsonl" >"$dir/one.jsonl"
	says 1 'one.jsonl: one interval is not enough' "$real" lqn build "$dir/one.jsonl"
	says 1 "$dir/no/where" "$real" lqn build "$dir/plain.jsonl" -o "$dir/no/where"
}

record
plain
wake
calm
judge
load
graph
ways
demands
bad_input
finish
