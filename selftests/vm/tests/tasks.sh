#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 brief=6.1,newest timeout=240
#
# What tasks infer finds in programs that are recorded while they run, against what they say themselves:
# jobs that a pool of threads takes from a queue with a mutex and a condition, that a reactor is told of by
# an eventfd, and that go through three stages; of two types. JOBS: how many (150).
. /job/lib.sh
. /job/recording.sh

# judged KEY: of the last shape
judged()
{
	jq -r ".$1" "/tmp/$shape/judged.json"
}

# at_least KEY LEAST
at_least()
{
	check "$shape: $1 is $(judged "$1"), at least $2" jq -e ".$1 >= $2" "/tmp/$shape/judged.json"
}

record()
{
	mkdir "/tmp/$shape"
	hold "/tmp/$shape/log" jobber --wait --jobs "${JOBS:-150}" --pause-us 6000 "$shape"
	begin_recording "/tmp/$shape/table.csv" --pid "$program"
	let_go
	wait "$program"
	end_recording
}

load_module || exit 1
for shape in pool reactor pipeline; do
	record
	is "$(recorded_lost)" 0 "$shape: nothing is lost"
	tierlens tasks infer "/tmp/$shape/table.csv" --json >"/tmp/$shape/found.json"
	check "$shape: the program says what it did" \
		python3 /job/jobber-truth.py "/tmp/$shape/table.csv" "/tmp/$shape/log" "/tmp/$shape"
	python3 /job/sync-points.py judge "/tmp/$shape" "/tmp/$shape/found.json" >"/tmp/$shape/judged.json"
	is "$(judged leaves_exact)" true "$shape: leaf tasks are exact"
	at_least precision 0.99
	at_least recall 0.99
	at_least rand 0.95
	is "$(judged types)" 2 "$shape: two types of jobs"
	is "$(judged types_right)" 1 "$shape: each job is of its type"
done
# The names are those of the program's functions, outermost first.
is "$(cut -d, -f6 /tmp/pool/table.csv | grep -c 'worker;serve;.*;write_log$' | jq '. > 100')" true 'stacks have names'
is "$(jq .stacks_cut /tmp/pool/table.rec | jq '. < 20')" true 'nearly all reach to where their threads began'
done_testing
