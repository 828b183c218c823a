#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens check-kernel on made-up kernels, each with one thing wrong, and on those that are
# here: the running one's symbols, and Debian's headers where the tests have them. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"
# shellcheck source=tools/kernels.sh
. "$top/tools/kernels.sh"
hooks=$top/include/tierlens-hooks.h

# check_kernel ARGUMENTS...: the last run is one of it, with JSON
check_kernel()
{
	run "$real" check-kernel "$@" --json
}

# finds NAME STATUS FILTER ARGUMENTS...: the exit status, and what jq finds in what it says
finds()
{
	local name=$1 want=$2 filter=$3

	shift 3
	check_kernel "$@"
	[[ $status == "$want" ]] && jq -es ".[0] | $filter" "$dir/out" >/dev/null
	result $? "$name"
}

# hook NAME: jq's words for a hook's state
hook()
{
	echo "(.hooks[] | select(.hook == \"$1\"))"
}

# ---- what a kernel has, made up from the module's own list ----------------------------------

# map [EXPRESSION]: a System.map with all hooks, after sed
map()
{
	{
		printf 'ffffffff81000000 T _stext\n'
		awk -F'[(,)] *' '
			/^TL_HOOK\("/		{ print "T", $7 }
			/^TL_TRACED\("/		{ print "D", "__tracepoint_" $6 }
			/^TL_SYNC_HOOK\("/	{ print "D", "__tracepoint_" $2 }' "$hooks" | tr -d '"' |
			awk '{ printf "ffffffff81%06x %s\n", 4096 + 64 * NR, $0 }'
	} | sed -E "${1:-}"
}

with_map()
{
	map "${1:-}" >"$dir/System.map-6.6.6-tl"
}

# A build directory in Debian's two halves below $dir/tree, with what its Makefile says installed
# elsewhere: it must be found beside it.
with_headers()
{
	local src=$dir/tree/usr/src common build

	rm -rf "$dir/tree"
	common=$src/linux-headers-6.6.6-common
	build=$src/linux-headers-6.6.6-tl
	mkdir -p "$common"/include/{linux,net,trace/events} "$build"/include/generated "$build"/scripts/{mod,basic} \
		"$dir/tree/boot"
	echo 'include /nowhere/linux-headers-6.6.6-common/Makefile' >"$build/Makefile"
	echo '#define UTS_RELEASE "6.6.6-tl"' >"$build/include/generated/utsrelease.h"
	sed -nE 's/^#include <((linux|net)\/.*)>.*/\1/p' "$top"/kmod/*.[ch] "$top"/kmod/*/*.[ch] | sort -u | while IFS= read -r header; do
		mkdir -p "$common/include/${header%/*}"
		touch "$common/include/$header"
	done
	touch "$build"/{include/generated/autoconf.h,scripts/mod/modpost,scripts/basic/fixdep} "$common/include/linux/module.h"
	printf '0x1\t%s\tvmlinux\tEXPORT_SYMBOL\t\n' tcp_sendmsg tcp_recvmsg tcp_v4_connect tcp_close \
		>"$build/Module.symvers"
	echo 'void tcp_cleanup_rbuf(struct sock *sk, int copied);' >"$common/include/net/tcp.h"
	printf 'DEFINE_EVENT(of, sched_waking,\nTRACE_EVENT(sched_process_exit,\n' >"$common/include/trace/events/sched.h"
	configure 'CC_VERSION_TEXT="sh (made up) 1"'
	echo 'ffffffffffffffff B The real System.map is in the linux-image-<version>-dbg package' \
		>"$dir/tree/boot/System.map-6.6.6-tl"
}

# configure LINE...: options of that kernel, with these instead of their own
configure()
{
	local line options=(MODULES=y KPROBES=y TRACEPOINTS=y INET=y HAVE_REGS_AND_STACK_ACCESS_API=y
		'CC_VERSION_TEXT="sh (made up) 1"')

	{
		printf 'CONFIG_%s\n' "${options[@]}"
		for line; do printf 'CONFIG_%s\n' "$line"; done
	} >"$dir/tree/usr/src/linux-headers-6.6.6-tl/.config"
}

# ---- tests ----------------------------------------------------------------------------------

arguments()
{
	says 2 'check-kernel needs a kernel' "$real" check-kernel
	says 2 'unexpected argument "more"' "$real" check-kernel /tmp more
	says 1 '/nowhere: cannot read it (No such file or directory): give a kernel'"'"'s headers' \
		"$real" check-kernel /nowhere
	says 1 "no kernel's build directory" "$real" check-kernel "$dir"
	echo 'once upon a time' >"$dir/story"
	says 1 'story:1: not an address, a type and a name' "$real" check-kernel "$dir/story"
	: >"$dir/empty"
	says 1 'empty: there is no function in it' "$real" check-kernel "$dir/empty"
	echo 'ffffffffffffffff B The real System.map is in the linux-image-<version>-dbg package' >"$dir/stub"
	says 1 'stub: this is no map, it only says where it is: install' "$real" check-kernel "$dir/stub"
	with_map
	says 1 'empty: there is no option in it' "$real" check-kernel "$dir/System.map-6.6.6-tl" --config "$dir/empty"
	says 1 '/nowhere: cannot read it' "$real" check-kernel "$dir/System.map-6.6.6-tl" --config /nowhere
	printf 'ffffffff81000000 T tcp_sendmsg\nmore\n' >"$dir/cut"
	says 1 'cut:2: not an address' "$real" check-kernel "$dir/cut"
}

maps()
{
	local path=$dir/System.map-6.6.6-tl

	with_map
	finds 'all hooks of the module are looked for and found' 0 \
		".good and .release == \"6.6.6-tl\" and ([.hooks[].state] | unique) == [\"found\"] and
		(.hooks | length) == $(grep -c '^TL_[A-Z_]*("' "$hooks")" "$path"
	with_map 's/ pipe_write$/ anon_pipe_write/'
	finds 'another symbol that does as well' 0 "$(hook pipe-write) | .state == \"alternative\" and
		.symbol == \"anon_pipe_write\"" "$path"
	with_map '/ tcp_sendpage$/d'
	finds 'an optional hook is missing' 0 ".good and ($(hook sendpage) | .state == \"missing\") and
		(.verdict | contains(\"optional hooks missing: 1\"))" "$path"
	with_map '/ tcp_cleanup_rbuf$/d'
	finds 'a required hook is missing' 1 "(.good | not) and ($(hook received) | .state == \"missing\" and .required) and
		(.verdict | contains(\"no tcp_cleanup_rbuf\"))" "$path"
	with_map '/ __tracepoint_sched_process_exit$/d'
	finds 'a required tracepoint is missing' 1 '.verdict | contains("no sched_process_exit")' "$path"
	with_map 's/D __tracepoint_/T __traceiter_/'
	finds 'tracepoints in /proc/kallsyms, which has no data' 0 '.good and ([.hooks[].state] | unique) == ["found"]' "$path"
	with_map 's/ tcp_close$/ tcp_close.isra.0/'
	finds 'a function that the compiler has renamed is missing' 1 \
		"$(hook close) | .state == \"missing\" and (.note | contains(\"tcp_close.isra.0\"))" "$path"
	with_map '$a ffffffff82000000 t tcp_close.cold'
	finds 'but not what it has moved out of the way' 0 "$(hook close) | .state == \"found\"" "$path"
	with_map 's/ tcp_close$/ tcp_close.cold/'
	finds 'which is not the function' 1 "$(hook close) | .state == \"missing\" and .note == \"\"" "$path"
	with_map 's/T tcp_close$/D tcp_close/'
	finds 'data of that name is no function' 1 "$(hook close) | .state == \"missing\"" "$path"
	with_map 's/ tcp_close$/ tcp_close_now/'
	finds 'a longer name is another one' 1 "$(hook close) | .state == \"missing\" and .note == \"\"" "$path"
	{ map && echo 'ffffffff82000000 d _kbl_addr_tcp_close'; } >"$path"
	finds 'what the kernel lets nobody probe' 1 \
		"$(hook close) | .state == \"missing\" and (.note | contains(\"nobody probe\"))" "$path"
	with_map 's/^[0-9a-f]+ T tcp_close$/ffffffff81900010 T tcp_close/
		$a ffffffff81900000 T __noinstr_text_start
		$a ffffffff81900020 T __noinstr_text_end'
	finds 'nor what must not be interrupted' 1 "$(hook close) | .state == \"missing\"" "$path"
	with_map '/ unix_stream_recvmsg$/d'
	finds 'half of a pair is of no use' 0 "$(hook unix-received) | .state == \"missing\" and
		.note == \"of no use without unix-receive\"" "$path"
	with_map 's/ tcp_v6_connect$/ tcp_v6_connect\t[ipv6]/'
	finds "a module's function" 0 "$(hook connect-v6) | .state == \"found\" and (.note | contains(\"module ipv6\"))" "$path"
}

headers()
{
	local other prefix part tree=$dir/tree build=$dir/tree/usr/src/linux-headers-6.6.6-tl

	with_headers
	finds "packages' headers, in two halves: what is exported, declared, and not told" 0 \
		"(.verdict | contains(\"as far as headers tell\")) and ($(hook send) | .state == \"found\") and
		($(hook received) | .state == \"declared\") and ($(hook exit) | .state == \"declared\") and
		($(hook epoll) | .state == \"unknown\") and ([.build[].there] | all)" "$tree"
	run "$real" check-kernel "$build"
	[[ $status == 0 ]] && grep -q 'only says where the real one is: install linux-image-6.6.6-tl-dbg' "$dir/out"
	result $? 'text: where the real map is'
	with_map
	finds 'with a map' 0 '([.hooks[].state] | unique) == ["found"]' "$build" --map "$dir/System.map-6.6.6-tl"
	mkdir -p "$tree/usr/lib/debug/boot"
	map >"$tree/usr/lib/debug/boot/System.map-6.6.6-tl"
	finds "the map in the debug package's place" 0 '.map | endswith("usr/lib/debug/boot/System.map-6.6.6-tl")' "$build"
	with_headers
	sed -i 's/tcp_cleanup_rbuf/tcp_other/' "$tree/usr/src/linux-headers-6.6.6-common/include/net/tcp.h"
	finds 'a required hook of which headers do not tell' 1 \
		'.verdict | contains("nobody can tell without a map") and contains("tcp_cleanup_rbuf")' "$build"
	with_headers
	configure KPROBES=n
	finds 'no kprobes' 1 '.verdict | contains("no CONFIG_KPROBES")' "$build"
	configure MODULE_SIG_FORCE=y
	finds 'only signed modules' 0 '.verdict | contains("once it is signed")' "$build"
	configure 'CC_VERSION_TEXT="gcc-99 (made up) 99"'
	check_kernel "$build"
	if command -v gcc >/dev/null; then
		good 'another compiler is here' '.[0].build[] | select(.what == "gcc") | .there and (.note | contains("gcc-99"))'
	fi
	mkdir -p "$dir/bin"
	ln -sf "$(command -v make)" "$dir/bin/make"
	PATH=$dir/bin "$real" check-kernel "$build" --json >"$dir/out" 2>"$dir/err"
	status=$?
	[[ $status == 1 ]] && jq -e '.verdict | contains("no gcc-99")' "$dir/out" >/dev/null
	result $? 'no compiler'
	configure $'CC_VERSION_TEXT="gcc\xff-99 (made up) 99"'
	PATH=$dir/bin "$real" check-kernel "$build" --json >"$dir/out" 2>"$dir/err"
	jq -es '.[0].verdict | contains("no gcc\ufffd-99")' "$dir/out" >/dev/null
	result $? 'nor one whose name is no UTF-8'
	other=ARM64 prefix=aarch64-linux-gnu-
	[ "$(uname -m)" = x86_64 ] || other=X86_64 prefix=x86_64-linux-gnu-
	configure "$other=y" 'CC_VERSION_TEXT="gcc-99 (made up) 99"'
	PATH=$dir/bin "$real" check-kernel "$build" --json >"$dir/out" 2>"$dir/err"
	jq -e ".verdict | contains(\"no ${prefix}gcc-99\")" "$dir/out" >/dev/null
	result $? 'no compiler for another processor'
	ln -sf "$(command -v make)" "$dir/bin/${prefix}gcc-99"
	PATH=$dir/bin "$real" check-kernel "$build" --json >"$dir/out" 2>"$dir/err"
	status=$?
	good 'but where there is one' '.[0].good'
	for part in Module.symvers scripts/mod/modpost ../linux-headers-6.6.6-common/include/net/tcp.h; do
		with_headers
		rm "$build/$part"
		finds "no $part" 1 ".verdict | contains(\"no ${part##*common/}\")" "$build"
	done
	with_headers
	rm "$tree"/usr/src/linux-headers-6.6.6-common/include/linux/minmax.h
	finds 'a kernel that is too old' 1 '(.verdict | contains("no headers that the module includes")) and
		([.build[].note | select(contains("linux/minmax.h"))] | length) == 1' "$build"
	with_headers
	cp -r "$build" "${build/tl/other}"
	says 1 'there are headers of 2 kernels: name one' "$real" check-kernel "$tree"
}

# Those that really are.
real_kernels()
{
	local headers name

	if grep -qw tcp_sendmsg /proc/kallsyms 2>/dev/null; then
		finds "the running kernel's symbols" 0 '.good and ([.hooks[] | select(.required) | .state] | unique) == ["found"]' \
			/proc/kallsyms
	else
		skip "the running kernel's symbols" 'it does not tell them'
	fi
	for headers in "$TL_CACHE"/kernel/*/headers; do
		[ -e "$headers/Module.symvers" ] || continue
		name=$(basename "$(dirname "$headers")")
		check_kernel "$headers/"
		jq -es '.[0] | ([.hooks[] | select(.required) | .state] | unique - ["found", "declared"]) == [] and
			([.options[] | select(.required) | .value] | unique) == ["y"] and
			([.build[] | select(.what | test("gcc") | not) | .there] | all)' "$dir/out" >/dev/null
		result $? "headers of $name that the tests are built for"
	done
}

arguments
maps
headers
real_kernels
finish
