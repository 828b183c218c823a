// SPDX-License-Identifier: GPL-2.0-or-later
// Hardware events: as they were counted, and what cleaning makes of them.
import { el, clear, choice, keepFocus, sentence, table } from './dom.js';
import { big, share } from './format.js';
import * as chart from './chart.js';
import { drop } from './drop.js';

export const id = 'counters', title = 'Counters', explains = 'Hardware events a second, all processors together, as counted and as scaled to the whole time; cleaned, if there is a file.';

// Of all processors by event and interval: counted, scaled, and the share of the time in which it was counted.
function series(intervals) {
	const events = new Map();

	intervals.forEach((interval, at) => {
		for (const count of interval.counts ?? []) {
			if (!events.has(count.event))
				events.set(count.event, { raw: Array(intervals.length).fill(null), scaled: Array(intervals.length).fill(null), running: 0, enabled: 0 });
			const of = events.get(count.event);

			of.raw[at] += count.value / interval.seconds;
			of.scaled[at] += count.running_ns ? count.value * count.enabled_ns / count.running_ns / interval.seconds : NaN;
			of.running += count.running_ns;
			of.enabled += count.enabled_ns;
		}
	});
	return events;
}

const mean = values => {
	const known = values.filter(Number.isFinite);

	return known.length ? known.reduce((a, b) => a + b, 0) / known.length : NaN;
};

function line(text) {
	const fields = [];
	let field = '', quoted = false;

	for (const c of text) {
		if (c === '"')
			quoted = !quoted;
		else if (c === ',' && !quoted) {
			fields.push(field);
			field = '';
		} else
			field += c;
	}
	return [...fields, field];
}

// Rows of tierlens pmu clean -o: {t, event, value, raw, low, high}, summed over processors.
export function cleaned(text) {
	const [head, ...rows] = text.split(/\r?\n/).filter(row => row && !row.startsWith('#')).map(line);
	const at = name => head.indexOf(name), events = new Map();

	for (const name of ['t', 'event', 'value', 'action', 'low95', 'high95'])
		if (at(name) < 0)
			throw new Error(`it has no column “${name}”: give what tierlens pmu clean -o FILE wrote`);
	for (const row of rows) {
		const t = Number(row[at('t')]), name = row[at('event')];
		if (!events.has(name))
			events.set(name, new Map());
		const sums = events.get(name), sum = sums.get(t) ?? { value: 0, low: 0, high: 0, changed: 0, n: 0 };

		sum.value += Number(row[at('value')]);
		sum.low += Number(row[at('low95')]);
		sum.high += Number(row[at('high95')]);
		sum.changed += !['kept', 'scaled'].includes(row[at('action')]);
		sum.n++;
		sums.set(t, sum);
	}
	if (!events.size)
		throw new Error('there is no row in it');
	return events;
}

export function mount(root, page) {
	const controls = el('div', { class: 'controls' }), note = el('div'), box = el('div', { class: 'chart' }), below = el('div');
	const said = el('div'), file = el('div', { class: 'chart' }), fileTable = el('div');
	let handle = null, other = null, clean = null;

	root.append(controls, note, box, below, el('h3', {}, 'Cleaned'),
		drop('A file of tierlens pmu clean -o', '.csv,text/csv', (text, name) => {
			clean = { events: cleaned(text), name };
			showClean();
		}, why => clear(said, el('p', { class: 'sentence warn' }, why))), said, file, fileTable);
	clear(said, sentence('Record with tierlens pmu record, clean with tierlens pmu clean -o clean.csv, and open clean.csv here.'));

	function showClean() {
		if (!clean)
			return;
		const name = clean.events.has(page.query.event) ? page.query.event : [...clean.events.keys()][0];
		const sums = [...clean.events.get(name)].sort((a, b) => a[0] - b[0]), xs = sums.map(([t]) => t), rows = sums.map(([, sum]) => sum);

		other?.destroy();
		clear(said, el('p', {}, `${clean.name}: ${name}, in each interval, with 95 % intervals.`));
		other = chart.lines(file, `${name}, cleaned`, xs, [{ values: rows.map(row => row.value), low: rows.map(row => row.low), high: rows.map(row => row.high),
			stroke: chart.colour('--hue-2') }], { format: big, time: xs[0] > 1e8, x: big });
		clear(fileTable, table('Cleaned', [['event', 'wide'], ['mean an interval', 'n'], ['values that were changed', 'n']],
			[...clean.events].map(([event, of]) => {
				const list = [...of.values()];
				return [event, { text: big(mean(list.map(row => row.value))), raw: mean(list.map(row => row.value)), key: `clean ${event}` },
					share(list.reduce((n, row) => n + row.changed, 0) / list.reduce((n, row) => n + row.n, 0))];
			})));
	}

	function showRaw(state) {
		const events = series(state.intervals), names = [...events.keys()];

		handle?.destroy();
		handle = null;
		clear(box);
		clear(below);
		if (!names.length)
			return clear(note, sentence('No hardware event is counted. “tierlens pmu record -e cycles,instructions” counts some, and all that are counted in intervals appear here.'));
		const name = names.includes(page.query.event) ? page.query.event : names[0], of = events.get(name);
		clear(note);
		keepFocus(controls, () => clear(controls, choice('Event', names.map(event => [event, event]), name, event => page.go({ event }))));
		handle = chart.lines(box, `${name} a second`, state.intervals.map(interval => interval.t),
			[{ values: of.raw, stroke: chart.colour('--hue-0'), dash: [5, 4] }, { values: of.scaled, stroke: chart.colour('--hue-1') }], { format: big, height: 260 });
		return clear(below, table('Events a second, mean: as counted (dashed), and scaled to the whole time (solid)', [['event', 'wide'], ['counted', 'n'], ['scaled', 'n'], ['of the time', 'n']],
			names.map(event => {
				const row = events.get(event);
				return [event, { text: big(mean(row.raw)), raw: mean(row.raw), key: `raw ${event}` }, { text: big(mean(row.scaled)), raw: mean(row.scaled), key: `scaled ${event}` },
					share(row.enabled ? row.running / row.enabled : NaN)];
			})),
		names.some(event => events.get(event).running < 0.99 * events.get(event).enabled) ?
			el('p', { class: 'faint' }, 'There are more events than counters: each was counted for a part of the time, and the rest is estimated.') : null);
	}
	let query = page.query.event;

	return {
		update(state) {
			showRaw(state);
			if (query !== page.query.event)
				showClean();
			query = page.query.event;
		},
		destroy() {
			handle?.destroy();
			other?.destroy();
		},
	};
}
