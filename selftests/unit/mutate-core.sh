#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Do the tests of the core notice? Applies one small mistake at a time to a copy of the core and
# runs the tests. By hand, takes a few minutes:
#
#   selftests/unit/mutate-core.sh [PATTERN]     only mutations whose name matches
#
# Exit status 1 if a mutation went unnoticed or no longer applies.
# shellcheck disable=SC2016  # nothing in the sed expressions is for the shell
set -euo pipefail

cd "$(dirname "$0")/../.."
core=${CORE:-kmod/core}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# NAME | FILE | sed expression
mutations=(
	'no shrinking of later slots|correlate.c|/for (i = 0; i < TL_REQUEST_CALLS; i++)$/{N;/min(/d}'
	'max for min over the slots|correlate.c|s/slots\[i\].own_ns = min(/slots[i].own_ns = max(/'
	'own time at the last send not shrunk|correlate.c|/own_at_send_ns = min(request->own_at_send_ns/d'
	'own time goes on from the last send|correlate.c|s/ended->own_ns = request->own_at_send_ns/ended->own_ns = request->own_ns/'
	'mark goes backwards|correlate.c|s/mark_ns = max(\(.*\), request->mark_ns)/mark_ns = \1/'
	'mark stays|correlate.c|/mark_ns = max(/d'
	'no clamp of differences|correlate.c|s/return now_ns > then_ns ? now_ns - then_ns : 0/return now_ns - then_ns/'
	'last send goes backwards|correlate.c|s/last_send_ns = max(now_ns, request->last_send_ns)/last_send_ns = now_ns/'
	'first send ends it|correlate.c|s/request->state = TL_REQUEST_ANSWERED;/if (request->state == TL_REQUEST_ANSWERED) return TL_ATTRIBUTED; &/'
	'own time without the open stretch|correlate.c|s/return request->own_ns + since(now_ns, request->mark_ns)/return request->own_ns/'
	'slot without own time before|correlate.c|s/slots\[i\].own_ns = own_now(request, now_ns)/slots[i].own_ns = request->own_ns/'
	'always the first slot|correlate.c|s/call->slot = i;/i = 0; call->slot = i;/'
	'slots stay from the last request|correlate.c|/memset(request->slots/d'
	'lost slot used nevertheless|correlate.c|s/if (slot->call != call)/if (0)/'
	'lost slot not counted|correlate.c|/LOSS_CALLS_FULL\]++/d'
	'own slot not found again|correlate.c|s/ || request->slots\[i\].call == call//'
	'kinds swapped|correlate.c|s/call->by = is_current(thread, owner) ? thread->by : TL_BY_OWNER/call->by = is_current(thread, owner) ? TL_BY_OWNER : thread->by/'
	'connector is always found by owner|correlate.c|s/call->by = is_current(thread, owner) ? thread->by :/call->by =/'
	'connector not asked|correlate.c|s/ || call->state == TL_CALL_CONNECTED)$/)/'
	'connector asked for every call|correlate.c|s/if (call->state == TL_CALL_SENDING || call->state == TL_CALL_CONNECTED)$/if (call->owner.request)/'
	'call under way changes owner|correlate.c|s/if (call->state == TL_CALL_SENDING || call->state == TL_CALL_CONNECTED)$/if (call->state == TL_CALL_CONNECTED)/'
	'connects for answered requests|correlate.c|0,/if (owner && owner->state != TL_REQUEST_OPEN)/s//if (0)/'
	'connector for nobody|correlate.c|s/call->state = owner ? TL_CALL_CONNECTED : TL_CALL_NONE/call->state = TL_CALL_CONNECTED/'
	'first call from its send|correlate.c|s/if (!owner || !connected)/if (1)/'
	'call of nobody from the connect|correlate.c|s/if (!owner || !connected)/if (!connected)/'
	'current by its place alone|correlate.c|s/thread->current_request.seq == request->seq/1/'
	'sequence number not compared|correlate.c|s/ref->request->seq == ref->seq/1/'
	'sequence number not counted|correlate.c|/request->seq++;/d'
	'ended requests live|correlate.c|s/ref->request->state != TL_REQUEST_NONE/1/'
	'answered parents|correlate.c|/An answered request is never a parent/{n;s/if (.*/if (0)/}'
	'reply leaves current|correlate.c|/thread->current_request = call->owner;/d'
	'reply leaves how it was found|correlate.c|/thread->by = TL_BY_OWNER;/d'
	'reply always by owner|correlate.c|s/if (!is_current(thread, owner)) {/if (1) {/'
	'request leaves how it was found|correlate.c|/thread->by = TL_BY_THREAD;/d'
	'request leaves current|correlate.c|/thread->current_request.seq = request->seq;/d'
	'greeting is a call|correlate.c|s/if (greeting)$/if (0)/'
	'greeting begins replying|correlate.c|s/if (!greeting) {/if (1) {/'
	'counted at every reply|correlate.c|s/^\tif (first) {/\tif (1) {/'
	'never marked as counted|correlate.c|/call->counted = 1;/d'
	'counted stays|correlate.c|/call->counted = 0;/d'
	'counted call is a stray too|correlate.c|s/ || call->counted || / || /'
	'outside call is a stray|correlate.c|s/ || call->outside)/)/'
	'unanswered call is a stray|correlate.c|s/if (call->state != TL_CALL_REPLYING || /if (/'
	'stray time from the reply|correlate.c|s/stray->time_ns = call->last_ns - call->start_ns/stray->time_ns = 0/'
	'stray kinds not cleared|correlate.c|/memset(stray, 0/d'
	'process does not serve|correlate.c|/thread->process->serves = 1;/d'
	'thread alone serves|correlate.c|s/ && !thread->process->serves//'
	'nobody is outside|correlate.c|s/call->outside = !thread->serves.*/call->outside = 0;/'
	'start of a call stays|correlate.c|/call->start_ns = now_ns;/d'
	'last byte of a call stays|correlate.c|/call->last_ns = now_ns;/d'
	'call does not grow|correlate.c|/call->last_ns += grown_ns;/d'
	'call time not summed|correlate.c|/sum->time_ns += grown_ns;/d'
	'one peer fewer|correlate.c|s/if (i == TL_REQUEST_PEERS) {/if (i == TL_REQUEST_PEERS - 1) {/'
	'fifth peer under the fourth|correlate.c|/request->sums\[i - 1\].peer = 0;/d'
	'fifth peer not counted|correlate.c|/LOSS_PEERS_FULL\]++/d'
	'peers of the last request|correlate.c|/request->sums_used = 0;/d'
	'sums not cleared|correlate.c|/memset(sum, 0, sizeof/d'
	'sums not copied|correlate.c|/memcpy(ended->sums/d'
	'unanswered not counted|correlate.c|/LOSS_UNANSWERED\]++/d'
	'unanswered ends like others|correlate.c|s/if (state != TL_REQUEST_ANSWERED)/if (state == TL_REQUEST_NONE)/'
	'push not counted|correlate.c|/LOSS_PUSH\]++/d'
	'push attributed|correlate.c|s/return TL_IGNORED;/return TL_ATTRIBUTED;/'
	'next bytes do not end|correlate.c|s/if (request->state == TL_REQUEST_ANSWERED)$/if (0)/'
	'every receive begins anew|correlate.c|s/if (request->state == TL_REQUEST_NONE)$/if (1)/'
	'bytes in and out swapped|correlate.c|s/ended->bytes_in = request->bytes_in/ended->bytes_in = request->bytes_out/'
	'class stays|correlate.c|/request->class = 0;/d'
	'no carry of squares|cell.c|s/hi + (cell->own_sq_lo < lo)/hi/'
	'carry one too often|cell.c|s/own_sq_lo < lo/own_sq_lo <= lo/'
	'square of 64 bits|cell.c|s/(unsigned __int128)ended->own_ns \* ended/(u64)ended->own_ns * ended/'
	'carried at the boundary|cell.c|s/open_ns < start_ns/open_ns <= start_ns/'
	'carried not merged|cell.c|/into->carried +=/d'
	'histograms swapped|cell.c|s/hist_own\[tl_hist_bucket(ended->own_ns)\]/hist_own[tl_hist_bucket(response_ns)]/'
	'histogram not merged|cell.c|/into->hist_own\[i\]/d'
	'edge kinds not merged|cell.c|s/into->by\[i\] += from->by\[i\]/into->by[i] = from->by[i]/'
	'edge time not added|cell.c|/edge->time_ns +=/d'
	'bucket one off|hist.c|s/return 1 + (octave/return (octave/'
	'sub-bucket from lower bits|hist.c|s/(exp - TL_HIST_SUB_BITS)) &/(exp - TL_HIST_SUB_BITS - 1)) \&/'
	'last bucket missed|hist.c|s/exp >= TL_HIST_LAST_EXP/exp > TL_HIST_LAST_EXP/'
	'first bucket too wide|hist.c|s/exp < TL_HIST_FIRST_EXP/exp <= TL_HIST_FIRST_EXP/'
	'lower bound of the next|hist.c|s/octave = (bucket - 1) >>/octave = bucket >>/'
)

# True if the tests fail; without warnings, lest the compiler should notice first.
noticed()
{
	! make -s -f selftests/unit/unit.mk check-core O="$dir/out" unit-core-dir="$dir/core" \
		unit-warnings= UNIT_CFLAGS='-O1 -fsanitize=undefined -fno-sanitize-recover=all' \
		>"$dir/log" 2>&1
}

total=0
unnoticed=0
stale=0

cp -r "$core" "$dir/core"
if noticed; then
	cat "$dir/log"
	echo "the tests fail without any mutation" >&2
	exit 1
fi
for mutation in "${mutations[@]}"; do
	name=${mutation%%|*}
	rest=${mutation#*|}
	file=${rest%%|*}
	[[ $name =~ ${1:-} ]] || continue
	total=$((total + 1))
	cp "$core/$file" "$dir/core/$file"
	sed -i "${rest#*|}" "$dir/core/$file"
	if cmp -s "$core/$file" "$dir/core/$file"; then
		stale=$((stale + 1))
		echo "does not apply: $name"
	elif noticed && ! grep -q ': error:' "$dir/log"; then
		echo "noticed: $name"
	elif grep -q ': error:' "$dir/log"; then
		stale=$((stale + 1))
		echo "does not compile: $name"
	else
		unnoticed=$((unnoticed + 1))
		echo "UNNOTICED: $name"
	fi
	cp "$core/$file" "$dir/core/$file"
done
echo "$((total - unnoticed - stale)) of $total noticed, $unnoticed unnoticed, $stale do not apply"
[[ $((unnoticed + stale)) -eq 0 ]]
