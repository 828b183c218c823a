#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 brief=6.1,newest timeout=180
#
# Whose function is probed may come to it with a stack in memory that nobody ever brings, or lets be written.
# The probe does not wait for it, so nobody does who takes the probe away. Where the kernel itself does
# what the function's first instruction does to the stack, it waits, since 6.12 within the probe: the function is
# then told to be leaving, and all else goes on. It has left once the program is killed. What the kernel alone has to
# bring, the probe waits for.
. /job/lib.sh
. /job/chain.sh

switcher=/job/bin/switcher
[ -x $switcher ] || switcher=$(command -v switcher)

# serves TEXT
serves()
{
	is "$(exec 3<>"/dev/tcp/127.0.0.1/$port" && echo hello >&3 && cat <&3)" OK "$1: it serves"
}

said()
{
	grep -q "$1" /tmp/switcher.out
}

# one_of FUNCTION KEY: what the list says of it
one_of()
{
	tierlens level list --json | jq -r ".functions[] | select(.name == \"$1\") | .$2"
}

# begins TEXT FUNCTION PORT
begins()
{
	port=$3 tier=switcher:$3
	"$switcher" --port "$port" >/tmp/switcher.out &
	server=$!
	wait_until 10 listening "$port"
	serves "$1"
	check "$1: level method" tierlens level "$tier" method --function "$2"
}

# enters TEXT FUNCTION PORT SIGNAL: with such a stack
enters()
{
	begins "$1" "$2" "$3"
	kill "$4" $server
	check "$1: a thread waits for its stack" wait_until 30 said "waits.*$1"
	is "$(one_of "$2" hits)" 1 "$1: it was seen there"
	is "$(one_of "$2" lost)" 1 "$1: it is said that no return will be"
}

# lowers TEXT: as long as one may wait for a program, and a machine for its turn
lowers()
{
	check "$1" timeout $((60 * ${slow:?})) tierlens level "$tier" server
}

functions()
{
	tlmnl status | jq .functions
}

none_left()
{
	[ "$(functions)" = 0 ] && [ "$(tierlens level list --json | jq '.functions | length')" = 0 ]
}

# leaves TEXT SIGNAL
leaves()
{
	kill "$2" $server
	wait $server 2>/dev/null
	check "$1: none is left" wait_until 30 none_left
}

load_module && tierlens enable --interval 500 || exit 1

begins 'after a fork' bare 7310
kill -VTALRM $server
check 'after a fork: the function returns' wait_until 30 said back
is "$(one_of bare hits)" 2 'after a fork: it was seen, each time'
is "$(one_of bare lost)" 0 'after a fork: and its return'
lowers 'after a fork: the probe is taken away'
leaves 'after a fork' -KILL

enters bare bare 7311 -USR2
lowers 'bare: the probe is taken away meanwhile'
is "$(functions)" 0 'bare: at once'
serves bare
leaves bare -KILL

enters 'bare, protected' bare 7312 -ALRM
lowers 'bare, protected: the probe is taken away meanwhile'
is "$(functions)" 0 'bare, protected: at once'
serves 'bare, protected'
leaves 'bare, protected' -KILL

# 6.12 takes whoever waits for handlers to hang.
case $(uname -r) in 6.12.*) echo 0 >/proc/sys/kernel/hung_task_timeout_secs ;; esac
enters pushing pushing 7313 -HUP
lowers 'pushing: who takes the probe away goes on'
if [ "$(printf '%s\n' 6.12 "$(uname -r)" | sort -V | head -n 1)" = 6.12 ]; then
	is "$(one_of pushing state)" leaving 'pushing: it is said that the probe is still there'
	is "$(functions)" 1 'pushing: and counted'
	check 'pushing: another one is probed' tierlens level "$tier" method --function bare
	is "$(one_of bare state)" probed 'pushing: as if nothing were'
	lowers 'pushing: who takes that away goes on'
	is "$(one_of bare state)" leaving 'pushing: that has to wait, too'
	check 'pushing: it is probed itself' tierlens level "$tier" method --function pushing
	is "$(one_of pushing state | sort | xargs)" 'leaving probed' 'pushing: beside what was there before'
	check 'pushing: nothing is measured any more' timeout $((60 * slow)) tierlens disable
	check 'pushing: and again' tierlens enable --interval 500
	is "$(one_of pushing state | xargs)" 'leaving leaving' 'pushing: it is still told of'
	is "$(one_of pushing tier | uniq)" "$tier" 'pushing: by the name that its tier had'
	refused 'in use' rmmod tierlens
else
	is "$(functions)" 0 'pushing: at once'
fi
serves pushing
leaves pushing -KILL
check 'the module is unloaded' unload_module
done_testing
