#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens adapt on recordings that are made up. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/model/model-cli.sh
. "$(dirname "$0")/model-cli.sh"

# record INTERVALS FROM TO [JQ]: two tiers, the second one ten times as slow from FROM to TO; to $dir/rec.jsonl
record()
{
	python3 - "$1" "$2" "$3" <<'END' | jq -c "${4:-.}" >"$dir/rec.jsonl"
import json, math, random, sys

def bucket(ns):
    exp = max(int(ns), 1).bit_length() - 1
    return 0 if exp < 10 else 1 + ((exp - 10) << 3) + ((int(ns) >> (exp - 3)) & 7)

def hist(times):
    out = {}
    for t in times:
        out[bucket(1e9 * t)] = out.get(bucket(1e9 * t), 0) + 1
    return sorted(map(list, out.items()))

def cell(klass, own, below):
    response = [a + b for a, b in zip(own, below)]
    return response, {"class": klass, "count": len(own), "response_s": sum(response), "own_s": sum(own), "bytes_in": 100,
                      "bytes_out": 1000 * len(own), "level": "server",
                      "hist": {"response": hist(response), "own": hist(own)}}

n, first, last = map(int, sys.argv[1:])
random.seed(5)
for i in range(n):
    slow = 10 if first <= i < last else 1
    db = [slow * 0.002 * random.lognormvariate(0, 0.5) for _ in range(30)]
    web = [0.001 * random.lognormvariate(0, 0.5) for _ in range(30)]
    below, low = cell("other", db, [0] * 30)
    _, top = cell("cart", web, below)
    line = {"format": 1, "generation": 100 + i, "t": 1700000000 + i, "seconds": 1,
            "tiers": [{"name": "web:80", "cells": [top]}, {"name": "db:3306", "cells": [low]}],
            "paths": [{"id": 2, "tier": "web:80", "class": "cart", "count": 30, "own_s": sum(web)},
                      {"id": 3, "parent": 2, "tier": "db:3306", "class": "other", "count": 30, "own_s": sum(db)}],
            "cost": {"hook_hits": 240, "hook_s": 0.0001, "function_hits": 60, "function_s": 0.0001}}
    if slow > 1:
        line["functions"] = [{"id": 1, "name": "scan", "tier": "db:3306", "class": "other", "count": 30,
                              "total_s": sum(db), "own_s": 0.95 * sum(db), "cpu_s": 0.01 * sum(db)},
                             {"id": 2, "name": "parse", "tier": "db:3306", "class": "other", "count": 30,
                              "total_s": 0.001, "own_s": 0.001, "cpu_s": 0.001}]
    print(json.dumps(line))
END
}

faults()
{
	record 120 60 90
	run "$real" adapt --dry-run "$dir/rec.jsonl" --json
	good "a fault: up in a window or two, down five after it" '
		map(select(.kind == "decision" and .from != .to)) as $changes |
		($changes | length) == 2 and ($changes[0] | .tier == "db:3306" and .from == "server" and .to == "method" and
		.why == "own" and .t >= 1700000061 and .t <= 1700000062 and .path == "web:80/cart>db:3306/other" and
		.evidence.of == "own" and .evidence.ratio > 6 and .evidence.z > 4.5 and .cost.budget == 0.01 and .cost.share > 0) and
		($changes[1] | .from == "method" and .to == "server" and .why == "quiet" and .t > 1700000090 and .t <= 1700000095)'
	good "and what takes the time" 'map(select(.kind == "finding"))[0] | .function == "scan" and .tier == "db:3306" and
		.extra_s > 0.012 and .extra_s < 0.03 and .in_function_s > 0.8 * .extra_s and .compared == false and
		(.text | test("^other of db:3306: [0-9.]+ of [0-9.]+ ms extra per request in scan, 0[.0-9]* ms of it on a processor$"))'
	run "$real" adapt --dry-run "$dir/rec.jsonl"
	[[ $status == 0 ]] && grep -q 'web:80/cart>db:3306/other  *db:3306  *server to method  *own times of other at db:3306 are' "$dir/out" &&
		grep -q '^120 windows, 2 changes of levels, 1 findings$' "$dir/out" && grep -q 'more than the budget in 0 windows' "$dir/out"
	result $? "for people"
	run "$real" adapt --dry-run "$dir/rec.jsonl" --budget 0.01% --json
	good "a budget that is too small: nothing is raised, and why" 'map(select(.kind == "decision")) |
		all(.[]; .to != "method" or .from == "method") and any(.[]; .why == "budget" or .why == "held")'
	run "$real" adapt --dry-run "$dir/rec.jsonl" --effect 2000% --json
	good "an effect that nothing has: only what is far beyond all that was seen" '
		map(select(.kind == "decision" and .to == "method" and .from != .to)) | all(.[]; .why == "timeout")'
	record 120 60 90 'del(.cost, .functions)'
	run "$real" adapt --dry-run "$dir/rec.jsonl"
	[[ $status == 0 ]] && grep -q 'what probes cost is not recorded' "$dir/out" && grep -q 'server to method' "$dir/out"
	result $? "a recording without costs"
	record 20 60 90 '.cost.hook_hits = 50000'
	run "$real" adapt --dry-run "$dir/rec.jsonl" --json
	good "many hits, and nothing tells what the way to them takes: as on machines that are slow at it" 'any(.[]; .why == "budget")'
	record 20 60 90 '.cost.hook_hits = 50000 | .cost.hook_way_s = 0.001'
	run "$real" adapt --dry-run "$dir/rec.jsonl" --json
	good "many hits, and the way to them is short" 'length == 0'
	record 20 60 90 '.cost.hook_way_s = 0.03'
	run "$real" adapt --dry-run "$dir/rec.jsonl" --json
	good "the way to them takes more than the budget" 'any(.[]; .why == "budget" and .cost.share > 0.03)'
	record 120 60 90 'del(.paths)'
	run "$real" adapt --dry-run "$dir/rec.jsonl" --json
	good "without paths" 'any(.[]; .to == "method" and .tier == "db:3306")'
}

healthy()
{
	record 300 900 900
	run "$real" adapt --dry-run "$dir/rec.jsonl" --json
	good "all is well: no change" 'length == 0'
	run "$real" adapt --dry-run "$dir/rec.jsonl" --resting trace --json
	good "resting at trace: the front tier at trace, the other off, after a while" '
		map(select(.kind == "decision") | [.tier, .from, .to, .why]) | sort ==
		[["db:3306","server","off","rest"],["web:80","server","trace","rest"]]'
	record 300 900 900 'select(.generation % 7 != 0)'
	run "$real" adapt --dry-run "$dir/rec.jsonl" --json
	good "gaps between generations: no change" 'length == 0'
	record 60 900 900 'del(.tiers, .paths, .cost)'
	run "$real" adapt --dry-run "$dir/rec.jsonl"
	[[ $status == 0 ]] && grep -q '^60 windows, 0 changes of levels' "$dir/out"
	result $? "intervals in which nothing was"
}

refusals()
{
	says 2 'adapt needs a recording' "$real" adapt --dry-run
	says 2 'adapt plays recordings with --dry-run' "$real" adapt "$dir/rec.jsonl"
	says 2 '--budget "a lot" is not a part' "$real" adapt --dry-run x --budget 'a lot'
	says 2 '--budget 0 is out of range' "$real" adapt --dry-run x --budget 0
	says 2 '--resting "method" is neither server nor trace' "$real" adapt --dry-run x --resting method
	says 1 'cannot read' "$real" adapt --dry-run "$dir/absent.jsonl"
	: >"$dir/empty.jsonl"
	says 1 'the recording is empty' "$real" adapt --dry-run "$dir/empty.jsonl"
}

faults
healthy
refusals
finish
