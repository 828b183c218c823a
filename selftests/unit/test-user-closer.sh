#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What report tells of levels, decisions and findings. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"

# A recording of two minutes, in which the database is slow for 30 s; functions were looked at from the third of them on,
# and of the first window half of their calls are missing.
recording()
{
	python3 "$top/selftests/unit/user-recording.py" 120 | jq -c '(.generation - 1000) as $i | .losses.late = 0 |
		.tiers[].cells[].level = "server" | .cost = {hook_hits: 2000, hook_s: 0.0005, function_hits: 0, function_s: 0} |
		if $i >= 62 and $i < 94 then .tiers[2].cells[0] as $cell | .tiers[2].cells[0].level = "method" |
			.functions = [{id: 1, name: "row<search>", tier: "mariadbd:3306", class: "other", count: $cell.count,
				total_s: $cell.own_s, own_s: ($cell.own_s * (if $i == 62 then 0.5 else 0.85 end)),
				cpu_s: ($cell.own_s * 0.1)}] else . end' >"$dir/level.jsonl"
}

logs()
{
	{
		echo '{"kind":"begin","version":"0"}'
		echo '{"kind":"decis'
		jq -c '.t -= 1e6' "$dir/rows.jsonl"
		cat "$dir/rows.jsonl"
	} >"$dir/log.jsonl"
	run "$real" report "$dir/level.jsonl" --json --decisions "$dir/log.jsonl"
	good "--decisions: those of that time, from the log" '.[0].adaptor | .source == "log" and (.log | test("log.jsonl$")) and
		.all_findings == 2 and .all_decisions == 2 and .broken_lines == 1 and all(.findings[]; .t > 1763700000)'
	grep -q "^tierlens: $dir/log.jsonl: lines that are broken and were left out: 1$" "$dir/err"
	result $? "a broken line of it is told"
	says 1 "$dir/none: cannot read (No such file or directory): give a file that tierlensd --log wrote" \
		"$real" report "$dir/level.jsonl" --json --decisions "$dir/none"
	says 1 "$dir: is a directory: give a file that tierlensd" "$real" report "$dir/level.jsonl" --json --decisions "$dir"
	says 1 "$dir/level.jsonl: has no row of tierlensd's: give" \
		"$real" report "$dir/level.jsonl" --json --decisions "$dir/level.jsonl"
	: >"$dir/figures.csv"
	says 2 '--decisions goes with a recording' "$real" report "$dir/figures.csv" --json --decisions "$dir/log.jsonl"
}

figures()
{
	run "$real" adapt --dry-run "$dir/level.jsonl" --json
	good "the first finding is partial, and told again when it has settled" 'map(select(.kind == "finding")) | length == 2 and
		.[0].more_in_function_s < 0.8 * .[0].extra_s and .[1].more_in_function_s > 0.9 * .[1].extra_s and .[1].t - .[0].t < 6'
	cp "$dir/out" "$dir/rows.jsonl"
	run "$real" report "$dir/level.jsonl" --json
	good "report --json: levels, and what would have been decided" '.[0].adaptor | .source == "dry-run" and .log == null and
		(.levels | map([.tier, .level, .from - 1763700000, .to - 1763700000])) == [["mariadbd:3306","server",0,62],
		["mariadbd:3306","method",62,94],["mariadbd:3306","server",94,120]] and .all_findings == 2 and
		(.findings | length) == 2 and .all_decisions == 2 and .decisions[0].to == "method" and .broken_lines == 0'
	jq -es '.[0].adaptor | .findings + .decisions | sort_by(.t)' "$dir/out" >"$dir/a"
	jq -es 'sort_by(.t)' "$dir/rows.jsonl" | cmp -s - "$dir/a"
	result $? "the very rows of adapt --dry-run"
	run "$real" report "$dir/r.jsonl" --json
	good "without levels, cost and functions" '.[0].adaptor | .levels == [] and .all_findings == 0'
}

page()
{
	if ! command -v dot >/dev/null || ! command -v gnuplot >/dev/null; then
		skip "the page" "graphviz or gnuplot is not installed"
		return
	fi
	run "$real" report "$dir/level.jsonl" -o "$dir/page.html"
	[[ $status == 0 ]] && grep -q '<h2>Where it was looked at more closely</h2>' "$dir/page.html" &&
		grep -q 'No log of tierlensd was given: this is what it would have found and decided' "$dir/page.html" &&
		grep -q '<td>04:41:06</td><td>100 %</td><td class="text">other of mariadbd:3306: [0-9.]* of [0-9.]* ms extra per request in row&lt;search&gt;,' "$dir/page.html" &&
		grep -q '<td class="left">mariadbd:3306</td><td class="left">method</td><td>04:41:02</td><td>04:41:34</td><td>32</td>' "$dir/page.html" &&
		[[ $(grep -c 'Shaded: a tier was at method' "$dir/page.html") == 2 && $(grep -c 'polygon.*208, *138, *48' "$dir/page.html") == 2 ]]
	result $? "the page: findings as sentences, levels, and where they were in the plots"
	run "$real" report "$dir/r.jsonl" -o "$dir/page.html"
	[[ $status == 0 ]] && grep -q 'does not tell at which level' "$dir/page.html" && ! grep -q 'Shaded' "$dir/page.html"
	result $? "a recording that tells no levels"
	jq -c 'select(.kind == "finding") | .text = "<script>alert(1)</script>"' "$dir/rows.jsonl" >"$dir/two.jsonl"
	for _ in {1..30}; do cat "$dir/two.jsonl"; done >"$dir/many.jsonl"
	cat "$dir/rows.jsonl" >>"$dir/many.jsonl"
	run "$real" report "$dir/level.jsonl" -o "$dir/page.html" --decisions "$dir/many.jsonl"
	[[ $status == 0 ]] && ! grep -q '<script' "$dir/page.html" &&
		[[ $(grep -c '&lt;script&gt;alert(1)' "$dir/page.html") == 50 ]] &&
		grep -q '12 more findings are not shown' "$dir/page.html" && grep -q '2 more decisions are not shown' "$dir/page.html"
	result $? "50 rows at most, the rest counted, and nothing in them but text"
}

python3 "$top/selftests/unit/user-recording.py" 12 >"$dir/r.jsonl" || exit 1
recording
figures
logs
page
finish
