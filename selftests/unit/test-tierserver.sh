#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The test services against themselves: a chain of three tiers, their own truth, and whether it
# adds up. Prints TAP. TIERSERVER and LOAD name the programs; without them they are built.
# shellcheck disable=SC2317  # functions are called through check
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
pids=()
test_nr=0
failed=0

cleanup()
{
	local pid

	for pid in "${pids[@]}"; do
		kill "$pid" 2>/dev/null || true
	done
	rm -rf "$dir"
}
trap cleanup EXIT

if [[ -z ${TIERSERVER:-} || -z ${LOAD:-} ]]; then
	make -s -C "$top" -f selftests/lib/lib.mk GUEST_OUT="$dir/bin" >&2
	TIERSERVER=$dir/bin/tierserver
	LOAD=$dir/bin/load
fi

# check NAME COMMAND...: one line of TAP.
check()
{
	local name=$1

	shift
	test_nr=$((test_nr + 1))
	if "$@" >"$dir/check.out" 2>&1; then
		echo "ok $test_nr - $name"
	else
		echo "not ok $test_nr - $name"
		sed 's/^/# /' "$dir/check.out"
		failed=1
	fi
}

# start NAME OPTIONS...: a tier on a free port, which goes to $port.
start()
{
	local name=$1 i

	shift
	: >"$dir/$name.out"
	"$TIERSERVER" --port 0 --name "$name" --seconds 60 --log "$dir/$name.json" \
		--csv "$dir/$name.csv" "$@" >"$dir/$name.out" 2>"$dir/$name.err" &
	pids+=($!)
	for ((i = 0; i < 100; i++)); do
		port=$(sed -n 's/^listening .*://p' "$dir/$name.out")
		[[ -n $port ]] && return
		sleep 0.02
	done
	echo "Bail out! $name does not listen: $(cat "$dir/$name.err")"
	exit 1
}

# Ends the tiers from the front to the back; fails if one does not end well.
stop()
{
	local i status=0

	for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
		kill "${pids[i]}" || status=1
		wait "${pids[i]}" || status=1
	done
	gone "${pids[@]}" || status=1
	pids=()
	return "$status"
}

gone()
{
	local pid

	for pid in "$@"; do
		! kill -0 "$pid" 2>/dev/null || return 1
	done
}

# sum FILE COLUMN [CLASS]
sum()
{
	awk -F, -v column="$2" -v class="${3:-}" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) c = i; next }
		class == "" || $2 == class { s += $c }
		END { printf "%.0f\n", s }' "$dir/$1.csv"
}

rows()
{
	echo $(($(wc -l <"$dir/$1.csv") - 1))
}

# is TEXT ACTUAL EXPECTED
is()
{
	[[ $2 == "$3" ]] || { echo "$1: $2, expected $3"; return 1; }
}

# within TEXT PERCENT A B: A <= B, and not by more than PERCENT plus 1 ms.
within()
{
	awk -v a="$3" -v b="$4" -v p="$2" 'BEGIN { exit !(a <= b && b - a <= b * p / 100 + 1e6) }' ||
		{ echo "$1: $3 and $4 are too far apart or the wrong way round"; return 1; }
}

# Each row: response = close - open = own + union of calls, and the union is not more than the sum.
rows_add_up()
{
	awk -F, 'NR > 1 && ($5 != $4 - $3 || $5 != $6 + $8 || $6 < 0 || $8 > $9) { print; bad = 1 }
		 END { exit bad }' "$dir/$1.csv"
}

# In turn: the calls of a row do not overlap.
rows_in_turn()
{
	awk -F, 'NR > 1 && $8 != $9 { print; bad = 1 } END { exit bad }' "$dir/$1.csv"
}

# The sums in the JSON are those of the rows, to the nanosecond.
json_is_rows()
{
	local key

	for key in response_ns own_ns calls call_ns call_sum_ns bytes_in bytes_out; do
		grep -q "\"$key\": $(sum "$1" "$key")[,}]" <(head -1 "$dir/$1.json") ||
			{ echo "$1: $key is not $(sum "$1" "$key")"; return 1; }
	done
}

chain_counts()
{
	local home

	home=$(grep -c ',home,' "$dir/load.csv")
	is "client" "$(($(wc -l <"$dir/load.csv") - 1))" 500 &&
		is "errors at the client" "$(sum load bad)" 0 &&
		is "front" "$(rows front)" 500 &&
		is "front's calls" "$(sum front calls)" $((home * 3 + (500 - home) * 2)) &&
		is "middle" "$(rows mid)" "$(sum front calls)" &&
		is "back" "$(rows back)" "$(sum mid calls)"
}

# What a tier calls is what the next one answers, and a little more for the way.
chain_conserves()
{
	within "client, front" 50 "$(sum front response_ns)" "$(sum load response_ns)" &&
		within "front, middle" 50 "$(sum mid response_ns)" "$(sum front call_sum_ns)" &&
		within "middle, back" 50 "$(sum back response_ns)" "$(sum mid call_sum_ns)"
}

back_does_its_work()
{
	within "2 ms of sleep each" 50 $((2000000 * $(rows back))) "$(sum back own_ns)"
}

# No request in flight during the gaps: from the last answer of a burst to the next request.
bursts_have_gaps()
{
	sort -t, -k3n "$dir/load.csv" | awk -F, '
		$1 == "id" { next }
		end && $3 - end > 40e6 { gaps++ }
		$4 > end { end = $4 }
		END { if (gaps < 4) print gaps " gaps of 40 ms, expected 4"; exit gaps < 4 }'
}


run_chain()
{
	start back --mode thread --sleep-us 2000
	start mid --mode epoll --next "$port"
	start front --mode thread --next "$port" --calls 2 --work-us 100
	"$LOAD" --to "$port" --connections 4 --requests 500 --csv "$dir/load.csv" \
		--ask 'home work=200,20,50 calls=3,1 size=3000,100' \
		--ask 'big size=100000,20 sends=4' >"$dir/load.json"
}

run_parallel()
{
	start left --mode pool --sleep-us 3000
	local left=$port
	start right --mode pool --sleep-us 3000
	start mid --mode epoll --next "$left" --next "$port" --pool 2
	start front --mode pool --next "$port" --calls 3 --parallel
	"$LOAD" --to "$port" --connections 3 --requests 100 --burst 20 --gap-ms 50 \
		--reconnect-every 7 --csv "$dir/load.csv" --ask 'many parallel=1,1 calls=3,2' \
		--ask 'body calls=2,1 body=60000' >"$dir/load.json"
}

echo 1..16
check "a chain of thread, epoll and thread serves 500 requests" run_chain
check "its tiers end when told to, none is left" stop
check "counts are exact" chain_counts
for tier in front mid back; do
	check "$tier: response = own + calls in every row" rows_add_up "$tier"
	check "$tier: the sums are those of the rows" json_is_rows "$tier"
done
check "calls in turn do not overlap" rows_in_turn front
check "tiers agree with each other" chain_conserves
check "the last tier's own time is its sleep" back_does_its_work
check "pools, calls at once, bursts and reconnects" run_parallel
check "its tiers end when told to, none is left" stop
check "calls at once: response = own + union in every row" rows_add_up front
check "nothing is in flight between bursts" bursts_have_gaps
cat "$dir"/*.err >&2
exit $failed
