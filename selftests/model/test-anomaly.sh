#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens anomaly on messages of which it is known which are delayed and which timed out: of kinds that are easy,
# hard, and healthy; paper 004's way beside it; as a stream that changes for good; and what is said of files that are
# none. Prints TAP. TIERLENS names the program (make model-programs). MODEL_REPEATS: seeds of each kind (3, of 60).
set -uo pipefail

# shellcheck source=selftests/model/model-cli.sh
. "$(dirname "$0")/model-cli.sh"
seeds=$((${MODEL_REPEATS:-60} / 20))
[ $seeds -gt 0 ] || seeds=1

# judged KIND SEED N OPTION...: in $dir/judged
judged()
{
	"$here/messages.py" make "$1" "$2" "$3" "$dir/m.csv" || return
	run "$real" anomaly "$dir/m.csv" --mtu 1500 -o "$dir/l.csv" "${@:4}"
	[[ $status == 0 ]] && "$here/messages.py" judge "$dir/l.csv" >"$dir/judged"
}

# kind NAME N FILTER: of all seeds
kind()
{
	local seed all=$dir/all

	: >"$all"
	for ((seed = 1; seed <= seeds; seed++)); do
		judged "$1" $seed "$2" >>"$all" 2>&1
		cat "$dir/judged" >>"$all"
	done
	jq -es --argjson n $seeds "length == \$n and all($3)" "$all" >/dev/null
	result $? "$1, $2: accuracy, false alarms, delayed, timeout $(jq -cs 'map([.accuracy, .false_alarms, .delayed, .timeout] |
		map(if . then . * 1e4 | round / 1e4 else . end)) | unique' "$all")"
}

kinds()
{
	local name

	for name in plain noisy 'tries again' 'no delays' 'no timeouts'; do
		kind "$name" 6000 '.accuracy >= 0.995 and (.delayed // 1) >= 0.99 and (.timeout // 1) >= 0.99'
	done
	for name in 'small delays' 'exponential delays' skewed 'heavy tails' student; do
		kind "$name" 6000 '.accuracy >= 0.965 and .delayed >= 0.99 and .timeout >= 0.99'
		kind "$name" 600 '.accuracy >= 0.965 and .delayed >= 0.97 and .timeout >= 0.97'
	done
	for name in healthy 'healthy skewed' 'healthy heavy' 'healthy exponential' 'healthy pareto' 'healthy student' \
		'healthy steps' 'healthy one size'; do
		kind "$name" 6000 '.false_alarms <= 0.03'
		kind "$name" 300 '.false_alarms <= 0.03'
	done
}

# The paper's own: all anomalies above its line, and many that are none (paper: 88.78 %).
printed()
{
	judged plain 1 6000 --method printed
	jq -e '.false_alarms > 0.05 and .false_alarms < 0.3 and .delayed == 1' "$dir/judged" >/dev/null
	result $? "as printed: $(<"$dir/judged")"
}

# ---- paths, a line that is known, few ---------------------------------------------------

paths()
{
	awk 'BEGIN { srand(7); print "path,size_bytes,who,time_ms"
		for (i = 0; i < 2000; i++) {
			s = 64 + int(8000 * rand()); k = int((s - 1) / 1500); f = s / 1500 - k; e = 0.2 * (rand() + rand() - 1)
			print "shop,", s, ",\"a,b\",", 2 + 4 * k + 2 * f + e + (i % 25 ? 0 : 9)
			print "flat,", s, ",,", 1 + 0.001 * s + e }
		for (i = 0; i < 40; i++) print "few,100,,", i == 7 ? 5000 : 3 }' | sed 's/, /,/g; s/ ,/,/g' >"$dir/paths.csv"
	run "$real" anomaly "$dir/paths.csv" --json
	good 'each path by itself' '.[0] | (.paths | map({key: .path, value: .}) | from_entries) as $p |
		(.labels | length) == 4040 and ($p.shop | .delayed == 80 and .timeout == 0 and .groups == 2 and .evidence > 50) and
		($p.flat | .delayed == 0 and .timeout == 0 and .groups == 1)'
	good 'the line is found' '.[0].paths | map({key: .path, value: .line}) | from_entries | (.shop |
		(.base_s - 0.002 | fabs) < 5e-5 and (.packet_s - 0.004 | fabs) < 5e-5 and (.fill_s - 0.002 | fabs) < 5e-5) and
		(.flat | (.packet_s - 0.0015 | fabs) < 5e-5 and (.fill_s - 0.0015 | fabs) < 5e-5)'
	good 'of few nothing is said' '.[0].paths[] | select(.path == "few") | .normal == 40 and .delayed_from_s == null and
		(.verdict | startswith("too few messages: 40, 50 are needed"))'
	run "$real" anomaly "$dir/paths.csv"
	same 'rows come out as they are' "$(sed 's/,\(normal\|delayed\|timeout\|label\)$//' "$dir/out" | cmp - "$dir/paths.csv")" ''
	run "$real" anomaly "$dir/paths.csv" --mtu 9000 --json
	good '--mtu: with packets that hold all there is no second one' '.[0] | .mtu_bytes == 9000 and
		(.paths[] | select(.path == "shop") | .line.packet_s | fabs < 1e-6)'
	{ echo size_bytes,time_ms; for ((i = 0; i < 200; i++)); do echo 0,0; done; } >"$dir/zero.csv"
	run "$real" anomaly "$dir/zero.csv" --json
	good 'all zero' '.[0].paths[0] | .normal == 200 and .verdict == "ok" and .delayed_from_s > 0'
	{ echo size_bytes,time_ms; for ((i = 0; i < 200; i++)); do echo $((i * 7)),$((i == 50 ? 900 : 4)); done; } >"$dir/one.csv"
	run "$real" anomaly "$dir/one.csv" --json
	good 'one that stands alone among those that are all alike' '.[0] | .paths[0].timeout == 1 and .labels[50] == "timeout"'
}

# ---- a stream ---------------------------------------------------------------------------

# Healthy, then 20 ms slower for good: first that is told, then it is how it is.
stream()
{
	awk 'BEGIN { srand(3); print "size_bytes,time_ms"
		for (i = 0; i < 6000; i++) print 100 + int(1000 * rand()) "," 3 + 0.3 * (rand() + rand()) + (i < 3000 ? 0 : 20) }' >"$dir/s.csv"
	run "$real" anomaly "$dir/s.csv" --window 1000 --json
	good 'what is slower for good is told, and then forgotten' '.[0].labels | (.[:3000] | map(select(. != "normal")) | length) == 0 and
		(.[3000:3400] | map(select(. == "delayed")) | length) >= 399 and (.[4000:] | map(select(. != "normal")) | length) == 0'
	judged plain 2 6000 --stream
	jq -e '.accuracy > 0.99 and .false_alarms < 0.005' "$dir/judged" >/dev/null
	result $? "as a stream: $(<"$dir/judged")"
}

# ---- what is none -----------------------------------------------------------------------

# bad NAME STATUS SENTENCE TEXT
bad()
{
	printf '%b' "$4" >"$dir/bad.csv"
	says "$2" "$3" "$real" anomaly "$dir/bad.csv"
}

none()
{
	says 2 'anomaly needs messages' "$real" anomaly
	says 2 '--mtu 63 is out of range: give one from 64 to' "$real" anomaly "$dir/m.csv" --mtu 63
	says 2 '--window 49 is out of range: give one from 50' "$real" anomaly "$dir/m.csv" --window 49
	says 2 '--method "good" is neither best nor printed' "$real" anomaly "$dir/m.csv" --method good
	says 2 '--stream goes with --method best only' "$real" anomaly "$dir/m.csv" --method printed --stream
	says 1 'cannot read (No such file or directory): give messages' "$real" anomaly "$dir/nowhere"
	says 1 'cannot write' "$real" anomaly "$dir/one.csv" -o /dev/full
	bad empty 1 'the file is empty: give messages' ''
	bad head 1 'no row but the head' 'size_bytes,time_ms\n'
	bad column 1 'bad.csv:1: no column "time_ms"' 'size_bytes,ms\n1,2\n'
	bad nan 1 'bad.csv:3: column 2: time_ms "nan" is no number' 'size_bytes,time_ms\n1,2\n1,nan\n'
	bad negative 1 'bad.csv:2: column 1: size_bytes -1 is out of range' 'size_bytes,time_ms\n-1,2\n'
	bad fields 1 'bad.csv:2: 3 fields, the head has 2' 'size_bytes,time_ms\n1,2,3\n'
	bad large 1 'is out of range' 'size_bytes,time_ms\n1,1e300\n'
}

kinds
printed
paths
stream
none
finish
