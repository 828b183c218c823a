#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens origin: what is learned against another hand's counts and posteriors, patterns, what is unsure, class paths,
# programs and processes; the model that comes with tierlens on this machine's packages; and what is said of files that
# are none. Prints TAP. TIERLENS names the program (make model-programs).
set -uo pipefail

# shellcheck source=selftests/model/model-cli.sh
. "$(dirname "$0")/model-cli.sh"
rows=$here/origin-rows.py
model=$dir/model.json
root=$dir/nowhere # a machine of which nothing is here
mkdir -p "$root"

# classify OPTION...: rows on standard input
classify()
{
	cat >"$dir/c.csv"
	run "$real" origin classify "$dir/c.csv" --root "$root" --model "$model" "$@"
}

# ---- learning ----------------------------------------------------------------------------

explained()
{
	local path

	: >"$dir/explained"
	for path in /opt/srv3x/bin/srv3x /opt/new/lib/libssl.so.3 /usr/lib/x86_64-linux-gnu/libc.so.6 x \
		/opt/new/lib/new.jar!/org/new/A.class /usr/lib/jvm/java-17/lib/modules!/java.base/java/util/D.class \
		org.asm3.Z '/home/a b/ü.py' /a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/y/z/libz.so.1.2.3; do
		"$real" origin explain "$path" --root "$root" --model "$1" --json "${@:2}" >>"$dir/explained"
	done
	"$rows" oracle "$1" "$dir/explained" >"$dir/judged"
}

learning()
{
	"$rows" make 1 40 >"$dir/rows.csv"
	run "$real" origin train "$dir/rows.csv" -o "$dir/plain.json" --plain --root "$root" --json
	good 'train: a summary' '.[0] | .rows == 360 and .families.native.examples == {user: 80, system: 80, "third-party": 80} and
		.families.java.verdict == "ok"'
	"$rows" counts "$dir/rows.csv" "$dir/plain.json" >"$dir/judged"
	jq -e .same "$dir/judged" >/dev/null
	result $? "what is counted: $(jq -c .same "$dir/judged")"
	same 'plain: each vote counts 1' "$(jq -c '[.families[] | .examples_weight, .features[].weight] | unique' "$dir/plain.json")" '[1]'
	explained "$dir/plain.json" --program /opt/new/bin/new
	jq -e '.n == 9 and .worst < 1e-9' "$dir/judged" >/dev/null
	result $? "posteriors, another hand's: $(<"$dir/judged")"
	run "$real" origin train "$dir/rows.csv" -o "$model" --root "$root"
	same 'weights were found' "$(jq -c '[.families[].features[].weight] | unique | length > 5' "$model")" true
	explained "$model"
	jq -e '.n == 9 and .worst < 1e-9' "$dir/judged" >/dev/null
	result $? "with weights: $(<"$dir/judged")"
	"$real" origin train "$dir/rows.csv" -o "$dir/again.json" --root "$root" >/dev/null
	same 'the same again' "$(cmp "$model" "$dir/again.json" 2>&1)" ''
	"$rows" make 2 30 | sed 's/srv/new/g' >"$dir/new.csv"
	run "$real" origin classify "$dir/new.csv" --model "$model" --root "$root"
	same 'other programs, whose names were never seen' "$(paste -d, <(cut -d, -f5 "$dir/new.csv") <(cut -d, -f2 "$dir/out") |
		awk -F, 'NR > 1 { n++; right += $1 == $2 } END { print (right / n >= 0.97) }')" 1
	# One name in few groups is no name: what is told apart came in two at least.
	same 'names of one group only are not told apart' \
		"$(jq -c '.families.java.features.name.values | has("org"), has("srv3x")' "$model" | tr '\n' ' ')" 'true false '
}

# ---- what is answered --------------------------------------------------------------------

answers()
{
	printf 'path\n/opt/shop/bin/shopd\n/usr/lib/x86_64-linux-gnu/libc.so.6\n"/a,b/libq.so.1.2"\n' | classify --program /opt/shop/bin/shopd
	same 'rows come out in order, with a label and a posterior' "$(awk -F, 'NR == 1 { print } NR > 1 { print ($(NF - 1) != ""), ($NF > 0 && $NF <= 1) }' \
		"$dir/out" | tr '\n' ' ')" 'path,label,posterior 1 1 1 1 1 1 '
	same 'the program itself is the user'\''s, the C library the system'\''s' "$(sed -n '2,3s/.*,\(.*\),.*/\1/p' "$dir/out" | tr '\n' ' ')" \
		'user system '
	printf 'path\n/opt/shop/lib/libssl.so.3\n/x/y\n' | classify --json --sure 1
	good 'nothing is as sure as 1: unsure' '.[0] | .counts.unsure == 2 and all(.files[]; .label == "unsure" and .probed == false and
		((.posteriors | add) - 1 | fabs) < 1e-12)'
	printf 'path,kind\n/opt/shop/lib/shop.jar,jar\n/opt/a/libssl.so.3,elf\norg.shop.Cart,class\n' |
		classify --json --user '/opt/*' --third-party 'libssl*' --system 'org.shop.*'
	good 'patterns are right, the last one that fits: path, name, class' '.[0].files | map([.label, .posterior, .pattern]) ==
		[["user", 1, "/opt/*"], ["third-party", 1, "libssl*"], ["system", 1, "org.shop.*"]] and .[0].probed and (.[1].probed | not)'
	printf 'path\n/opt/a\n/b\n' | classify --user '/opt/*'
	same 'by what' "$(cut -d, -f4 "$dir/out" | tr '\n' ' ')" 'by /opt/* model '
	printf 'path,archive\norg/shop/A.class,/opt/shop.jar\n' | classify --json --user '/opt/shop.jar!/*'
	good 'an archive of its own column' '.[0].files[0] | .path == "org/shop/A.class" and .kind == "class" and .label == "user"'
	sed 's/,third-party,/,user,/' "$dir/rows.csv" | grep -v ',class,' >"$dir/two.csv"
	run "$real" origin train "$dir/two.csv" -o "$dir/two.json" --json
	good 'a label without examples is told' '.[0].families | (.native.verdict | startswith("a label without examples")) and
		(.java.verdict | startswith("fewer than two labels"))'
	printf 'path,kind\n/usr/lib/libz.so.1,elf\norg.shop.A,class\n' >"$dir/c.csv"
	run "$real" origin classify "$dir/c.csv" --model "$dir/two.json" --json --sure 0
	good 'and never answered; without two of them all is unsure' '.[0].files | .[0].posteriors["third-party"] == 0 and .[1].label == "unsure" and
		(.[1].posterior - 1 / 3 | fabs) < 1e-12'
	run "$real" origin explain /opt/shop/lib/libssl.so.3 --program /opt/shop/bin/shopd --model "$model"
	same 'explain: a line a feature, and a sentence' "$(grep -cE '^(examples|name|link|kin|together|posterior) ' "$dir/out") $(tail -n 1 "$dir/out" |
		grep -cE ' is (user|system|third-party|unsure)')" '6 1'
}

# ---- who asks for whom -------------------------------------------------------------------

# asks PATH PROGRAM: of a file in the tree, what it needs, how near that is to the program, and who asks for it
asks()
{
	"$real" origin explain "$1" --program "$2" --root "$dir/tree" --model "$dir/asked.json" --json |
		jq -c '[.features[] | select(.feature == ("needs", "needs kin", "asked")) | .values]'
}

asking()
{
	local many

	"$rows" tree "$dir/tree" 30 >"$dir/tree.csv"
	run "$real" origin train "$dir/tree.csv" -o "$dir/asked.json" --root "$dir/tree"
	same 'libraries that others ask for; not those that are only asked for by their own' \
		"$(jq -c '.families.native.asked | sort' "$dir/asked.json")" '["c","far"]'
	"$rows" elf "$dir/tree/opt/shop/lib/libshopx.so.2" libshopx.so.2 libShop-Core.so.1 libz.so.1.2 libc.so.6
	"$rows" elf "$dir/tree/opt/shop/lib/libfar.so.9.1" libfar.so.9
	"$rows" elf "$dir/tree/opt/shop/lib/libc.so.6" libc.so.6 libfar.so.3
	same 'what a file asks for' "$(asks /opt/shop/lib/libshopx.so.2 /opt/shop/bin/shop)" \
		'[["shop-core","z","c"],["part of it"],["by nobody else"]]'
	"$rows" elf "$dir/tree/usr/lib/libshopx.so.2" libshopx.so.2 libShop-Core.so.1 libz.so.1.2 libc.so.6
	same 'none of it the program'\''s' "$(asks /usr/lib/libshopx.so.2 /opt/till/bin/till)" '[["shop-core","z","c"],["none"],["by nobody else"]]'
	same 'nothing; and others ask for it, in another version' "$(asks /opt/shop/lib/libfar.so.9.1 /opt/shop/bin/shop)" '[["no library"],[],["by others"]]'
	same 'one that is not here: by its name' "$(asks /x/libfar.so.1 /opt/shop/bin/shop)" '[[],[],["by others"]]'
	same 'a program is no library' "$(asks /opt/shop/bin/far /opt/shop/bin/shop)" '[[],[],[]]'
	same 'all ask for the language'\''s' "$(asks /opt/shop/lib/libc.so.6 /opt/shop/bin/shop)" '[[],[],[]]'
	same 'programs say what they need, too' "$(asks /opt/srv3x/bin/srv3x /opt/srv3x/bin/srv3x)" '[["srv3x-core","plug","far","c"],["part of it"],[]]'
	mapfile -t many < <(printf 'lib%050d-a.so.1\n' $(seq 100))
	"$rows" elf "$dir/tree/opt/shop/lib/many.so" '' "${many[@]}"
	same 'of very many, the first 50' "$(asks /opt/shop/lib/many.so /opt/shop/bin/shop | jq '.[0] | length')" 50
	: >"$dir/explained"
	for path in /opt/shop/lib/libshopx.so.2 /opt/srv3x/bin/srv3x /opt/shop/lib/libfar.so.9.1 /usr/lib/libbase.so.5; do
		"$real" origin explain "$path" --program /opt/shop/bin/shop --root "$dir/tree" --model "$dir/asked.json" --json >>"$dir/explained"
	done
	"$rows" oracle "$dir/asked.json" "$dir/explained" >"$dir/judged"
	jq -e '.n == 4 and .worst < 1e-9' "$dir/judged" >/dev/null
	result $? "posteriors of them, another hand's: $(<"$dir/judged")"
	"$rows" damage "$dir/tree/opt/shop/lib/libshopx.so.2" "$dir/tree/d" 500
	seq -f '/d/d%g.so' 0 499 | sed '1i path' >"$dir/d.csv"
	run "$real" origin classify "$dir/d.csv" --root "$dir/tree" --model "$dir/asked.json" --json
	good '500 damaged files: a number for each' '.[0].files | length == 500 and all(.[]; (.posteriors | add) - 1 | fabs < 1e-9)'
	"$rows" change "$dir/asked.json" '"asked":' '"asks":' >"$dir/bad.json"
	says 1 'it does not tell which libraries are asked for' "$real" origin explain /x --model "$dir/bad.json"
	"$rows" change "$dir/asked.json" '"asked":[' '"asked":[1,' >"$dir/bad.json"
	says 1 'a library whose name is no text' "$real" origin explain /x --model "$dir/bad.json"
	"$rows" change "$dir/asked.json" '"asked":[' '"asked":["z",' >"$dir/bad.json"
	run "$real" origin explain /x/libz.so.1 --model "$dir/bad.json"
	same 'a changed model with a right check is read' "$status $(grep -c 'by others' "$dir/out")" '0 1'
}

# ---- programs, processes, class paths ----------------------------------------------------

objects()
{
	local out=$dir/out

	run "$real" origin classify --program "$real" --model "$model" --json
	good 'a program and its libraries' '.[0].files | .[0].kind == "elf" and .[0].label == "user" and length > 5 and
		any(.[]; .path | test("/libc\\.so\\.6$"))'
	run "$real" origin classify --pid $$ --json
	good 'a process' ".[0].files | any(.[]; .path == \"$(readlink /proc/$$/exe)\") and
		any(.[]; (.path | test(\"/libc\\\\.so\\\\.6$\")) and .label == \"system\")"
	run "$real" origin classify --program "$real" --functions --user '*/tierlens' --third-party '*.so*'
	same 'functions for probes, where they are' "$(awk -F, '$2 == "tl_bayes_judge" { print $3 }' "$out")" "$("$rows" offset "$real" tl_bayes_judge)"
	same 'of nothing but the user'\''s objects' "$(awk -F, 'NR > 1 { print $1 }' "$out" | sort -u)" "$real"
	"$rows" jar "$dir/shop.jar" META-INF/MANIFEST.MF org/shop/A.class org/shop/B.class BOOT-INF/lib/asm-9.4.jar=org/asm/C.class,org/asm/D.class
	mkdir -p "$dir/classes/org/shop"
	: >"$dir/classes/org/shop/E.class"
	run "$real" origin classify --classpath "$dir/shop.jar:$dir/classes" --model "$model" --json
	good 'a class path: archive, archive in it, folder' "[.[0].files[].path] == [\"$dir/shop.jar!/org/shop/A.class\", \"$dir/shop.jar!/org/shop/B.class\",
		\"$dir/shop.jar!/BOOT-INF/lib/asm-9.4.jar!/org/asm/C.class\", \"$dir/shop.jar!/BOOT-INF/lib/asm-9.4.jar!/org/asm/D.class\",
		\"$dir/classes/org/shop/E.class\"]"
	run "$real" origin explain "$dir/shop.jar!/org/shop/A.class" --program "$dir/shop.jar" --model "$model" --json
	good 'the main class, by the archive' '.[0].features[] | select(.feature == "kin") | .values == ["main'\''s, and below"]'
	head -c 150 "$dir/shop.jar" >"$dir/cut.jar"
	says 1 'cut.jar: cannot read the archive' "$real" origin classify --classpath "$dir/cut.jar"
	printf 'PK\3\4 and then nothing' >"$dir/bad.jar"
	says 1 'bad.jar: cannot read the archive' "$real" origin classify --classpath "$dir/bad.jar"
	says 1 'nowhere.jar: cannot read' "$real" origin classify --classpath "$dir/nowhere.jar"
	says 1 'this is no ELF file' "$real" origin classify --program "$dir/shop.jar"
	says 1 'cannot be looked at' "$real" origin classify --pid 4194304
}

# ---- the model that comes with tierlens --------------------------------------------------

shipped()
{
	"$rows" here "$top/build" >"$dir/here.csv"
	run "$real" origin classify "$dir/here.csv" -o "$dir/answers.csv"
	"$here/origin-judge.py" "$dir/here.csv" "$dir/answers.csv" --json >"$dir/judged"
	jq -e '.elf | .n > 50 and .accuracy >= 0.92 and .user_recall >= 0.85' "$dir/judged" >/dev/null
	result $? "this machine's packages and the build's programs: $(jq -c '.elf | [.n, .accuracy, .user_recall, .unsure]' "$dir/judged")"
	run "$real" origin classify "$dir/rows.csv" --root "$root" --json
	good 'also of files that are not here: a number for each, none of them none' '.[0].files | length == 360 and
		all(.[]; (.posteriors | add) - 1 | fabs < 1e-9)'
}

# ---- what is none ------------------------------------------------------------------------

# bad NAME SENTENCE TEXT: a training file
bad()
{
	printf '%b' "$3" >"$dir/bad.csv"
	says 1 "$2" "$real" origin train "$dir/bad.csv" -o "$dir/bad.json"
}

# broken SENTENCE SED: a model
broken()
{
	sed "$2" "$model" >"$dir/broken.json"
	says 1 "$1" "$real" origin explain /x --model "$dir/broken.json"
}

none()
{
	says 2 'origin needs train, classify or explain' "$real" origin
	says 2 'origin has no "guess"' "$real" origin guess
	says 2 'origin train needs files' "$real" origin train -o "$model"
	says 2 'origin train needs -o' "$real" origin train "$dir/rows.csv"
	says 2 'origin classify needs files' "$real" origin classify
	says 2 'origin explain needs the path' "$real" origin explain
	says 2 'unknown kind "exe"' "$real" origin explain /x --kind exe
	says 2 '--sure 1.5 is above 1' "$real" origin explain /x --sure 1.5
	says 1 'cannot read (No such file or directory): give files' "$real" origin train "$dir/nowhere.csv" -o "$model"
	says 1 'cannot write' "$real" origin train "$dir/rows.csv" -o /dev/full
	bad empty 'the file is empty: give files' ''
	bad head 'no row but the head' 'path,label\n'
	bad column 'bad.csv:1: no column "label"' 'path,kind\n/a,elf\n'
	bad path 'bad.csv:1: no column "path"' 'file,label\n/a,user\n'
	bad twice 'bad.csv:1: column 3: "path" is there twice' 'path,label,path\n/a,user,/b\n'
	bad one 'all rows are "user", nothing can be told from that' 'path,label\n/a,user\n/b,user\n'
	bad label 'bad.csv:3: column 2: unknown label "mine"' 'path,label\n/a,user\n/b,mine\n'
	bad kind 'bad.csv:2: column 2: unknown kind "exe"' 'path,kind,label\n/a,exe,user\n'
	bad number 'bad.csv:2: column 2: mtime "nan" is no number' 'path,mtime,label\n/a,nan,user\n'
	bad range 'bad.csv:2: column 2: size -1 is out of range' 'path,size,label\n/a,-1,user\n'
	bad large 'bad.csv:2: column 2: mtime 1e300 is out of range' 'path,mtime,label\n/a,1e300,user\n'
	bad nothing 'bad.csv:2: column 1: an empty path' 'path,label\n,user\n'
	bad fields 'bad.csv:2: 3 fields, the head has 2' 'path,label\n/a,user,x\n'
	printf 'path,label\n%s,user\n' "/$(head -c 5000 /dev/zero | tr '\0' a)" >"$dir/bad.csv"
	says 1 'bad.csv:2: column 1: a path of more than' "$real" origin train "$dir/bad.csv" -o "$dir/bad.json"
	says 1 'nowhere.json: cannot read the model' "$real" origin explain /x --model "$dir/nowhere.json"
	head -c 300 "$model" >"$dir/cut.json"
	says 1 'this is no model, or a part of one' "$real" origin explain /x --model "$dir/cut.json"
	says 1 'no model of tierlens origin' "$real" origin explain /x --model <(echo '{}')
	broken 'a model of version 2, this program knows 1' 's/"tierlens_origin":1/"tierlens_origin":2/'
	broken 'the model is damaged, its check is wrong' 's/"examples":\[[0-9]*/&1/'
	broken 'a part of the model is missing' 's/"families"/"members"/'
	broken 'its labels are not user' 's/"labels":\["user"/"labels":["mine"/'
}

learning
answers
asking
objects
shipped
none
finish
