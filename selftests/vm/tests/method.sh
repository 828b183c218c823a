#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: brief=6.1,5.10,newest,6.1-arm64 timeout=240
#
# Functions of a tier's program: counted and timed by class as the program itself does it, in processes
# that begin later, too, and in no other program; what is left by a jump, what calls itself, what is too
# hot; and that no probe is left behind when the level goes, the controller dies, the file is replaced
# or the module is unloaded.
. /job/lib.sh
. /job/chain.sh

requests=$((240 / slow)) port=7201 stepper=/job/bin/stepper
[ -x $stepper ] || stepper=$(command -v stepper)

# ---- helpers ----------------------------------------------------------------

start_stepper()
{
	"$stepper" --port $port "$@" >/tmp/truth.json 2>/tmp/stepper.err &
	server=$!
	wait_until 10 listening $port
}

stop_stepper()
{
	kill -TERM $server
	wait $server
}

ask()
{
	load --to $port --connections 3 --in-order --ask home --ask cart --requests "${1:-$requests}" --seconds 100 \
		>/tmp/load.json || not_ok 'load'
}

# called FUNCTION KEY [CLASS]: over the recording in /tmp/f.jsonl; without a class all in requests
called()
{
	jq -s "[.[].calls[] | select(.name == \"$1\" and .class_name != null and
		(\"${3:-}\" == \"\" or .class_name == \"${3:-}\")) | .$2] | add // 0" /tmp/f.jsonl
}

outside()
{
	jq -s '[.[].calls[] | select(.class_name == null) | .count] | add // 0' /tmp/f.jsonl
}

# truth FUNCTION KEY [CLASS]
truth()
{
	jq -s "[.[] | select(.function == \"$1\" and (\"${3:-}\" == \"\" or .class == \"${3:-}\")) | .$2] | add // 0" /tmp/truth.json
}

probe()
{
	tlmnl function-add stepper "$1" "$stepper" "${@:2}"
}

probe_all()
{
	local name

	for name in serve check lookup fold render; do
		probe $name >/dev/null || not_ok "probe $name"
	done
}

functions()
{
	tierlens status --json >/dev/null
	tlmnl status | jq .functions
}

# is_whole NAME: in the server's memory its code is what is in the file: there is no trap
is_whole()
{
	local range offset first pages

	read -r range _ offset _ < <(grep "r-xp.* $stepper" /proc/$server/maps)
	first=$((16#${range%-*} / 4096))
	pages=$((16#${range#*-} / 4096 - first))
	dd if=/proc/$server/mem bs=4096 skip=$first count=$pages of=/tmp/memory status=none
	dd if="$stepper" bs=4096 skip=$((16#$offset / 4096)) count=$pages of=/tmp/code status=none
	if [ "$(stat -c %s /tmp/code)" -gt 4096 ] && cmp -s /tmp/memory /tmp/code; then ok "$1"; else not_ok "$1"; fi
}

load_module || exit 1
tlmnl tier-add stepper $port || not_ok 'tier add'
tlmnl class-add home home && tlmnl class-add cart cart || not_ok 'classes'

# ---- bad input -----------------------------------------------------------------------

start_stepper --jump 8
refused 'nothing is measured' tlmnl function-add stepper lookup "$stepper"
tierlens enable --interval 500 || exit 1
refused 'not at level method' tlmnl function-add stepper lookup "$stepper"
ask 6
check 'level method' tlmnl level stepper method
refused 'no tier has that name' tlmnl function-add nobody lookup "$stepper"
refused 'the kernel refuses to probe' tlmnl function-add stepper trapped "$stepper"
refused 'behind the end of its file' tlmnl function-add stepper +1000000000 "$stepper"
refused 'behind the end of its file' tlmnl function-add stepper +9223372036854775808 "$stepper"
refused 'no file of a disk' tlmnl function-add stepper +64 /dev/null
refused 'no file of a disk' tlmnl function-add stepper lookup "$stepper" /dev/null
refused 'needs CAP_PERFMON' setpriv --bounding-set=-sys_admin,-perfmon tlmnl function-add stepper lookup "$stepper"
refused 'no function of that tier' tlmnl function-del stepper 4711
id=$(probe lookup)
refused 'is probed already' tlmnl function-add stepper lookup "$stepper"
check 'that one is probed no more' tlmnl function-del stepper "$id"
is "$(functions)" 0 'no function is probed'
is_whole 'there is no trap'
probe lookup >/dev/null || not_ok 'probe lookup'
(is_whole '' | grep -q '^not ok') && ok 'where there is one, it is seen' || not_ok 'where there is a trap, it is seen'
check 'probed no more' tlmnl function-del stepper
is_whole 'there is none again'

# ---- counts and times ------------------------------------------------------------------

probe_all
probe jump >/dev/null || not_ok 'probe jump'
is "$(functions)" 6 'six functions'
stop_stepper
start_stepper --jump 8
follow /tmp/f.jsonl
ask
stop_follow
stop_stepper
for name in serve check lookup fold render; do
	is "$(called $name count)" "$(truth $name count)" "$name: all calls, of a process that began later"
done
for class in home cart; do
	is "$(called lookup count $class)" "$(truth lookup count $class)" "$class: by class"
done
# From trap to trap is more than the function's own clock says, and all of them less than who calls them.
for name in serve lookup fold render; do
	jq -en "$(called $name total_ns) >= $(truth $name total_ns)" >/dev/null && ok "$name: time" || not_ok "$name: time"
done
jq -en "$(called check total_ns) + $(called lookup total_ns) + $(called fold total_ns) + $(called render total_ns) <=
	$(truth serve total_ns)" >/dev/null && ok 'all of them: time, what calls itself once' || not_ok 'all of them: time'
jq -en "$(called render cpu_ns) >= $requests * 500000 and $(called render cpu_ns) <= $(called render total_ns)" >/dev/null &&
	ok 'render: on a processor' || not_ok "render: on a processor: $(called render cpu_ns) of $(called render total_ns) ns"
jq -en "$(called lookup cpu_ns) < 0.5 * $(called lookup total_ns)" >/dev/null && ok 'lookup: sleeps' || not_ok 'lookup: sleeps'
is "$(jq -s '[.[].calls[] | select(.own_ns > .total_ns and .name != "fold")] | length' /tmp/f.jsonl)" 0 'own is a part of the whole'
is $(($(called serve total_ns) - $(called serve own_ns) - $(called check total_ns) - $(called lookup total_ns) -
	$(called fold total_ns) - $(called render total_ns))) 0 'serve: its own is what the others are not, to the nanosecond'
is "$(called jump count)" 0 'jump: never returns'
is "$(tlmnl function-list | jq 'select(.name == "jump") | .hits')" "$(truth jump count)" 'jump: its entries'
is "$(tlmnl function-list | jq -s 'map(.lost) | add')" "$(truth jump count)" 'jump: counted as lost'
is "$(outside)" 0 'nothing outside of requests'
is "$(jq -s '[.[].cost.function_hits] | add >= '$((2 * requests * 8)) /tmp/f.jsonl)" true 'what it costs: hits'
is "$(jq -s '[.[].cost | select(.hook_hits > 1000 and .hook_ns == 0)] | length' /tmp/f.jsonl)" 0 'what it costs: time'

# ---- too deep ----------------------------------------------------------------------------

# lost FUNCTION
lost()
{
	tlmnl function-list | jq "select(.name == \"$1\") | .lost"
}

start_stepper --folds 30
follow /tmp/f.jsonl
ask 20
stop_follow
stop_stepper
# serve() is below.
is "$(called fold count) $(lost fold)" "$((23 * 20)) $((7 * 20))" 'thirty deep: 24 are followed, the others are counted as lost'
is "$(called serve count) $(lost serve)" '20 0' 'thirty deep: what is below is as it was'
jq -en "$(called fold total_ns) >= $(truth fold total_ns)" >/dev/null && ok 'thirty deep: time' || not_ok 'thirty deep: time'

# ---- in no other program -----------------------------------------------------------------

cp "$stepper" /tmp/other
start_stepper
/tmp/other --port 7202 >/tmp/other.json &
other=$!
wait_until 10 listening 7202
before=$(tlmnl function-list | jq -s 'map(.hits) | add')
load --to 7202 --ask home --requests 20 --seconds 60 >/dev/null || not_ok 'load'
is "$(tlmnl function-list | jq -s 'map(.hits) | add')" "$before" 'a copy of the program is another one'

# A library is the same for both.
library=$(awk '$6 ~ /libc\.so/ { print $6; exit }' /proc/$server/maps)
probe_id=$(tlmnl function-add stepper clock_nanosleep "$library" "$stepper") || not_ok 'probe a library'
slept()
{
	tlmnl function-list | jq "select(.id == $probe_id) | .hits"
}
load --to 7202 --ask home --requests 20 --seconds 60 >/dev/null || not_ok 'load'
is "$(slept)" 0 'nor is a library probed in it'
ask 10
is "$(slept)" 50 'but in the program it is'
check 'the other one: level method' tlmnl level other:7202 method
other_id=$(tlmnl function-add other:7202 clock_nanosleep "$library" /tmp/other) || not_ok 'probe the library in both'
follow /tmp/f.jsonl
load --to 7202 --ask home --requests 20 --seconds 60 >/dev/null || not_ok 'load'
ask 10
stop_follow
is "$(slept)" 100 'probed in both, each is told of its own: hits'
is "$(jq -s "[.[].calls[] | select(.function == $probe_id) | .count] | add" /tmp/f.jsonl) $(
	jq -s "[.[].calls[] | select(.function == $other_id) | .count] | add" /tmp/f.jsonl)" '50 100' 'and calls'
is "$(tlmnl function-list | jq -s 'map(select(.name == "clock_nanosleep") | .lost) | add')" 0 'and none is lost'
check 'the library is probed no more' tlmnl function-del stepper "$probe_id"
check 'nor in the other' tlmnl level other:7202
kill -TERM $other

# ---- one program, two tiers ------------------------------------------------------------------

stop_stepper
check 'all are probed no more' tlmnl function-del stepper
tlmnl tier-add second 7203 || not_ok 'tier add'
start_stepper --also 7203
wait_until 10 listening 7203
check 'second: level method' tlmnl level second method
probe lookup >/dev/null && tlmnl function-add second lookup "$stepper" >/dev/null || not_ok 'probe in both'
follow /tmp/f.jsonl
ask 20
load --to 7203 --ask home --requests 10 --seconds 60 >/dev/null || not_ok 'load'
stop_follow
is "$(jq -s '[.[].calls[] | select(.tier_name == "stepper") | .count] | add' /tmp/f.jsonl) $(
	jq -s '[.[].calls[] | select(.tier_name == "second") | .count] | add' /tmp/f.jsonl)" '20 10' 'a place that is probed for two tiers: each has its own'
is "$(tlmnl function-list | jq -s 'map(.lost) | add')" 0 'and none is lost'
check 'second: no level of its own' tlmnl level second
check 'its rule is deleted' tlmnl tier-del second
check 'all are probed no more' tlmnl function-del stepper
stop_stepper
tlmnl tier-add lonely 7999 && tlmnl level lonely method || not_ok 'a tier that nobody has met'
tlmnl function-add lonely lookup "$stepper" >/dev/null || not_ok 'probe in it'
start_stepper
(is_whole '' | grep -q '^not ok') && ok 'it is probed' || not_ok 'it is probed'
check 'its rule is deleted' tlmnl tier-del lonely
is "$(tlmnl function-list | jq -s 'map(select(.tier == "lonely")) | length')" 0 'and it is probed no more'
probe_all
probe jump >/dev/null || not_ok 'probe jump'

# ---- too hot -----------------------------------------------------------------------------

stop_stepper
start_stepper --tiny 2000
ask 3
probe tiny "$stepper" $((1000 / slow)) >/dev/null || not_ok 'probe tiny'
ask 30
is "$(tlmnl function-list | jq -c 'select(.name == "tiny") | [.state, .rate_max]')" "[1,$((1000 / slow))]" 'too hot, and told so'
hot=$(tlmnl function-list | jq 'select(.name == "tiny") | .hits')
ask 10
is "$(tlmnl function-list | jq 'select(.name == "tiny") | .hits')" "$hot" 'and probed no longer'
is "$(functions)" 6 'the others are'

# ---- chosen by itself ---------------------------------------------------------------------

check 'all are probed no more' tlmnl function-del stepper
tierlens level stepper method --function lookup --function 'ren*' --json >/tmp/level.json || not_ok 'level method'
is "$(jq -c '[.tier, .level, .probed, .refused]' /tmp/level.json)" '["stepper","method",2,0]' 'those of a name'
ask 10
is "$(tlmnl function-list | jq -r '"\(.name) \(.hits)"' | sort | xargs)" 'lookup 10 render 10' 'they are where they should be'
check 'all are probed no more' tlmnl function-del stepper
tierlens level stepper method --functions 5 --not tiny >/tmp/level.out || not_ok 'level method'
check 'so many of the largest' grep -q '^5 of [0-9]* functions are probed$' /tmp/level.out
is "$(functions)" 5 'and no more'

# ---- a file that is replaced under its probes -------------------------------------------------

stop_stepper
check 'all are probed no more' tlmnl function-del stepper
cp "$stepper" /tmp/program
stepper_before=$stepper stepper=/tmp/program
start_stepper
probe lookup >/dev/null || not_ok 'probe lookup of a copy'
cp "$stepper_before" /tmp/program.new && mv /tmp/program.new /tmp/program
ask 10
is "$(tlmnl function-list | jq .hits)" 10 'a file that was replaced is probed where it runs'
stop_stepper
start_stepper
ask 10
is "$(tlmnl function-list | jq .hits)" 10 'the new one is not'
stepper=$stepper_before
stop_stepper

# ---- nothing is left behind ---------------------------------------------------------------------

start_stepper
probe_all
check 'level server' tlmnl level stepper server
is "$(functions)" 0 'with the level functions go'
is_whole 'and their traps'
check 'no level of its own' tlmnl level stepper
tlmnl lease stepper method 1000 200 2>/dev/null &
leaser=$!
wait_until 10 eval 'probe lookup'
is "$(functions)" 1 'probed by who leases'
ask 5
kill -KILL $leaser
wait $leaser 2>/dev/null
wait_until 10 eval '[ "$(functions)" = 0 ]'
is "$(functions)" 0 'and no more when he is dead'
is_whole 'he leaves no trap behind'
check 'level method' tlmnl level stepper method
probe_all
ask $requests &
asker=$!
sleep 0.5
tierlens disable || not_ok 'disable'
is "$(functions)" 0 'when nothing is measured no function is probed'
is_whole 'and there is no trap'
wait $asker
tierlens enable --interval 500 || not_ok 'enable'
ask 4
check 'level method' tlmnl level stepper method
probe_all
ask $requests &
asker=$!
sleep 0.5
check 'the module goes under its probes' unload_module
is_whole 'the module leaves no trap behind'
wait $asker
ok 'the program goes on'
stop_stepper
is "$(truth serve count)" $((5 + 2 * requests + 4)) 'and has served all'
done_testing
