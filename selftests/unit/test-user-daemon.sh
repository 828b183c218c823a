#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlensd against a fake kernel and a real server. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-daemon.sh
. "$(dirname "$0")/user-daemon.sh"
need_programs

state=$dir/run/now.json

# rows FILTER [FILE]: rows of the log, in one list
rows()
{
	jq -es "$1" "$dir/${2:-log.jsonl}" >/dev/null
}

# asked PATTERN: what the kernel was asked, in hex, has such a line
asked()
{
	grep -qE "$1" "$dir/asked"
}

hex()
{
	printf '%s' "$1" | od -An -tx1 | tr -d ' \n'
}

refusals()
{
	says 2 'unexpected argument "x": see tierlensd --help' "$daemon" x
	says 2 '--budget "much" is not a part' "$daemon" --budget much
	says 2 '--interval 5 is out of range' "$daemon" --interval 5
	says 2 '--interval 200001 is out of range' "$daemon" --interval 200001
	says 2 '--functions 257 is out of range' "$daemon" --functions 257
	export TIERLENS_FAKE=absent
	says 1 'the kernel module is not loaded' "$daemon"
	export TIERLENS_FAKE=eperm
	says 1 'needs CAP_NET_ADMIN' "$daemon"
	export TIERLENS_FAKE=ok
	says 1 '/nowhere/log: cannot write' "$daemon" -l /nowhere/log
	unset TIERLENS_FAKE
	run "$daemon" --help
	[[ $status == 0 ]] && grep -q '^usage: tierlensd \[OPTIONS\]$' "$dir/out" && grep -q '^Example:$' "$dir/out"
	result $? "help"
}

# Hooks cost 0.26 ms of the 0.4 s that four processors have.
dear()
{
	export TIERLENS_FAKE=hints TIERLENS_FAKE_LOG=$dir/asked
	run "$daemon" -n 20 --listen none --log "$dir/dear.jsonl" --budget 0.00055
	rows 'map(select(.kind == "decision") | [.why, .from, .to])[:2] | unique == [["budget","server","trace"]]' dear.jsonl
	result $? "above the budget by a little: all at trace"
	asked "^8=01000000 9=e8030000 $" && asked "^8=02000000 9=64000000 $" && ! asked "^2="
	result $? "what no tier has of its own is leased, and given back"
	: >"$dir/asked"
	run "$daemon" -n 20 --listen none --log "$dir/off.jsonl" --budget 0.0001
	rows 'map(select(.kind == "decision") | [.why, .from, .to]) | unique == [["budget","server","off"]]' off.jsonl
	result $? "by much: off"
	asked "^8=00000000 9=e8030000 $" && ! asked "^2="
	result $? "and nothing is armed"
	unset TIERLENS_FAKE_LOG
}

# The second tier is eight times as slow in the intervals 1050 to 1079; its program is gone from the disk.
fault()
{
	local app port

	cp "$TIERSERVER" "$dir/server" && TIERSERVER=$dir/server start app --port 0 || return 1
	rm "$dir/server"
	export TIERLENS_FAKE=fault,hints TIERLENS_FAKE_APP_PORT=$port TIERLENS_FAKE_LOG=$dir/asked
	run "$daemon" -n 90 --log "$dir/log.jsonl" --budget 5% --state "$state"
	result $status "90 intervals"
	app=$(hex app:9000)
	rows 'map(select(.kind == "begin"))[0] | .processors == 4 and .interval_s == 0.1 and .function_trap_s > 0 and
		(.measured or (.why_not | length) > 0)'
	result $? "what it goes by is in the log"
	rows 'map(select(.kind == "decision" and .from != .to)) | length == 2 and (.[0] | .tier == "app:9000" and
		.to == "method" and .path == "web:80/other>app:9000/other" and .evidence.ratio > 5) and
		(.[1] | .to == "server" and .why == "quiet") and (.[1].t - .[0].t | . > 2.5 and . < 3.6)'
	result $? "up when it is slow, and down when it is not"
	rows 'map(select(.kind == "functions"))[0] | .tier == "app:9000" and .probed == 16 and .known > 100 and .rate_max >= 10'
	result $? "functions of a program whose file is gone"
	rows 'map(select(.kind == "finding"))[0] | .tier == "app:9000" and (.function | length) > 0 and .extra_s > 0.006 and
		.in_function_s > 0.5 * .extra_s'
	result $? "a function is named"
	asked "^2=${app}00 8=03000000 9=e8030000 $" && [[ $(grep -c "^2=${app}00 8=03" "$dir/asked") -ge 25 ]]
	result $? "the level is leased, and asked for again each interval"
	asked "^2=${app}00 8=02000000 9=64000000 $" && ! asked "^2=${app}00 $"
	result $? "and given back, but not what somebody may have set meanwhile"
	asked "^3=${app}00 4=[0-9a-f]+00 5=[0-9a-f]{8} 6=[0-9a-f]{8} 7=[0-9a-f]{16} 11=[0-9a-f]{8} $" ||
		asked "^2=[0-9a-f]+ 3=${app}00 "
	result $? "functions with their files, places and rates"
	rows 'all(.[]; .t != null or .kind == "begin")'
	result $? "every row says when"
	unset TIERLENS_FAKE TIERLENS_FAKE_APP_PORT TIERLENS_FAKE_LOG
	stop
}

# What the kernel takes away while the tier is slow is asked for again, or something else is.
taken_away()
{
	local port

	start app --port 0 || return 1
	export TIERLENS_FAKE=fault,hints,lapse TIERLENS_FAKE_APP_PORT=$port
	: >"$dir/log.jsonl"
	run "$daemon" -n 70 --log "$dir/log.jsonl" --budget 5%
	rows 'map(select(.kind == "functions") | .probed) == [16, 16]'
	result $? "a lease that is over too early: functions are probed anew"
	export TIERLENS_FAKE=fault,hints,lapse,leaving
	: >"$dir/log.jsonl"
	run "$daemon" -n 70 --log "$dir/log.jsonl" --budget 5%
	rows '(map(select(.kind == "functions") | .probed) == [16, 16]) and (map(select(.kind == "leaving")) == [])'
	result $? "so they are if a program keeps those before from leaving"
	export TIERLENS_FAKE=fault,hints,hot
	: >"$dir/log.jsonl"
	run "$daemon" -n 50 --log "$dir/log.jsonl" --budget 5%
	rows '(map(select(.kind == "hot")) | length == 3) and (map(select(.kind == "functions") | .probed) == [16, 16])'
	result $? "functions that are called too often are told, and others take their places"
	unset TIERLENS_FAKE TIERLENS_FAKE_APP_PORT
	stop
}

# Who looks at its page is no user of what it looks at.
itself()
{
	local own port
	own=$(hex tierlensd)

	export TIERLENS_FAKE=hints TIERLENS_FAKE_LOG=$dir/asked
	: >"$dir/asked"
	run "$daemon" -n 12 --listen 127.0.0.1:0 --log "$dir/itself.jsonl"
	port=$(jq -r 'select(.kind == "listen").address' "$dir/itself.jsonl" | sed 's/.*://')
	asked "^2=${own}00 3=$(printf '%04x' "$port" | sed 's/\(..\)\(..\)/\2\1/')0000 "
	point $? "its own port has a name" "$dir/asked"
	[[ $(grep -c "^2=${own}00 8=00000000 9=e8030000 $" "$dir/asked") -ge 13 && $(tail -n 1 "$dir/asked") == "2=${own}00 " ]]
	point $? "at level off from the beginning, and for each interval; at the end the name is taken back" "$dir/asked"
	rows 'all(.[]; .kind != "refused")' itself.jsonl
	result $? "of which nothing is told"
	: >"$dir/asked"
	run "$daemon" -n 3 --listen none --log "$dir/itself.jsonl"
	[[ ! -s $dir/asked ]]
	point $? "that serves nowhere is no tier" "$dir/asked"
	unset TIERLENS_FAKE TIERLENS_FAKE_LOG
}

# told_now PID: what the daemon of that number says that it is doing, in $dir/state.json
told_now()
{
	jq -es --argjson pid "$1" --argjson started "$(sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f20)" '.[0] |
		.format == 1 and .pid == $pid and .started == $started and .began > 1.7e9 and .budget == 0.01 and .share > 0 and
		(.levels | map([.tier, .level]) == [["app:9000","method"]]) and .levels[0].since == .rows[-1].t' \
		"$dir/state.json" >/dev/null
	result $? "its process, budget, cost and levels are in its state"
	jq -ens --slurpfile state "$dir/state.json" --slurpfile log "$dir/log.jsonl" '($state[0].rows | length) > 0 and
		$state[0].rows == ($log | map(select(.kind == "finding" or .from != .to)) | .[:($state[0].rows | length)])' >/dev/null
	result $? "and the very rows of its log"
	[[ $(stat -c %a "$state") == 640 ]]
	result $? "which not everybody may read"
}

others()
{
	export TIERLENS_FAKE=fault,hints,pinned TIERLENS_FAKE_LOG=$dir/asked
	: >"$dir/log.jsonl"
	run "$daemon" -n 60 --log "$dir/log.jsonl" --state "$state"
	rows 'map(select(.kind == "refused")) | length == 1 and (.[0].text | test("set by hand: give it back first"))'
	result $? "a level that somebody has set is let alone, and the kernel's sentence is told once"
	export TIERLENS_FAKE=fault,hints
	: >"$dir/log.jsonl"
	run "$daemon" -n 60 --listen none --log "$dir/log.jsonl" --state "$state"
	rows 'any(.[]; .kind == "refused" and .tier == "app:9000" and (.text | test("no process has a socket of tier")))'
	result $? "no process to look at: said, and it goes on"
	[[ $status == 0 ]] && tail -n 1 "$dir/asked" | grep -q "^2=$(hex app:9000)00 8=02000000 9=64000000 $"
	result $? "in trouble when it ends: the level is given back"
	: >"$dir/log.jsonl"
	: >"$dir/asked"
	TIERLENS_FAKE=fault,hints "$daemon" --listen none --log "$dir/log.jsonl" --state "$state" 2>"$dir/err" &
	servers+=($!)
	for _ in {1..400}; do
		jq -e '.levels | length == 1' "$state" >/dev/null 2>&1 && break
		sleep 0.05
	done
	cp "$state" "$dir/state.json"
	told_now "${servers[-1]}"
	kill "${servers[-1]}"
	wait "${servers[-1]}"
	[[ $? == 0 && ! -s $dir/err ]] && tail -n 1 "$dir/asked" | grep -q "^2=$(hex app:9000)00 8=02000000 9=64000000 $"
	result $? "SIGTERM: a clean end"
	[[ -d ${state%/*} && -z $(ls "${state%/*}") ]]
	result $? "and its state is taken away"
	servers=()
	export TIERLENS_FAKE=ok,hints,gap
	: >"$dir/log.jsonl"
	run "$daemon" -n 30 --log "$dir/log.jsonl" --state "$state"
	rows 'any(.[]; .kind == "gap" and (.text | test("interval missed"))) and all(.[]; .from == .to)'
	result $? "intervals that are missing are told, and change nothing"
	unset TIERLENS_FAKE TIERLENS_FAKE_LOG
}

state()
{
	local file

	for file in "$dir/no/such/now.json" /dev/full; do
		: >"$dir/log.jsonl"
		TIERLENS_FAKE=fault,hints run "$daemon" -n 60 --log "$dir/log.jsonl" --state "$file"
		[[ $status == 0 ]] && rows "map(select(.kind == \"note\" and (.text | test(\"^$file: cannot write\")))) | length == 1" &&
			rows 'any(.[]; .to == "method")'
		result $? "a state that cannot be written to $file: told once, and it goes on"
	done
	[[ $(stat -c %a /dev/full) == 666 ]]
	result $? "a device stays as it is"
	mkfifo "$dir/pipe"
	: >"$dir/log.jsonl"
	TIERLENS_FAKE=fault,hints run timeout 60 "$daemon" -n 3 --log "$dir/log.jsonl" --state "$dir/pipe"
	[[ $status == 0 ]] && rows 'map(select(.kind == "note" and (.text | test("is a pipe")))) | length == 1'
	result $? "a pipe is not waited for"
}

# The module is gone, and it is told to read its configuration and to end, at once.
unloaded()
{
	begin unloaded ok,hints,unloaded
	until_true grep -q 'the kernel module was unloaded' "$log"
	result $? "the module is gone, which is told"
	kill -STOP "$pid"
	kill -HUP "$pid"
	kill -TERM "$pid"
	kill -CONT "$pid"
	wait "$pid"
	same "it ends as it should" $? 0
	servers=()
}

refusals
dear
fault
taken_away
itself
others
state
unloaded
finish
