#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 timeout=900
#
# How often is a call put down to the right request? tierlens selftest has the shapes, what
# is wanted of each, and the judgement; here it runs with as many requests as we like. Of few
# not a single one may be missing, for what is wanted of most. Pools whose results come back to
# one thread lose some in any run, tens at once when a thread is held up for long, so they need
# more; and they are run with one connection and with many, too. So do threads that wait for
# others, which lose what is done before they come to wait.
#
#   SHAPES="pool epoll" CONNECTIONS="1 8 64" REQUESTS=800 …
. /job/lib.sh

# judge JSON [again]: each trial by its verdict; with again, one of which too few are right is tried again.
judge()
{
	local trial verdict wrong_met shape connections

	# shellcheck disable=SC2034
	while IFS=$'\t' read -r shape connections verdict wrong_met trial; do
		case $verdict,$wrong_met,${2:-} in
		met,* | 'not yet,'*)	ok "$trial" ;;
		missed,true,again)	try_again "$shape" "$connections" "$trial" ;;
		*)			not_ok "$trial" ;;
		esac
	done < <(jq -r '.trials[] | "\(.shape)\t\(.connections)\t\(.verdict)\t\(.calls > 0 and .wrong <= .wanted_wrong * .calls)\t" +
		"\(.shape), \(.connections) connections: \(.verdict) " +
		"(right \(.right), wrong \(.wrong), of \(.calls); \(.by))\(.why // "")"' "$1")
}

# run NAME REQUESTS SHAPES CONNECTIONS [again], SHAPES and CONNECTIONS separated by commas
run()
{
	local json=/out/attribution-$1.json trial verdict status

	tierlens selftest --shapes "$3" --connections "$4" --requests $(($2 / slow)) --seconds 100 \
		--json >"$json" 2>/tmp/err
	status=$?
	[ ! -s /tmp/err ] || diag "$(cat /tmp/err)"
	if [ "${5:-}" = again ]; then
		is $status "$(jq 'if all(.trials[].verdict; . == "met" or . == "not yet") then 0 else 1 end' "$json")" \
			"$1: exit status is 1 if a trial is missed"
	else
		is $status 0 "$1: exit status"
	fi
	judge "$json" "${5:-}"
	is "$(jq '.trials | length' "$json")" $(($(wc -w <<<"${3//,/ }") * $(wc -w <<<"${4//,/ }"))) \
		"$1: a verdict on each"
	# shellcheck disable=SC2034
	while IFS=$'\t' read -r trial verdict; do
		is "$verdict" met "$1: $trial"
	done < <(jq -r '.kinds[] | "\(.kind): \(.wrong) of \(.calls) calls wrong, above \(.wrong_high95 * 1e5 | ceil / 1000) % " +
		"is ruled out\t\(.verdict)"' "$json")
	is "$(jq '[.kinds[].calls] | add' "$json")" "$(jq '[.trials[].calls] | add' "$json")" "$1: of a kind is every call"
	is "$(jq .events_rest "$json")" 0 "$1: events seen = attributed + unattributed + ignored"
	# Of 1 s, the quiet time ends nothing; all other losses are losses.
	diag "$(jq -c .losses "$json")"
}

# try_again SHAPE CONNECTIONS TRIAL: How many are right depends on this emulator, whose processors never run at once, and
# on what its host does beside; so a trial that is missed is tried twice again. What is wrong counts in each.
# attribution-many.sh asks for what is wanted, at once.
try_again()
{
	local json=/tmp/again.json try

	diag "$3"
	for try in 1 2; do
		tierlens selftest --shapes "$1" --connections "$2" --requests $((${REQUESTS:-1440} / slow)) --seconds 100 --json \
			>$json 2>/dev/null </dev/null
		is "$(jq .events_rest $json)" 0 "$1, $2 connections, again: events seen = attributed + unattributed + ignored"
		if [ $try = 2 ] || jq -e '.trials[0] | .verdict != "missed" or .wrong > .wanted_wrong * .calls' $json >/dev/null; then
			judge $json
			return
		fi
		diag "$(jq -c '.trials[0] | [.verdict, .right, .wrong, .calls]' $json)"
	done
}

comma()
{
	tr -s ' \n' ',' <<<"$*" | sed 's/^,//; s/,$//'
}

# shapes FILTER
shapes()
{
	tierlens selftest --list --json | jq -r ".shapes[] | select($1) | .shape"
}

load_module || exit 1
if [ -n "${SHAPES:-}${CONNECTIONS:-}" ]; then
	run many "${REQUESTS:-480}" "$(comma "${SHAPES:-$(shapes true)}")" "$(comma "${CONNECTIONS:-8}")"
else
	losing='(.not_yet or .shape == "executor")'
	run many "${REQUESTS:-240}" "$(comma "$(shapes "$losing | not")")" 8
	run one "${REQUESTS:-240}" "$(comma "$(shapes "$losing")")" 1
	run back "${REQUESTS:-1440}" "$(comma "$(shapes "$losing")")" 8 again
	run executor "${REQUESTS:-1440}" executor 64
	run back-many "${REQUESTS:-1440}" "$(comma "$(shapes .not_yet)")" 64 again
fi
unload_module
done_testing
