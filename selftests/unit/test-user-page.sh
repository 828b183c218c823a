#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of tierlensd, in a browser: each view against what the API says, keyboard, narrow screens, dark mode, rows that
# cannot be read, names that would run, a token, no history. Pictures stay in build/check/page/. Prints TAP; without a browser it is skipped.
set -uo pipefail

# shellcheck source=selftests/unit/user-daemon.sh
. "$(dirname "$0")/user-daemon.sh"
pictures=$top/build/check/page
here=$top/selftests/page

# skip_all WHY
skip_all()
{
	echo "1..0 # SKIP $1"
	exit 4
}

# replay NAME RECORDING OPTION...: a daemon that tells of a recording, once it has read it
replay()
{
	local name=$1 recording=$2
	shift 2

	begin "$name" none --replay "$recording" "$@" && until_true generation_is "$(wc -l <"$recording")"
}

generation_is()
{
	[[ $(get "${auth[@]}" "$url/api/v1/status" | jq .last_interval.generation) == "$1" ]]
}

# in_browser PART [MORE...]: points of browse.mjs are points of ours
in_browser()
{
	local status=0

	timeout 240 env POINTS="$test_nr" CHROMIUM="$chromium" NODE_MODULES="$modules" \
		node "$here/browse.mjs" "$1" "$url" "$pictures" "${@:2}" 2>"$dir/browser.err" || status=$?
	[[ $status == 0 ]] || failed=1
	echo "# $1: $SECONDS s"
	if [[ $status -gt 1 ]]; then
		point $status "$1: the browser was driven to the end" "$dir/browser.err"
	else
		test_nr=$(<"$pictures/points")
	fi
	rm -f "$pictures/points"
}

# What a program counts, cleaned, as tierlens pmu clean -o writes it.
clean_csv()
{
	echo t,cpu,event,value,enabled,running,action,low95,high95
	for ((i = 0; i < 20; i++)); do
		echo "$((1763700000 + i)),0,cycles,1000,1,0.5,scaled,900,1100"
		echo "$((1763700000 + i)),1,cycles,500,1,0,filled,400,600"
	done
}

answers()
{
	same "${2:0:60}: $1" "$(curl -s -m 60 -o "$dir/body" -w '%{http_code}' --path-as-is "${auth[@]}" "$url$2")" "$1"
}

# spoil FILE FROM TO: rows whose checksums are wrong
spoil()
{
	python3 - "$@" <<-'END'
	import sqlite3, sys
	base = sqlite3.connect(sys.argv[1], timeout=30)
	rows = base.execute("SELECT id, sums FROM raw WHERE id BETWEEN ? AND ?", sys.argv[2:]).fetchall()
	with base:
	    for id, sums in rows:
	        base.execute("UPDATE raw SET sums = ? WHERE id = ?", (sums[:-1] + bytes([sums[-1] ^ 1]), id))
	END
}

# What the page asks, and what nobody should.
api()
{
	local query

	answers 200 '/api/v1/history?points=2'
	for query in points=1 points=501 points=x points= series=0 series=101 from=x from=-1 from=1.2.3 from=99999999999 \
		'from=5&to=4' "tier=$(printf 'a%.0s' {1..1001})"; do
		answers 400 "/api/v1/history?$query"
	done
	answers 400 /api/v1/histogram
	grep -q 'tier=NAME' "$dir/body"
	result $? "a histogram of no tier: what to say"
	answers 200 '/api/v1/histogram?tier=%00%ff%3Cscript%3E'
	answers 200 '/api/v1/history?tier=nobody'
	[[ $(jq -c '[.series, .rest]' "$dir/body") == '[[],null]' ]]
	point $? "of a tier that is none: nothing" "$dir/body"
	get "$url/api/v1/history?points=20" >"$dir/all"
	get "$url/api/v1/history?points=20&series=3" >"$dir/three"
	check "what is beyond the series that are wanted is summed up" jq -es '.[0] as $a | .[1] as $b |
		([$a.series[].own_ns | add] | add) as $all | ([$b.series[].own_ns | add] | add) as $some |
		($b.series | length) == 3 and $b.rest_n == ($a.series | length) - 3 and $some + ($b.rest.own_ns | add) == $all and
		($a.t | length) <= 20 and ($a.t | length) > 10' "$dir/all" "$dir/three"
	jq -s '[.[].tiers[].cells[].own_ns] | add' "$dir/shop.jsonl" >"$dir/sum"
	check "columns are the sums of the recording" jq -es --slurpfile sum "$dir/sum" \
		'[.[0].series[].own_ns | add] | add == $sum[0]' "$dir/all"
	get "$url/api/v1/histogram?tier=postgres%3A5432&class=%2Fcart" >"$dir/hist"
	jq -s '[.[].tiers[] | select(.name == "postgres:5432").cells[] | select(.class == "/cart").hist.own[]] | group_by(.[0]) |
		map([.[0][0], (map(.[1]) | add)])' "$dir/shop.jsonl" >"$dir/sum"
	check "histograms are, too" jq -es --slurpfile sum "$dir/sum" '.[0].own == $sum[0]' "$dir/hist"
}

chromium=$(command -v chromium) || { "$top/tools/setup" browser >&2 2>&1 && chromium=$(command -v chromium); } ||
	skip_all 'no chromium: apt-get install chromium'
command -v node >/dev/null || skip_all 'no node'
modules=$("$top/tools/page" modules "$here" 2>"$dir/npm.err") || skip_all 'npm cannot install playwright-core'
auth=()
mkdir -p "$pictures"
python3 "$here/recording.py" 600 >"$dir/shop.jsonl"
python3 "$here/recording.py" 90 --hostile >"$dir/hostile.jsonl"
clean_csv >"$dir/clean.csv"
python3 "$top/selftests/model/sync-points.py" make pool 1 60 0 "$dir" >/dev/null &&
	"$real" tasks infer "$dir/trace.csv" --json >"$dir/tasks.json"
result $? "a task model"

says 1 'none.jsonl: cannot' "$daemon" --replay "$dir/none.jsonl" --listen none
replay shop "$dir/shop.jsonl" --history "$dir/h.db"
result $? "a recording is replayed"
if ! get "$url/page.js" -o /dev/null; then
	end
	skip_all 'tierlensd was built without its page'
fi
in_browser views "$dir/clean.csv" "$dir/tasks.json"
api
end
result $? "a clean end"

begin again none --replay "$dir/h.db" && until_true eval "[[ \$(get '$url/api/v1/status' | jq -c '[.history, .replay, .intervals]') == '[true,true,600]' ]]"
result $? "a history is replayed, too, and asked"
end

replay gaps "$dir/shop.jsonl" --history "$dir/gaps.db" && spoil "$dir/gaps.db" 200 239
result $? "rows of a history are damaged"
in_browser gaps 40
end

replay hostile "$dir/hostile.jsonl" --history "$dir/hostile.db"
in_browser hostile
end

echo correct-horse-battery >"$dir/token"
chmod 600 "$dir/token"
auth=(-H 'Authorization: Bearer correct-horse-battery')
replay token "$dir/hostile.jsonl" --token-file "$dir/token"
in_browser token correct-horse-battery
auth=()
answers 200 /
answers 401 /api/v1/history
end

begin bare ok,hints && until_true get "$url/-/ready" -o /dev/null
result $? "a daemon without a history"
answers 404 /api/v1/history
in_browser bare "$pid"
wait "$pid"
servers=()
finish
