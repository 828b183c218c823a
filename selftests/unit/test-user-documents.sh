#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The commands in documents for people: each exists, and has the options that it is shown with;
# targets of make exist; links between documents lead somewhere; the tests that SECURITY.md names are there. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"
documents=(README.md CONTRIBUTING.md Documentation/tutorial.md Documentation/troubleshooting.md Documentation/signing.md
	SECURITY.md)

# shown DOCUMENT PROGRAM: its lines of code and what stands in backquotes, that begin so, one a line
shown()
{
	# shellcheck disable=SC2016  # backquotes are the document's
	{
		grep '^    ' "$top/$1" | sed -e 's/  *#.*//' -e 's/^ *//'
		grep -v '^    ' "$top/$1" | grep -oE '`[^`]+`' | tr -d '`'
	} | sed -E 's,^build/,,; s/ && .*| \| .*| >.*//' | grep -E "^$2( |\$)" | sort -u
}

# help COMMAND [WORD]: what that says of itself
help_of()
{
	"$real" "$1" "${2:-list}" --help 2>/dev/null || "$real" "$1" --help 2>/dev/null
}

# exists tierlens COMMAND ARGUMENT...: it is known, with these options
exists()
{
	local word help

	shift
	[ $# -gt 0 ] && [[ $1 != -* && $1 != COMMAND ]] || return 0
	help=$(help_of "$@") || { echo "no command $1"; return 1; }
	for word; do
		[[ $word != --?* ]] || grep -qE -- "${word%%=*}([^a-z-]|\$)" <<<"$help" || { echo "$1 has no $word"; return 1; }
	done
}

commands()
{
	local document=$1 line words

	while IFS= read -r line; do
		read -ra words <<<"$line"
		check "$document: $line" exists "${words[@]}"
	done < <(shown "$document" tierlens)
}

targets()
{
	local document=$1 target

	while IFS= read -r target; do
		check "$document: make $target" grep -qE "^$target:" "$top/Makefile" "$top"/user/user.mk "$top"/selftests/*/*.mk
	done < <(shown "$document" make | awk '$2 ~ /^[a-z-]+$/ { print $2 }' | sort -u)
}

# Those to other documents of ours, beside this one or above.
links()
{
	local document=$1 link

	while IFS= read -r link; do
		check "$document: link to $link" test -e "$top/$(dirname "$document")/$link"
	done < <(grep -oE '\]\([^)#:]+' "$top/$document" | cut -c3- | sort -u)
}

# A claim's test is a file below selftests/, by its path there or, behind another one of its folder, its name.
claims()
{
	local name files

	files=$(cd "$top" && find selftests kmod -name '*.sh' -o -name '*.c')
	while IFS= read -r name; do
		check "SECURITY.md: $name is there" grep -qE "(^|/)$name\$" <<<"$files"
		check "SECURITY.md: $name is a test" grep -qE "^selftests/(unit|vm/tests|fuzz)/(.*/)?${name##*/}\$|^kmod/" <<<"$files"
	done < <(grep -oE '`[a-z/-]+\.(sh|c)`' "$top/SECURITY.md" | tr -d '`' | sort -u)
}

claims
for document in "${documents[@]}"; do
	commands "$document"
	targets "$document"
	links "$document"
done
finish
