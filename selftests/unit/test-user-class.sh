#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Classes, sockets as tiers, paths, resources and waits on the command line. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"

arguments()
{
	says 2 'class add needs the name of a class and a prefix' "$real" class add
	says 2 'class add needs the name of a class and a prefix' "$real" class add cart
	says 2 'unexpected argument "c"' "$real" class add a b c
	says 2 'class del needs the name of a class' "$real" class del
	says 2 'unexpected argument "b"' "$real" class del a b
	says 2 'class has no "rename", but list, add and del' "$real" class rename a
	says 2 'class list takes neither --prefix nor --tier' "$real" class list --tier x
	says 2 'class add takes its prefix without --prefix' "$real" class add a b --prefix c
	says 2 'the prefix is empty, it must have 1 to 64 bytes' "$real" class add a ''
	says 2 'the prefix is empty' "$real" class del a --prefix ''
	says 2 'prefix: 65 bytes are too many: give at most 64' "$real" class add a "$(printf '%065d' 1)"
	says 2 'prefix: unknown escape "\q" at character 5: use \xHH' "$real" class add a 'GET \q'
	says 2 'prefix: unknown escape "\" at character 2' "$real" class del a --prefix "a\\"
	says 2 'prefix: "\x" at character 1 needs two hexadecimal digits' "$real" class add a '\x1'
	says 2 'the name "" must have 1 to 31 bytes' "$real" class add '' a
	says 2 'must have 1 to 31 bytes' "$real" class add "$(printf '%032d' 1)" a
	says 2 'the tier "" must have 1 to 31 bytes' "$real" class add a b --tier ''
	says 2 'the socket "run/x" must begin with / or, if it is abstract, with @' "$real" tier add a run/x
	says 2 'the path of a socket must have 2 to 108 bytes' "$real" tier add a /
	says 2 'the path of a socket must have 2 to 108 bytes' "$real" tier add a "@$(printf '%0108d' 1)"
	says 2 'tier add takes --port or "/x", not both' "$real" tier add a /x --port 80
	says 2 'unexpected argument "/y"' "$real" tier add a /x /y
	plays full 1 'cannot add class a: the table of rules is full: delete one first' class add a b
	plays ok 1 'cannot add class twice: a rule has that prefix already: delete it first' class add twice b
	plays ok 1 'cannot delete class nobody: no rule has that class: see the list' class del nobody
}

dialogue()
{
	# 3 is the name, 4 the prefix, 5 the tier.
	told '3=6361727400 4=474554202f' class add cart 'GET /'
	told '3=6361727400 4=0001ff0a5c5c78 5=77656200' class add cart '\0\x01\xff\n\\\\x' --tier web
	told "3=6100 4=$(printf '%0128d' 0)" class add a "$(printf '\\0%.0s' {1..64})"
	told '3=6361727400' class del cart
	told '3=6361727400 4=5c 5=77656200' class del cart --prefix "\\\\" --tier web
	told '3=6361727400 4=2d78' class add -- cart -x
	# 2 is the name, 3 the port, 4 the namespace, 7 the path.
	told '2=77656200 7=2f72756e2f7800' tier add web /run/x
	told '2=77656200 7=407800 4=01000000' tier add web @x --netns 1
	told '2=77656200 3=50000000' tier add web --port 80
	export TIERLENS_FAKE=ok
	run "$fake" class add cart 'GET /' --json
	good "class add --json" '.[0] == {"added":"cart"}'
	run "$fake" class del cart --json
	good "class del --json" '.[0] == {"deleted":"cart"}'
	export TIERLENS_FAKE=intr
	run "$fake" class list --json
	good "class list --json" '(.[0].classes | length) == 3 and
		.[0].classes[0] == {"id":1,"name":"cart","prefix":"GET /cart\\x20",
		"prefix_hex":"474554202f6361727420","tier":"web:80","hits":0} and
		.[0].classes[1].tier == null and .[0].classes[1].hits == 1000 and
		.[0].classes[1].prefix == "\\x001\\x03\\\\\"\\xff\\n\\0"'
	run "$fake" class
	[[ $status == 0 ]] && grep -qF 'query  any         1000  \x001\x03\\"\xff\n\0' "$dir/out" &&
		! grep -qP '[\x00-\x09\x0b-\x1f]' "$dir/out"
	result $? "class list: prefixes as they are typed, nothing for the terminal"
	export TIERLENS_FAKE=empty
	run "$fake" class list
	[[ $status == 0 && $(<"$dir/out") == 'no rules: every request is of class "other"'* ]]
	result $? "class list without rules says what that means"
	export TIERLENS_FAKE=ok
	run "$fake" tier list
	[[ $status == 0 ]] && grep -q '^sock  */run/php/fpm.sock  *any  rule' "$dir/out"
	result $? "tier list shows the path of a socket"
	run "$fake" status
	[[ $status == 0 ]] && grep -q '5 paths; 3 rules for classes' "$dir/out"
	result $? "status counts paths and rules"
	grep -q '^in use  *servers 102, clients 103, errands 104, .*, sums 113$' "$dir/out"
	result $? "status tells what is in every table"
	unset TIERLENS_FAKE
}

intervals()
{
	export TIERLENS_FAKE=ok
	run "$fake" show --json
	good "show --json: what requests used" '.[0].tiers[0].cells[0] | .cpu_ns == 4000000 and
		.cpu_s == 0.004 and .run_wait_ns == 1000000 and .queue_ns == 5000000 and
		.queue_count == 4 and .storage_read_bytes == 4096 and .storage_write_bytes == 0 and
		.storage_bytes == 4096'
	good "what the kernel does not tell is absent, not 0" '.[0] | (.tiers[0].cells[1] |
		.cpu_ns == 2000000 and (has("storage_read_bytes") or has("storage_bytes") | not)) and
		(.tiers[1] | has("usage") | not) and (.edges[4] | has("joined") | not)'
	good "show --json: usage, and a tier that only used" '.[0] | .tiers[0].usage == {"processes":3,
		"cpu_s":0.01,"cpu_ns":10000000,"request_cpu_s":0.006,"request_cpu_ns":6000000,
		"elapsed_s":0.125,"elapsed_ns":125000000,"outside_cpu_s":0.004} and .tiers[2].name == "idle:7" and .tiers[2].cells == [] and
		.tiers[2].usage.outside_cpu_s == 0'
	good "show --json: parts of the processors, and no guess about the host" \
		'.[0].hosts == {"web:80.cpu":0.02,"idle:7.cpu":0.01}'
	good "show --json: joined calls" '.[0].edges[0] | .joined == .calls and
		.transit_ns == 50000 * .calls and .bytes_out == 10 * .calls and
		.bytes_in == 1000 * .calls'
	good "show --json: paths, parents first" '.[0].paths | map([.id,.parent]) ==
		[[1,null],[5,null],[7,null],[3,7],[9,5]] and map(.path) == ["more paths","web:80/cart",
		"web:80/other","web:80/other>app:9000/other","web:80/cart>app:9000/cart"] and
		.[3].cpu_ns == 3200000 and .[0].tier == null'
	export TIERLENS_FAKE=bare
	run "$fake" show --json
	good "a kernel that tells nothing of it: nothing is made up" '.[0] | .paths == [] and
		.hosts == {} and ([.. | objects | keys[]] | unique) as $keys | ["cpu_s","run_wait_s",
		"queue_s","queue_count","storage_bytes","joined","transit_s","usage"] | all(. as $key |
		$keys | index($key) | not)'
	good "and a class without a name has a number" '.[0].tiers[0].cells[1].class == "4"'
	unset TIERLENS_FAKE
	plays orphan 1 'cannot read the intervals: the kernel answers "Bad message"' show
}

recordings()
{
	export TIERLENS_FAKE=clock
	run "$fake" record -n 12 -o "$dir/rec.jsonl"
	cp "$dir/rec.jsonl" "$dir/out"
	good "record: the host's utilisation, but not for the first interval" 'length == 12 and
		(.[0].hosts | has("cpu") | not) and ([.[].hosts.cpu | numbers] | length >= 1 and
		all(. >= 0 and . <= 1)) and all(.[]; .hosts["web:80.cpu"] == 0.02)'
	run "$fake" record -n 8 --kept
	good "nor for those that ended before we came" '[.[].hosts.cpu] | all(. == null)'
	run "$real" replay --speed 0 "$dir/r.jsonl"
	[[ $status == 0 && $(grep -c '%  cpu 31 %  ' "$dir/out") == 11 ]]
	result $? "replay and top show how busy the processors were, if it is known"
	run "$real" replay --speed 0 --json "$dir/rec.jsonl"
	jq -es 'map(del(.missed, .attributed, .figures))' "$dir/out" >"$dir/a" 2>&1
	jq -es . "$dir/rec.jsonl" >"$dir/b"
	cmp -s "$dir/a" "$dir/b"
	result $? "replay reads all of a recording"
	unset TIERLENS_FAKE
	# As an older tierlens wrote it.
	jq -c 'del(.paths, .hosts, .tiers[].usage, .edges[].joined, .edges[].transit_s,
		.edges[].transit_ns, .edges[].bytes_out, .edges[].bytes_in) | .tiers[].cells[] |=
		del(.cpu_s, .cpu_ns, .run_wait_s, .run_wait_ns, .queue_s, .queue_ns, .queue_count,
		.storage_bytes, .storage_read_bytes, .storage_write_bytes)' "$dir/r.jsonl" >"$dir/old.jsonl"
	run "$real" replay --speed 0 --json "$dir/old.jsonl"
	jq -es 'map(del(.missed, .attributed, .figures, .paths, .hosts, .tiers[].cells[].own_sq_s2))' \
		"$dir/out" >"$dir/a" 2>&1
	jq -es 'map(del(.tiers[].cells[].own_sq_s2))' "$dir/old.jsonl" >"$dir/b"
	cmp -s "$dir/a" "$dir/b"
	result $? "replay of an older recording: what it lacks stays unknown"
}

views()
{
	local row='^app:9000  *other  *[0-9.]*  *3.000  *1.250  *2.000  *0.100  *0.400  *0.500$'

	export TIERLENS_FAKE=ok
	run "$fake" show
	[[ $status == 0 ]] && grep -q 'own ms  cpu ms  p50' "$dir/out" &&
		grep -q '^web:80.cpu  *2.0 %$' "$dir/out" && grep -q 'transit ms' "$dir/out" &&
		grep -q '^web:80  *cart .* 1.000  *0.400 ' "$dir/out"
	result $? "show: classes, processor time, transit, utilisations"
	grep -q '^tier  *processes  *cpu ms  *in requests ms  *outside ms  *outside %$' "$dir/out" &&
		grep -q '^web:80  *3  *10.000  *6.000  *4.000  *40.0$' "$dir/out"
	result $? "show: what was used outside of requests"
	run "$fake" show --waits
	[[ $status == 0 ]] && grep -q "$row" "$dir/out" && ! grep -q caller "$dir/out"
	result $? "show --waits"
	run "$fake" top -n 1 --waits
	[[ $status == 0 ]] && grep -q 'queue ms  calls ms  run wait ms  cpu ms  rest ms' "$dir/out"
	result $? "top --waits"
	run "$fake" show --waits --json
	good "show --waits --json" '.[0] | .generation > 0 and .seconds == 0.1 and
		(.figures[0] | .class == "cart" and .mean_queue_s == 0.00125 and .mean_cpu_s == 0.0004 and
		.mean_run_wait_s == 0.0001 and (.mean_rest_s - 0.0005 | fabs) < 1e-9 and
		.mean_storage_bytes == null) and .figures[1].mean_storage_bytes == 409.6'
	run "$fake" show --paths
	sed -nE 's/^( *[a-z:0-9]+( paths)?) +([^ ]+) .*/\1 \3/p' "$dir/out" | tr '\n' ',' >"$dir/a"
	[[ $status == 0 && $(<"$dir/a") == 'path class,web:80 other,  app:9000 other,'* ]] &&
		[[ $(<"$dir/a") == *',web:80 cart,  app:9000 cart,more paths -,' ]] &&
		grep -q '^  app:9000  other  *80.0  *1.500  *1.000  *40.0  *26.7  *0.400$' "$dir/out" &&
		grep -q '^more paths  -  *20.0  *3.000  *1.000  *-  *-  *0.400$' "$dir/out"
	result $? "show --paths: a tree, what takes most time first"
	run "$fake" show --paths --json
	good "show --paths --json" '.[0].paths | map(.id) == [7,3,5,9,1] and
		.[1].parent == 7 and .[1].response_share == 0.4 and .[1].rate == 80 and
		.[4].response_share == null'
	says 2 'only one of --paths and --waits' "$real" show --paths --waits
	export TIERLENS_FAKE=bare
	run "$fake" show
	[[ $status == 0 ]] && ! grep -q 'cpu' "$dir/out"
	result $? "show without processor time has no such column, nor such a table"
	run "$fake" show --waits
	[[ $status == 0 ]] && grep -q '^web:80  *other  *100.0  *3.000  *-  *2.000  *-  *-  *-$' "$dir/out"
	result $? "show --waits: what is not known is -"
	run "$fake" show --waits --json
	good "and null" '.[0].figures[0] | .mean_queue_s == null and .mean_cpu_s == null and
		.mean_rest_s == null'
	run "$fake" show --paths
	[[ $status == 0 && $(<"$dir/out") == 'no path is known of this interval' ]]
	result $? "show --paths without any says so"
	export TIERLENS_FAKE=hostile
	run "$fake" show --paths
	[[ $status == 0 ]] && ! grep -qP '[\x00-\x09\x0b-\x1f]' "$dir/out"
	result $? "show --paths: nothing for the terminal"
	run "$fake" graph --paths --dot
	[[ $status == 0 ]] && ! grep -qP '[\x00-\x08\x0b-\x1f]' "$dir/out" && grep -qF '\"<b>' "$dir/out"
	result $? "graph --paths: names are quoted"
	unset TIERLENS_FAKE
}

pictures()
{
	run "$real" graph --paths --dot "$dir/r.jsonl" "$dir/r.jsonl"
	[[ $status == 0 ]] && grep -qE '^	"path 2" \[label="nginx:80\\n' "$dir/out" &&
		grep -qE '^	"from clients" -> "path 2"' "$dir/out" &&
		grep -qE '^	"path 3" -> "path 4" \[label="[0-9]+/s\\n2.00 per request"\];' "$dir/out" &&
		[[ $(grep -c -- '->' "$dir/out") == 3 ]]
	result $? "graph --paths --dot"
	run "$real" graph --paths --json "$dir/r.jsonl"
	good "graph --paths --json" '.[0] | (.nodes | map(select(.kind == "path")) | length) == 3 and
		([.nodes[] | .path.own_share | numbers] | add) > 0.9 and (.edges | map(.to)) == ["2","3","4"]'
	run "$real" graph --dot "$dir/r.jsonl"
	[[ $status == 0 && $(grep -c '50 µs of it in transit' "$dir/out") == 2 ]]
	result $? "graph: transit where both ends were seen"
	run "$real" graph --json "$dir/r.jsonl" "$dir/old.jsonl"
	good "not if a part of it is unknown" '.[0].edges | all(.mean_transit_s == null)'
	if ! command -v dot >/dev/null || ! command -v gnuplot >/dev/null; then
		skip "report" "graphviz or gnuplot is not installed"
		return
	fi
	run "$real" graph --paths "$dir/r.jsonl" -o "$dir/paths.svg"
	[[ $status == 0 ]] && grep -q '>mariadbd:3306<' "$dir/paths.svg"
	result $? "graph --paths -o FILE.svg"
	run "$real" report "$dir/r.jsonl" -o "$dir/page.html"
	[[ $status == 0 ]] && grep -q '<h2>Paths</h2>' "$dir/page.html" &&
		grep -q '<td>disk.vda</td><td>6.2 %</td><td>92</td>' "$dir/page.html" &&
		grep -q '<td>net.eth0.in_bytes_s</td><td>100000</td><td>92</td>' "$dir/page.html" &&
		grep -q '<td>0.050</td>' "$dir/page.html"
	result $? "report: paths, transit, host, and for how long it is known"
	grep -q '<h2>Processor</h2>' "$dir/page.html" &&
		grep -qE '<tr><td>nginx:80</td><td>[0-9.]+</td><td>[0-9.]+</td><td>[0-9.]+</td></tr>' "$dir/page.html"
	result $? "report: what was used outside of requests"
	run "$real" report "$dir/old.jsonl" -o "$dir/page.html"
	[[ $status == 0 ]] && ! grep -qE '<h2>(Paths|Processor|Host)</h2>' "$dir/page.html"
	result $? "report of an older recording has none of it"
}

python3 "$top/selftests/unit/user-recording.py" 12 >"$dir/r.jsonl" || exit 1
arguments
dialogue
intervals
recordings
views
pictures
finish
