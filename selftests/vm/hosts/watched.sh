#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: manual timeout=1500
#
# The host of tools/eval-page: the shop under a load that changes, and tierlensd with its page, until nobody looks any more.
. /job/lib.sh

seconds=${SECONDS_OF_LOAD:-120}

# Whether the page is open somewhere.
watched()
{
	ss -Htn state established 'sport = :19477' | grep -q .
}

unwatched_for_a_while()
{
	local last=$((SECONDS + 10))

	while [ $SECONDS -lt $last ]; do
		! watched || return 1
		sleep 1
	done
}

modprobe virtio_net
ip address add 10.0.2.15/24 dev eth1
ip link set eth1 up
load_module || exit 1
cp -r /job/demo /tmp/demo
cd /tmp/demo || exit 1
./start.sh >/tmp/start.log 2>&1 || { diag "$(tail -n 20 /tmp/start.log)"; exit 1; }
tierlens enable || exit 1
for tier in nginx:8080 php-fpm:9000 mariadb:3306; do
	tierlens tier add "${tier%:*}" --port "${tier#*:}" || not_ok "tier $tier"
done
tierlens class add product 'GET /product' --tier nginx || not_ok 'class product'
tierlens class add search 'GET /search' --tier nginx || not_ok 'class search'
echo "$TOKEN" >/tmp/token
chmod 600 /tmp/token
# Emulated hosts have dear hooks: levels stay what they are.
tierlensd --budget 90% --listen 0.0.0.0:19477 --token-file /tmp/token --history /tmp/history.db --log /out/tierlensd.jsonl 2>/tmp/d.err &
daemon=$!
end=$((SECONDS + seconds))
diag 'the load begins'
while [ $SECONDS -lt $end ]; do
	for connections in 1 4 2; do
		load --to 127.0.0.1:8080 --proto http --mix mix.txt --tail '</html>' --seconds 10 --requests 1000000 \
			--connections $connections --think-ms 20 --think-exp >/tmp/load.json || not_ok 'load'
	done
done
diag 'the load is over'
check 'somebody looks' wait_until 300 watched
check 'and looks no more' wait_until 900 unwatched_for_a_while
kill -TERM $daemon
wait $daemon || not_ok "tierlensd ends well: $(cat /tmp/d.err)"
tierlens disable
unload_module
./stop.sh >/dev/null
done_testing
