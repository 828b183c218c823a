<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// 2 statements and the check of a password hash.
$customer = param('customer', 1, 1000);
$who = row('SELECT id, name, password FROM customer WHERE email = ?', "customer$customer@shop.example");
if (!password_verify('secret', $who['password']))
	throw new RuntimeException('wrong password');
$waiting = row('SELECT COUNT(*) AS n FROM orders WHERE customer_id = ? AND status IN (?, ?)',
	(int)$who['id'], 'new', 'paid');
echo '<p>Hello, ', e($who['name']), '. ', (int)$waiting['n'], ' of your orders are on their way.</p>';
return 'Logged in';
