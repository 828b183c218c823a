#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=450 machine=single
#   FUZZ=1000000: as many messages of the fuzzer's; TL_SEED: which
# Without them: 20,000, others every time.
# What the netlink family must refuse, and to whom.
. /job/lib.sh

# Takes over the points of a program that prints TAP itself.
take_tap()
{
	local label=$1 line plan=-1 points=0
	shift

	while IFS= read -r line; do
		case $line in
		'ok '*)		points=$((points + 1))
				ok "$label: ${line#* - }" ;;
		'not ok '*)	points=$((points + 1))
				not_ok "$label: ${line#* - }" ;;
		1..*)		plan=${line#1..} ;;
		*)		diag "${line#\# }" ;;
		esac
	done < <("$@" 2>&1)
	is "$points" "$plan" "$label: came to its end"
}

unprivileged()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all "$@"
}

settings()
{
	tlmnl status | jq -c '[.abi, .enabled, .interval_ms, .quiet_ms, .tiers, .class_rules]'
	tlmnl tier-list
	tlmnl class-list
}

tier_names()
{
	tlmnl tier-list | jq -r .name
}

# tier_at PORT FIELD: of the tier there
tier_at()
{
	tlmnl tier-list | jq -r "select(.port == $1) | .$2"
}

has_tier()
{
	[ -n "$(tier_at "$1" name)" ]
}

# wait_for_tier PORT: somebody listens, and has accepted who came to see whether he does
wait_for_tier()
{
	wait_for_port "$1" 10 && wait_until 10 has_tier "$1"
}

take_tap 'the client is strict' abi-strict
check 'the module is loaded' load_module
check 'the client: status' tlmnl status
check 'the client: enable' tlmnl enable 1000 250
check 'the client: tier-add' tlmnl tier-add kept 7100
check 'the client: class-add' tlmnl class-add kept 'GET\x20\xff' kept
check 'the client: hooks' tlmnl hooks
is "$(tlmnl class-list | jq -c 'del(.id)')" \
	'{"hits":0,"name":"kept","prefix":"GET ÿ","tier":"kept"}' 'the client: class-list'

# Somebody who may not.
before=$(settings)
take_tap 'another user' unprivileged abi-bad denied
take_tap 'a user namespace' unshare -Ur abi-bad denied
take_tap "another user's user namespace" unprivileged unshare -Ur abi-bad denied
is "$(settings)" "$before" 'nothing was changed by those'
is "$(unshare -Urn tlmnl status 2>&1)" 'No such file or directory: ' \
	'another network namespace has no such family'

# A rule that is deleted leaves everything as it was.
tierserver --port 7200 >/tmp/server.log 2>&1 &
server=$!
wait_for_tier 7200
before=$(tlmnl tier-list | jq -c 'del(.connections)')
check 'a rule for a port where somebody listens' tlmnl tier-add named 7200
check 'that rule is deleted' tlmnl tier-del named
is "$(tlmnl tier-list | jq -c 'del(.connections)')" "$before" 'the tiers are what they were'
kill $server

# The same for a socket with a path.
tierserver --port unix:/tmp/a.sock >/tmp/server.log 2>&1 &
server=$!
wait_until 10 test -S /tmp/a.sock
load --to unix:/tmp/a.sock --ask home --requests 3 >/dev/null || not_ok 'load over a UNIX socket'
before=$(tlmnl tier-list | jq -c 'del(.connections)')
is "$(jq -r 'select(.path == "/tmp/a.sock") | .name' <<<"$before")" tierserver:/tmp/a.sock \
	'a tier was discovered on a path'
check 'a rule for a path where somebody listens' tlmnl tier-add named /tmp/a.sock
is "$(tlmnl tier-list | jq -r 'select(.path == "/tmp/a.sock") | .name')" named 'it has the name'
check 'a rule for an abstract one where nobody does' tlmnl tier-add named-too @/tmp/a.sock
check 'those rules are deleted' tlmnl tier-del named
check 'those rules are deleted' tlmnl tier-del named-too
is "$(tlmnl tier-list | jq -c 'del(.connections)')" "$before" 'the tiers are what they were'
kill $server

# Anybody may choose a path, too.
odd=$'/tmp/o\e[2J\n\xc3.sock'
tierserver --port "unix:$odd" >/tmp/server.log 2>&1 &
server=$!
wait_until 10 test -S "$odd"
load --to "unix:$odd" --ask home --requests 3 >/dev/null || not_ok 'load over a UNIX socket'
check 'a tier on an odd path has a name without control characters' tlmnl tier-list
kill $server
tlmnl disable
tlmnl enable

# The name of a discovered tier is the command's, and anybody may choose that.
odd=/tmp/$'e\e[2J\n\x07'
install -m 755 /job/bin/tierserver "$odd"
"$odd" --port 7201 >/tmp/server.log 2>&1 &
server=$!
wait_for_tier 7201
is "$(tier_at 7201 source)" 2 'a tier was discovered'
is "$(tlmnl tier-list | grep -c '\\u00')" 0 'its name has no control characters'
kill $server
check 'tier-del' tlmnl tier-del kept
check 'class-del' tlmnl class-del kept

# A discovered tier may come to be called like a rule.
tlmnl disable
tlmnl tier-add first 7300
tlmnl tier-add tierserver:7202 7301
tlmnl tier-del first
tlmnl enable
tierserver --port 7202 >/tmp/server.log 2>&1 &
server=$!
wait_for_tier 7202
is "$(tier_at 7202 source)" 2 'a tier was discovered'
is "$(tier_names | sort | uniq -d)" '' 'it has no name that a rule has'
check 'that rule can be deleted' tlmnl tier-del tierserver:7202

# Or get back a name that a rule has taken meanwhile.
found=$(tier_at 7202 name)
check 'it gets another name' tlmnl tier-add other 7202
tlmnl tier-add "$found" 7302 2>/dev/null
tlmnl tier-del other
is "$(tier_names | sort | uniq -d)" '' 'its old name was taken: names still differ'
kill $server

diag "$SECONDS s"
take_tap refused abi-bad refused
diag "$SECONDS s"
seed=${TL_SEED:-$RANDOM}
take_tap "fuzz, seed $seed" abi-bad fuzz "${FUZZ:-20000}" "$seed"
diag "$SECONDS s"
check 'status after all that' tlmnl status
check 'the module is unloaded' unload_module
done_testing
