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
# The more take turns the seldomer each of them is counted: totals as exact ask for longer work.
rounds=$((most > 12 ? 18 : 6))
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

load_module || exit 1
work # what it reads is in memory after it

# ---- the truth ---------------------------------------------------------------------

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

# ---- turns ---------------------------------------------------------------------------

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

# ---- what it costs ---------------------------------------------------------------------

# busy SECONDS: percent of the time that the processor is not idle
busy()
{
	local up idle then_up then_idle

	read -r then_up then_idle </proc/uptime
	sleep "$1"
	read -r up idle </proc/uptime
	awk "BEGIN { printf \"%.2f\", 100 * (1 - ($idle - $then_idle) / ($up - $then_up)) }"
}

# cost INTERVAL: percent of the processor while all events are recorded, and of it what record takes
cost()
{
	local pid of_all ran then_ran

	tierlens pmu record -e "$(comma "${names[@]}")" -i "$1" -o /tmp/cost.csv 2>/dev/null &
	pid=$!
	wait_until 20 grep -qs . /tmp/cost.csv
	read -r then_ran _ </proc/$pid/schedstat
	of_all=$(busy 20)
	read -r ran _ </proc/$pid/schedstat
	kill -INT $pid
	wait $pid
	rm /tmp/cost.csv
	awk "BEGIN { printf \"%s (record itself %.2f)\", $of_all, ($ran - $then_ran) / 20e7 }"
}

# What the kernel's turns take is there with long intervals, too.
diag "$most events, % of the processor: $(cost 0.1) at 100 ms, $(cost 2) at 2 s; $(busy 20) without"
unload_module
done_testing
