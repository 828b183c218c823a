# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Packages of any suite and architecture, from the package host that this machine's
# own apt uses, through an apt state under the cache. Nothing here installs anything.

apt_signed_by='signed-by=/usr/share/keyrings/debian-archive-keyring.gpg'

# Prints the URI that this machine's apt takes SUITE from.
apt_host_uri()
{
	# shellcheck disable=SC2016  # apt's own variables
	apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
		awk -v want="$1" '$1 == want { uri = $2 } END { print uri }'
}

# Prints the sources.list for SUITE.
apt_sources()
{
	local suite=$1 codename main security

	# shellcheck source=/dev/null
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	main=${TIERLENS_MIRROR:-$(apt_host_uri "$codename")}
	security=${TIERLENS_SECURITY_MIRROR:-$(apt_host_uri "$codename-security")}
	[ -n "$main" ] ||
		die "apt has no source for '$codename'; set TIERLENS_MIRROR to a Debian mirror"
	echo "deb [$apt_signed_by] $main $suite main"
	if [[ $suite != *-backports && -n $security ]]; then
		echo "deb [$apt_signed_by] $security $suite-security main"
	fi
}

# Sets the array apt_options to an apt state of its own for SUITE and ARCH.
apt_open()
{
	local suite=$1 arch=$2 dir=$TL_CACHE/apt/$1-$2 lock

	mkdir -p "$dir/lists/partial" "$dir/archives/partial"
	apt_options=(
		-o "Dir::Etc::SourceList=$dir/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o "Dir::State::Lists=$dir/lists" -o "Dir::State::status=$dir/status"
		-o "Dir::Cache=$dir" -o "Dir::Cache::archives=$dir/archives"
		-o "APT::Architecture=$arch" -o "APT::Architectures=$arch"
		-o APT::Sandbox::User=root -o Acquire::Languages=none -o Acquire::Retries=3
	)
	exec {lock}>"$dir/lock"
	flock "$lock"
	: >"$dir/status"
	apt_sources "$suite" >"$dir/sources.list"
	apt-get "${apt_options[@]}" -qq update >&2
	exec {lock}>&-
}

# apt_fetch DIR PACKAGE[=VERSION]...: downloads the files into DIR.
apt_fetch()
{
	local dir=$1
	shift

	mkdir -p "$dir"
	( cd "$dir" && apt-get "${apt_options[@]}" -qq download "$@" >&2 )
}

# apt_unpack DIR TREE: unpacks every package file in DIR into TREE.
apt_unpack()
{
	local deb

	for deb in "$1"/*.deb; do
		dpkg-deb -x "$deb" "$2"
	done
}
