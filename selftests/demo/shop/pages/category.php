<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// 3 statements.
$id = param('id', 1, 50);
$category = row('SELECT name FROM category WHERE id = ?', $id);
$count = row('SELECT COUNT(*) AS n FROM product WHERE category_id = ?', $id);
$products = rows('SELECT id, name, price_cents FROM product WHERE category_id = ?
	ORDER BY price_cents LIMIT 20', $id);
echo '<p>', (int)$count['n'], ' products, the first 20 by price:</p>', tiles($products);
return $category['name'];
