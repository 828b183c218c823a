#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 brief=none machine=virtual timeout=3000
#
# Paper 004, table 3: by how much the pages of a healthy shop (nginx, php-fpm, MariaDB) come later, and how
# much fewer in a second, while tierlensd looks after it, and while 80 functions of each tier's program are
# probed, for 10, 50 and 100 clients that never think: the processor is never idle, so what is spent is seen.
# Time is instructions here, on one processor, of the clients and the daemon, too. REPEATS: runs of each kind
# (3), one after the other, so that what changes with time is in all of them; REQUESTS: in each (400), the same; CLIENTS.
. /job/servers.sh

repeats=${REPEATS:-3} requests=${REQUESTS:-400} daemon=

pages()
{
	load --to 127.0.0.1:8080 --proto http --mix mix.txt --tail '</html>' --seconds 3000 --requests "$2" \
		--connections "$1" || not_ok 'load'
}

# What each begins with is asked by as many clients as what follows: more of them would be trouble.
measuring()
{
	load_module && tierlens enable --interval 1000 && pages "$1" 50 >/dev/null
}

no_probes_begin()
{
	pages "$1" 50 >/dev/null
}

no_probes_end()
{
	:
}

# Until it knows what is normal.
adaptive_begin()
{
	measuring "$1"
	tierlensd --log /tmp/d.jsonl 2>/tmp/d.err &
	daemon=$!
	pages "$1" 300 >/dev/null
}

adaptive_end()
{
	kill -TERM "$daemon"
	wait "$daemon" || not_ok "tierlensd ends well: $(cat /tmp/d.err)"
	jq -c 'select(.kind == "decision" and .from != .to) | [.why, .tier, .from, .to, .text]' /tmp/d.jsonl >/tmp/changes
	changes=$((changes + $(lines /tmp/changes)))
	diag "$(cat /tmp/changes)"
	rm /tmp/d.jsonl
	unload_module
}

all_at_method_begin()
{
	local tier

	measuring "$1"
	for tier in $(tierlens tier list --json | jq -r '.tiers[] | select(.connections > 0 or .port != 0) | .name'); do
		tierlens level "$tier" method --functions 80 --json >"/tmp/method-${tier//[^a-z0-9]/-}.json" 2>/tmp/method.err ||
			{ not_ok "$tier: at method"; diag "$(cat /tmp/method.err)"; }
	done
	# Those that are called too often are dropped meanwhile.
	pages "$1" 150 >/dev/null
}

all_at_method_end()
{
	diag "probed: $(tierlens level list --json | jq -c '[.functions | group_by(.tier)[] |
		{(.[0].tier): [map(select(.hot | not)) | length, length]}] | add')"
	tierlens level list --json >/out/method.json
	unload_module
}

# run_as KIND CLIENTS: a line in /tmp/KIND-CLIENTS, mean response and pages a second
run_as()
{
	"$1_begin" "$2"
	pages "$2" "$requests" >/tmp/load.json
	"$1_end"
	jq -r '"\(.mean_s) \(.rate) \(.p95_s)"' /tmp/load.json >>"/tmp/$1-$2"
	diag "$2 clients, ${1//_/ }: $(tail -n 1 "/tmp/$1-$2")"
}

# more KIND CLIENTS COLUMN: median of the ratios to the run without probes of the same turn, in percent
more()
{
	paste -d ' ' "/tmp/$1-$2" "/tmp/no_probes-$2" |
		awk -v c="$3" '{ printf "%.6f\n", 100 * ($c / $(c + 3) - 1) }' >/tmp/ratios
	middle /tmp/ratios
}

finish_first
cd /job/demo || exit 1
./start.sh >/tmp/start.log 2>&1 || { diag "$(tail -n 20 /tmp/start.log)"; exit 1; }
changes=0
paper=([10]='13.63 22.9' [50]='7.17 15.38' [100]='2.81 8.98')
for clients in ${CLIENTS:-10 50 100}; do
	for ((i = 0; i < repeats; i++)); do
		for kind in no_probes adaptive all_at_method; do
			run_as $kind "$clients"
		done
	done
	diag "$clients clients, mean response: adaptive $(more adaptive "$clients" 1) %, all at method $(
		more all_at_method "$clients" 1) % (paper: ${paper[clients]})"
	diag "$clients clients, pages a second: adaptive $(more adaptive "$clients" 2) %, all at method $(
		more all_at_method "$clients" 2) %"
	check "$clients clients: pages of a healthy shop come $(more adaptive "$clients" 1) % later (bound: 1 %)" \
		awk -v r="$(more adaptive "$clients" 1)" 'BEGIN { exit !(r <= 1) }'
done
is $changes 0 'no level was changed'
./stop.sh >/dev/null
done_testing
