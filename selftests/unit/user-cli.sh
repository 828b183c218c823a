# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the tests of the command line share. TIERLENS and TIERLENS_FAKE name the programs;
# without them they are built.

# shellcheck source=selftests/unit/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
export LC_ALL=C TZ=UTC
# The leak checker stops all threads at exit, and now and then never comes back from that
# when the fake kernel's thread is just ending. Leaks are the other tests' business.
export ASAN_OPTIONS=detect_leaks=0

if [[ -z ${TIERLENS:-} || -z ${TIERLENS_FAKE:-} ]]; then
	make -s -C "$top" -f user/user.mk user-test-programs >&2 || exit 1
	TIERLENS=$top/build/tierlens
	TIERLENS_FAKE=$top/build/user-test/tierlens-fake
fi
# shellcheck disable=SC2034  # for the tests
real=$(realpath "$TIERLENS")
fake=$(realpath "$TIERLENS_FAKE")
unset TIERLENS_FAKE

# result STATUS NAME: a point, with what the last run said if it failed
result()
{
	point "$1" "$2" "$dir/out" "$dir/err"
}

# run PROGRAM ARGUMENTS...: stdout and stderr to files, exit status to $status.
run()
{
	# Long enough for a machine that does much else.
	timeout 120 "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
}

# told WANT ARGUMENTS...: the attributes that reach the kernel.
told()
{
	local want=$1

	shift
	: >"$dir/log"
	TIERLENS_FAKE=ok TIERLENS_FAKE_LOG=$dir/log run "$fake" "$@"
	[[ $status == 0 && ! -s $dir/out && ! -s $dir/err && $(<"$dir/log") == "$want " ]]
	result $? "${*@Q}: the kernel is told $want"
	[[ $(<"$dir/log") == "$want " ]] || sed 's/^/#   /' "$dir/log"
}

# says STATUS SENTENCE PROGRAM ARGUMENTS...: one sentence on stderr, nothing on stdout.
says()
{
	local want=$1 sentence=$2

	shift 2
	run "$@"
	[[ $status == "$want" && ! -s $dir/out && $(wc -l <"$dir/err") == 1 ]] &&
		[[ $(<"$dir/err") == "tierlens: "*"$sentence"* ]]
	result $? "${*:2}: $want, $sentence"
}

# plays SCENE STATUS SENTENCE ARGUMENTS...: the same against the fake kernel.
plays()
{
	local scene=$1 want=$2 sentence=$3

	shift 3
	export TIERLENS_FAKE=$scene
	says "$want" "$sentence" "$fake" "$@"
	unset TIERLENS_FAKE
}

# good NAME FILTER: the last run ended well and jq finds this true of its output.
good()
{
	[[ $status == 0 ]] && jq -es "$2" "$dir/out" >/dev/null
	result $? "$1"
}

# own_daemon: tierlensd whose kernel is a fake, to $daemon; what it is doing is told to nobody else's top
own_daemon()
{
	local program

	program=$(dirname "$fake")/tierlensd-fake
	[[ -x $program ]] || make -s -C "$top" -f user/user.mk user-test-programs >&2 || exit 1
	daemon=$dir/tierlensd
	printf '#!/bin/sh\nexec %q --state %q "$@"\n' "$program" "$dir/now.json" >"$daemon"
	chmod +x "$daemon"
}
