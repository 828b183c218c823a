// SPDX-License-Identifier: GPL-2.0-or-later
// Above all views: what a request takes now, at which tier, and what of it is not as usual.
import { el, clear, styled } from './dom.js';
import { rate, share, time, times } from './format.js';
import * as figures from './figures.js';

const LONGER = 1.5; // times as long as usual is worth a word,
const PART = 0.05; // if it is that part of a request

function median(values) {
	const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);

	return sorted.length ? sorted[sorted.length >> 1] : NaN;
}

const own = (series, at) => series.count[at] > series.traced[at] ? series.own_ns[at] / (series.count[at] - series.traced[at]) : NaN;

// What is most above its median of the last hour, of what is worth it: {cell, usual, extra}.
export function unusual(state) {
	const { requests, total } = figures.breakdown(state.recent), base = state.base;
	let worst = null;

	if (!base || base.t.length < 10 || !requests)
		return null;
	for (const cell of figures.cells(state.recent)) {
		const series = base.series.find(of => of.tier === cell.tier && of.class === cell.class);
		const usual = series ? median(base.t.map((_, at) => own(series, at))) : NaN, now = figures.ownMean(cell);
		const extra = (now - usual) * cell.count / requests;

		if (now > LONGER * usual && extra > PART * total && extra > (worst?.extra ?? 0))
			worst = { cell, usual, now, extra };
	}
	return worst;
}

function headline(state, parts, total) {
	const odd = unusual(state), most = [...parts.parts].sort((a, b) => b.own - a.own)[0];

	if (odd)
		return el('p', { class: 'headline odd', 'data-figure': 'unusual', 'data-raw': odd.cell.tier }, el('b', {}, odd.cell.tier), ` takes ${time(odd.now)} for `,
			el('b', {}, odd.cell.class), `, ${times(odd.now / odd.usual)} as long as usual (${time(odd.usual)}): ${time(odd.extra)} more for each request of a user.`);
	return el('p', { class: 'headline' }, `Of ${time(total)} of a request, `, el('b', {}, most.tier), ` takes ${time(most.own)} (${share(most.share)}).`,
		state.base ? ' Nothing takes much longer than usual.' : '');
}

export function where(section, state) {
	const parts = figures.breakdown(state.recent), window = figures.seconds(state.recent), total = parts.total;

	if (!parts.requests)
		return clear(section);
	const shown = [...parts.parts.map(part => ({ name: part.tier, ns: part.own, share: part.share, fill: state.hue(part.tier) })),
		...parts.transit ? [{ name: 'between tiers', ns: parts.transit, share: parts.transitShare, fill: 'var(--faint)' }] : []];

	return clear(section, headline(state, parts, total),
		el('div', { class: 'split', 'aria-hidden': 'true' }, shown.map(part => styled(el('i'), { width: `${100 * part.share}%`, background: part.fill }))),
		el('ul', { class: 'parts' }, shown.map(part => el('li', { 'data-figure': `part ${part.name}`, 'data-raw': part.ns },
			styled(el('i', { class: 'swatch', 'aria-hidden': 'true' }), { background: part.fill }), part.name, ' ', el('b', {}, time(part.ns)), ` ${share(part.share)}`))),
		el('p', { class: 'faint' }, `Users’ requests: ${rate(parts.requests / window)}, response ${time(parts.response)} in the mean of the last ${Math.round(window)} s.`));
}
