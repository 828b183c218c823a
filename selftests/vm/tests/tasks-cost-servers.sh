#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 brief=none machine=virtual timeout=600
#
# By how much Apache's event MPM and MariaDB's pool of threads answer later while their sync points are
# recorded: system calls alone (15 % at most), and with the library's locks (printed: a server that locks much and
# does little pays more). And that a module which is there without recording costs nothing. Time is instructions
# here, on one processor, of the clients and the recorder, too. REPEATS: pairs of runs (5).
. /job/lib.sh
. /job/recording.sh

repeats=${REPEATS:-5}

# took COMMAND...: microseconds
took()
{
	local begin=${EPOCHREALTIME/./}

	"$@" >/dev/null || not_ok "$*"
	echo $((${EPOCHREALTIME/./} - begin))
}

# cost NAME OPTIONS COMMAND...: in percent, in $cost; OPTIONS of tasks record, in one word
cost()
{
	local name=$1 off on i options
	read -ra options <<<"$2"
	shift 2

	: >/tmp/ratios
	"$@"
	for ((i = 0; i < repeats; i++)); do
		off=$(took "$@")
		begin_recording /tmp/cost.csv "${options[@]}"
		on=$(took "$@")
		end_recording
		awk -v off="$off" -v on="$on" 'BEGIN { print on / off - 1 }' >>/tmp/ratios
		diag "$name: $off us, recorded $on us, $(jq -c '[.events, .lost]' /tmp/cost.rec)"
	done
	cost=$(middle /tmp/ratios | awk '{ printf "%.1f", 100 * $1 }')
	diag "$name: answers take $cost % longer"
}

# bounded NAME PERCENT: the last cost
bounded()
{
	check "$1: answers take $cost % longer (bound: $2 %)" awk -v r="$cost" -v bound="$2" 'BEGIN { exit !(r <= bound) }'
}

# Whether the module is there or not
idle()
{
	local without with i

	: >/tmp/ratios
	for ((i = 0; i < repeats; i++)); do
		without=$(lockloop --threads 2 --rounds 300000)
		load_module
		with=$(lockloop --threads 2 --rounds 300000)
		unload_module
		awk -v off="$without" -v on="$with" 'BEGIN { print on / off - 1 }' >>/tmp/ratios
	done
	check "locks cost $(middle /tmp/ratios | awk '{ printf "%.2f", 100 * $1 }') % more with the module that does not record" \
		awk -v r="$(middle /tmp/ratios)" 'BEGIN { exit !(r < 0.005 && r > -0.005) }'
}

idle
load_module || exit 1
start_event_apache || exit 1
cost 'apache, system calls' '--no-library --comm apache2' ask_apache 30
bounded apache 15
cost 'apache, and the library' '--comm apache2' ask_apache 30
kill "$(cat /tmp/apache/pid)"
start_pooled_mariadb 50 || exit 1
cost 'mariadb, system calls' '--no-library --comm mariadbd' ask_mariadb
bounded mariadb 15
cost 'mariadb, and the library' '--comm mariadbd' ask_mariadb
done_testing
