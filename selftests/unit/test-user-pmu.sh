#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens pmu learn, clean and compare as their users meet them: usage, records and bases that are
# no use, what is written, writers that are ended. How good it is, is the models' tests' business.
# Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"

kb=$dir/kb.db
file=$dir/f.csv
head_line='t,cpu,event,value,enabled,running'

# record SEED MULTIPLEXED [INTERVALS]: three events of two processors, of which two share a counter
record()
{
	awk -v seed="$1" -v multiplexed="$2" -v n="${3:-120}" -v head="$head_line" 'BEGIN {
		srand(seed); print head
		for (t = 0; t < n; t++) for (cpu = 0; cpu < 2; cpu++) {
			level = int(t / 20) % 2 ? 5 : 1
			common = level * (1 + 0.2 * rand())
			for (e = 0; e < 3; e++) {
				on = !multiplexed || e == 2 || t % 2 == e
				value = int(common * 10 ^ (e + 3) * (1 + 0.02 * rand()))
				if (multiplexed && t == 50 && e == 2) value *= 20
				printf "%.1f,%d,event%d,%d,0.1,%s\n", t / 10, cpu, e,
					on ? value : 0, on ? "0.1" : "0"
			}
		}
	}'
}

usage()
{
	says 2 'pmu needs list, record, learn, clean or compare' "$real" pmu
	says 2 'pmu has no "tidy"' "$real" pmu tidy
	says 2 'pmu learn needs a record' "$real" pmu learn --app a --kb b
	says 2 'pmu clean needs --app' "$real" pmu clean "$file"
	says 2 'pmu learn needs --app' "$real" pmu learn "$file" --kb b
	says 2 'pmu record needs events' "$real" pmu record
	says 2 'pmu compare needs three records' "$real" pmu compare a b
	says 2 'unexpected argument "d"' "$real" pmu compare a b c d
	says 2 'unknown method "magic": best, printed' "$real" pmu clean a --app a --kb b --method magic
	says 2 '--sd "0" is not a number from 0.5' "$real" pmu clean a --app a --kb b --sd 0
}

# refused SENTENCE TEXT: of a record that is none
refused()
{
	# shellcheck disable=SC2059  # that is what it is for
	printf "$2" >"$file"
	says 1 "$1" "$real" pmu learn "$file" --app a --kb "$kb"
}

bad_records()
{
	says 1 'cannot read (No such file' "$real" pmu learn "$dir/none" --app a --kb "$kb"
	refused "$file: the file is empty" ''
	refused "$file: no row but the head" "$head_line\n"
	refused "$file:1: no column \"running\"" 't,cpu,event,value,enabled\n1,0,a,1,1\n'
	refused "$file:2: 5 fields, the head has 6" "$head_line\n1,0,a,1,1\n"
	refused "$file:3: column 4: value \"nan\" is no number from 0" "$head_line\n1,0,a,1,1,1\n2,0,a,nan,1,1\n"
	refused "$file:2: column 4: value \"-3\"" "$head_line\n1,0,a,-3,1,1\n"
	refused "$file:2: column 2: cpu \"x\" is no processor" "$head_line\n1,x,a,3,1,1\n"
	refused "$file:2: column 3: event \"\" is no name" "$head_line\n1,0,,3,1,1\n"
	refused "$file:2: running 2 is more than enabled 1" "$head_line\n1,0,a,3,1,2\n"
	refused "$file:2: value 3 was counted in no time" "$head_line\n1,0,a,3,1,0\n"
	refused "$file:3: a was there already" "$head_line\n1,0,a,3,1,1\n1,0,a,3,1,1\n"
	[[ ! -e $kb ]]
	result $? 'none of them makes a base'
}

learns()
{
	record 1 '' >"$dir/1.csv"
	record 2 '' >"$dir/2.csv"
	record 3 1 >"$dir/3.csv"
	run "$real" pmu learn "$dir/1.csv" --app shop --kb "$kb" --json
	good 'a record is learned: a run a processor' '.[0] | .added == 6 and .replaced == 0'
	run "$real" pmu learn "$dir/2.csv" --app shop --kb "$kb" --json
	good 'the same events again replace it' '.[0] | .added == 6 and .replaced == 6'
	run "$real" pmu learn "$dir/1.csv" --app shop --kb "$kb" --beside --json
	good 'unless it is to stand beside' '.[0] | .added == 6 and .replaced == 0'
	run "$real" pmu learn "$dir/1.csv" --app shop --kb "$dir/bytes.db" --environment $'e\xff' --json
	good 'an environment is any bytes' '.[0] | .added == 6 and .environment == "e\ufffd"'
}

# Values, by what was done to them.
cleans()
{
	run "$real" pmu clean "$dir/3.csv" --app shop --kb "$kb" -o "$dir/c.csv" --json
	good 'all runs are known, what was not counted is filled' '.[0] | .runs == 4 and .verdict == "ok" and
		(.events | map(.done.filled) == [120, 120, 0]) and .events[2].done.outlier == 2 and
		(.events[0].running - 0.5 | fabs) < 1e-9'
	awk -F, 'NR == 1 { exit $0 != "t,cpu,event,value,enabled,running,action,low95,high95" }' "$dir/c.csv"
	result $? 'the head has what was done, and intervals'
	[[ $(wc -l <"$dir/c.csv") == $(wc -l <"$dir/3.csv") ]] &&
		! awk -F, 'NR > 1 && ($8 > $4 || $9 < $4)' "$dir/c.csv" | grep -q .
	result $? 'a row for each, each within its interval'
	# Of the rows that are kept, values are those that were read.
	diff <(awk -F, '$7 == "kept" { print $1 + 0, $2, $3, $4 }' "$dir/c.csv") \
		<(awk -F, 'NR == FNR { if ($7 == "kept") is[$1 + 0, $2, $3] = 1; next }
			($1 + 0, $2, $3) in is { print $1 + 0, $2, $3, $4 }' "$dir/c.csv" <(sort -t, -k2,2n -s "$dir/3.csv")) >"$dir/out"
	result $? 'what was counted all the time is left alone'
	run "$real" pmu clean "$dir/3.csv" --app shop --kb "$kb" -o -
	[[ $status == 0 ]] && cmp -s "$dir/out" "$dir/c.csv"
	result $? 'the same again is the same, and goes to standard output'
	run "$real" pmu clean "$dir/3.csv" --app other --kb "$kb" --json
	good 'of another program nothing is known' '.[0] | .runs == 0 and .fell_back == 3 and
		(.verdict | startswith("never seen"))'
	run "$real" pmu clean "$dir/3.csv" --app other --kb "$kb"
	[[ $status == 0 ]] && grep -q 'Of other nothing is known' "$dir/out"
	result $? 'which is said'
	# Another machine: all happens a hundred times as often, in another order.
	awk -F, -v OFS=, 'NR > 1 { $4 *= 1 + 99 * (1 + sin($1 * 9)) }1' "$dir/3.csv" >"$dir/other.csv"
	run "$real" pmu clean "$dir/other.csv" --app shop --kb "$kb" --json
	good 'what is unlike the known runs is said to be' '.[0] | .unlike == 3 and (.verdict | startswith("unlike")) and
		all(.events[]; .unlike and .done.corrected == 0)'
	run "$real" pmu clean "$dir/other.csv" --app shop --kb "$kb"
	[[ $status == 0 ]] && grep -q 'Of 3 of the 3 events this is unlike the known runs of shop' "$dir/out"
	result $? 'to people, too'
	says 1 'it was cleaned already' "$real" pmu clean "$dir/c.csv" --app shop --kb "$kb"
}

compares()
{
	run "$real" pmu compare "$dir/c.csv" "$dir/1.csv" "$dir/2.csv" --json
	good 'what was cleaned is as far off as another run' '.[0].events | length == 3 and all(.diff < 0.6)'
	run "$real" pmu compare "$dir/3.csv" "$dir/1.csv" "$dir/2.csv" --json
	good 'what was not is farther' '.[0].events | map(.diff) | min > 1'
	run "$real" pmu compare "$dir/3.csv" "$dir/1.csv" "$dir/1.csv" --json
	good 'references that are the same have no difference' '.[0].events | all(.diff == null)'
	sed 's/event2/<b>$&;`/' "$dir/1.csv" >"$dir/odd.csv"
	run "$real" pmu compare "$dir/odd.csv" "$dir/odd.csv" "$dir/odd.csv" -o "$dir/c.svg" --json
	good 'what is compared is drawn' '.[0].events | length == 3'
	python3 -c 'import sys, xml.etree.ElementTree as tree
texts = ["".join(t.itertext()) for t in tree.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}text")]
assert any(t.startswith("<b>$") for t in texts) and "REF2" in texts and any("event1" in t for t in texts), texts' "$dir/c.svg" 2>"$dir/err"
	result $? 'with names as they are'
	run "$real" pmu compare "$dir/3.csv" "$dir/1.csv" "$dir/2.csv" -o -
	[[ $status == 0 && $(head -c 5 "$dir/out") == '<?xml' ]] && ! grep -q 'DTW to reference' "$dir/out"
	result $? 'to standard output nothing else is printed'
	says 1 'cannot write' "$real" pmu compare "$dir/3.csv" "$dir/1.csv" "$dir/2.csv" -o "$dir/none/c.svg"
}

bad_bases()
{
	says 1 'cannot open (No such file' "$real" pmu clean "$dir/3.csv" --app a --kb "$dir/none.db"
	echo 'no base at all, but text' >"$dir/text.db"
	says 1 'it is damaged, or no knowledge base' "$real" pmu clean "$dir/3.csv" --app a --kb "$dir/text.db"
	cp "$kb" "$dir/torn.db"
	dd if=/dev/urandom of="$dir/torn.db" bs=512 seek=8 count=64 conv=notrunc status=none
	says 1 'it is damaged' "$real" pmu clean "$dir/3.csv" --app shop --kb "$dir/torn.db"
	python3 -c 'import sqlite3, sys
for name, change in (("older", "user_version = 0"), ("newer", "user_version = 99"), ("other", "application_id = 5")):
    with open(f"{sys.argv[1]}/{name}.db", "wb") as to:
        to.write(open(sys.argv[2], "rb").read())
    sqlite3.connect(f"{sys.argv[1]}/{name}.db", isolation_level=None).execute(f"PRAGMA {change}")' "$dir" "$kb"
	says 1 'made by an older tierlens' "$real" pmu clean "$dir/3.csv" --app a --kb "$dir/older.db"
	says 1 'made by a newer tierlens' "$real" pmu learn "$dir/1.csv" --app a --kb "$dir/newer.db"
	says 1 'a database, but no knowledge base' "$real" pmu learn "$dir/1.csv" --app a --kb "$dir/other.db"
}

# whole NAME: the base is sound, and has whole runs of two processors only
whole()
{
	python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
assert not db.execute("SELECT series FROM sample EXCEPT SELECT series FROM event").fetchall()
for length, samples in db.execute("SELECT length, (SELECT count(*) FROM sample s WHERE s.series = e.series) FROM event e"):
    assert length == samples, (length, samples)
for (n,) in db.execute("SELECT count(*) FROM event GROUP BY run"):
    assert n == 3, n
assert db.execute("SELECT count(DISTINCT run) FROM event").fetchone()[0] % 2 == 0' "$kb" 2>"$dir/err"
	result $? "$1"
}

locked()
{
	python3 -c 'import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN EXCLUSIVE"); print(flush=True); time.sleep(60)' "$kb" >"$dir/locked" &
	servers+=($!)
	until [[ -s $dir/locked ]] || gone "${servers[-1]}"; do sleep 0.05; done
	says 1 'another process is writing to it' "$real" pmu learn "$dir/1.csv" --app a --kb "$kb"
	kill "${servers[-1]}"
	wait "${servers[-1]}" 2>"$dir/err"
}

# Files may not grow: as on a full disk, what is there stays.
full()
{
	local before

	before=$(sha256sum <"$kb")
	record 5 '' 4000 >"$dir/long.csv"
	says 1 'nothing was changed' bash -c 'trap "" XFSZ; ulimit -f 100; exec "$@"' bash "$real" pmu learn \
		"$dir/long.csv" --app long --kb "$kb"
	whole 'a base on a full disk stays whole'
	[[ $(sha256sum <"$kb") == "$before" ]]
	result $? 'and as it was'
}

read_only()
{
	local as=()

	chmod 444 "$kb"
	chmod 755 "$dir"
	if [[ $EUID == 0 ]]; then
		as=(setpriv --reuid 65534 --clear-groups)
		"${as[@]}" test -x "$real" || { skip 'a base that may not be written' 'this tree is closed to others'; return; }
	fi
	says 1 'it may not be written' "${as[@]}" "$real" pmu learn "$dir/1.csv" --app a --kb "$kb"
	chmod 644 "$kb"
}

# Wherever a writer is ended, the base has all of it or nothing.
ended()
{
	local n ended=0

	for ((n = 1; n <= 12; n++)); do
		# A shell of its own says that it was ended.
		bash -c 'timeout -s KILL "$@"; exit $?' bash "$(printf 0.%03d $((n * 15)))" "$real" pmu learn \
			"$dir/long.csv" --app long --kb "$kb" --beside >/dev/null 2>&1 || ended=$((ended + 1))
	done
	[[ $ended -gt 0 ]]
	result $? "writers were ended ($ended of 12)"
	whole 'the base is whole'
	run "$real" pmu clean "$dir/3.csv" --app shop --kb "$kb" --json
	good 'and is read' '.[0].runs == 4'
}

usage
bad_records
learns
cleans
compares
bad_bases
locked
full
read_only
ended
finish
