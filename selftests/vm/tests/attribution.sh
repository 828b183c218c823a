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

# run NAME REQUESTS SHAPES CONNECTIONS, the last two separated by commas
run()
{
	local json=/out/attribution-$1.json trial verdict

	tierlens selftest --shapes "$3" --connections "$4" --requests $(($2 / slow)) --seconds 100 \
		--json >"$json" 2>/tmp/err
	is $? 0 "$1: exit status"
	[ ! -s /tmp/err ] || diag "$(cat /tmp/err)"
	# shellcheck disable=SC2034
	while IFS=$'\t' read -r trial verdict; do
		case $verdict in
		met* | 'not yet'*)	ok "$trial: $verdict" ;;
		*)			not_ok "$trial: $verdict" ;;
		esac
	done < <(jq -r '.trials[] | "\(.shape), \(.connections) connections\t\(.verdict)" +
		" (right \(.right), wrong \(.wrong), of \(.calls); \(.by))\(.why // "")"' "$json")
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

# wrong_only REQUESTS SHAPES: with 64 connections. How many are right depends on this emulator, whose processors never run
# at once, and on what its host does beside; attribution-many.sh asks for what is wanted of them.
wrong_only()
{
	local json=/out/attribution-wrong.json trial good

	tierlens selftest --shapes "$2" --connections 64 --requests $(($1 / slow)) --seconds 100 --json >"$json" 2>/dev/null
	while IFS=$'\t' read -r trial good; do
		is "$good" true "$trial"
	done < <(jq -r '.trials[] | "\(.shape), 64 connections: wrong \(.wrong), right \(.right), of \(.calls)" +
		"\t\(.calls > 0 and .wrong <= .wanted_wrong * .calls)"' "$json")
	is "$(jq '.trials | length' "$json")" "$(wc -w <<<"${2//,/ }")" 'each was tried with 64'
	is "$(jq .events_rest "$json")" 0 'with 64, too: events seen = attributed + unattributed + ignored'
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
	run back "${REQUESTS:-1440}" "$(comma "$(shapes "$losing")")" 8
	run executor "${REQUESTS:-1440}" executor 64
	wrong_only "${REQUESTS:-1440}" "$(comma "$(shapes .not_yet)")"
fi
unload_module
done_testing
