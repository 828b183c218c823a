#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1,5.10,6.1-arm64 machine=virtual timeout=300
#
# What the module says that its hooks cost, with the ways to them and back, against what they do cost: by how
# much a load on two tiers takes longer while it is measured. Time is instructions here, on one processor.
. /job/lib.sh
. /job/chain.sh

requests=$((2000 / slow)) repeats=${REPEATS:-5}

# took: microseconds
took()
{
	local begin=${EPOCHREALTIME/./}

	load --to 9101 --connections 4 --ask home --seconds 100 --requests $requests >/tmp/load.json || not_ok 'load'
	echo $((${EPOCHREALTIME/./} - begin))
}

load_module || exit 1
serve back 9102
serve front 9101 --next 9102 --calls 1
took >/dev/null
for ((i = 0; i < repeats; i++)); do
	off=$(took)
	# All in one interval, which nobody reads before it is over.
	tierlens enable --interval 10000 >/dev/null
	on=$(took)
	sleep 11
	tierlens show --json >/tmp/shown.json
	tierlens disable >/dev/null
	diag "$off us, measured $on us; $(jq -c .cost /tmp/shown.json)"
	echo $((1000 * (on - off))) >>/tmp/measured
	jq '.cost.hook_ns + .cost.hook_way_ns' /tmp/shown.json >>/tmp/told
	jq .cost.hook_way_ns /tmp/shown.json >>/tmp/way
done
check 'there is a way' awk '$1 <= 0 { bad = 1 } END { exit bad }' /tmp/way
within "$(middle /tmp/told)" "$(middle /tmp/measured)" 'what hooks are said to cost, against what they do' 10
stop_servers
unload_module
done_testing
