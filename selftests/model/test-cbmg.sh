#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens cbmg as its users meet it: TPC-W's matrices give their mixes back; logs of people
# whose ways are known, cut off at both ends, give intervals that hold the truth; and what is
# said of matrices and logs that are none. Prints TAP. TIERLENS names the program (make
# model-programs), TIERLENS_TPCW a file with TPC-W's matrices, MODEL_REPEATS how many logs.
set -uo pipefail

# shellcheck source=selftests/model/model-cli.sh
. "$(dirname "$0")/model-cli.sh"
tpcw=${TIERLENS_TPCW:-$top/../shared/data/tpcw_mixes.json}
log_of=$top/selftests/model/cbmg-log.py
combined='$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"'
timed="$combined \$msec \$request_time \"\$http_cookie\" \$kind"

# near KEY FILE FILE: whether two graphs have the same by name
near()
{
	jq -s --arg key "$1" '[.[][$key] | to_entries[]] | group_by(.key) |
		length > 0 and all(length == 2 and (.[0].value - .[1].value | fabs < 1e-9))' "$2" "$3"
}

# ---- matrices ---------------------------------------------------------------------------

tpcw()
{
	if [[ ! -r $tpcw ]]; then
		skip 'TPC-W' "no matrices at $tpcw: set TIERLENS_TPCW"
		return
	fi
	run "$real" cbmg "$tpcw" --json
	jq -n --slurpfile o "$dir/out" --slurpfile f "$tpcw" '["browsing", "shopping", "ordering"] |
		map(. as $t | $f[0][$t].stationary_pct | to_entries[] |
		100 * $o[0].types[$t].mix[.key] - .value | fabs) | {n: length, most: max}' >"$dir/most"
	[[ $status == 0 ]] && jq -e '.n == 42 and .most <= 0.005' "$dir/most" >/dev/null
	result $? "TPC-W's mixes are off by $(jq .most "$dir/most") points at most"
	good 'without an exit: a mix, no visits, and a note' '.[0] | .verdict == "ok" and .mix == null and
		.types.browsing.visits == null and .types.browsing.sessions == null and
		(.notes | length == 2 and any(contains("sessions never end"))) and
		.types.shopping.residual < 1e-14 and (.types.ordering.P | length) == 15'
	jq .shopping "$tpcw" >"$dir/one.json"
	run "$real" cbmg "$dir/one.json" --json
	good 'a matrix alone' '.[0] | .mix.HOME > 0.159 and (has("types") | not) and
		.states[0] == "INIT" and (.states | length) == 15'
	cp "$dir/out" "$dir/again.json"
	run "$real" cbmg "$dir/again.json" --json
	[[ $status == 0 && $(near mix "$dir/again.json" "$dir/out") == true ]]
	result $? 'what is printed can be read again'
	run "$real" cbmg "$tpcw" --json --share browsing=50 --share shopping=30 --share ordering=20
	good 'all types together have the mix of the parts' '.[0] | . as $o | .verdict == "ok" and
		([.mix | keys[] | . as $k | $o.mix[$k] - 0.5 * $o.types.browsing.mix[$k] -
		0.3 * $o.types.shopping.mix[$k] - 0.2 * $o.types.ordering.mix[$k] | fabs] | max) < 1e-12'
	says 1 'there is no type "buying" of users' "$real" cbmg "$tpcw" --only buying
	says 1 '--share x=1: there is no such type' "$real" cbmg "$tpcw" --share x=1
	says 1 'all shares are 0' "$real" cbmg "$tpcw" --share browsing=0 --share shopping=0 --share ordering=0
	jq '.browsing.P |= transpose' "$tpcw" >"$dir/turned.json"
	says 1 'turned.json: type "browsing": looks transposed: columns add up to one' \
		"$real" cbmg "$dir/turned.json"
	run "$real" cbmg "$tpcw" --only browsing --dot
	[[ $status == 0 ]] && dot -Tsvg "$dir/out" >"$dir/picture.svg" &&
		grep -q '29 % of requests' "$dir/picture.svg" && grep -q '% of all steps are not drawn' "$dir/picture.svg"
	result $? 'a picture of it'
}

# matrix NAME JSON: a file of it
matrix()
{
	printf '%s' "$2" >"$dir/$1.json"
}

matrices()
{
	# Visits of the shop with think times, worked out by going on and on.
	python3 "$log_of" truth >"$dir/truth.json"
	jq '.looker | {states: (["(start)"] + (.visits | keys) + ["(exit)"])} as $s | $s + {
		P: [$s.states[] as $i | [$s.states[] as $k | (.P[$i][$k] // 0)]], think_s}' \
		"$dir/truth.json" >"$dir/shop.json"
	run "$real" cbmg "$dir/shop.json" --json
	jq -n --slurpfile o "$dir/out" --slurpfile t "$dir/truth.json" '$t[0].looker | [
		(.visits | keys[] as $k | .[$k] - $o[0].visits[$k]), (.mix | keys[] as $k | .[$k] - $o[0].mix[$k]),
		(.wait_s | keys[] as $k | .[$k] - $o[0].wait_s[$k]), .requests_per_session - $o[0].requests_per_session] |
		map(fabs) | max < 1e-9' >"$dir/near"
	[[ $status == 0 && $(<"$dir/near") == true ]]
	result $? 'a matrix with an end: visits, mix, W and length'
	jq -r '(["", .states[]] | @csv), (.states as $s | range($s | length - 1) as $i |
		[$s[$i], .P[$i][]] | @csv)' "$dir/shop.json" >"$dir/shop.csv"
	jq -c .visits "$dir/out" >"$dir/visits"
	run "$real" cbmg "$dir/shop.csv" --json
	[[ $status == 0 && $(jq -c .visits "$dir/out") == "$(<"$dir/visits")" ]]
	result $? 'the same from CSV, without a row for the end'
	sed 's/(start)/begin of all/; s/(exit)/gone/' "$dir/shop.csv" >"$dir/other.csv"
	run "$real" cbmg "$dir/other.csv" --start 'begin of all' --exit gone --json
	[[ $status == 0 && $(jq -c .visits "$dir/out") == "$(<"$dir/visits")" ]]
	result $? 'start and end by any name'
	matrix buyers '{"a": {"states": ["start", "x", "y", "end"], "share": 3, "think_s": 4,
		"P": [[0, 1, 0, 0], [0, 0, 0.5, 0.5], [0, 0, 0, 1], [0, 0, 0, 1]]},
		"b": {"states": ["start", "y", "z", "end"], "share": 1, "D": [[0,0,0,0],[0,0,8,0],[0,0,0,0],[0,0,0,0]],
		"P": [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]}}'
	run "$real" cbmg "$dir/buyers.json" --json
	good 'types of different states' '.[0] | .verdict == "ok" and .visits == {"x": 0.75, "y": 0.625, "z": 0.25} and
		(.types.a.visits | keys) == ["x", "y"] and (.residual < 1e-15) and .types.a.share == 0.75 and
		.types.b.think_s == {"y": 8, "z": null} and .types.a.wait_s.x == 2 and .requests_per_session == 1.625'
}

bad_matrices()
{
	local p='"P": [[0, 1, 0], [0, 0.5, 0.5], [0, 0, 0]]'

	matrix sum '{"states": ["(start)", "a", "(exit)"], "P": [[0, 1, 0], [0, 0.5, 0.4], [0, 0, 0]]}'
	says 1 'sum.json: row "a" adds up to 0.9, not to one' "$real" cbmg "$dir/sum.json"
	matrix round '{"states": ["(start)", "a", "(exit)"], "P": [[0, 1, 0], [0, 0.333, 0.666], [0, 0, 0]]}'
	run "$real" cbmg "$dir/round.json" --json
	good 'what decimals lose is made up for' '.[0].visits.a == 1.5'
	matrix negative '{"states": ["(start)", "a", "(exit)"], "P": [[0, 1, 0], [0, -0.5, 1.5], [0, 0, 0]]}'
	says 1 'row "a", column "a": -0.5 is no probability' "$real" cbmg "$dir/negative.json"
	matrix trap '{"states": ["(start)", "a", "b", "(exit)"],
		"P": [[0, 1, 0, 0], [0, 0, 0.5, 0.5], [0, 0, 1, 0], [0, 0, 0, 0]]}'
	says 1 'trap.json: no exit from state "b"' "$real" cbmg "$dir/trap.json"
	matrix zero '{"states": ["(start)", "a", "b"], "P": [[0, 1, 0], [0, 0, 1], [0, 0, 0]]}'
	says 1 'no way leads out of state "b"' "$real" cbmg "$dir/zero.json"
	matrix split '{"states": ["INIT", "a", "b"], "P": [[0, 0.5, 0.5], [0, 1, 0], [0, 0, 1]]}'
	says 1 'sessions never end, and there is no one mix' "$real" cbmg "$dir/split.json"
	matrix twice '{"states": ["(start)", "a", "a", "(exit)"], "P": []}'
	says 1 'states 2 and 3 are both called "a"' "$real" cbmg "$dir/twice.json"
	matrix unknown "{\"states\": [\"(start)\", \"a\", \"(exit)\"], $p, \"think_s\": {\"b\": 1}}"
	says 1 'think_s: there is no state "b"' "$real" cbmg "$dir/unknown.json"
	matrix think "{\"states\": [\"(start)\", \"a\", \"(exit)\"], $p, \"think_s\": -1}"
	says 1 'the think time of "(start)" is no number of seconds from 0' "$real" cbmg "$dir/think.json"
	matrix short '{"states": ["(start)", "a", "(exit)"], "P": [[0, 1, 0], [0, 1], [0, 0, 0]]}'
	says 1 'P: row "a" must be a list of 3 numbers, not of 2' "$real" cbmg "$dir/short.json"
	matrix text '{"states": ["(start)", "a", "(exit)"], "P": [[0, 1, 0], [0, "x", 1], [0, 0, 0]]}'
	says 1 'row "a", column "a" is no number' "$real" cbmg "$dir/text.json"
	matrix nostart '{"states": ["b", "a", "(exit)"], "P": [[0, 0.5, 0.5], [1, 0, 0], [0, 0, 0]]}'
	says 1 'sessions end in "(exit)", but where do they start?' "$real" cbmg "$dir/nostart.json"
	matrix goeson '{"states": ["(start)", "a", "(exit)"], "P": [[0, 1, 0], [0, 0.5, 0.5], [0, 1, 0]]}'
	says 1 'ways lead out of "(exit)", where sessions end' "$real" cbmg "$dir/goeson.json"
	matrix nothing '{"states": []}'
	says 2 'nothing.json is no matrix, and only these take --start' "$real" cbmg --only x "$dir/nothing.json"
	matrix none '{"states": [], "P": []}'
	says 1 'none.json: no states' "$real" cbmg "$dir/none.json"
	matrix broken '{"states": ["a"], "P": [[1}'
	says 1 'broken.json:1: column 27: no JSON' "$real" cbmg "$dir/broken.json"
	printf ',a,b\na,0,1\nb,x,0\n' >"$dir/m.csv"
	says 1 'm.csv:3: column 2 (a): "x" is no number' "$real" cbmg "$dir/m.csv"
	printf ',a,b\na,0,1\nc,1,0\n' >"$dir/m.csv"
	says 1 'm.csv:3: the head line has no state "c"' "$real" cbmg "$dir/m.csv"
	printf ',a,b\na,0,1\na,1,0\n' >"$dir/m.csv"
	says 1 'm.csv:3: row "a" is there twice, first in line 2' "$real" cbmg "$dir/m.csv"
	printf ',a,b\na,0\nb,1,0\n' >"$dir/m.csv"
	says 1 'm.csv:2: row "a" has 1 numbers, but there are 2 states' "$real" cbmg "$dir/m.csv"
	printf ',a,b\na,0.5,0.4\nb,1,0\n' >"$dir/m.csv"
	says 1 'm.csv:2: row "a" adds up to 0.9' "$real" cbmg "$dir/m.csv"
	: >"$dir/m.csv"
	says 1 'm.csv: the file is empty' "$real" cbmg "$dir/m.csv"
	says 2 'is a matrix, which takes only --start' "$real" cbmg --gap 60 "$dir/sum.json"
	says 2 'is a matrix: give it alone' "$real" cbmg "$dir/sum.json" "$dir/sum.json"
}

# ---- logs -------------------------------------------------------------------------------

# made KIND NAME ARGUMENTS...: a log of cbmg-log.py
made()
{
	python3 "$log_of" "${@:2}" >"$dir/$1"
}

formats()
{
	local f

	made c.log 1 1500 combined
	made t.log 1 1500 timed
	made a.log 1 1500 apache
	made j.log 1 1500 json
	run "$real" cbmg "$dir/c.log" --json
	cp "$dir/out" "$dir/c.json"
	good 'combined' '.[0] | .verdict == "ok" and .sessions > 1000 and (.mix | keys) ==
		["/", "/cart", "/order", "/product", "/search"] and .log.broken == 0 and .log.with_response_time == 0 and
		(.log.begin_unknown > 0 and .log.end_unknown > 0 and (.log.whole | not)) and
		(.notes | any(contains("no response times")))'
	good 'sums: rows to one, the end nowhere, counts to the requests' '.[0] | . as $o |
		(.P[:-1] | all(add | . - 1 | fabs < 1e-12)) and (.P[-1] | add) == 0 and .states[0] == "(start)" and
		.states[-1] == "(exit)" and ([.transitions[][]] | add) <= .requests + .sessions and
		([.mix[]] | add | . - 1 | fabs) < 1e-12 and (([.visits[]] | add) - .requests_per_session | fabs) < 1e-9 and
		.residual < 1e-14 and ([paths(numbers)] | map(select(.[0] == "ci95")) | length) > 100'
	run "$real" cbmg "$dir/t.log" --format "$timed" --session cookie:sid --json
	cp "$dir/out" "$dir/t.json"
	good 'nginx: its log_format, a cookie, response times' '.[0] | .log.with_response_time == .requests and
		(.notes | any(contains("response")) | not)'
	jq -s '(.[0].transitions == .[1].transitions) and .[0].think_s["/"] > .[1].think_s["/"] + 0.2' \
		"$dir/c.json" "$dir/t.json" >"$dir/same"
	[[ $(<"$dir/same") == true ]]
	result $? 'the same ways, and think times without responses'
	for f in '%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-agent}i\" %D' \
		'%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-agent}i" %{us}T'; do
		run "$real" cbmg "$dir/a.log" --format "$f" --json
		jq -s '(.[0].transitions == .[1].transitions) and ([.[0].think_s, .[1].think_s | to_entries[]] |
			group_by(.key) | all(.[0].value - .[1].value | fabs < 0.5))' "$dir/t.json" "$dir/out" >"$dir/same"
		[[ $status == 0 && $(<"$dir/same") == true ]]
		result $? "Apache: its LogFormat, times of the begin: $f"
	done
	run "$real" cbmg "$dir/j.log" --session user.id --json
	jq -s '.[0].transitions == .[1].transitions and .[0].think_s == .[1].think_s' \
		"$dir/t.json" "$dir/out" >"$dir/same"
	[[ $status == 0 && $(<"$dir/same") == true ]]
	result $? 'JSON lines, a field in an object'
	split -n l/3 "$dir/t.log" "$dir/part."
	run "$real" cbmg "$dir/part.aa" "$dir/part.ab" "$dir/part.ac" --format "$timed" --session cookie:sid --json
	jq -s '(.[0] | del(.file, .notes)) == (.[1] | del(.file, .notes))' "$dir/t.json" "$dir/out" >"$dir/same"
	[[ $status == 0 && $(<"$dir/same") == true ]]
	result $? 'a log in three files is the same log'
	"$real" cbmg - --json <"$dir/c.log" 2>/dev/null | jq -cs '.[0] | del(.file, .notes)' >"$dir/a"
	jq -c 'del(.file, .notes)' "$dir/c.json" | cmp -s - "$dir/a"
	result $? 'standard input'
	run "$real" cbmg "$dir/c.json" --json
	[[ $status == 0 && $(near visits "$dir/c.json" "$dir/out") == true ]]
	result $? "a log's graph is read again as a matrix"
	says 1 'the format has no field for the time' "$real" cbmg "$dir/c.log" --format '$remote_addr "$request"'
	says 1 'the format has nothing between its fields' "$real" cbmg "$dir/c.log" --format '$remote_addr$request'
	says 1 'character 4 of the format, "%y", is no field' "$real" cbmg "$dir/c.log" --format '%h %y'
	says 1 'no format "nginx": give combined' "$real" cbmg "$dir/c.log" --format nginx
	says 1 'the format has no field for cookies' "$real" cbmg "$dir/c.log" --format combined --session cookie:sid
	says 1 'the format has no field "kind"' "$real" cbmg "$dir/c.log" --format combined --type kind
}

# truths FILE TYPE: of each interval of a type's graph whether it holds the truth
truths()
{
	jq -r --slurpfile t "$dir/truth.json" --arg type "$2" '
		def name: {"/": "home", "(start)": "(start)", "(exit)": "(exit)"}[.] // .[1:];
		(if .types then .types[$type] else . end) as $o | $t[0][$type] as $t | $o.ci95 as $i |
		([ $o.states | to_entries[] ] | .[:-1][] as $f | .[1:][] as $to |
			[$i.P[$f.key][$to.key], $t.P[$f.value | name][$to.value | name]] |
			select(.[1] > 0) | ["P"] + .),
		("visits", "mix", "think_s", "wait_s" | . as $k | $i[$k] | to_entries[] |
			[$k, .value, $t[$k][.key | name]]),
		["requests", $i.requests_per_session, $t.requests_per_session] |
		[.[0], (.[1] != null and .[1][0] <= .[2] and .[2] <= .[1][1])] | @tsv' "$1"
}

# of_all KIND: held, of how many
of_all()
{
	awk -v kind="$1" '$1 == kind { n++; held += $2 == "true" } END { print held + 0, n + 0 }' "$dir/truths"
}

coverage()
{
	local repeats=$((${MODEL_REPEATS:-60} / 6)) i kind held n

	for ((i = 1; i <= repeats; i++)); do
		made one.log "$i" 900 timed 12
		"$real" cbmg "$dir/one.log" --format "$timed" --session cookie:sid --json \
			>"$dir/one.json" 2>/dev/null
		truths "$dir/one.json" looker
	done >"$dir/truths"
	for kind in P visits mix think_s wait_s requests; do
		read -r held n < <(of_all "$kind")
		((n >= repeats && 100 * held >= 90 * n))
		result $? "$repeats logs of eight hours that cut sessions in two: $kind: $held of $n intervals hold the truth"
	done
	# A part of the log is so short that the gap matters most.
	for ((i = 1; 2 * i <= repeats; i++)); do
		made one.log "$((1000 + i))" 500 json 9 2
		"$real" cbmg "$dir/one.log" --session user.id --type user.kind --gap 3600 --json \
			>"$dir/one.json" 2>/dev/null
		truths "$dir/one.json" looker
		truths "$dir/one.json" buyer
	done >"$dir/truths"
	read -r held n < <(awk '{ n++; held += $2 == "true" } END { print held, n }' "$dir/truths")
	((n >= 40 * repeats && 100 * held >= 90 * n))
	result $? "two types, five hours, a gap of one: $held of $n intervals hold the truth"
}

# at SECONDS PATH [ADDRESS]: a line
at()
{
	printf '%s - - [%s] "GET %s HTTP/1.1" 200 1 "-" "x"\n' "${3:-1.1.1.1}" \
		"$(date -u -d "@$((1764547200 + $1))" '+%d/%b/%Y:%H:%M:%S +0000')" "$2"
}

sessions()
{
	{ at 0 /a; at 10 /b; at 1811 /c; at 1900 /a/x.png; at 1905 '/b?q'; } >"$dir/gap.log"
	run "$real" cbmg "$dir/gap.log" --json
	good 'a gap ends a session; a picture is no request; a short log is whole' '.[0] | .sessions == 2 and
		.requests == 4 and .log.embedded == 1 and .log.whole and .requests_per_session == 2 and
		.think_s == {"/b": null, "/a": 10, "/c": 94} and (.notes | any(contains("shorter than four gaps")))'
	run "$real" cbmg "$dir/gap.log" --gap 3600 --embedded --depth 2 --json
	good '--gap, --embedded, --depth' '.[0] | .sessions == 1 and .requests == 5 and
		(.states | index("/a/x.png"))'
	run "$real" cbmg "$dir/gap.log" --state start=/a --state 'pic=GET /a/x' --state -=/c --json
	good '--state: the longest prefix, what none is for, what is left out' '.[0] |
		(.states - ["(start)", "(exit)"] | sort) == ["other", "pic", "start"] and .log.left_out == 1'
	printf '{"classes":[{"name":"front","prefix":"GET /a"},{"name":"b","prefix":"GET /b?q"}]}' >"$dir/rules.json"
	run "$real" cbmg "$dir/gap.log" --states "$dir/rules.json" --json
	good "--states: the module's rules for classes" '.[0] | (.states | sort) ==
		["(exit)", "(start)", "b", "front", "other"]'
	{ at 0 /a; at 5 /a 2.2.2.2; at 10 /b; at 86400 /a; at 20 /b; at 21 /b; at 25 /b 2.2.2.2; } >"$dir/stray.log"
	run "$real" cbmg "$dir/stray.log" --json
	good 'one line with a wrong time ends no other session' '.[0] | .requests == 7 and .sessions <= 4 and
		(.states as $s | .transitions[$s | index("/b")][$s | index("/b")] == 1) and
		(.states as $s | .transitions[$s | index("/a")][$s | index("/b")] == 2)'
	for ((i = 0; i < 40; i++)); do at $((100000 + i)) /a; done >"$dir/back.log"
	for ((i = 0; i < 40; i++)); do at "$i" /b; done >>"$dir/back.log"
	run "$real" cbmg "$dir/back.log" --json
	good 'the clock goes back: said once, with the place' ".[0] | .log.clock_back == 1 and .sessions == 2 and
		(.notes | any(contains(\"goes back by more than a gap 1 times, first at $dir/back.log:41\")))"
}

broken()
{
	{ for ((i = 0; i < 97; i++)); do at "$i" /a; done
	  echo 'half a li'; printf 'x\0y\n'; echo; at 100 /b | sed 's/01.Dec/31\/Foo/'; } >"$dir/few.log"
	run "$real" cbmg "$dir/few.log" --json
	good 'broken lines are counted and named' ".[0] | .verdict == \"ok\" and .log.lines == 100 and
		.log.broken == 3 and .requests == 97 and (.notes[0] | contains(\"3 of 100 lines could not be read\") and
		contains(\"few.log:98: ends before the format does\") and contains(\"few.log:99: has a NUL byte\") and
		contains(\"few.log:101: has a time that is none\"))"
	run "$real" cbmg "$dir/few.log" --broken 0.02 --json
	good 'too many of them: a verdict, no figures' '.[0] | (.verdict | startswith("unreliable: 3 % of the lines")) and
		([.P, .visits, .mix, .think_s] | all(. == null)) and .sessions == 1'
	says 1 'there is nothing to draw' "$real" cbmg "$dir/few.log" --broken 0.02 --dot --json
	head -c 100000 /dev/zero | tr '\0' x >"$dir/long.log"
	{ echo; at 0 /a; } >>"$dir/long.log"
	run "$real" cbmg "$dir/long.log" --broken 0.5 --json
	good 'a line of 100,000 bytes' '.[0] | .log.lines == 2 and .log.broken == 1 and .requests == 1 and
		(.notes[0] | contains("long.log:1: is longer than 64 KiB"))'
	echo 'what is this?' >"$dir/what.log"
	says 1 'what.log:1: is in no format that is known (--format tells which), and so is every line' \
		"$real" cbmg "$dir/what.log"
	: >"$dir/empty.log"
	says 1 'empty.log: no line' "$real" cbmg "$dir/empty.log"
	{ at 0 /a 2.2.2.2; at 3000 /a 3.3.3.3; at 3001 /b 3.3.3.3
	  for ((i = 0; i < 1100; i++)); do at $((10 * i + 7200)) /health; done; } >"$dir/health.log"
	run "$real" cbmg "$dir/health.log" --json
	good 'who never ends: a verdict that names it' '.[0] | .P == null and (.verdict | startswith(
		"not identifiable: sessions that came to \"/health\" were not seen to end"))'
	run "$real" cbmg "$dir/health.log" --state -=/health --json
	good "and without it there is a graph" '.[0] | .verdict == "ok" and .visits == {"/a": 1, "/b": 0.5}'
	for ((i = 0; i < 260; i++)); do at "$i" "/p$i"; done >"$dir/many.log"
	run "$real" cbmg "$dir/many.log" --json
	good 'too many states: the rest is other' '.[0] | (.states | length) == 201 and
		(.states | index("other")) and (.notes | any(contains("more than 200 states")))'
	run "$real" cbmg "$dir/many.log" --session 'cookie:x"' --json
	[[ $status == 0 || $status == 1 ]]
	result $? 'a session that no line has'
	printf '{"time":"2025-12-01T00:00:00Z","request_uri":"/\\u001b[2J<b>\\"\\\\","ip":"1","msec":1764547200}\n' >"$dir/odd.log"
	run "$real" cbmg "$dir/odd.log"
	[[ $status == 0 ]] && ! grep -qP '[\x00-\x09\x0b-\x1f]' "$dir/out" "$dir/err"
	result $? 'no control character of a path reaches the terminal'
	run "$real" cbmg "$dir/odd.log" -o "$dir/odd.svg"
	[[ $status == 0 ]] && ! grep -q '<b>' "$dir/odd.svg" && grep -q '&lt;b&gt;' "$dir/odd.svg"
	result $? 'nor is one a part of the picture but text'
}

python3 --version >/dev/null || exit 1
tpcw
matrices
bad_matrices
formats
sessions
broken
coverage
finish
