# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Experiments in a virtual machine: what tools/eval-demand and tools/eval-lqn have in common.
#
# Whoever includes it has set $top, $out, $kernel, $apps (an array) and $shared, and has a function
# usage(); for each application there are $out/APP/plan and $out/APP/todo, lines as
# selftests/eval/guest.sh says.

vm_pid=''
# The command by which all this was begun.
tool=tools/${0##*/}

die()
{
	echo "$tool: $*" >&2
	exit 1
}

wrong_usage()
{
	echo "$tool: $*" >&2
	usage >&2
	exit 2
}

progress()
{
	if [ -t 2 ]; then
		printf '\r\033[K%s' "$*" >&2
	else
		echo "$*" >&2
	fi
}

jq_here()
{
	local program=$1
	shift

	jq -f "$top/selftests/eval/$program.jq" "$@"
}

# Two at once would run into each other's files.
take_lock()
{
	local lock

	mkdir -p "$out"
	exec {lock}>"$out/lock"
	flock -n "$lock" || die "another one is at work in $out: wait until it has ended"
}

# What a run depends on beside its line. The module is not in it: a new one is to be compared.
files_version()
{
	local files=(eval/guest.sh demo/etc demo/start.sh demo/sql/database.sql demo/shop/lib demo/shop/www)

	[ "$1" = demo ] && files+=(demo/mix.txt demo/shop demo/sql) || files+=("eval/$1")
	( cd "$top/selftests" && find "${files[@]}" -type f -print0 | LC_ALL=C sort -zu | xargs -0 sha256sum |
		sha256sum | head -c 12 )
}

vm_prepare()
{
	trap stop_guest EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	cd "$top"
	tools/image boot $kernel
	tools/kmod-build $kernel >"$top/build/eval-module.log" 2>&1 || { cat "$top/build/eval-module.log" >&2; exit 1; }
}

# cost TODO [NAME]: requests of all that is to be run, or of one run, the measure of how long it takes; a
# run in itself costs as much as 60, and an interval of a steady load about as much as 20.
cost()
{
	awk -v name="${2:-}" 'name == "" || $1 == name { n += 60 + ($2 == "steady" ? 20 : 1) * $3 } END { print n + 0 }' "$1"
}

# In $work, that of all applications.
work_left()
{
	local app

	work=0 work_done=0
	for app in "${apps[@]}"; do
		work=$((work + $(cost "$out/$app/todo")))
	done
}

duration()
{
	printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

# Shows how far it is, as the guest says what it has run. The longest run takes some minutes.
follow()
{
	local app=$1 line name began=$SECONDS done=0 left

	while IFS= read -r -t 900 line; do
		case $line in
		*'# prepared')	began=$SECONDS ;;
		*'# run '*)	name=${line##* }
				done=$((done + $(cost "$out/$app/todo" "$name")))
				left=$(((work - work_done - done) * (SECONDS - began) / done))
				progress "$app $name: $((100 * (work_done + done) / work)) %, $(duration $left) left" ;;
		esac
		echo "$line" >>"$out/$app/vm.log"
	done
	work_done=$((work_done + done))
}

# It has ended by itself, or it hangs, or we have been interrupted.
stop_guest()
{
	[ -n "$vm_pid" ] || return 0
	kill "$vm_pid" 2>/dev/null || true
	# What it has still to unpack arrives before that ends.
	cat <&"$guest" >/dev/null
	exec {guest}<&-
	vm_pid=''
}

run_app()
{
	local app=$1 dir=$out/$1

	[ -s "$dir/todo" ] || return 0
	progress "$app: starting the virtual machine"
	: >"$dir/vm.log"
	exec {guest}< <(exec "$top/selftests/vm/run" "$kernel+virtual" --mem 3072 --env "APP=$app" --env "SHARED=$shared" \
		--add "$top/selftests/eval=eval" --add "$dir/todo=plan" --stream "$dir/runs" \
		--out "$dir/vm" "$top/selftests/eval/guest.sh" 2>&1)
	vm_pid=$!
	follow "$app" <&"$guest"
	stop_guest
	pending "$dir/plan" "$dir/runs" >"$dir/todo"
	if [ -s "$dir/todo" ]; then
		tail -n 20 "$dir/vm.log" >&2
		die "$app: $(wc -l <"$dir/todo") runs are missing; what is done is kept, run this again"
	fi
}
