<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// 9 to 15 statements in one transaction: the longest chain of round trips.
function cart_lines(int $customer): array
{
	return rows('SELECT c.product_id, c.quantity, p.price_cents, p.name FROM cart c
		JOIN product p ON p.id = c.product_id WHERE c.customer_id = ?
		ORDER BY c.product_id LIMIT 4 FOR UPDATE', $customer);
}

// Who has nothing in the cart gets three things put there.
function cart_filled(int $customer): array
{
	$lines = cart_lines($customer);
	if ($lines)
		return $lines;
	$first = 1 + $customer * 2 % 1990;
	change('INSERT INTO cart VALUES (?, ?, 1), (?, ?, 2), (?, ?, 1)
		ON DUPLICATE KEY UPDATE quantity = 1',
		$customer, $first, $customer, $first + 3, $customer, $first + 7);
	return cart_lines($customer);
}

function place_order(int $customer): array
{
	change('START TRANSACTION');
	$who = row('SELECT name, city FROM customer WHERE id = ? FOR UPDATE', $customer);
	$lines = cart_filled($customer);
	change('INSERT INTO orders (customer_id, placed_at) VALUES (?, NOW())', $customer);
	$order = (int)db()->insert_id;
	$total = 0;
	foreach ($lines as $i => $l) {
		$n = (int)$l['quantity'];
		change('UPDATE product SET stock = IF(stock < ?, stock + 500, stock - ?) WHERE id = ?',
			$n, $n, (int)$l['product_id']);
		change('INSERT INTO order_line VALUES (?, ?, ?, ?, ?)',
			$order, $i + 1, (int)$l['product_id'], $n, (int)$l['price_cents']);
		$total += $n * $l['price_cents'];
	}
	change('UPDATE orders SET total_cents = ?, status = ? WHERE id = ?', $total, 'paid', $order);
	change('DELETE FROM cart WHERE customer_id = ?', $customer);
	change('COMMIT');
	return [$order, $who, $lines, $total];
}

$customer = param('customer', 1, 1000);
try {
	[$order, $who, $lines, $total] = place_order($customer);
} catch (mysqli_sql_exception $e) {
	// Two orders may lock the same products; the database then undoes one of them.
	if ($e->getCode() !== 1213)
		throw $e;
	[$order, $who, $lines, $total] = place_order($customer);
}
echo '<p>Thank you, ', e($who['name']), '. Order ', $order, ' goes to ', e($who['city']), '.</p>';
echo table(['Product' => 'name', 'Quantity' => 'quantity'], $lines), '<p>Together ', money($total), '.</p>';
return 'Ordered';
