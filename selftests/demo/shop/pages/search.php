<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// 2 statements that read all products; marking the words found costs PHP some time.
$word = substr(preg_replace('/[^a-z ]/i', '', (string)($_GET['q'] ?? 'oak')), 0, 20) ?: 'oak';
$like = "%$word%";
$count = row('SELECT COUNT(*) AS n FROM product WHERE name LIKE ? OR description LIKE ?', $like, $like);
$found = rows('SELECT id, name, price_cents, description FROM product
	WHERE name LIKE ? OR description LIKE ? ORDER BY name LIMIT 25', $like, $like);

$score = fn(array $p): int => 100 * substr_count(strtolower($p['name']), strtolower($word)) +
	similar_text(strtolower($p['description']), strtolower($word));
usort($found, fn($a, $b) => $score($b) <=> $score($a) ?: (int)$a['id'] <=> (int)$b['id']);
echo '<p>', (int)$count['n'], ' products with “', e($word), '”.</p><dl>';
foreach ($found as $p)
	echo '<dt><a href="/product?id=', (int)$p['id'], '">', e($p['name']), '</a> ', money($p['price_cents']),
		'</dt><dd>', preg_replace('/(' . preg_quote($word, '/') . ')/i', '<mark>$1</mark>', e($p['description'])), '</dd>';
echo '</dl>';
return "Search: $word";
