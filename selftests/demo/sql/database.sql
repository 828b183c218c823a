-- SPDX-License-Identifier: GPL-2.0-or-later
-- An empty database and its user, for the shop and for the applications of selftests/eval.

DROP DATABASE IF EXISTS shop;
CREATE DATABASE shop CHARACTER SET utf8mb4;
CREATE OR REPLACE USER shop@'%' IDENTIFIED BY 'shop';
GRANT SELECT, INSERT, UPDATE, DELETE ON shop.* TO shop@'%';
USE shop;
