# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# For tests in the guest: chains of test servers, and figures out of recordings.

chain_pids=()

# serve NAME PORT [OPTION...]: a test server; its truth will be in /tmp/NAME.json.
serve()
{
	local name=$1 port=$2
	shift 2

	tierserver --port "$port" --name "$name" --log "/tmp/$name.json" "$@" >/dev/null &
	chain_pids+=($!)
	wait_until 10 listening "$port"
}

# serve_unix NAME PATH [OPTION...]: the same at a UNIX socket
serve_unix()
{
	local name=$1 path=$2
	shift 2

	tierserver --listen "unix:$path" --name "$name" --log "/tmp/$name.json" "$@" >/dev/null &
	chain_pids+=($!)
	wait_until 10 test -S "$path"
}

# Whether somebody listens; asking by a connection would be counted by him.
listening()
{
	ss -Hltn "sport = :$1" | grep -q .
}

stop_servers()
{
	local pid

	for pid in "${chain_pids[@]}"; do
		kill "$pid"
		wait "$pid"
	done
	chain_pids=()
}

# within GOT WANTED NAME PERCENT: off by no more
within()
{
	local off

	off=$(jq -n "if $2 > 0 then 100 * ($1 - $2) / $2 else 1000 end | . * 100 | round / 100")
	if jq -en "$off | fabs <= $4" >/dev/null; then
		ok "$3: off by $off % ($1 of $2)"
	else
		not_ok "$3: off by $off %, $4 % are wanted ($1 of $2)"
	fi
}

# of_module FIELD: a number of the module's status that has this name alone. Who waits asks often: the second
# client and this shell take a tenth of what tierlens and jq take.
of_module()
{
	[[ $(tlmnl status) =~ \"$1\":([0-9]+) ]] && echo "${BASH_REMATCH[1]}"
}

# of_status FILTER: what else it says
of_status()
{
	tlmnl status | jq -c "$1"
}

# status_has FILTER: which is true
status_has()
{
	[ "$(of_status "$1")" = true ]
}

# unaccounted [ROWS]: events seen that are in none of the three sums, of a status or of intervals that were kept, else of now.
# 0 if that is so in each, and there is one; else what there is, or nothing.
unaccounted()
{
	jq -s 'map(.events | .seen - .attributed - .unattributed - .ignored) | unique | .[]' <<<"${1-$(tlmnl status)}"
}

newest()
{
	of_module newest
}

newest_after()
{
	[ "$(newest)" -ge "$1" ]
}

# Sleeps until all that has ended so far can be read. An interval is closed a quiet time after its end:
# so far behind is the newest one.
wait_for_interval()
{
	local interval

	# Their numbers do not begin with 0.
	wait_until 20 newest_after 1
	interval=$(of_module interval_ms)
	wait_until 20 newest_after $(($(newest) + 2 + ($(of_module quiet_ms) + interval - 1) / interval))
}

# sum RECORDING PORT KEY: over all intervals and classes of the tier on the port.
cell_sum()
{
	jq -s "[.[].tiers[] | select(.name | endswith(\":$2\")) | .cells[].$3] | add // 0" "$1"
}

# edge_sum RECORDING FROM-PORT PEER-PORT KEY: UNIX sockets by path
edge_sum()
{
	jq -s "[.[].edges[] | select((.tier // \"\" | endswith(\":$2\")) and
		(.peer | . == \"$3\" or endswith(\":$3\"))) | .$4] | add // 0" "$1"
}

# near_ns GOT WANTED NAME [BOUND]: means in nanoseconds, within 2 % or BOUND (50 us)
near_ns()
{
	if awk -v g="$1" -v w="$2" -v b="${4:-50000}" 'BEGIN { d = g - w; if (d < 0) d = -d
		if (b < 0.02 * w) b = 0.02 * w; exit !(g > 0 && w > 0 && d <= b) }'; then
		ok "$3 ($1 ns; its own word $2 ns)"
	else
		not_ok "$3"
		diag "measured $1 ns, the server says $2 ns"
	fi
}

# record FILE: everything from now on, until stop_record
record()
{
	tierlens record --kept -o "$1" 2>/tmp/record.err &
	record_pid=$!
}

# record_new FILE: the same, without what is kept of what has ended before
record_new()
{
	wait_for_interval
	record_since=$(newest)
	record "$1"
}

# stop_record_new FILE: when all that has ended can be read
stop_record_new()
{
	wait_for_interval
	stop_record || return
	jq -c "select(.generation > $record_since)" "$1" >"$1.new" && mv "$1.new" "$1"
}

stop_record()
{
	local status

	kill -INT "$record_pid"
	wait "$record_pid"
	status=$?
	# Who has missed intervals goes on, and says so.
	[ ! -s /tmp/record.err ] || diag "$(cat /tmp/record.err)"
	return $status
}

# follow FILE: all intervals from now on, as the second client reads them
follow()
{
	local since

	wait_for_interval
	# Not by who reads, who would be late.
	since=$(newest)
	followed=$1
	tlmnl follow "$since" 1000000 >"$1" 2>/tmp/follow.err &
	follower=$!
}

# read_until FILE GENERATION: its last line is of that one, or a later one
read_until()
{
	[ "$(tail -n 1 "$1" | jq .generation)" -ge "$2" ]
}

# Until all that has ended so far was read.
stop_follow()
{
	wait_for_interval
	wait_until 20 read_until "$followed" "$(newest)"
	kill "$follower"
	wait "$follower" || not_ok 'reading ends well'
	tell_losses "$followed"
	[ ! -s /tmp/follow.err ] || { not_ok 'reading'; diag "$(cat /tmp/follow.err)"; }
}

# tell_losses FILE
tell_losses()
{
	local lost

	lost=$(jq -sc '[.[].losses | to_entries[] | select(.value != 0)] | group_by(.key) | map({(.[0].key): map(.value) | add}) | add' "$1")
	[ "$lost" = null ] || diag "$1: losses $lost"
	cp "$1" /out/
}

# refused SENTENCE COMMAND...: it fails, and says so
refused()
{
	local sentence=$1
	shift

	"$@" >/tmp/refused.out 2>/tmp/refused.err && not_ok "$*: is not refused"
	check "$*: $sentence" grep -qF -- "$sentence" /tmp/refused.err
}

# What is in each table but the sums, which go with their intervals.
occupancy()
{
	of_status '.occupancy | del(.sums)'
}

# back_to OCCUPANCY
back_to()
{
	[ "$(occupancy)" = "$1" ]
}

# Nobody has a connection any more.
no_connections()
{
	status_has '.occupancy | .servers + .clients == 0'
}
