<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// 2 statements; the rest is PHP at work: which products are like those bought before?
$customer = param('customer', 1, 1000);
$bought = rows('SELECT p.id, p.name, p.description, p.price_cents FROM orders o
	JOIN order_line l ON l.order_id = o.id JOIN product p ON p.id = l.product_id
	WHERE o.customer_id = ? ORDER BY o.id, l.line LIMIT 4', $customer);
$others = rows('SELECT id, name, description, price_cents FROM product WHERE id MOD 8 = ?', $customer % 8);

$bag = function (array $p): array {
	$words = array_count_values(str_word_count(strtolower($p['name'] . ' ' . $p['description']), 1));
	$words['price:' . (int)log((int)$p['price_cents'], 2)] = 3;
	return $words;
};
$cosine = function (array $a, array $b): float {
	$dot = 0;
	foreach ($a as $word => $n)
		$dot += $n * ($b[$word] ?? 0);
	$square = fn(array $x): float => array_sum(array_map(fn($n) => $n * $n, $x));
	return $dot / sqrt($square($a) * $square($b));
};
$tastes = array_map($bag, $bought);
foreach ($others as &$p) {
	$mine = $bag($p);
	$p['score'] = $tastes ? max(array_map(fn($t) => $cosine($t, $mine), $tastes)) : 0;
}
unset($p);
usort($others, fn($a, $b) => $b['score'] <=> $a['score'] ?: (int)$a['id'] <=> (int)$b['id']);
echo '<p>Because you bought ', e(implode(', ', array_column($bought, 'name')) ?: 'nothing yet'), ':</p>',
	tiles(array_slice($others, 0, 12));
return 'For you';
