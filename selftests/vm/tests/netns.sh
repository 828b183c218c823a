#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: brief=6.1,5.10,newest timeout=180
#
# Three tiers, each in a network namespace of its own and all on the same port, joined by
# veth: both ends of each call are found, class and path travel down, and the times add up
# to the nanosecond, as on one host they do. A namespace that is deleted while this goes on
# is really gone, and the next one is another.
. /job/lib.sh
. /job/chain.sh

requests=$((240 / slow)) port=9100

# ---- helpers ----------------------------------------------------------------

# namespace NAME: with its number in $NAME
namespace()
{
	ip netns add "$1"
	ip -n "$1" link set lo up
	declare -g "$1=$(ip netns exec "$1" stat -L -c %i /proc/self/ns/net)"
}

# wire A B NET: joins two of them, A is NET.1 and B is NET.2
wire()
{
	ip link add "to-$2" netns "$1" type veth peer name "to-$1" netns "$2"
	ip -n "$1" addr add "$3.1/24" dev "to-$2"
	ip -n "$2" addr add "$3.2/24" dev "to-$1"
	ip -n "$1" link set "to-$2" up
	ip -n "$2" link set "to-$1" up
}

# serve_in NAMESPACE [OPTION...]: a tier named like its namespace
serve_in()
{
	ip netns exec "$1" tierserver --listen "0.0.0.0:$port" --name "$1" --log "/tmp/$1.json" "${@:2}" >/dev/null &
	chain_pids+=($!)
	wait_until 10 listens_in "$1" || not_ok "$1: listens"
}

listens_in()
{
	ip netns exec "$1" ss -Hltn "sport = :$port" | grep -q .
}

ask()
{
	ip netns exec front load --to $port --connections 4 --in-order --ask home --ask cart --seconds $((60 * slow)) \
		--requests $requests >/tmp/load.json || not_ok 'load'
}

jqs()
{
	jq -s "$1" /tmp/r.jsonl
}

# sum TIER KEY [CLASS]
sum()
{
	jqs "[.[].tiers[] | select(.name == \"$1\") | .cells[] | select(\"${3:-}\" == \"\" or .class == \"${3:-}\") | .$2] | add // 0"
}

# edges TIER PEER-TIER KEY
edges()
{
	jqs "[.[].edges[] | select(.tier == \"$1\" and .peer_tier == \"$2\") | .$3] | add // 0"
}

# path NAME: requests that came down it
path()
{
	jqs "[.[].paths[] | select(.path == \"$1\") | .count] | add // 0"
}

# What is measured from now on, while measuring goes on.
measure()
{
	record_new /tmp/r.jsonl
	ask
	stop_record_new /tmp/r.jsonl || not_ok 'record'
	tierlens status --json >/tmp/status.json
}

# add_up FRONT MIDDLE BACK: all that is to be true of a chain, whatever its tiers are called
add_up()
{
	local front=$1 middle=$2 back=$3 name

	is "$(sum "$front" count)" $requests "$front: every request counted once"
	is "$(sum "$middle" count)" $requests "$middle: every request counted once"
	is "$(sum "$back" count)" $((2 * requests)) "$back: every request counted once"
	is "$(edges "$front" "$middle" calls) $(edges "$middle" "$back" calls)" "$requests $((2 * requests))" \
		'each call went to the tier in the other namespace'
	is "$(edges "$front" "$middle" joined) $(edges "$middle" "$back" joined)" "$requests $((2 * requests))" \
		'the other end of each was seen'
	is "$(jqs '[.[].edges[] | .calls] | add')" $((3 * requests)) 'there are no other calls'
	is "$(jqs '([.[].tiers[].cells[].own_ns] | add) + ([.[].edges[].transit_ns] | add)')" \
		"$(sum "$front" response_ns)" 'front response = own times + transit of calls to the nanosecond'
	for name in "$front" "$middle"; do
		is "$(($(sum "$name" response_ns) - $(sum "$name" own_ns)))" \
			"$(jqs "[.[].edges[] | select(.tier == \"$name\") | .time_ns] | add")" \
			"$name: response = own + calls"
	done
	is "$(jqs "[.[].tiers[] | select(.name != \"$front\") | .cells[].response_ns] | add")" \
		"$(jqs '[.[].edges[] | .time_ns - .transit_ns] | add')" \
		'time of the calls less their transit = response of the tiers below'
	is "$(path "$front/home>$middle/home>$back/home")" $requests 'the path of one class goes all the way down'
	is "$(path "$front/cart>$middle/cart>$back/cart")" $requests 'and that of the other'
	is "$(sum "$back" count home) $(sum "$back" count cart)" "$requests $requests" 'classes of the front at the back'
	is "$(jq -c '[.losses | to_entries[] | select(.value != 0 and .key != "quiet") | .key]' /tmp/status.json)" '[]' \
		'nothing is lost'
	is "$(jq .events.unattributed /tmp/status.json)" 0 'no event is unattributed'
}

# ---- named by the namespace -------------------------------------------------

load_module || exit 1
modprobe veth || skip_all 'this kernel has no veth'
for name in front middle back; do
	namespace $name
done
wire front middle 10.1.1
wire middle back 10.1.2
serve_in back --work-us 100
serve_in middle --next 10.1.2.2:$port --calls 2 --work-us 100
serve_in front --next 10.1.1.2:$port --calls 1 --work-us 100
for name in front middle back; do
	tierlens tier add $name --port $port --netns "${!name}" >/dev/null || not_ok "$name: tier"
done
tierlens class add home 'home ' --tier front >/dev/null
tierlens class add cart 'cart ' --tier front >/dev/null
tierlens enable --interval $((300 * slow)) >/dev/null
measure
cp /tmp/r.jsonl /out/netns.jsonl
add_up front middle back
for name in front middle back; do
	is "$(tierlens tier list --json | jq ".tiers[] | select(.name == \"$name\") | .netns")" "${!name}" \
		"$name: the tier is its namespace's"
done

check 'in another namespace the command says where to go' \
	sh -c 'ip netns exec front tierlens status 2>&1 | grep "nsenter --target 1"'

# ---- found by themselves ----------------------------------------------------

for name in front middle back; do
	tierlens tier del $name >/dev/null
	tierlens class del home --prefix 'home ' --tier front >/dev/null 2>&1
	tierlens class del cart --prefix 'cart ' --tier front >/dev/null 2>&1
done
found()
{
	tierlens tier list --json | jq -r ".tiers[] | select(.port == $port and .netns == $1) | .name"
}
is "$(for name in front middle back; do found "${!name}"; done | sort -u | wc -l)" 3 \
	'without rules they are three tiers with three names'
tierlens class add home 'home ' >/dev/null
tierlens class add cart 'cart ' >/dev/null
measure
add_up "$(found "$front")" "$(found "$middle")" "$(found "$back")"

# ---- one is deleted ---------------------------------------------------------

stop_servers
gone_link()
{
	! ip -n middle link show to-back
}
old=$back old_name=$(found "$back")
ip netns del back
check 'a namespace that is deleted is gone while this goes on' wait_until 20 gone_link
is "$(tierlens tier list --json | jq ".tiers[] | select(.name == \"$old_name\") | .netns")" 4294967295 \
	'and its tier knows'
namespace back
wire middle back 10.1.2
diag "the number of the one that is gone was $old, that of the new one is $back"
serve_in back --work-us 100
serve_in middle --next 10.1.2.2:$port --calls 2 --work-us 100
serve_in front --next 10.1.1.2:$port --calls 1 --work-us 100
measure
add_up "$(found "$front")" "$(found "$middle")" "$(found "$back")"
[ "$(found "$back")" != "$old_name" ] && ok 'the tier in the new one has a name of its own' ||
	not_ok 'the tier in the new one has a name of its own'
is "$(sum "$old_name" count)" 0 'and nothing is put down to the old one'

stop_servers

# ---- rules without a namespace ------------------------------------------------

# Five requests in the namespace spare, to a server there.
ask_spare()
{
	ip netns exec spare load --to $spare_port --ask home --requests 5 --seconds $((60 * slow)) >/tmp/load.json || not_ok 'load in spare'
}

# counts NAME WHAT: five more requests are that tier's
counts()
{
	record_new /tmp/r.jsonl
	ask_spare
	stop_record_new /tmp/r.jsonl || not_ok 'record'
	is "$(sum "$1" count)" 5 "$2"
}

spare_listens()
{
	ip netns exec spare ss -Hltn "sport = :$spare_port" | grep -q .
}

serve_spare()
{
	namespace spare
	ip netns exec spare tierserver --port $spare_port --name spare --log /tmp/spare.json >/dev/null &
	chain_pids+=($!)
	wait_until 10 spare_listens
	ask_spare
}

spare_is_gone()
{
	tierlens tier list --json | jq -e ".tiers[] | select(.port == $spare_port and .netns == 4294967295)"
}

spare_port=9200
serve_spare
stop_servers
ip netns del spare
check 'one more is gone' wait_until 20 spare_is_gone
serve_spare
check 'a rule for a port' tierlens tier add web --port $spare_port
counts web 'it names the tier that is there, not one whose namespace has gone'
check 'a rule for that port in that namespace' tierlens tier add mine --port $spare_port --netns "$spare"
counts mine 'it counts for more'
check 'the first rule is deleted' tierlens tier del web
counts mine 'and the second one counts'
check 'a rule for the port again' tierlens tier add web --port $spare_port
check 'the one for the namespace is deleted' tierlens tier del mine
counts web 'and that for the port counts'
stop_servers

tierlens disable
for name in front middle back spare; do
	ip netns del $name
done
unload_module
done_testing
