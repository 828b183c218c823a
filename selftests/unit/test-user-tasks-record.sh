#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens tasks record without a kernel module: a program that records itself (sync-stacks), of
# which it is known which functions it was in; what is asked of the kernel; processes that
# cannot be recorded; files that are damaged or end early. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"

# What was not freed is this test's business: of the fake kernel there is no thread here.
export ASAN_OPTIONS=detect_leaks=1
out=$dir/o.csv
record=(tasks record --seconds 1 -o "$out")

usage()
{
	says 2 'tasks needs record, infer or draw' "$real" tasks
	says 2 'needs processes: --pid, --comm or --tier' "$real" "${record[@]}"
	says 2 'tasks record needs --seconds' "$real" tasks record --pid 1 -o "$out"
	says 2 'tasks record needs a file' "$real" tasks record --pid 1 --seconds 1
	says 2 '--seconds 601 is too long: at most 600' "$real" tasks record --pid 1 --seconds 601 -o "$out"
	says 2 '--stack 17 is not a multiple of 8' "$real" "${record[@]}" --pid 1 --stack 17
	says 2 '--stack 32776 is out of range: give one from 0 to 32768' "$real" "${record[@]}" --pid 1 --stack 32776
	says 2 '--buffer 200000 is not a power of two' "$real" "${record[@]}" --pid 1 --buffer 200000
	says 2 '--buffer 4096 is out of range: give one from 131072' "$real" "${record[@]}" --pid 1 --buffer 4096
}

# ---- what cannot be recorded -------------------------------------------------

# A program of 32 bits that sleeps: 32-bit ELF head, one segment, pause() for ever.
small_program()
{
	printf '\x7fELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0\x54\x80\4\x08\x34\0\0\0\0\0\0\0\0\0\0\0\x34\0\x20\0\1\0\0\0\0\0\0\0'
	printf '\1\0\0\0\0\0\0\0\0\x80\4\x08\0\x80\4\x08\x5d\0\0\0\x5d\0\0\0\5\0\0\0\0\x10\0\0'
	printf '\xb8\x1d\0\0\0\xcd\x80\xeb\xf7'
}

small()
{
	small_program >"$dir/small" && chmod +x "$dir/small"
	"$dir/small" 2>/dev/null &
	local pid=$!

	servers+=("$pid")
	sleep 0.2
	if [[ $(head -c 5 "/proc/$pid/exe" 2>/dev/null | od -An -tx1) == ' 7f 45 4c 46 01' ]]; then
		plays x 1 "process $pid (small) is a 32-bit program: its system calls cannot be told" "${record[@]}" --pid "$pid"
	else
		skip '32-bit program' 'this machine runs none'
	fi
}

# What comes back must be closed by who reads it.
refusals()
{
	local nobody thread

	nobody=$(bash -c 'echo $BASHPID')
	thread=$(find /proc/[0-9]*/task/* -maxdepth 0 2>/dev/null |
		awk -F/ '$3 != $5 && $3 != "'$$'" { print $5; exit }')
	plays absent 1 'the kernel module is not loaded' "${record[@]}" --pid $$
	plays eperm 1 'run as root' "${record[@]}" --pid $$
	plays sync-old 1 'the kernel module records no sync points: load that of this tierlens' "${record[@]}" --pid $$
	plays sync-full 1 'cannot record sync points: no memory for such buffers: give less --buffer' "${record[@]}" --pid $$
	plays x 1 "there is no process $nobody: see ps" "${record[@]}" --pid "$nobody"
	plays x 1 '--pid "seven" is not a process'"'"'s number' "${record[@]}" --pid $$,seven
	plays x 1 'no process calls itself "nobody calls it": see ps' "${record[@]}" --comm 'nobody calls it'
	plays x 1 'there is no tier "nowhere"' "${record[@]}" --tier nowhere
	TIERLENS_FAKE_PATH=/nowhere plays x 1 'no process has a socket of tier sock' "${record[@]}" --tier sock
	if [[ -n $thread ]]; then
		plays x 1 'is a thread of process' "${record[@]}" --pid "$thread"
	else
		skip 'a thread' 'no process has two'
	fi
	[[ ! -e $out ]]
	point $? 'who is refused leaves no file'
}

too_many()
{
	local pids=() i

	for ((i = 0; i < 65; i++)); do
		sleep 100 &
		pids+=($!)
	done
	servers+=("${pids[@]}")
	plays x 1 'more than 64 processes: choose some of them' "${record[@]}" --pid "$(IFS=,; echo "${pids[*]}")"
	kill "${pids[@]}"
	wait "${pids[@]}" 2>/dev/null
}

# ---- a program that is known ---------------------------------------------------

# starts: $pid, $port, what it records in $dir/rec; it ends when file 7 is closed
starts()
{
	local end=$((SECONDS + 60))

	mkfifo "$dir/in"
	"$(dirname "$fake")/sync-stacks" "$dir/rec" <"$dir/in" >"$dir/said" &
	pid=$!
	servers+=("$pid")
	exec 7>"$dir/in"
	until port=$(sed -n 's/^port //p' "$dir/said") && [[ -n $port ]]; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

# records NAME ARGUMENTS...: it ends well
records()
{
	local name=$1

	shift
	rm -f "$out" "$dir/log"
	TIERLENS_FAKE_SYNC=${recorded:-$dir/rec} TIERLENS_FAKE=${scene:-x} TIERLENS_FAKE_LOG=$dir/log run "$fake" "${record[@]}" "$@"
	[[ $status == 0 && -s $out ]]
	result $? "$name"
}

# stack SEQ WANTED: what the functions are, from outermost to innermost
stack()
{
	same "stack $1: $2" "$(awk -F, -v seq="$1" '$1 == seq { print $6 }' "$out" |
		sed 's/again;\(again;\)*/again*;/; s/;[^;]*libc[^;]*;\|;q\?sort[^;]*;\|;msort[^;]*;/;/g')" "$2"
}

names()
{
	records 'a known program' --pid "$pid"
	grep -q "12 events of 2 threads in 1 processes, 0 lost" "$dir/out"
	result $? 'counts'
	grep -q '1 of 12 stacks do not reach' "$dir/err"
	result $? 'one stack is cut, and that is said'
	stack 1 'main;one;two;three;take'
	stack 2 'main;again*;take'
	same 'all of a recursion are there' "$(awk -F, '$1 == 2' "$out" | grep -o again | wc -l)" 10
	[[ $(awk -F, '$1 == 3' "$out" | grep -o again | wc -l) -gt 100 ]]
	point $? 'and of one of 400, if they fit'
	if [[ $(/sbin/ldconfig -p) == *libstdc++.so.6* ]]; then
		same "a stack that grows, and C++'s names" "$(sed -n 's/^4,[^"]*\("[^"]*"\),.*/\1/p' "$out")" \
			'"main;Stack::grows(unsigned long, int);take"'
	else
		stack 4 'main;_ZN5Stack5growsEmi;take'
	fi
	[[ $(awk -F, '$1 == 5 { print $6 }' "$out") == main\;sorts\;*\;compares\;take ]]
	point $? 'through a function of the C library' "$out"
	[[ $(awk -F, '$1 == 6 { print $6 }' "$out") == main\;raises\;*\;handles\;take ]]
	point $? 'through a signal' "$out"
	stack 7 'main;by_pointer;one;two;three;take'
	stack 8 'by_nothing;one;two;three;take'
	stack 11 'main;ends_with_a_call;leaves;take'
	[[ $(awk -F, '$1 == 12 { print $6 }' "$out") == main\;is_trapped\;traps\;*\;leaves\;take ]]
	point $? 'through a signal at the first instruction of a function' "$out"
	same 'in a system call, of a thread whose name needs quotes' "$(sed -n 's/^10,[^,]*,//p' "$out")" \
		"\"$pid/$(sed -n 's,^9\,[^/]*/\([0-9]*\) .*,\1,p' "$out") a,\"\"b;?\",recv,pipe:7,works;waits,0.000,0.000,,,1,0,0,"
	same 'a mutex is its process'"'"'s' "$(awk -F, '$1 == 1 { print $5 }' "$out" | sed 's/0x[0-9a-f]*/A/')" "$pid:A"
}

stripped()
{
	# The names of static functions go; where they begin stays. Its sockets are others, see below.
	cp "$(dirname "$fake")/sync-stacks" "$dir/stripped" && strip "$dir/stripped"
	: >"$dir/raw.said"
	"$dir/stripped" "$dir/raw" <"$dir/in" >"$dir/raw.said" &
	local bare=$! end=$((SECONDS + 60))

	servers+=("$bare")
	until grep -q port "$dir/raw.said" || [ $SECONDS -ge $end ]; do sleep 0.05; done
	recorded=$dir/raw records 'a stripped program' --pid "$bare"
	same 'its functions are where they begin' "$(awk -F, '$1 == 1 { print $6 }' "$out")" "$(nm "$(dirname "$fake")/sync-stacks" |
		awk '{ at[$3] = $1 } END { n = split("main one two three take", name, " ")
			for (i = 1; i <= n; i++) { sub(/^0*/, "", at[name[i]]); printf("%sstripped+0x%s", i > 1 ? ";" : "", at[name[i]]) } }')"
}

chosen()
{
	records 'by what it calls itself' --comm sync-stacks
	TIERLENS_FAKE_PORT=$port TIERLENS_FAKE_SYNC=$dir/rec plays_tier web
	TIERLENS_FAKE_PATH=$dir/rec.sock TIERLENS_FAKE_SYNC=$dir/rec plays_tier sock
	records 'as JSON' --pid "$pid,$pid" --json
	good 'as JSON says it' '.[0] | .events == 12 and .lost == 0 and .damaged == 0 and .processes == 1 and .threads == 2 and
		.stacks == 12 and .stacks_cut == 1 and .unwind_s > 0 and (.ended_early | not) and (.notes | length) == 1'
	run "$real" tasks infer "$out" --json
	good 'tasks infer reads it' '.[0].trace | .events == 12 and .threads == 2 and .lost == 0'
}

# plays_tier: its process is found by its socket
plays_tier()
{
	local name

	name=$(TIERLENS_FAKE=x "$fake" tier list --json | jq -r --arg kind "$1" \
		'.tiers[] | select(if $kind == "web" then .id == 1 else .path != null end) | .name' | head -1)
	records "by a socket: $1" --tier "$name"
	[[ $(head -c 200 "$dir/log") == "2=$(printf %08x "$pid" | sed 's/\(..\)\(..\)\(..\)\(..\)/\4\3\2\1/') 3="* ]]
	result $? "by a socket: $1 is process $pid alone"
}

# ---- what is asked of the kernel -------------------------------------------------

# Of the request's probes "offset function", both in decimal; file, offset and function of each follow each other.
probes()
{
	grep -o '6=[0-9a-f]*' "$dir/log" | cut -c3- | while read -r hex; do
		echo $((16#$(fold -w2 <<<"${hex:24:16}" | tac | tr -d '\n'))) $((16#$(fold -w2 <<<"${hex:48:8}" | tac | tr -d '\n')))
	done | sort -n
}

# The same from nm: of a library whose code is at other addresses than in the file this would differ.
wanted_probes()
{
	nm -D --defined-only "$1" | awk '
		{ sub(/@.*/, "", $3) }
		$3 ~ /^pthread_mutex_(try|timed|clock)?lock$|^pthread_rwlock_(try|timed|clock)?(rd|wr)lock$/ { f = 0 }
		$3 ~ /^pthread_(mutex|rwlock)_unlock$/ { f = 1 }
		$3 ~ /^pthread_cond_(timed|clock)?wait$/ { f = 2 }
		$3 == "pthread_cond_signal" { f = 3 }
		$3 == "pthread_cond_broadcast" { f = 4 }
		$3 ~ /^sem_(timed|clock|try)?wait$/ { f = 5 }
		$3 == "sem_post" { f = 6 }
		$3 ~ /^pthread_(mutex_(try|timed|clock)?(un)?lock|rwlock_((try|timed|clock)?(rd|wr)|un)lock|cond_((timed|clock)?wait|signal|broadcast))$|^sem_((timed|clock|try)?wait|post)$/ {
			print $1, f }' | sort -u | while read -r at f; do echo $((16#$at)) "$f"; done | sort -n
}

asked()
{
	local libc

	libc=$(awk '$6 ~ /libc\.so/ { print $6; exit }' "/proc/$pid/maps")
	records 'with the library' --pid "$pid" --stack 4096 --buffer 262144
	grep -q '2=[0-9a-f]* 3=e8030000 4=00000400 5=00100000 6=' "$dir/log"
	result $? 'process, time, buffer, stack'
	same 'the functions of the C library are those that nm finds' "$(probes)" "$(wanted_probes "$libc")"
	[[ $(probes | wc -l) -gt 20 ]]
	point $? 'and many'
	records 'without the library' --pid "$pid" --no-library
	! grep -q ' 6=' "$dir/log"
	result $? 'none is watched'
}

# ---- damaged, cut, ended ----------------------------------------------------------

ends()
{
	local recorder size

	size=$(stat -c %s "$dir/rec")
	head -c $((size - 100)) "$dir/rec" >"$dir/cut"
	recorded=$dir/cut records 'cut in the last record' --pid "$pid"
	grep -q '1 records were not understood' "$dir/err" && grep -q '^.*: 11 events' "$dir/out"
	result $? 'which is said'
	for ((i = 0; i < 40; i++)); do cat "$dir/rec"; done >"$dir/long"
	recorded=$dir/long records 'the same forty times, more than is read at once' --pid "$pid" --json
	good 'each event counts once' ".[0] | .events == 12 and .damaged == $((39 * 12)) and .lost == 0"
	recorded=$dir/long records 'more than --limit' --pid "$pid" --limit 1
	grep -q 'ended early: --limit (1 MiB) was reached' "$dir/err"
	result $? 'which is said'
	recorded=/dev/null records 'nothing at all' --pid "$pid"
	same 'is a head line' "$(wc -l <"$out")" 1
	TIERLENS_FAKE_SYNC=$dir/rec plays x 1 'cannot write' tasks record --pid "$pid" --seconds 1 -o /dev/full
	TIERLENS_FAKE_SYNC=$dir/rec plays x 1 'cannot put records aside' tasks record --pid "$pid" --seconds 1 -o "$dir/none/o.csv"

	rm -f "$out"
	TIERLENS_FAKE=sync-endless TIERLENS_FAKE_SYNC=$dir/rec "$fake" tasks record --pid "$pid" --seconds 60 -o "$out" \
		>"$dir/out" 2>"$dir/err" &
	recorder=$!
	sleep 1
	kill -INT "$recorder"
	wait "$recorder"
	same 'told to stop, it ends well' "$?" 0
	same 'and has written what there was' "$(wc -l <"$out")" 13
	scene=sync-endless records 'a kernel that never says that it is over' --pid "$pid"
}

usage
refusals
small
too_many
starts || exit 1
names
stripped
chosen
asked
ends
exec 7>&-
finish
