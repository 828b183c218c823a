#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command line as its users meet it: sentences and exit status for all that can be wrong,
# what it says to a kernel (a fake one, see user-fake-kernel.c) and what it makes of recordings.
# Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"

usage()
{
	local command

	for command in top status enable disable tier class show record replay graph report demand lqn capacity \
		bottleneck pmu; do
		run "$real" "$command" --help
		[[ $status == 0 ]] && grep -q "^usage: tierlens $command" "$dir/out" &&
			grep -q '^Example:' "$dir/out" && grep -q "^  $command " <("$real" --help)
		result $? "$command --help has an example, and --help lists it"
		says 2 "unknown option --foo: see tierlens $command --help" "$real" "$command" --foo
		says 2 "unknown option -x: see" "$real" "$command" -x
	done
	run "$real" --version
	[[ $status == 0 && $(<"$dir/out") =~ ^tierlens\ [0-9]+\.[0-9]+ ]]
	result $? "--version"
	says 2 'unknown command "foo"' "$real" foo
	says 2 'unexpected argument "now"' "$real" status now
	says 2 'unexpected argument "b"' "$real" replay a b
	says 2 'option -n needs a value' "$real" record -n
	says 2 'option --seconds needs a value' "$real" record --seconds
	says 2 '-n "two" is not a whole number' "$real" record -n two
	says 2 '-n 0 is out of range' "$real" top -n 0
	says 2 '--seconds "-1" is not a number' "$real" record --seconds -1
	says 2 '--seconds "nan" is not a number' "$real" record --seconds nan
	says 2 '--speed "1x" is not a number' "$real" replay --speed 1x f
	says 2 '--interval 99 is out of range: give one from 100 to 3600000' "$real" enable --interval 99
	says 2 '--quiet 9 is out of range' "$real" enable --quiet 9
	says 2 'only one of --generation and --since' "$real" show --since 1 --generation 2
	says 2 'needs -o FILE.html' "$real" report f
	says 2 'replay needs a recording' "$real" replay
	says 2 'report needs a recording' "$real" report -o x
}

tier_arguments()
{
	local port

	for port in 0 65536 99999999999999999999; do
		says 2 "--port $port is out of range: give one from 1 to 65535" \
			"$real" tier add web --port "$port"
	done
	for port in 80x x '' -1 +80 ' 80' 0x50; do
		says 2 "--port \"$port\" is not a whole number" "$real" tier add web --port "$port"
	done
	says 2 'tier add needs the name of a tier' "$real" tier add --port 80
	says 2 'tier add needs --port' "$real" tier add web
	says 2 'must have 1 to 31 bytes' "$real" tier add '' --port 80
	says 2 'must have 1 to 31 bytes' "$real" tier add "$(printf '%032d' 1)" --port 80
	says 2 'tier del needs the name' "$real" tier del
	says 2 'takes neither --port nor --netns' "$real" tier del web --port 80
	says 2 'tier has no "rename"' "$real" tier rename a
	says 2 'unexpected argument "b"' "$real" tier del a b
}

refusals()
{
	local command

	for command in "top" "status" "enable" "disable" "tier list" "class list" \
		"class add a b" "class del a" "show" "record" "graph"; do
		# shellcheck disable=SC2086  # two words
		plays absent 1 "the kernel module is not loaded: insmod tierlens.ko or modprobe" $command
		# shellcheck disable=SC2086
		plays eperm 1 "needs CAP_NET_ADMIN: run as root" $command
		# shellcheck disable=SC2086
		plays abi 1 "(9.8.7) speaks ABI 2, this tierlens ABI 1: update the tierlens command" \
			$command
	done
	plays off 1 "measuring is off: tierlens enable" top
	plays off 1 "measuring is off: tierlens enable" record -o "$dir/off.jsonl"
	[[ ! -e $dir/off.jsonl ]]
	result $? "a recording that cannot begin leaves no file"
	plays off 1 "measuring is off: tierlens enable" show
	plays empty 1 "no such interval has been closed yet" show
	plays empty 1 "no interval has been closed yet" graph
	plays full 1 "the table of tiers is full: delete a tier first" tier add web --port 80
	plays ok 1 "cannot add tier twice: that port has a tier already: delete it first" \
		tier add twice --port 80
	plays ok 1 "cannot delete tier nobody: no tier has that name: see the list of tiers" \
		tier del nobody
	plays ok 1 "no such interval is kept: status tells" show --generation 3
	plays always-intr 1 "changes faster than it can be read" tier list
	plays always-intr 1 "replaced faster than they can be read" show
	plays cut 1 "has no end" show
}

dialogue()
{
	export TIERLENS_FAKE=intr
	run "$fake" status --json
	good "status --json, the first dump interrupted" '.[0].enabled and .[0].abi == 1 and
		.[0].memory_cap_bytes == 33554432 and (.[0].hooks | length) == 3 and
		(.[0].tiers | length) == 3 and .[0].class_rules == 3 and .[0].paths == 5 and
		.[0].processors == 4 and .[0].occupancy.servers == 102 and .[0].occupancy.sums == 113 and
		(.[0].occupancy | length) == 12 and .[0].losses.late == 3 and .[0].hooks[2].state == "absent"'
	run "$fake" tier list --json
	good "tier list --json" '.[0].tiers[1] == {"id":2,"name":"app:9000","port":9000,
		"path":null,"netns":4026531840,"source":"discovered","connections":6,
		"level":"server","own_level":false,"lease_s":null} and
		.[0].tiers[2].path == "/run/php/fpm.sock"'
	export TIERLENS_FAKE=ok
	run "$fake" show --json
	good "show --json: cells of several messages" '.[0].tiers[0].cells ==
		(.[0].tiers[0].cells | sort_by(.class) | reverse) and
		(.[0].tiers[0].cells | map(.class)) == ["other","cart"] and
		.[0].tiers[0].cells[0].response_ns == 30000010 and
		(.[0].tiers[0].cells[0].own_sq_s2 - 18.446744073709552 | fabs) < 1e-12 and
		.[0].tiers[0].cells[0].hist.response == [[81,6],[89,4]] and
		.[0].losses.late == 3 and .[0].events.seen == 1000'
	good "show --json: edges" '(.[0].edges | map(.peer)) ==
		["127.0.0.1:9000","[2001:db8::7]:9000","10.0.0.8:9000","more","127.0.0.1:9000","/run/php/fpm.sock"] and
		.[0].edges[0].peer_tier == "app:9000" and .[0].edges[1].peer_tier == null and
		.[0].edges[4].tier == null and .[0].edges[0].by.owner == .[0].edges[0].calls'
	run "$fake" show --since 0 --json
	good "show --since 0: all that is kept" '(map(.generation) | length) == 16 and
		(map(.generation) | .[15] - .[0]) == 15'
	run "$fake" tier add web --port 80 --netns 4026531840 --json
	good "tier add --json" '.[0] == {"added":"web"}'
	run "$fake" enable --interval 100 --json
	good "enable --json" '.[0].enabled and .[0].interval_s == 0.1'
	run "$fake" top -n 2 --json
	good "top --json: a line an interval, with figures" 'length == 2 and
		.[1].generation == .[0].generation + 1 and (.[0].figures | length) == 3 and
		.[0].figures[0].tier == "web:80" and (.[0].attributed - 950/980 | fabs) < 1e-9'
	export TIERLENS_FAKE=hostile
	run "$fake" show
	[[ $status == 0 ]] && ! grep -qP '[\x00-\x09\x0b-\x1f]' "$dir/out"
	result $? "no control character of a name reaches the terminal"
	run "$fake" show --json
	good "and JSON carries it as it is" '.[0].tiers[0].name | startswith("\u001b[2J\"<b>\ufffd")'
	unset TIERLENS_FAKE
}

# recorded_at MORE WANT NAME: the priority of who records and was started so much nicer
recorded_at()
{
	local pid priority

	rm -f "$dir/rec.jsonl"
	nice -n "$1" "$fake" record --seconds 60 -o "$dir/rec.jsonl" >"$dir/out" 2>"$dir/err" &
	pid=$!
	until [[ -s $dir/rec.jsonl || ! -d /proc/$pid ]]; do
		sleep 0.05
	done
	priority=$(ps -o ni= -p $pid)
	kill -INT $pid
	wait $pid
	[[ ${priority// /} == "$2" ]]
	result $? "record: $3"
}

recordings()
{
	local scene

	for scene in ok hints; do
		export TIERLENS_FAKE=$scene
		run "$fake" record -n 8 -o "$dir/rec.jsonl"
		cp "$dir/rec.jsonl" "$dir/out"
		good "record -n 8 ($scene): successive generations, none lost" 'length == 8 and
			(map(.generation) | .[7] - .[0]) == 7'
	done
	export TIERLENS_FAKE=ok
	run "$fake" record --kept -n 17
	good "record --kept to stdout begins with what is kept" 'length == 17 and
		(map(.generation) | .[16] - .[0]) == 16'
	run "$fake" record --seconds 0.5 -o "$dir/rec.jsonl" --json
	good "record --seconds --json" '.[0].intervals >= 1 and .[0].intervals <= 8 and .[0].missed == 0'
	timeout -s INT -k 20 2 "$fake" record -o "$dir/rec.jsonl" >"$dir/out" 2>"$dir/err"
	[[ $? == 124 ]] && jq -es 'length >= 1' "$dir/rec.jsonl" >/dev/null && [[ ! -s $dir/err ]] &&
		[[ -z $(tail -c 1 "$dir/rec.jsonl") ]] && grep -q intervals "$dir/out"
	result $? "a signal ends a recording cleanly"
	export TIERLENS_FAKE=ok
	recorded_at 0 "$([[ $(nice) == 0 ]] && nice -n -20 nice 2>/dev/null || nice)" 'read in time where many want the processor'
	recorded_at 5 "$(nice -n 5 nice)" 'a priority that was set is left alone'
	export TIERLENS_FAKE=gap
	run "$fake" record -n 5 -o "$dir/rec.jsonl"
	[[ $status == 0 ]] && grep -qE '1 interval missed \(generation 10(24|28)\): the recording has a gap' \
		"$dir/err"
	result $? "a gap is told"
	run "$fake" top -n 5
	[[ $status == 0 ]] && grep -q '^1 interval missed (generation 10' "$dir/out" &&
		[[ $(grep -c events/s "$dir/out") == 5 ]]
	result $? "top tells it too, one block an interval"
	export TIERLENS_FAKE=turn-off
	run "$fake" record --seconds 2 -o "$dir/rec.jsonl"
	[[ $status == 0 && $(wc -l <"$dir/err") == 1 ]] &&
		[[ $(<"$dir/err") == *"measuring was turned off, waiting: tierlens enable" ]]
	result $? "measuring that is turned off meanwhile is told once"
	unset TIERLENS_FAKE
	plays ok 1 "/dev/full: cannot write (No space left on device): make room" record -n 2 -o /dev/full
	plays ok 1 "write elsewhere" record -n 2 -o "$dir/no/such/file"
	TIERLENS_FAKE=ok "$fake" record -n 30 2>"$dir/err" | head -c 10 >"$dir/out"
	[[ ${PIPESTATUS[0]} == 1 ]] && grep -q 'its reader has ended' "$dir/err"
	result $? "a reader that goes away ends it with a sentence"
	TIERLENS_FAKE=ok "$fake" show >/dev/full 2>"$dir/err"
	[[ $? == 1 ]] && grep -q 'standard output: cannot write (No space' "$dir/err"
	result $? "a full disk behind stdout too"
}

bad_files()
{
	local command

	: >"$dir/empty"
	head -n 2 "$dir/r.jsonl" | head -c -100 >"$dir/cut"
	head -c 100 "$dir/r.jsonl" >"$dir/cut-first"
	sed '2s/"tiers"/tiers/' "$dir/r.jsonl" >"$dir/broken"
	sed '3s/"format":1/"format":2/' "$dir/r.jsonl" >"$dir/newer"
	echo old >"$dir/page.html"
	for command in "replay --speed 0" "graph --dot" "report -o $dir/page.html"; do
		# shellcheck disable=SC2086
		{
		says 1 "$dir/none: cannot read (No such file or directory): give" "$real" $command "$dir/none"
		says 1 "$dir: is a directory: give a file" "$real" $command "$dir"
		says 1 "$dir/empty: the recording is empty" "$real" $command "$dir/empty"
		says 1 "$dir/cut-first:1: the recording is cut before" "$real" $command "$dir/cut-first"
		run "$real" $command "$dir/broken"
		[[ $status == 1 ]] && grep -q "^tierlens: $dir/broken:2:[0-9]*: broken line (" "$dir/err"
		result $? "$command: a broken line is told with file, line and column"
		run "$real" $command "$dir/newer"
		[[ $status == 1 ]] &&
			grep -q "newer:3: format 2 is newer than this tierlens (1): update tierlens" "$dir/err"
		result $? "$command: a newer format is told"
		}
	done
	[[ $(<"$dir/page.html") == old && ! -e $dir/page.html.part ]]
	result $? "a report that fails leaves the old page as it was"
	for command in "replay --speed 0" "graph --dot"; do
		# shellcheck disable=SC2086
		run "$real" $command "$dir/cut"
		[[ $status == 0 && -s $dir/out ]] &&
			grep -q "^tierlens: $dir/cut:2: the recording is cut in this line: the 1 complete" \
				"$dir/err"
		result $? "$command: of a cut recording the complete lines are used"
	done
}

pictures()
{
	run "$real" graph --dot "$dir/r.jsonl"
	grep -q '"tier nginx:80" -> "tier php-fpm:9000" \[label=' "$dir/out" &&
		grep -q '"tier php-fpm:9000" -> "tier mariadbd:3306".*2.00 per request' "$dir/out" &&
		grep -q '"tier php-fpm:9000" -> "outside 10.1.2.3:11211"' "$dir/out" &&
		grep -q '"from clients" -> "tier nginx:80"' "$dir/out" &&
		[[ $(grep -c -- '->' "$dir/out") == 4 ]]
	result $? "graph --dot: tiers, clients, an endpoint outside"
	run "$real" graph --json "$dir/r.jsonl" "$dir/r.jsonl"
	good "graph --json of two recordings" '.[0].seconds == 24 and (.[0].nodes | length) == 5 and
		([.[0].nodes[] | .own_share // 0] | add - 1 | fabs) < 1e-9'
	run env PATH=/nonexistent "$real" graph "$dir/r.jsonl"
	[[ $status == 1 ]] && grep -q 'dot is not installed: install graphviz or use --dot' "$dir/err"
	result $? "graph without graphviz says what to do"
	if ! command -v dot >/dev/null || ! command -v gnuplot >/dev/null; then
		skip "report" "graphviz or gnuplot is not installed"
		return
	fi
	run "$real" graph "$dir/r.jsonl" -o "$dir/g.svg"
	[[ $status == 0 && ! -s $dir/out && ! -s $dir/err ]] && grep -q 'mariadbd:3306' "$dir/g.svg"
	result $? "graph -o FILE.svg"
	run "$real" report "$dir/r.jsonl" -o "$dir/page.html" --json
	good "report --json: the layers add up to the response" '.[0].intervals == 12 and
		.[0].missed == 0 and .[0].front.tier == "nginx:80" and
		(.[0].front | ([.own_s[]] | add) + .between_s + .outside_s - .mean_response_s | fabs) < 1e-9'
	head -c -50 "$dir/r.jsonl" >"$dir/"$'cut\xff.jsonl'
	run "$real" report "$dir/"$'cut\xff.jsonl' -o "$dir/cut.html" --json
	good "report --json: what is wrong with a file whose name is no UTF-8" '.[0] | .intervals == 11 and
		(.warning | test("cut\ufffd.jsonl:12: the recording is cut"))'
	[[ $(grep -c '<figure' "$dir/page.html") == 6 ]] && grep -q '</html>$' "$dir/page.html" &&
		! grep -qE '<script|<link|src=|href="http|url\(' "$dir/page.html"
	result $? "report: six pictures, nothing from outside, no scripts"
	sed 's/nginx:80/<script>alert(1)<\/script>"\x27\&/g' "$dir/r.jsonl" >"$dir/hostile.jsonl"
	sed -i 's/<\/script>"/<\/script>\\"/g' "$dir/hostile.jsonl"
	run "$real" report "$dir/hostile.jsonl" -o "$dir/page.html"
	[[ $status == 0 ]] && ! grep -q '<script' "$dir/page.html" &&
		grep -q '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;' "$dir/page.html"
	result $? "report: a hostile name is nothing but text"
	echo kept >"$dir/victim"
	ln -s "$dir/victim" "$dir/linked.html.part"
	run "$real" report "$dir/r.jsonl" -o "$dir/linked.html"
	[[ $status == 0 && $(<"$dir/victim") == kept && -s $dir/linked.html && ! -L $dir/linked.html && ! -e $dir/linked.html.part ]]
	result $? "a link that somebody has put where a file is made is not followed"
	echo old >"$dir/old.html"
	(trap '' XFSZ; ulimit -f 4; exec "$real" report "$dir/r.jsonl" -o "$dir/old.html") \
		>"$dir/out" 2>"$dir/err"
	[[ $? == 1 && $(<"$dir/old.html") == old && ! -e $dir/old.html.part ]] &&
		grep -q 'old.html: cannot write (File too large): write elsewhere' "$dir/err"
	result $? "report: a page that cannot be written whole leaves the old one"
	sed '5,7d' "$dir/r.jsonl" >"$dir/gap.jsonl"
	run "$real" report "$dir/gap.jsonl" -o "$dir/page.html"
	[[ $status == 0 ]] && grep -q 'warn">Intervals missing from the recording: 3\.' "$dir/page.html"
	result $? "report: a gap is told"
	"$real" report - -o "$dir/page.html" <"$dir/cut" >"$dir/out" 2>"$dir/err"
	status=$?
	[[ $status == 0 ]] && grep -q 'warn">standard input:2: the recording is cut' "$dir/page.html" &&
		grep -q 'standard input:2: the recording is cut' "$dir/err"
	result $? "report: a cut recording is told, on the page too"
}

replay()
{
	run "$real" replay --speed 0 "$dir/gap.jsonl"
	[[ $status == 0 && $(grep -c events/s "$dir/out") == 9 ]] &&
		grep -q '^3 intervals missed (generations 1004 to 1006)$' "$dir/out"
	result $? "replay: a block an interval, the gap told"
	run "$real" replay --speed 0 --json "$dir/gap.jsonl"
	# own_sq_s2 is the one sum that is no whole number: 16 digits of it are written.
	jq -es 'map(del(.missed, .attributed, .figures, .tiers[].cells[].own_sq_s2))' \
		"$dir/out" >"$dir/a" 2>&1
	jq -es 'map(del(.tiers[].cells[].own_sq_s2))' "$dir/gap.jsonl" >"$dir/b"
	jq -en --slurpfile a "$dir/a" --slurpfile b "$dir/b" '$a == $b' >/dev/null
	result $? "replay --json: the recording again, and figures"
	good "with what is missed" 'map(.missed) == [0,0,0,0,3,0,0,0,0]'
	sed -n '1,3p' "$dir/r.jsonl" >"$dir/off.jsonl"
	sed -n '6,8p' "$dir/r.jsonl" | sed 's/"generation":10/"generation":90/' >>"$dir/off.jsonl"
	run "$real" replay --speed 0 "$dir/off.jsonl"
	[[ $status == 0 ]] && grep -q '^measuring was off for 2 s$' "$dir/out"
	result $? "replay: a jump of generations without lost time is no loss"
	run "$real" replay --speed 20 "$dir/r.jsonl"
	[[ $status == 0 && $(grep -c events/s "$dir/out") == 12 ]]
	result $? "replay at 20 times the pace"
}

# completes WANT WORDS...: the last word's completions, joined by spaces; the first word is the command.
completes()
{
	local want=$1

	shift
	TIERLENS_FAKE=$scene bash -c '
		tierlens() { "$fake" "$@"; }
		source "$0"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		"_$1"
		echo "${COMPREPLY[*]}"' "$top/tools/completion/$1" "$@" >"$dir/out" 2>"$dir/err"
	[[ $(<"$dir/out") == "$want" && ! -s $dir/err ]]
	result $? "completion of \"$*\""
}

completion()
{
	local scene=ok

	export fake
	completes "record replay report" tierlens re
	completes "list add del --json --help" tierlens tier ""
	completes "web:80 sock" tierlens tier del ""
	completes "web:80" tierlens tier del we
	completes "" tierlens tier del x
	completes "\$'\E[2J' cart query" tierlens class del ""
	completes "cart" tierlens class del c
	completes "--prefix" tierlens class del x --p
	completes "web:80" tierlens class add x y --tier w
	completes "--seconds" tierlens record --s
	completes "pool pool-eventfd pool-pipe pool-io pool-eventfd-io pool-pipe-io pool-lifo pool-random pool-back-lifo pool-back-random pool-lifo-lifo" \
		tierlens selftest --shapes po
	completes "epoll,cost,depth-4" tierlens selftest --shapes epoll,cost,depth-4
	completes "--list" tierlens selftest --l
	completes "" tierlens record -n ""
	scene=absent
	completes "" tierlens tier del ""
	scene=expansion
	completes '\$\(touch\ x\):80 sock' tierlens tier del ""
	[[ ! -e x ]]
	result $? "nothing in a name is expanded"
	cd "$dir" || exit 1
	completes "gap.jsonl" tierlens replay ga
	: >figures.csv
	completes "figures.csv" tierlens demand fit fig
	completes "figures.csv" tierlens report fig
	cd - >/dev/null || exit 1
	completes "fit predict compare --json --help" tierlens demand ""
	completes "residence" tierlens demand fit --method res
	completes "--history --history-size" tierlensd --hosts --hi
	completes "server trace" tierlensd --resting ""
	completes "" tierlensd --budget ""
}

documents()
{
	local command option

	sed 's/\\-/-/g' "$top/Documentation/tierlens.1" >"$dir/man"
	if command -v man >/dev/null; then
		run man -l --warnings -P cat "$top/Documentation/tierlens.1"
		[[ $status == 0 && ! -s $dir/err ]]
		result $? "the man page is clean"
	fi
	for command in top status enable disable "tier add" "class add" show record replay graph \
		report selftest check-kernel "demand fit" "demand predict" "demand compare"; do
		grep -q "^\.BR* \"*$command" "$top/Documentation/tierlens.1"
		result $? "the man page has $command"
		for option in $("$real" "${command%% *}" --help | grep -oE '^ .* --[a-z]+' |
			grep -oE -- '--[a-z]+' | grep -vE -- '--(json|help|output|intervals)'); do
			grep -q -- "$option" "$dir/man" &&
				grep -q -- "$option" "$top/tools/completion/tierlens"
			result $? "man page and completion have $command $option"
		done
	done
	sed 's/\\-/-/g' "$top/Documentation/tierlensd.8" >"$dir/man"
	for option in $("$daemon" --help | grep -oE -- '--[a-z][a-z-]*' | sort -u); do
		[[ $option == --help ]] || grep -q -- "$option\b" "$dir/man" && grep -q -- "$option\b" "$top/tools/completion/tierlensd"
		result $? "man page and completion have tierlensd $option"
	done
	# shellcheck disable=SC2016  # the backquotes are those of the document
	sed -n '/^```json/,/^```/p' "$top/Documentation/formats.md" | grep -v '^```' | tr -d '\n' \
		>"$dir/example.jsonl"
	run "$real" replay --speed 0 --json "$dir/example.jsonl"
	good "the example of formats.md is a recording" '(.[0].figures | length) == 2 and
		.[0].figures[0].calls_per_request == 1'
	for option in $(jq -r 'del(.hosts[]) | [paths | map(select(type == "string")) | .[]] | unique[]' \
		"$dir/r.jsonl" | sort -u); do
		grep -q "\`$option\`" "$top/Documentation/formats.md"
		result $? "formats.md has the key $option"
	done
}

python3 "$top/selftests/unit/user-recording.py" 12 >"$dir/r.jsonl" || exit 1
usage
tier_arguments
refusals
dialogue
recordings
bad_files
: >"$dir/gap.jsonl"
pictures
sed '5,7d' "$dir/r.jsonl" >"$dir/gap.jsonl"
replay
completion
documents
finish
