#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: manual timeout=2400
#
# One of the hosts of tools/eval-hosts: HOST 1 is nginx's, and asks; 2 is php-fpm's, 3 MariaDB's; 0 has all three.
# The clock goes CLOCK seconds ahead. In every second part all comes DELAY ms later to php-fpm.
. /job/lib.sh
. /job/chain.sh

host=${HOST:-0} requests=${REQUESTS:-300} names=(all nginx php-fpm mariadb)

# A port of those that hosts have for each other: who connects learns that it is ready, then that it is over.
wait_for_word()
{
	python3 -c 'import socket, sys
s = socket.create_server((sys.argv[1], 7777))
for turn in range(2):
    s.accept()[0].close()' "10.77.0.$host"
}

say_to()
{
	wait_until 900 bash -c ": </dev/tcp/10.77.0.$1/7777"
}

network()
{
	modprobe virtio_net
	ip address add "10.77.0.$host/24" dev eth0
	ip address add 10.0.2.15/24 dev eth1
	ip link set eth0 up
	ip link set eth1 up
}

ask()
{
	load --to 127.0.0.1:8080 --proto http --mix mix.txt --tail '</html>' --seconds 2000 --requests "$1" || not_ok 'load'
}

part()
{
	# Until all has been read that was before, and is told.
	sleep "${REST:-15}"
	diag "part $1 begins"
	ask "$requests" >"/out/load-$1.json"
	sleep "${REST:-15}"
	diag "part $1 is over"
}

[ "$host" = 0 ] || network
[ "${CLOCK:-0}" = 0 ] || date -s "@$(($(date +%s) + CLOCK))" >/dev/null
load_module || exit 1
cp -r /job/demo /tmp/demo
cd /tmp/demo || exit 1
shop=()
[ "$host" = 0 ] || shop=(--only "${names[host]}" --php 10.77.0.2 --db 10.77.0.3)
./start.sh "${shop[@]}" >/tmp/start.log 2>&1 || { diag "$(tail -n 20 /tmp/start.log)"; exit 1; }
echo "${TOKEN:-tierlens-tierlens-tierlens}" >/tmp/token
chmod 600 /tmp/token
# Emulated hosts have dear hooks: levels stay what they are.
tierlensd --budget 90% --hosts --listen 0.0.0.0:19477 --token-file /tmp/token --log /out/tierlensd.jsonl 2>/tmp/d.err &
daemon=$!
wait_until 30 eval '[ "$(tlmnl status | jq .enabled)" = 1 ]'
record /out/recording.jsonl
ok "${names[host]} is up"
case $host in
0 | 1)
	[ "$host" = 0 ] || { say_to 2 && say_to 3; } || not_ok 'the others are there'
	ask 50 >/dev/null # nobody knows the pages yet
	part A
	if [ "$host" = 1 ]; then
		for parts in B C D; do
			change=add
			[ $parts != C ] || change=del
			tc qdisc $change dev eth0 root netem delay "${DELAY:-5}ms" || not_ok 'a longer way'
			part $parts
		done
		say_to 2
		say_to 3
	fi ;;
*)
	wait_for_word
	sleep "${REST:-15}" ;;
esac
stop_record || not_ok 'record'
kill -TERM $daemon
wait $daemon || not_ok "tierlensd ends well: $(cat /tmp/d.err)"
./stop.sh >/dev/null
done_testing
