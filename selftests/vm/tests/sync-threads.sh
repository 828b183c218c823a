#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 brief=none timeout=300
#
# A recording of more threads than there is room for: what those do that find none is counted as lost. None of
# them ends before all have locked once.
. /job/lib.sh
. /job/recording.sh

threads=4600
load_module || exit 1
hold /dev/null lockloop --wait --threads $threads --rounds 1
tlmnl --pause 5 sync $((60000 * slow)) 16777216 0 "$program" pthread_mutex_lock:0 pthread_mutex_unlock:1 >/tmp/sync.json 2>/tmp/sync.err &
recorder=$!
wait_until 60 grep -q . /tmp/sync.err
let_go
wait "$program"
kill $recorder || not_ok 'its time was over before'
wait $recorder || not_ok "the recorder ends well: $(cat /tmp/sync.err)"
locks=$(jq -s 'map(select(.op == "lock" and .flags >= 2)) | length' /tmp/sync.json)
missing=$(jq -s '(map(select(.op == "end")) | .[0].seq) - length' /tmp/sync.json)
diag "$locks locks recorded, $missing events lost"
check 'some have no room' [ "$(jq -s 'map(select(.op == "lock") | .thread) | unique | length' /tmp/sync.json)" -lt $threads ]
check 'what they do is counted as lost' eval '[ $missing -gt 0 ] && [ $((locks + missing)) -ge $threads ]'
done_testing
