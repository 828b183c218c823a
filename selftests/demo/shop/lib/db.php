<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// The database over TCP. Plain statements only, so that one statement is one round trip; the
// character set goes with the login, which is one more.
declare(strict_types=1);

function db(): mysqli
{
	static $db = null;

	if ($db === null) {
		mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
		$db = mysqli_init();
		$db->options(MYSQLI_SET_CHARSET_NAME, 'utf8mb4');
		$host = (getenv('SHOP_DB_PERSISTENT') === '1' ? 'p:' : '') . getenv('SHOP_DB');
		$db->real_connect($host, 'shop', 'shop', 'shop', 3306);
	}
	return $db;
}

// Fills each ? with a number or a quoted string.
function fill(string $sql, array $values): string
{
	return preg_replace_callback('/\?/', function () use (&$values): string {
		$v = array_shift($values);
		return is_int($v) ? (string)$v : "'" . db()->real_escape_string((string)$v) . "'";
	}, $sql);
}

/** @return array<int, array<string, string>> */
function rows(string $sql, mixed ...$values): array
{
	$result = db()->query(fill($sql, $values));
	return $result->fetch_all(MYSQLI_ASSOC);
}

function row(string $sql, mixed ...$values): array
{
	$rows = rows($sql, ...$values);
	if (!$rows)
		throw new RuntimeException('nothing found');
	return $rows[0];
}

// Return: the number of rows changed.
function change(string $sql, mixed ...$values): int
{
	db()->query(fill($sql, $values));
	return (int)db()->affected_rows;
}
