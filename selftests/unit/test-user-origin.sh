#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files of dpkg and of the loader in a root that somebody else has filled: what is none of them, or larger than any system's,
# is as if it were not there, of dpkg's with a sentence. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"
root=$dir/root
dpkg=$root/var/lib/dpkg
as_none='origins are told as if no package were known there'

# A small system of two packages.
sound()
{
	rm -rf "$root"
	mkdir -p "$dpkg/info" "$root/usr/bin"
	printf 'Package: shop\nSource: shop-source (1)\n\nPackage: till\n' >"$dpkg/status"
	printf '/.\n/usr\n/usr/bin\n/usr/bin/shop\n' >"$dpkg/info/shop.list"
	printf '/usr/bin/till\n' >"$dpkg/info/till:amd64.list"
	: >"$dpkg/info/shop.md5sums"
	: >"$root/usr/bin/shop"
	: >"$root/usr/bin/other"
}

explained()
{
	run timeout 20 "$real" origin explain "$1" --root "${2:-$root}" --model "$top/user/origin-model.json" --json
	jq -c '[.features[] | select(.feature == "package") | .values[]]' "$dir/out" 2>/dev/null
}

known()
{
	same "$1: packages are known" "$(explained /usr/bin/shop "${2:-$root}")$(explained /usr/bin/other "${2:-$root}")" \
		"$with$without"
	same "$1: and nothing is said" "$(<"$dir/err")" ''
}

# unknown NAME SENTENCE: it comes back at once, tells why, and answers as where there is no dpkg
unknown()
{
	local answer before=$SECONDS

	answer=$(explained /usr/bin/shop)
	same "$1: as without dpkg" "$answer" "$nothing"
	[[ $(<"$dir/err") == "tierlens: $dpkg/"*"$2"*": $as_none" ]] && ((SECONDS - before < 15))
	result $? "$1: $2"
}

printf 'path\n/usr/bin/shop\n/usr/bin/other\n' >"$dir/rows.csv"
sound
with=$(explained /usr/bin/shop)
without=$(explained /usr/bin/other)
rm -r "$dpkg"
nothing=$(explained /usr/bin/shop)
same 'without dpkg nothing is said' "$(<"$dir/err")" ''
[[ $with != "$without" && $without != "$nothing" && $with != "$nothing" ]]
result $? "of a package $with, of none $without, without dpkg $nothing"

sound
known 'a small system'
known 'by a path of /proc' "/proc/$$/root$root"

# ---- what is no file ---------------------------------------------------------------------

rm "$dpkg/status" && mkfifo "$dpkg/status"
unknown 'a pipe' 'status: this is no plain file'
sound && rm "$dpkg/info/shop.list" && mkfifo "$dpkg/info/shop.list"
unknown 'a list that is a pipe' 'info/shop.list: this is no plain file'
sound && rm -r "$dpkg/info" && mkfifo "$dpkg/info"
unknown 'a pipe for the folder' 'info: Not a directory'
sound && rm "$dpkg/status" && mkdir "$dpkg/status"
unknown 'a folder' 'status: this is no plain file'
sound && ln -sf /dev/zero "$dpkg/status"
unknown 'a link to what never ends' 'status: this is a link that leads nowhere there'
sound && mkfifo "$root/pipe" && ln -sf /pipe "$dpkg/info/shop.list"
unknown 'a link to a pipe of that root' 'info/shop.list: this is no plain file'
sound && mv "$dpkg/info" "$dir/info" && ln -s "$dir/info" "$dpkg/info"
unknown 'lists of another root' 'info: No such file'
rm -r "$dir/info"
sound && mv "$dpkg/info" "$root/lists" && ln -s /lists "$dpkg/info"
known 'a link in that root'
sound && ln -sf status "$dpkg/status"
unknown 'a link to itself' 'status: Too many levels'

# ---- what is too large -------------------------------------------------------------------

sound && truncate -s 100G "$dpkg/status"
unknown 'a status of 100 GiB' 'status: more than 32 MiB'
sound && truncate -s 40M "$dpkg/info/till:amd64.list"
unknown 'a list of 40 MiB' 'info/till:amd64.list: more than 32 MiB'
sound && head -c 1100000 /dev/zero | tr '\0' x >>"$dpkg/status"
unknown 'a line of 1.1 MB' 'status: a line of more than 1 MiB'
sound && truncate -s 2M "$dpkg/info/shop.list"
unknown 'zeros' 'info/shop.list: a line of more than 1 MiB'
sound && yes /usr | head -c 31M >"$dpkg/info/a.list"
for i in b c d e; do
	ln "$dpkg/info/a.list" "$dpkg/info/$i.list"
done
unknown 'five lists of 31 MiB' 'info: more than 128 MiB in all'
sound && seq -f '/%.0f' 1500000 >"$dpkg/info/a.list"
unknown '1.5 million files' 'info: more files and packages than'
sound && { printf 'Package: %0200d\n' 1 && seq -f 'Source: %.0f' 300000; } >"$dpkg/status"
unknown '300,000 sources of a long name' 'info: more files and packages than'
sound && seq -f '/usr/share/%.0f/a-name-that-is-as-long-as-they-are' 300000 >"$dpkg/info/a.list" && printf 'Depends: %0100000d\n' 1 >>"$dpkg/status"
known '300,000 files and a line of 100 KB'

# ---- what never answers ------------------------------------------------------------------

# A user's own file system, whose server reads no request: the kernel lets nobody in who is not of that user namespace.
sound
mkfifo -m 666 "$dir/mounted"
chmod -R a+rX "$dir"
mknod -m 666 "$dir/fuse" c 10 229 2>/dev/null
setpriv --reuid nobody --regid nogroup --clear-groups unshare --user --map-root-user --mount bash -c '
	exec 9<>"$1/fuse" && mount -i -t fuse -o fd=9,rootmode=40000,user_id=0,group_id=0,allow_other none "$1/root/var/lib"
	echo $? >"$1/mounted"
	exec sleep 60' - "$dir" 2>/dev/null &
server=$!
if [ "$(timeout 10 cat "$dir/mounted")" = 0 ]; then
	before=$SECONDS
	answer=$(explained /usr/bin/shop "/proc/$server/root$root")
	same 'a file system that never answers: as without dpkg' "$answer" "$nothing"
	[[ $(<"$dir/err") == *'Permission denied'*"$as_none" ]] && ((SECONDS - before < 15))
	result $? 'a file system that never answers: nobody waits for it'
else
	skip 'a file system that never answers' 'needs root, user namespaces and FUSE'
fi
kill "$server" 2>/dev/null
wait "$server" 2>/dev/null

# ---- where libraries are looked for --------------------------------------------------------

# libraries_are NAME FILES: what a program there is made of, besides itself
libraries_are()
{
	run timeout 20 "$real" origin classify --program /usr/bin/true --root "$root" --model "$top/user/origin-model.json" --json
	same "$1" "$status $(jq -c '[.files[].path] - ["/usr/bin/true"]' "$dir/out" 2>/dev/null)" "0 $2"
}

confs=$root/etc/ld.so.conf.d
# A program that asks for libc, which lies in two folders.
configured()
{
	sound
	mkdir -p "$confs" "$root/opt/a" "$root/opt/b"
	cp /usr/bin/true "$root/usr/bin/true"
	cp "$(ldconfig -p | awk '$1 == "libc.so.6" { print $NF; exit }')" "$root/opt/a/libc.so.6"
	cp "$root/opt/a/libc.so.6" "$root/opt/b/libc.so.6"
}

configured
libraries_are 'nothing is configured' '[]'
printf '# b\n\nopt/none\n/opt/b # a comment\n' >"$confs/2.conf"
libraries_are 'a folder that is configured' '["/opt/b/libc.so.6"]'
printf '/opt/none\n/opt/a' >"$confs/1.conf"
libraries_are 'the first file by name counts' '["/opt/a/libc.so.6"]'
rm "$confs/1.conf" && mkfifo "$confs/1.conf"
libraries_are 'a pipe' '["/opt/b/libc.so.6"]'
rm "$confs/1.conf" && ln -s /dev/zero "$confs/1.conf"
libraries_are 'a link to what never ends' '["/opt/b/libc.so.6"]'
rm "$confs/1.conf" && printf '/opt/a\n' >"$dir/1.conf" && ln -s "$dir/1.conf" "$confs/1.conf"
libraries_are 'a link out of that root' '["/opt/b/libc.so.6"]'
rm "$confs/1.conf" && { head -c 70000 /dev/zero | tr '\0' x && printf '\n/opt/a\n'; } >"$confs/1.conf"
libraries_are 'what is beyond 64 KiB' '["/opt/b/libc.so.6"]'
rm "$confs/1.conf" && { head -c 65529 /dev/zero | tr '\0' x && printf '\n/opt/a-none\n'; } >"$confs/1.conf"
libraries_are 'a name that is cut there' '["/opt/b/libc.so.6"]'
rm "$confs/1.conf" && seq -f '/opt/%.0f' 2000 >"$confs/1.conf"
libraries_are '2,000 folders: there are no more than 1,000' '[]'
seq -f '/opt/%.0f' 900 >"$confs/1.conf"
libraries_are '900 folders' '["/opt/b/libc.so.6"]'
seq -f "$confs/0%04.0f.conf" 1500 | xargs touch
run timeout 20 "$real" origin classify --program /usr/bin/true --root "$root" --model "$top/user/origin-model.json" --json
same '1,500 files' "$status" 0
rm -r "$confs" && mkfifo "$confs"
libraries_are 'a pipe for the folder' '[]'

# ---- who tells ---------------------------------------------------------------------------

sound && rm "$dpkg/status" && mkfifo "$dpkg/status"
run timeout 20 "$real" origin classify "$dir/rows.csv" --root "$root" --model "$top/user/origin-model.json" --json
good 'classify answers' '.[0].files | length == 2'
same 'and tells' "$(grep -c "$as_none" "$dir/err")" 1
printf 'path,label\n/usr/bin/shop,user\n/usr/bin/other,system\n' >"$dir/train.csv"
run timeout 20 "$real" origin train "$dir/train.csv" -o "$dir/model.json" --root "$root"
same 'train, too' "$status $(grep -c "$as_none" "$dir/err")" '0 1'

finish
