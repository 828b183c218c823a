#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: brief=newest timeout=400
#
# tierlensd outlasts the module: it is unloaded and loaded again under it, with requests on their way, and nobody touches
# the daemon; then the daemon is killed. What had closed before is in the history each time, all else is a gap.
. /job/lib.sh
. /job/chain.sh

page=http://127.0.0.1:19477 requests=$((120 / slow)) log=/out/d.jsonl

# counted: requests of the tier in front, as the daemon tells them
counted()
{
	curl -sf $page/metrics | awk '/^tierlens_requests_total\{.*tier="tierserver:9101"/ { n += $NF } END { print n + 0 }'
}

up()
{
	curl -sf $page/metrics | awk '$1 == "tierlens_up" { print $2 }'
}

# tells N NAME: the daemon does, when it has read what has closed
tells()
{
	wait_for_interval
	wait_until 20 eval '[ "$(counted)" -ge '"$1"' ]'
	is "$(counted)" "$1" "$2"
}

# Until it has read all that was under way.
settle()
{
	local was=-1

	until [ "$was" = "$(counted)" ]; do
		was=$(counted)
		wait_for_interval
		wait_for_interval
	done
}

begin_daemon()
{
	# On an emulated machine the hooks are dear: levels stay what they are. A busy host needs its time to begin, and
	# sixteen intervals are kept.
	tierlensd --budget 90% --history /tmp/h.db --state /tmp/state --log $log --interval 2000 2>/tmp/d.err &
	daemon=$!
	wait_until 100 eval '[ "$(up)" = 1 ]'
}

# in_no_figure WHO: is, of those that the daemon itself is asked by
in_no_figure()
{
	is "$(curl -sf $page/metrics | grep '^tierlens_requests_total' | grep 'tierlensd\|19477')" '' "$1 is in no figure"
}

ask()
{
	load --to 9101 --connections 4 --ask home --seconds $((60 * slow)) --requests "$1" >/tmp/load.json
	is "$(jq .count /tmp/load.json)" "$1" 'all requests are answered'
}

said()
{
	jq -e "select(.kind == \"$1\" and (.text | contains(\"$2\")))" $log
}

load_module || exit 1
serve back 9102
serve front 9101 --next 9102 --calls 1
begin_daemon
check 'it begins' [ "$(up)" = 1 ]
ask $requests
tells $requests 'what is asked, is told'
in_no_figure 'who asks the daemon'
is "$(tierlens tier list --json | jq -c '.tiers[] | select(.port == 19477) | [.name, .level]')" '["tierlensd","off"]' 'it knows its own tier'
pid=$daemon
for turn in 1 2; do
	load --to 9101 --connections 2 --ask home --requests 100000 --seconds 3 >/tmp/under.json &
	under=$!
	before=$(counted)
	# While the daemon asks it something it is in use.
	check "$turn: the module goes under the daemon" wait_until 20 rmmod tierlens
	check "$turn: which says so" wait_until 20 eval '[ "$(jq -s "map(select(.kind == \"note\" and (.text | contains(\"was unloaded\")))) | length" $log)" = '$turn' ]'
	is "$(up)" 0 "$turn: and to others, too"
	check "$turn: with what it has" test "$(counted)" -ge "$before"
	wait $under
	load_module
	check "$turn: it is there again, and measures" wait_until 100 eval '[ "$(up)" = 1 ]'
	settle
	before=$(counted)
	ask $requests
	tells $((before + requests)) "$turn: what is asked, is told"
	in_no_figure "$turn: who asked it all the while"
done
check 'it is still the same process' kill -0 $pid
check 'what is missing is a gap' said gap 'measuring was off'

# As many intervals are kept as it needs to come back.
before=$(counted)
kill -9 $daemon
wait $daemon 2>/dev/null
ask $requests
begin_daemon
settle
kill -TERM $daemon
wait $daemon || not_ok "it ends well: $(cat /tmp/d.err)"
is "$(tierlens replay --json --speed 0 /tmp/h.db 2>/dev/null | tee /out/h.jsonl | jq -s '[.[].tiers[] | select(.name | endswith(":9101")) | .cells[].count] | add')" \
	$((before + requests)) 'the history has all of them'
is "$(cat /tmp/d.err)" '' 'it had nothing to complain of'
stop_servers
unload_module
done_testing
