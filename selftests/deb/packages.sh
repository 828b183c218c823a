#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The packages by themselves: built without network, clean, complete, and the same when they are
# made again elsewhere (TIERLENS_TESTS=all). Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/tap.sh
. "$(dirname "$0")/../unit/tap.sh"
version=$(sed -n 's/^#define TIERLENS_VERSION "\(.*\)"/\1/p' "$top/include/tierlens-version.h")

# Where it is allowed, nothing of a network can be reached.
without_network()
{
	if unshare --net --map-root-user true 2>/dev/null; then
		unshare --net --map-root-user "$@"
	else
		"$@"
	fi
}

# Root may run it, though it would rather not.
is_clean()
{
	lintian --tag-display-limit 0 --info --fail-on error,warning "$debs"/*.changes 2>"$dir/lintian.err" &&
		! grep -v 'running with root privileges' "$dir/lintian.err"
}

of_package()
{
	is "$2 of $1" "$(dpkg-deb -f "$debs/$1"_*.deb "$2")" "$3"
}

has_files()
{
	local file status=0

	for file in usr/bin/tierlens usr/sbin/tierlensd usr/libexec/tierlens/{tierserver,load} \
		usr/share/tierlens/origin-model.json usr/share/bash-completion/completions/tierlens \
		usr/share/man/man1/tierlens.1.gz usr/share/man/man8/tierlensd.8.gz usr/share/doc/tierlens/README.md.gz; do
		[ -s "$dir/tierlens/$file" ] || { echo "no $file"; status=1; }
	done
	if [ -e "$top/tools/systemd/tierlensd.service" ]; then
		grep -q '^ExecStart=/usr/sbin/tierlensd' "$dir/tierlens/lib/systemd/system/tierlensd.service" || status=1
	fi
	if [ -e "$top/tools/systemd/tierlensd.conf" ]; then
		cmp "$top/tools/systemd/tierlensd.conf" "$dir/tierlens/etc/tierlens/tierlensd.conf" || status=1
	fi
	return "$status"
}

# The module's source is what is here, no more and no less.
has_source()
{
	( cd "$top" && find Kbuild kmod include -type f | sort ) >"$dir/want"
	( cd "$source" && find . -type f ! -name dkms.conf | sed 's,^\./,,' | sort ) >"$dir/got"
	diff "$dir/want" "$dir/got" && while IFS= read -r file; do cmp "$top/$file" "$source/$file" || return 1; done <"$dir/want"
}

# As DKMS reads it: with the variables that it sets.
conf_is_good()
{
	(
		# shellcheck disable=SC2034  # dkms.conf uses them
		kernel_source_dir=/k dkms_tree=/t
		# shellcheck source=/dev/null
		. "$source/dkms.conf" || exit 1
		is name "$PACKAGE_NAME" tierlens && is version "$PACKAGE_VERSION" "$version" && is auto "$AUTOINSTALL" yes &&
			is make "${MAKE[0]}" "make -C /k M=/t/tierlens/$version/build modules" &&
			is place "${DEST_MODULE_LOCATION[0]}" /updates/dkms &&
			is module "${BUILT_MODULE_NAME[0]}.o" "$(sed -n 's/^obj-m := //p' "$source/Kbuild")"
	)
}

dkms_takes_it()
{
	mkdir -p "$dir/dkms"
	dkms add -m tierlens -v "$version" --sourcetree "$dir/tierlens-dkms/usr/src" --dkmstree "$dir/dkms" &&
		dkms status --dkmstree "$dir/dkms" | grep -q "^tierlens/$version: added"
}

program_runs()
{
	local output

	output=$("$dir/tierlens/usr/bin/tierlens" --version) && is version "$output" "tierlens $version" &&
		"$dir/tierlens/usr/bin/tierlens" selftest --list | grep -q pool
}

# What the release has done, in the words of CHANGELOG.md.
changelog_tells()
{
	zcat "$dir/tierlens/usr/share/doc/tierlens/changelog.gz" >"$dir/changelog"
	grep -qx "tierlens ($version) unstable; urgency=medium" "$dir/changelog" &&
		is 'number of entries' "$(grep -c '^  \* ' "$dir/changelog")" \
			"$(awk -v v="$version" '/^## / { on = $2 == v } on && /^- / { n++ } END { print n }' "$top/CHANGELOG.md")"
}

# From an archive without a repository, in a folder of another name.
same_again()
{
	local epoch

	epoch=${SOURCE_DATE_EPOCH:-$(git -C "$top" log -1 --format=%ct 2>/dev/null ||
		stat -c %Y "$top/include/tierlens-version.h")}
	mkdir -p "$dir/a/longer/name"
	( cd "$top" && tar -c --exclude=./build --exclude=./.git . ) | tar -x -C "$dir/a/longer/name" &&
		SOURCE_DATE_EPOCH=$epoch "$dir/a/longer/name/tools/deb" >"$dir/again.out" 2>&1 || { cat "$dir/again.out"; return 1; }
	( cd "$debs" && sha256sum ./*.deb ) >"$dir/first"
	( cd "$dir/a/longer/name/build/deb" && sha256sum ./*.deb ) >"$dir/second"
	diff "$dir/first" "$dir/second"
}

debs=$dir/debs
begin=$SECONDS
without_network "$top/tools/deb" "$debs" >"$dir/build.out" 2>&1
point $? 'the packages are built without network' "$dir/build.out"
echo "# it took $((SECONDS - begin)) s"
[ "$failed" = 0 ] || finish
for package in tierlens tierlens-dkms; do
	dpkg-deb -x "$debs/$package"_*.deb "$dir/$package"
	check "version of $package" of_package $package Version "$version"
done
source=$dir/tierlens-dkms/usr/src/tierlens-$version
check 'lintian finds nothing' is_clean
check 'all files' has_files
check "the module's source is complete" has_source
check 'dkms.conf' conf_is_good
check 'DKMS is needed' eval 'of_package tierlens-dkms Depends "$(dpkg-deb -f "$debs"/tierlens-dkms_*.deb Depends | grep "^dkms")"'
check 'the programs run' program_runs
check 'the changelog' changelog_tells
if command -v dkms >/dev/null; then
	check 'DKMS takes the source' dkms_takes_it
else
	skip 'DKMS takes the source' 'it is not installed'
fi
if [[ ${TIERLENS_TESTS:-} == all ]]; then
	check 'made again elsewhere, they are the same' same_again
else
	skip 'made again elsewhere, they are the same' 'one minute more: TIERLENS_TESTS=all'
fi
finish
