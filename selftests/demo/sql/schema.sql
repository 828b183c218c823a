-- SPDX-License-Identifier: GPL-2.0-or-later
-- The shop's tables.

CREATE TABLE category (
	id	SMALLINT UNSIGNED PRIMARY KEY,
	name	VARCHAR(40) NOT NULL
) ENGINE=InnoDB;

CREATE TABLE product (
	id		INT UNSIGNED PRIMARY KEY,
	category_id	SMALLINT UNSIGNED NOT NULL,
	name		VARCHAR(80) NOT NULL,
	price_cents	INT UNSIGNED NOT NULL,
	stock		INT UNSIGNED NOT NULL,
	description	VARCHAR(300) NOT NULL,
	KEY (category_id, price_cents)
) ENGINE=InnoDB;

CREATE TABLE customer (
	id		INT UNSIGNED PRIMARY KEY AUTO_INCREMENT,
	email		VARCHAR(60) NOT NULL UNIQUE,
	name		VARCHAR(60) NOT NULL,
	city		VARCHAR(30) NOT NULL,
	password	VARCHAR(72) NOT NULL
) ENGINE=InnoDB;

CREATE TABLE orders (
	id		INT UNSIGNED PRIMARY KEY AUTO_INCREMENT,
	customer_id	INT UNSIGNED NOT NULL,
	placed_at	DATETIME NOT NULL,
	total_cents	INT UNSIGNED NOT NULL DEFAULT 0,
	status		ENUM('new', 'paid', 'sent', 'done') NOT NULL DEFAULT 'new',
	KEY (customer_id),
	KEY (placed_at)
) ENGINE=InnoDB;

CREATE TABLE order_line (
	order_id	INT UNSIGNED NOT NULL,
	line		TINYINT UNSIGNED NOT NULL,
	product_id	INT UNSIGNED NOT NULL,
	quantity	TINYINT UNSIGNED NOT NULL,
	price_cents	INT UNSIGNED NOT NULL,
	PRIMARY KEY (order_id, line)
) ENGINE=InnoDB;

CREATE TABLE review (
	id		INT UNSIGNED PRIMARY KEY,
	product_id	INT UNSIGNED NOT NULL,
	customer_id	INT UNSIGNED NOT NULL,
	stars		TINYINT UNSIGNED NOT NULL,
	words		VARCHAR(120) NOT NULL,
	KEY (product_id)
) ENGINE=InnoDB;

CREATE TABLE cart (
	customer_id	INT UNSIGNED NOT NULL,
	product_id	INT UNSIGNED NOT NULL,
	quantity	TINYINT UNSIGNED NOT NULL,
	PRIMARY KEY (customer_id, product_id)
) ENGINE=InnoDB;
