#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 brief=none timeout=900
#
# What recording costs threads that do nothing but lock and unlock, by how many they are, beside the recorder
# that paper 002 begins with, which finds each thread's file under one lock. Printed, as it is the machine's; what
# must be right is that all that was done was recorded, or counted as lost. ROUNDS: for all threads (20000).
. /job/lib.sh
. /job/recording.sh

all=${ROUNDS:-20000}

# Nanoseconds a round, with nothing that records
plain()
{
	lockloop --threads "$1" --rounds $((all / $1))
}

preloaded()
{
	mkdir -p /tmp/preloaded
	RECORDER_DIR=/tmp/preloaded LD_PRELOAD=/job/bin/recorder-lock.so lockloop --threads "$1" --rounds $((all / $1))
	rm -r /tmp/preloaded
}

recorded()
{
	hold /tmp/loop lockloop --threads "$1" --rounds $((all / $1)) --wait
	begin_recording /tmp/loop.csv --pid "$program"
	let_go
	wait "$program"
	end_recording
	cat /tmp/loop
}

load_module || exit 1
diag 'threads  plain ns  recorded ns  an event  one lock ns  an event  one lock / recorded'
for threads in 1 5 10 20; do
	for _ in 1 2 3; do
		echo "$(plain $threads) $(recorded $threads) $(preloaded $threads)"
	done | sort -n -k2 | sed -n 2p >/tmp/median
	read -r p r l </tmp/median
	diag "$(awk -v n=$threads -v p="$p" -v r="$r" -v l="$l" \
		'BEGIN { printf "%7d %9.0f %12.0f %9.0f %12.0f %9.0f %20.2f", n, p, r, (r - p) / 2, l, (l - p) / 2, l / r }')"
	done_all=$((all / threads * threads * 2))
	is "$(jq "[.events + .lost, $done_all] | .[0] >= .[1] and .[0] <= .[1] + 100" /tmp/loop.rec)" true \
		"$threads threads: everything is recorded or counted ($(jq -c '[.events, .lost]' /tmp/loop.rec))"
done
done_testing
