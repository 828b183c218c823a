<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// What the pages look like.
declare(strict_types=1);

function e(string $text): string
{
	return htmlspecialchars($text, ENT_QUOTES);
}

function money(int|string $cents): string
{
	return number_format((int)$cents / 100, 2) . ' €';
}

function param(string $name, int $default, int $max): int
{
	return max(1, min($max, (int)($_GET[$name] ?? $default)));
}

function tiles(array $products): string
{
	$html = '<ul class="tiles">';
	foreach ($products as $p)
		$html .= '<li><a href="/product?id=' . (int)$p['id'] . '">' . e($p['name']) .
			'</a><br>' . money($p['price_cents']) . '</li>';
	return $html . '</ul>';
}

// $columns: heading => key, or heading => function of a row. Figures stand to the right.
function table(array $columns, array $rows): string
{
	$html = '<table><tr>';
	foreach ($columns as $heading => $_)
		$html .= '<th>' . e($heading) . '</th>';
	foreach ($rows as $row) {
		$html .= '</tr><tr>';
		foreach ($columns as $get) {
			$cell = is_string($get) ? e((string)$row[$get]) : $get($row);
			$html .= is_numeric($cell[0] ?? '') ? "<td class=\"n\">$cell</td>" : "<td>$cell</td>";
		}
	}
	return $html . '</tr></table>';
}

// A bar chart. $values: label => number.
function bars(array $values): string
{
	$top = max(1, ...array_values($values));
	$html = '<svg viewBox="0 0 640 200" width="640">';
	$x = 0;
	$step = 640 / max(1, count($values));
	foreach ($values as $label => $v) {
		$h = round(170 * $v / $top, 1);
		$html .= sprintf('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s: %s</title></rect>',
			$x, 180 - $h, $step * .8, $h, e((string)$label), number_format((float)$v));
		$x += $step;
	}
	return $html . '</svg>';
}

function layout(string $title, string $body): string
{
	$nav = '';
	foreach (LINKS as $url => $text)
		$nav .= "<a href=\"$url\">$text</a> ";
	return '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>' . e($title) .
		'</title><link rel="stylesheet" href="/style.css"></head><body><header><b>' .
		'<a href="/">' . e(SITE) . '</a></b> ' . $nav . '</header><main><h1>' . e($title) .
		"</h1>$body</main><footer>Everything in this shop is made up.</footer></body></html>";
}
