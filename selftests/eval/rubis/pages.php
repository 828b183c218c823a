<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// An auction site with twenty-two interactions of RUBiS. Each page is a class of requests. Pages
// that write keep all tables as large as they are, so that a page costs the same at any time.
declare(strict_types=1);

const SITE = 'The Auction';
const LINKS = ['/home' => 'Home', '/browse' => 'Browse', '/sell-form?u=1' => 'Sell', '/about-me-form' => 'About me'];

const CATEGORIES = 20;
const REGIONS = 25;
const USERS = 1000;
const ITEMS = 1200;
const BIDS = 6000;
const COMMENTS = 2000;

function user_id(): int
{
	return param('u', 1, USERS);
}

function item_id(): int
{
	return param('i', 1, ITEMS);
}

// Who wants to write says his password first: so many rounds.
function user_checked(int $rounds = 40): array
{
	$who = row('SELECT id, nick, seal FROM user WHERE id = ?', user_id());
	$seal = $who['nick'];
	for ($i = 0; $i < $rounds; $i++)
		$seal = hash('sha256', $seal);
	return $who;
}

function form(string $action, array $fields, string $more = ''): string
{
	$html = '<form action="' . e($action) . '">';
	foreach ($fields as $field)
		$html .= '<label>' . e(ucfirst($field)) . ' <input name="' . e(strtr($field, ' ', '_')) . '"></label>';
	return "$html$more</form>";
}

function item_list(array $items): string
{
	return table([
		'Item' => fn($r) => '<a href="/item?i=' . (int)$r['id'] . '">' . e($r['name']) . '</a>',
		'Price' => fn($r) => money($r['price_cents']),
		'Bids' => 'bids',
		'Ends' => 'ends_at',
	], $items);
}

// No database.
function home(): string
{
	echo '<p>Buy what others do not want any more.</p>';
	return 'Home';
}

function register_form(): string
{
	echo form('/register-user', ['first name', 'last name', 'nick', 'email', 'password', 'region']);
	return 'Register';
}

// A new user takes the place of an old one.
function register_user(): string
{
	$user = user_id();
	$password = hash_pbkdf2('sha256', "secret$user", "salt$user", 60);
	$region = row('SELECT id, name FROM region WHERE id = ?', 1 + $user % REGIONS);
	change('UPDATE user SET password = ?, region_id = ?, created = NOW() WHERE id = ?', $password,
		(int)$region['id'], $user);
	echo '<p>Welcome to ', e($region['name']), '.</p>';
	return 'Registered';
}

function browse(): string
{
	echo '<p><a href="/browse-categories">Categories</a> <a href="/browse-regions">Regions</a></p>';
	return 'Browse';
}

function browse_categories(): string
{
	$categories = rows('SELECT c.id, c.name, COUNT(*) AS n FROM category c JOIN item i ON i.category_id = c.id
		GROUP BY c.id ORDER BY c.name');
	echo table(['Category' => 'name', 'Items' => 'n'], $categories);
	return 'Categories';
}

function search_category(): string
{
	$items = rows('SELECT id, name, price_cents, bids, ends_at FROM item WHERE category_id = ?
		ORDER BY ends_at LIMIT 20', param('k', 1, CATEGORIES));
	echo item_list($items);
	return 'Items';
}

function browse_regions(): string
{
	echo table(['Region' => 'name'], rows('SELECT id, name FROM region ORDER BY name'));
	return 'Regions';
}

function categories_region(): string
{
	$region = row('SELECT name FROM region WHERE id = ?', param('r', 1, REGIONS));
	$categories = rows('SELECT id, name FROM category ORDER BY name');
	echo table(['Category' => 'name'], $categories);
	return 'Categories in ' . $region['name'];
}

function search_region(): string
{
	$items = rows('SELECT i.id, i.name, i.price_cents, i.bids, i.ends_at FROM user u
		JOIN item i ON i.seller_id = u.id WHERE u.region_id = ? AND i.category_id BETWEEN ? AND ?
		ORDER BY i.ends_at LIMIT 20', param('r', 1, REGIONS), param('k', 1, CATEGORIES - 4),
		param('k', 1, CATEGORIES - 4) + 4);
	echo item_list($items);
	return 'Items';
}

function item(): string
{
	$item = row('SELECT i.*, u.nick FROM item i JOIN user u ON u.id = i.seller_id WHERE i.id = ?', item_id());
	$top = row('SELECT COUNT(*) AS n, MAX(cents) AS cents FROM bid WHERE item_id = ?', (int)$item['id']);
	echo '<p>', e($item['about']), '</p><p>', (int)$top['n'], ' bids, up to ', money((int)$top['cents']), '; sold by ',
		e($item['nick']), '</p>';
	return $item['name'];
}

function user(): string
{
	$who = row('SELECT nick, rating, created FROM user WHERE id = ?', user_id());
	$comments = rows('SELECT c.rating, c.words, u.nick FROM comment c JOIN user u ON u.id = c.from_id
		WHERE c.to_id = ? ORDER BY c.id LIMIT 10', user_id());
	echo '<p>Rating ', (int)$who['rating'], ', here since ', e($who['created']), '</p>',
		table(['Stars' => 'rating', 'Says' => 'words', 'Who' => 'nick'], $comments);
	return $who['nick'];
}

// Which items have bids like those for this one? An aggregate over many bids.
function bids(): string
{
	$item = item_id();
	$bids = rows('SELECT b.cents, b.placed_at, u.nick FROM bid b JOIN user u ON u.id = b.user_id
		WHERE b.item_id = ? ORDER BY b.cents DESC LIMIT 20', $item);
	$others = rows('SELECT i.id, i.name, i.price_cents, i.bids, i.ends_at, COUNT(*) AS n FROM bid b
		JOIN item i ON i.id = b.item_id WHERE b.id <= 2500 AND b.cents BETWEEN ? AND ?
		GROUP BY i.id ORDER BY n DESC, i.id LIMIT 10', 20 * $item, 20 * $item + 500);
	echo table(['Bid' => fn($r) => money($r['cents']), 'When' => 'placed_at', 'Who' => 'nick'], $bids), item_list($others);
	return 'Bids';
}

function buy_form(): string
{
	user_checked();
	$item = row('SELECT name, buy_cents, stock FROM item WHERE id = ?', item_id());
	echo '<p>', money($item['buy_cents']), '</p>', form('/buy-store', ['quantity']);
	return 'Buy ' . $item['name'];
}

function buy_store(): string
{
	$item = item_id();
	change('UPDATE item SET stock = IF(stock < 5, stock + 500, stock - 1) WHERE id = ?', $item);
	change('REPLACE INTO purchase VALUES (?, ?, ?, NOW())', 1 + $item % 1000, user_id(), $item);
	$row = row('SELECT name, stock FROM item WHERE id = ?', $item);
	echo '<p>You have bought ', e($row['name']), '; ', (int)$row['stock'], ' are left.</p>';
	return 'Bought';
}

function bid_form(): string
{
	user_checked();
	$item = row('SELECT i.name, i.about, i.price_cents, u.nick FROM item i JOIN user u ON u.id = i.seller_id
		WHERE i.id = ?', item_id());
	$bids = rows('SELECT cents FROM bid WHERE item_id = ? ORDER BY cents DESC LIMIT 5', item_id());
	echo '<p>', e($item['about']), '</p>', table(['Bids so far' => fn($r) => money($r['cents'])], $bids),
		form('/bid-store', ['your bid', 'your highest bid', 'quantity']);
	return 'Bid for ' . $item['name'];
}

// A new bid takes the place of an old one.
function bid_store(): string
{
	$item = item_id();
	$item_row = row('SELECT name, price_cents, bids FROM item WHERE id = ?', $item);
	change('START TRANSACTION');
	change('UPDATE bid SET user_id = ?, cents = ?, placed_at = NOW() WHERE id = ?', user_id(),
		1000 + ($item * 7 + user_id() * 13) % 30000, param('b', 1, BIDS));
	change('UPDATE item SET price_cents = GREATEST(500, price_cents MOD 30000 + 50) WHERE id = ?', $item);
	change('COMMIT');
	echo '<p>You bid for ', e($item_row['name']), '.</p>';
	return 'Bid';
}

function comment_form(): string
{
	user_checked();
	$to = row('SELECT nick FROM user WHERE id = ?', 1 + user_id() % USERS);
	echo form('/comment-store', ['stars', 'words']);
	return 'What do you say about ' . $to['nick'] . '?';
}

function comment_store(): string
{
	$to = 1 + user_id() % USERS;
	change('START TRANSACTION');
	change('UPDATE user SET rating = (rating + 1) MOD 100 WHERE id = ?', $to);
	change('UPDATE comment SET from_id = ?, words = ? WHERE id = ?', user_id(), 'All was as it should be.',
		param('m', 1, COMMENTS));
	change('COMMIT');
	echo '<p>Thank you.</p>';
	return 'Said';
}

function sell_form(): string
{
	user_checked();
	$categories = rows('SELECT id, name FROM category ORDER BY name');
	$options = '';
	foreach ($categories as $c)
		$options .= '<option value="' . (int)$c['id'] . '">' . e($c['name']) . '</option>';
	echo form('/item-store', ['name', 'first price', 'price to buy now', 'days'], "<select>$options</select>");
	return 'Sell';
}

// A new item takes the place of an old one. Its words are looked through for what is not allowed.
function item_store(): string
{
	$item = item_id();
	$about = row('SELECT about, category_id FROM item WHERE id = ?', $item);
	$like = rows('SELECT name, about FROM item WHERE category_id = ? ORDER BY id LIMIT 8', (int)$about['category_id']);
	$most = 0;
	foreach ($like as $l)
		$most = max($most, similar_text($l['about'], $about['about']));
	change('UPDATE item SET seller_id = ?, ends_at = NOW() + INTERVAL 7 DAY, bids = 0 WHERE id = ?', user_id(), $item);
	echo '<p>It is for sale. ', $most, ' letters are like those of another item.</p>';
	return 'For sale';
}

// No database.
function about_me_form(): string
{
	echo form('/about-me', ['nick', 'password']);
	return 'About me';
}

// The page that asks the most different things.
function about_me(): string
{
	$who = user_checked(80);
	$id = (int)$who['id'];
	$bids = rows('SELECT i.id, i.name, i.price_cents, i.bids, i.ends_at FROM bid b JOIN item i ON i.id = b.item_id
		WHERE b.user_id = ? ORDER BY b.id LIMIT 10', $id);
	$sells = rows('SELECT id, name, price_cents, bids, ends_at FROM item WHERE seller_id = ? ORDER BY id LIMIT 10', $id);
	$bought = rows('SELECT i.id, i.name, i.price_cents, i.bids, i.ends_at FROM purchase p JOIN item i ON i.id = p.item_id
		WHERE p.user_id = ? ORDER BY p.id LIMIT 10', $id);
	$comments = rows('SELECT c.rating, c.words, u.nick FROM comment c JOIN user u ON u.id = c.from_id
		WHERE c.to_id = ? ORDER BY c.id LIMIT 10', $id);
	echo '<h2>Bids</h2>', item_list($bids), '<h2>For sale</h2>', item_list($sells), '<h2>Bought</h2>', item_list($bought),
		table(['Stars' => 'rating', 'Says' => 'words', 'Who' => 'nick'], $comments);
	return $who['nick'];
}

return [
	'/home' => home(...),
	'/register-form' => register_form(...),
	'/register-user' => register_user(...),
	'/browse' => browse(...),
	'/browse-categories' => browse_categories(...),
	'/search-category' => search_category(...),
	'/browse-regions' => browse_regions(...),
	'/categories-region' => categories_region(...),
	'/search-region' => search_region(...),
	'/item' => item(...),
	'/user' => user(...),
	'/bids' => bids(...),
	'/buy-form' => buy_form(...),
	'/buy-store' => buy_store(...),
	'/bid-form' => bid_form(...),
	'/bid-store' => bid_store(...),
	'/comment-form' => comment_form(...),
	'/comment-store' => comment_store(...),
	'/sell-form' => sell_form(...),
	'/item-store' => item_store(...),
	'/about-me-form' => about_me_form(...),
	'/about-me' => about_me(...),
];
