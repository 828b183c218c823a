# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# For tests on the host: TAP, a folder for what they write ($dir), and test servers that are
# ended by their process numbers, however the test ends.
# shellcheck disable=SC2034  # for the tests

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dir=$(mktemp -d)
servers=()
test_nr=0
failed=0
planned=''

clean_up()
{
	local end=$((SECONDS + 10))

	# Told to, they end their own children, too.
	[ ${#servers[@]} = 0 ] || kill "${servers[@]}" 2>/dev/null || true
	until gone "${servers[@]}" || [ $SECONDS -ge $end ]; do sleep 0.05; done
	[ ${#servers[@]} = 0 ] || kill -KILL "${servers[@]}" 2>/dev/null || true
	rm -rf "$dir"
}
trap clean_up EXIT

# ---- TAP --------------------------------------------------------------------

# plan N: so many points, which are counted in the end
plan()
{
	planned=$1
	echo "1..$1"
}

# point STATUS NAME [FILE...]: one line of TAP; files are shown if it failed, where prove shows them, too
point()
{
	local status=$1 name=$2
	shift 2

	test_nr=$((test_nr + 1))
	if [[ $status == 0 ]]; then
		echo "ok $test_nr - $name"
		return
	fi
	echo "not ok $test_nr - $name"
	failed=1
	echo "# not ok $test_nr - $name" >&2
	[ $# = 0 ] || sed 's/^/#   /' "$@" | cut -c1-200 | head -n 40 >&2
}

# skip NAME WHY
skip()
{
	point 0 "$1 # SKIP $2"
}

# check NAME COMMAND...: the command succeeds
check()
{
	local name=$1 status=0
	shift

	"$@" >"$dir/check.out" 2>&1 || status=$?
	point $status "$name" "$dir/check.out"
}

# is NAME GOT WANTED: whether they are the same, and what they are if not; for check
is()
{
	[[ $2 == "$3" ]] || { echo "$1: '$2', expected '$3'"; return 1; }
}

# same NAME GOT WANTED: the same as a point by itself
same()
{
	check "$1" is "$@"
}

# finish: the plan, if there was none; the exit status of the test
finish()
{
	[ -n "$planned" ] || plan "$test_nr"
	[ "$test_nr" = "$planned" ] || failed=1
	exit "$failed"
}

# ---- test servers -----------------------------------------------------------

# need_programs: $TIERSERVER and $LOAD, built if nobody has named them
need_programs()
{
	[[ -z ${TIERSERVER:-} || -z ${LOAD:-} ]] || return 0
	make -s -C "$top" -f selftests/lib/lib.mk GUEST_OUT="$dir/programs" >&2 || exit 1
	TIERSERVER=$dir/programs/tierserver
	LOAD=$dir/programs/load
}

# start NAME OPTION...: a test server; its address goes to $addr, the end of it to $port
start()
{
	local name=$1 server end=$((SECONDS + 60))
	shift

	# Now, not when the server is started: it is looked at right away.
	: >"$dir/$name.out"
	"$TIERSERVER" --name "$name" --seconds 600 --log "$dir/$name.json" "$@" \
		>"$dir/$name.out" 2>"$dir/$name.err" &
	server=$!
	servers+=("$server")
	while addr=$(sed -n 's/^listening //p' "$dir/$name.out"); [[ -z $addr ]]; do
		kill -0 "$server" 2>/dev/null && [ $SECONDS -lt $end ] || { cat "$dir/$name.err"; return 1; }
		sleep 0.02
	done
	port=${addr##*:}
}

# stop: ends the servers from the front to the back; fails if one does not end well
stop()
{
	local i status=0

	for ((i = ${#servers[@]} - 1; i >= 0; i--)); do
		kill "${servers[i]}" && wait "${servers[i]}" || status=1
	done
	gone "${servers[@]}" || status=1
	servers=()
	return "$status"
}

gone()
{
	local pid

	for pid in "$@"; do
		! kill -0 "$pid" 2>/dev/null || return 1
	done
}
