#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 machine=virtual timeout=300
#
# Pools whose results come back to one thread, with 8 and 64 requests at once: is what is wanted of them
# reached? On a processor whose clock counts instructions a thread is held up by other threads
# only, as it is where each processor is one. In the emulator's machines with two, one of these
# stands still for up to a tenth of a second while the other runs; there attribution.sh asks for
# less than is wanted.
. /job/lib.sh

load_module || exit 1
shapes=$(tierlens selftest --list --json | jq -r '[.shapes[] | select(.not_yet) | .shape] | join(",")')
tierlens selftest --shapes "$shapes" --connections 8,64 --requests 1440 --seconds 100 --json \
	>/out/attribution-many.json 2>/tmp/err
is $? 0 'exit status'
[ ! -s /tmp/err ] || diag "$(cat /tmp/err)"
while IFS=$'\t' read -r reached trial; do
	is "$reached" true "$trial"
done < <(jq -r '.trials[] | "\(.right >= .wanted_right * .calls and .wrong <= .wanted_wrong * .calls)\t\(.shape), \(.connections) connections: " +
	"right \(.right), wrong \(.wrong), of \(.calls)"' /out/attribution-many.json)
is "$(jq '[.trials[] | select(.calls >= 1440)] | length' /out/attribution-many.json)" \
	$((2 * $(tr ',' '\n' <<<"$shapes" | wc -l))) 'two trials of each shape, of all calls'
unload_module
done_testing
