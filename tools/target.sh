# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Things that are built once and kept under the cache. A target is a directory
# which appears by one rename when it is complete, with a stamp inside: the hash of
# its recipe. So an interrupted build never counts as done, and a finished one costs
# neither network nor time.

tl_refresh=

# target_key FUNCTIONS TEXT...: hash of the functions that make the target and of
# what they are given.
target_key()
{
	local functions

	read -ra functions <<<"$1"
	{
		declare -f "${functions[@]}"
		printf '%s\n' "${@:2}"
	} | sha256sum | cut -c1-16
}

target_is_current()
{
	local dir=$TL_CACHE/$1 key=$2 stamp=

	[ -z "$tl_refresh" ] && [ -f "$dir/.stamp" ] && read -r stamp <"$dir/.stamp" &&
		[ "$stamp" = "$key" ]
}

# target_make TARGET KEY FUNCTION [ARG...]: runs FUNCTION ARG... NEWDIR unless the
# target's stamp says KEY.
target_make()
{
	local target=$1 key=$2 dir=$TL_CACHE/$1 lock
	shift 2

	if target_is_current "$target" "$key"; then
		return 0
	fi
	mkdir -p "$(dirname "$dir")"
	exec {lock}>"$dir.lock"
	flock "$lock"
	# Somebody else may have built it while this one waited.
	if ! target_is_current "$target" "$key"; then
		target_build "$target" "$key" "$@"
	fi
	exec {lock}>&-
}

target_build()
{
	local target=$1 key=$2 dir=$TL_CACHE/$1 new
	shift 2

	echo "tools/image: building $target" >&2
	# What an interrupted build left; the lock is ours, so nobody works in it.
	target_remove "$dir".new.* "$dir".old.*
	new=$dir.new.$$
	mkdir "$new"
	# A subshell, so that what it sets and where it goes ends with it. It must not
	# stand in a condition: that would switch off its 'set -e'.
	( "$@" "$new" )
	echo "$key" >"$new/.stamp"
	if [ -d "$dir" ]; then
		mv -T "$dir" "$dir.old.$$"
	fi
	mv -T "$new" "$dir"
	target_remove "$dir.old.$$"
}

# Root file systems belong to root, whoever has had them built.
target_remove()
{
	rm -rf --one-file-system "$@" 2>/dev/null || as_root rm -rf --one-file-system "$@"
}
