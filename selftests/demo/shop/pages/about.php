<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// No database at all: a little templating.
$text = <<<'END'
This shop is here to be *measured*. It has a *front*, a *middle* and a *back*.
It sells kettles, lamps and chairs that nobody has ever seen.

Its pages differ: some ask the database *once*, some *fifteen times*, and this one never.
Some let PHP work hard, some let the database add up a whole *year*.

None of it knows that it is being watched.
END;
$seal = '';
for ($i = 0; $i < 300; $i++)
	$seal = hash('sha256', $seal . $text);
foreach (preg_split('/\n\n+/', $text) as $paragraph)
	echo '<p>', preg_replace('/\*(\w[^*]*)\*/', '<em>$1</em>', nl2br(e($paragraph))), '</p>';
echo '<p><small>', substr($seal, 0, 16), '</small></p>';
return 'About';
