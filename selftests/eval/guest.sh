#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: manual timeout=1000000 machine=virtual
#
# The guest's part of tools/eval-demand: one application, warm, and all the runs of /job/plan one after
# another. A line of it is
#
#	NAME HOW REQUESTS THINK-MS SEED VERSION LOAD...
#
# HOW: "on" measures, "off" does not, "warm" leaves no trace; "steady" measures so many intervals
# instead of requests, from the middle of a load. LOAD: WALK=SESSIONS, mix=CLIENTS, or a page's name for
# a single client that asks for nothing else. Each run arrives at the host as soon as it is over: its
# recording, what the client saw, and last of all its line, in NAME.run.
. /job/lib.sh
. /job/chain.sh

# The demo's own shop has no walks, and its mix another name.
app=/job/eval/$APP pages=$app/pages.mix other_app=(--app "$app")
[ "$APP" != demo ] || { pages=/job/demo/mix.txt; other_app=(); }
out=/tmp/runs
client=(chrt --fifo 40 load)
[ -z "${SHARED:-}" ] || client=(load)

# load_options WORD...: the options for it, in $options
load_options()
{
	local word

	options=(--mix "$pages" --think-exp)
	for word; do
		if [[ $word == mix=* ]]; then
			options+=(--connections "${word#*=}")
		elif [[ $word == *=* ]]; then
			options+=(--walk "$app/walks/$word")
		else
			awk -v name="$word" '$2 == name' "$pages" >/tmp/one.mix
			options=(--mix /tmp/one.mix)
		fi
	done
}

# What tiers have used is read a quiet time after an interval's end: so that it is of the same time as
# the requests, intervals are long and the quiet time is short.
interval_ms=2000 quiet_ms=10

# Time flies while nobody has anything to do, so to sleep is cheaper here than to look whether
# it is time.
begin_measuring()
{
	[ $measuring = off ] || return 0
	tierlens enable --interval $interval_ms --quiet $quiet_ms >/dev/null || return
	measuring=on
}

begin_recording()
{
	begin_measuring || return
	sleep 5
	tierlens record -o "$out/$1.jsonl" 2>/tmp/record.err &
	# shellcheck disable=SC2034  # stop_record's
	record_pid=$!
	sleep 3
}

end_measuring()
{
	sleep 5
	stop_record
}

stop_measuring()
{
	[ $measuring = off ] || tierlens disable >/dev/null
	measuring=off
}

# ask REQUESTS THINK-MS SEED: what the client sees, in $out/NAME.json
ask()
{
	exec "${client[@]}" --to 127.0.0.1:8080 --proto http --tail '</html>' --seconds 86400 "${options[@]}" \
		--requests "$1" --think-ms "$2" --seed "$3"
}

# Measures INTERVALS of a load that was there before and goes on behind them.
run_steady()
{
	local name=$1 intervals=$2 asking
	shift 2

	ask 1000000 "$@" >"$out/$name.json" &
	asking=$!
	sleep 2
	begin_measuring || return
	tierlens record -n "$intervals" -o "$out/$name.jsonl" 2>/tmp/record.err || return
	kill -INT $asking
	wait $asking
}

# run NAME HOW REQUESTS THINK-MS SEED VERSION LOAD...
run()
{
	local name=$1 how=$2 requests=$3 think=$4 seed=$5 line="$*" options files
	shift 6
	files=("$name.json")

	load_options "$@"
	[ "$how" != off ] || stop_measuring
	if [ "$how" = steady ]; then
		run_steady "$name" "$requests" "$think" "$seed" || return
		files+=("$name.jsonl")
	else
		[ "$how" != on ] || begin_recording "$name" || return
		(ask "$requests" "$think" "$seed") >"$out/$name.json" ||
			# What is read from the disk for the first time may take for ever by this clock.
			[ "$how" = warm ] || return
	fi
	if [ "$how" = on ]; then
		end_measuring || return
		files+=("$name.jsonl")
	fi
	[ "$how" != warm ] || return 0
	echo "$line" >"$out/$name.run"
	stream_files "$out" "${files[@]}" "$name.run" || return
	rm "$out/$name".*
}

# The paper's tiers have a machine each, these share a processor. So that none waits for those behind
# it, whoever is nearer to the client goes first: as if it had a processor of its own, but for what those
# before it take. What measures goes last.
prioritise()
{
	local name leader pid priority

	echo -1 >/proc/sys/kernel/sched_rt_runtime_us
	while read -r name leader; do
		case $name in
		nginx)	priority=30 ;;
		php*)	priority=20 ;;
		*)	priority=10 ;;
		esac
		for pid in $(ps -o pid= -s "$leader"); do
			chrt --all-tasks --fifo --pid $priority "$pid" || return
		done
	done </run/shop/pids
}

prepare()
{
	local name

	mkdir -p $out
	/job/demo/start.sh "${other_app[@]}" --children 16 >/tmp/start.log 2>&1 || { diag "$(tail -n 20 /tmp/start.log)"; return 1; }
	[ -n "${SHARED:-}" ] || prioritise || return
	load_module || return
	tierlens tier add front --port 8080
	tierlens tier add app --port 9000
	tierlens tier add db --port 3306
	# What is random in a URL is no part of its class; where nothing is, a space ends it.
	awk '/^ *[0-9]/ { if (!sub(/{.*/, "", $3)) $3 = $3 " "; print $2 "\t" $3 }' "$pages" >/tmp/classes
	while IFS=$'\t' read -r name url; do
		tierlens class add "$name" "GET $url" --tier front || return
	done </tmp/classes >/dev/null
}

measuring=off
prepare || exit 1
echo "# prepared"
while read -r -a line; do
	run "${line[@]}" </dev/null || { not_ok "${line[*]}"; done_testing; }
	echo "# run ${line[0]}"
done </job/plan
stop_measuring
unload_module
/job/demo/stop.sh >/dev/null
ok 'all runs'
done_testing
