#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Levels of tiers on the command line, and what they do to figures. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"
need_programs

arguments()
{
	says 2 'level needs a level for tier web: off, trace, server, method or auto' "$real" level web
	says 2 'level "most" is none of off, trace, server, method, auto' "$real" level web most
	says 2 'level "auto" is none of off, trace, server, method' "$real" level --default auto
	says 2 '--default goes without "web"' "$real" level web --default server
	says 2 'unexpected argument "now"' "$real" level web trace now
	says 2 '--lease goes with a level' "$real" level web auto --lease 3
	says 2 '--lease 601 is out of range: give 0.1 to 600 seconds' "$real" level web trace --lease 601
	says 2 '--lease "0.05" is not a number from 0.1' "$real" level web trace --lease 0.05
	says 2 '--functions 257 is out of range: give one from 0 to 256' "$real" level web method --functions 257
	says 2 'which functions goes with a tier and its level method' "$real" level web trace --function pay
	says 2 'which functions goes with a tier and its level method' "$real" level --functions 3
	says 2 'the tier "" must have 1 to 31 bytes' "$real" level '' trace
	plays ok 1 'cannot set the level of tier nobody: no tier has that name' level nobody trace
	plays ok 1 'cannot set the level of tier pinned: the level of that tier was set by hand' level pinned trace
	plays eperm 1 'needs CAP_NET_ADMIN' level web trace
}

dialogue()
{
	# 2 is the name, 8 the level, 9 the lease.
	told '2=77656200 8=01000000' level web trace
	told '2=77656200 8=00000000' level web off
	told $'2=77656200 8=03000000 9=c4090000 \n3=77656200' level web method --lease 2.5 --functions 0
	told '2=77656200' level web auto
	told '8=02000000' level --default server
	export TIERLENS_FAKE=levels
	run "$fake" level --json
	good "level --json" '.[0] | .default == "trace" and .tiers == [
		{"tier":"web:80","level":"trace","own":false,"lease_s":null},
		{"tier":"app:9000","level":"method","own":true,"lease_s":2.5},
		{"tier":"sock","level":"trace","own":false,"lease_s":null}] and
		(.functions | map([.tier,.name,.state,.hits,.lost])) == [["app:9000","pay","probed",1000,0],
		["app:9000","hash","hot",2000,1]]'
	run "$fake" level list
	[[ $status == 0 ]] && grep -q '^app:9000  *method, 2.5 s left$' "$dir/out" &&
		grep -q '^(all others)  *trace$' "$dir/out" &&
		grep -q '^app:9000  hash  *dropped: called too often  *2000  *1$' "$dir/out"
	result $? "level list: leases, the default, and a function that was dropped"
	TIERLENS_FAKE=levels,leaving run "$fake" level app:9000 server
	[[ $status == 0 ]] && grep -q '2 functions have not left yet' "$dir/err"
	result $? "functions that do not leave are told of"
	run "$fake" tier list
	[[ $status == 0 ]] && grep -q '^app:9000 .* method, 2.5 s left$' "$dir/out"
	result $? "tier list shows levels"
	run "$fake" tier list --json
	good "tier list --json" '.[0].tiers | map([.level, .own_level, .lease_s]) ==
		[["trace",false,null],["method",true,2.5],["trace",false,null]]'
	run "$fake" status
	[[ $status == 0 ]] && grep -q '^level  *trace, of tiers that have none of their own; 1 functions are probed$' "$dir/out"
	result $? "status tells the default level"
	run "$fake" status --json
	good "status --json" '.[0] | .level == "trace" and .functions == 1'
	unset TIERLENS_FAKE
}

# Names and paths are any bytes, and JSON holds none but UTF-8.
bytes()
{
	local bad=$dir/$'bad\xffname' port pids i

	cp "$(command -v sleep)" "$bad"
	strip "$bad"
	# The same socket in two programs: in one there are functions, of the other there is something to be said.
	read -r port pids < <(python3 - "$TIERSERVER" "$bad" <<-'END'
	import os, socket, sys
	s = socket.socket()
	s.bind(("127.0.0.1", 0))
	s.listen()
	s.set_inheritable(True)
	null = os.open(os.devnull, os.O_RDWR)
	def child(*words):
	    pid = os.fork()
	    if not pid:
	        os.dup2(null, 1)
	        os.dup2(null, 2)
	        os.execv(words[0], words)
	    return pid
	server = child(sys.argv[1], "--name", "app", "--seconds", "60", "--log", os.devnull, "--port", "0")
	print(s.getsockname()[1], server, child(os.fsencode(sys.argv[2]), "60"))
	END
	)
	read -ra servers <<<"$pids"
	# Until they have become the programs.
	for ((i = 0; i < 500; i++)); do
		[[ $(readlink "/proc/${servers[0]}/exe") == */tierserver && $(readlink "/proc/${servers[1]}/exe") == "$bad" ]] && break
		sleep 0.02
	done
	export TIERLENS_FAKE=ok TIERLENS_FAKE_APP_PORT=$port
	run "$fake" level app:9000 method --functions 3 --json
	good "level --json: all of it, though a path in its note is no UTF-8" '.[0] | .tier == "app:9000" and .level == "method" and
		.probed == 3 and .known > 3 and .refused == 0 and .why == "" and (.note | test("bad\ufffdname: is stripped"))'
	unset TIERLENS_FAKE_APP_PORT
	kill "${servers[@]}"
	servers=()
	run "$fake" level $'w\xffb' trace --json
	good "nor is the tier's name" '.[0] | .tier == "w\ufffdb" and .level == "trace"'
	run "$fake" tier add $'w\xffb' --port 81 --json
	good "tier add" '.[0].added == "w\ufffdb"'
	run "$fake" class add $'c\xff' /cart --json
	good "class add" '.[0].added == "c\ufffd"'
	unset TIERLENS_FAKE
}

figures()
{
	export TIERLENS_FAKE=levels
	run "$fake" show --json
	good "show --json: levels, traced requests, functions and cost" '.[0] | .tiers[0].cells[0].traced == 10 and
		.tiers[0].cells[0].level == "trace" and (.tiers[1].cells[0] | .level == "method" and
		(has("traced") | not)) and .functions == [{"id":1,"name":"pay","tier":"app:9000","class":"other",
		"count":10,"total_s":0.03,"total_ns":30000000,"own_s":0.027,"own_ns":27000000,"cpu_s":0.003,
		"cpu_ns":3000000}] and .cost == {"hook_hits":2000,"hook_s":0.0002,"hook_ns":200000,
		"function_hits":40,"function_s":0.000012,"function_ns":12000,"hook_way_s":0.00006,"hook_way_ns":60000}'
	run "$fake" show
	[[ $status == 0 ]] && grep -q '^web:80  *trace  *other  *100.0  *3.000  *-  *-  ' "$dir/out" &&
		grep -qE '^app:9000  *method  *other .* 3.000  *1.000 ' "$dir/out"
	result $? "show: no own time of requests that were traced only"
	run "$fake" show --waits --json
	good "nor anything else that is not known" '.[0].figures | map(select(.tier == "web:80")) | all(.[];
		.mean_own_s == null and .own_share == null and .calls_per_request == null and
		.mean_cpu_s == null and .mean_rest_s == null and .mean_response_s > 0.003 and .level == "trace")'
	run "$fake" show --paths --json
	good "show --paths --json: the same of paths" '.[0].paths | (map(select(.tier == "web:80")) |
		all(.[]; .mean_own_s == null and .own_share == null and .mean_cpu_s == null)) and
		(map(select(.tier == "app:9000")) | all(.[]; .mean_own_s == 0.001))'
	run "$fake" top -n 1
	[[ $status == 0 ]] && grep -q '^tier  *level  *class' "$dir/out"
	result $? "top shows levels where they are not all server"
	run "$fake" record -n 3 -o "$dir/levels.jsonl"
	run "$fake" record -n 3 -o "$dir/levels.jsonl"
	run "$real" replay --speed 0 --json "$dir/levels.jsonl"
	jq -es 'map(del(.missed, .attributed, .figures))' "$dir/out" >"$dir/a" 2>&1
	jq -es . "$dir/levels.jsonl" >"$dir/b"
	cmp -s "$dir/a" "$dir/b"
	result $? "a recording has all of it"
	run "$real" graph --json "$dir/levels.jsonl"
	good "graph --json" '.[0].nodes | map(select(.name == "web:80"))[0] | .mean_own_s == null and .mean_response_s > 0'
	jq -c '.losses.late = 0' "$dir/levels.jsonl" >"$dir/a" && mv "$dir/a" "$dir/levels.jsonl"
	run "$real" demand fit "$dir/levels.jsonl" --json
	[[ $status == 1 ]] && grep -q 'level: tiers were at trace' "$dir/err" "$dir/out"
	result $? "demand uses no window in which own times are not known, and says why"
	export TIERLENS_FAKE=ok
	run "$fake" top -n 1
	[[ $status == 0 ]] && ! grep -q '^tier  *level' "$dir/out"
	result $? "no column of levels where all are at server"
	run "$fake" show --json
	good "no functions, but what the hooks cost" '.[0] | (has("functions") | not) and .cost.hook_hits == 2000 and
		.tiers[0].cells[0].level == "server" and (.tiers[0].cells[0] | has("traced") | not)'
	export TIERLENS_FAKE=bare
	run "$fake" show --json
	good "an older kernel module tells neither" '.[0] | (has("functions") or has("cost") | not) and
		all(.tiers[].cells[]; has("level") | not)'
	unset TIERLENS_FAKE
}

arguments
dialogue
bytes
figures
finish
