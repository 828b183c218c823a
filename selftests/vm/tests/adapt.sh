#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 machine=virtual timeout=900
#
# A function of one tier gets slow and fast again: tierlensd looks there, and at no other tier, within two
# windows, names it, and goes back within five. In healthy times before that it changes nothing. When it is
# killed nothing is left behind; who has set a level by hand wins; of two, one gives way.
. /job/lib.sh
. /job/chain.sh

front=7301 back=7302 stepper=$(command -v stepper)

start_services()
{
	"$stepper" --port $back --lookup-us 2000 --render-us 200 --delay-us 20000 >/tmp/truth.json &
	server=$!
	wait_until 20 listening $back
	serve front $front --next $back
}

# ask CLIENTS SECONDS: in the background, in $asker; each waits 100 ms between two requests
ask()
{
	load --to $front --connections "$1" --think-ms 100 --think-exp --ask 'home work=100 calls=1' \
		--ask 'cart work=200 calls=1' --requests 10000000 --seconds "$2" >/tmp/load.json &
	asker=$!
}

now()
{
	echo "$EPOCHREALTIME"
}

level_of()
{
	tlmnl tier-list | jq -r "select(.name | endswith(\":$1\")) | [\"off\", \"trace\", \"server\", \"method\"][.level]"
}

functions()
{
	tlmnl status | jq .functions
}

# said FILTER: of the daemon's log
said()
{
	jq -s "$1" /tmp/d.jsonl
}

load_module || exit 1
start_services
tierlens enable --interval 1000 || exit 1

# ---- all is well, a fault, all is well ---------------------------------------------------

ask 10 130
tierlensd --log /tmp/d.jsonl 2>/tmp/d.err &
daemon=$!
sleep 60
is "$(said 'map(select(.kind == "decision" and .from != .to)) | length')" 0 'sixty healthy windows: no level is changed'
kill -USR1 $server
slowed=$(now)
sleep 15
kill -USR2 $server
well=$(now)
sleep 15
cp /tmp/d.jsonl /tmp/d.err /out/ 2>/dev/null
raised=$(said 'map(select(.kind == "decision" and .to == "method")) | .[0]')
is "$(jq -r .tier <<<"$raised")" "stepper:$back" 'the tier whose function is slow is looked at'
# A window is decided on when it has ended, and can be read.
jq -en "$(jq .t <<<"$raised") - $slowed <= 2.5" >/dev/null && ok 'after two windows at most' || not_ok 'after two windows at most'
diag "$(jq -r '"\(.t): \(.text)"' <<<"$raised") ($(jq -n "$(jq .t <<<"$raised") - $slowed") s)"
is "$(said 'map(select(.kind == "decision" and .to == "method") | .tier) | unique | length')" 1 'and no other'
found=$(said 'map(select(.kind == "finding" and .function != null)) | .[0]')
is "$(jq -r .function <<<"$found")" lookup 'the function is named'
diag "$(jq -r .text <<<"$found")"
# Calls that were under way when it was probed are not in it.
jq -e '.in_function_s >= 0.6 * .extra_s and .in_function_s <= 0.024' <<<"$found" >/dev/null &&
	ok 'with what it takes' || not_ok "with what it takes: $(jq -c '[.in_function_s, .extra_s]' <<<"$found")"
lowered=$(said "map(select(.kind == \"decision\" and .from == \"method\" and .t > $well)) | .[0]")
is "$(jq -r '.tier, .to' <<<"$lowered" | xargs)" "stepper:$back server" 'when it is over the level goes back'
jq -en "$(jq .t <<<"$lowered") - $well <= 5.5" >/dev/null && ok 'after five windows at most' || not_ok 'after five windows at most'
diag "$(jq -r '"\(.t): \(.text)"' <<<"$lowered") ($(jq -n "$(jq .t <<<"$lowered") - $well") s)"
is "$(level_of $back) $(level_of $front) $(functions)" 'server server 0' 'as before'
is "$(said 'map(select(.kind == "decision" and .cost.share != null and .cost.share > .cost.budget)) | length')" 0 \
	'never above the budget'

# ---- killed, two of them, pins -------------------------------------------------------------

kill -USR1 $server
wait_until 30 eval '[ "$(level_of $back)" = method ] && [ "$(functions)" -gt 0 ]'
is "$(level_of $back)" method 'slow once more'
tierlensd --log /tmp/second.jsonl -n 8 2>/tmp/second.err
check 'a second one is told that there is another' grep -q 'another controller' /tmp/second.err /tmp/second.jsonl
diag "$(cat /tmp/second.err; grep -v begin /tmp/second.jsonl | tail -n 2)"
kill -KILL $daemon
wait $daemon 2>/dev/null
wait_until 30 eval '[ "$(level_of $back)" = server ]'
is "$(level_of $back) $(functions)" 'server 0' 'killed: nothing is left behind'
check 'set by hand' tierlens level "stepper:$back" trace
kill -USR2 $server
tierlensd --log /tmp/pinned.jsonl -n 5 2>/tmp/pinned.err || not_ok 'tierlensd ends well'
is "$(level_of $back)" trace 'what is set by hand stays'
check 'as the others' tierlens level "stepper:$back" auto
wait $asker
stop_servers
kill -TERM $server
wait $server
done_testing
