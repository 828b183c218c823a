# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# For tests of the packages: a Debian that has never seen them, at $root.

# shellcheck source=selftests/unit/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../unit/tap.sh"
# shellcheck source=tools/kernels.sh
. "$top/tools/kernels.sh"
# shellcheck source=tools/packages.sh
. "$top/tools/packages.sh"

# All mounts are the test's own and end with it, however that ends.
if [ -z "${TIERLENS_OWN_MOUNTS:-}" ]; then
	[ "$(id -u)" = 0 ] || { echo '1..0 # SKIP a chroot needs root'; exit 4; }
	rm -rf "$dir"
	trap - EXIT
	TIERLENS_OWN_MOUNTS=1 exec unshare --mount --propagation private "$0"
fi
root=$dir/root

# What mounts are over does not belong to the root.
gone_with_all()
{
	unmount
	rm -rf --one-file-system "$dir"
}
trap gone_with_all EXIT

unmount()
{
	umount -R "$root/proc" "$root/dev" 2>/dev/null
}

# took NAME BEGIN: how long it took, for people
took()
{
	echo "# $1: $((SECONDS - $2)) s"
}

inside()
{
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive HOME=/root "$@"
}

make_packages()
{
	local begin=$SECONDS

	"$top/tools/deb" "$dir/debs" >"$dir/deb.out" 2>&1
	point $? 'the packages are built' "$dir/deb.out"
	took 'packages' $begin
}

# make_root PACKAGE,...
make_root()
{
	apt_sources bookworm >"$dir/sources.list" &&
		mmdebstrap --quiet --variant=apt --include="$1" --aptopt='APT::Install-Recommends "false"' \
			bookworm "$root" - <"$dir/sources.list" &&
		mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
		cp -L /etc/resolv.conf "$root/etc/resolv.conf" && inside apt-get -qq update
}

install_packages()
{
	mkdir "$root/tmp/debs"
	cp "$dir"/debs/tierlens{,-dkms}_*.deb "$root/tmp/debs/"
	inside sh -c 'cd /tmp/debs && apt-get -y install ./*.deb' >"$dir/install.out" 2>&1
	point $? 'apt installs them' "$dir/install.out"
}
