#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: brief=6.1 timeout=300 machine=virtual
#
# Time on a processor, held against two others' word: per tier and class against what
# the server's threads read from their own clocks (CLOCK_THREAD_CPUTIME_ID, of which
# getrusage(RUSAGE_THREAD) is the microseconds), and per tier, all classes and what is
# printed as outside of requests, against cpu.stat of the server's control group.
#
# In one shape all work is done between two ticks of the kernel: who reckoned by ticks, as
# utime and stime do, would see next to nothing of it.
#
#   SHAPES="thread pool" REQUESTS=300 …
. /job/lib.sh
. /job/chain.sh

requests=$((${REQUESTS:-60} / slow))
bound=5 # percent
group=/sys/fs/cgroup/test

# Each shape's front tier; the classes cost both tiers different times.
shapes='
thread		--mode thread
epoll		--mode epoll --pool 8
executor	--mode executor --pool 4
pool		--mode pool --pool 4
pool-eventfd	--mode pool-eventfd --pool 4
between-ticks	--mode thread --between-ticks
'
# What a request is read and answered with is not all between the server's two readings
# of its clock. On a machine whose clock does not count instructions it costs ten times as
# much, and more if the host is busy.
[ "$(nproc)" = 1 ] && ms=1000 || ms=5000
asks=(--ask "small work=$((2 * ms)),$((3 * ms))" --ask "large work=$((6 * ms)),$((2 * ms))"
	--ask "even work=$((3 * ms)),$((4 * ms))")
classes='small large even'

# serve_in NAME PORT OPTION...: as serve(), in a control group of its own
serve_in()
{
	mkdir "$group/$1"
	# What a process starts is born where it is itself.
	echo $$ >"$group/$1/cgroup.procs"
	serve "$@"
	echo $$ >"$group/cgroup.procs"
}

group_ns()
{
	awk '$1 == "usage_usec" { print $2 * 1000 }' "$group/$1/cpu.stat"
}

# cells PORT [CLASS]: the module's word
cells()
{
	jq -s --arg class "${2:-}" "[.[].tiers[] | select(.name | endswith(\":$1\")) | .cells[] |
		select(\$class == \"\" or .class == \$class) | .cpu_ns] | add // 0" /tmp/r.jsonl
}

# What the kernel's ticks have seen, all in all; the clock is that of the 1/100 s it is told in.
ticks_ns()
{
	awk '$1 == "cpu" { print ($2 + $3 + $4) * 1e7 }' /proc/stat
}

usage()
{
	jq -s "[.[].tiers[] | select(.name | endswith(\":$1\")) | .usage // empty | .$2] | add // 0" /tmp/r.jsonl
}

# compare SHAPE TIER PORT GROUP-NS
compare()
{
	local class sum outside

	for class in $classes; do
		within "$(cells "$3" "$class")" "$(jq ".classes.$class.cpu_ns" "/tmp/$2.json")" \
			"$1, $2, class $class: as the server's threads say" $bound
	done
	sum=$(cells "$3")
	outside=$(usage "$3" '| .cpu_ns - .request_cpu_ns')
	diag "$1, $2: outside of requests $outside ns, $(jq -n "if $sum + $outside > 0 then 100 * $outside / ($sum + $outside) else 0 end | . * 10 | round / 10") %"
	within $((sum + outside)) "$4" "$1, $2: classes and what is outside of requests, as the control group says" $bound
}

shape()
{
	local name=$1 front back ticks work=() below=()
	shift

	[[ " $* " != *' --between-ticks '* ]] || work=(--between-ticks)
	# A tier below that sleeps: on one processor a thread that hands over its job might else not
	# come to wait for it before it is done, and then nobody knows whose it was.
	[ "$name" != executor ] || below=(--sleep-us $((2 * ms)))

	load_module || exit 1
	for class in $classes; do
		tierlens class add "$class" "$class " >/dev/null
	done
	serve_in back 9102 --mode thread "${work[@]}" "${below[@]}"
	serve_in front 9101 --next 9102 --calls 1 "$@"
	tierlens enable --interval 500 >/dev/null
	# Before its first event nobody knows a thread: each of a pool has had a job.
	load --to 9101 --connections 8 --ask "warm work=$ms,$ms" --requests 40 >/dev/null || not_ok "$name: load before"
	record_new /tmp/r.jsonl
	front=$(group_ns front) back=$(group_ns back) ticks=$(ticks_ns)
	load --to 9101 --connections 3 --in-order "${asks[@]}" --requests $requests --seconds 100 >/tmp/load.json ||
		not_ok "$name: load"
	ticks=$(($(ticks_ns) - ticks))
	stop_record_new /tmp/r.jsonl || not_ok "$name: record"
	front=$(($(group_ns front) - front)) back=$(($(group_ns back) - back))
	stop_servers
	unload_module
	rmdir $group/front $group/back
	cp /tmp/r.jsonl "/out/cpu-$name.jsonl"
	cp /tmp/front.json "/out/cpu-$name-front.json"
	cp /tmp/back.json "/out/cpu-$name-back.json"
	is "$(cell_sum /tmp/r.jsonl 9101 count)" "$(jq .count /tmp/load.json)" "$name: every request is counted"
	[ ${#work[@]} = 0 ] ||
		check "$name: ticks have seen less than half of it ($ticks of $((front + back)) ns)" \
			test $((2 * ticks)) -lt $((front + back))
	compare "$name" front 9101 "$front"
	compare "$name" back 9102 "$back"
}

while read -r name options; do
	[[ -n $name && (-z ${SHAPES:-} || " $SHAPES " = *" $name "*) ]] || continue
	# shellcheck disable=SC2086  # words
	shape "$name" $options
done <<<"$shapes"

# ---- over which time --------------------------------------------------------

# What processes used is looked at when an interval is closed: the first is closed a quiet time
# after its end, and disabling closes several at once, of which the first has all of it.
load_module || exit 1
serve front 9101 --mode thread
tierlens enable --interval 500 --quiet 900 >/dev/null
load --to 9101 --connections 2 --ask "busy work=$((6 * ms)),$((6 * ms))" --requests 100000 --seconds 4 >/dev/null ||
	not_ok "load"
tierlens disable >/dev/null
tierlens show --since 1 --json | jq -c '{length_ns, used: (.tiers[] | select(.name | endswith(":9101")) | .usage),
	part: (.hosts | to_entries | map(select(.key | endswith(":9101.cpu")) | .value)[0])}' >/tmp/used.jsonl
diag "$(jq -c '[.length_ns, .used.elapsed_ns, .used.cpu_ns, .part]' /tmp/used.jsonl | paste -sd' ')"
check 'the first is told over its length and the quiet time, and more' \
	jq -se '.[0] | .used.elapsed_ns >= 1400000000' /tmp/used.jsonl
within "$(jq -s 'map(.used.elapsed_ns) | add' /tmp/used.jsonl)" "$(jq -s 'map(.length_ns) | add' /tmp/used.jsonl)" \
	'all of them over the time that was measured' $bound
check 'a part of the processors is none that is more than all of them' \
	jq -se 'map(.part | numbers) | length >= 4 and all(. > 0 and . <= 1.02)' /tmp/used.jsonl
check 'and those that were closed together with one before have none' \
	jq -se '.[-1].part == null' /tmp/used.jsonl
stop_servers
unload_module
done_testing
