<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// 5 statements, by key.
$id = param('id', 1, 2000);
$p = row('SELECT * FROM product WHERE id = ?', $id);
$category = row('SELECT id, name FROM category WHERE id = ?', (int)$p['category_id']);
$reviews = rows('SELECT r.stars, r.words, c.name FROM review r JOIN customer c ON c.id = r.customer_id
	WHERE r.product_id = ? ORDER BY r.id DESC LIMIT 5', $id);
$stars = row('SELECT COUNT(*) AS n, AVG(stars) AS mean FROM review WHERE product_id = ?', $id);
$others = rows('SELECT id, name, price_cents FROM product WHERE category_id = ? AND price_cents >= ?
	ORDER BY price_cents LIMIT 5', (int)$p['category_id'], (int)$p['price_cents']);

echo '<p>', e($p['description']), '</p><p><b>', money($p['price_cents']), '</b>, ', (int)$p['stock'],
	' in stock. In <a href="/category?id=', (int)$category['id'], '">', e($category['name']),
	'</a>. <a href="/cart/add?customer=1&amp;id=', $id, '">Add to cart</a></p>';
printf('<h2>%d reviews, %.1f stars</h2>', $stars['n'], $stars['mean']);
echo table(['Stars' => 'stars', 'Says' => 'words', 'Who' => 'name'], $reviews);
echo '<h2>Like this</h2>', tiles($others);
return $p['name'];
