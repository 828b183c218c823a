<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// 2 statements.
$customer = param('customer', 1, 1000);
$who = row('SELECT name FROM customer WHERE id = ?', $customer);
$lines = rows('SELECT p.id, p.name, p.price_cents, c.quantity FROM cart c JOIN product p ON p.id = c.product_id
	WHERE c.customer_id = ? ORDER BY p.id', $customer);
$total = array_sum(array_map(fn($l) => $l['price_cents'] * $l['quantity'], $lines));
echo table([
	'Product' => 'name',
	'Quantity' => 'quantity',
	'Price' => fn($r) => money($r['price_cents'] * $r['quantity']),
], $lines);
echo '<p>Together ', money($total), '. <a href="/checkout?customer=', $customer, '">Buy</a></p>';
return 'Cart of ' . $who['name'];
