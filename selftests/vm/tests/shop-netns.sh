#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 timeout=900 machine=virtual
#
# The shop with nginx, php-fpm and MariaDB in a network namespace each, against the same load on one host:
# own times within 2 % or 10 us, counts exact, both ends of each call found. Then all comes 5 ms later
# from nginx to php-fpm, which is between these two and nowhere else. One asks at a time: who asks
# less often would wait less for the processor.
. /job/servers.sh

requests=${REQUESTS:-300} delay_ms=5 names=(nginx php-fpm mariadb) ports=(8080 9000 3306)

# ---- helpers ----------------------------------------------------------------

# wire A B NET: joins two of them, A is NET.1 and B is NET.2
wire()
{
	ip link add "to-$2" netns "$1" type veth peer name "to-$1" netns "$2"
	ip -n "$1" addr add "$3.1/24" dev "to-$2"
	ip -n "$2" addr add "$3.2/24" dev "to-$1"
	ip -n "$1" link set "to-$2" up
	ip -n "$2" link set "to-$1" up
}

# in_namespace NAME COMMAND...: a host of its own, with files of its own
in_namespace()
{
	SHOP_RUN=/run/shop-$1 SHOP_LOG=/tmp/shop-$1 ip netns exec "$@"
}

# ask COMMAND...: with that before the load's; what it measures is called $measured_name
ask()
{
	"$@" load --to 127.0.0.1:8080 --proto http --mix mix.txt --tail '</html>' --seconds 300 \
		--requests "$requests" --connections 1 >/tmp/load.json || not_ok "$measured_name: load"
	measured
	is "$(jq .errors /tmp/load.json)" 0 "$measured_name: no request failed"
}

# Each of the PHP processes is to have seen each page, which takes it a millisecond longer for once. They take turns:
# three of them have had each of 16 pages after 48 requests, in this order, and three times over after these.
warm_up()
{
	"$@" load --to 127.0.0.1:8080 --proto http --mix mix.txt --in-order --tail '</html>' --seconds 300 \
		--requests 144 --connections 1 >/dev/null || not_ok 'warm: load'
}

# of NAME COMMAND...: the same figure of another measurement
of()
{
	local recording=/out/$1.jsonl

	"${@:2}"
}

own_ns()
{
	jq -n "$(cell_sum "$recording" "$1" own_ns) / $(count "$1") | round"
}

# between FROM-PORT TO-PORT: mean transit, in milliseconds
between()
{
	jq -n "$(edge_sum "$recording" "$1" "$2" transit_ns) / $(calls "$1" "$2") / 1e3 | round / 1e3"
}

# alike GOT WANTED NAME: within 2 % or 10 us
alike()
{
	check "$3: $1 ns, on one host $2" jq -en "$1 - $2 | fabs <= ([0.02 * $2, 10000] | max)"
}

# later FROM-PORT TO-PORT WANTED NAME: what is between them has become so much more, within a tenth of a millisecond
later()
{
	local more

	more=$(jq -n "$(of farther between "$1" "$2") - $(of apart between "$1" "$2") | . * 1e3 | round / 1e3")
	check "$4: by $more ms" jq -en "$more - $3 | fabs < 0.1"
}

# same NAME: what is to be true wherever the three are
same()
{
	local i

	for i in 0 1 2; do
		is "$(of "$1" count "${ports[i]}")" "$(of one count "${ports[i]}")" "$1: ${names[i]}: as many requests"
		alike "$(of "$1" own_ns "${ports[i]}")" "$(of one own_ns "${ports[i]}")" "$1: ${names[i]}: mean own time"
	done
	for i in 0 1; do
		is "$(of "$1" edge_sum "/out/$1.jsonl" "${ports[i]}" "${ports[i + 1]}" joined)" "$(of one calls "${ports[i]}" "${ports[i + 1]}")" \
			"$1: ${names[i]} to ${names[i + 1]}: the other end of each call was seen"
	done
	is "$(jq -s '[.[].edges[] | select(.tier != null and .peer_tier == null)] | length' "/out/$1.jsonl")" 0 "$1: each call is a tier's"
	measured_name=$1
	is "$(status .events.unattributed)" 0 "$1: no event is unattributed"
}

# ---- on one host ------------------------------------------------------------

modprobe -a veth sch_netem || skip_all 'this kernel has no veth or no netem'
finish_first
cd /job/demo || exit 1
./start.sh --children 3 >/tmp/start.log 2>&1 || { diag "$(tail -n 20 /tmp/start.log)"; exit 1; }
warm_up env
measure one
ask env
./stop.sh >/dev/null

# ---- on three ---------------------------------------------------------------

for name in "${names[@]}"; do
	ip netns add "$name"
	ip -n "$name" link set lo up
done
wire nginx php-fpm 10.1.1
wire php-fpm mariadb 10.1.2
# Whole pages go without being waited for, or what a page is on the way would depend on its size.
ip -n php-fpm route change 10.1.1.0/24 dev to-nginx initcwnd 100
ip -n nginx route change 10.1.1.0/24 dev to-php-fpm initrwnd 100
for name in mariadb php-fpm nginx; do
	in_namespace "$name" ./start.sh --only "$name" --children 3 --php 10.1.1.2 --db 10.1.2.2 >/tmp/start.log 2>&1 ||
		{ diag "$(tail -n 20 /tmp/start.log)"; exit 1; }
done
warm_up ip netns exec nginx
measure apart
ask ip netns exec nginx
same apart

# ---- and farther apart ------------------------------------------------------

tc -n nginx qdisc add dev to-php-fpm root netem delay ${delay_ms}ms || not_ok 'a longer way'
measure farther
ask ip netns exec nginx
same farther
# Each page has a connection of its own: its first packet is on the way, and then what is asked.
later 8080 9000 $((2 * delay_ms)) 'nginx to php-fpm: it takes so much longer'
later 9000 3306 0 'php-fpm to MariaDB: it does not'

for name in nginx php-fpm mariadb; do
	in_namespace "$name" ./stop.sh >/dev/null || not_ok "$name: ends"
	ip netns del "$name"
done
done_testing
