-- SPDX-License-Identifier: GPL-2.0-or-later
-- The same data every time: 1,000 books of 250 authors, 1,000 customers, 1,500 orders of three
-- lines each.

SET unique_checks = 0, foreign_key_checks = 0, autocommit = 0;

INSERT INTO country SELECT seq, CONCAT('Country ', seq) FROM seq_1_to_92;

INSERT INTO author
SELECT seq, CONCAT(ELT(1 + seq MOD 8, 'Ann', 'Bob', 'Cem', 'Dora', 'Emil', 'Fay', 'Gus', 'Hera'), ' ',
		   ELT(1 + seq MOD 11, 'Marsh', 'Stone', 'Reed', 'Field', 'Brook', 'Wood', 'Hill', 'Lake',
			'Heath', 'Moor', 'Glen'), ' ', seq),
	CONCAT('Was born in ', 1900 + seq MOD 90, ', has written ', 1 + seq MOD 40,
	       ' books and keeps ', ELT(1 + seq MOD 4, 'bees', 'sheep', 'a garden', 'two cats'), '.')
FROM seq_1_to_250;

INSERT INTO item
SELECT seq, 1 + (seq * 37) MOD 250, 1 + seq MOD 24,
	CONCAT(ELT(1 + seq MOD 9, 'A short history of', 'Notes on', 'Letters about', 'The book of', 'All about',
			'Essays on', 'The end of', 'A guide to', 'Songs of'), ' ',
	       ELT(1 + (seq DIV 9) MOD 13, 'the sea', 'winter', 'bread', 'clocks', 'the moor', 'salt', 'maps',
			'glass', 'the tide', 'horses', 'rain', 'paper', 'stars'), ', part ', 1 + seq DIV 117),
	'2000-01-01' + INTERVAL (seq * 613) MOD 8000 DAY,
	499 + (seq * 7919) MOD 9000, 100 + (seq * 31) MOD 900,
	CONCAT('In ', 3 + seq MOD 30, ' chapters it tells of ',
	       ELT(1 + seq MOD 7, 'the sea', 'a journey', 'three sisters', 'a mill', 'an old quarrel',
			'the war', 'nothing much'), ' and of ',
	       ELT(1 + seq MOD 5, 'a lighthouse', 'the harvest', 'snow', 'an island', 'the city'),
	       '. With ', seq MOD 60, ' drawings and an index.')
FROM seq_1_to_1000;

-- Everybody's password is "secret".
INSERT INTO customer
SELECT seq, CONCAT('Customer ', seq), CONCAT(seq MOD 200, ' High Street'),
	ELT(1 + seq MOD 8, 'Ashford', 'Brook', 'Cliffe', 'Dale', 'Easton', 'Ford', 'Grove', 'Hill'),
	1 + seq MOD 92, '$2y$04$AThMJPd1bs3/g76VJZyGMeq5KUMRf0GJ7R.n/Kms.S6op3l2hCYj2',
	'2023-01-01', 0
FROM seq_1_to_1000;

INSERT INTO orders
SELECT seq, 1 + (seq * 613) MOD 1000, '2023-01-01 08:00:00' + INTERVAL (seq * 105) MINUTE,
	1500 + (seq * 101) MOD 9000
FROM seq_1_to_1500;

INSERT INTO order_line
SELECT o.seq, l.seq, 1 + (o.seq * 71 + l.seq * 377) MOD 1000, 1 + (o.seq + l.seq) MOD 3,
	499 + (o.seq * 7919 + l.seq * 101) MOD 9000
FROM seq_1_to_1500 o JOIN seq_1_to_3 l;

INSERT INTO payment SELECT seq, 'sealed by a seed', 1500 + (seq * 101) MOD 9000, '2023-01-01' FROM seq_1_to_1500;

INSERT INTO cart_line
SELECT c.seq, l.seq, 1 + (c.seq * 29 + l.seq * 311) MOD 1000, 1 + (c.seq + l.seq) MOD 3
FROM seq_1_to_1000 c JOIN seq_1_to_3 l;

INSERT INTO related
SELECT i.seq, p.seq, 1 + (i.seq * 17 + p.seq * 101) MOD 1000 FROM seq_1_to_1000 i JOIN seq_1_to_5 p;

COMMIT;
ANALYZE TABLE item, author, customer, orders, order_line, cart_line;
