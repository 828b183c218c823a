#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: brief=6.1,newest timeout=480
#
# Levels of tiers: what is seen at each, what is armed, that no request is lost when they change under
# load, and that those that are set for a time end with who has set them.
. /job/lib.sh
. /job/chain.sh

requests=$((200 / slow)) front=7101 back=7102 late=7103

# cells FILE PORT KEY: over all intervals
cells()
{
	jq -s "[.[].cells[] | select(.tier_name | endswith(\":$2\")) | .$3] | add // 0" "$1"
}

# roots FILE PORT: requests that were asked by nobody who is known
roots()
{
	jq -s "[.[].paths[] | select((.tier_name | endswith(\":$2\")) and .parent == null) | .count] | add // 0" "$1"
}

calls()
{
	jq -s '[.[].edges[] | select(.tier != 0) | .calls] | add // 0' "$1"
}

unattributed()
{
	jq -s '[.[].events.unattributed] | add // 0' "$1"
}

hook()
{
	tlmnl hooks | jq -r "select(.name == \"$1\") | [\"absent\", \"idle\", \"active\"][.state]"
}

hits()
{
	tlmnl hooks | jq -s 'map(.hits) | add'
}

ask()
{
	load --to $front --connections 4 --ask 'home sleep=1000,1000 calls=2' --requests "${1:-$requests}" --seconds $((100 * slow)) \
		>/tmp/load.json || not_ok 'load'
}

level_of()
{
	tlmnl tier-list | jq -r "select(.name | endswith(\":$1\")) | [\"off\", \"trace\", \"server\", \"method\"][.level]"
}

load_module || exit 1
serve back $back
serve front $front --next $back
tierlens enable --interval 500 || exit 1
ask 4

# ---- server, the default --------------------------------------------------------------

is "$(level_of $front) $(level_of $back)" 'server server' 'tiers are seen as servers'
follow /tmp/server.jsonl
ask
stop_follow
is "$(cells /tmp/server.jsonl $front count) $(cells /tmp/server.jsonl $front traced)" "$requests 0" 'server: all requests'
is "$(cells /tmp/server.jsonl $back count) $(calls /tmp/server.jsonl)" "$((2 * requests)) $((2 * requests))" 'server: and their calls'

# ---- trace ----------------------------------------------------------------------------

check 'front: trace' tlmnl level tierserver:$front trace
follow /tmp/trace.jsonl
ask
stop_follow
is "$(cells /tmp/trace.jsonl $front count) $(cells /tmp/trace.jsonl $front traced) $(cells /tmp/trace.jsonl $front own_ns)" \
	"$requests $requests 0" 'trace: all requests, no own time'
is "$(jq -s '[.[].cells[] | select(.tier_name | endswith(":7101")) | .level] | unique | add' /tmp/trace.jsonl)" 1 'cells tell the level'
is "$(calls /tmp/trace.jsonl) $(unattributed /tmp/trace.jsonl)" '0 0' 'trace: its calls are nobody'\''s, and no loss'
# Four events for the two calls of each request, and two of who asks it.
is "$(jq -s '[.[].events.ignored] | add >= '$((6 * requests)) /tmp/trace.jsonl)" true 'trace: its calls are ignored'
is "$(roots /tmp/trace.jsonl $back)" "$((2 * requests))" 'trace: the other tier is seen by itself'
is "$(cells /tmp/trace.jsonl $back traced)" 0 'trace: which is seen as a server'
# A request waits 3 ms, and not as long as who asks says.
jq -en "$(cells /tmp/trace.jsonl $front response_ns) | . >= $requests * 3e6 and . <= $(jq .total_ns /tmp/load.json)" >/dev/null &&
	ok 'trace: response times' || not_ok 'trace: response times'
is "$(hook epoll) $(hook send)" 'active active' 'what the other tier needs is armed'

check 'all others: trace' tlmnl level - trace
is "$(hook epoll) $(hook futex-wait) $(hook switch) $(hook send) $(hook exit)" 'idle idle idle active active' \
	'what only servers need is not armed'
follow /tmp/all-trace.jsonl
ask
stop_follow
is "$(cells /tmp/all-trace.jsonl $front count) $(cells /tmp/all-trace.jsonl $back traced)" "$requests $((2 * requests))" \
	'all trace: all requests'

# ---- off --------------------------------------------------------------------------------

check 'front: off' tlmnl level tierserver:$front off
follow /tmp/off.jsonl
ask
stop_follow
is "$(cells /tmp/off.jsonl $front count) $(cells /tmp/off.jsonl $back count)" "0 $((2 * requests))" 'off: nothing is seen of it alone'
check 'all others: off' tlmnl level - off
is "$(tlmnl hooks | jq -s 'map(select(.state == 2)) | length')" 0 'nothing is armed'
before=$(hits)
ask
is "$(hits)" "$before" 'and nothing is hit'
is "$(of_status '.occupancy | [.servers, .clients, .threads, .processes, .errands]')" '[0,0,0,0,0]' \
	'the tables are empty'

# ---- and back -----------------------------------------------------------------------------

check 'all others: server' tlmnl level - server
check 'front: as the others' tlmnl level tierserver:$front
is "$(level_of $front) $(hook epoll)" 'server active' 'servers again'
follow /tmp/again.jsonl
ask
stop_follow
is "$(cells /tmp/again.jsonl $front count) $(cells /tmp/again.jsonl $front traced)" "$requests 0" 'again: all requests'
is "$(calls /tmp/again.jsonl) $(unattributed /tmp/again.jsonl)" "$((2 * requests)) 0" 'again: their calls'
is "$(jq -s '([.[].cells[] | select(.tier_name | endswith(":7101")) | .response_ns - .own_ns] | add) -
	([.[].edges[] | select(.tier_name | endswith(":7101")) | .time_ns] | add)' /tmp/again.jsonl)" 0 \
	'again: response = own + calls, to the nanosecond'

# ---- what a process has used before it is forgotten -------------------------------------------

# used PID: by all its threads so far, in ns
used()
{
	cat "/proc/$1/task/"*/schedstat | awk '{ n += $1 } END { printf "%d\n", n }'
}

# Of one that began while others were measured all of it is its tier's. An interval is long enough for its end to be
# elsewhere than between the last that is used and "off", mostly.
tierlens enable --interval 3000 || not_ok 'longer intervals'
follow /tmp/life.jsonl
serve late $late --mode epoll
load --to $late --connections 4 --ask 'home work=2000' --requests 1000000 --seconds $((100 * slow)) >/tmp/load.json &
asker=$!
sleep 1
kill -STOP "${chain_pids[-1]}"
seen=$(used "${chain_pids[-1]}")
check 'all: off, under load' tlmnl level - off
kill -CONT "${chain_pids[-1]}"
kill $asker || not_ok 'what is asked has ended before'
wait $asker 2>/dev/null
is "$(of_status .occupancy.processes)" 0 'it is forgotten'
check 'all: server again' tlmnl level - server
load --to $late --ask home --requests 1 --seconds $((100 * slow)) >/tmp/load.json || not_ok 'load'
stop_follow
all=$(used "${chain_pids[-1]}")
told=$(jq -s '[.[].usage[] | select(.tier_name | endswith(":7103")) | .cpu_ns] | add // 0' /tmp/life.jsonl)
diag "late has used $seen ns before, $all ns in all, and $told ns are told"
check 'what it has used is told, up to the moment in which it was forgotten' [ "$told" -ge "$seen" ]
check 'and once' [ "$told" -le "$all" ]
tierlens enable --interval 500 || not_ok 'short intervals again'

# A request that is open when its tier is lowered.
follow /tmp/cut.jsonl
load --to $front --ask "home sleep=$((2000000 * slow))" --requests 1 --seconds 60 >/tmp/load.json &
asker=$!
sleep "$slow"
check 'front: trace, while it has a request' tlmnl level tierserver:$front trace
wait $asker
stop_follow
is "$(cells /tmp/cut.jsonl $front count) $(cells /tmp/cut.jsonl $front traced)" '1 1' 'that one is counted, its own time is not known'
check 'front: as the others again' tlmnl level tierserver:$front

# ---- connections that are kept ---------------------------------------------------------------

# keep N: one connection, on each of both ways, in $asker; a request in 20 ms, and in more where who looks takes longer
keep()
{
	load --to $front --connections 1 --think-ms $((20 * slow)) --ask 'home calls=1' --requests "$1" \
		--seconds $((100 * slow)) >/tmp/load.json &
	asker=$!
	sleep $((2 * slow))
}

keep 400
check 'front: trace, with connections that have served' tlmnl level tierserver:$front trace
follow /tmp/kept-trace.jsonl
sleep $((2 * slow))
stop_follow
is "$(unattributed /tmp/kept-trace.jsonl)" 0 'kept: calls of threads that have served are no loss'
jq -en "$(cells /tmp/kept-trace.jsonl $front traced) > 10" >/dev/null && ok 'kept: requests' || not_ok 'kept: requests'
is "$(of_module errands)" 0 'kept: and nobody'\''s errands'
wait $asker
check 'front: as the others, once more' tlmnl level tierserver:$front
keep 400
check 'front: off, with connections that have served' tlmnl level tierserver:$front off
follow /tmp/kept-off.jsonl
sleep $((2 * slow))
stop_follow
is "$(of_module errands) $(unattributed /tmp/kept-off.jsonl)" '0 0' \
	'kept: nor are calls of who is off'
is "$(jq -s '[.[].losses.push // 0] | add' /tmp/kept-off.jsonl)" 0 'kept: nor is what it answers'
jq -en "$(cells /tmp/kept-off.jsonl $back count) > 10" >/dev/null && ok 'kept: the other tier is seen' || not_ok 'kept: the other tier is seen'
wait $asker
check 'all: trace' tlmnl level tierserver:$front && tlmnl level - trace || not_ok 'all: trace'
keep 400
check 'all: server, with connections that nobody has joined' tlmnl level - server
follow /tmp/kept.jsonl
wait $asker
stop_follow
jq -en "$(cells /tmp/kept.jsonl $back count) > 10" >/dev/null && ok 'kept: requests, again' || not_ok 'kept: requests, again'
is "$(roots /tmp/kept.jsonl $back)" 0 'kept: who asks is known again'
is "$(jq -s '[.[].losses.ambiguous // 0] | add' /tmp/kept.jsonl)" 0 'kept: nothing is taken for pipelined'

# ---- changes under load -------------------------------------------------------------------

follow /tmp/changes.jsonl
ask $((3 * requests)) &
asker=$!
for level in trace server trace server method trace method server trace server; do
	tlmnl level tierserver:$front $level || not_ok "front: $level"
	tlmnl level tierserver:$back $level || not_ok "back: $level"
	sleep 0.1
done
for level in trace server trace server; do
	tlmnl level tierserver:$front
	tlmnl level tierserver:$back
	tlmnl level - $level || not_ok "all: $level"
	sleep 0.1
done
wait $asker
stop_follow
is "$(cells /tmp/changes.jsonl $front count) $(cells /tmp/changes.jsonl $back count)" "$((3 * requests)) $((6 * requests))" \
	'no request is lost when levels change'
is "$(unaccounted "$(</tmp/changes.jsonl)")" 0 'seen = attributed + unattributed + ignored'
is "$(jq -s '([.[].cells[] | select(.own_ns > .response_ns)] | length)' /tmp/changes.jsonl)" 0 'no own time is more than its response'

# ---- for a time -----------------------------------------------------------------------------

# What threads use while nobody follows what they do is no request's when that is over, either.
tlmnl lease - trace 1000 200 2>/tmp/lease.err &
leaser=$!
wait_until 10 eval '[ "$(hook epoll)" = idle ]'
load --to $front --connections 4 --ask 'home work=500' --requests 1000000 --seconds $((100 * slow)) >/tmp/load.json &
asker=$!
sleep $((4 * slow))
follow /tmp/lease-over.jsonl
kill -KILL $leaser
wait $leaser 2>/dev/null
wait_until 20 eval '[ "$(hook epoll)" = active ]'
wait_for_interval
wait_for_interval
kill $asker || not_ok 'what is asked while it is over has ended before'
wait $asker 2>/dev/null
stop_follow
jq -s '[.[].usage[] | select(.tier_name | endswith(":7101"))] | (map(.cpu_ns) | add), (map(.request_cpu_ns) | max),
	(map(.request_cpu_ns - .cpu_ns) | max) | . / 1e9' /tmp/lease-over.jsonl | paste -sd' ' >/tmp/over
diag "front after a lease on all: $(awk '{ print $1 " s of processor time, in an interval at most " $2 " of requests, " $3 " above its processes" }' /tmp/over)"
check 'after a lease on all: requests have not used more than their processes' awk '{ exit !($3 < 1) }' /tmp/over
check 'after a lease on all: they have used something' awk '{ exit !($2 > 0.01) }' /tmp/over

tlmnl lease tierserver:$back trace 1000 200 2>/tmp/lease.err &
leaser=$!
wait_until 10 eval '[ "$(level_of $back)" = trace ]'
is "$(tlmnl tier-list | jq -c 'select(.name | endswith(":7102")) | [.own_level, .lease_ms > 0 and .lease_ms <= 1000]')" '[true,true]' \
	'a lease is told'
sleep 2
is "$(level_of $back)" trace 'it is renewed'
refused 'another controller holds' tlmnl level tierserver:$back method 1000
kill -KILL $leaser
wait $leaser 2>/dev/null
wait_until 10 eval '[ "$(level_of $back)" = server ]'
is "$(level_of $back)" server 'it ends with who has set it'
check 'set for good' tlmnl level tierserver:$back trace
refused 'was set for good' tlmnl level tierserver:$back method 1000
is "$(level_of $back)" trace 'what was set for good stays'
check 'a lease gives way to who sets it for good' tlmnl level tierserver:$front trace 60000
check 'for good' tlmnl level tierserver:$front server
refused 'was set for good' tlmnl level tierserver:$front trace 60000
refused 'no tier has that name' tlmnl level nobody trace
refused 'method is a level of single tiers' tlmnl level - method
refused 'neither a tier nor a level' tlmnl level -
check 'a lease of the level of all others' tlmnl level - trace 10000
is "$(tlmnl status | jq -c '[.level, .leased_from, .lease_ms > 0 and .lease_ms <= 10000]')" '[1,2,true]' 'is told'
check 'gives way to who sets it for good' tlmnl level - server
is "$(tlmnl status | jq -c '[.level, .leased_from, .lease_ms]')" '[2,null,null]' 'and is gone'
tlmnl lease - off 1000 200 2>/tmp/lease.err &
lease=$!
wait_until 10 eval '[ "$(tlmnl status | jq .level)" = 0 ]'
refused 'another controller holds' tlmnl level - trace 1000
kill $lease
wait_until 10 eval '[ "$(tlmnl status | jq -c "[.level, .leased_from]")" = "[2,null]" ]'
is "$(tlmnl status | jq -c '[.level, .leased_from]')" '[2,null]' 'it ends with who has set it, too'
refused 'too short or too long' tlmnl level tierserver:$back trace 99

stop_servers
wait_until 20 no_connections
tierlens disable || not_ok 'disable'
is "$(of_status '.occupancy | del(.sums) | add')" 0 'nothing is left'
done_testing
