# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2119,SC2120
#
# For tests in the guest that do harm under load: servers of every shape, a load on each of
# them, and what is left in the module's tables when all of them have gone.

group=/sys/fs/cgroup/test/storm
socket=/tmp/storm.sock
below=/tmp/below.sock
storms='' not_in_all='' # a test says which
pause=$((slow > 1 ? 4 : 1)) # seconds that a storm lasts
at_most=$((1000 * slow)) # seconds, of servers and loads: longer than any storm takes
# Of each load: with little to do, so that the storm has its share of a slow machine, and much that is open.
connections=$((slow > 1 ? 1 : 3)) think_ms=$((slow > 1 ? 3000 : 300))

# name  options; all call the tier below, some by TCP, some by its UNIX socket
shapes="
thread		--port 9101 --mode thread --next 9109 --calls 2
epoll		--port 9102 --mode epoll --pool 2 --next 9109 --calls 1
pool		--port 9103 --mode pool --pool 4 --next unix:$below --calls 2
eventfd		--port 9104 --mode pool-eventfd --answer io --pool 4 --next 9109 --calls 1
pipe		--port 9105 --mode pool-pipe --answer io --pool 4 --next unix:$below --calls 1
uring		--port 9106 --mode uring --next 9109 --calls 1
uring-sync	--port 9107 --mode uring-sync --next 9109 --calls 1
fork		--port 9108 --mode fork --next 9109 --calls 1
unix		--listen unix:$socket --mode thread --next unix:$below --calls 1
coroutine	--port 9110 --mode coroutine --pool 2 --next 9109 --calls 1
"
fronts="9101 9102 9103 9104 9105 9106 9107 9108 unix:$socket 9110"

# ---- servers and loads --------------------------------------------------------

declare -A server
loads=()

start_server()
{
	local name=$1
	shift

	# In a group of their own: what is forked and loses its parent is found there.
	{
		echo "$BASHPID" >$group/cgroup.procs
		exec tierserver --name "$name" --log /dev/null --requests 1000000 --seconds $at_most --sleep-us 100000 "$@"
	} >/dev/null 2>&1 &
	server[$name]=$!
}

start_servers()
{
	local name options

	rm -f $socket $below
	start_server below --port 9109 --mode thread
	start_server below-unix --listen unix:$below --mode pool-eventfd --pool 4
	wait_until 20 test -S $below
	while read -r name options; do
		# shellcheck disable=SC2086  # words
		[ -z "$name" ] || start_server "$name" $options
	done <<<"$shapes"
	wait_until 20 all_listen
}

all_listen()
{
	[ -S $socket ] && [ "$(ss -Hltn 'sport >= :9101 and sport <= :9110' | wc -l)" = 10 ]
}

# start_load N [OPTION...]: on the N-th front, until it is told to end; then it says in
# /tmp/load.N.json what became of its requests
start_load()
{
	local to

	read -ra to <<<"$fronts"
	load --to "${to[$1]}" --connections $connections --requests 1000000 --seconds $at_most --think-ms $think_ms \
		--ask 'c01 size=20000 sends=2 gap=2000' --ask c02 "${@:2}" >"/tmp/load.$1.json" 2>/dev/null &
	loads[$1]=$!
}

# start_loads [OPTION...]
start_loads()
{
	local n

	for n in {0..9}; do
		start_load "$n" "$@"
	done
}

end_loads()
{
	local pid

	for pid in "${loads[@]}"; do
		kill "-${1:-INT}" "$pid" 2>/dev/null
	done
	for pid in "${loads[@]}"; do
		wait "$pid" 2>/dev/null
	done
	loads=()
}

end_servers()
{
	local name

	for name in "${!server[@]}"; do
		kill "-${1:-TERM}" "${server[$name]}" 2>/dev/null
	done
	for name in "${!server[@]}"; do
		wait "${server[$name]}" 2>/dev/null
	done
	server=()
	for name in $(<$group/cgroup.procs); do
		kill -KILL "$name" 2>/dev/null
	done
}

# ---- what is left ---------------------------------------------------------------

# All that comes and goes with sockets, threads and work; the rest stays with measuring.
left()
{
	of_status '.occupancy | del(.tiers, .peers, .paths, .sums) | with_entries(select(.value > 0))'
}

nothing_left()
{
	[ "$(left)" = '{}' ]
}

no_sums()
{
	[ "$(of_module sums)" = 0 ]
}

# ---- a storm --------------------------------------------------------------------

# chosen FUNCTION: by $storms; of all but those in $not_in_all
chosen()
{
	[[ $storms = all && " $not_in_all " != *" $1 "* || " $storms " = *" $1 "* ]]
}

begin_storm()
{
	start_servers
	start_loads
	sleep $pause
	in_between=$(left)
}

# end_storm NAME: everybody goes
end_storm()
{
	end_loads
	end_servers
	wait_until 20 nothing_left
	is "$(left)" '{}' "$1: nothing is left in any table"
	is "$(unaccounted)" 0 "$1: events seen = attributed + unattributed + ignored"
	diag "$1: in between $in_between"
	[[ $in_between = *servers* && $in_between = *clients* && $in_between = *threads* ]] ||
		not_ok "$1: there was little to be left: $in_between"
}
