-- SPDX-License-Identifier: GPL-2.0-or-later
-- The same data every time, made by the server itself from its sequence tables: 50 categories,
-- 2,000 products, 1,000 customers, 5,000 orders of 2023 with 12,500 lines, 4,000 reviews.

SET unique_checks = 0, foreign_key_checks = 0, autocommit = 0;

INSERT INTO category
SELECT seq, CONCAT(ELT(1 + seq MOD 10, 'Kitchen', 'Garden', 'Office', 'Travel', 'Music',
			'Sport', 'Winter', 'Camping', 'Cycling', 'Baking'), ' ',
		   ELT(1 + seq DIV 10, 'basics', 'tools', 'classics', 'gifts', 'spares', 'books'))
FROM seq_1_to_50;

INSERT INTO product
SELECT seq, 1 + (seq * 37) MOD 50,
	CONCAT(ELT(1 + seq MOD 12, 'Small', 'Large', 'Blue', 'Red', 'Quiet', 'Light', 'Heavy',
			'Folding', 'Round', 'Classic', 'Nordic', 'Copper'), ' ',
	       ELT(1 + (seq DIV 12) MOD 16, 'kettle', 'lamp', 'chair', 'basket', 'clock', 'tent',
			'bottle', 'saddle', 'mirror', 'radio', 'blanket', 'knife', 'table', 'mug',
			'rucksack', 'whistle'), ' No. ', seq),
	199 + (seq * 7919) MOD 19800, 100 + (seq * 31) MOD 900,
	CONCAT('A ', ELT(1 + seq MOD 5, 'sturdy', 'simple', 'well made', 'lasting', 'pretty'),
	       ' thing for ', ELT(1 + seq MOD 7, 'every day', 'the weekend', 'cold mornings',
			'long trips', 'small rooms', 'good friends', 'rainy evenings'),
	       '. Made of ', ELT(1 + seq MOD 6, 'oak', 'steel', 'wool', 'linen', 'glass', 'copper'),
	       ' in a workshop that has made nothing else for ', 10 + seq MOD 90,
	       ' years. Comes with spare parts and a guarantee of ', 2 + seq MOD 9, ' years.')
FROM seq_1_to_2000;

-- Everybody's password is "secret".
INSERT INTO customer
SELECT seq, CONCAT('customer', seq, '@shop.example'),
	CONCAT(ELT(1 + seq MOD 10, 'Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gro', 'Hal',
			'Ida', 'Jon'), ' ',
	       ELT(1 + (seq DIV 10) MOD 10, 'Archer', 'Baker', 'Carter', 'Draper', 'Elder',
			'Fisher', 'Glover', 'Hunter', 'Iremonger', 'Joiner')),
	ELT(1 + seq MOD 8, 'Ashford', 'Brook', 'Cliffe', 'Dale', 'Easton', 'Ford', 'Grove', 'Hill'),
	'$2y$06$HkXDdfkvobFyl0go0YUjyOKsbU/rofwaF6ClBrVBOjmKqphKFm7dK'
FROM seq_1_to_1000;

INSERT INTO orders
SELECT seq, 1 + (seq * 613) MOD 1000,
	'2023-01-01 08:00:00' + INTERVAL (seq * 105) MINUTE, 0,
	ELT(1 + seq MOD 4, 'new', 'paid', 'sent', 'done')
FROM seq_1_to_5000;

-- One to four lines an order. Some products sell better than others.
INSERT INTO order_line
SELECT o.seq, l.seq,
	1 + ((o.seq * 71 + l.seq * 977) MOD 2000) DIV (1 + (o.seq + l.seq) MOD 4),
	1 + (o.seq + l.seq) MOD 3, 199 + (o.seq * 7919 + l.seq * 101) MOD 19800
FROM seq_1_to_5000 o JOIN seq_1_to_4 l
WHERE l.seq <= 1 + o.seq MOD 4;

UPDATE orders o JOIN (SELECT order_id, SUM(quantity * price_cents) AS cents
		      FROM order_line GROUP BY order_id) s ON s.order_id = o.id
SET o.total_cents = s.cents;

INSERT INTO review
SELECT seq, 1 + (seq * 37) MOD 2000, 1 + (seq * 17) MOD 1000, 1 + (seq * 7 + seq DIV 3) MOD 5,
	CONCAT(ELT(1 + seq MOD 6, 'Does what it should', 'Better than the last one',
			'My neighbour wants one too', 'Came late but in one piece',
			'Would buy it again', 'The colour is not as shown'), ', after ',
	       1 + seq MOD 20, ' weeks of use.')
FROM seq_1_to_4000;

COMMIT;
ANALYZE TABLE product, orders, order_line, review;
