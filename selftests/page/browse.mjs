// SPDX-License-Identifier: GPL-2.0-or-later
// Looks at the page of tierlensd in a browser as a user does, and holds what is there against what the API says. Prints TAP.
//
// browse.mjs PART URL FOLDER [MORE]: pictures go to FOLDER. NODE_MODULES: where playwright-core is; CHROMIUM: the browser.
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(`${process.env.NODE_MODULES}/playwright-core/package.json`);
const { chromium } = require('playwright-core');
const [part, url, folder, ...more] = process.argv.slice(2);
const VIEWS = ['map', 'time', 'histogram', 'calls', 'levels', 'demands', 'capacity', 'counters', 'tasks'];
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
	'--disable-component-update', '--disable-sync'];
let nr = Number(process.env.POINTS ?? 0), failed = 0;

function point(ok, name, why = '') {
	console.log(`${ok ? 'ok' : 'not ok'} ${++nr} - ${name}`);
	if (!ok) {
		failed = 1;
		console.log(`#   ${String(why).replaceAll('\n', '\n#   ')}`);
	}
}

const near = (a, b) => Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b));

// What the browser complains of, and whom it asks.
const complaints = [], strangers = [];

function listen(page) {
	page.on('console', message => ['error', 'warning'].includes(message.type()) && complaints.push(`${page.url()}: ${message.text()}`));
	page.on('pageerror', error => complaints.push(`${page.url()}: ${error.stack}`));
	page.on('dialog', dialog => {
		complaints.push(`${page.url()}: a dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	page.on('request', request => new URL(request.url()).origin === new URL(url).origin || strangers.push(request.url()));
	return page;
}

async function api(path, token) {
	const answer = await fetch(`${url}/api/v1/${path}`, { headers: token ? { Authorization: `Bearer ${token}` } : {} });

	return path.startsWith('intervals') || path === 'decisions' ? (await answer.text()).trim().split('\n').map(line => JSON.parse(line)) : answer.json();
}

// What the page says is a figure: by its name, as a number.
async function figure(page, name) {
	return page.evaluate(wanted => {
		const found = [...document.querySelectorAll('[data-figure]')].find(one => one.dataset.figure === wanted);
		return found ? Number(found.dataset.raw) : undefined;
	}, name);
}

async function show(page, view) {
	await page.goto(`${url}/#${view}`);
	await page.waitForSelector(`#main .view.${view.split('?')[0]}`);
	await page.waitForFunction(() => document.querySelector('#views a'));
}

const sum = (list, of) => list.reduce((all, one) => all + (of(one) ?? 0), 0);

// ---- every view has the figures of the API

async function map(page, recent) {
	await show(page, 'map');
	const cell = name => recent.flatMap(i => i.tiers.filter(t => t.name === name).flatMap(t => t.cells));
	for (const tier of ['nginx:443', 'shop:8080', 'postgres:5432']) {
		const cells = cell(tier), count = sum(cells, c => c.count);
		const seen = await page.locator(`.card[data-tier="${tier}"]`).evaluate(card => Object.fromEntries([...card.querySelectorAll('[data-figure]')]
			.map(one => [one.dataset.figure, Number(one.dataset.raw)])));
		const want = { rate: count / sum(recent, i => i.seconds), own: sum(cells, c => c.own_ns) / count, response: sum(cells, c => c.response_ns) / count };
		point(Object.keys(want).every(key => near(seen[key], want[key])), `map: ${tier} has its rate, own and response time`, JSON.stringify({ seen, want }));
	}
	const users = sum(cell('nginx:443'), c => c.count);
	const db = await figure(page, 'part postgres:5432');
	point(near(db, sum(cell('postgres:5432'), c => c.own_ns) / users), 'above all views: what the database has of a request', db);
	const headline = await page.textContent('.headline');
	point(/postgres:5432 takes .* for \/search, [45]\.\d× as long as usual/.test(headline), 'above all views: what is not as usual', headline);
	await page.click('.card[data-tier="postgres:5432"]');
	await page.waitForSelector('.view.time');
	point(page.url().endsWith('#time?tier=postgres%3A5432'), 'map: a tier leads to its time', page.url());
}

async function time(page, status) {
	await show(page, 'time');
	await page.waitForSelector('.legend');
	const from = status.last_interval.t + status.last_interval.seconds - 3600;
	const data = await api(`history?from=${from}&points=240&series=40`), users = data.series.filter(s => s.tier === 'nginx:443');
	const total = sum(users, s => sum(s.count, n => n));
	const db = data.series.find(s => s.tier === 'postgres:5432' && s.class === '/search');
	const seen = await figure(page, 'postgres:5432  /search');
	point(near(seen, sum(db.own_ns, n => n) / total), 'time: own time of a tier and class for each request of a user', `${seen} ${sum(db.own_ns, n => n) / total}`);
	point(await page.locator('.chart canvas').count() === 3, 'time: three charts are drawn');
	const drawn = await page.locator('.chart canvas').first().evaluate(canvas => new Set(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).size);
	point(drawn > 40, 'time: there is something in them', drawn);
	await page.selectOption('select[data-key="choice By"]', 'tier');
	await page.waitForFunction(() => document.querySelectorAll('.legend tbody tr').length === 3);
	const tier = await figure(page, 'postgres:5432'), all = data.series.filter(s => s.tier === 'postgres:5432');
	point(near(tier, sum(all, s => sum(s.own_ns, n => n)) / total), 'time: by tier', tier);
	await page.selectOption('select[data-key="choice Class"]', '/cart');
	await page.waitForFunction(() => location.hash.includes('class=%2Fcart'));
	const cart = data.series.filter(s => s.class === '/cart'), carts = sum(cart.find(s => s.tier === 'nginx:443').count, n => n);
	await page.waitForFunction(want => Math.abs(Number([...document.querySelectorAll('[data-figure]')].find(one => one.dataset.figure === 'shop:8080')?.dataset.raw) - want) < 1,
		sum(cart.find(s => s.tier === 'shop:8080').own_ns, n => n) / carts, { timeout: 5000 }).then(() => point(true, 'time: of one class'),
		async error => point(false, 'time: of one class', `${error} ${await figure(page, 'shop:8080')}`));
	await page.click('summary');
	await page.waitForFunction(n => document.querySelectorAll('details tbody tr').length === n, data.t.length, { timeout: 5000 }).then(() => point(true, 'time: all figures as a table'),
		error => point(false, 'time: all figures as a table', error));
}

async function histogram(page, status) {
	const from = status.last_interval.t + status.last_interval.seconds - 3600;
	const data = await api(`histogram?from=${from}&tier=postgres%3A5432&class=%2Fsearch`);

	await show(page, 'histogram?tier=postgres%3A5432&class=%2Fsearch');
	await page.waitForSelector('[data-figure="own mean"]');
	point(near(await figure(page, 'own mean'), data.own_ns / data.count), 'histogram: mean', await figure(page, 'own mean'));
	let left = 0.95 * data.count, want = NaN;
	for (const [bucket, n] of data.response) {
		const low = k => (8 + (k - 1) % 8) * 2 ** (Math.floor((k - 1) / 8) + 7);
		if (Number.isNaN(want) && left <= n)
			want = low(bucket) + (low(bucket + 1) - low(bucket)) * left / n;
		left -= n;
	}
	point(near(await figure(page, 'response 0.95'), want), 'histogram: 95 % of response times', `${await figure(page, 'response 0.95')} ${want}`);
	await page.focus('.view .chart');
	await page.keyboard.press('ArrowLeft');
	await page.waitForFunction(() => /own time of/.test(document.querySelector('.said').textContent));
	point(true, 'histogram: the keyboard tells of a bucket');
}

async function calls(page, recent) {
	await show(page, 'calls');
	await page.waitForSelector('[data-figure="attributed"]');
	const event = name => sum(recent, i => i.events[name]);
	point(near(await figure(page, 'attributed'), event('attributed') / (event('attributed') + event('unattributed'))), 'calls: what was attributed');
	const made = sum(recent, i => sum(i.edges.filter(e => e.tier === 'shop:8080'), e => e.calls));
	point(await figure(page, 'calls shop:8080 postgres:5432') === made, 'calls: of one tier to another', made);
	point(await figure(page, 'loss quiet') === sum(recent, i => i.losses.quiet), 'calls: losses');
}

async function levels(page, recent, decided) {
	await show(page, 'levels');
	await page.waitForSelector('[data-figure="decision"]');
	const seen = await page.evaluate(() => [...document.querySelectorAll('[data-figure^="level "]')].map(one => [one.dataset.figure.slice(6), one.dataset.raw]));
	const want = recent.at(-1).tiers.map(t => [t.name, t.cells[0].level]);
	point(JSON.stringify(seen) === JSON.stringify(want), 'levels: of each tier', JSON.stringify(seen));
	const texts = await page.locator('.log p').allTextContents();
	point(JSON.stringify(texts) === JSON.stringify(decided.map(row => row.text).reverse()), 'levels: decisions, the newest first', texts.join('\n'));
	const cost = sum(recent, i => i.cost.hook_ns + i.cost.function_ns) / 1e9 / sum(recent, i => i.seconds) / 4;
	point(near(await figure(page, 'cost'), cost), 'levels: what the probes take');
}

async function ready(name, token) {
	for (let i = 0; i < 150; i++) {
		const study = await api(name, token);
		if (study.state !== 'working')
			return study;
		await new Promise(resolve => { setTimeout(resolve, 200); });
	}
	return null;
}

async function demands(page) {
	await show(page, 'demands');
	const study = await ready('demands'), last = study.result[0].demands;
	await page.waitForSelector('[data-figure^="demand "]');
	const want = last.find(d => d.resource === 'postgres:5432.cpu' && d.class === '/search');
	point(study.result[0].t.length > 50 && want.value_s.length === study.result[0].t.length && want.value_s.at(-1) > 0.0005 && want.low95_s.at(-1) < want.value_s.at(-1), 'demands: the class has its own name, and a demand is known', JSON.stringify(want));
	await page.selectOption('select[data-key="choice Resource"]', 'postgres:5432.cpu');
	await page.waitForSelector('[data-figure="demand postgres:5432.cpu /search"]');
	point(near(await figure(page, 'demand postgres:5432.cpu /search'), want.value_s.at(-1)) && near(await figure(page, 'low postgres:5432.cpu /search'), want.low95_s.at(-1)),
		'demands: with their intervals');
}

async function capacity(page) {
	await show(page, 'capacity');
	const study = await ready('capacity');
	await page.waitForSelector('[data-figure="max"]');
	point(near(await figure(page, 'max'), study.result[0].max) && near(await figure(page, 'saturation'), study.result[0].saturation.n), 'capacity: limit and saturation');
	await page.click('.view.capacity > div > details summary >> text=All figures');
	const rows = await page.evaluate(() => [...document.querySelectorAll('[data-figure="n"]')].map(one => Number(one.dataset.raw)));
	point(rows.length === study.result[0].curve.length && rows.every((n, at) => near(n, study.result[0].curve[at].n)), 'capacity: the curve', rows.length);
}

async function counters(page, recent, clean) {
	await show(page, 'counters');
	await page.waitForSelector('[data-figure="raw cycles"]');
	const counts = recent.map(i => i.counts.filter(c => c.event === 'cycles'));
	const raw = sum(counts, of => sum(of, c => c.value)) / recent.length;
	const scaled = sum(counts, of => sum(of, c => c.value * c.enabled_ns / c.running_ns)) / recent.length;
	point(near(await figure(page, 'raw cycles'), raw) && near(await figure(page, 'scaled cycles'), scaled), 'counters: as counted, and scaled');
	await page.setInputFiles('input[type=file]', clean);
	await page.waitForSelector('[data-figure="clean cycles"]');
	point(near(await figure(page, 'clean cycles'), 1500) && await page.locator('.chart canvas').count() === 2, 'counters: cleaned, from a file', await figure(page, 'clean cycles'));
	await page.setInputFiles('input[type=file]', { name: 'x.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') });
	await page.waitForFunction(() => /no column/.test(document.querySelector('.view .warn')?.textContent));
	point(true, 'counters: a file that is none is told');
}

async function tasks(page, model) {
	await show(page, 'tasks');
	await page.setInputFiles('input[type=file]', model);
	await page.waitForSelector('[data-figure^="jobs "]');
	const want = JSON.parse(require('node:fs').readFileSync(model, 'utf8'));
	const seen = await page.evaluate(() => [...document.querySelectorAll('[data-figure^="jobs "]')].map(one => Number(one.dataset.raw)));
	point(JSON.stringify(seen) === JSON.stringify(want.paths.map(p => p.jobs)), 'task model: types of jobs, from a file', seen);
	await page.setInputFiles('input[type=file]', { name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('[]') });
	await page.waitForFunction(() => /no task model/.test(document.querySelector('.view .warn')?.textContent));
	point(true, 'task model: a file that is none is told');
}

// ---- how it is to be used

async function keyboard(page) {
	await show(page, 'map');
	await page.waitForSelector('.card');
	const seen = [];
	for (let i = 0; i < 40; i++) {
		await page.keyboard.press('Tab');
		const at = await page.evaluate(() => {
			const one = document.activeElement, look = getComputedStyle(one);
			return { key: one.dataset.key ?? one.className ?? one.tagName, body: one === document.body, outline: look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 2 };
		});
		if (at.body)
			break;
		seen.push(at);
	}
	const keys = seen.map(one => one.key);
	point(keys[0] === 'skip' && VIEWS.every(view => keys.includes(`view ${view}`)) && keys.includes('tier nginx:443') && keys.indexOf('view map') < keys.indexOf('tier nginx:443'),
		'the keyboard reaches all views and tiers, in order', keys.join(' '));
	point(seen.every(one => one.outline), 'what has the keyboard is marked', JSON.stringify(seen.filter(one => !one.outline)));
	await page.focus('[data-key="view time"]');
	await page.keyboard.press('Enter');
	await page.waitForSelector('.view.time');
	point(true, 'Enter opens a view');
	await page.waitForSelector('.view.time .chart canvas');
	await page.focus('.view.time .chart');
	await page.keyboard.press('End');
	await page.waitForFunction(() => /and at /.test(document.querySelector('.legend caption')?.textContent));
	point(true, 'the keyboard moves along a chart');
}

async function contrast(page) {
	return page.evaluate(() => {
		const parts = css => css.match(/[\d.]+/g).slice(0, 3).map(Number);
		const light = css => {
			const [r, g, b] = parts(css).map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		const paper = light(getComputedStyle(document.documentElement).backgroundColor), bad = [];
		for (const one of document.querySelectorAll('h1, h2, p.explains, #views a, .card b, .card span, td, th, caption')) {
			const ink = light(getComputedStyle(one).color), ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
			if (ratio < 4.5)
				bad.push(`${one.className || one.tagName} ${ratio.toFixed(1)}`);
		}
		return { dark: paper < 0.05, bad: [...new Set(bad)] };
	});
}

async function pictures(browser) {
	for (const [width, height, scheme] of [[1280, 900, 'light'], [1280, 900, 'dark'], [360, 740, 'light'], [360, 740, 'dark']]) {
		const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme }), page = listen(await context.newPage()), over = [], bad = [];
		for (const view of VIEWS) {
			await show(page, view);
			await page.waitForSelector({ map: '.card', time: '.legend', histogram: '[data-figure="own mean"]', calls: '[data-figure="attributed"]', levels: '[data-figure="decision"]',
				demands: '[data-figure^="demand "]', capacity: '[data-figure="max"]', counters: '[data-figure^="raw "]', tasks: '.drop' }[view]);
			if (view === 'tasks') {
				await page.setInputFiles('input[type=file]', more[1]);
				await page.waitForSelector('[data-figure^="jobs "]');
			}
			const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
			if (wide > 0)
				over.push(`${view} ${wide}`);
			const seen = await contrast(page);
			if (seen.dark !== (scheme === 'dark') || seen.bad.length)
				bad.push(`${view} ${seen.bad}`);
			await page.screenshot({ path: join(folder, `${view}-${width}-${scheme}.png`), fullPage: true });
		}
		point(!over.length, `${width} pixels, ${scheme}: nothing lies beyond the edge`, over);
		point(!bad.length, `${width} pixels, ${scheme}: its colours, and all texts can be read`, bad.join('\n'));
		await context.close();
	}
}

// ---- parts

const PARTS = {
	async views(browser) {
		const page = listen(await (await browser.newContext()).newPage()), status = await api('status');
		const recent = await api('intervals?last=60');

		await map(page, recent);
		await time(page, status);
		await histogram(page, status);
		await calls(page, recent);
		await levels(page, recent, await api('decisions'));
		await demands(page);
		await capacity(page);
		await counters(page, recent, more[0]);
		await tasks(page, more[1]);
		await keyboard(listen(await page.context().newPage()));
		await pictures(browser);
	},

	// Names that would run, if they were anything but text.
	async hostile(browser) {
		const page = listen(await (await browser.newContext()).newPage());
		for (const view of VIEWS) {
			await show(page, view);
			await page.waitForTimeout(view === 'demands' || view === 'capacity' ? 1500 : 300);
			await page.screenshot({ path: join(folder, `hostile-${view}.png`) });
		}
		await show(page, 'map');
		await page.waitForSelector('.card');
		const names = await page.locator('.card .name').allTextContents();
		point(names.includes("<script>document.title='run'</script>:8080"), 'a script as the name of a tier is shown', names);
		await show(page, 'time');
		await page.waitForSelector('.legend');
		const rows = (await page.locator('.legend tbody th').allTextContents()).join('\n');
		point(rows.includes('<img src=x onerror='), 'an image as the name of a class is shown', rows);
		const made = await page.evaluate(() => [document.querySelectorAll('#main img, #main script, #where img, #where script').length, document.title]);
		point(made[0] === 0 && made[1] === 'Time – tierlens', 'and neither is run', made);
		const run = await page.evaluate(() => {
			try {
				document.getElementById('main').innerHTML = '<b>x</b>';
				return 'HTML was taken';
			} catch {
				return '';
			}
		});
		point(run === '', 'the policy takes no HTML from anybody', run);
		// The browser tells of that, as it should.
		complaints.splice(0, complaints.length, ...complaints.filter(text => !/TrustedHTML|trusted type/i.test(text)));
	},

	// more[0]: how many rows of the history are damaged, one after the other.
	async gaps(browser) {
		const page = listen(await (await browser.newContext()).newPage()), status = await api('status');
		const from = status.last_interval.t + status.last_interval.seconds - 3600, data = await api(`history?from=${from}&points=240&series=40`);
		const lost = data.seconds.filter(seconds => !seconds).length, said = `${more[0]} rows of the history cannot be read`;
		point(data.missing === Number(more[0]) && lost > 5 && data.t.every((t, at) => !at || t > data.t[at - 1]) && near(sum(data.gap_s, s => s), data.missing),
			'rows that cannot be read are gaps, each in its place', JSON.stringify([data.missing, data.t, data.seconds, data.gap_s]));
		await show(page, 'time');
		await page.waitForSelector('.legend');
		const text = await page.textContent('.view');
		point(text.includes(said), 'time: it is said', text);
		await page.click('summary');
		await page.waitForFunction(n => document.querySelectorAll('details tbody tr').length === n, data.t.length, { timeout: 5000 });
		const none = await page.evaluate(() => [...document.querySelectorAll('details tbody tr')].filter(row =>
			[...row.cells].slice(1).every(cell => cell.textContent === '–')).length);
		point(none === lost, 'time: of a gap there are no figures', `${none} of ${lost}`);
		await page.locator('.chart').first().screenshot({ path: join(folder, 'gaps.png') });
		await show(page, 'histogram');
		await page.waitForSelector('[data-figure="own mean"]');
		point((await page.textContent('.view')).includes(said), 'histogram: it is said, too');
	},

	async token(browser) {
		const page = listen(await (await browser.newContext()).newPage());

		await page.goto(`${url}/#map`);
		await page.waitForSelector('input[name=token]');
		point(await page.evaluate(() => document.activeElement.name) === 'token', 'with a token: it is asked for');
		await page.screenshot({ path: join(folder, 'token.png') });
		point(complaints.length === 0, 'and nothing was asked for without it', complaints);
		await page.keyboard.type('this-is-not-the-token');
		await page.keyboard.press('Enter');
		await page.waitForFunction(() => /That was not the token/.test(document.body.textContent));
		point(true, 'a wrong one: it is asked for again');
		complaints.splice(0, complaints.length, ...complaints.filter(text => !/401/.test(text)));
		await page.keyboard.type(more[0]);
		await page.keyboard.press('Enter');
		await page.waitForSelector('.card');
		await page.reload();
		await page.waitForSelector('.card');
		point(true, 'the right one: there are figures, also when it is loaded again');
		const other = await page.context().newPage();
		await other.goto(`${url}/#map`);
		await other.waitForSelector('input[name=token]');
		const kept = await page.evaluate(() => [localStorage.length, document.cookie, location.href]);
		point(kept[0] === 0 && kept[1] === '' && !kept[2].includes(more[0]), 'it is in no other tab, and nowhere on disk', kept);
	},

	// A shop in a virtual machine, whose load goes on for a while, then ends: more is the token.
	async live(browser) {
		const page = listen(await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()), shop = ['nginx', 'php-fpm', 'mariadb'];
		const shot = name => page.screenshot({ path: join(folder, `live-${name}.png`), fullPage: true });

		await page.goto(`${url}/#map`);
		await page.waitForSelector('input[name=token]');
		complaints.length = 0; // it was refused what it asked for without one
		await page.fill('input[name=token]', more[0]);
		await page.press('input[name=token]', 'Enter');
		for (const tier of shop)
			await page.waitForSelector(`.card[data-tier="${tier}"]`, { timeout: 120000 });
		const rate = () => page.locator('.card[data-tier="nginx"] [data-figure="rate"]').evaluate(one => Number(one.dataset.raw));
		const first = await rate();
		await shot('map');
		let later = first;
		for (let i = 0; i < 40 && later === first; i++) {
			await page.waitForTimeout(500);
			later = await rate();
		}
		point(first > 0 && later > 0 && later !== first, 'live, map: three tiers, whose figures move', `${first} ${later}`);
		await show(page, 'calls');
		await page.waitForSelector('[data-figure="calls php-fpm mariadb"]');
		const made = [await figure(page, 'calls nginx php-fpm'), await figure(page, 'calls php-fpm mariadb')], found = await figure(page, 'attributed');
		await shot('calls');
		point(made[0] > 0 && made[1] > made[0] && found > 0.99, 'live, calls: of each tier to the next, and whose they were is known', `${made} ${found}`);
		await show(page, 'levels');
		await page.waitForSelector('[data-figure="cost"]');
		await shot('levels');
		point((await figure(page, 'cost')) > 0, 'live, levels: what the probes take', await figure(page, 'cost'));

		let quiet = false;
		for (let i = 0; i < 600 && !quiet; i++) {
			await page.waitForTimeout(1000);
			quiet = sum(await api('intervals?last=8', more[0]), each => sum(each.tiers.filter(tier => shop.includes(tier.name)), tier => sum(tier.cells, cell => cell.count))) === 0;
		}
		const status = await api('status', more[0]), from = status.last_interval.t + status.last_interval.seconds - 3600;
		const data = await api(`history?from=${from}&points=240&series=40`, more[0]);
		const count = (tier, cls) => sum(data.series.filter(s => s.tier === tier && (!cls || s.class === cls)), s => sum(s.count, n => n));
		await show(page, 'time');
		await page.waitForSelector('.legend');
		const rows = data.series.filter(s => shop.includes(s.tier)), bad = [];
		for (const row of rows) {
			const seen = await figure(page, `${row.tier}  ${row.class}`), want = sum(row.own_ns, n => n) / count('nginx');
			if (!near(seen, want))
				bad.push(`${row.tier} ${row.class}: ${seen}, ${want}`);
		}
		await shot('time');
		point(quiet && rows.length === 9 && !bad.length, `live, time: ${count('nginx')} pages, and what each tier has of them, by class`, `${rows.length}\n${bad.join('\n')}`);
		point(count('php-fpm', 'product') === count('nginx', 'product'), 'live: the class goes down with the request', count('nginx', 'product'));
		const hist = await api(`histogram?from=${from}&tier=mariadb&class=product`, more[0]);
		await show(page, 'histogram?tier=mariadb&class=product');
		await page.waitForSelector('[data-figure="own mean"]');
		await shot('histogram');
		point(hist.count > 0 && near(await figure(page, 'own mean'), hist.own_ns / hist.count), 'live, histogram: mean', `${await figure(page, 'own mean')} ${hist.own_ns / hist.count}`);
		await show(page, 'demands');
		await page.waitForSelector('[data-figure^="demand "]', { timeout: 120000 });
		await shot('demands');
		const demands = await page.evaluate(() => [...document.querySelectorAll('[data-figure^="demand "]')].map(one => one.dataset.raw).filter(raw => Number(raw) > 0).length);
		point(demands > 0, 'live, demands: known', demands);
		await show(page, 'capacity');
		const study = await ready('capacity', more[0]);
		await page.waitForFunction(() => !/being computed/.test(document.querySelector('.view.capacity').textContent));
		await shot('capacity');
		const limit = await figure(page, 'max'), said = await page.textContent('.view.capacity');
		point(study.result?.length ? near(limit, study.result[0].max) : said.includes(study.why), 'live, capacity: a limit, or why there is none', `${limit}: ${said}`);
		for (const view of ['counters', 'tasks']) {
			await show(page, view);
			await page.waitForFunction(() => document.querySelector('.view').textContent.length > 20);
			await shot(view);
		}
	},

	// No history, and a kernel that is a fake: what cannot be shown is a sentence.
	async bare(browser) {
		const page = listen(await (await browser.newContext()).newPage());

		for (const view of VIEWS) {
			await show(page, view);
			await page.waitForFunction(() => document.querySelector('.view').textContent.length > 20);
			await page.screenshot({ path: join(folder, `bare-${view}.png`) });
		}
		for (const view of ['demands', 'capacity']) {
			await show(page, view);
			await page.waitForFunction(() => /--history FILE/.test(document.querySelector('.view').textContent));
		}
		point(true, 'without a history: it is told how to keep one');
		await show(page, 'time');
		await page.waitForFunction(() => document.querySelectorAll('.legend tbody tr').length > 0);
		point(true, 'and the time since the page was opened is shown');
		const live = await page.textContent('#state');
		point(/^Live: until/.test(live), 'it is live', live);
		process.kill(Number(more[0]));
		await page.waitForFunction(() => /does not answer since/.test(document.getElementById('state').textContent), null, { timeout: 15000 });
		point(true, 'a daemon that has gone is told');
		complaints.splice(0, complaints.length, ...complaints.filter(text => !/ERR_CONNECTION|ERR_EMPTY|ERR_SOCKET/.test(text)));
	},
};

const home = mkdtempSync(join(tmpdir(), 'tierlens-page-'));
try {
	const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS, env: { ...process.env, HOME: home } });

	try {
		await PARTS[part](browser);
		point(!complaints.length, `${part}: the browser complains of nothing`, complaints.slice(0, 9).join('\n'));
		point(!strangers.length, `${part}: nobody else is asked`, strangers.slice(0, 9));
	} finally {
		await browser.close();
	}
} catch (error) {
	point(false, `${part}: it went to its end`, error.stack);
} finally {
	rmSync(home, { recursive: true, force: true });
}
writeFileSync(join(folder, 'points'), String(nr));
process.exitCode = failed;
