#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 brief=6.1 timeout=120
#
# Programs of which little can be known while they are recorded: that run another program, end at once, start
# one of 32 bits, or were built without names and without what tells how to come to a caller. The recording
# goes on, says what is not known, and can be read.
. /job/lib.sh
. /job/recording.sh

# bad NAME COMMAND...: which waits for a line, see hold; recorded until it ends
bad()
{
	local name=$1

	mkdir "/tmp/$name"
	hold "/tmp/$name/log" "${@:2}"
	begin_recording "/tmp/$name/table.csv" --pid "$program"
	let_go
	wait "$program"
	is $? 0 "$name: the program is none the worse"
	end_recording
	is "$(recorded_lost)" 0 "$name: nothing is lost"
	check "$name: tasks infer reads it" eval "tierlens tasks infer /tmp/$name/table.csv --json >/tmp/$name/found.json"
	diag "$name: $(jq -c . "/tmp/$name/table.rec")"
}

# noted NAME SENTENCE
noted()
{
	check "$1: $2" jq -e --arg what "$2" '.notes | any(contains($what))' "/tmp/$1/table.rec"
}

load_module || exit 1

bad other bash -c 'read -r; exec jobber --jobs 30 --workers 2 --pause-us 1000 pool'
noted other '1 of the processes ran another program, the first was '
check 'other: what the other one does is recorded' [ "$(jq .events /tmp/other/table.rec)" -gt 60 ]
is "$(awk -F, '$4 == "start" { seen = 1 } seen && $6 != ""' /tmp/other/table.csv | grep -c write_log)" 0 \
	'other: no names are made up for it'

bad short bash -c 'read -r; for ((i = 0; i < 30; i++)); do /bin/true; done'
is "$(jq .processes /tmp/short/table.rec)" 31 'short: each process was seen, however short it was'

# An ELF head of 32 bits, one segment, and exit(7).
{
	printf '\x7fELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0\x54\x80\4\x08\x34\0\0\0\0\0\0\0\0\0\0\0\x34\0\x20\0\1\0\0\0\0\0\0\0'
	printf '\1\0\0\0\0\0\0\0\0\x80\4\x08\0\x80\4\x08\x60\0\0\0\x60\0\0\0\5\0\0\0\0\x10\0\0'
	printf '\xb8\1\0\0\0\xbb\7\0\0\0\xcd\x80'
} >/tmp/exit7
chmod +x /tmp/exit7
/tmp/exit7
if [ $? = 7 ]; then
	bad small bash -c 'read -r; for ((i = 0; i < 5; i++)); do /tmp/exit7; [ $? = 7 ] || exit 1; done'
	noted small '5 of the processes ran another program'
else
	diag 'this kernel runs no programs of 32 bits'
fi

bad bare jobber-bare --wait --jobs 100 --workers 2 --pause-us 1000 pool
noted bare 'stacks do not reach to where their threads began'
check 'bare: places in it are still told apart' [ "$(cut -d, -f6 /tmp/bare/table.csv | grep -o 'jobber-bare+0x[0-9a-f]*' | sort -u | wc -l)" -gt 3 ]
check 'bare: and queues found' jq -e '[.objects[] | select(.use | test("condition|queue"))] | length >= 1' /tmp/bare/found.json
done_testing
