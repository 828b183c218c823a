# SPDX-License-Identifier: GPL-2.0-or-later
#
# jq -r -f report.jq table.json: what was found, as one page that needs nothing else.

def percent: if . == null then "–" else (. * 1000 | round / 10 | tostring + " %") end;
def ms: if . == null then "–" else (. * 1e6 | round / 1000 | tostring) end;
def cells($tag): map("<\($tag)>\(tostring | @html)</\($tag)>") | join("");
def row: "<tr>" + cells("td") + "</tr>";
def rows($head): "<div class=\"wide\"><table><tr>" + ($head | cells("th")) + "</tr>" + (map(row) | join("")) + "</table></div>";
def methods: ["auto", "sdl", "residence", "queue", "ridge", "nnls", "ols", "baseline"] as $known | keys as $have |
	($known | map(select(IN($have[])))) + ($have - $known);
def colour: {auto: "#2f7ed8", sdl: "#7b4fb5", residence: "#c2518f", queue: "#17869e", ridge: "#7c9a2c", nnls: "#3aa757",
	ols: "#c58b1b", baseline: "#8a94a0", off: "#8a94a0", on: "#2f7ed8"}[.] // "#b04a3a";
def number: . * 10 | round / 10;

def levels: ["very light", "light", "heavy"];

# Bars in groups. Input: [{name, bars: [{key, value}]}]; what is longer than $limit is cut.
def bar_chart($caption; $least; $limit; text):
	. as $groups | ([([.[].bars[].value // 0] | max), $least] | max | [., $limit] | min) as $top |
	(60 + ([.[].bars | length] | add) * 13 + (length * 16)) as $width |
	def y($v): 150 - 130 * ([$v, $top] | min) / $top;
	"<figure><figcaption>\($caption)</figcaption><div class=\"wide\"><svg viewBox=\"0 0 \($width) 185\" width=\"\($width)\" role=\"img\">" +
	([0, 0.5, 1] | map(. * $top | "<line x1=\"44\" x2=\"\($width)\" y1=\"\(y(.))\" y2=\"\(y(.))\"/><text x=\"38\" y=\"\(y(.) + 4)\" text-anchor=\"end\">\(text)</text>") | join("")) +
	(reduce $groups[] as $g ({x: 54, out: ""};
		.x as $x | .out += ([$g.bars | to_entries[] | .key as $i | .value |
			"<rect x=\"\($x + 13 * $i)\" width=\"11\" y=\"\(y(.value // 0) | number)\" height=\"\(150 - y(.value // 0) | number)\" fill=\"\(.key | colour)\"><title>\($g.name | @html), \(.key): \(.value | text)</title></rect>"] | join("")) +
			"<text x=\"\($x + 6.5 * ($g.bars | length))\" y=\"168\" text-anchor=\"middle\">\($g.name | @html)</text>" |
		.x += 13 * ($g.bars | length) + 16) | .out) +
	"</svg></div></figure>";

def chart($caption): if length == 0 then "" else bar_chart($caption; 0.01; 1; percent) end;
def chart_ms($caption): bar_chart($caption; 0.001; 60; ms + " ms");

def key: "<ul class=\"key\">" + (map("<li><span class=\"dot\" style=\"background:\(colour)\"></span>\(.)</li>") | join("")) + "</ul>";

def by_load($kind; $levels; $tier):
	[.by_load[] | select(.kind == $kind and .tier == $tier and (.level | IN($levels[])))] | group_by(.load) |
	map((map({key: .method, value: .error}) | from_entries) as $of |
		{name: "#\(.[0].load | tonumber)", bars: ($of | methods | map({key: ., value: $of[.]}))});

def errors($kind; $caption; $levels):
	. as $a | ["front", "app", "db"] | map(. as $tier | $a | by_load($kind; $levels; $tier) | chart("\($caption), \($tier)")) | "<div class=\"charts\">" + join("") + "</div>";

def application:
	"<h2>\(.app | @html): \(.classes) classes</h2>" +
	([.bars[] | [.what, ("≤ " + (.wanted | percent)), (.auto | percent), (.best | percent), (.method // "")]] |
		rows(["what", "wanted", "auto", "best", "by"])) +
	"<p>\(.patterns) patterns to fit on, \(.loads | length) loads to predict. Processor: of the guest's one.</p>" +
	(. as $a | [.loads[] | . as $l | ($a.overhead.loads[] | select(.load == $l.load)) as $o |
		["#\(.load | tonumber)", .level, .requests, (.host | percent), (.mean_response_s | ms), ($o.off_s | ms), ($o.ratio * 1000 | round / 1000)]] |
		rows(["load", "level", "requests", "processor", "response, ms", "module off, ms", "on / off"])) +
	"<h3>Prediction errors</h3>" + (.errors.tier_time | [.[] | keys[]] | unique | map({key: ., value: 1}) | from_entries | methods | key) +
	errors("y"; "Own time of the tier under very light loads"; ["very light"]) +
	errors("u"; "Processor time of the tier"; ["light", "heavy"]) +
	"<h3>Mean errors</h3>" +
	([("tier_time", "resources") as $kind | .errors[$kind] as $at | [$at[] | keys[]] | unique | map({key: ., value: 1}) | from_entries | methods[] as $m |
		[{tier_time: "own time", resources: "processor"}[$kind], $m] +
			[levels[] as $level | ("front", "app", "db", "all") as $tier | $at[$level][$m][$tier] | percent]] |
		rows(["of", "method"] + [levels[] as $level | ("front", "app", "db", "all") as $tier | "\($level), \($tier)"])) +
	"<h3>Demands against a single client's</h3>" +
	([.demands | . as $d | methods[] | [., ($d[.].own.mean | percent), ($d[.].own.worst | percent), "\($d[.].own.unknown) of \($d[.].own.judged)",
		($d[.].charged.mean | percent), ($d[.].charged.worst | percent), ($d[.].used.mean | percent), ($d[.].used.worst | percent),
		"\($d[.].used.unknown) of \($d[.].used.judged)"]] |
		rows(["method", "own time", "worst", "not told", "charged", "worst", "used", "worst", "not told"])) +
	"<h3>What requests cost alone</h3>" +
	([.truth | group_by(.class)[] | (map({key: .tier, value: .}) | from_entries) as $t |
		[.[0].class, .[0].requests] + (["front", "app", "db"] | map(($t[.].own_s | ms), ($t[.].cpu_s | ms)))] |
		rows(["class", "requests", "front own, ms", "cpu", "app own, ms", "cpu", "db own, ms", "cpu"])) +
	"<h3>Overhead of measuring</h3><p>Mean response with the module on against off: \(.overhead.mean | percent) ± \((.overhead.error // 0) * 1.96 | percent) over the loads.</p>" +
	(.overhead.loads | map({name: "#\(.load | tonumber)", bars: [{key: "off", value: .off_s}, {key: "on", value: .on_s}]}) | chart_ms("Mean response, module off (grey) and on")) ;

"<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Demands: an experiment – tierlens</title><style>
:root{--ink:#1d2733;--soft:#5a6675;--line:#d5dbe2;--page:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#dfe5ec;--soft:#98a4b3;--line:#36404c;--page:#12171d}}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:64rem;color:var(--ink);background:var(--page);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem;margin:0}h2{font-size:1.25rem;margin:2.5rem 0 .4rem;padding-top:.8rem;border-top:1px solid var(--line)}
h3{font-size:1.05rem;margin:1.6rem 0 .3rem}p{margin:.4rem 0;max-width:46rem}
.charts{display:flex;flex-wrap:wrap;gap:0 1.5rem}.wide{overflow-x:auto;margin:.6rem 0}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.22rem 1rem .22rem 0;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}
th{font-weight:500;font-size:.85rem;color:var(--soft)}th:first-child,td:first-child{text-align:left}
figure{margin:.8rem 0}figcaption{font-size:.9rem;color:var(--soft)}
svg text{fill:var(--soft);font-size:11px}svg line{stroke:var(--line)}
.key{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;margin:.2rem 0;padding:0;list-style:none;font-size:.9rem}
.dot{display:inline-block;width:.75em;height:.75em;border-radius:.15em;margin-right:.45em}
</style></head><body><h1>Demands per request: fitted, and put to the test</h1>
<p>Measured in a virtual machine whose clock counts instructions: nginx (front), php-fpm (app) and MariaDB (db) on one processor. Demands were
fitted under blends of six synthetic mixes and had to predict the standard mixes. Baseline knows no classes and no queues.</p>",
(.apps[] | application),
"</body></html>"
