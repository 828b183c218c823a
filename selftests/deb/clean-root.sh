#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The packages on a Debian that has never seen them: installed with apt, the module built by DKMS
# for the kernel whose headers are there, programs and manuals tried, purged, and nothing left.
# In a chroot; no kernel of it ever runs. Some minutes, root, and Debian's packages by network.
# Prints TAP.
set -uo pipefail

# shellcheck source=selftests/deb/root.sh
. "$(dirname "$0")/root.sh"
version=$(sed -n 's/^#define TIERLENS_VERSION "\(.*\)"/\1/p' "$top/include/tierlens-version.h")

# What purging may leave: apt's, dpkg's and the logs' own state, and the key that DKMS makes with
# the first module that it signs, for all that follow.
list()
{
	find "$root" -xdev \( -path "$root/var/log" -o -path "$root/var/lib/apt" -o -path "$root/var/cache" -o -path "$root/tmp" \
		-o -path "$root/proc" -o -path "$root/dev" \) -prune -o -printf '%P %y %m %U:%G %l\n' |
		grep -v -e '^var/lib/dpkg/\(lock\|status\|available\|diversions\|statoverride\|triggers/\)' -e '^var/lib/dkms/mok\.' | sort
}

# Contents of what other packages share with these.
contents()
{
	( cd "$root" && find etc usr/lib/modules usr/src usr/share/bash-completion var/lib/dkms -xdev -type f ! -name ld.so.cache ! -name 'mok.*' \
		-exec sha256sum {} + | sort -k 2 )
}

nothing_left()
{
	list >"$dir/after"
	contents >"$dir/contents.after"
	diff "$dir/before" "$dir/after" && diff "$dir/contents.before" "$dir/contents.after"
}

# is_built: DKMS says so, for this kernel and version
is_built()
{
	inside dkms status | tee "$dir/dkms"
	grep -qx "tierlens/$version, $release, x86_64: installed" "$dir/dkms"
}

# of_module FIELD WANT: what modinfo says of it
of_module()
{
	local value

	value=$(inside modinfo -k "$release" -F "$1" tierlens) && is "$1" "${value%% *}" "$2"
}

# Against the kernel that it was built for, all symbols have the versions that this has.
symbols_fit()
{
	inside modprobe --dump-modversions "$(inside modinfo -k "$release" -F filename tierlens)" | awk '{ print $1, $2 }' |
		sort >"$dir/asked" &&
		awk '{ print $1, $2 }' "$root/usr/src/linux-headers-$release/Module.symvers" | sort >"$dir/there" &&
		[ -s "$dir/asked" ] && ! comm -23 "$dir/asked" "$dir/there" | grep -v module_layout
}

program_says()
{
	local output

	output=$(inside "$1" --version) && is "$1" "$output" "$1 $version"
}

manual_shows()
{
	inside man -P cat "$1" | grep -q "^NAME"
}

kernel_is_good()
{
	inside tierlens check-kernel "$1" --json >"$dir/kernel.json" || { cat "$dir/kernel.json"; return 1; }
	grep -q "\"release\": *\"$release\"" "$dir/kernel.json" && ! grep -q '"there": *false' "$dir/kernel.json"
}

selftest_is_there()
{
	inside tierlens selftest --list | grep -q pool && inside /usr/libexec/tierlens/tierserver --help >/dev/null
}

# A model that comes with it is found where it was installed.
origin_knows()
{
	inside tierlens origin explain /bin/ls | grep -q system
}

make_packages
begin=$SECONDS
make_root man-db,kmod,gawk >"$dir/root.out" 2>&1
point $? 'a root of Debian' "$dir/root.out"
took 'root' $begin
begin=$SECONDS
# A kernel's package lists its modules when it is installed: where the packages come to, that has
# been done. With openssl DKMS signs what it builds.
inside sh -c 'apt-get -qq -y install dkms linux-headers-amd64 openssl &&
	depmod "$(ls /lib/modules)"' >"$dir/before.out" 2>&1
point $? "the kernel's headers and DKMS" "$dir/before.out"
took 'headers and DKMS' $begin
[ "$failed" = 0 ] || finish
release=$(basename "$root"/usr/src/linux-headers-*-amd64)
release=${release#linux-headers-}
list >"$dir/before"
contents >"$dir/contents.before"

begin=$SECONDS
install_packages
took 'install, with the module' $begin
check 'DKMS has built the module' is_built
check 'modinfo: version' of_module version "$version"
check "modinfo: the kernel" of_module vermagic "$release"
check 'DKMS has signed it' of_module signer DKMS
check "symbols have that kernel's versions" symbols_fit
check 'tierlens runs' program_says tierlens
check 'tierlensd runs' program_says tierlensd
check 'man tierlens' manual_shows tierlens
check 'man tierlensd' manual_shows tierlensd
check 'check-kernel: where modules are built' kernel_is_good "/lib/modules/$release/build"
check "check-kernel: the kernel's headers" kernel_is_good "/usr/src/linux-headers-$release"
check 'the self test finds its programs' selftest_is_there
check 'origin finds its model' origin_knows

begin=$SECONDS
inside apt-get -y purge --autoremove tierlens tierlens-dkms >"$dir/purge.out" 2>&1
point $? 'apt purges them' "$dir/purge.out"
took 'purge' $begin
check 'nothing is left' nothing_left
finish
