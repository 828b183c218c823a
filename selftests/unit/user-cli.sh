# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the tests of the command line share. TIERLENS and TIERLENS_FAKE name the programs;
# without them they are built.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
test_nr=0
failed=0
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

result()
{
	test_nr=$((test_nr + 1))
	if [[ $1 == 0 ]]; then
		echo "ok $test_nr - $2"
	else
		echo "not ok $test_nr - $2"
		failed=1
		sed 's/^/#   /' "$dir/out" "$dir/err" | cut -c1-160 | head -20
	fi
}

skip()
{
	test_nr=$((test_nr + 1))
	echo "ok $test_nr - $1 # SKIP $2"
}

# run PROGRAM ARGUMENTS...: stdout and stderr to files, exit status to $status.
run()
{
	timeout 30 "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
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

# finish: the plan; the exit status of the test.
finish()
{
	echo "1..$test_nr"
	exit "$failed"
}
