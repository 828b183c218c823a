<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// The shop's only entry: finds the page, collects its output, sends it in one piece.
declare(strict_types=1);

require __DIR__ . '/../lib/db.php';
require __DIR__ . '/../lib/html.php';

// Path => a file of pages/, or a function. Both print the page and return its title.
$pages = require __DIR__ . '/../pages.php';

function send(int $status, string $html): void
{
	http_response_code($status);
	header('Content-Type: text/html; charset=utf-8');
	header('Content-Length: ' . strlen($html));
	echo $html;
}

$page = $pages[$_SERVER['DOCUMENT_URI'] ?? '/'] ?? null;
if ($page === null) {
	send(404, layout('Not found', '<p>There is no such page.</p>'));
	return;
}
ob_start();
try {
	$title = is_string($page) ? require __DIR__ . "/../pages/$page.php" : $page();
	send(200, layout($title, ob_get_clean()));
} catch (Throwable $e) {
	ob_end_clean();
	error_log($_SERVER['DOCUMENT_URI'] . ': ' . $e->getMessage());
	send(500, layout('Something broke', '<p>' . e($e->getMessage()) . '</p>'));
}
