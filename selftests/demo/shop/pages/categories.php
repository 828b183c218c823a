<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// 1 statement: an aggregate over all products.
$categories = rows('SELECT c.id, c.name, COUNT(*) AS n, MIN(p.price_cents) AS low
	FROM category c JOIN product p ON p.category_id = c.id GROUP BY c.id ORDER BY c.name');
echo table([
	'Category' => fn($r) => '<a href="/category?id=' . (int)$r['id'] . '">' . e($r['name']) . '</a>',
	'Products' => 'n',
	'From' => fn($r) => money($r['low']),
], $categories);
return 'Categories';
