<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// 2 statements and a password hash, which is PHP's work.
$n = param('n', 1, 1000000000);
$email = "new$n@shop.example";
$password = password_hash("secret$n", PASSWORD_BCRYPT, ['cost' => 6]);
change('INSERT INTO customer (email, name, city, password) VALUES (?, ?, ?, ?)
	ON DUPLICATE KEY UPDATE password = VALUES(password)', $email, "New Customer $n", 'Newton', $password);
$who = row('SELECT id, name FROM customer WHERE email = ?', $email);
echo '<p>Welcome, ', e($who['name']), '. Your number is ', (int)$who['id'], '.</p>';
return 'Registered';
