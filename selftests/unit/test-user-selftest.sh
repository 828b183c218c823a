#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens selftest without a module: usage, what it refuses, and that a kernel which says
# nothing does not pass. TIERSERVER and LOAD name the test programs. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"

need_programs
mkdir -p "$dir/bin"
cp "$TIERSERVER" "$LOAD" "$dir/bin/"
export TIERLENS_PROGRAMS=$dir/bin
# Another run on this machine may be at work in /tmp.
mkdir "$dir/tmp"
export TMPDIR=$dir/tmp

arguments()
{
	local list

	for list in nothing thread,nothing 'thread,' ',' '' depth-5 THREAD; do
		says 2 'no shape is called "' "$real" selftest --shapes "$list"
	done
	says 2 'at most 64' "$real" selftest --shapes "$(printf 'thread,%.0s' {1..64})thread"
	for list in 0 1000000 257 -1 1,0 '1,' ',' '' 1.5 8x 99999999999999999999999999; do
		says 2 '--connections' "$real" selftest --connections "$list"
	done
	says 2 'at most 16' "$real" selftest --connections "$(printf '1,%.0s' {1..16})1"
	says 2 '--requests 0 is out of range' "$real" selftest --requests 0
	says 2 '--requests 100001 is out of range' "$real" selftest --requests 100001
	says 2 '--seconds "0.01" is not a number from' "$real" selftest --seconds 0.01
	says 2 'at most 600' "$real" selftest --seconds 601
	says 2 'too much: give fewer' "$real" selftest --requests 100000
	says 2 'unexpected argument "thread"' "$real" selftest thread
}

lists()
{
	run "$real" selftest --list
	[[ $status == 0 ]] && grep -q '^pool-io  *pool or hand-off  *2 *>= 95' "$dir/out" &&
		grep -q -- '--answer io alone: with more than 8 connections >= 85 % right' "$dir/out"
	result $? "selftest --list"
	run "$real" selftest --list --json
	good "selftest --list --json" '.[0].shapes | length == ([.[].shape] | unique | length) and
		(map(select(.kind == "event loop")) | length >= 4 and
			all(.wanted_right == 0.995 and .wanted_wrong == 0.001)) and
		(map(select(.kind == "pool or hand-off")) | length == 7 and
			all(.wanted_right == 0.95 and .wanted_wrong == 0.005)) and
		(map(select(.chain) | .tiers) == [1,2,3,4]) and
		(map(select(.not_yet) | .shape) | all(endswith("-io")))'
}

refusals()
{
	plays absent 1 'the kernel module is not loaded' selftest
	plays eperm 1 'needs CAP_NET_ADMIN: run as root' selftest
	plays abi 1 'speaks ABI 2, this tierlens ABI 1' selftest
	plays ok 1 'measuring is on, and the self test has to switch it: tierlens disable first' selftest
	plays off,leftover 1 'there is a class selftest-03, which is what the self test calls its own' \
		selftest
	plays off 1 "tierserver and load are not in $dir/none: name another directory" \
		selftest --programs "$dir/none"
	unset TIERLENS_PROGRAMS
	cp "$fake" "$dir/alone"
	TIERLENS_FAKE=off says 1 'neither installed nor built' "$dir/alone" selftest
	mkdir -p "$dir/usr/bin" "$dir/usr/libexec/tierlens"
	cp "$fake" "$dir/usr/bin/tierlens"
	cp "$dir/bin/"* "$dir/usr/libexec/tierlens"
	TIERLENS_FAKE=off,full says 1 'cannot add class selftest-00: the table of rules is full' \
		"$dir/usr/bin/tierlens" selftest --shapes thread
	export TIERLENS_PROGRAMS=$dir/bin
	printf '#!/bin/sh\necho "no room" >&2\nexit 1\n' >"$dir/usr/libexec/tierlens/tierserver"
	TIERLENS_FAKE=off says 1 'back failed with status 1 (no room)' \
		"$dir/usr/bin/tierlens" selftest --shapes thread --programs "$dir/usr/libexec/tierlens"
}

# The fake's measuring never goes on, its tiers are never the test's, and it counts nothing.
silence()
{
	plays off 1 'measuring was switched off while the self test ran' \
		selftest --shapes thread --requests 10
	export TIERLENS_FAKE=off-on
	run "$fake" selftest --shapes thread,depth-1 --connections 2 --requests 10
	[[ $status == 1 ]] && grep -q '^thread, 2 at once: the kernel knows no tier at 127.0.0.1:' "$dir/out" &&
		grep -q '2 of 2 trials are not as good as wanted (thread with 2, depth-1 with 2)' "$dir/err"
	result $? "a kernel that knows nothing does not pass"
	run "$fake" selftest --shapes cost --json
	good "hooks that do not exist cost nothing, and what is measured says so" '.[0] |
		.cost_pairs == 6 and (.cost | length >= 14 and (map(select(.verdict == "measured"))
			| length <= 4) and all(.hits == 0 and .cost_per_hit_ns == null))'
	run "$fake" selftest --shapes thread --connections 2 --requests 10 --json
	[[ $status == 1 ]] && jq -e '.trials | length == 1 and .[0].verdict == "failed" and
		(.[0].why | startswith("the kernel knows no tier"))' "$dir/out" >/dev/null
	result $? "nor for programs"
	unset TIERLENS_FAKE
	[[ -z $(ls -A "$TMPDIR") ]]
	result $? "nothing is left where it wrote"
	TMPDIR=$dir/none TIERLENS_FAKE=off says 1 "cannot make a directory in $dir/none (No such file" \
		"$fake" selftest --shapes thread
	TMPDIR=/$(printf '%0100d' 1) TIERLENS_FAKE=off says 1 'measuring was switched off while' \
		"$fake" selftest --shapes thread --requests 10
}

arguments
lists
refusals
silence
finish
