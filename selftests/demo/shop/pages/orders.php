<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// 2 statements and one more for each of up to five orders.
$customer = param('customer', 1, 1000);
$who = row('SELECT name FROM customer WHERE id = ?', $customer);
$orders = rows('SELECT id, placed_at, total_cents, status FROM orders WHERE customer_id = ?
	ORDER BY id LIMIT 5', $customer);
foreach ($orders as $o) {
	$lines = rows('SELECT p.name, l.quantity FROM order_line l JOIN product p ON p.id = l.product_id
		WHERE l.order_id = ? ORDER BY l.line', (int)$o['id']);
	echo '<h2>Order ', (int)$o['id'], ' of ', e($o['placed_at']), ', ', e($o['status']), ', ',
		money($o['total_cents']), '</h2>', table(['Product' => 'name', 'Quantity' => 'quantity'], $lines);
}
return 'Orders of ' . $who['name'];
