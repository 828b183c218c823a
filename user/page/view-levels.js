// SPDX-License-Identifier: GPL-2.0-or-later
// How closely each tier is looked at, and what tierlensd has decided about it.
import { el, clear, sentence, table } from './dom.js';
import { moment, share, times } from './format.js';
import * as api from './api.js';
import * as figures from './figures.js';

export const id = 'levels', title = 'Levels', explains = 'How closely each tier is looked at, what that costs, and why.';

const WORDS = { off: 'not at all', trace: 'requests from end to end', server: 'own times and calls', method: 'functions of its programs, too' };

function cost(state) {
	const s = figures.seconds(state.recent);
	let ns = 0, known = s > 0;

	for (const interval of state.recent) {
		known &&= interval.cost?.hook_ns !== undefined;
		ns += (interval.cost?.hook_ns ?? 0) + (interval.cost?.function_ns ?? 0);
	}
	if (!known || !state.status.processors)
		return sentence('What the probes take is not known.');
	const part = ns / 1e9 / s / state.status.processors;
	return el('div', { class: 'facts' }, el('p', { class: 'fact' }, el('b', { 'data-figure': 'cost', 'data-raw': part }, share(part)),
		el('span', {}, 'of the processors is taken by the handlers of the probes')));
}

function levels(state) {
	const of = new Map(figures.cells(state.recent).filter(cell => cell.level).map(cell => [cell.tier, cell.level]));

	if (!of.size)
		return sentence('Levels are not known: no request has ended, or the kernel module is an older one.');
	return table('Levels now', [['tier', 'wide'], ['level', ''], ['what is seen', 'text']],
		state.tiers.filter(tier => of.has(tier)).map(tier => [tier, { text: el('em', { class: `level ${of.get(tier)}` }, of.get(tier)), raw: of.get(tier), key: `level ${tier}` },
			WORDS[of.get(tier)] ?? '']));
}

function decisions(rows) {
	if (!rows.length)
		return sentence('Nothing has been decided yet: as long as times are as before, levels stay as they are.');
	return el('ol', { class: 'log', reversed: true }, [...rows].reverse().map(row => el('li', { class: row.kind, 'data-figure': 'decision', 'data-raw': row.t },
		el('time', {}, moment(row.t)), el('b', {}, row.tier ?? 'all tiers'),
		row.kind === 'finding' ? el('em', { class: 'level method' }, row.function ?? 'no function explains it') :
			el('span', { class: 'change' }, row.from === row.to ? `stays at ${row.to}` : `${row.from} → ${row.to}`),
		row.evidence ? el('span', { class: 'faint' }, `${row.class}: ${times(row.evidence.ratio)} as long, ${row.evidence.requests} requests`) : null,
		row.cost && row.cost.share !== null ? el('span', { class: 'faint' }, `cost ${share(row.cost.share)} of ${share(row.cost.budget)}`) : null,
		el('p', {}, row.text))));
}

export function mount(root) {
	const top = el('div'), log = el('div');

	root.append(top, el('h3', {}, 'Decisions and findings, the newest first'), log);
	return {
		async update(state) {
			clear(top, cost(state), levels(state));
			clear(log, decisions(await api.lines('decisions')));
		},
	};
}
