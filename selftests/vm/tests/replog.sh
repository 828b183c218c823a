#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 brief=none timeout=900 machine=virtual
#
# The fault of paper 002, 5.2: a replicated log, whose senders sleep all at once as one of them sleeps with
# the lock held that all need, does not use its link. The tasks that were recorded name the sleep and say
# that the senders are in step; with calls that wait for their answers they are not, and the link is
# used. SECONDS_EACH: how long each is looked at (3).
. /job/lib.sh
. /job/recording.sh

seconds=${SECONDS_EACH:-3} rate=16000000 # bits a second
# A buffer that is empty after seven tenths of the sleep; some of it is in the socket.
options=(--senders 4 --record 16384 --room 200000 --pause-ms 250)

# The link, from primary to backup.
wire()
{
	ip netns add primary
	ip netns add backup
	ip link add wire netns primary type veth peer name wire netns backup
	ip -n primary addr add 10.1.0.1/24 dev wire
	ip -n backup addr add 10.1.0.2/24 dev wire
	ip -n primary link set wire up
	ip -n backup link set wire up
	# As frames are on the wire: what is cut later would count less.
	ip netns exec primary ethtool -K wire tso off gso off >/dev/null 2>&1
	ip netns exec primary tc qdisc add dev wire root tbf rate ${rate}bit burst 16kb limit 1mb
}

# Bytes that the link has taken, and when that was.
sent()
{
	echo "$(ip netns exec primary cat /sys/class/net/wire/statistics/tx_bytes) $(cut -d' ' -f1 /proc/uptime)"
}

# of MODE EXPRESSION: of what tasks infer found
of()
{
	jq -r "$2" "/tmp/$1/found.json"
}

# run MODE: recorded, and how much of the link it used in $used
run()
{
	local mode=$1 before after

	mkdir "/tmp/$mode"
	hold "/tmp/$mode/log" ip netns exec primary replog primary --to 10.1.0.2:7000 --log /dev/nullb0 --mode "$mode" \
		"${options[@]}" --seconds $((seconds + 3)) --wait
	wait_until 20 pgrep -f "^replog primary" || not_ok "$mode: runs"
	begin_recording "/tmp/$mode/table.csv" --comm replog
	let_go
	sleep 2
	before=$(sent)
	sleep "$seconds"
	after=$(sent)
	used=$(echo "$before $after" | awk -v rate=$rate '{ printf "%.3f\n", ($3 - $1) * 8 / rate / ($4 - $2) }')
	wait "$program"
	end_recording
	is "$(recorded_lost)" 0 "$mode: nothing is lost"
	tierlens tasks infer "/tmp/$mode/table.csv" >"/tmp/$mode/found.txt"
	tierlens tasks infer "/tmp/$mode/table.csv" --json >"/tmp/$mode/found.json"
	diag "$mode: $used of the link, $(cat "/tmp/$mode/log")"
}

load_module || exit 1
# Disks that need 2 ms.
modprobe null_blk nr_devices=2 irqmode=2 completion_nsec=2000000 || skip_all 'this kernel has no null_blk'
wire
ip netns exec backup replog backup --listen 10.1.0.2:7000 --log /dev/nullb1 --record 16384 &
wait_until 20 eval 'ip netns exec backup ss -Hltn "sport = :7000" | grep -q .' || not_ok 'the backup listens'

run async
async=$used
diag "$(sed -n '/^what threads sleep for/,$p' /tmp/async/found.txt | cut -c1-300)"
check 'async: the senders are in step, for the lock' jq -e '(.in_step | length) == 1 and (.in_step[0] as $s |
	($s.threads | length) == 4 and $s.together > 0.8 and any(.objects[]; .object == $s.object and .use == "mutex"))' \
	/tmp/async/found.json
# The sleep is between the lock that it holds and the next one, of the buffer.
check 'async: the send that sleeps with the lock held is the slowest on the way of a record' jq -e '.tasks as $tasks |
	.in_step[0].object as $lock | (.paths | max_by(.jobs)) as $path |
	$tasks[$path.slowest].label == "call_async;send_packet lock -> call_async;send_packet lock" and
	any(.objects[]; .object == $lock and .holder == $path.slowest)' /tmp/async/found.json
run sync
diag "$(sed -n '/^what threads sleep for/,$p' /tmp/sync/found.txt | cut -c1-300)"
is "$(of sync '[.in_step[] | select(.threads | length >= 4)] | length')" 0 'sync: the senders are not in step'
check "asynchronous calls use $async of the link, synchronous $used (paper: 0.70, 0.97)" \
	awk -v a="$async" -v b="$used" 'BEGIN { exit !(a < 0.8 && b > 0.95) }'
done_testing
