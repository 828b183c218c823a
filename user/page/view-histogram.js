// SPDX-License-Identifier: GPL-2.0-or-later
// How response and own times of a tier are spread.
import { el, clear, choice, keepFocus, sentence, table } from './dom.js';
import { missing, number, share, time } from './format.js';
import * as api from './api.js';
import * as chart from './chart.js';
import * as figures from './figures.js';

export const id = 'histogram', title = 'Histograms', explains = 'How long requests of a tier take, and how far apart they are.';

const QUANTILES = [[0.5, 'median'], [0.95, '95 %'], [0.99, '99 %'], [0.999, '99.9 %']];

// The same as /api/v1/histogram, of intervals.
function ofIntervals(state, tier, cls) {
	const made = { count: 0, traced: 0, own_ns: 0, response_ns: 0, own: new Map(), response: new Map() };

	for (const cell of figures.cells(state.recent))
		if (cell.tier === tier && (!cls || cell.class === cls)) {
			for (const name of ['count', 'traced', 'own_ns', 'response_ns'])
				made[name] += cell[name];
			for (const which of ['own', 'response'])
				for (const [bucket, n] of cell[which])
					made[which].set(bucket, (made[which].get(bucket) ?? 0) + n);
		}
	return { ...made, own: [...made.own], response: [...made.response] };
}

function buckets(hists) {
	const filled = hists.flatMap(hist => hist.map(([bucket]) => bucket));
	const from = Math.max(Math.min(...filled) - 1, 1), to = Math.max(...filled) + 1;

	return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

function draw(box, below, data) {
	const list = buckets([data.own, data.response]), xs = list.map(figures.bucketLow);
	const shares = hist => {
		const counts = new Map(hist), all = hist.reduce((sum, [, n]) => sum + n, 0);
		return list.map(bucket => all ? (counts.get(bucket) ?? 0) / all : 0);
	};
	// Buckets are not equally wide on a scale of doublings.
	const dense = hist => shares(hist).map((value, at) => value / Math.log2(figures.bucketLow(list[at] + 1) / xs[at]));
	const own = chart.colour('--hue-0'), response = chart.colour('--hue-1'), mean = n => n.ns / n.count;
	const marks = QUANTILES.slice(0, 3).map(([q, text]) => ({ at: figures.quantile(data.response, q), text: `${text} ${time(figures.quantile(data.response, q))}` }));
	const handle = chart.histogram(box, 'Share of requests in each doubling of time, by response and own time', xs,
		[{ values: dense(data.own), stroke: own, fill: `color-mix(in oklab, ${own} 30%, transparent)` }, { values: dense(data.response), stroke: response }],
		{ x: time, format: share, marks, moved: at => at !== null && tell(at) });
	const said = el('p', { class: 'said', 'aria-live': 'polite' });

	function tell(at) {
		said.textContent = `${time(xs[at])} to ${time(figures.bucketLow(list[at] + 1))}: own time of ${share(shares(data.own)[at])}, response of ` +
			`${share(shares(data.response)[at])} of ${number(data.count)} requests`;
	}
	clear(below, said, table('Times', [['', ''], ['mean', 'n'], ...QUANTILES.map(([, text]) => [text, 'n'])],
		[['own', 'own time', mean({ ns: data.own_ns, count: data.count - data.traced })], ['response', 'response time', mean({ ns: data.response_ns, count: data.count })]]
			.map(([which, text, of]) => [el('span', {}, el('i', { class: `swatch ${which}`, 'aria-hidden': 'true' }), text),
				{ text: time(of), raw: of, key: `${which} mean` }, ...QUANTILES.map(([q]) => {
					const value = figures.quantile(data[which], q);
					return { text: time(value), raw: value, key: `${which} ${q}` };
				})])),
	el('p', { class: 'faint' }, `${number(data.count)} requests. A bucket is an eighth of a doubling; quantiles lie between the bounds of one.`));
	return handle;
}

export function mount(root, page) {
	const controls = el('div', { class: 'controls' }), note = el('div'), box = el('div', { class: 'chart' }), below = el('div');
	let handle = null, asked = '';

	root.append(controls, note, el('p', { class: 'faint' }, 'Share of requests in a doubling of time'), box, below);
	function show(data) {
		handle?.destroy();
		handle = null;
		clear(box);
		clear(below);
		const lost = data.missing ? sentence(missing(data.missing)) : null;
		if (!data.count)
			return clear(note, sentence('No request of it has ended in this time.'), lost);
		clear(note, lost);
		handle = draw(box, below, data);
	}

	return {
		async update(state) {
			const slowest = figures.breakdown(state.recent).parts.sort((a, b) => b.own - a.own)[0];
			const tier = page.query.tier || slowest?.tier || state.tiers[0], cls = page.query.class || '';

			if (!tier)
				return clear(note, sentence('No request has ended yet.'));
			keepFocus(controls, () => clear(controls,
				choice('Tier', [...new Set([...state.tiers, tier])].map(name => [name, name]), tier, to => page.go({ tier: to })),
				choice('Class', [['', 'all'], ...state.classes.map(name => [name, name])], cls, to => page.go({ class: to }))));
			if (!state.status.history)
				return show(ofIntervals(state, tier, cls));
			// A histogram of months does not change with each interval.
			const now = JSON.stringify([tier, cls, page.range, Math.floor(state.end / Math.max(5, page.range / 240))]);
			if (now === asked)
				return undefined;
			asked = now;
			const data = await api.json('histogram', { tier, class: cls || null, from: state.from });
			if (asked === now)
				show(data);
			return undefined;
		},
		destroy: () => handle?.destroy(),
	};
}
