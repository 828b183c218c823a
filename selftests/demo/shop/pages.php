<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// What this application is called, what its pages link to, and where they are.
declare(strict_types=1);

const SITE = 'The Shop';
const LINKS = ['/categories' => 'Categories', '/best' => 'Best sellers', '/recommend?customer=1' => 'For you',
	'/cart?customer=1' => 'Cart', '/orders?customer=1' => 'Orders', '/about' => 'About'];

return [
	'/' => 'home',
	'/categories' => 'categories',
	'/category' => 'category',
	'/product' => 'product',
	'/search' => 'search',
	'/best' => 'best',
	'/recommend' => 'recommend',
	'/cart' => 'cart',
	'/cart/add' => 'cart-add',
	'/checkout' => 'checkout',
	'/orders' => 'orders',
	'/register' => 'register',
	'/login' => 'login',
	'/admin/report' => 'report',
	'/about' => 'about',
];
