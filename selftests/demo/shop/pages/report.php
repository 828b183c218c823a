<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// 4 aggregates over the year 2023 or its last quarter: the heaviest page.
$year = ['2023-01-01', '2024-01-01'];
$quarter = ['2023-10-01', '2024-01-01'];
$months = rows('SELECT MONTH(placed_at) AS month, COUNT(*) AS n, SUM(total_cents) AS cents
	FROM orders WHERE placed_at >= ? AND placed_at < ? GROUP BY month ORDER BY month', ...$year);
$categories = rows('SELECT c.name, SUM(l.quantity) AS sold, SUM(l.quantity * l.price_cents) AS cents
	FROM orders o JOIN order_line l ON l.order_id = o.id JOIN product p ON p.id = l.product_id
	JOIN category c ON c.id = p.category_id
	WHERE o.placed_at >= ? AND o.placed_at < ? GROUP BY c.id ORDER BY cents DESC LIMIT 10', ...$quarter);
$cities = rows('SELECT c.city, COUNT(*) AS n, SUM(o.total_cents) AS cents
	FROM orders o JOIN customer c ON c.id = o.customer_id
	WHERE o.placed_at >= ? AND o.placed_at < ? GROUP BY c.city ORDER BY cents DESC', ...$quarter);
$stars = rows('SELECT r.stars, COUNT(*) AS n, AVG(p.price_cents) AS cents
	FROM review r JOIN product p ON p.id = r.product_id WHERE r.id <= ? GROUP BY r.stars ORDER BY r.stars', 1000);

$worth = fn($r) => money((int)$r['cents']);
echo bars(array_column($months, 'cents', 'month'));
echo table(['Month' => 'month', 'Orders' => 'n', 'Worth' => $worth], $months);
echo table(['Category' => 'name', 'Sold' => 'sold', 'Worth' => $worth], $categories);
echo table(['City' => 'city', 'Orders' => 'n', 'Worth' => $worth], $cities);
echo table(['Stars' => 'stars', 'Reviews' => 'n', 'Mean price' => $worth], $stars);
return 'The year 2023';
