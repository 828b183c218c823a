#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: brief=6.1,5.10 timeout=700
# Readers of intervals: fast, slow, asleep, killed. What one of them has read from the
# beginning on is the truth for all others.
. /job/lib.sh
. /job/chain.sh
# The lines are long.
export LC_ALL=C

interval_ms=$((400 * slow)) ports=128 # of which each has a cell
edges='(.edges | length >= 2)' paths='([.paths[] | select(.parent)] | length >= 2)'
usage='(.usage | map(.tier_name) | index("tierserver:9103") != null)'
chain="$edges and $paths and $usage"

# ---- helpers ----------------------------------------------------------------

# sleep_intervals N: until N more were closed.
sleep_intervals()
{
	tlmnl listen "$1" >/dev/null
}

# The lines of FILE are all in the truth, byte by byte.
all_true()
{
	awk 'NR == FNR { truth[$0]; next } !($0 in truth) { print substr($0, 1, 200); bad = 1 }
		END { exit bad || !FNR }' /tmp/truth "$1"
}

generations()
{
	cut -d, -f1 "$@" | cut -d: -f2
}

# rising FILE [FIRST]: numbers that follow one another, those from FIRST on if given.
rising()
{
	awk -v first="${2:-}" '
		NR == 1 && first != "" && $1 != first	{ exit bad = 1 }
		NR > 1 && $1 != before + 1		{ exit bad = 1 }
		{ before = $1 }
		END	{ exit bad || !NR }' "$1"
}

# consecutive FILE [FIRST]: the same for the generations of intervals.
consecutive()
{
	rising <(generations "$1") "${2:-}"
}

# FILE, read between newest BEFORE and newest AFTER, begins with the oldest of 16 and
# ends with the newest.
sixteen()
{
	local first last
	first=$(generations "$1" | head -n 1)
	last=$(generations "$1" | tail -n 1)
	[ "$first" -ge $(($2 - 15)) ] && [ "$first" -le $(($3 - 15)) ] &&
		[ "$last" -ge "$2" ] && [ "$last" -le "$3" ]
}

all_read()
{
	[ "$(tail -n 1 /tmp/truth | generations)" = "$(of_module newest)" ]
}

# without_traffic COMMAND...: so that this slow host reads faster than intervals are closed
without_traffic()
{
	local status

	kill -STOP "${traffic[@]}"
	"$@"
	status=$?
	kill -CONT "${traffic[@]}"
	return $status
}

# Starts fifteen that read one part each and wait.
begin_to_read()
{
	local n newest

	newest=$(of_module newest)
	: >/tmp/hold
	holders=()
	for n in {1..15}; do
		tlmnl --buffer 8192 hold $((newest - n)) >>/tmp/hold &
		holders+=($!)
		disown
	done
	wait_until 10 all_hold
}

all_hold()
{
	[ "$(wc -l </tmp/hold)" = 15 ]
}

unload_refused()
{
	! rmmod tierlens 2>/dev/null
}

# Each port is asked some times in an interval, however long that is, or a slow machine would do nothing else.
begin_traffic()
{
	load --to 9101 --connections 2 --requests 1000000 --seconds $((600 * slow)) --think-ms $((interval_ms / 5)) \
		--ask home >/tmp/load.json &
	traffic=("$!")
	ports 20000 $ports $((interval_ms * 2 / 5)) &
	traffic+=("$!")
}

end_traffic()
{
	kill "${traffic[@]}"
	wait "${traffic[@]}"
}

# Whether intervals have as many cells as there are ports, or nearly, and all that the chain makes, while others read
# them: that takes the longer the slower the machine is.
all_seen()
{
	sleep_intervals 1
	tlmnl follow "$(of_module newest)" 6 >/tmp/seen &
	tlmnl follow "$(of_module newest)" 6 >/dev/null
	wait $!
	without_traffic all_in /tmp/seen
}

all_in()
{
	jq -es "all((.cells | length >= $ports - 4) and $chain)" "$1" >/dev/null
}

# ---- the traffic ------------------------------------------------------------

check 'the module is loaded' load_module
check 'enabled' tlmnl enable $interval_ms 100
tierserver --port 9103 --mode thread --name back --work-us 200 --log /tmp/back.json >/dev/null &
tierserver --port 9102 --mode epoll --name mid --next 9103 --log /tmp/mid.json >/dev/null &
tierserver --port 9101 --mode thread --name front --next 9102 --calls 2 --log /tmp/front.json >/dev/null &
for port in 9101 9102 9103; do
	wait_for_port $port 10
done
begin_traffic
until all_seen || [ $interval_ms -ge 3200 ]; do
	end_traffic
	interval_ms=$((2 * interval_ms))
	tlmnl disable
	tlmnl enable $interval_ms 100
	begin_traffic
done
diag "intervals of $interval_ms ms"
begin=$(of_module newest)
tlmnl follow "$begin" 1000000 >/tmp/truth 2>/tmp/truth.err &
truth=$!
tlmnl listen 1000000 >/tmp/notifications 2>&1 &
listener=$!

# ---- equal figures ----------------------------------------------------------

tlmnl --buffer 8192 follow "$begin" 8 >/tmp/one &
one=$!
tlmnl follow "$begin" 8 >/tmp/two
wait $one
# Who comes late gets more of them with the last dump.
check 'two readers see the same bytes' cmp <(head -n 8 /tmp/one) <(head -n 8 /tmp/two)
check 'no generation is missing' consecutive /tmp/one $((begin + 1))
is "$(jq -s 'map(.cells | length >= 120) | any' /tmp/one)" true 'intervals with 120 cells and more'
is "$(jq -s "any($edges)" /tmp/one)" true 'and with the edges of the chain'
is "$(jq -s "any($paths)" /tmp/one)" true 'with its paths'
is "$(jq -s "any($usage)" /tmp/one)" true 'and with what its processes used'
tlmnl --buffer 8192 --parts since "$begin" >/tmp/parts
is "$(jq -s 'map(.parts >= 3) | any' /tmp/parts)" true 'a small buffer gets them in three parts and more'
diag "parts: $(jq .parts /tmp/parts | paste -sd' ')"

diag "$SECONDS s"

# ---- killed in the middle of a dump -----------------------------------------

# They keep one interval each, all that there are.
sleep_intervals 6
begin_to_read
is "$(wc -l </tmp/hold)" 15 'fifteen are in the middle of a dump'
check 'the module stays while they read' unload_refused

diag "$SECONDS s"

# ---- late -------------------------------------------------------------------

last=$(of_module newest)
sleep_intervals 10
without_traffic tlmnl since "$last" >/tmp/late
check 'late by 10 intervals: there are 10' test "$(wc -l </tmp/late)" -ge 10
check 'late by 10 intervals: none is lost' consecutive /tmp/late $((last + 1))
check 'late by 10 intervals: all as they were' all_true /tmp/late
# With the sixteen kept there were as many intervals as there may ever be, or nearly, while those were
# being read that have gone. The module keeps the memory of as many for those to come.
kill -KILL "${holders[@]}"
memory_before=$(of_module memory_used)
begin_to_read
kill -KILL "${holders[@]}"

diag "$SECONDS s"

# ---- evicted while a slow reader is in the middle ---------------------------

# The kernel makes the second part when the first is taken: there must be a third.
for _ in 1 2 3 4 5 6 7 8; do
	sleep_intervals 1
	middle=$(of_module newest)
	[[ $(tlmnl --buffer 8192 --parts get "$middle") != *'"parts":'[12]'}' ]] && break
done
tlmnl --buffer 8192 --rcvbuf 1 --stop get "$middle" >/tmp/slow 2>&1 &
slow_one=$!
tlmnl --buffer 8192 --rcvbuf 1 --stop since $((middle - 1)) >/tmp/slow-all 2>&1 &
slow_all=$!
sleep_intervals 20
is "$(cat /tmp/slow /tmp/slow-all | wc -l)" 0 'the slow readers are in the middle'
is "$(tlmnl get "$middle" 2>&1)" \
	'No such file or directory: no such interval is kept: status tells the oldest and newest generation' \
	'a generation that is gone: ENOENT and a sentence'

tlmnl listen 1 >/dev/null
before=$(of_module newest)
without_traffic tlmnl since "$middle" >/tmp/later
after=$(of_module newest)
diag "$(wc -l </tmp/later) intervals, while $((after - before)) were closed"
check 'late by 20 intervals: there are the 16 kept' sixteen /tmp/later "$before" "$after"
check 'late by 20 intervals: the generations show the gap' \
	test "$(generations /tmp/later | head -n 1)" -gt $((middle + 1))
# Those that went while they were being read may be missing, of those still kept none.
awk -F '[:,]' -v kept=$((after - 15)) '$2 >= kept' /tmp/later >/tmp/kept
check 'late by 20 intervals: the rest is complete' consecutive /tmp/kept $((after - 15))
check 'late by 20 intervals: all as they were' all_true /tmp/later

kill -CONT $slow_one $slow_all
wait $slow_one
is "$(generations /tmp/slow)" "$middle" 'a slow reader of one interval has it'
check 'as it was' all_true /tmp/slow
wait $slow_all
is "$(generations /tmp/slow-all | head -n 1)" "$middle" 'a slow reader of all has the first'
check 'and goes on with what is kept' test "$(wc -l </tmp/slow-all)" -ge 16
sleep_intervals 1
check 'all as they were' all_true /tmp/slow-all

diag "$SECONDS s"

# If the readers of the second fifteen, or of the first, still held theirs, there would be 15 more at
# least, 4 MB. The pools may grow with the traffic, but not by so much.
memory=$(of_module memory_used)
diag "memory: $memory_before, now $memory"
check 'killed readers hold no memory' test $((memory - memory_before)) -lt 3500000

# ---- notifications ----------------------------------------------------------

# The first reader has a heap to catch up with. Switching under traffic is for another test.
end_traffic
kill $listener
wait $listener 2>/dev/null
wait_until 30 all_read
sed -n 's/.*"a2":\([0-9]*\).*/\1/p' /tmp/notifications >/tmp/told
generations /tmp/truth >/tmp/read
check 'notifications: many came' test "$(wc -l </tmp/told)" -ge 40
is "$(comm -23 <(sort /tmp/told) <(sort /tmp/read))" '' 'notifications: of intervals that are there'
check 'notifications: rising by one' rising /tmp/told
is "$(jq -c 'del(.cmd) | keys' /tmp/notifications | sort -u)" '["a2","a4","a5"]' \
	'notifications: generation, beginning, length, and no figures'
is "$(jq -s 'map(.cmd) | unique | .[0]' /tmp/notifications)" 12 'notifications: by their own command'

diag "$SECONDS s"

# ---- across disable and enable ----------------------------------------------

tlmnl disable
wait_until 30 all_read
kill $truth
wait $truth 2>/dev/null
is "$(cat /tmp/truth.err)" '' 'the first reader found nothing wrong'
check 'the first reader has lost nothing' consecutive /tmp/truth $((begin + 1))
tlmnl since 0 >/tmp/old
is "$(wc -l </tmp/old)" 16 'disabled: the 16 are still there'
tlmnl enable $interval_ms 100
sleep_intervals 3
tlmnl disable
tlmnl since 0 >/tmp/new
is "$(wc -l </tmp/new)" 16 'enabled anew: 16 again'
added=$(grep -cvxFf /tmp/old /tmp/new)
check 'enabled anew: there are new ones' test "$added" -ge 3
check 'enabled anew: the oldest have gone for them' cmp <(tail -n +$((added + 1)) /tmp/old) <(head -n -"$added" /tmp/new)

# ---- away -------------------------------------------------------------------

diag "$SECONDS s"
check 'the module is unloaded' unload_module
done_testing
