#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1-arm64 machine=virtual timeout=900
#
# More events than counters, on a machine whose counters are exact and whose clock counts
# instructions: the same work is counted a few events at a time, which is the truth, and with
# all of them taking turns. Totals by the share of the time that an event was counted, and
# after cleaning by what was learned of the work, are held against that. And what it costs.
#
#   EVENTS=24 …
. /job/lib.sh

bound=3 # percent
most=${EVENTS:-12} # events at once, and half of them if they are 24
# What a total is off by is chance, of when each event had its turn: longer work makes it smaller. Of a third of
# this 12 events, cleaned, were 0.9 to 3.2 % off.
rounds=18
# Cycles and instructions, by as many names as leading zeros make of them.
names=()
zeros=
for ((n = 0; n < most / 2; n++)); do
	names+=("r${zeros}8" "r${zeros}11")
	zeros+=0
done

# comma NAME...
comma()
{
	local IFS=,
	echo "$*"
}

# It computes, it sorts, it waits: phases of different rates.
work()
{
	local n

	for ((n = 0; n < rounds; n++)); do
		gawk 'BEGIN { for (i = 0; i < 150000; i++) s += sin(i) * i % 7; print s }' >/dev/null
		gawk 'BEGIN { srand(1); for (i = 0; i < 20000; i++) print int(rand() * 1e9) }' | sort -n | md5sum >/dev/null
		sleep 0.3
	done
}

# count FILE NAME...: what they count in a time in which work() is done; cycles count that time
count()
{
	local file=$1 pid began
	shift

	tierlens pmu record -e "$(comma "$@")" -i 0.1 -n 130 -o "$file" 2>/tmp/record.err &
	pid=$!
	wait_until 20 grep -qs . "$file"
	began=${EPOCHREALTIME/./}
	work
	took=$((${EPOCHREALTIME/./} - began))
	kill -0 $pid 2>/dev/null || not_ok "the work takes $took us, the record has ended before"
	wait $pid || not_ok "record $*: $(cat /tmp/record.err)"
}

# totals FILE: of each event its name, its total by the time that it was counted, and that share
totals()
{
	awk -F, 'NR > 1 { value[$3] += $4; enabled[$3] += $5; running[$3] += $6 }
		END { for (e in value) print e, value[e] * enabled[e] / running[e], running[e] / enabled[e] }' "$1" | sort
}

# totals_cleaned FILE: the same of values that are of all the time
totals_cleaned()
{
	awk -F, 'NR > 1 { value[$3] += $4 } END { for (e in value) print e, value[e], 1 }' "$1" | sort
}

# worst TRUE FILE: the largest difference in percent
worst()
{
	join "$1" "$2" | awk '{ off = ($4 - $2) / $2 * 100; off = off < 0 ? -off : off; if (off > worst) worst = off }
		END { printf "%.2f", worst }'
}

# ---- the truth ---------------------------------------------------------------------

truth()
{
	local n

	work # what it reads is in memory after it
	for ((n = 0; n < most; n += 6)); do
		count "/tmp/few$n.csv" "${names[@]:n:6}"
		count "/tmp/again$n.csv" "${names[@]:n:6}"
	done
	for ((n = 0; n < most; n += 6)); do totals "/tmp/few$n.csv"; done | sort >/tmp/true
	for ((n = 0; n < most; n += 6)); do totals "/tmp/again$n.csv"; done | sort >/tmp/true-again
	is "$(awk '$3 != 1' /tmp/true)" '' 'six events take no turns'
	diag "the work takes $took us"
	diag "the same work again: $(worst /tmp/true /tmp/true-again) %"
	tierlens pmu learn /tmp/few*.csv --app work --kb /tmp/kb.db >/tmp/learn.out || not_ok 'learn'
	tierlens pmu learn /tmp/again*.csv --app work --beside --kb /tmp/kb.db >/tmp/learn.out || not_ok 'learn beside'
}

# ---- turns ---------------------------------------------------------------------------

turns()
{
	local n how off

	for ((n = 12; n <= most; n += 12)); do
		count /tmp/turns.csv "${names[@]:0:n}"
		totals /tmp/turns.csv >/tmp/scaled
		is "$(wc -l </tmp/scaled)" "$n" "$n events: all of them are there"
		check "$n events take turns" awk '$3 > 0.9 || $3 < 0.1 { bad = 1 } END { exit bad }' /tmp/scaled
		check "$n events: the share of the time is shown" grep -q '% *$' /tmp/record.err
		tierlens pmu clean /tmp/turns.csv --app work --kb /tmp/kb.db -o /tmp/clean.csv >/tmp/clean.out || not_ok 'clean'
		is "$(awk -F, '$7 == "corrected" { print $3 }' /tmp/clean.csv | sort -u | wc -l)" "$n" "$n events: known runs are of use to all of them"
		totals_cleaned /tmp/clean.csv >/tmp/cleaned
		for how in scaled cleaned; do
			off=$(worst /tmp/true /tmp/$how)
			check "$n events, $how: $off % off at most" awk "BEGIN { exit !($off <= $bound) }"
		done
		cp /tmp/turns.csv "/out/turns$n.csv"
	done
	cp /tmp/few*.csv /tmp/again*.csv /tmp/true /out/
}

# ---- what it costs ---------------------------------------------------------------------

# Time that was idle is told in hundredths of a second.
seconds=$((most > 12 ? 200 : 20))

# What each process's first thread has run, with its number and name; record and the kernel's threads have no
# others. Who comes or goes in between is not counted.
ran()
{
	local process ns comm

	for process in /proc/[0-9]*; do
		[ "${process#/proc/}" != $$ ] && read -r ns _ 2>/dev/null <"$process/schedstat" &&
			read -r comm 2>/dev/null <"$process/comm" && echo "${process#/proc/} $ns ${comm// /_}"
	done | sort
}

# spent BEFORE AFTER: percent of all processors that threads have run, and of it record's part
spent()
{
	join "$1" "$2" | awk -v all="$((seconds * $(nproc)))e7" '{ sum += $4 - $2 } $3 == "tierlens" { record += $4 - $2 }
		END { printf "%.3f (record itself %.3f)", sum / all, record / all }'
}

# cost [INTERVAL]: what is spent while all events are recorded, and how long one processor was not idle
cost()
{
	local pid='' idle then_idle

	if [ "${1:-}" ]; then
		tierlens pmu record -e "$(comma "${names[@]}")" -i "$1" -o /tmp/cost.csv 2>/dev/null &
		pid=$!
		wait_until 20 grep -qs . /tmp/cost.csv
	fi
	ran >/tmp/ran.before
	read -r _ then_idle </proc/uptime
	sleep $seconds
	read -r _ idle </proc/uptime
	ran >/tmp/ran.after
	[ ! "$pid" ] || kill -INT "$pid"
	wait
	rm -f /tmp/cost.csv
	spent /tmp/ran.before /tmp/ran.after
	[ "$(nproc)" != 1 ] || awk "BEGIN { printf \", not idle %.2f\", 100 - ($idle - $then_idle) * 100 / $seconds }"
}

# ---- short intervals ---------------------------------------------------------------------

# in_a_second [-o FILE]: how many are recorded
in_a_second()
{
	tierlens pmu record -e cpu-clock -i 0.1 --seconds 1 "$@" 2>/dev/null | cat >/tmp/second.out
	tail -qn +2 "${2:-/tmp/second.out}" | wc -l
}

# Some at a time are written to a file: none is lost, nor left behind when it is enough or the time is over.
short()
{
	local shown written

	tierlens pmu record -e page-faults,cpu-clock -i 0.1 -n 13 -o /tmp/short.csv 2>/tmp/short.err || not_ok 'short intervals'
	is "$(awk -F, 'NR > 1 { n[$1]++ } END { for (t in n) { all++; full += n[t] == 2 } print all, full }' /tmp/short.csv)" '13 13' \
		'thirteen short intervals were asked for'
	is "$(grep -c gap /tmp/short.err)" 0 'and none is lost in between'
	shown=$(in_a_second)
	written=$(in_a_second -o /tmp/second.csv)
	check "of a second $written intervals are written to a file, $shown as they come" \
		test "$shown" -ge 8 -a "$written" -ge $((shown - 1))
}

load_module || exit 1
if [ "$(nproc)" = 1 ]; then
	short
	truth
	turns
else
	ok 'totals # SKIP the emulator counts on each processor what all execute'
fi
# Of threads, those of the kernel, too. Interrupts are only in what is not idle: the kernel's turns, most of all,
# which are there with long intervals, too.
diag "$most events, % of $(nproc) processors: $(cost 0.1) at 100 ms; $(cost 2) at 2 s; $(cost) without"
unload_module
done_testing
