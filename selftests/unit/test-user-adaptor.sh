#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What top shows of tierlensd. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"
own_daemon
state=$dir/run/now.json

# terminal COLUMNS ROWS COMMAND...: on a terminal of that size, without what moves the cursor
terminal()
{
	local columns=$1 rows=$2

	shift 2
	timeout 60 script -qec "stty cols $columns rows $rows; ${*@Q}" /dev/null </dev/null 2>"$dir/err" |
		sed 's/\x1b\[[?0-9]*[a-zA-Z]//g; s/\r//' >"$dir/out"
	status=${PIPESTATUS[0]}
}

without()
{
	export TIERLENS_FAKE=ok,hints
	run "$fake" top -n 1 --state "$dir/none"
	[[ $status == 0 && ! -s $dir/err ]] && ! grep -q 'tierlensd\|^tier  *level' "$dir/out"
	result $? "top without a daemon: as ever"
	run "$fake" top -n 2 --json --state "$dir/none"
	good "and null for programs" 'all(.[]; has("adaptor") and .adaptor == null)'
	run "$fake" show --json
	good "show knows nothing of it" '.[0] | has("adaptor") | not'
	unset TIERLENS_FAKE
}

with()
{
	TIERLENS_FAKE=fault,hints "$daemon" --budget 5% --log "$dir/log.jsonl" --state "$state" 2>"$dir/daemon.err" &
	servers+=($!)
	for _ in {1..400}; do
		jq -e '.levels | length == 1' "$state" >/dev/null 2>&1 && break
		sleep 0.05
	done
	cp "$state" "$dir/old.json"
	export TIERLENS_FAKE=ok,hints
	run "$fake" top -n 1 --state "$state"
	[[ $status == 0 ]] && grep -q '^tier  *level  *class' "$dir/out" &&
		grep -q '^tierlensd: probes cost 0\.[0-9][0-9] % of the processors, the budget is 5.00 %; holds app:9000 at method since [0-9:]\{8\}$' "$dir/out" &&
		grep -q '^[0-9:]\{8\}  app:9000  server to method  requests time out: own times of other at app:9000 are' "$dir/out"
	result $? "top: what it does and why, and the column of levels"
	run "$fake" top -n 2 --state "$state" --json
	good "top --json" 'all(.[]; .adaptor | .pid == '"${servers[-1]}"' and .budget == 0.05 and .levels[0].level == "method" and
		.rows[0].kind == "decision" and .rows[0].evidence.of == "own" and .rows[0].to == "method")'
	terminal 80 24 "$fake" top -n 1 --state "$state"
	[[ $status == 0 ]] && grep -q '^          app:9000 at method since [0-9:]\{8\}$' "$dir/out" &&
		grep -q '^losses: ' "$dir/out" && ! grep -q '.\{81\}' "$dir/out"
	result $? "in 80 columns sentences go on in the next line"
	kill -KILL "${servers[-1]}"
	wait "${servers[-1]}" 2>/dev/null
	servers=()
	run "$fake" top -n 1 --state "$state"
	[[ $status == 0 && -e $state ]] && ! grep -q 'tierlensd' "$dir/out"
	result $? "one that was killed has left its state behind, which fools nobody"
	jq -c ".pid = $$" "$state" >"$dir/reused.json"
	run "$fake" top -n 1 --state "$dir/reused.json"
	[[ $status == 0 ]] && ! grep -q 'tierlensd' "$dir/out"
	result $? "nor when another process has its number"
	unset TIERLENS_FAKE
}

# ours FILTER: a state file of this very process, changed by FILTER, to $dir/ours.json
ours()
{
	jq -c --argjson pid $$ --argjson started "$(sed 's/.*) //' /proc/$$/stat | cut -d' ' -f20)" \
		'.pid = $pid | .started = $started | '"$1" "$dir/old.json" >"$dir/ours.json"
}

foreign()
{
	export TIERLENS_FAKE=ok,hints
	ours '.rows = [range(20) as $i | .rows[0] | .t += $i | .text = "row \($i)"]'
	terminal 120 40 "$fake" top -n 1 --state "$dir/ours.json"
	[[ $(grep -c ' row ' "$dir/out") == 20 && $(grep ' row ' "$dir/out" | head -n 1) == *"row 19" ]]
	result $? "as many rows as there is room for, the newest first"
	terminal 120 12 "$fake" top -n 1 --state "$dir/ours.json"
	[[ $(grep -c ' row ' "$dir/out") == 3 ]] && grep -q '^\.\.\. 3 more rows need a higher terminal$' "$dir/out" &&
		[[ $(sed -n '/events\/s/,$p' "$dir/out" | wc -l) -le 11 ]]
	result $? "three at least, for which the table is cut"
	ours '.rows[0].text = "\u001b[2J\u009b31mred\u0007" | .rows[0].tier = "\u001b]0;x\u0007app" | .levels[0].tier = "\u001b[31mx"'
	run "$fake" top -n 1 --state "$dir/ours.json"
	[[ $status == 0 ]] && grep -q 'red?$' "$dir/out" && ! grep -qP '[\x00-\x09\x0b-\x1f]|\xc2\x9b' "$dir/out"
	result $? "no control character of it reaches a terminal"
	ours '.rows[0].to = "everything"'
	run "$fake" top -n 1 --state "$dir/ours.json"
	[[ $status == 0 ]] && grep -q "^tierlensd: $dir/ours.json: is no state of tierlensd (a row is none): give" "$dir/out"
	result $? "what is no state is told"
	run "$fake" top -n 1 --state /dev/zero
	[[ $status == 0 ]] && grep -q '^tierlensd: /dev/zero: is no state of tierlensd (not a file)' "$dir/out"
	result $? "nor is a device"
	truncate -s 10G "$dir/huge.json"
	run "$fake" top -n 1 --state "$dir/huge.json" --json
	good "nor one of 10 GB" '.[0].adaptor == null'
	unset TIERLENS_FAKE
}

without
with
foreign
finish
