#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens execgraph: the same traces as OTLP's JSON, as Jaeger's and as tables give the ways
# that they went, with their counts; recordings; loops; and what is said of traces that are
# none. How graphs are merged and folded is test-execgraph.c's business. Prints TAP. TIERLENS
# names the program (make model-programs).
set -uo pipefail

# shellcheck source=selftests/model/model-cli.sh
. "$(dirname "$0")/model-cli.sh"

usage()
{
	says 2 'execgraph needs traces' "$real" execgraph
	says 2 '--theta 0 is out of range' "$real" execgraph --theta 0 a
	says 2 '--by is service or operation, not "x"' "$real" execgraph --by x a
	says 2 '--broken 2 is above 1' "$real" execgraph --broken 2 a
	says 1 'none.json: cannot read (No such file' "$real" execgraph "$dir/none.json"
	says 1 'none.csv: cannot read (No such file' "$real" execgraph "$dir/none.csv"
}

# went FILE: whether the last run's ways are those of a file, with their counts
went()
{
	[[ $status == 0 ]] && jq -e --slurpfile ways "$1" '
		(reduce .nodes[] as $n ({}; .["\($n.id)"] =
			(if $n.parent == null then "" else .["\($n.parent)"] + ">" end) +
			(if $n.kind == "async" then "~" else "" end) + $n.service)) as $name |
		.verdict == "ok" and (reduce .nodes[] as $n ({}; .[$name["\($n.id)"]] = $n.count)) == $ways[0]' \
		"$dir/out" >/dev/null
}

forms()
{
	local form seed

	for seed in 1 2 3; do
		python3 "$here/traces.py" "$seed" 60 "$dir" || return
		for form in t.csv otlp.json otlp.jsonl jaeger.json; do
			run "$real" execgraph "$dir/$form" --theta 100 --json
			went "$dir/ways.json"
			result $? "$form, $seed: the ways that traces went, and how often"
		done
		run "$real" execgraph "$dir/c.csv" --theta 100 --json
		went "$dir/plain.json"
		result $? "callers and callees, $seed: the ways"
	done
	good 'keys' '.[0] | .traces == 60 and .theta == 100 and .executions == ([.nodes[].count] | add) and
		(.edges | length) == (.nodes | length) - (.roots | length) and (.notes == []) and
		(.edges[0] | keys) == ["calls", "calls_per_parent", "from", "kind", "to"]'
	run "$real" execgraph "$dir/jaeger.json" --json
	good 'no way has a service twice; what is folded is kept' '.[0] as $o | $o.nodes |
		(map({key: "\(.id)", value: .}) | from_entries) as $by |
		def up: [recurse(if .parent == null then empty else $by["\(.parent)"] end)];
		all(.[]; [up[] | .services | keys[]] | length == (unique | length)) and
		([.[].services[]] | add) == $o.executions and any(.[]; .inner_calls > 0) and
		all(.[]; ([.services[]] | add) == .count + .inner_calls)'
	run "$real" execgraph "$dir/otlp.json" --dot --theta 100 --least 0.05
	[[ $status == 0 ]] && dot -Tsvg "$dir/out" >"$dir/picture.svg" && grep -q stroke-dasharray "$dir/picture.svg" &&
		grep -q "rare nodes are not drawn" "$dir/picture.svg"
	result $? 'a picture, with dashes for what is asynchronous'
	run "$real" execgraph "$dir/otlp.json" -o "$dir/picture.svg"
	[[ $status == 0 && $(tail -n 1 "$dir/out") == ok ]] && grep -q '<svg' "$dir/picture.svg" &&
		grep -q '^60 traces, [0-9]* executions, [0-9]* nodes$' "$dir/out"
	result $? 'for people'
}

# The paper's figures 3 and 4.
paper()
{
	printf 'trace,caller,callee\n1,e0,e1\n1,e1,e3\n2,e0,e4\n2,e4,e1\n3,e0,e1\n4,e0,e4\n4,e4,e1\n4,e4,e1\n5,e0,e2\n' \
		>"$dir/paper.csv"
	printf '{"e0": 5, "e0>e1": 2, "e0>e1>e3": 1, "e0>e4": 2, "e0>e4>e1": 3, "e0>e2": 1}' >"$dir/paper.json"
	run "$real" execgraph "$dir/paper.csv" --json
	went "$dir/paper.json"
	result $? 'e0, e4, e1, e3 is no way'
	good 'weights: calls by calls of the caller' '.[0].nodes | map(select(.service == "e1" and .depth == 2)) |
		length == 1 and .[0].calls_per_parent == 1.5'
	printf 'a,,e0\nb,a,e1\nc,b,e3\nd,c,e1\ne,d,e3\n' >"$dir/loop.csv"
	run "$real" execgraph "$dir/loop.csv" --json
	good 'a loop of e1 and e3 is one node' '.[0].nodes | length == 2 and .[1].services == {"e1": 2, "e3": 2} and
		.[1].count == 1 and .[1].inner_calls == 3'
	run "$real" execgraph "$dir/loop.csv" --json --theta 2
	good 'unless the threshold is 2' '.[0].nodes | length == 5 and all(.inner_calls == 0)'
}

spans()
{
	# One process: a span that it has of its own, a database, and one that began too late to be waited for.
	cat >"$dir/one.json" <<-END
	{"resourceSpans": [{"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "web"}}]},
	 "scopeSpans": [{"spans": [
	 {"traceId": "1", "spanId": "a", "name": "GET /", "kind": "SPAN_KIND_SERVER", "startTimeUnixNano": "1000", "endTimeUnixNano": "2000"},
	 {"traceId": "1", "spanId": "b", "parentSpanId": "a", "name": "render", "kind": 1},
	 {"traceId": "1", "spanId": "c", "parentSpanId": "b", "name": "SELECT", "kind": 3,
	  "attributes": [{"key": "db.system", "value": {"stringValue": "mysql"}}]},
	 {"traceId": "1", "spanId": "p", "parentSpanId": "b", "name": "put", "kind": 4}]}]},
	 {"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "queue"}}]}, "scopeSpans": [{"spans": [
	 {"traceId": "1", "spanId": "q", "parentSpanId": "p", "name": "take", "kind": 2}]}]},
	 {"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "log"}}]}, "scopeSpans": [{"spans": [
	 {"traceId": "1", "spanId": "d", "parentSpanId": "a", "name": "write", "kind": 2, "startTimeUnixNano": "3000", "endTimeUnixNano": "4000"}]}]},
	 {"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "mail"}}]}, "scopeSpans": [{"spans": [
	 {"traceId": "2", "spanId": "e", "name": "send", "kind": 5, "links": [{"traceId": "1", "spanId": "b"}]}]}]}]}
	END
	run "$real" execgraph "$dir/one.json" --json
	printf '{"web": 1, "web>mysql": 1, "web>~log": 1, "web>~mail": 1, "web>~queue": 1}' >"$dir/want.json"
	went "$dir/want.json"
	result $? 'work of its own, a database, a late call, a linked consumer'
	run "$real" execgraph "$dir/one.json" --json --by operation
	printf '{"web GET /": 1, "web GET />web render": 1, "web GET />web render>mysql": 1, "web GET />~log write": 1,
		"web GET />web render>~mail send": 1, "web GET />web render>~queue take": 1}' >"$dir/want.json"
	went "$dir/want.json"
	result $? '--by operation'
	printf '{"data": [{"traceID": "1", "processes": {"p": {"serviceName": "a"}, "q": {"serviceName": "b"}}, "spans": [
		{"spanID": "1", "traceID": "1", "processID": "p", "operationName": "x"},
		{"spanID": "2", "traceID": "1", "processID": "q", "operationName": "y", "references":
		[{"refType": "FOLLOWS_FROM", "traceID": "1", "spanID": "1"}]}]}]}' >"$dir/follows.json"
	run "$real" execgraph "$dir/follows.json" --json
	printf '{"a": 1, "a>~b": 1}' >"$dir/want.json"
	went "$dir/want.json"
	result $? 'what follows from another is asynchronous'
}

recordings()
{
	python3 "$top/selftests/unit/user-recording.py" 12 >"$dir/r.jsonl" || return
	run "$real" execgraph "$dir/r.jsonl" --json
	jq -s '[.[].paths[] | select(.tier != null) | .count] | add' "$dir/r.jsonl" >"$dir/count"
	good 'a recording: its paths' ".[0] | .verdict == \"ok\" and .executions == $(<"$dir/count") and
		(.nodes | length) > 1"
	run "$real" execgraph "$dir/r.jsonl" --json --by operation --theta 100
	jq -s '[.[].paths[] | select(.tier != null) | {key: (.path | gsub("/"; " ")), value: .count}] | group_by(.key) |
		map({key: .[0].key, value: (map(.value) | add)}) | from_entries' "$dir/r.jsonl" >"$dir/want.json"
	went "$dir/want.json"
	result $? 'by tier and class: each path with its requests'
	cp "$dir/r.jsonl" "$dir/again.jsonl"
	run "$real" execgraph "$dir/r.jsonl" "$dir/again.jsonl" "$dir/paper.csv" "$dir/loop.csv" --json
	good 'several files' ".[0] | .executions == 2 * $(<"$dir/count") + 14 + 5 and .left_out.twice == 0"
}

bad()
{
	echo '{"resourceSpans": [' >"$dir/cut.json"
	says 1 'cut.json: object 1: line' "$real" execgraph "$dir/cut.json"
	echo '{"spam": []}' >"$dir/other.json"
	says 1 'other.json: object 1 has no "resourceSpans" as OTLP' "$real" execgraph "$dir/other.json"
	: >"$dir/empty.json"
	says 1 'empty.json: the file is empty' "$real" execgraph "$dir/empty.json"
	: >"$dir/empty.csv"
	says 1 'empty.csv: the file is empty' "$real" execgraph "$dir/empty.csv"
	printf 'a,,x\nb,a\n' >"$dir/t.csv"
	says 1 't.csv:2: 2 fields, but the first line has 3' "$real" execgraph "$dir/t.csv"
	printf 'span,parent,size\na,,x\n' >"$dir/t.csv"
	says 1 't.csv:1: the head line has neither "span", "parent" and "service", nor' "$real" execgraph "$dir/t.csv"
	printf 'trace,caller,callee\n1,a,b\n1,c,d\n' >"$dir/t.csv"
	says 1 't.csv:3: the caller "c" has not been called before in trace "1"' "$real" execgraph "$dir/t.csv"
	printf 'span,parent,service,kind\na,,x,\nb,a,y,maybe\n' >"$dir/t.csv"
	says 1 't.csv:3: the kind of a call is sync or async' "$real" execgraph "$dir/t.csv"
	printf 'span,parent,service,count\na,,x,0\n' >"$dir/t.csv"
	says 1 't.csv:2: the count is no whole number from 1' "$real" execgraph "$dir/t.csv"
	printf 'span,parent,service,service\na,,x,y\n' >"$dir/t.csv"
	says 1 't.csv:1: columns 3 and 4 are both "service"' "$real" execgraph "$dir/t.csv"
	printf 'a,,x\nb,a,y\nb,a,y\nc,zz,y\nd,c,y\ne,f,y\nf,e,y\n' >"$dir/t.csv"
	run "$real" execgraph "$dir/t.csv" --json
	good 'no place for most of them: a verdict' '.[0] | .left_out == {"without_parent": 2, "twice": 1,
		"in_circles": 2, "too_deep": 0, "broken": 0} and .nodes == null and
		(.verdict | startswith("unreliable: 67 % of the spans cannot be put in place"))'
	run "$real" execgraph "$dir/t.csv" --json --broken 0.9
	good 'or the rest of them' '.[0] | .verdict == "ok" and .executions == 2 and (.notes | length) == 3'
	says 1 'there is nothing to draw' "$real" execgraph "$dir/t.csv" --dot --json
	printf 'b,a,y\n' >"$dir/t.csv"
	run "$real" execgraph "$dir/t.csv" --json
	good 'no trace begins' '.[0].verdict == "not identifiable: no trace has a beginning"'
	printf '{"data": [{"spans": [{"spanID": "1"}, {"traceID": "1", "spanID": "2"}], "processes": {}}]}' >"$dir/j.json"
	run "$real" execgraph "$dir/j.json"
	grep -q 'note: .*2 spans could not be read and are left out, the first: object 1, span 1: no traceID' "$dir/err"
	result $? 'spans that say too little are named'
	# A chain of 10000 calls, of which the deepest are left out, and a loop without end.
	awk 'BEGIN { for (i = 0; i < 10000; i++) printf "%d,%s,%s\n", i, i ? i - 1 : "", i % 2 ? "a" : "b" }' >"$dir/deep.csv"
	run "$real" execgraph "$dir/deep.csv" --json --broken 1
	good 'as deep as may be' '.[0] | .left_out.too_deep == 6000 and (.nodes | length) == 1 and
		.nodes[0].services == {"a": 2000, "b": 2000}'
	printf 'a,,\033[2J<b>"\\\n' >"$dir/odd.csv"
	run "$real" execgraph "$dir/odd.csv"
	! grep -qP '[\x00-\x09\x0b-\x1f]' "$dir/out" "$dir/err"
	result $? 'no control character of a name reaches the terminal'
}

usage
forms
paper
spans
recordings
bad
finish
