#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: brief=6.1,5.10,newest machine=single arch=amd64 timeout=240
#
# A program with coroutines at level method. What waits on one stack has been entered and not left, the
# thread goes on with another, and perhaps another thread with the first: a probe at its return would have
# the program go on anywhere. All its functions are to be let go before, and no request is to fail.
. /job/lib.sh
. /job/chain.sh

requests=$((2000 / slow)) port=7300

# ask N: parts of an answer that a coroutine waits between
ask()
{
	load --to $port --connections 8 --requests "$1" --seconds $((100 * slow)) --ask 'c01 size=20000 sends=2 gap=1000' >/tmp/load.json ||
		not_ok 'load'
	jq -c '[.count, .errors]' /tmp/load.json
}

# states: of all functions, how many are in which state
states()
{
	tierlens level list --json | jq -c '[.functions[].state] | group_by(.) | map([.[0], length])'
}

load_module && tierlens enable --interval 500 || exit 1
for pool in 1 4; do
	port=$((port + 1)) tier=tierserver:$((port))
	tierserver --port $port --mode coroutine --pool $pool >/tmp/server.out 2>&1 &
	server=$!
	wait_until 10 listening $port
	is "$(ask $((requests / 10)))" "[$((requests / 10)),0]" "$pool threads: it serves"
	check "$pool threads: level method" tierlens level $tier method --functions 200
	ask $requests >/tmp/asked
	is "$(cat /tmp/asked)" "[$requests,0]" "$pool threads: no request has failed"
	check "$pool threads: it goes on" kill -0 $server
	wait_until 10 eval '[ "$(tlmnl status | jq .functions)" = 0 ]'
	is "$(tlmnl status | jq .functions)" 0 "$pool threads: none of its functions is probed any more"
	is "$(states | jq -c 'map(.[0])')" '["stacks"]' "$pool threads: and it is said why"
	diag "$(states)"
	refused 'stacks of its own' tierlens level $tier method --function 'tier_*'
	is "$(ask $((requests / 10)))" "[$((requests / 10)),0]" "$pool threads: it serves"
	kill -TERM $server
	wait $server
done

# Who meets the other stack looks at all threads. One of them leaves a function just then and calls another
# from the same place, which has to return there.
switcher=/job/bin/switcher port=7308
[ -x $switcher ] || switcher=$(command -v switcher)
"$switcher" --port $port >/tmp/switcher.json &
server=$!
wait_until 10 listening $port
is "$(exec 3<>/dev/tcp/127.0.0.1/$port && echo hello >&3 && cat <&3)" OK \
	'a thread changes functions: it serves'
check 'a thread changes functions: level method' tierlens level switcher:$port method --function first \
	--function inner --function second --function hello
kill -USR1 $server
check 'a thread changes functions: the program ends as it should' wait $server
is "$(jq -c '[.same_place, .waited]' /tmp/switcher.json)" '[true,true]' 'a thread changes functions: just as it is looked at'
is "$(jq -c '[.after_first, .after_second]' /tmp/switcher.json)" '[1,1]' \
	'a thread changes functions: each of them returns to who has called it'

# Another tier, of another program, has a probe at the same function of the same file.
port=7306 program=$(readlink -f "$(command -v tierserver)")
tierserver --port $port --mode coroutine --pool 1 >/tmp/server.out 2>&1 &
server=$!
redis-server --port 7305 --save '' >/tmp/redis.out &
redis=$!
wait_until 10 listening $port && wait_until 10 listening 7305
is "$(redis-cli -p 7305 ping) $(ask 10)" 'PONG [10,0]' 'a function that another tier has probed: both serve'
check 'a function that another tier has probed: level method' tlmnl level tierserver:$port method
check 'a function that another tier has probed: there, too' tlmnl level redis-server:7305 method
check 'a function that another tier has probed: by that one' \
	tlmnl function-add redis-server:7305 swapcontext "$program" "$(readlink -f /proc/$redis/exe)"
check 'a function that another tier has probed: by its own' tlmnl function-add tierserver:$port swapcontext "$program"
is "$(ask $requests)" "[$requests,0]" 'a function that another tier has probed: no request has failed'
check 'a function that another tier has probed: it goes on' kill -0 $server
tlmnl function-del redis-server:7305 || not_ok 'its function'
kill -TERM $server $redis
wait $server $redis

# What is copied to and fro at one place is known by its library.
libm=$(ldconfig -p | awk '/libm\.so\.6/ { print $NF; exit }')
cp "$libm" /tmp/_greenlet.cpython-311-x86_64-linux-gnu.so
LD_PRELOAD=/tmp/_greenlet.cpython-311-x86_64-linux-gnu.so redis-server --port 7309 --save '' >/tmp/redis.out &
server=$!
wait_until 10 listening 7309
is "$(redis-cli -p 7309 ping)" PONG 'a server with greenlet'
refused 'has greenlet' tierlens level redis-server:7309 method --functions 20
is "$(tlmnl status | jq .functions)" 0 'is not probed'
kill -TERM $server
wait $server
check 'the module is unloaded' unload_module
done_testing
