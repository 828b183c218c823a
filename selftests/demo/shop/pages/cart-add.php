<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// 5 statements, one of which writes. A cart holds ten kinds of things at most.
$customer = param('customer', 1, 1000);
$id = param('id', 1, 2000);
$product = row('SELECT name, price_cents, stock FROM product WHERE id = ?', $id);
$before = row('SELECT COUNT(*) AS n FROM cart WHERE customer_id = ?', $customer);
if ($before['n'] < 10)
	change('INSERT INTO cart VALUES (?, ?, 1)
		ON DUPLICATE KEY UPDATE quantity = LEAST(quantity + 1, 9)', $customer, $id);
else
	change('UPDATE cart SET quantity = 1 WHERE customer_id = ? LIMIT 1', $customer);
$after = row('SELECT COUNT(*) AS n, SUM(p.price_cents * c.quantity) AS total
	FROM cart c JOIN product p ON p.id = c.product_id WHERE c.customer_id = ?', $customer);
$others = rows('SELECT id, name, price_cents FROM product WHERE id > ? ORDER BY id LIMIT 4', $id);
echo '<p>', e($product['name']), ' is in your <a href="/cart?customer=', $customer, '">cart</a>, which holds ',
	(int)$after['n'], ' things for ', money((string)$after['total']), '.</p>', tiles($others);
return 'Added';
