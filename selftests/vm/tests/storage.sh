#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 brief=6.1 timeout=240
#
# Bytes from storage per class, against what the kernel has counted for the process
# (/proc/PID/io): nginx sends files that are not in memory, and one that is. Once it is at
# its leisure and pauses for longer than the quiet time, so that answers end before their rest.
. /job/lib.sh
. /job/chain.sh

[ -r /proc/self/io ] || skip_all 'the kernel does not count what a process reads (CONFIG_TASK_IO_ACCOUNTING)'
www=/tmp/www
files=12
mkdir -p $www
head -c 1000 /dev/zero >$www/small
n=0
while read -r file; do
	ln -s "$file" "$www/$(printf 'f%02d' $n)"
	n=$((n + 1))
done < <(find /usr/lib /usr/bin /usr/sbin -xdev -type f -size +600k -size -8M 2>/dev/null | sort | head -n $files)
is $n $files 'there are files to send'
cat >/tmp/nginx.conf <<END
user root;
pid /tmp/nginx.pid;
events { }
http {
	access_log off;
	sendfile on;
	keepalive_requests 100000;
	server { listen 127.0.0.1:8080; root $www; location /slow/ { alias $www/; limit_rate 2m; } }
}
END
start_nginx /tmp/nginx.conf 8080 || not_ok 'nginx'
worker=$(pgrep -P "$(cat /tmp/nginx.pid)")

# ask NAME...: each once
ask()
{
	local name asks=()

	for name in "$@"; do
		asks+=(--ask "/$name")
	done
	load --proto http --to 8080 "${asks[@]}" --in-order --requests $# >/dev/null || not_ok 'load'
}

read_bytes()
{
	awk '$1 == "read_bytes:" { print $2 }' "/proc/$worker/io"
}

class_bytes()
{
	jq -s "[.[].tiers[].cells[] | select(.class == \"$1\") | .storage_$2_bytes // 0] | add // 0" /tmp/r.jsonl
}

# sends NAME CLASS PREFIX: each file but the first, and what is in memory
sends()
{
	local before read names

	sync
	echo 3 >/proc/sys/vm/drop_caches
	# What nginx itself needs comes back with the first ones.
	ask "$3f00" small "$3f00" small
	record_new /tmp/r.jsonl
	before=$(read_bytes)
	mapfile -t names < <(seq -f "$3f%02g" 1 $((files - 1)))
	ask "${names[@]}" small small small
	stop_record_new /tmp/r.jsonl || not_ok "$1: record"
	cp /tmp/r.jsonl "/out/storage-$2.jsonl"
	diag "losses: $(of_status '.losses | with_entries(select(.value != 0))') $(cat /tmp/record.err)"
	is "$(cell_sum /tmp/r.jsonl 8080 count)" $((files - 1 + 3)) "$1: every request is counted"
	read=$(($(read_bytes) - before))
	check "$1: storage was read at all ($read bytes)" test $read -gt $((files * 600000 / 2))
	if jq -en "$read > 0 and (($(class_bytes "$2" read) - $read) / $read | fabs) <= 0.01" >/dev/null; then
		ok "$1: the files' class has read what the process has ($(class_bytes "$2" read) of $read bytes)"
	else
		not_ok "$1: the files' class has read $(class_bytes "$2" read) of $read bytes"
	fi
	is "$(class_bytes small read)" 0 "$1: the other class has read nothing"
	is "$(class_bytes "$2" write)" 0 "$1: nobody has written"
}

load_module || exit 1
tierlens class add file 'GET /f' >/dev/null
tierlens class add slow 'GET /slow' >/dev/null
tierlens class add small 'GET /small' >/dev/null
# A slow host's client takes its time: no answer shall end before its last byte.
tierlens enable --interval 1000 --quiet 2000 >/dev/null
sends 'at once' file ''
tierlens disable >/dev/null
tierlens enable --interval 1000 --quiet 20 >/dev/null
sends 'at leisure' slow slow/
push=$(of_module push)
check "at leisure: answers ended before their rest ($push pieces)" test "$push" -gt 0
kill "$(cat /tmp/nginx.pid)"
tierlens disable >/dev/null
unload_module
done_testing
