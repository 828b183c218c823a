#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlensd's configuration file, secrets and reloads, and what it tells a service manager. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-daemon.sh
. "$(dirname "$0")/user-daemon.sh"
conf=$dir/tierlensd.conf
umask 077

# complains NAME LINES...: --check ends with 2, and says exactly these things, each in its line
complains()
{
	local name=$1 i=1
	shift

	run "$daemon" --config "$conf" --check
	[[ $status == 2 && ! -s $dir/out && $(wc -l <"$dir/err") == "$#" ]]
	result $? "$name: $# mistakes, all of them told"
	for line; do
		sed -n "${i}p" "$dir/err" | grep -qF -- "tierlens: $line"
		result $? "$name: $line"
		i=$((i + 1))
	done
}

mistakes()
{
	cat >"$conf" <<-'END'
	listen = "127.0.0.1";
	interval = 5;
	budgte = "1%";
	budget = "much";
	functions = "many";
	function = [ "a*", "" ];
	not = [ "a", "b" ];
	log = [ "a", "b" ];
	hosts = 1;
	user = { a = 1; };
	quiet = true;
	config = "x";
	timeout = -1.5;
	resting = "method";
	series = 9999999;
	tls-cert = "/nowhere/cert.pem";
	token-file = "/nowhere/token";
	END
	complains mistakes "$conf:1: --listen \"127.0.0.1\" is no address to listen on" \
		"$conf:2: --interval 5 is out of range" "$conf:3: there is no key budgte" \
		"$conf:4: --budget \"much\" is not a part" "$conf:5: --functions \"many\" is not a whole number" \
		"$conf:6: function wants a number, or a text" "$conf:8: log has one value, not a list" \
		"$conf:9: hosts is true or false" "$conf:10: user has a value, not a group" \
		"$conf:11: quiet wants a number, or a text" "$conf:12: there is no key config" \
		"$conf:13: --timeout \"-1.5\" is not a number" "$conf:14: --resting \"method\" is neither" \
		"$conf:15: --series 9999999 is out of range" "--tls-cert is of no use alone" \
		"/nowhere/token: cannot be read"
	printf 'interval = 5;\nlog = ;\nbudget = "x";\n' >"$conf"
	complains 'a text that cannot be parsed' "$conf:1: --interval 5 is out of range" "$conf:2: syntax error"
	cat >"$conf" <<-'END'
	# interval = 4294967796, says a comment; /* another */
	interval = 4294967796; log = "4294967796"; /* 4294967796
	*/ series = 0x1FFFFFFFF;
	not = [ "a4294967796" ];
	functions =
	  4294967297;
	history-size = 4294967796L;
	END
	complains 'numbers that are too large' "$conf:2: 4294967796 is larger than any number here" \
		"$conf:3: 0x1FFFFFFFF is larger" "$conf:6: 4294967297 is larger" "$conf:3: --series \"-1\" is not" \
		"$conf:7: --history-size 4294967796 is out of range"
	printf 'interval = 1000;\ninterval = 2000;\n' >"$conf"
	complains 'twice' "$conf:2: duplicate setting name"
	printf 'log = "x\n\n' >"$conf"
	complains 'no end of a text' "$conf:3: syntax error"
	printf 'not = [ 1, "b" ];\n' >"$conf"
	complains 'a list of several things' "$conf:1: mismatched element type in array"
	head -c 3000 /dev/urandom >"$conf"
	run "$daemon" --config "$conf" --check
	[[ $status == 2 ]]
	result $? "no text at all"
	says 2 "$dir/nothing.conf: cannot be read" "$daemon" --config "$dir/nothing.conf" --check
	says 2 "$dir: cannot be read" "$daemon" --config "$dir" --check
	: >"$conf"
	says 2 'can be reached from other hosts' "$daemon" --config "$conf" --check --listen 0.0.0.0:19477
	says 2 'can be reached from other hosts' "$daemon" --listen '[::]:19477'
	says 2 'is no address' "$daemon" --listen localhost:80
	says 2 'is no address' "$daemon" --listen ::1:80
	says 2 'is no address' "$daemon" --listen 127.0.0.1:99999
	run "$daemon" --config "$conf" --check
	[[ $status == 0 && $(<"$dir/out") == "$conf: no mistakes" ]]
	result $? "an empty file is well"
	run "$daemon" --config "$top/tools/systemd/tierlensd.conf" --check
	[[ $status == 0 ]]
	result $? "the file that is installed is well"
	sed 's,^// \([a-z]\),\1,' "$top/tools/systemd/tierlensd.conf" | grep -vE '^(tls|token|remote-write-(token|ca))' >"$conf"
	run "$daemon" --config "$conf" --check
	[[ $status == 0 ]]
	result $? "and so is what is proposed in it"
}

precedence()
{
	printf 'interval = 5000;\nnot = [ "x" ];\nlog = "/nowhere/x";\nlisten = "127.0.0.1:1";\nbudget = "3%%";\n' >"$conf"
	begin precedence ok,hints --config "$conf" --interval 1000
	jq -es '.[0].interval_s == 1 and .[0].budget == 0.03' "$log" >/dev/null
	result $? "the command line wins, the file says the rest"
	end
}

secrets()
{
	local token=0123456789abcdef0123

	printf '%s\n' "$token" >"$dir/token"
	chmod 644 "$dir/token"
	says 2 'others may read or write it: chmod 600' "$daemon" --check --token-file "$dir/token"
	chmod 600 "$dir/token"
	run "$daemon" --check --token-file "$dir/token" --listen 0.0.0.0:0
	[[ $status == 0 ]] && grep -q 'warning: the token and all figures go over the network as they are' "$dir/err"
	result $? "a token without TLS beyond this host: a warning"
	printf 'short\n' >"$dir/short"
	says 2 'a token has 16 to 255 characters' "$daemon" --check --token-file "$dir/short"
	printf '0123456789 0123456789\n' >"$dir/short"
	says 2 'character 11 of the token is none that a header can hold' "$daemon" --check --token-file "$dir/short"
	says 2 'is not a file' "$daemon" --check --token-file "$dir"
	begin secrets ok,hints --token-file "$dir/token"
	until_true get "$url/-/ready" -o /dev/null
	result $? "whether it is ready is told without the token"
	for given in '' 'Bearer ' "Bearer ${token%?}" "Bearer ${token}4" "Bearer ${token%?}x" "Basic $token" "$token" \
		"Bearer $(head -c 3000 /dev/zero | tr '\0' 0)"; do
		same "a wrong token: 401 (${given:0:40})" \
			"$(curl -s -o "$dir/body" -w '%{http_code}' -H "Authorization: $given" "$url/metrics")" 401
	done
	same "paths that are not there are not told either" "$(curl -s -o /dev/null -w '%{http_code}' "$url/x")" 401
	same "the token" "$(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" "$url/metrics")" 200
	! grep -q "$token" "$log" "$dir/out" "$dir/err"
	result $? "it stands in no log"
	end
}

# What is written is told to nobody else, also where everybody may read what this user writes.
files()
{
	local file

	umask 022
	begin files ok,hints --history "$dir/files.db" --remote-write http://127.0.0.1:9/ --remote-write-queue "$dir/files.queue"
	until_true get "$url/-/ready" -o /dev/null
	end
	rm -f "$dir/files.log"
	TIERLENS_FAKE=ok "$daemon" --listen none --log "$dir/files.log" --intervals 1 >"$dir/out" 2>"$dir/err"
	umask 077
	for file in files.log files.db files.queue; do
		[[ -s $dir/$file && -z $(find "$dir/$file" -perm /007) ]]
		result $? "$file: others may not read it"
	done
}

tls()
{
	certificate one && certificate two || return
	says 2 'no certificate and key in PEM that belong together' "$daemon" --check --tls-cert "$dir/one.cert" --tls-key "$dir/two.key"
	says 2 'no certificate and key in PEM that belong together' "$daemon" --check --tls-cert "$dir/one.key" --tls-key "$dir/one.cert"
	chmod 644 "$dir/one.key"
	says 2 'others may read or write it' "$daemon" --check --tls-cert "$dir/one.cert" --tls-key "$dir/one.key"
	chmod 600 "$dir/one.key"
	begin tls ok,hints --tls-cert "$dir/one.cert" --tls-key "$dir/one.key"
	url=https://$addr
	until_true get --cacert "$dir/one.cert" "$url/-/ready" -o /dev/null
	result $? "TLS"
	get --cacert "$dir/one.cert" --tlsv1.3 "$url/metrics" -o "$dir/page" && grep -q '^tierlens_up 1$' "$dir/page"
	result $? "TLS 1.3"
	! curl -s --cacert "$dir/one.cert" --tls-max 1.1 --ciphers DEFAULT:@SECLEVEL=0 "$url/metrics" -o /dev/null
	result $? "not TLS 1.1"
	curl -s --cacert "$dir/two.cert" "$url/metrics" -o /dev/null
	same "who trusts another certificate asks nothing" $? 60
	rm "$dir/page"
	curl -s "http://$addr/metrics" -o "$dir/page"
	! grep -qs tierlens_up "$dir/page"
	result $? "nothing without TLS"
	cp "$dir/two.cert" "$dir/one.cert" && cp "$dir/two.key" "$dir/one.key"
	reload 'the configuration was read again'
	get --cacert "$dir/two.cert" "$url/metrics" -o "$dir/page"
	result $? "a new certificate, from a reload on"
	end
}

# more_than N: intervals were read
more_than()
{
	get "$url/metrics" -o "$dir/page" && [[ $(value tierlens_intervals_total) -gt $1 ]]
}

# value NAME: of a metric
value()
{
	get "$url/metrics" | sed -n "s/^$1 //p"
}

reloads()
{
	local was

	echo 'listen = "127.0.0.1:0"; budget = "2%";' >"$conf"
	log=$dir/reloads.log
	TIERLENS_FAKE=ok,hints "$daemon" --config "$conf" --log "$log" >"$dir/out" 2>"$dir/err" &
	pid=$!
	servers+=("$pid")
	until_true listening && url=http://$addr
	until_true get "$url/-/ready" -o /dev/null
	mv "$log" "$log.1" && kill -HUP "$pid" && until_true grep -q 'read again' "$log"
	result $? "a log that was moved is opened again"
	same "the address stays" "$(get -o /dev/null -w '%{http_code}' "$url/metrics")" 200
	was=$addr
	echo 'listen = "127.0.0.2:0"; budget = 0.5;' >"$conf"
	reload 'the configuration was read again'
	listening
	[[ $addr == 127.0.0.2:* ]] && ! get "http://$was/metrics" -o /dev/null && get "http://$addr/metrics" -o /dev/null
	result $? "another address: there, and there only"
	url=http://$addr
	same "it went well" "$(value tierlens_config_last_reload_successful)" 1
	printf 'listen = "127.0.0.1:0";\nbudget = "all";\n' >"$conf"
	reload 'what was read before holds'
	grep -q "$conf:2: --budget" "$dir/err" && get "$url/metrics" -o /dev/null
	result $? "a mistake: told, and all is as it was"
	same "which is told, too" "$(value tierlens_config_last_reload_successful)" 0
	printf 'listen = "127.0.0.2:%s"; log = "/nowhere/log"\n' "${addr##*:}" >"$conf"
	reload 'what was read before holds' || true
	printf 'listen = "192.0.2.77:1";token-file = "%s";' "$dir/token" >"$conf"
	reload 'what was read before holds'
	grep -q 'cannot listen on 192.0.2.77' "$dir/err" && get "$url/metrics" -o /dev/null
	result $? "an address that is not ours: the old one stays"
	echo 'listen = "none";' >"$conf"
	reload 'read again'
	! get "$url/metrics" -o /dev/null
	result $? "none is none"
	echo 'listen = "127.0.0.1:0";' >"$conf"
	reload 'read again'
	listening && url=http://$addr
	until_true get "$url/metrics" -o "$dir/page"
	same "no interval was missed in all that" "$(value tierlens_intervals_missed_total)" 0
	until_true more_than 20 && ! grep -q '"kind":"gap"' "$log" "$log.1"
	result $? "and all of them were counted"
	kill "$pid" && wait "$pid"
	result $? "a clean end"
	servers=()
}

# powers WHEN: of each thread, those that serve and send among them: capabilities are no more than privileges.c says
powers()
{
	local task threads=0 needed=$((1 << 2 | 1 << 12 | 1 << 19 | 1 << 38 | 1 << 40))

	[[ $(id -u) == 0 && $((0x$(awk '/CapPrm/ { print $2 }' /proc/self/status) >> 19 & 1)) == 1 ]] || return 0
	for task in "/proc/$pid/task/"*; do
		[[ $(<"$task/comm") != kernel ]] || continue
		threads=$((threads + 1))
		same "$1: capabilities that are not needed are gone" \
			"$((0x$(awk '/CapPrm/ { print $2 }' "$task/status") & ~needed))" 0
		same "$1: and cannot come back" "$(awk '/CapBnd/ { print $2 }' "$task/status")" \
			"$(awk '/CapPrm/ { print $2 }' "$task/status")"
	done
	same "$1: of the loop, of who serves, and of who sends" "$threads" 3
}

manager()
{
	local listener

	python3 "$top/selftests/unit/user-http.py" manager "$dir/notify" "$dir/told" &
	listener=$!
	servers+=("$listener")
	until_true test -S "$dir/notify"
	export NOTIFY_SOCKET=$dir/notify WATCHDOG_USEC=400000
	unset WATCHDOG_PID
	begin manager ok,hints --remote-write http://127.0.0.1:9/ --remote-write-queue "$dir/manager.queue"
	powers "from the beginning"
	unset NOTIFY_SOCKET WATCHDOG_USEC
	until_true grep -q WATCHDOG=1 "$dir/told" && [[ $(head -n 1 "$dir/told") == READY=1 ]]
	result $? "a service manager is told that it is ready, and alive"
	reload 'read again'
	until_true eval "sed -n '/RELOADING=1/,\$p' '$dir/told' | grep -A9 MONOTONIC_USEC= | grep -q READY=1"
	result $? "that it reads its configuration, and is ready again"
	powers "after that"
	kill "$pid" && wait "$pid"
	result $? "SIGTERM: a clean end"
	until_true grep -q STOPPING=1 "$dir/told"
	result $? "which is told"
	kill "$listener"
	wait "$listener" 2>/dev/null
}

# The port is somebody else's: only who was asked to listen there minds.
taken()
{
	begin taken ok,hints
	says 1 'Address already in use' env TIERLENS_FAKE=ok "$daemon" --listen "$addr" --log "$dir/taken2.log"
	end
}

mistakes
precedence
secrets
files
tls
reloads
manager
taken
finish
