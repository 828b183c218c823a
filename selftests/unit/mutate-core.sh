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
	'no shrinking of later slots|request.c|/for (i = 0; i < TL_REQUEST_CALLS; i++)$/{N;/min(/d}'
	'max for min over the slots|request.c|s/slots\[i\].own_ns = min(/slots[i].own_ns = max(/'
	'own time at the last send not shrunk|request.c|/own_at_send_ns = min(request->own_at_send_ns, own_ns)/d'
	'own time at the send not shrunk by an errand|request.c|s/request->own_at_send_ns = min(request->own_at_send_ns,$/request->own_at_send_ns = max(request->own_at_send_ns,/'
	'own time goes on from the last send|request.c|s/ended->own_ns = request->own_at_send_ns/ended->own_ns = request->own_ns/'
	'mark goes backwards|request.c|s/mark_ns = max(\(.*\), request->mark_ns)/mark_ns = \1/'
	'mark stays|request.c|/mark_ns = max(/d'
	'no clamp of differences|request.h|s/return now_ns > then_ns ? now_ns - then_ns : 0/return now_ns - then_ns/'
	'last send goes backwards|request.c|s/last_send_ns = max(now_ns, request->last_send_ns)/last_send_ns = now_ns/'
	'first send ends it|request.c|s/\trequest->state = TL_REQUEST_ANSWERED;/\tif (request->state == TL_REQUEST_ANSWERED) return; &/'
	'own time without the open stretch|request.c|s/return request->own_ns + tl_since(ns, request->mark_ns)/return request->own_ns/'
	'slot without own time before|request.c|s/slot_take(request, call)->own_ns = own_at(request, now_ns)/slot_take(request, call)->own_ns = request->own_ns/'
	'always the first slot|request.c|s/^\tslot->call = call;/\tslot = request->slots; &/'
	'slots stay from the last request|request.c|/memset(request->slots/d'
	'lost slot used nevertheless|request.c|s/^\tif (!slot) {/\tif (!slot) { slot = request->slots; } if (0) {/'
	'lost slot not counted|request.c|/LOSS_CALLS_FULL\]++/d'
	'own slot not found again|request.c|s/struct tl_request_slot \*slot = slot_of(request, call);$/struct tl_request_slot *slot = NULL;/'
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
	'sequence number not compared|request.c|s/ref->request->seq == ref->seq/1/'
	'sequence number not counted|request.c|/request->seq++;/d'
	'ended requests live|request.c|s/(ref->request->state == TL_REQUEST_OPEN ||/(ref->request->state != TL_REQUEST_ADOPTED ||/'
	'answered parents|correlate.c|/An answered request is never a parent/{n;s/if (.*/if (0)/}'
	'reply leaves current|correlate.c|/thread->current_request = call->owner;/d'
	'reply leaves how it was found|correlate.c|/thread->by = TL_BY_OWNER;/d'
	'reply always by owner|correlate.c|s/if (!owner || !is_current(thread, owner)) {/if (1) {/'
	'request leaves how it was found|correlate.c|/thread->by = TL_BY_THREAD;/d'
	'request leaves current|correlate.c|/thread->current_request.seq = request->seq;/d'
	'greeting is a call|correlate.c|s/if (greeting)$/if (0)/'
	'greeting begins replying|correlate.c|s/if (!greeting) {/if (1) {/'
	'counted at every reply|correlate.c|s/+= !call->counted;/+= 1;/'
	'never marked as counted|correlate.c|/call->counted = 1;/d'
	'counted stays|correlate.c|/call->counted = 0;/d'
	'counted call is a stray too|correlate.c|s/ || call->counted || / || /'
	'outside call is a stray|correlate.c|s/ || call->outside)/)/'
	'unanswered call is a stray|correlate.c|s/if (call->state != TL_CALL_REPLYING || /if (/'
	'stray time from the reply|correlate.c|s/stray->time_ns = call->last_ns - call->start_ns/stray->time_ns = 0/'
	'stray kinds not cleared|correlate.c|/memset(stray, 0/d'
	'process does not serve|correlate.c|/thread->process->serves = 1;/d'
	'thread alone serves|correlate.c|s/return thread->serves || thread->process->serves/return thread->serves/'
	'nobody is outside|correlate.c|s/call->outside = !tl_correlate_serves(thread)/call->outside = 0/'
	'start of a call stays|correlate.c|/call->start_ns = now_ns;/d'
	'last byte of a call stays|correlate.c|/call->last_ns = now_ns;/d'
	'call does not grow|correlate.c|/call->last_ns += grown_ns;/d'
	'call time not summed|correlate.c|/sum->time_ns += grown_ns;/d'
	'one peer fewer|request.c|s/if (i == TL_REQUEST_PEERS) {/if (i == TL_REQUEST_PEERS - 1) {/'
	'fifth peer under the fourth|request.c|/request->sums\[i - 1\].peer = 0;/d'
	'fifth peer not counted|request.c|/LOSS_PEERS_FULL\]++/d'
	'peers of the last request|request.c|/request->sums_used = 0;/d'
	'sums not cleared|request.c|/memset(sum, 0, sizeof/d'
	'sums not copied|request.c|/memcpy(ended->sums/d'
	'unanswered not counted|request.c|/LOSS_UNANSWERED\]++/d'
	'unanswered ends like others|request.c|s/if (state != TL_REQUEST_ANSWERED)/if (state == TL_REQUEST_NONE)/'
	'push not counted|correlate.c|/LOSS_PUSH\]++/d'
	'push attributed|correlate.c|0,/return TL_IGNORED;/s//return TL_ATTRIBUTED;/'
	'next bytes do not end|correlate.c|s/if (request->state == TL_REQUEST_ANSWERED)$/if (0)/'
	'every receive begins anew|correlate.c|s/if (request->state == TL_REQUEST_NONE)$/if (1)/'
	'bytes in and out swapped|request.c|s/ended->bytes_in = request->bytes_in/ended->bytes_in = request->bytes_out/'
	'class stays|request.c|/request->class = 0;/d'
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
	'reply for nobody leaves current|correlate.c|s/if (!owner || !is_current(thread, owner)) {/if (owner \&\& !is_current(thread, owner)) {/'
	'adopted ones live|request.c|s/ref->request->state == TL_REQUEST_ANSWERED);/ref->request->state >= TL_REQUEST_ANSWERED);/'
	'reply in a slot stays|request.c|s/^\tslot->replied_ns = 0;//'
	'replies not noted|request.c|s/^\tslot->replied_ns = last_ns;//'
	'last slot to reply goes|request.c|s/replied_ns < oldest_ns/replied_ns >= oldest_ns % U64_MAX/'
	'free slots not taken|request.c|/if (!slot)$/{N;/slot_of(request, NULL)/d}'
	'always the same one evicted|request.c|s/request->slot_next++ % TL/0 % TL/'
	'own time beyond the response|request.c|s/own_at_send_ns = min(own_at(request, request->last_send_ns),/own_at_send_ns = max(own_at(request, request->last_send_ns),/'
	'errand is none|request.c|/^\terrand->errand = 1;/d'
	'errand stays|request.c|/^\trequest->errand = 0;/d'
	'deferred stay|request.c|/^\trequest->deferred = 0;/d'
	'queued stays|request.c|/^\trequest->queued = 0;/d'
	'ambiguous stays|request.c|/^\trequest->ambiguous = 0;/d'
	'ambiguous not counted|request.c|/LOSS_AMBIGUOUS\] +=/d'
	'node stays|request.c|/^\trequest->node = 0;/d'
	'parent stays|request.c|/^\trequest->parent = 0;/d'
	'usage stays|request.c|/memset(&request->used/d'
	'match stays|request.c|/memset(&request->match/d'
	'bytes in stay|request.c|/^\trequest->bytes_in = 0;/d'
	'bytes out stay|request.c|/^\trequest->bytes_out = 0;/d'
	'node not told|request.c|/ended->node = request->node/d'
	'parent not told|request.c|/ended->parent = request->parent/d'
	'queue not told|request.c|/ended->queue_ns = request->queue_ns/d'
	'usage not told|request.c|/ended->used = request->used/d'
	'CPU not added|request.c|/into->cpu_ns += from->cpu_ns/d'
	'waiting to run not added|request.c|/into->run_wait_ns +=/d'
	'read and written swapped|request.c|s/into->storage_read += from->storage_read/into->storage_read += from->storage_write/'
	'adopted by kind|request.c|s/into->by\[by\] += from->by\[i\]/into->by[i] += from->by[i]/'
	'adopted not joined|request.c|/^\tinto->joined += from/d'
	'adopted without time|request.c|/^\tinto->time_ns += from/d'
	'adopted without transit|request.c|/^\tinto->transit_ns += from/d'
	'adopted without bytes out|request.c|/^\tinto->bytes_out += from/d'
	'adopted without bytes in|request.c|/^\tinto->bytes_in += from/d'
	'adopted without usage|request.c|/tl_used_add(&request->used, &errand->used)/d'
	'adopted by the ended|request.c|s/if ((request->state != TL_REQUEST_OPEN && request->state != TL_REQUEST_ANSWERED) ||/if (/'
	'not adopted by the answered|request.c|s/if ((request->state != TL_REQUEST_OPEN && request->state != TL_REQUEST_ANSWERED) ||/if (request->state != TL_REQUEST_OPEN ||/'
	'adopted by the younger|request.c|s/^\t    errand->open_ns < request->open_ns)/\t    0)/'
	'adopted with what came after the answer|request.c|s/ && errand->mark_ns > request->last_send_ns)/ \&\& 0)/'
	'nothing adopted by the answered|request.c|s/ && errand->mark_ns > request->last_send_ns)/)/'
	'not adopted by one as old|request.c|s/errand->open_ns < request->open_ns)/errand->open_ns <= request->open_ns)/'
	'adopted ones stay open|request.c|/errand->state = TL_REQUEST_ADOPTED/d'
	'adopter by its place alone|request.c|/errand->adopter.seq =/d'
	'adopted without calls|request.c|/lost |= adopt_slots(/d'
	'adopted without own time|request.c|s/^\tif (apart) {/\tif (0) {/'
	'own time of an errand alone|request.c|s/request->own_ns = base_ns + errand->own_ns/request->own_ns = errand->own_ns/'
	'mark of an errand stays|request.c|/request->mark_ns = errand->mark_ns/d'
	'overlap adopted|request.c|s/if (!apart && errand->mark_ns > errand->open_ns) {/if (0) {/'
	'overlap not counted|request.c|s/^\t\treturn true;/\t\treturn false;/'
	'never apart|request.c|s/bool apart = .*/bool apart = false;/'
	'always apart|request.c|s/bool apart = .*/bool apart = true;/'
	'earlier calls not forgotten|request.c|/^\t\tforget_slots(request/d'
	'later calls not rebased|request.c|s/lost = apart && rebase_slots(request, errand, base_ns)/lost = false/'
	'all calls rebased|request.c|s/ || slot->own_ns <= base_ns)/)/'
	'within not counted|request.c|s/lost |= start_ns < errand->mark_ns || /lost |= 0 || /'
	'same connection not counted|request.c|s/ || slot_of(errand, slot->call);/;/'
	'rebased without the errand|request.c|s/base_ns + own_at(errand, start_ns)/base_ns/'
	'slot of an errand not rebased|request.c|s/u64 own_ns = base_ns + from->own_ns/u64 own_ns = from->own_ns/'
	'beside not counted|request.c|s/lost |= start_ns < request->mark_ns || slot;/(void)0;/'
	'beside not put in place|request.c|/own_ns = own_at(request, start_ns);/d'
	'the earlier of two calls|request.c|s/own_ns = max(own_ns, slot->own_ns);/(void)0;/'
	'reply of an errand not noted|request.c|s/^\t\tslot->replied_ns = from->replied_ns;//'
	'errand multiplexes|correlate.c|s/ && !before->request->errand)/)/'
	'same request multiplexes|correlate.c|s/before->request != request && //'
	'ended one multiplexes|correlate.c|s/ && tl_request_alive(before) &&$/ \&\& before->request \&\&/'
	'answered one multiplexes|correlate.c|s/before->request->state == TL_REQUEST_OPEN/1/'
	'nobody multiplexes|correlate.c|/thread->multiplexes = 1;/d'
	'deferred not counted|correlate.c|/owner->deferred++;/d'
	'errands attributed|correlate.c|s/if (!owner->errand)$/if (1)/'
	'errand found by owner|correlate.c|/^\tif (owner->errand)$/{N;d}'
	'more bytes of a call lost|correlate.c|s/call->bytes_out += bytes;/(void)0;/'
	'first bytes of a call lost|correlate.c|s/^\tcall->bytes_out = bytes;//'
	'bytes out counted twice|correlate.c|s/^\tcall->bytes_out = 0;$//'
	'bytes in of a call lost|correlate.c|/sum->bytes_in += bytes;/d'
	'bytes out of a call lost|correlate.c|/sum->bytes_out += call->bytes_out;/d'
	'stray without bytes out|correlate.c|/stray->bytes_out =/d'
	'stray without bytes in|correlate.c|/stray->bytes_in =/d'
	'stray bytes in not counted|correlate.c|/call->bytes_in += bytes;/d'
	'stray bytes stay|correlate.c|s/^\tcall->bytes_in = 0;//'
	'dispatch leaves current|correlate.c|/current_request.request = NULL;/d'
	'idle not given up|correlate.c|/^\tcall->owner.request = NULL;/d'
	'idle while it waits|correlate.c|s/if (call->state == TL_CALL_SENDING || tl_since(now/if (tl_since(now/'
	'idle at once|correlate.c|s/ || tl_since(now_ns, call->last_ns) < idle_ns)/)/'
	'idle, and still connected|correlate.c|s/^\t\tcall->state = TL_CALL_NONE;/\t\t;/'
	'idle for a request|correlate.c|s/ || !owner->request->errand || / || /'
	'idle by its place alone|correlate.c|s/ || owner->request->seq != owner->seq)/)/'
	'transit below zero|correlate.c|s/-= min(sum->transit_ns, call->transit_ns)/-= call->transit_ns/'
	'transit at every reply|correlate.c|/^\tsum->transit_ns -= /d'
	'joined at every reply|correlate.c|s/sum->joined += !call->joined/sum->joined += 1/'
	'joined stays|correlate.c|/call->joined = 0;/d'
	'transit of the last call|correlate.c|/call->transit_ns = 0;/d'
	'transit forgotten|correlate.c|/call->transit_ns = transit_ns;/d'
	'calls not numbered|link.c|/link->call++;/d'
	'place of the class before|request.h|/^\t\trequest->node = 0;/d'
	'class told in vain|request.h|/^\trequest->class = class;/d'
	'class not told|link.c|s/link->class = owner ? owner->class : 0;/link->class = 0;/'
	'class of the call before|link.c|s/link->class = owner ? owner->class : 0;/if (owner) link->class = owner->class;/'
	'node of the call before|link.c|s/link->node = owner ? owner->node : 0;/if (owner) link->node = owner->node;/'
	'called when first called|link.c|s/link->called_ns = now_ns;/if (!link->called_ns) link->called_ns = now_ns;/'
	'one call serves two|link.c|s/if (link->served == link->call)/if (0)/'
	'served twice not noted|link.c|/request->ambiguous = 1;/d'
	'promise stays|link.c|/link->interim = false;/d'
	'promise not told|link.c|/link->interim = true;/d'
	'promise for the next call|link.c|s/return link->served == link->call \&\& link->interim/return link->interim/'
	'promise after the answer|link.c|s/link->interim \&\& !link->last_ns/link->interim/'
	'interim answers|correlate.c|s/^\tif (interim)/\tif (0)/'
	'interim bytes lost|correlate.c|s/^\t\trequest->bytes_out += bytes;/\t\t;/'
	'interim ends the call|correlate.c|s/!(interim || tl_link_interim(link))/1/'
	'bytes of the caller ignored|correlate.c|s/!(interim || tl_link_interim(link))/!tl_link_interim(link)/'
	'word of the callee ignored|correlate.c|s/!(interim || tl_link_interim(link))/!interim/'
	'final answer taken back|correlate.c|s/if (call->state == TL_CALL_REPLYING || !(interim/if (!(interim/;s/^\t\t\tcall->state = TL_CALL_REPLYING;/&\n\t\telse\n\t\t\tcall->state = TL_CALL_SENDING;/'
	'switching is interim|interim.c|s/ || (bytes\[10\].*)$/)/'
	'any status of one digit|interim.c|s/ || !is_digit(bytes\[10\]) ||$/ ||/'
	'final answer overlooked|interim.c|s/return i == total;/return true;/'
	'end overlooked|interim.c|s/i <= n; i++)/i < n; i++)/'
	'too few bytes|interim.c|s/if (n < STATUS || /if (/'
	'served not noted|link.c|/link->served = link->call;/d'
	'open not noted|link.c|/link->open_ns = request->open_ns;/d'
	'last of the call before|link.c|/link->last_ns = 0;/d'
	'class not taken|link.c|/request->class = link->class;/d'
	'parent not taken|link.c|/request->parent = link->node;/d'
	'queue not known|link.c|/request->queued = 1;/d'
	'queue from the open|link.c|s/tl_since(request->open_ns, link->called_ns)/0/'
	'answer of another|link.c|s/if (link->open_ns == request->open_ns)/if (1)/'
	'transit of another call|link.c|s/link->served != link->call || //'
	'transit unanswered|link.c|s/ || !link->last_ns)/)/'
	'transit one way|link.c|s/ + tl_since(call->last_ns, link->last_ns)//'
	'transit the other way|link.c|s/tl_since(link->open_ns, call->start_ns) + //'
	'all rules eligible|classify.c|s/match->open = eligible;/match->open = ~0ULL;/'
	'found stays|classify.c|/match->found = 0;/d'
	'position stays|classify.c|/match->pos = 0;/d'
	'serial not noted|classify.c|/match->serial =/d'
	'position does not move|classify.c|/match->pos += n;/d'
	'first match wins|classify.c|s/if (better(rules, i, match->found))/if (!match->found)/'
	'last match wins|classify.c|s/if (better(rules, i, match->found))/if (1)/'
	'shortest wins|classify.c|s/return rules->rule\[rule\].len > old->len/return rules->rule[rule].len < old->len/'
	'for all before the tier|classify.c|s/for_tier > old->for_tier/for_tier < old->for_tier/'
	'tier not asked|classify.c|s/return rules->rule\[rule\].for_tier > old->for_tier/return false/'
	'always from the beginning|classify.c|s/rule->prefix + match->pos/rule->prefix/'
	'more bytes than any rule|classify.c|s/n = min(n, (unsigned int)(TL_CLASS_PREFIX - match->pos));//'
	'failed rule stays open|classify.c|0,/match->open &= ~(1ULL << i);/s///'
	'unfinished rule found|classify.c|s/} else if (match->pos + part == rule->len) {/} else {/'
	'queue of nobody|cell.c|s/ended->queued ? ended->queue_ns : 0/ended->queue_ns/'
	'queue not counted|cell.c|/cell->queue_count += ended/d'
	'queue not merged|cell.c|/into->queue_ns += /d'
	'queue count not merged|cell.c|/into->queue_count += /d'
	'usage not added|cell.c|/tl_used_add(&cell->used/d'
	'usage not merged|cell.c|/tl_used_add(&into->used/d'
	'edge joined not added|cell.c|/edge->joined +=/d'
	'edge transit not added|cell.c|/edge->transit_ns +=/d'
	'edge bytes swapped|cell.c|s/edge->bytes_out += sum->bytes_out/edge->bytes_out += sum->bytes_in/'
	'edge bytes not merged|cell.c|/into->bytes_in += from->bytes_in;/d'
	'path CPU not added|cell.c|/path->cpu_ns +=/d'
	'path CPU not merged|cell.c|/into->cpu_ns += from/d'
	'path own time not added|cell.c|/path->own_ns +=/d'
	'opened after it began is possible|order.c|s/result->begin_ns < answer->open_ns ||/0 ||/'
	'answered before it was done is possible|order.c|s/result->done_ns > answer->sent_ns/0/'
	'without calls it is told by times|order.c|s/return result->begin_ns \&\& (/return (/'
	'overlaps with the next only|order.c|s/first_ns = min(first_ns, results\[k\].done_ns)/first_ns = results[k].done_ns/'
	'nothing overlaps|order.c|s/overlaps |= 1ULL << (k - 1)/overlaps |= 0/'
	'apart from the next is apart|order.c|s/(overlaps | overlaps << 1)/overlaps/'
	'believed from the beginning|order.c|s/order->right >= wanted(order)/1/'
	'believed after a wrong one by the jobs|order.c|s/return !order->demand \&\& /return /'
	'believed by neighbours alone|order.c|s/jobs_are_kept(&order->sure, TL_ORDER_JOBS) \&\&/1 \&\&/'
	'believed by sure jobs alone|order.c|s/jobs_are_kept(&order->near, TL_ORDER_NEAR);/1;/'
	'never believed by the jobs|order.c|s/return !order->demand \&\& /return 0 \&\& /'
	'wrong is forgiven|order.c|/order->right = 0;/d'
	'wrong demands no more|order.c|s/min(wanted(order) \* again/min(wanted(order)/'
	'wrong always demands more|order.c|s/order->right < wanted(order) ? TL_ORDER_AGAIN : 1;/TL_ORDER_AGAIN;/'
	'demand without end|order.c|s/min(\(wanted(order) \* again\), TL_ORDER_DEMAND_MAX)/\1/'
	'wrong keeps the jobs|order.c|/order->near.same = 0;/d'
	'a check of what was not there|order.c|s/if (results\[1\].told_ns > answers\[0\].sent_ns)/if (0)/'
	'right without a check|order.c|s/if (impossible(&results\[0\], &answers\[1\]) ||/if (1 ||/'
	'right without end|order.c|s/order->right += order->right < TL_ORDER_DEMAND_MAX/order->right++/'
	'jobs without a choice|order.c|s/<= max(first_open_ns, second_open_ns)/< 0/'
	'jobs the other way round|order.c|s/if (began_first == opened_first)/if (began_first != opened_first)/'
	'jobs do not fade|order.c|s/jobs->same \/= 2;/;/'
	'jobs always kept|order.c|s/jobs->other \* 5 <= all/1/'
	'wrong goes unseen|order.c|s/if (impossible(&results\[k\], &answers\[k\])) {/if (0) {/'
	'groups in any order|order.c|s/return began == opened \&\&/return/'
	'groups that are impossible|order.c|s/return began == opened \&\& .*/return began == opened;/'
	'groups without calls|order.c|s/if (!all_have_called(results, n))/if (0)/'
	'groups whatever the jobs|order.c|s/else if (jobs_are_kept(&order->near, TL_ORDER_JOBS))/else/'
	'no groups|order.c|s/else if (jobs_are_kept(&order->near, TL_ORDER_JOBS))/else if (0)/'
	'sure of what may be answered later|order.c|s/bool result = n_results == n,/bool result = 1,/'
	'sure only as a result|order.c|s/if ((result || answer) \&\&/if (result \&\&/'
	'sure only as an answer|order.c|s/if ((result || answer) \&\&/if (answer \&\&/'
	'sure out of step|order.c|s/if (even || is_believed(order))/if (1)/'
	'sure before the word|order.c|s/even = even \&\& n_results == n \&\& .*/even = even \&\& n_results == n;/'
	'sure with one more there|order.c|s/even = even \&\& n_results == n \&\&/even = even \&\&/'
	'one that is not answered is forgotten|order.c|s/if (n_results > n \&\& all_were_taken(results, answers, n))/if (1)/'
	'one that came later counts|order.c|s/if (n_results > n \&\& all_were_taken(results, answers, n))/if (0)/'
	'taken although not told|order.c|s/return results\[n - 1\].told_ns <= answers\[n - 1\].sent_ns \&\&/return/'
	'taken although told in time|order.c|s/results\[n\].told_ns > answers\[n - 1\].sent_ns;/1;/'
	'sure jobs not looked at|order.c|/check_sure(order, results, answers, n, pairs->sure);/d'
	'both sure and ordered|order.c|s/^[\t ]*~pairs->sure;$/~0ULL;/'
)

# True if the tests fail; without warnings, lest the compiler should notice first. The random one,
# which takes longest, is the last and of fewer sequences.
noticed()
{
	local test

	make -s -f selftests/unit/unit.mk check-core O="$dir/out" unit-core-dir="$dir/core" \
		unit-warnings= UNIT_CFLAGS='-O1 -fsanitize=undefined -fno-sanitize-recover=all' \
		PROVE=true >"$dir/log" 2>&1 || return 0
	for test in order pools own rules errand link interim classify chain cell hist; do
		timeout 20 "$dir/out/unit/test-core-$test" >"$dir/log" 2>&1 || return 0
	done
	! timeout 60 "$dir/out/unit/test-core-random" 1 8000 >"$dir/log" 2>&1
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
