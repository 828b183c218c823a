#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 brief=6.1,newest timeout=120
#
# Whose function is probed may come to it with a stack in memory that nobody ever brings. Since kernel 6.13 a
# probe itself need not wait for it, so whoever takes the probe away does not either. Where the kernel does what the
# function's first instruction does to the stack, and before 6.13 always, he waits, and goes on once the program is killed.
. /job/lib.sh
. /job/chain.sh

switcher=/job/bin/switcher
[ -x $switcher ] || switcher=$(command -v switcher)

# serves TEXT
serves()
{
	is "$(exec 3<>"/dev/tcp/127.0.0.1/$port" && echo hello >&3 && cat <&3)" OK "$1: it serves"
}

waits()
{
	grep -q "$1" /tmp/switcher.out
}

# enters FUNCTION PORT SIGNAL: with a stack that is not there
enters()
{
	port=$2 tier=switcher:$2
	"$switcher" --port "$port" >/tmp/switcher.out &
	server=$!
	wait_until 10 listening "$port"
	serves "$1"
	check "$1: level method" tierlens level "$tier" method --function "$1"
	kill "$3" $server
	check "$1: a thread waits for its stack" wait_until 30 waits "$1"
	is "$(tierlens level list --json | jq '.functions[0].hits')" 1 "$1: it was seen there"
}

# blocked PID: in the kernel, and not to be interrupted
blocked()
{
	[ "$(awk '$1 == "State:" { print $2 }' "/proc/$1/status")" = D ]
}

# kill_it: the only way, for it waits as well
kill_it()
{
	kill -KILL $server
	wait $server 2>/dev/null
}

load_module && tierlens enable --interval 500 || exit 1
if [ "$(printf '%s\n' 6.13 "$(uname -r)" | sort -V | head -n 1)" = 6.13 ]; then
	enters bare 7311 -USR2
	is "$(tierlens level list --json | jq '.functions[0].lost')" 1 'bare: it is said that no return will be'
	check 'bare: the probe is taken away meanwhile' timeout $((30 * ${slow:?})) tierlens level "$tier" server
	is "$(tlmnl status | jq .functions)" 0 'bare: none is left'
	serves bare
	kill_it
fi
enters pushing 7312 -HUP
tierlens level "$tier" server >/tmp/level.out 2>&1 &
level=$!
check 'pushing: who takes the probe away waits' wait_until 10 blocked $level
sleep 2
check 'pushing: and goes on waiting' blocked $level
serves pushing
kill_it
check 'pushing: who takes the probe away goes on' wait $level
is "$(tlmnl status | jq .functions)" 0 'pushing: none is left'
check 'the module is unloaded' unload_module
done_testing
