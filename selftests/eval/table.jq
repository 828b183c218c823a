# SPDX-License-Identifier: GPL-2.0-or-later
#
# jq -r -f table.jq table.json: what was found, as text.

def percent: if . == null then "-" else (. * 1000 | round / 10 | tostring + " %") end;
def ms: if . == null then "-" else (. * 1e6 | round / 1000 | tostring) end;
def left($n): . + (" " * ([$n - length, 0] | max));
def right($n): (" " * ([$n - length, 0] | max)) + .;
def line($first; $width): ($first | left(22)) + (map(right($width)) | join(""));
def methods: ["auto", "sdl", "residence", "queue", "ridge", "nnls", "ols", "baseline"] as $known | keys as $have |
	($known | map(select(IN($have[])))) + ($have - $known);
def levels: ["very light", "light", "heavy"];

def block($title; $errors):
	"\($title), mean relative error",
	(levels[] as $level | $errors[$level] // empty | . as $at |
		("", ($level + ":")), (["front", "app", "db", "all"] | line("  method"; 10)),
		(methods[] as $m | [$at[$m].front, $at[$m].app, $at[$m].db, $at[$m].all] | map(percent) | line("  \($m)"; 10)));

def app:
	"==== \(.app): \(.classes) classes of requests, \(.patterns) patterns to fit, \(.loads | length) loads to predict ====", "",
	(["wanted", "auto", "best", "by"] | "  " + ("mean relative error, overhead" | left(48)) + (map(right(11)) | join(""))),
	(.bars[] | . as $b | [("≤ " + (.wanted | percent)), (.auto | percent), (.best | percent), (.method // "")] |
		"  " + ($b.what | left(48)) + (map(right(11)) | join(""))),
	"",
	(["level", "requests", "processor", "response ms", "off ms", "on/off"] | line("load"; 13)),
	(. as $a | .loads[] | . as $l | ($a.overhead.loads[] | select(.load == $l.load)) as $o |
		[.level, (.requests | tostring), (.host | percent), (.mean_response_s | ms), ($o.off_s | ms),
		 ($o.ratio | . * 1000 | round / 1000 | tostring)] | line("#\($l.load)"; 13)),
	"",
	"module on against off, mean response: \(.overhead.mean | percent) ± \((.overhead.error // 0) * 1.96 | percent) (the paper: 1.3 and 2.7 %); " +
		([.overhead.level | to_entries[] | "\(.key) \(.value | percent)"] | join(", ")),
	"", block("own time of the tiers"; .errors.tier_time),
	"", block("processor time of the tiers"; .errors.resources),
	"",
	"demands of a class against a single client's, mean relative error: own time; processor time against what was charged to its requests, and against all that the tier used",
	(["own time", "worst", "unknown", "charged", "worst", "used", "worst", "unknown"] | line("  method"; 11)),
	(.demands | methods[] as $m | .[$m] | [(.own.mean | percent), (.own.worst | percent), "\(.own.unknown)/\(.own.judged)",
		(.charged.mean | percent), (.charged.worst | percent), (.used.mean | percent), (.used.worst | percent),
		"\(.used.unknown)/\(.used.judged)"] | line("  \($m)"; 11)),
	"";

.apps[] | app
