# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the tests of tierlensd share: it begins, serves somewhere, and ends.

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/user-cli.sh"
own_daemon

get()
{
	curl -sf -m 60 "$@"
}

# until_true COMMAND...: is tried until it succeeds; no more than two minutes
until_true()
{
	local last=$((SECONDS + 120))

	until "$@" 2>/dev/null; do
		[ $SECONDS -lt $last ] || return 1
		sleep 0.05
	done
}

# listening: where it listens, to $addr
listening()
{
	addr=$(jq -r 'select(.kind == "listen").address' "$log" | tail -n 1)
	[[ -n $addr ]]
}

# begin NAME SCENE OPTION...: tierlensd on a port of its own; $pid, $log, $addr and $url
begin()
{
	local name=$1 scene=$2
	shift 2

	log=$dir/$name.log
	: >"$log"
	TIERLENS_FAKE=$scene "$daemon" --listen 127.0.0.1:0 --log "$log" "$@" >"$dir/out" 2>"$dir/err" &
	pid=$!
	servers+=("$pid")
	until_true listening || return 1
	url=http://$addr
}

# end: SIGTERM; it ends well, having complained of nothing
end()
{
	kill "$pid" && wait "$pid" && servers=() && [[ ! -s $dir/err ]]
}

# reload SENTENCE: SIGHUP; a row says so
reload()
{
	local before

	before=$(grep -c "$1" "$log")
	kill -HUP "$pid"
	until_true eval "[[ \$(grep -c '$1' '$log') -gt $before ]]"
}

# certificate NAME: of 127.0.0.1, signed by itself: $dir/NAME.key and $dir/NAME.cert
certificate()
{
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1" \
		-addext 'subjectAltName=IP:127.0.0.1' -keyout "$dir/$1.key" -out "$dir/$1.cert" 2>/dev/null
}
