#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The test services against themselves: a chain of three tiers, their own truth, and whether it
# adds up. Prints TAP. TIERSERVER and LOAD name the programs; without them they are built.
# shellcheck disable=SC2317  # functions are called through check
set -euo pipefail

# shellcheck source=selftests/unit/tap.sh
. "$(dirname "$0")/tap.sh"
need_programs

# tier NAME OPTION...: on a free port, with a row for each request
tier()
{
	start "$1" --port 0 --csv "$dir/$1.csv" "${@:2}"
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

# inside OUTER COLUMN INNER: each of the requests lies within that of the same number, which tells
# of it in the column; and most of what it tells of is the request's, unless the host is at
# something else most of the time.
inside()
{
	awk -F, -v c="$2" '
		FNR == 1 { file++; next }
		file == 1 {
			if (!($1 in from) || $3 < from[$1]) from[$1] = $3
			if ($4 > to[$1]) to[$1] = $4
			outer[$1] += $c
			next
		}
		!($1 in from) || $3 < from[$1] || $4 > to[$1] { print "outside: " $0; bad = 1 }
		{ inner[$1] += $5 }
		END {
			for (id in inner) {
				n++
				most += inner[id] * 2 >= outer[id]
				if (inner[id] > outer[id]) { print "longer: " id; bad = 1 }
			}
			if (most * 2 < n) print n - most " of " n " are much shorter"
			exit bad || !n || most * 2 < n
		}' "$dir/$1.csv" "$dir/$3.csv" || { echo "$1 and $3"; return 1; }
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
	inside load 5 front && inside front 9 mid && inside mid 9 back
}

# Not less, and once in hundreds of times not much more.
back_does_its_work()
{
	awk -F, 'NR > 1 { if ($6 < 2e6) { print; bad = 1 } if (NR == 2 || $6 < least) least = $6 }
		 END { print "least: " least " ns"; exit bad || least > 3e6 }' "$dir/back.csv"
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
	tier back --mode thread --sleep-us 2000
	tier mid --mode epoll --next "$port"
	tier front --mode thread --next "$port" --calls 2 --work-us 100
	"$LOAD" --to "$port" --connections 4 --requests 500 --csv "$dir/load.csv" \
		--ask 'home work=200,20,50 calls=3,1 size=3000,100' \
		--ask 'big size=100000,20 sends=4' >"$dir/load.json"
}

run_parallel()
{
	tier left --mode pool --sleep-us 3000
	local left=$port
	tier right --mode pool --sleep-us 3000
	tier mid --mode epoll --next "$left" --next "$port" --pool 2
	tier front --mode pool --next "$port" --calls 3 --parallel
	"$LOAD" --to "$port" --connections 3 --requests 100 --burst 20 --gap-ms 50 \
		--reconnect-every 7 --csv "$dir/load.csv" --ask 'many parallel=1,1 calls=3,2' \
		--ask 'body calls=2,1 body=60000' >"$dir/load.json"
}

plan 16
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
finish
