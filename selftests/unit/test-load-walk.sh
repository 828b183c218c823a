#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The client's sessions: whether they go by their matrix. Prints TAP. TIERSERVER and LOAD name the
# programs; without them they are built.
# shellcheck disable=SC2317  # functions are called through check
set -euo pipefail

# shellcheck source=selftests/unit/tap.sh
. "$(dirname "$0")/tap.sh"
need_programs

# walk FILE: a matrix from standard input
walk()
{
	cat >"$dir/$1"
}

# ask CSV OPTION...: prints the JSON
ask()
{
	"$LOAD" --to "$port" --mix "$dir/mix" --csv "$dir/$1" "${@:2}"
}

# names CSV: what was asked for, in the order of asking
names()
{
	awk -F, 'NR > 1 { print $2 }' "$dir/$1"
}

# share CSV NAME FROM TO: what part it is of all, in percent
share()
{
	names "$1" | awk -v name="$2" -v from="$3" -v to="$4" '
		$1 == name { n++ }
		END { p = 100 * n / NR; print name ": " p " %"; exit !(p >= from && p <= to) }'
}

keeps_to_the_rows()
{
	ask ring.csv --walk "$dir/ring=1" --requests 300 &&
		names ring.csv | awk 'last && last $1 !~ /^(ab|bc|ca)$/ { print last " " $1; bad = 1 }
			{ last = $1 } END { exit bad || NR != 300 }'
}

# From a to b 0.1, back 0.3: three times as often at a as at b, and c never.
has_the_long_run()
{
	ask two.csv --walk "$dir/two=4" --requests 6000 && share two.csv a 71 79 && share two.csv b 21 29 &&
		share two.csv c 0 0
}

# Who begins at a comes to b, and ends at c: a long time ago.
has_been_under_way()
{
	ask away.csv --walk "$dir/away=8" --requests 8 && share away.csv c 100 100
}

# One session goes the same way however long it thinks; another seed, another way.
repeats()
{
	ask 1.csv --walk "$dir/two=1" --requests 200 --seed 5 --think-ms 1 --think-exp &&
		ask 2.csv --walk "$dir/two=1" --requests 200 --seed 5 --think-ms 0.1 --think-exp &&
		ask 3.csv --walk "$dir/two=1" --requests 200 --seed 6 --think-ms 0.1 --think-exp &&
		[ "$(names 1.csv)" = "$(names 2.csv)" ] && [ "$(names 2.csv)" != "$(names 3.csv)" ]
}

blends()
{
	ask blend.csv --walk "$dir/only-a=6" --walk "$dir/only-b=2" --requests 2000 --think-ms 4 --think-exp |
		jq -e '.connections == 8 and .connects == 8' && share blend.csv a 68 82
}

# All think for a second or so; two of them take what there is to ask for, the others need not go on.
does_not_think_in_vain()
{
	ask think.csv --walk "$dir/two=8" --requests 2 --think-ms 1000 --think-exp | jq -e '.seconds < 1'
}

# refuses TEXT: the matrix from standard input
refuses()
{
	cat >"$dir/wrong"
	if ask no.csv --walk "$dir/wrong=1" --requests 1 2>"$dir/err"; then
		echo 'it was taken'
		return 1
	fi
	cat "$dir/err"
	grep -qF "$1" "$dir/err"
}

printf '%s\n' '1 a a' '1 b b' '1 c c' >"$dir/mix"
walk ring <<<$'INIT a 1\n# around\n\na b 1\nb c 1\nc a 1'
walk two <<<$'INIT a 1\na a 0.9 b 0.1\nb a 0.3 b 0.7\nc c 1'
walk away <<<$'INIT a 1\na b 1\nb c 1\nc c 1'
walk only-a <<<$'INIT a 1\n* a 1'
walk only-b <<<$'INIT b 1\n* b 1'
start one --port 0 --mode epoll
plan 11
check 'after FROM only what its row has' keeps_to_the_rows
check 'in the long run what the matrix has' has_the_long_run
check 'sessions have been under way for long' has_been_under_way
check 'the same seed, the same way' repeats
check 'so many sessions of each walk' blends
check 'who thinks when nothing is left stops' does_not_think_in_vain
check 'refused: a row of no target' refuses ':2: the row' <<<$'INIT a 1\nd a 1'
check 'refused: no target' refuses ':1: a target' <<<$'INIT d 1'
check 'refused: no sum of 1' refuses ':2: its probabilities' <<<$'INIT a 1\n* a 0.5 b 0.4'
check 'refused: a row twice' refuses ':2: there was' <<<$'INIT a 1\nINIT b 1'
check 'refused: a target without a row' refuses 'has no row' <<<$'INIT a 1\na b 1'
stop || failed=1
finish
