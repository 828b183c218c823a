#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The harness must fail what fails. Boots a kernel twice with tests that go wrong in
# every way known, and compares its verdicts with the right ones. On the host.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kernel=${1:-6.1}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cases=()

# bad_test NAME: its body comes from the input.
bad_test()
{
	{ echo '#!/bin/bash'; cat; } >"$tmp/$1"
	cases+=("$tmp/$1")
}

# point NAME COMMAND...: the command succeeds.
point()
{
	local name=$1 result=ok
	shift

	number=$((number + 1))
	"$@" || { result='not ok'; failed=1; }
	echo "$result $number - $name"
}

# expect RESULT TEST NAME: a top-level line of that verdict.
expect()
{
	point "$3" grep -qE "^$1 [0-9]+ - $2" "$tmp/tap"
}

bad_test passes <<<'echo 1..1; echo ok 1; echo left >/out/left'
bad_test says-not-ok <<<'echo 1..2; echo ok 1; echo not ok 2'
bad_test exits-1 <<<'exit 1'
bad_test skips <<<'echo "1..0 # SKIP for a reason"; exit 4'
bad_test skips-without-a-word <<<'exit 4'
bad_test skips-what-failed <<<'echo not ok 1; echo "1..0 # SKIP after all"; exit 4'
bad_test ends-early <<<'echo ok 1; exit 0; echo ok 2; echo 1..2'
bad_test tests-nothing <<<'echo 1..0'
bad_test todo <<<'echo 1..1; echo "not ok 1 - later # TODO"'
bad_test plans-more <<<'echo 1..3; echo ok 1'
bad_test hangs <<<'# vm: timeout=2
sleep 1000'
bad_test leaves-children <<<'sleep 1000 & echo 1..1; echo ok 1'
bad_test log <<<'echo "WARNING: CPU: 0 PID: 1 at nowhere" >/dev/kmsg'
bad_test taints <<<'echo 64 >/proc/sys/kernel/tainted'
bad_test panics <<<'echo c >/proc/sysrq-trigger; sleep 100'
bad_test comes-too-late <<<'echo 1..1; echo ok 1'

number=0 failed=''
echo 'TAP version 13'
echo 1..22
"$here/run" "$kernel" --out "$tmp/out" "${cases[@]}" >"$tmp/tap" && status=0 || status=$?
expect ok passes 'a test that passes'
expect 'not ok' says-not-ok 'not ok, and yet status 0'
expect 'not ok' exits-1 'status 1'
expect ok 'skips # SKIP for a reason' 'a test that skips'
expect 'not ok' skips-without-a-word 'status 4, and it says nothing of skipping'
expect 'not ok' skips-what-failed 'a test that skips after a failure'
expect 'not ok' ends-early 'status 0 before the plan'
expect 'not ok' tests-nothing 'a test of no points'
expect ok todo 'a failure that is expected'
expect 'not ok' plans-more 'fewer points than planned'
expect 'not ok' hangs 'a test that hangs'
expect ok leaves-children 'a test that leaves a process behind'
expect 'not ok' log 'a warning in the kernel log'
expect 'not ok' taints 'a tainted kernel'
expect 'not ok' panics 'a panic'
expect 'not ok' comes-too-late 'a test after the panic'
expect 'not ok' "$kernel came to its end" 'no success without the word'
point 'the console is shown' grep -q '^# .*Kernel panic' "$tmp/tap"
point 'the files arrived' test -f "$tmp/out/left"
point 'status 1' test "$status" = 1

# Somebody shoots the machine.
bad_test waits <<<'echo up; sleep 1000'
"$here/run" "$kernel" --out "$tmp/out" "$tmp/waits" >"$tmp/tap" &
run=$!
until grep -q ' up$' "$tmp/tap"; do sleep 0.2; done
for child in $(pgrep -P "$run"); do
	if [[ $(<"/proc/$child/comm") = qemu-system* ]]; then
		kill -KILL "$child"
	fi
done
wait "$run" && status=0 || status=$?
expect 'not ok' waits 'a machine that dies'
point 'and status 1' test "$status" = 1
if [ -n "$failed" ]; then
	sed 's/^/# /' "$tmp/tap"
	exit 1
fi
