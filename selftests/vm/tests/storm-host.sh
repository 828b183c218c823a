#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 brief=6.1 timeout=1800 machine=single
#
# What a host does to the module while connections are at work: all its settings are changed at
# once, a processor goes and comes back, memory is short, allocations fail, processes are killed at
# random, namespaces come and go with connections open in them, readers stand still. Each time no
# request fails that nobody has killed; and when everybody has gone nothing is left in any table,
# measuring ends, and the module goes.
#
#   CONNECTIONS=1000 SEED=7 STORMS="killed_at_random" …  or all, one after the other; without it
# some. Those where allocations fail want a kernel that can let them (6.1-debug).
. /job/lib.sh
. /job/chain.sh
# shellcheck source=selftests/vm/storm.sh
. /job/storm.sh

storms=${STORMS:-four_hands processor_away killed_at_random}
# Ten loads; all of them together ask thirty times a second, and three requests
# are open at a time: of more, the processor is full, and who does harm waits for his turn.
connections=$((${CONNECTIONS:-100} / slow / 10))
think_ms=$((connections * 300 * slow))
interval=$((200 * slow))
seed=${SEED:-$RANDOM}

# ---- what is seen ---------------------------------------------------------------

all_connected()
{
	status_has ".occupancy.servers >= $((10 * connections))"
}

level_is()
{
	[ "$(tierlens status --json | jq -r .level)" = "$1" ]
}

# go_on NAME [WHEN]: more events are seen than now
go_on()
{
	local seen

	seen=$(of_module seen)
	wait_until 20 status_has ".events.seen > $seen + 20" || not_ok "$1: requests are seen${2:+, $2}"
}

# As many as there are connections have been answered, and nobody was told anything wrong.
all_answered()
{
	local answered

	answered=$(jq -sc '[(map(.count) | add), (map(.errors) | add)]' /tmp/load.*.json)
	jq -en "$answered | .[0] >= $((10 * connections)) and .[1] == 0" >/dev/null &&
		ok "$1: requests on $((10 * connections)) connections, none of which failed" ||
		not_ok "$1: answers and errors: $answered"
}

# all_counted NAME [COMMAND...]: a server and who asks it, by way of the command, and all of it is seen
all_counted()
{
	record_new /tmp/r.jsonl
	"${@:2}" tierserver --port 9130 --log /dev/null --requests 20 >/dev/null &
	wait_until 20 listening 9130
	"${@:2}" load --to 9130 --ask all --requests 20 >/dev/null || not_ok "$1: load"
	wait $!
	stop_record_new /tmp/r.jsonl || not_ok "$1: record"
	is "$(cell_sum /tmp/r.jsonl 9130 count)" 20 "$1: every request is counted"
}

under_cap()
{
	status_has '.memory_used > 0 and .memory_used <= .memory_cap' && ok "$1: memory is under its cap" ||
		not_ok "$1: memory: $(of_status '[.memory_used, .memory_cap]')"
}

# ---- a storm --------------------------------------------------------------------

# storm NAME FUNCTION: the module is loaded for it alone
storm()
{
	local before began=$SECONDS

	chosen "$2" || return
	name=$1
	load_module || exit 1
	tierlens enable --interval $interval >/dev/null
	before=$(occupancy)
	rm -f /tmp/load.*.json
	begin_storm
	wait_until 60 all_connected && ok "$name: $((10 * connections)) connections are at work" ||
		not_ok "$name: of $((10 * connections)) connections there are $(left)"
	$2
	under_cap "$name"
	end_storm "$name"
	[ "$2" = killed_at_random ] || all_answered "$name"
	tierlens disable >/dev/null || not_ok "$name: measuring ends"
	is "$(occupancy)" "$before" "$name: when measuring has ended all tables are as they were"
	check "$name: the module goes" unload_module
	diag "$name: $((SECONDS - began)) s"
}

# ---- four hands -----------------------------------------------------------------

# try COMMAND...: of tlmnl, by a hand. What is refused is kept.
try()
{
	if tlmnl "$@" >/dev/null 2>>"/tmp/$hand.refused"; then
		echo "$1" >>"/tmp/$hand.done"
	fi
}

# have_hands NAME...: each does its own again and again, in $hands
have_hands()
{
	local hand

	rm -f /tmp/stop /tmp/*.refused /tmp/*.done
	hands=()
	for hand; do
		{
			until [ -e /tmp/stop ]; do
				"$hand"
			done
		} &
		hands+=($!)
	done
}

stop_hands()
{
	: >/tmp/stop
	wait "${hands[@]}"
	rm /tmp/stop
}

# hands_have_done N: each of them, and a function was probed
hands_have_done()
{
	local hand

	for hand in on_and_off tiers_change classes_change levels_change; do
		[ "$(wc -l <"/tmp/$hand.done")" -ge "$1" ] || return
	done
	grep -q function-add /tmp/levels_change.done
}

on_and_off()
{
	try disable
	try enable $((interval * (1 + RANDOM % 3)))
	sleep 0.$((RANDOM % 5))
}

tiers_change()
{
	try tier-add a 9101 && try tier-add b 9109 && try tier-add c "$socket"
	sleep 0.$((3 + RANDOM % 5))
	try tier-del b
	try tier-del c
	try tier-del a
}

classes_change()
{
	try class-add one c01 && try class-add two c02 a
	try class-add any c
	sleep 0.$((RANDOM % 3))
	try class-del one
	try class-del two
	try class-del any
}

# The function is one in which no coroutine waits. One of the servers enters it in coroutines, too, and all are of one
# program: once that is seen, none of its functions may be probed.
levels_change()
{
	try level - trace
	try level a method
	try function-add a tier_answer_init /job/bin/tierserver
	try level tierserver:9103 trace 300
	try level - off 200
	sleep 0.$((RANDOM % 4))
	try function-del a
	try level b trace
	try level - server
	try level a
}

# What a hand may be told while others are at it.
refusals='no tier has that name|nothing is measured|no rule is like that|the tier is not at level method'
stacks='goes on with stacks of its own'
refusals+="|another controller holds|was set for good|has a tier already|already: choose another|$stacks"

settle()
{
	local rule

	for rule in a b c; do
		tlmnl tier-del $rule 2>/dev/null
	done
	for rule in one two any; do
		tlmnl class-del $rule 2>/dev/null
	done
	tlmnl level - server
	tlmnl enable $interval
}

four_hands()
{
	local names='on_and_off tiers_change classes_change levels_change' hand reader

	tlmnl follow 0 1000000 >/tmp/read 2>/tmp/read.err &
	reader=$!
	# shellcheck disable=SC2086  # words
	have_hands $names
	sleep $((4 * pause))
	wait_until 60 hands_have_done 10 && ok "$name: each has done ten things and more" ||
		not_ok "$name: they have done too little: $(wc -l /tmp/*.done | paste -sd' ')"
	stop_hands
	settle
	cat /tmp/*.refused >/tmp/refused
	is "$(grep -vE "$refusals" /tmp/refused | sort | uniq -c)" '' "$name: nothing else was refused"
	diag "$name: done $(cat /tmp/*.done | sort | uniq -c | awk '{ printf "%s %s, ", $2, $1 }') refused $(wc -l </tmp/refused)"
	go_on "$name" afterwards
	wait_until 20 test -s /tmp/read
	kill $reader
	wait $reader 2>/dev/null
	is "$(cat /tmp/read.err)" '' "$name: who has read meanwhile has found nothing wrong in $(wc -l </tmp/read) intervals"
}

# ---- a processor ----------------------------------------------------------------

cpus=/sys/devices/system/cpu

# Plainly; then measuring begins anew while it is away; then the module is loaded meanwhile.
processor_away()
{
	local round

	if [ ! -w $cpus/cpu1/online ]; then
		not_ok "$name: there is one processor only"
		return
	fi
	for round in goes off-and-on loaded; do
		echo 0 >$cpus/cpu1/online
		is "$(<$cpus/online) $(grep -c ^processor /proc/cpuinfo)" '0 1' "$name: $round: one is left"
		case $round in
		off-and-on)	tlmnl disable && tlmnl enable $interval || not_ok "$name: $round" ;;
		loaded)		unload_module && load_module && tlmnl enable $interval || not_ok "$name: $round" ;;
		esac
		go_on "$name" 'with one processor'
		is "$(unaccounted)" 0 "$name: $round: events seen = attributed + unattributed + ignored"
		echo 1 >$cpus/cpu1/online
		is "$(<$cpus/online)" 0-1 "$name: $round: it is back"
		go_on "$name" 'with both'
	done
	all_counted "$name: on that processor" taskset -c 1
}

# ---- memory ---------------------------------------------------------------------

# Pages that the kernel has looked at for what it can take away.
looked_for_pages()
{
	awk '/^pgscan_(kswapd|direct) / { n += $2 } END { print n }' /proc/vmstat
}

available_mib()
{
	awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo
}

# fill_memory MIB: until so much is left, of which the kernel can have back what it keeps of files;
# and it has to look for that
fill_memory()
{
	local n=0 left before

	head -c 200M /dev/vda >/dev/null
	while left=$(($(available_mib) - $1)) && [ $left -gt 0 ]; do
		n=$((n + 1))
		head -c $((left > 100 ? 100 : left))M /dev/zero >/tmp/fill/$n || return
	done
	before=$(looked_for_pages)
	for n in {1..20}; do
		dd if=/dev/vda of=/dev/null bs=1M count=50 skip=$((n * 50)) 2>/dev/null
		[ "$(looked_for_pages)" -lt $((before + 5000)) ] || return 0
	done
	return 1
}

# Goes on with that.
keep_looking()
{
	while :; do
		dd if=/dev/vda of=/dev/null bs=1M count=20 skip=$((RANDOM % 500)) 2>/dev/null
		sleep 0.1
	done
}

memory_short()
{
	local before looked looker

	mkdir -p /tmp/fill
	mount -t tmpfs -o size=100% tmpfs /tmp/fill
	before=$(available_mib)
	fill_memory 100 && ok "$name: the kernel looks for pages ($(available_mib) of $before MiB are available)" ||
		not_ok "$name: memory is not short: $(available_mib) of $before MiB"
	looked=$(looked_for_pages)
	keep_looking &
	looker=$!
	unload_module
	check "$name: the module is loaded meanwhile" load_module
	tlmnl enable $interval || not_ok "$name: measuring begins"
	load --to 9102 --ask new --connections $((4 * connections)) --requests $((4 * connections)) >/dev/null ||
		not_ok "$name: load on new connections"
	go_on "$name" 'while memory is short'
	under_cap "$name: meanwhile"
	kill $looker
	wait $looker 2>/dev/null
	[ "$(looked_for_pages)" -gt $((looked + 1000)) ] && ok "$name: $(($(looked_for_pages) - looked)) pages were looked at meanwhile" ||
		not_ok "$name: nobody has looked for pages meanwhile"
	rm /tmp/fill/*
	umount /tmp/fill
	[ "$(available_mib)" -ge $((before * 3 / 4)) ] || not_ok "$name: it is there again: $(available_mib) MiB"
	all_counted "$name: afterwards"
}

# ---- killed at random -----------------------------------------------------------

# options_of SERVER
options_of()
{
	case $1 in
	below)		echo --port 9109 --mode thread ;;
	below-unix)	echo --listen "unix:$below" --mode pool-eventfd --pool 4 ;;
	*)		awk -v name="$1" '$1 == name { $1 = ""; print }' <<<"$shapes" ;;
	esac
}

# start_again VICTIM
start_again()
{
	case $1 in
	load-*)		start_load "${1#load-}" ;;
	reader-*)	tlmnl --pause 1 follow 0 1000000 >/dev/null 2>>/tmp/read.err &
			victim[$1]=$! ;;
	lease)		# As long as that of the one who was killed is not over, nobody else has one.
			wait_until 10 level_is server || not_ok "$name: the lease ends: $(tierlens status)"
			tlmnl lease - trace "$lease_ms" $((lease_ms / 10)) 2>>/tmp/lease.err &
			victim[$1]=$! ;;
	*)		# shellcheck disable=SC2046  # words
			start_server "$1" $(options_of "$1")
			wait_until 20 alive_and_listens "$1" || not_ok "$name: $1 serves again" ;;
	esac
}

alive_and_listens()
{
	kill -0 "${server[$1]}" && ss -Hlnp | grep -q "pid=${server[$1]},"
}

pid_of()
{
	case $1 in
	load-*)		echo "${loads[${1#load-}]}" ;;
	reader-* | lease)
			echo "${victim[$1]}" ;;
	*)		echo "${server[$1]}" ;;
	esac
}

killed_at_random()
{
	local names n pid killed=0 turns=30 who lease_ms=$((400 * slow))
	declare -A victim

	diag "$name: SEED=$seed"
	RANDOM=$seed
	mapfile -t names < <(awk 'NF { print $1 }' <<<"$shapes")
	names+=(below below-unix load-{0..9} reader-{1..3} lease)
	for n in reader-{1..3} lease; do
		start_again "$n"
	done
	for ((n = 0; n < turns; n++)); do
		who=${names[RANDOM % ${#names[@]}]}
		pid=$(pid_of "$who")
		kill -KILL "$pid" || not_ok "$name: $who is gone by itself"
		wait "$pid" 2>/dev/null
		[ $? = 137 ] && ((killed++))
		start_again "$who"
		sleep 0.$((RANDOM % 3))
	done
	is $killed $turns "$name: so many were killed"
	wait_until 60 all_connected || not_ok "$name: afterwards all connections are there again: $(left)"
	for who in "${!victim[@]}"; do
		kill -KILL "${victim[$who]}"
		wait "${victim[$who]}" 2>/dev/null
	done
	is "$(cat /tmp/read.err)" '' "$name: readers have found nothing wrong"
	is "$(cat /tmp/lease.err)" '' "$name: the level was leased by one after the other"
	wait_until 10 level_is server || not_ok "$name: the lease ends: $(tierlens status)"
	go_on "$name" afterwards
}

# ---- namespaces -----------------------------------------------------------------

# namespace N: with a cable to here, by which one sees if it is gone
namespace()
{
	local ns=storm$1

	ip netns add "$ns"
	ip link add "to-$ns" type veth peer name out netns "$ns"
	ip addr add "10.9.$1.1/24" dev "to-$ns"
	ip link set "to-$ns" up
	ip -n "$ns" addr add "10.9.$1.2/24" dev out
	ip -n "$ns" link set out up
	ip -n "$ns" link set lo up
	# What is open when its cable goes is given up after a second, and not after minutes.
	ip netns exec "$ns" sh -c 'echo 1 >/proc/sys/net/ipv4/tcp_orphan_retries'
}

# in_namespace N COMMAND...: in the background, its number is added to $inside
in_namespace()
{
	ip netns exec "storm$1" "${@:2}" >/dev/null 2>&1 &
	inside+=($!)
}

# connected_to N: connections to the server there
connected_to()
{
	ip netns exec "storm$1" ss -Htn state established 'sport = :9140' | wc -l
}

all_connected_to()
{
	[ "$(connected_to "$1")" -ge 8 ]
}

listens_in()
{
	ip netns exec "storm$1" ss -Hltn 'sport = :9140' | grep -q .
}

is_gone()
{
	! ip link show "to-storm$1" 2>/dev/null
}

# Four at a time. Some lose their cable first, so that nobody here hears of the end.
namespaces_come_and_go()
{
	local round n inside outside tiers destroyed=0

	[ -d /sys/module/veth ] || modprobe veth || not_ok "$name: no veth"
	for round in 1 2; do
		inside=() outside=()
		for n in 1 2 3 4; do
			namespace $n
			in_namespace $n tierserver --listen 0.0.0.0:9140 --log /dev/null --mode thread --requests 100000
		done
		for n in 1 2 3 4; do
			wait_until 20 listens_in $n || not_ok "$name: the server in $n"
			in_namespace $n load --to 9140 --connections 4 --ask inside --think-ms $((50 * slow)) --requests 100000 --seconds $at_most
			load --to 10.9.$n.2:9140 --connections 4 --ask outside --think-ms $((50 * slow)) --requests 100000 --seconds $at_most >/dev/null 2>&1 &
			outside+=($!)
		done
		for n in 1 2 3 4; do
			wait_until 20 all_connected_to $n || not_ok "$name: $(connected_to $n) connections to $n"
		done
		go_on "$name"
		tiers=$(tlmnl tier-list | jq -s 'map(select(.port == 9140)) | map(.netns) | unique | length')
		[ "$tiers" -ge 4 ] || not_ok "$name: tiers of $tiers namespaces"
		# Their names go while they are in use, and then they themselves with all that is open in them.
		for n in 1 2 3 4; do
			[ $((n % 2)) = 0 ] || [ $round = 1 ] || ip -n storm$n link set out down
			ip netns del storm$n
		done
		kill -KILL "${inside[@]}"
		wait "${inside[@]}" 2>/dev/null
		for n in 1 2 3 4; do
			wait_until 30 is_gone $n && ((++destroyed)) || not_ok "$name: $n is not gone"
		done
		kill -KILL "${outside[@]}"
		wait "${outside[@]}" 2>/dev/null
	done
	is $destroyed 8 "$name: with connections open in each, eight were destroyed"
	is "$(tlmnl tier-list | jq -s 'map(select(.port == 9140 and .netns != 4294967295)) | length')" 0 \
		"$name: none of their tiers is in a namespace any more"
}

# ---- closing --------------------------------------------------------------------

# Who has the processor of $1 for itself, but for a moment now and then. Without a pause the kernel would say
# that something has got stuck.
cat >/tmp/hog.py <<'END'
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
for i in range(int(sys.argv[2])):
    end = time.monotonic() + 2.5
    while time.monotonic() < end:
        pass
    time.sleep(0.02)
END

# Intervals are closed when others leave time for it, up to 25 of them late. Requests go on all the while; they
# shall be in one and the same interval, in whichever.
closing_late()
{
	local reader hogs=() n begun stall stall_timeout=/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout

	tlmnl enable 100 || not_ok "$name: intervals of 100 ms"
	tierserver --port 9130 --log /dev/null --requests 1000000 >/dev/null &
	server[busy]=$!
	wait_until 20 listening 9130
	begun=$(newest)
	tlmnl follow "$begun" 1000000 >/tmp/read 2>/tmp/read.err &
	reader=$!
	# Before the hogs.
	chrt -f -a -p 20 "${server[busy]}"
	chrt -f 20 load --to 9130 --connections 4 --ask busy --think-ms 2 --requests 1000000 --seconds $at_most >/tmp/load.busy.json &
	loads[10]=$!
	echo -1 >/proc/sys/kernel/sched_rt_runtime_us
	# The kernel's own threads have next to no time either, which it would report.
	stall=$(<$stall_timeout)
	echo 120 >$stall_timeout
	for ((n = 0; n < $(nproc); n++)); do
		python3 /tmp/hog.py $n $((6 + slow)) &
		hogs+=($!)
	done
	wait "${hogs[@]}"
	echo "$stall" >$stall_timeout
	echo 950000 >/proc/sys/kernel/sched_rt_runtime_us
	# Where the kernel's own threads are slow most are counted only now, while it catches up.
	wait_until 60 status_has '.losses.late > 100' && ok "$name: requests ended long after their interval should have been closed" ||
		not_ok "$name: it was not late: $(of_status .losses)"
	begun=$(newest)
	wait_until 20 read_until /tmp/read "$begun" || not_ok "$name: all are read"
	kill $reader
	wait $reader 2>/dev/null
	is "$(cat /tmp/read.err)" '' "$name: what is read is right"
}

# ---- readers --------------------------------------------------------------------

# gap FILE: intervals that are missing between the first and the last
gap()
{
	jq -s '.[-1].generation - .[0].generation + 1 - length' "$1"
}

readers_stopped()
{
	local readers begun

	tierlens record -o /tmp/record.jsonl 2>/tmp/record.err &
	readers=($!)
	tlmnl follow "$(newest)" 1000000 >/tmp/follow.jsonl 2>/tmp/follow.err &
	readers+=($!)
	begun=$(newest)
	wait_until 20 read_until /tmp/record.jsonl $((begun + 1)) || not_ok "$name: one of them reads"
	wait_until 20 read_until /tmp/follow.jsonl $((begun + 1)) || not_ok "$name: the other reads"
	kill -STOP "${readers[@]}"
	begun=$(newest)
	wait_until 20 newest_after $((begun + 21)) || not_ok "$name: intervals are closed meanwhile"
	is "$(ps -o stat= -p "${readers[0]},${readers[1]}" | cut -c 1 | paste -sd' ')" 'T T' "$name: they stand still"
	begun=$(newest)
	[ "$(tlmnl get | jq .generation)" -ge "$begun" ] && ok "$name: others read the newest meanwhile" ||
		not_ok "$name: others do not read the newest meanwhile"
	kill -CONT "${readers[@]}"
	wait_until 20 read_until /tmp/record.jsonl $((begun + 1)) || not_ok "$name: one of them goes on"
	wait_until 20 read_until /tmp/follow.jsonl $((begun + 1)) || not_ok "$name: the other goes on"
	kill -INT "${readers[0]}"
	kill "${readers[1]}"
	wait "${readers[0]}" || not_ok "$name: the recording ends well"
	wait "${readers[1]}" 2>/dev/null
	[ "$(gap /tmp/record.jsonl)" -ge 4 ] && [ "$(gap /tmp/follow.jsonl)" -ge 4 ] &&
		ok "$name: intervals are missing: $(gap /tmp/record.jsonl) and $(gap /tmp/follow.jsonl)" ||
		not_ok "$name: intervals are missing: $(gap /tmp/record.jsonl) and $(gap /tmp/follow.jsonl)"
	is "$(sed -n 's/.*tierlens: \([0-9]*\) intervals missed .*the recording has a gap/\1/p' /tmp/record.err)" \
		"$(gap /tmp/record.jsonl)" "$name: the recording says so"
	is "$(cat /tmp/follow.err)" '' "$name: what is read is right"
}

# ---- allocations that fail ------------------------------------------------------

fault=/sys/kernel/debug

# faults PERCENT Y|N: of the allocations of processes that are marked; also of those for users' pages
faults()
{
	local kind

	for kind in failslab fail_page_alloc; do
		echo 0 >$fault/$kind/verbose
		echo Y >$fault/$kind/task-filter
		echo 1 >$fault/$kind/interval
		echo $fault_times >$fault/$kind/times
		echo N >$fault/$kind/ignore-gfp-wait
		echo "$1" >$fault/$kind/probability
	done
	echo 0 >$fault/fail_page_alloc/min-order
	echo "$2" >$fault/fail_page_alloc/ignore-gfp-highmem
}

fault_times=1000000000

# How many have failed since.
have_failed()
{
	echo $((2 * fault_times - $(<$fault/failslab/times) - $(<$fault/fail_page_alloc/times)))
}

# mark 0|1: those who refill the module's pools, whoever that is at the time
mark()
{
	local task

	for task in $(pgrep '^kworker/u'); do
		echo "$1" >"/proc/$task/make-it-fail"
	done 2>/dev/null
}

keep_marking()
{
	while :; do
		mark 1
		sleep 0.1
	done
}

# each_fails UNDO COMMAND...: each allocation that the kernel makes for the command fails once
each_fails()
{
	local n status undo=$1
	shift

	for ((n = 1; n < 1000; n++)); do
		tlmnl --fail $n "$@" >/dev/null 2>>/tmp/refused
		status=$?
		[ $status = 0 ] || [ $status = 1 ] || break
		# shellcheck disable=SC2086  # words
		tlmnl $undo >/dev/null 2>&1
	done
	[ $status = 3 ] || not_ok "$name: $* ends with $status at allocation $n"
	diag "$name: $*: $((n - 1)) allocations"
	# shellcheck disable=SC2086  # words
	tlmnl $undo >/dev/null 2>&1
}

# What the kernel says of memory that it has not got for itself (who is to be caught by ftrace has it allocate some)
# is no complaint about us; the rest of the log stays for who looks at it in the end.
excuse_kernel()
{
	local line

	dmesg | sed 's/^\[[^]]*\] //' | awk '
		index($0, "tierlens-vm: begin")	{ seen = 1; next }
		/(vmalloc error|page allocation failure):/ { block = "" ; within = 1 }
		within	{ block = block $0 "\n" }
		within && /pages reserved$/ { if (block ~ /(tl_memory_zalloc|pool_grow)/) printf "%s", block; within = 0; next }
		seen && !within' >/tmp/log
	echo on >/proc/sys/kernel/printk_devkmsg
	dmesg -C
	echo "tierlens-vm: begin ${0##*/}" >/dev/kmsg
	while IFS= read -r line; do
		echo "$line" >/dev/kmsg
	done </tmp/log
}

settings_fail()
{
	: >/tmp/refused
	faults 0 Y
	tlmnl tier-add a 9101
	tlmnl tier-add b 9103
	tlmnl class-add one c01
	tlmnl level b method
	tlmnl function-add b tier_serve_pool /job/bin/tierserver >/dev/null || not_ok "$name: a function"
	each_fails 'tier-del z' tier-add z 9102
	each_fails 'class-del z' class-add z z1
	each_fails 'class-del two zz a' class-add two zz a
	each_fails 'class-add one c01' class-del one
	each_fails 'level a' level a trace
	each_fails 'level - server' level - trace
	each_fails 'level - trace' level - server
	each_fails 'function-del b' function-add b tier_answer_init /job/bin/tierserver
	each_fails 'level b method' level b trace
	each_fails 'pmu-del z' pmu-add z 1 0
	each_fails 'enable' disable
	each_fails 'disable' enable
	tlmnl enable $interval || not_ok "$name: measuring begins"
	each_fails status tier-list
	each_fails status hooks
	each_fails status get
	each_fails status since 0
	each_fails status sync 10 131072 0 $$
	settle
	excuse_kernel
	diag "$name: $(have_failed) allocations have failed, $(wc -l </tmp/refused) times was something refused"
	[ "$(wc -l </tmp/refused)" -ge 50 ] || not_ok "$name: too little was refused"
	# Who records says so; and coroutines may be met at the function while it is probed.
	is "$(grep -vE "^(Cannot allocate memory|No buffer space available|recording\$)|$stacks" /tmp/refused | sort | uniq -c)" '' \
		"$name: for want of memory only"
	all_counted "$name: afterwards"
}

# Opens connections and asks on each of them once, until there are so many.
cat >/tmp/many.py <<'END'
import socket, sys, time
held = []
for i in range(int(sys.argv[1])):
    s = socket.create_connection(('127.0.0.1', 9102))
    s.sendall(b'many id=%d sleep=1000000 calls=0\n' % i)
    held.append(s)
    if i % 20 == 0:
        time.sleep(0.02)
print('open', flush=True)
time.sleep(1000)
END

pools_stay()
{
	local marker many memory

	faults 100 N
	# Those that are there, before it is read: the first round of the others takes seconds on a debug kernel.
	mark 1
	keep_marking &
	marker=$!
	memory=$(of_module memory_used)
	python3 /tmp/many.py 20000 >/dev/null &
	many=$!
	wait_until 60 status_has '.losses.connections_full > 0' && ok "$name: connections that find no place are counted" ||
		not_ok "$name: there is place for all: $(of_status .losses)"
	is "$(of_module memory_used)" "$memory" "$name: no pool has grown"
	[ "$(have_failed)" -gt 0 ] && ok "$name: $(have_failed) allocations have failed" || not_ok "$name: no allocation has failed"
	under_cap "$name: meanwhile"
	kill $marker
	wait $marker 2>/dev/null
	faults 0 Y
	mark 0
	wait_until 20 status_has ".memory_used > $memory" && ok "$name: when they can, they grow" ||
		not_ok "$name: they do not grow any more"
	kill -KILL $many
	wait $many 2>/dev/null
	all_counted "$name: afterwards"
}

# ---- the test -------------------------------------------------------------------

mkdir $group
storm 'four hands' four_hands
storm 'a processor goes' processor_away
storm 'memory is short' memory_short
storm 'closing is late' closing_late
storm 'killed at random' killed_at_random
storm 'namespaces come and go' namespaces_come_and_go
storm 'readers stand still' readers_stopped
if [ -e $fault/failslab/times ]; then
	storm 'settings without memory' settings_fail
	storm 'pools without memory' pools_stay
elif chosen settings_fail; then
	ok 'allocations fail # SKIP this kernel cannot let them'
fi
rmdir $group
done_testing
