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

# losing REQUESTS SHAPE CONNECTIONS: How many are right depends on this emulator, whose processors never run at once, and
# on what its host does beside; so a trial that is missed is tried again, twice at most. What is wrong counts in each.
# attribution-many.sh asks for what is wanted, at once.
losing()
{
	local json=/out/attribution-$2-$3.json name="$2, $3 connections" try verdict

	for try in 1 2 3; do
		tierlens selftest --shapes "$2" --connections "$3" --requests $(($1 / slow)) --seconds 100 --json >"$json" 2>/dev/null
		is "$(jq '.trials[0] | .calls > 0 and .wrong <= .wanted_wrong * .calls' "$json")" true "$name: next to nothing is wrong"
		is "$(jq .events_rest "$json")" 0 "$name: events seen = attributed + unattributed + ignored"
		verdict=$(jq -r '.trials[0] | "\(.verdict) (right \(.right), wrong \(.wrong), of \(.calls))"' "$json")
		diag "$name, trial $try: $verdict"
		case $verdict in met* | 'not yet'*) break ;; esac
	done
	case $verdict in
	met* | 'not yet'*)	ok "$name: $verdict" ;;
	*)			not_ok "$name: $verdict" ;;
	esac
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
	some='(.not_yet or .shape == "executor")'
	run many "${REQUESTS:-240}" "$(comma "$(shapes "$some | not")")" 8
	run one "${REQUESTS:-240}" "$(comma "$(shapes "$some")")" 1
	for shape in $(shapes "$some"); do
		losing "${REQUESTS:-1440}" "$shape" 8
	done
	run executor "${REQUESTS:-1440}" executor 64
	for shape in $(shapes .not_yet); do
		losing "${REQUESTS:-1440}" "$shape" 64
	done
fi
unload_module
done_testing
