#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Whether the benchmarks still measure what they say, with no word about how fast that is. Prints TAP. BENCH names
# their folder (build/bench).
# shellcheck disable=SC2317  # functions are called through check
set -euo pipefail

# shellcheck source=selftests/unit/tap.sh
. "$(dirname "$0")/../unit/tap.sh"
bench=${BENCH:-$top/build/bench}
run=("$top/selftests/bench/run" --program "$bench/bench")

# Each at its smallest size and for few; the programs themselves refuse to measure events that are not attributed,
# calls that are not taken off own times, and fits that fail.
each_runs()
{
	"$bench/bench" list >"$dir/list"
	[ "$(wc -l <"$dir/list")" -ge 30 ] || return
	awk -F'\t' '!seen[$1]++ { print $1, $4 }' "$dir/list" |
		while read -r name size; do
			"$bench/bench" "$name" "$size" 1 64 >"$dir/out" || return
			awk '{ good = $1 >= 1 && $2 > 0 } END { exit !good }' "$dir/out" || return
		done
}

models_run()
{
	"$bench/models" model.ols 11 1 1 >"$dir/out" && "$bench/models" model.lqn-solve 10 1 1 >>"$dir/out" &&
		"$bench/models" history.add 1 1 10 >>"$dir/out" &&
		awk '{ n += $1 >= 1 && $2 > 0 } END { exit n != 3 }' "$dir/out"
}

# Instructions are the same twice; without them a comparison of a result with itself finds no change.
counts_repeat()
{
	"${run[@]}" --only core.cell-add --runs 1 -o "$dir/one.json" >"$dir/out" &&
		"${run[@]}" --only core.cell-add --runs 1 -o "$dir/two.json" >"$dir/out" &&
		jq -es '.[0].format == 1 and .[0].results[0].instructions > 0 and
			.[0].results[0].instructions == .[1].results[0].instructions and
			(.[0].results[0] | .ns > 0 and .low95_ns <= .ns and .ns <= .high95_ns and .runs == 1)' \
			"$dir/one.json" "$dir/two.json" >"$dir/out"
}

# Of a result whose times and instructions were half of these, so many runs as are wanted for a word.
a_change_is_named()
{
	"${run[@]}" --only core.cell-add --runs 6 -o "$dir/now.json" >"$dir/out" &&
		jq '(.results[] | .ns, .low95_ns, .high95_ns, .instructions) |= . / 20' "$dir/now.json" >"$dir/old.json" &&
		"${run[@]}" --only core.cell-add --runs 6 --compare "$dir/old.json" >"$dir/out" &&
		grep -q 'core.cell-add .* instructions and time$' "$dir/out"
}

bars_are_held()
{
	PYTHONDONTWRITEBYTECODE=1 python3 - "$top/selftests/bench/run" <<-'END'
	import importlib.machinery, importlib.util, sys
	loader = importlib.machinery.SourceFileLoader("run", sys.argv[1])
	run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
	loader.exec_module(run)
	def row(size, ns): return {"name": "core.event", "size": size, "cpus": 1, "ns": ns}
	good = run.bars([row(10000, 60), row(1000000, 120)]) and not run.bars([row(10000, 61)])
	sys.exit(not (good and not run.bars([row(10000, 10), row(1000000, 121)])))
	END
}

# blocks KIND=PERCENT[@LOAD]...: of four turns, each off by chance, and so much more
blocks()
{
	python3 - "$@" >"$dir/blocks" <<-'END'
	import random, sys
	chance, loads = random.Random(1), ("shop", "static", "redis")
	more = {}
	for word in sys.argv[1:]:
	    kind, percent, load = (word.replace("=", "@") + "@").split("@")[:3]
	    more.update({(kind, at): float(percent) for at in loads if load in ("", at)})
	for load in loads:
	    for turn in range(4):
	        for kind in "none", "again", "loaded", "off", "server", "method":
	            took = 1e6 * (1 + more.get((kind, load), 0) / 100) * (1 + (kind != "none") * chance.gauss(0, 0.03) / 100)
	            print(load, 1, turn, kind, 10, round(took), round(took), took / 1e10)
	END
	echo 'lost {}' >"$dir/lost"
	# Twenty sends and twenty receives for ten requests, 60 instructions each: 240 a request.
	printf '{"load":"%s","connections":1,"requests":10,"hook":"%s","symbol":"%s","hits":20,"timed":1,"timed_ns":400,"floor_ns":60}\n' \
		static send tcp_sendmsg static receive tcp_recvmsg >"$dir/hooks"
}

# figures SENTENCE: of these; none: no bar is missed
figures()
{
	"$top/selftests/bench/vm/figures.py" "$dir" --judge --json "$dir/json" >"$dir/out"
	[ $? -eq $((${#1} > 0)) ] && [ "$(grep -c '^missed:' "$dir/out")" -eq $((${#1} > 0)) ] && grep -qF -- "$1" "$dir/out"
}

the_floor_is_a_part_of_what_is_without()
{
	blocks server=0.9 method=900
	figures '' && jq -e '.floors == [{"load": "static", "connections": 1, "added_per_request": 240, "instructions_percent": 0.24}]' \
		"$dir/json" >"$dir/out"
}

bars_of_loads()
{
	blocks server=0.9 && figures '' || return
	blocks server=3 server=0.9@shop server=2.5@redis && figures 'redis, 1 connections, server: throughput_percent' || return
	blocks off=0.08@static && figures 'static, 1 connections, off: ' || return
	blocks loaded=0.04 && figures 'loaded: more instructions than without, on all loads together'
}

check 'each of the core and the tables runs, and events are attributed' each_runs
check 'models and history run' models_run
check 'instructions repeat, and results are as documented' counts_repeat
check 'what has changed is named' a_change_is_named
check 'what takes longer than is promised is a failure' bars_are_held
check 'the floor is held against what requests take without a tool' the_floor_is_a_part_of_what_is_without
check 'in virtual machines, too, and what is off and yet there is found on one load and on all' bars_of_loads
plan 7
finish
