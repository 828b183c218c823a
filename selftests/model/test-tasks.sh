#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens tasks infer: who hands to whom on objects of each use, on planted traces that
# everything is found, also where events were lost, and what is said of files that are none.
# Prints TAP. TIERLENS names the program (make model-programs). TIERLENS_TESTS=all plants more.
set -uo pipefail

# shellcheck source=selftests/model/model-cli.sh
. "$(dirname "$0")/model-cli.sh"

head_line=seq,time_us,thread,op,object,stack

# points FILE [COLUMNS]: sync points from lines "thread op object stack [more]", numbered
points()
{
	awk -v more="${2:-}" -v head="$head_line" 'BEGIN { print head more } NF {
		printf "%d,%d,%s,%s,%s,%s", ++n, 10 * n, $1, $2, $3, $4
		for (i = 5; i <= NF; i++) printf ",%s", $i
		print "" }' >"$dir/$1"
}

# hands FILE USE EDGES: what the object o of a file is used for, and its hand-offs by seq
hands()
{
	run "$real" tasks infer "$dir/$1" --json
	good "$1: $2, $3" '.[0] as $o | ($o.leaves | map({key: "\(.id)", value: .}) | from_entries) as $leaf |
		([$o.objects[] | select(.object == "o") | .use] == ["'"$2"'"]) and
		([$o.edges[] | select(.kind == "handoff") | [$leaf["\(.from)"].last_seq, $leaf["\(.to)"].first_seq]]
		== '"$3"')'
}

usage()
{
	says 2 'tasks needs record, infer or draw' "$real" tasks
	says 2 'tasks has no "x"' "$real" tasks x
	says 2 'tasks infer needs one file' "$real" tasks infer
	says 1 'none.csv: cannot read (No such file' "$real" tasks infer "$dir/none.csv"
}

# refuses NAME SENTENCE: what stands on standard input
refuses()
{
	cat >"$dir/$1.csv"
	says 1 "$1.csv$2" "$real" tasks infer "$dir/$1.csv"
}

bad()
{
	refuses empty ': the file is empty' </dev/null
	refuses head ':1: there is no column "stack"' <<<"${head_line%,stack}"
	refuses twice ':1: columns 1 and 2 are both "seq"' <<<"seq,$head_line"
	refuses seq ':2: column 1 (seq): no whole number' <<<"$head_line"$'\n-1,1,a,lock,m,f'
	refuses time ':3: column 2 (time_us): no time' <<<"$head_line"$'\n1,1,a,lock,m,f\n2,nan,a,lock,m,f'
	refuses thread ':2: column 3 (thread): is empty' <<<"$head_line"$'\n1,1,,lock,m,f'
	refuses op ':2: column 4 (op): is none of lock, unlock' <<<"$head_line"$'\n1,1,a,lick,m,f'
	refuses object ':2: column 5 (object): is empty' <<<"$head_line"$'\n1,1,a,lock,,f'
	refuses same ':4: seq 1 is that of line 2 too' <<<"$head_line"$'\n1,1,a,lock,m,f\n2,1,a,lock,m,f\n1,1,a,lock,m,f'
	refuses cut ':3: 4 fields, but the first line has 6' <<<"$head_line"$'\n1,1,a,lock,m,f\n2,1,a,lo'
	refuses cpu ':2: column 7 (cpu_us): no time' <<<"$head_line,cpu_us"$'\n1,1,a,lock,m,f,x'
	refuses bytes ':2: column 7 (bytes): no whole number' <<<"$head_line,bytes"$'\n1,1,a,send,m,f,1e3'
	printf '%s\n1,1,\xff,lock,\xfe,\x1bf\xff\n2,2,\xff,unlock,\xfe,f\n' $head_line >"$dir/odd.csv"
	run "$real" tasks infer "$dir/odd.csv" --json
	good 'bytes that are no text' '.[0] | (.leaves | length == 1) and (.tasks | length == 1)'
	run "$real" tasks infer "$dir/odd.csv"
	[[ $status == 0 ]] && ! grep -qP '[\x00-\x09\x0b-\x1f]' "$dir/out" "$dir/err"
	result $? 'no control character of a name reaches the terminal'
	echo $head_line >"$dir/none.csv"
	run "$real" tasks infer "$dir/none.csv" --json
	good 'no event: no task' '.[0] | .trace.events == 0 and .leaves == [] and .jobs == [] and .tasks == []'
}

leaves()
{
	points leaves.csv ,cpu_us,wait_us,colour <<-END
	a start - f 5 0 red
	a lock m f;g 5 0 red
	b lock n f;g 0 0 red
	a unlock m f;g 8 4 red
	a lock m f;g 9 1 red
	b unlock n f;g 3 2 red
	a unlock m f;g 19 2 red
	END
	run "$real" tasks infer "$dir/leaves.csv" --json
	good 'leaves: successive sync points of a thread; classes: their stacks' '.[0] |
		[.leaves[] | [.thread, .first_seq, .last_seq, .class]] ==
		[["a",1,2,0], ["a",2,4,1], ["b",3,6,1], ["a",4,5,2], ["a",5,7,1]] and
		[.edges[] | [.from, .to, .kind]] == [[0,1,"thread"],[1,3,"thread"],[3,4,"thread"]] and
		[.tasks[] | [.support, .label]] == [[1,"f start -> f;g lock"], [3,"f;g lock -> f;g unlock"],
		[1,"f;g unlock -> f;g lock"]]'
	good 'what they took' '.[0] | .tasks[1] | (.time_s * 1e6 | round) == 70 and (.cpu_s * 1e6 | round) == 16 and
		(.wait_s * 1e6 | round) == 8 and (.concurrency * 1e6 | round) == 1166667 and .handoff_s == null'
	good 'columns of no use are told' '.[0].notes | length == 1 and (.[0] | contains("column 9"))'
	run "$real" tasks infer "$dir/leaves.csv" --json
	mv "$dir/out" "$dir/first"
	{ head -n 1 "$dir/leaves.csv"; tail -n +2 "$dir/leaves.csv" | tac; } >"$dir/back.csv"
	run "$real" tasks infer "$dir/back.csv" --json
	[[ $status == 0 ]] && jq -es --slurpfile first "$dir/first" '.[0] | (.notes[1] | contains("6 lines stand before"))
		and [.leaves, .edges, .jobs] == ($first[0] | [.leaves, .edges, .jobs])' "$dir/out" >/dev/null
	result $? 'in another order: the same, and a note'
	run "$real" tasks infer "$dir/leaves.csv"
	[[ $status == 0 ]] && grep -q 'f;g lock -> f;g unlock  *3 ' "$dir/out" &&
		grep -q '^7 events of 2 threads, 0 lost; 5 leaf tasks of 3 kinds, 0 hand-offs$' "$dir/out"
	result $? 'for people'
}

uses()
{
	points mutex.csv <<<$'a lock o f\na unlock o f\nb lock o f\nb unlock o f\na lock o f\na unlock o f'
	hands mutex.csv mutex '[]'
	# b was in its library when the recording began.
	{ printf 'b wait o f\n'; for _ in {1..6}; do printf 'a lock o f\na unlock o f\n'; done; printf 'b unlock o f\n'; } | points early.csv
	hands early.csv mutex '[]'
	points semaphore.csv <<<$'a wait o f\na signal o f\nb wait o f\na wait o f\nb signal o f\na signal o f\nb wait o f\nb signal o f'
	hands semaphore.csv mutex '[]'
	# 3 wakes nobody, as b begins to wait behind 4; 6 wakes c, which has waited longer.
	points condition.csv <<-END
	a start - f
	b start - f
	a signal o f
	c lock m f
	b lock m f
	a signal o f
	a signal o f
	b wait o f
	c wait o f
	c unlock m f
	b unlock m f
	END
	hands condition.csv condition '[[7,8],[6,9]]'
	# a waits and takes what 4 is for; b and a then find what 11 and 14 are for, and wait for nothing.
	points guarded.csv <<-END
	a lock m get
	a unlock m get
	p lock m put
	p signal o put
	p unlock m put
	a wait o get
	a lock m get
	a unlock m get
	a lock n w
	p lock m put
	p signal o put
	p unlock m put
	p lock m put
	p signal o put
	p unlock m put
	a unlock n w
	b lock m get
	b unlock m get
	b lock n w
	b unlock n w
	a lock m get
	a unlock m get
	a lock n w
	a unlock n w
	END
	hands guarded.csv 'guarded queue' '[[4,6],[11,17],[14,21]]'
	# The same with a second condition of the mutex, waited for by p: what a takes first nobody put, so it may be room.
	{ head -n 1 "$dir/guarded.csv"; cat <<-END; tail -n +2 "$dir/guarded.csv" | awk -F, -v OFS=, '{ $1 += 20; $2 += 900; print }'; } >"$dir/room.csv"
	1,10,a,lock,m,get
	2,20,a,unlock,m,get
	3,30,a,lock,n,w
	4,40,a,unlock,n,w
	5,50,p,lock,m,put
	6,60,p,unlock,m,put
	7,70,a,signal,r,get
	8,80,p,wait,r,put
	9,90,p,lock,m,put
	10,100,p,unlock,m,put
	11,110,p,lock,n,w
	12,120,p,unlock,n,w
	13,130,p,lock,n,w
	14,140,p,unlock,n,w
	15,150,p,lock,n,w
	16,160,p,unlock,n,w
	17,170,p,lock,n,w
	18,180,p,unlock,n,w
	19,190,p,lock,n,w
	20,200,p,unlock,n,w
	END
	run "$real" tasks infer "$dir/room.csv" --json
	good 'room.csv: condition, where something may have been there at first' '.[0].objects[] |
		select(.object == "o") | .use == "condition"'
	points broadcast.csv <<<$'a start - f\na signal o f\nb wait o f\nb exit - f\nc wait o f\nc exit - f\nd wait o f\nd exit - f\ne wait o f\ne exit - f'
	hands broadcast.csv broadcast '[[2,3],[2,5],[2,7],[2,9]]'
	points events.csv <<<$'a start - f\na signal o f\na signal o f\na signal o f\nb wait o f\na signal o f\na signal o f\nb wait o f\nb exit - f'
	hands events.csv events '[[2,5],[3,5],[4,5],[6,8],[7,8]]'
	points counter.csv <<<$'a start - f\na signal o f\na signal o f\nb wait o f\nc wait o f\nb exit - f\nc exit - f'
	hands counter.csv counter '[[2,4],[3,5]]'
	points queue.csv <<<$'a start - f\na enq o f\nb deq o f\na enq o f\na enq o f\nb deq o f\nc deq o f\nb exit - f\nc exit - f'
	hands queue.csv queue '[[2,3],[4,6],[5,7]]'
	# One was put in before anybody looked: the first taking is of that.
	points before.csv <<<$'a start - f\na enq o f\nb deq o f\nb deq o f\nb exit - f'
	hands before.csv queue '[[2,4]]'
	# Full of 3 all the time, and one event of nobody is missing: no taking was.
	awk -v head="$head_line" 'function point(what) { printf "%d,%d,%s\n", ++seq, seq, what }
		BEGIN { print head; point("a,start,,f"); point("b,start,,f"); point("a,enq,o,f"); point("a,enq,o,f")
			for (i = 0; i < 90; i++) { if (i == 45) seq++; point("a,enq,o,f"); point("b,deq,o,f") }
			point("b,exit,,f") }' >"$dir/full.csv"
	run "$real" tasks infer "$dir/full.csv" --json
	good 'a full queue comes down to nothing never' '.[0].objects[] | select(.object == "o") | .corrections == 0 and .matched == 90'
	points never.csv <<<$'a wait o f\nb deq p f\na wait o f\nb exit - f\na exit - f'
	hands never.csv counter '[]'
	good 'waits for what nobody gives are counted' '[.[0].objects[] | [.object, .taken, .unmatched]] ==
		[["o",2,2],["p",1,1]]'
}

streams()
{
	points order.csv <<<$'a start - f\nb start - f\na send o f\nb recv o f\nb send o f\na send o f\na recv o f\nb recv o f\na exit - f\nb exit - f'
	hands order.csv stream '[[3,4],[5,7],[6,8]]'
	# 4 has the first and part of the second, 6 the rest of it, 7 the third.
	points bytes.csv ,bytes,position <<-END
	a start - f 0 0
	a send o f 10 0
	a send o f 20 10
	b recv o f 15 0
	a send o f 5 30
	b recv o f 15 15
	b recv o f 5 30
	b exit - f 0 0
	END
	hands bytes.csv stream '[[2,4],[3,4],[3,6],[5,7]]'
	# Two threads write, and their writing is not seen in the order of the bytes; 6 does not say where.
	points pipe.csv ,bytes,position <<-END
	a start - f 0 0
	c start - f 0 0
	a enq o f 10 10
	c enq o f 10 0
	a enq o f 5
	b deq o f 15 0
	b deq o f 5 15
	b deq o f 5
	b exit - f 0 0
	END
	sed -i 's/,f,5$/,f,5,/' "$dir/pipe.csv"
	hands pipe.csv queue '[[3,6],[4,6],[3,7],[5,8]]'
	# Positions that begin anew are none.
	points anew.csv ,bytes,position <<<$'a start - f 0 0\na send o f 10 0\nb recv o f 10 0\na send o f 10 0\nb recv o f 10 0\nb exit - f 0 0'
	hands anew.csv stream '[[2,3],[4,5]]'
	points many.csv <<<$'a start - f\na send o f\nb recv o f\nc send o f\na recv o f\nb exit - f\na exit - f'
	hands many.csv stream '[]'
	good 'three threads and no ends: counted' '.[0].objects[0] | .taken == 2 and .unmatched == 2'
	points ends.csv ,end <<<$'a start - f -\nc start - f -\na send o f x\nb recv o f y\nc send o f y\na recv o f x\nb exit - f -\na exit - f -'
	hands ends.csv stream '[[3,4],[5,6]]'
}

# a waits and is woken, but b has been quicker, in every other round: a leaves by another way and begins again.
# In the first three somebody takes something whose visit had begun before the recording.
stolen()
{
	awk 'function visit(thread, last) { print thread, "lock m get"; print thread, "unlock m", last; print thread, "lock n w"; print thread, "unlock n w" }
		BEGIN { for (i = 0; i < 20; i++) {
			if (i < 3)
				print "p lock m put\np signal o put\np unlock m put\nc" i, "unlock m take\nc" i, "lock n w\nc" i, "unlock n w"
			print "a lock m get\na unlock m get\np lock m put\np signal o put\np unlock m put"
			if (i % 2) visit("b", "take")
			print "a wait o get"
			visit("a", i % 2 ? "get" : "take")
		} }' | points stolen.csv
	hands stolen.csv 'guarded queue' "$(awk 'BEGIN { printf "["; for (i = n = 0; i < 20; i++) { n += i < 3 ? 6 : 0; printf "%s[%d,%d]", i ? "," : "", n + 4, n + 6; n += i % 2 ? 14 : 10 } printf "]" }')"
}

# l accepts for a, who reads in two pieces, asks someone on d, and answers; what comes next is for another job, and
# so is what l accepts without having waited again.
received()
{
	points received.csv ,end <<-END
	l wait e poll -
	l recv s accept -
	l enq q push -
	a deq q pop -
	a recv c read server
	a recv c read server
	a send d ask client
	a recv d answer client
	a send c reply server
	a recv c read server
	a send c reply server
	l recv s accept -
	l enq q push -
	a deq q pop -
	a exit - f -
	l exit - f -
	END
	run "$real" tasks infer "$dir/received.csv" --json
	good 'what is received belongs to what it was received for' '[.[0].jobs[].leaves | length] == [9,2,3]'
	# Two connections, which nobody is seen to take: the second is not the rest of the first, as bytes are of others,
	# though it is not known how many, or of none there.
	points accepted.csv ,bytes <<-END
	l wait e poll -
	l recv s accept -
	l lock m add -
	l unlock m add -
	l recv s accept -
	l lock m add -
	l unlock m add -
	a wait e poll -
	a recv c read 100
	a recv c read -
	a send c reply 50
	b wait e poll -
	b recv d read -
	b recv d read -
	b send d reply 50
	g wait e poll -
	g recv k read 100
	g recv k read -
	a exit - f -
	b exit - f -
	g exit - f -
	l exit - f -
	END
	sed -i 's/,-$/,/' "$dir/accepted.csv"
	run "$real" tasks infer "$dir/accepted.csv" --json
	good 'who is accepted is no rest of who was accepted before' '[.[0].jobs[].leaves | length] == [4,3,4,4,3]'
}

# jobs_are FILE JOBS SENTENCE: of each job its leaves by the seq that they begin with, from lines "thread op object
# stack end" on standard input
jobs_are()
{
	points "$1" ,end
	run "$real" tasks infer "$dir/$1" --json
	good "$3" '.[0] as $o | ($o.leaves | map({key: "\(.id)", value: .first_seq}) | from_entries) as $first |
		[$o.jobs[].leaves | map($first["\(.)"]) | sort] == '"$2"
}

# Who has not answered yet may wait, for what somebody else gives back or for a time: that is still for who has asked.
at_work()
{
	jobs_are atwork.csv '[[1,2,5,7],[3,4,6],[8,9,10]]' 'who waits before it answers goes on with the same job' <<-END
	a wait e poll -
	a recv c read server
	b recv d read server
	b signal l free -
	a wait l latch -
	b send d reply server
	a send c reply server
	a recv c read server
	a wait t sleep -
	a send c reply server
	a exit - f -
	b exit - f -
	END
	# Twice: what follows the first wait may be anybody's.
	jobs_are twice.csv '[[1,2,3,9,10],[4,5,6,7,8]]' 'the last wait, that is' <<-END
	a wait e poll -
	a recv c read server
	a lock m count -
	b recv d read server
	b signal l free -
	a wait l latch -
	b signal l free -
	b send d reply server
	a wait l latch -
	a send c reply server
	a exit - f -
	b exit - f -
	END
	# An event loop that a pool tells: of two questions it answers the first, whichever it has received last.
	jobs_are loop.csv '[[1,2,3,7,8,9,10],[4,5,6]]' 'an event loop goes on with what it is told of' <<-END
	e recv c read server
	e signal q push -
	w wait q pop -
	e recv c read server
	e signal r push -
	v wait r pop -
	w lock m work -
	w signal o done -
	e wait o poll -
	e send c reply server
	e exit - f -
	w exit - f -
	v exit - f -
	END
	# Who has answered already is told nothing for that any more.
	jobs_are late.csv '[[1,2,3,4,6],[5,7,8]]' 'what was answered does not come back' <<-END
	a recv c read server
	a signal q push -
	w wait q pop -
	a send c reply server
	a recv c read server
	w signal l free -
	a wait l latch -
	a send c reply server
	a exit - f -
	w exit - f -
	END
	# What a pool fetches before it asks somebody is no part of what was answered before.
	jobs_are asks.csv '[[1,2,3,4,5],[6,7,8,9,10]]' 'who asks is not at work on the last answer' <<-END
	p recv c read server
	p signal o push -
	w wait o pop -
	w send u ask 0
	w recv u answer 0
	p recv c read server
	p signal o push -
	w wait o pop -
	w send u ask 0
	w recv u answer 0
	p exit - f -
	w exit - f -
	END
}

# b always takes something out between its lock and its unlock: what is missing there was that.
mended()
{
	local i

	for i in {1..30}; do
		printf '%s\n' 'a lock m make' "a enq o make" 'a unlock m make' 'b lock m work' 'b deq o work' 'b unlock m work'
	done | points whole.csv
	sed '/^59,/d; /^92,/d' "$dir/whole.csv" >"$dir/mended.csv"
	run "$real" tasks infer "$dir/mended.csv" --json
	good 'what is missing is known from what threads always do' '.[0] as $o | ($o.leaves | map({key: "\(.id)", value: .}) |
		from_entries) as $leaf | $o.trace.lost == 2 and $o.trace.mended == 2 and
		[$o.edges[] | select(.kind == "handoff") | [$leaf["\(.from)"].last_seq, $leaf["\(.to)"].first_seq]] ==
		[range(0; 30) | [6 * . + 2, 6 * . + 5] | select(.[1] != 59 and .[0] != 92)] and
		($o.jobs | length == 30) and ($o.objects[] | select(.object == "o") |
		.given == 29 and .taken == 29 and .matched == 28 and .corrections == 2)'
	run "$real" tasks infer "$dir/mended.csv"
	[[ $status == 0 ]] && grep -q '^of what was lost 2 were put in again' "$dir/out"
	result $? 'and it says so'
	sed '2,${n;d}' "$dir/whole.csv" >"$dir/half.csv"
	run "$real" tasks infer "$dir/half.csv" --json
	good 'half of it is missing: nothing is known' '.[0].trace | .mended == 0 and .mend_cut'
}

# Six jobs of six leaves, the last of which are cut off: five are alike.
higher()
{
	local i

	for i in 1 2 3 4 5 6; do
		printf 'a lock m make;lock\na enq q make\na unlock m make;unlock\nb deq q work\nb lock n work;lock\nb unlock n work;unlock\n'
	done | points jobs.csv
	run "$real" tasks infer "$dir/jobs.csv" --json
	good 'higher tasks: five jobs become one node each' '.[0].tasks as $t |
		def leaves($i): if $t[$i].level == 0 then 1 else [$t[$i].members[] | leaves(.)] | add end;
		[$t[] | select(.support == 5 and leaves(.id) == 6)] | length == 1 and (.[0].time_s * 1e6 | round) == 600 and
		(.[0].label | startswith("make;lock -> "))'
	good 'levels, members, support' '.[0] as $o | $o.mining.support == 3 and $o.mining.size == 4 and ($o.mining.cut | not) and
		$o.mining.shapes == 2 and all($o.tasks[] | select(.level > 0); .support >= 3 and (.members | length >= 2 and length <= 4)
		and .level == 1 + ([.members[] as $m | $o.tasks[$m].level] | max) and all(.members[]; . < $o.tasks[-1].id))'
	run "$real" tasks infer "$dir/jobs.csv" --json --support 7
	good '--support 7: none' '.[0] | .mining.support == 7 and all(.tasks[]; .level == 0)'
	run "$real" tasks infer "$dir/jobs.csv" --json --size 2
	good '--size 2: pairs of pairs' '.[0].tasks | any(.level >= 3) and all(.[]; .members | length == 0 or length == 2)'
	says 2 '--size 7 is out of range' "$real" tasks infer --size 7 "$dir/jobs.csv"
	run "$real" tasks infer "$dir/jobs.csv"
	[[ $status == 0 ]] && grep -q '2  make;lock -> .*  5  ' "$dir/out" && grep -q '^task [0-9]* is made of [0-9]* [0-9]*' "$dir/out"
	result $? 'higher tasks for people'
}

# a holds m from 10 to 40 and b from 42 to 58, while b sleeps from 17 and c from 20 to 60.
contention()
{
	cat >"$dir/contention.csv" <<-END
	$head_line,wait_us,bytes
	1,0,a,start,,slow,,
	2,1,b,start,,quick,,
	3,2,c,start,,quick,,
	4,10,a,lock,m,slow,0,
	5,40,a,unlock,m,slow,,
	6,42,b,lock,m,quick,25,
	7,58,b,unlock,m,quick,,
	8,60,c,lock,m,other,40,
	9,70,c,unlock,m,other,,
	10,80,a,send,s,slow,,500
	11,90,a,recv,s,slow,10,20
	12,100,a,exit,,slow,,
	END
	run "$real" tasks infer "$dir/contention.csv" --json
	good 'sleeps for a mutex: how long, how many, how much of the time, and for whom' '.[0] as $o |
		def us: . * 1e6 | round; $o.objects[] | select(.object == "m") | .waits == 2 and (.wait_s | us) == 65 and
		.waiting_threads == 2 and (.waited_share * 100 | round) == 43 and (.held_s | us) == 59 and
		(.holder_s | us) == 43 and $o.tasks[.holder].label == "slow lock -> slow unlock"'
	{ sed 's/$/,,/; 1s/,,$/,read_bytes,written_bytes/; /^4,\|^5,/d' "$dir/contention.csv"
		printf '4,10,a,lock,m,slow,0,,4096,0\n5,40,a,unlock,m,slow,,,8192,1000\n'; } >"$dir/storage.csv"
	run "$real" tasks infer "$dir/storage.csv" --json
	good 'bytes read and written' '[.[0].tasks[] | [.read_bytes, .written_bytes] | select(. != [null, null])] == [[4096, 1000]]'
	run "$real" tasks infer "$dir/contention.csv" --json
	good 'bytes sent and received' '[.[0].tasks[] | [.sent_bytes, .received_bytes] | select(. != [null, null])] ==
		[[500, null], [null, 20]]'
	run "$real" tasks infer "$dir/contention.csv"
	[[ $status == 0 ]] && grep -q 'm  *mutex  *2  *2  *0.065  *43 .* 66.2  *slow lock -> slow unlock$' "$dir/out"
	result $? 'for people'
	run "$real" tasks infer "$dir/jobs.csv" --json
	good 'without wait_us nothing is said' '.[0] | .in_step == null and all(.objects[]; .waits == null and .holder == null)'
	# b gives the mutex back while it waits: nobody sleeps for its leaf from 20 to 60 but from 60 to 65.
	cat >"$dir/back.csv" <<-END
	$head_line,wait_us
	1,0,a,start,,f,
	2,1,b,start,,f,
	3,10,b,lock,m,f,0
	4,40,a,signal,c,g,0
	5,60,b,wait,c,h,45
	6,70,b,unlock,m,i,0
	7,75,a,lock,m,g,50
	END
	run "$real" tasks infer "$dir/back.csv" --json
	good 'a condition gives the mutex back' '.[0] as $o | $o.objects[] | select(.object == "m") |
		(.held_s * 1e6 | round) == 10 and $o.tasks[.holder].label == "h wait -> i unlock"'
}

# One job: make 1 to 11, on the queue to 31, handle to 51, of which 12 for a lock that c holds.
paths()
{
	cat >"$dir/path.csv" <<-END
	$head_line,wait_us
	1,0,b,start,,f,
	2,0,c,start,,f,
	3,1,a,recv,s,make,0
	4,11,a,enq,q,make,0
	5,15,c,lock,m,c,0
	6,31,b,deq,q,work,0
	7,32,a,recv,s,make,0
	8,46,c,unlock,m,c,0
	9,47,b,lock,m,work,12
	10,51,b,unlock,m,work,0
	11,60,b,wait,z,work,0
	12,62,b,exit,,work,0
	13,62,c,exit,,c,0
	END
	run "$real" tasks infer "$dir/path.csv" --json
	good 'the critical path, and whose fault it is' '.[0] as $o | $o.paths[0] | (.time_s * 1e6 | round) == 50 and
		(.handoff_s * 1e6 | round) == 20 and (.slowest_s * 1e6 | round) == 12 and (.held_s * 1e6 | round) == 12 and
		$o.tasks[.slowest].label == "c lock -> c unlock"'
}

# One job: make 1 to 11, when b can receive what a sends until 31, on the way to 21, handle to 36.
blocked()
{
	cat >"$dir/blocked.csv" <<-END
	$head_line,wait_us,bytes,position,end,given_us
	1,0,b,start,,f,,,,,
	2,1,a,recv,s,make,0,,,,
	3,31,a,send,t,make,18,100,0,0,11
	4,21,b,recv,t,work,0,100,0,1,
	5,32,a,recv,s,make,0,,,,
	6,36,b,send,z,work,0,,,,
	7,41,b,wait,y,work,0,,,,
	8,42,b,exit,,work,,,,,
	END
	run "$real" tasks infer "$dir/blocked.csv" --json
	good 'a send that waits for room has told the other end before' '.[0] as $o | $o.paths[0] |
		(.time_s * 1e6 | round) == 35 and (.handoff_s * 1e6 | round) == 10 and
		([$o.tasks[] | .handoff_s // 0] | add * 1e6 | round) == 10 and all($o.notes[]; contains("before that of") | not)'
	sed -i '4s/,11$/,/' "$dir/blocked.csv"
	run "$real" tasks infer "$dir/blocked.csv" --json
	good 'times that go back are noted with by how much' \
		'.[0].notes | any(contains("1 events have a time before that of the one with the seq before, by up to 0.01 ms"))'
}

# senders: all sleep at once as one sleeps with the lock held; calls: each for itself.
in_step()
{
	local program

	for program in senders calls pool reactor pipeline; do
		mkdir -p "$dir/$program"
		python3 "$here/sync-points.py" make $program 3 1500 0 "$dir/$program" || return
		run "$real" tasks infer "$dir/$program/trace.csv" --json
		if [[ $program == senders ]]; then
			good "senders are in step: $(jq -c '.in_step' "$dir/out")" '.[0] as $o | ($o.in_step | length == 1) and
				($o.in_step[0] | .object == "send_lock" and (.threads | sort) == ["sender0", "sender1", "sender2", "sender3"]
				and .together > 0.8 and .share > 0.3 and (.between_jobs | not))'
			good 'and what they wait for is a send that sleeps' '.[0] as $o |
				all($o.objects[] | select(.object == "send_lock"), $o.paths[0]; $o.tasks[.holder // .slowest].label ==
				"send_packet;lock -> send_packet;send")'
			run "$real" tasks infer "$dir/senders/trace.csv"
			grep -q '^threads sender[0-3], sender[0-3], sender[0-3], sender[0-3] are in step: .* send_lock ' "$dir/out" &&
				grep -q '^jobs of type 0 .*(send_packet;lock -> send_packet;send): ' "$dir/out"
			result $? 'for people'
		else
			good "$program: nobody is in step" '.[0].in_step == []'
		fi
	done
}

# What would take for ever is cut, and it says so: a signal that thousands wait for; jobs that
# begin with a signal for 25 threads, which come back in any order.
bounds()
{
	awk -v head="$head_line" -v n=20000 'function point(what) { printf "%d,%d,%s\n", ++seq, seq, what }
		BEGIN { print head; point("g,start,,f")
			for (i = 0; i < n; i++) point("t" i ",start,,f")
			point("g,signal,o,s")
			for (i = 0; i < n; i++) point("t" i ",wait,o,w")
			for (i = 0; i < n; i++) point("t" i ",exit,,x") }' >"$dir/star.csv"
	run timeout 60 "$real" tasks infer --effort 2000000 "$dir/star.csv" --json
	good 'one signal, 20000 waits: mining is cut' '.[0] | .mining.cut and .mining.jobs_by_time == 1 and (.edges |
		map(select(.kind == "handoff")) | length == 20000)'
	run timeout 60 "$real" tasks infer --effort 2000000 "$dir/star.csv"
	[[ $status == 0 ]] && grep -q '^only the first [0-9]* pieces' "$dir/out" && grep -q '^1 jobs have more than 64' "$dir/out"
	result $? 'and it says so'
	[[ ${TIERLENS_TESTS:-} == all ]] || return 0
	awk -v head="$head_line" -v n=25 'function point(what) { printf "%d,%d,%s\n", ++seq, seq, what }
		function shuffle(i, k, t) { for (i = n; i > 1; i--) { k = 1 + int(rand() * i); t = p[i]; p[i] = p[k]; p[k] = t } }
		BEGIN { print head; srand(1); for (i = 1; i <= n; i++) { p[i] = "t" i; point(p[i] ",start,,f") }
			for (job = 0; job < 1500; job++) {
				point("in,recv,sock,r"); point("in,signal,o,g")
				shuffle(); for (i = 1; i <= n; i++) point(p[i] ",wait,o,w")
				shuffle(); for (i = 1; i <= n; i++) point(p[i] ",lock,m" i ",l")
			} }' >"$dir/stars.csv"
	run timeout 60 "$real" tasks infer "$dir/stars.csv" --json --size 2
	good 'the same 25 in any order: a few shapes, or told apart by time' '.[0].mining | .jobs_by_time > 0 or .shapes < 5'
}

# plants PROGRAM SEED JOBS LOST FILTER: what is found on a planted trace
plants()
{
	mkdir -p "$dir/$1" && python3 "$here/sync-points.py" make "$1" "$2" "$3" "$4" "$dir/$1" || return
	run "$real" tasks infer "$dir/$1/trace.csv" --json
	mv "$dir/out" "$dir/$1/out.json"
	python3 "$here/sync-points.py" judge "$dir/$1" "$dir/$1/out.json" >"$dir/out" 2>>"$dir/err"
	good "$1 $2, $4 lost: $(<"$dir/out")" ".[0] | .leaves_exact and .from_mutexes == 0 and .types == 2 and
		.types_apart and $5"
}

planted()
{
	local program seed seeds='1 2'

	[[ ${TIERLENS_TESTS:-} == all ]] && seeds=$(seq 1 20)
	for seed in $seeds; do
		for program in pool reactor pipeline bounded; do
			plants $program "$seed" 250 0 '.precision == 1 and .recall == 1 and .rand > 0.9999 and
				.found_jobs == 250 and .types_right == 1'
			plants $program "$seed" 400 0.002 '.precision >= 0.99 and .recall >= 0.99 and .rand >= 0.99 and
				.types_right >= 0.99'
			plants $program "$seed" 400 0.02 '.precision >= 0.98 and .recall >= 0.98 and .rand >= 0.95 and
				.types_right >= 0.98'
		done
	done
}

usage
bad
leaves
uses
streams
stolen
received
at_work
mended
higher
contention
paths
blocked
in_step
bounds
planted
finish
