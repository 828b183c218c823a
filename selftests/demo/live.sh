#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: manual
#
# The demo's part in the guest: service, module, load, live table, recording.
. /job/lib.sh
. /job/chain.sh

seconds=${SECONDS_OF_LOAD:-60}

say()
{
	printf '\n\033[1m$ %s\033[0m\n' "$*"
}

cd /job/demo || exit 1
echo 'Starting MariaDB, php-fpm and nginx ...'
./start.sh >/tmp/start.log 2>&1 || { cat /tmp/start.log; exit 1; }
say insmod tierlens.ko
insmod /job/modules/tierlens.ko || exit 1
say tierlens enable
tierlens enable || exit 1
for tier in nginx:8080 php-fpm:9000 mariadb:3306; do
	say "tierlens tier add ${tier%:*} --port ${tier#*:}"
	tierlens tier add "${tier%:*}" --port "${tier#*:}"
done
load --to 127.0.0.1:8080 --proto http --mix mix.txt --tail '</html>' --connections 4 \
	--think-ms 40 --think-exp --requests 1000000 --seconds "$seconds" >/out/load.json 2>/tmp/load.err &
load=$!
record /out/shop.jsonl
say tierlens
tierlens top -n "$((seconds - 2))"
failed=''
wait $load || failed+=" load ($(tail -n 1 /tmp/load.err))"
wait_for_interval
stop_record || failed+=' record'
say tierlens status
tierlens status
tierlens disable
rmmod tierlens
./stop.sh >/dev/null
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
