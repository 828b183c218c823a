-- SPDX-License-Identifier: GPL-2.0-or-later
-- The same data every time: 1,200 items in 20 categories, 1,000 users in 25 regions, 6,000 bids.

SET unique_checks = 0, foreign_key_checks = 0, autocommit = 0;

INSERT INTO category
SELECT seq, CONCAT(ELT(1 + seq MOD 5, 'Old', 'New', 'Small', 'Large', 'Odd'), ' ',
		   ELT(1 + seq DIV 5, 'books', 'tools', 'toys', 'clothes', 'instruments'))
FROM seq_1_to_20;

INSERT INTO region SELECT seq, CONCAT(ELT(1 + seq MOD 5, 'North', 'South', 'East', 'West', 'Middle'), ' ', seq)
FROM seq_1_to_25;

INSERT INTO user
SELECT seq, CONCAT('nick', seq), 1 + (seq * 7) MOD 25, seq MOD 50, '2023-01-01', 'sealed by a seed',
	'not a password yet'
FROM seq_1_to_1000;

INSERT INTO item
SELECT seq, 1 + (seq * 7) MOD 20, 1 + (seq * 613) MOD 1000,
	CONCAT(ELT(1 + seq MOD 9, 'Tin', 'Oak', 'Brass', 'Blue', 'Broken', 'Painted', 'Spare', 'Twin', 'Rare'), ' ',
	       ELT(1 + (seq DIV 9) MOD 11, 'whistle', 'drum', 'wheel', 'lamp', 'box', 'coat', 'hat', 'atlas',
			'clock', 'saw', 'kite'), ' No. ', seq),
	500 + (seq * 7919) MOD 30000, 2000 + (seq * 4001) MOD 60000, 5, 10 + seq MOD 90,
	'2024-01-01' + INTERVAL (seq * 613) MOD 10000 MINUTE,
	CONCAT('From the attic of ', ELT(1 + seq MOD 4, 'an aunt', 'a captain', 'a school', 'a theatre'),
	       ', about ', 5 + seq MOD 90, ' years old, with ', ELT(1 + seq MOD 3, 'few', 'some', 'many'),
	       ' scratches. It was used every ', ELT(1 + seq MOD 7, 'Monday', 'Tuesday', 'Wednesday',
			'Thursday', 'Friday', 'Saturday', 'Sunday'), '.')
FROM seq_1_to_1200;

INSERT INTO bid
SELECT seq, 1 + (seq * 71) MOD 1200, 1 + (seq * 37) MOD 1000, 1000 + (seq * 7919) MOD 30000,
	'2023-06-01' + INTERVAL seq MINUTE
FROM seq_1_to_6000;

INSERT INTO purchase
SELECT seq, 1 + (seq * 17) MOD 1000, 1 + (seq * 71) MOD 1200, '2023-06-01' + INTERVAL seq MINUTE
FROM seq_1_to_1000;

INSERT INTO comment
SELECT seq, 1 + (seq * 17) MOD 1000, 1 + (seq * 37) MOD 1000, 1 + seq MOD 5,
	CONCAT(ELT(1 + seq MOD 4, 'Quick and honest', 'Well packed', 'As was said', 'Took its time'), ', ',
	       ELT(1 + seq MOD 3, 'thank you', 'again', 'a pleasure'), '.')
FROM seq_1_to_2000;

COMMIT;
ANALYZE TABLE category, region, user, item, bid, purchase, comment;
