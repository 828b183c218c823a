<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// 4 statements, all short.
$categories = rows('SELECT id, name FROM category ORDER BY name LIMIT 12');
$new = rows('SELECT id, name, price_cents FROM product ORDER BY id DESC LIMIT 8');
$cheap = rows('SELECT id, name, price_cents FROM product WHERE category_id = ? ORDER BY price_cents LIMIT 4', 7);
$count = row('SELECT COUNT(*) AS n FROM category');

echo '<p>';
foreach ($categories as $c)
	echo '<a href="/category?id=', (int)$c['id'], '">', e($c['name']), '</a> · ';
echo '<a href="/categories">all ', (int)$count['n'], ' categories</a></p>';
echo '<h2>New</h2>', tiles($new), '<h2>For a small purse</h2>', tiles($cheap);
return 'Welcome';
