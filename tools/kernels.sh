# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Sourced by the tools and by the VM runner: where things are, and the table of
# kernels in Documentation/kernels.md.

TL_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034  # for those who source this file
TL_CACHE=${TIERLENS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tierlens}
TL_KERNELS_MD=$TL_TOP/Documentation/kernels.md

die()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# The rows of the table without its head, fields separated by '|', trimmed.
kernel_rows()
{
	awk -F'|' '
		/^\| name / { table = 1; next }
		!/^\|/      { table = 0 }
		table && $2 !~ /^ *-/ {
			for (i = 2; i <= 7; i++)
				gsub(/^ +| +$/, "", $i)
			print $2 "|" $3 "|" $4 "|" $5 "|" $6 "|" $7
		}' "$TL_KERNELS_MD"
}

kernel_names()
{
	kernel_rows | cut -d'|' -f1
}

# Sets k_name, k_arch, k_suite, k_package and k_compiler from a row.
kernel_load()
{
	local row

	row=$(kernel_rows | grep -F -- "$1|" | awk -F'|' -v n="$1" '$1 == n') ||
		die "no kernel '$1' in Documentation/kernels.md; there are:" \
		    "$(kernel_names | paste -sd' ')"
	# shellcheck disable=SC2034  # used by those who source this file
	IFS='|' read -r k_name k_arch k_suite k_package k_compiler _ <<<"$row"
}

# Runs a command as root: a chroot cannot do without.
as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo --preserve-env=TL_BINDS "$@"
	else
		die "this needs root: $*"
	fi
}
