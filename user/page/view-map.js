// SPDX-License-Identifier: GPL-2.0-or-later
// Tiers as a live map: what comes to each, what it takes of it, and whom it calls.
import { el, svg, clear, keepFocus, sentence, styled } from './dom.js';
import { rate, share, time } from './format.js';
import * as figures from './figures.js';

export const id = 'map', title = 'Map', explains = 'Tiers by how far from the users they are, over the last intervals. Select a tier to see it over time.';

const CLASSES = 3; // that a card tells of

function card(part, state, window) {
	const cells = part.classes, sum = name => cells.reduce((all, cell) => all + cell[name], 0);
	const all = { count: sum('count'), traced: sum('traced'), own_ns: sum('own_ns'), response_ns: sum('response_ns') };
	const level = cells.find(cell => cell.level)?.level;
	const made = el('a', { class: 'card', href: `#time?tier=${encodeURIComponent(part.tier)}`, 'data-key': `tier ${part.tier}`,
		'data-tier': part.tier, 'aria-label': `${part.tier}: ${rate(all.count / window)}, own time ${time(figures.ownMean(all))}, ` +
			`${share(part.share)} of a request` },
		el('strong', { class: 'name' }, part.tier),
		el('span', { class: 'largest' }, el('b', { 'data-figure': 'own', 'data-raw': figures.ownMean(all) }, time(figures.ownMean(all))), ' own time'),
		el('span', {}, el('b', { 'data-figure': 'rate', 'data-raw': all.count / window }, rate(all.count / window)), ' requests'),
		el('span', {}, el('b', { 'data-figure': 'response', 'data-raw': figures.responseMean(all) }, time(figures.responseMean(all))), ' response'),
		el('span', { class: 'classes' }, [...cells].sort((a, b) => b.own_ns - a.own_ns).slice(0, CLASSES).filter(() => cells.length > 1).map(cell =>
			el('span', {}, el('span', {}, cell.class), el('b', {}, time(figures.ownMean(cell)))))),
		el('span', { class: 'meter', 'aria-hidden': 'true' }, styled(el('i'), { width: `${100 * part.share}%`, background: state.hue(part.tier) })),
		el('span', { class: 'foot' }, `${share(part.share)} of a request`, level ? el('em', { class: `level ${level}` }, level) : null));

	return styled(made, { '--own': state.hue(part.tier) });
}

function called(edge, window) {
	return `→ ${edge.peer}: ${rate(edge.calls / window)}, ${time(edge.time_ns / edge.calls)} each`;
}

// Lines between cards, where they stand beside each other.
function wires(map, edges, window) {
	const box = map.getBoundingClientRect(), cards = new Map([...map.querySelectorAll('.card')].map(card => [card.dataset.tier, card]));
	const picture = svg('svg', { class: 'wires', width: box.width, height: box.height, 'aria-hidden': 'true' });
	const most = Math.max(...edges.map(edge => edge.time_ns), 1);

	for (const edge of edges) {
		const from = cards.get(edge.tier)?.getBoundingClientRect(), to = cards.get(edge.peer)?.getBoundingClientRect();
		if (!from || !to || from.right > to.left)
			continue;
		const x1 = from.right - box.left, x2 = to.left - box.left, y1 = from.top + from.height / 2 - box.top;
		const y2 = to.top + to.height / 2 - box.top, middle = (x1 + x2) / 2;
		const text = (dy, words) => svg('text', { x: middle, y: (y1 + y2) / 2 + dy, 'text-anchor': 'middle' }, words);

		picture.append(svg('path', { d: `M${x1},${y1} C${middle},${y1} ${middle},${y2} ${x2},${y2}`,
			'stroke-width': 1.5 + 5 * edge.time_ns / most }),
		text(-10, rate(edge.calls / window)), text(20, time(edge.time_ns / edge.calls)));
	}
	map.prepend(picture);
}

function draw(root, state) {
	const window = figures.seconds(state.recent), depth = figures.depths(state.recent), { parts } = figures.breakdown(state.recent);
	const edges = figures.edges(state.recent).filter(edge => edge.tier !== null && edge.calls), layers = [];

	for (const part of parts)
		(layers[Math.min(depth.get(part.tier) ?? 0, 30)] ??= []).push(part);
	const map = el('div', { class: 'tiers' }, layers.filter(Boolean).map(layer => el('div', { class: 'layer' },
		layer.map(part => el('div', { class: 'place' }, card(part, state, window),
			el('ul', { class: 'callees' }, edges.filter(edge => edge.tier === part.tier)
				.map(edge => el('li', { class: edge.here ? null : 'far' }, called(edge, window)))))))));

	keepFocus(root, () => clear(root, map));
	wires(map, edges, window);
}

export function mount(root) {
	const box = el('div', { class: 'mapbox' });
	let last;
	const watch = new ResizeObserver(() => last && draw(box, last));

	root.append(box);
	watch.observe(root);
	return {
		update(state) {
			if (!state.recent.length || !figures.breakdown(state.recent).parts.length)
				return clear(box, sentence('No request has ended in the last intervals: when the service works, its tiers appear here.'));
			last = state;
			draw(box, state);
		},
		destroy: () => watch.disconnect(),
	};
}
