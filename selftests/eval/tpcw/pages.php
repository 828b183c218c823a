<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// A book shop with the fourteen interactions of TPC-W. Each page is a class of requests; what
// they cost differs by more than an order of magnitude, and where differs as well. Pages that
// write keep all tables as large as they are, so that a page costs the same at any time.
declare(strict_types=1);

const SITE = 'The Book Shop';
const LINKS = ['/home?c=1' => 'Home', '/new-products?s=1' => 'New', '/best-sellers?s=1' => 'Best sellers',
	'/search-request?i=1' => 'Search', '/cart?c=1&amp;i=1' => 'Cart', '/order-inquiry' => 'My order'];

const SUBJECTS = 24;
const ITEMS = 1000;
const CUSTOMERS = 1000;
const ORDERS = 1500;
const WORDS = ['sea', 'winter', 'bread', 'clocks', 'moor', 'salt', 'maps', 'glass', 'tide', 'horses', 'rain', 'paper', 'stars'];

function customer(): int
{
	return param('c', 1, CUSTOMERS);
}

function item(): int
{
	return param('i', 1, ITEMS);
}

// Five others that are shown beside most pages.
function promotion(int $near): string
{
	return '<h2>Also</h2>' . tiles(rows('SELECT id, title AS name, price_cents FROM item
		WHERE id >= ? ORDER BY id LIMIT 5', 1 + $near % (ITEMS - 5)));
}

function book_list(array $books): string
{
	return table([
		'Title' => fn($r) => '<a href="/product?i=' . (int)$r['id'] . '">' . e($r['title']) . '</a>',
		'Author' => 'author',
		'Price' => fn($r) => money($r['price_cents']),
	], $books);
}

// A password takes so many rounds; a form has a seal that takes fewer.
function seal(string $text, int $rounds): string
{
	for ($i = 0; $i < $rounds; $i++)
		$text = hash('sha256', $text);
	return substr($text, 0, 16);
}

function home(): string
{
	$who = row('SELECT name FROM customer WHERE id = ?', customer());
	echo '<p>Welcome back, ', e($who['name']), '.</p>', promotion(item());
	return 'Home';
}

function new_products(): string
{
	$books = rows('SELECT i.id, i.title, i.price_cents, a.name AS author FROM item i
		JOIN author a ON a.id = i.author_id WHERE i.subject = ?
		ORDER BY i.published DESC, i.title LIMIT 40', param('s', 1, SUBJECTS));
	echo book_list($books);
	return 'New';
}

// An aggregate over the last orders.
function best_sellers(): string
{
	$books = rows('SELECT i.id, i.title, i.price_cents, a.name AS author, SUM(l.quantity) AS sold
		FROM order_line l JOIN item i ON i.id = l.item_id JOIN author a ON a.id = i.author_id
		WHERE l.order_id > ? AND i.subject = ?
		GROUP BY i.id ORDER BY sold DESC, i.id LIMIT 50', ORDERS - 150, param('s', 1, SUBJECTS));
	echo book_list($books);
	return 'Best sellers';
}

function product(): string
{
	$book = row('SELECT i.*, a.name AS author, a.bio FROM item i JOIN author a ON a.id = i.author_id
		WHERE i.id = ?', item());
	echo '<p>', e($book['title']), ' by ', e($book['author']), ', ', money($book['price_cents']), '</p><p>',
		e($book['about']), '</p><p>', e($book['bio']), '</p>';
	return $book['title'];
}

function search_request(): string
{
	echo '<form action="/search-results"><input name="q"></form>', promotion(item());
	return 'Search';
}

// Reads all titles; PHP sorts what was found by likeness.
function search_results(): string
{
	$word = WORDS[param('q', 1, count(WORDS)) - 1];
	$found = rows('SELECT i.id, i.title, i.about, i.price_cents, a.name AS author FROM item i
		JOIN author a ON a.id = i.author_id WHERE i.title LIKE ?
		ORDER BY i.title LIMIT 25', "%$word%");
	$score = fn(array $r): int => similar_text(strtolower($r['title'] . $r['about']), $word);
	usort($found, fn($a, $b) => $score($b) <=> $score($a) ?: (int)$a['id'] <=> (int)$b['id']);
	echo book_list($found);
	return "Search: $word";
}

function cart_lines(int $customer): array
{
	return rows('SELECT i.id, i.title, i.price_cents, l.quantity FROM cart_line l JOIN item i ON i.id = l.item_id
		WHERE l.customer_id = ? ORDER BY l.line', $customer);
}

// A cart has three lines; the new book takes the place of one of them.
function cart(): string
{
	$customer = customer();
	change('REPLACE INTO cart_line VALUES (?, ?, ?, 1)', $customer, 1 + item() % 3, item());
	$lines = cart_lines($customer);
	$total = array_sum(array_map(fn($l) => $l['price_cents'] * $l['quantity'], $lines));
	echo table(['Title' => 'title', 'Quantity' => 'quantity'], $lines), '<p>Together ', money($total), '</p>',
		promotion(item());
	return 'Cart';
}

// No database.
function registration(): string
{
	$fields = ['first name', 'last name', 'street', 'city', 'post code', 'country', 'telephone', 'email', 'birthday'];
	echo '<form><input type="hidden" value="', seal((string)customer(), 50), '">';
	foreach ($fields as $field)
		echo '<label>', e(ucfirst($field)), ' <input name="', e(strtr($field, ' ', '_')), '"></label>';
	echo '</form>';
	return 'Register';
}

function buy_request(): string
{
	$customer = customer();
	$who = row('SELECT c.name, c.street, c.city, n.name AS country FROM customer c
		JOIN country n ON n.id = c.country_id WHERE c.id = ?', $customer);
	change('UPDATE customer SET login = NOW(), visits = visits + 1 WHERE id = ?', $customer);
	$lines = cart_lines($customer);
	echo '<p>', e("$who[name], $who[street], $who[city], $who[country]"), '</p>',
		table(['Title' => 'title', 'Quantity' => 'quantity'], $lines),
		'<input type="hidden" value="', seal($who['name'], 150), '">';
	return 'Buy';
}

// The longest chain of round trips: an order takes the place of an old one.
function buy_confirm(): string
{
	$customer = customer();
	$order = param('o', 1, ORDERS);
	$lines = cart_lines($customer);
	$total = array_sum(array_map(fn($l) => $l['price_cents'] * $l['quantity'], $lines));
	change('START TRANSACTION');
	change('REPLACE INTO orders VALUES (?, ?, NOW(), ?)', $order, $customer, $total);
	foreach ($lines as $i => $l) {
		change('REPLACE INTO order_line VALUES (?, ?, ?, ?, ?)', $order, $i + 1, (int)$l['id'],
			(int)$l['quantity'], (int)$l['price_cents']);
		change('UPDATE item SET stock = IF(stock < 10, stock + 500, stock - 1) WHERE id = ?', (int)$l['id']);
	}
	change('REPLACE INTO payment VALUES (?, ?, ?, NOW())', $order, seal("$customer $order", 30), $total);
	change('COMMIT');
	echo '<p>Thank you. Order ', $order, ', ', money($total), '.</p>',
		table(['Title' => 'title', 'Quantity' => 'quantity'], $lines);
	return 'Bought';
}

// No database.
function order_inquiry(): string
{
	echo '<form action="/order-display"><input name="name"><input name="password" type="password"></form>';
	return 'My order';
}

function order_display(): string
{
	$customer = customer();
	$who = row('SELECT name, password FROM customer WHERE id = ?', $customer);
	if (!password_verify('secret', $who['password']))
		throw new RuntimeException('wrong password');
	$order = row('SELECT id, placed_at, total_cents FROM orders WHERE customer_id >= ? ORDER BY customer_id, id LIMIT 1',
		$customer % 900);
	$lines = rows('SELECT i.title, l.quantity, l.price_cents, a.name AS author FROM order_line l
		JOIN item i ON i.id = l.item_id JOIN author a ON a.id = i.author_id
		WHERE l.order_id = ? ORDER BY l.line', (int)$order['id']);
	echo '<p>Order ', (int)$order['id'], ' of ', e($order['placed_at']), ', ', money($order['total_cents']), '</p>',
		table(['Title' => 'title', 'Author' => 'author', 'Quantity' => 'quantity'], $lines);
	return 'Order of ' . $who['name'];
}

function admin_request(): string
{
	$book = row('SELECT id, title, price_cents, stock FROM item WHERE id = ?', item());
	echo '<form><label>', e($book['title']), ' <input value="', money($book['price_cents']), '"></label></form>';
	return 'Change a book';
}

// What was bought together, over a tenth of all orders; PHP turns it into weights.
function admin_confirm(): string
{
	$item = item();
	change('UPDATE item SET price_cents = price_cents MOD 9000 + 500 WHERE id = ?', $item);
	$pairs = rows('SELECT b.item_id AS id, COUNT(*) AS n, SUM(a.quantity * b.quantity) AS weight
		FROM order_line a JOIN order_line b ON b.order_id = a.order_id AND b.item_id <> a.item_id
		WHERE a.order_id BETWEEN ? AND ? GROUP BY b.item_id ORDER BY n DESC, id LIMIT 200', $item, $item + 150);
	$weights = [];
	foreach ($pairs as $p)
		for ($i = 1; $i <= 20; $i++)
			$weights[$p['id']] = ($weights[$p['id']] ?? 0) + log(1 + $p['weight']) / ($i + (int)$p['n']);
	arsort($weights);
	foreach (array_slice(array_keys($weights), 0, 5) as $i => $related)
		change('REPLACE INTO related VALUES (?, ?, ?)', $item, $i + 1, $related);
	echo '<p>Changed.</p>', promotion($item);
	return 'Changed';
}

return [
	'/home' => home(...),
	'/new-products' => new_products(...),
	'/best-sellers' => best_sellers(...),
	'/product' => product(...),
	'/search-request' => search_request(...),
	'/search-results' => search_results(...),
	'/cart' => cart(...),
	'/registration' => registration(...),
	'/buy-request' => buy_request(...),
	'/buy-confirm' => buy_confirm(...),
	'/order-inquiry' => order_inquiry(...),
	'/order-display' => order_display(...),
	'/admin-request' => admin_request(...),
	'/admin-confirm' => admin_confirm(...),
];
