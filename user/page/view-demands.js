// SPDX-License-Identifier: GPL-2.0-or-later
// What a request costs: demands, followed over time, with their intervals.
import { el, clear, choice, keepFocus, styled, table } from './dom.js';
import { time } from './format.js';
import * as chart from './chart.js';
import { follow } from './study.js';

export const id = 'demands', title = 'Demands', explains = 'Processor time that a request of each class costs at each resource, followed over the last hour, with 95 % intervals.';

const ns = s => s === null ? null : s * 1e9;

function resources(line) {
	return [...new Set(line.demands.map(demand => demand.resource))];
}

// Where requests cost most: that is looked at first.
function dearest(line) {
	const cost = resource => Math.max(...line.demands.filter(demand => demand.resource === resource).map(demand => demand.value_s.at(-1) ?? 0));

	return resources(line).sort((a, b) => cost(b) - cost(a))[0];
}

function draw(box, study, wanted) {
	const last = study.result[0], list = resources(last), resource = list.includes(wanted) ? wanted : dearest(last);
	const rows = last.demands.filter(demand => demand.resource === resource), place = el('div', { class: 'chart' });
	const series = rows.map((row, at) => ({ values: row.value_s.map(ns), low: row.low95_s.map((s, i) => row.value_s[i] === null ? null : ns(s)),
		high: row.high95_s.map((s, i) => row.value_s[i] === null ? null : ns(s)), stroke: chart.colour(`--hue-${at % 8}`) }));

	clear(box, place, table(`Now, at ${resource}`, [['class', 'wide'], ['demand', 'n'], ['from', 'n'], ['to', 'n'], ['verdict', 'text']],
		rows.map((row, at) => {
			const [value, low, high] = [row.value_s, row.low95_s, row.high95_s].map(of => of.at(-1));
			return [el('span', {}, styled(el('i', { class: 'swatch', 'aria-hidden': 'true' }), { background: `var(--hue-${at % 8})` }), row.class),
				{ text: time(ns(value)), raw: value ?? 'null', key: `demand ${resource} ${row.class}` },
				{ text: time(ns(low)), raw: low ?? 'null', key: `low ${resource} ${row.class}` }, time(ns(high)), row.verdict];
		})),
	last.verdict.startsWith('incomplete') ? null : el('p', { class: `sentence ${last.verdict === 'ok' ? 'good' : 'warn'}` }, last.verdict === 'ok' ? 'The filter is consistent: what it foretold is what came.' :
		`The verdict on the last window: ${last.verdict}.`),
	Object.entries(last.not_followed).map(([name, why]) => el('p', { class: 'faint' }, `Not followed: ${name}: ${why}.`)));
	return chart.lines(place, `Demands at ${resource} over time`, last.t, series, { format: time, height: 300 });
}

export function mount(root, page) {
	const controls = el('div', { class: 'controls' }), note = el('div'), box = el('div');
	let handle = null, shown = null;

	root.append(controls, note, box);
	function show() {
		if (!shown?.result.length)
			return;
		handle?.destroy();
		handle = draw(box, shown, page.query.resource);
		keepFocus(controls, () => clear(controls, choice('Resource', resources(shown.result[0]).map(name => [name, name]),
			page.query.resource ?? dearest(shown.result[0]), resource => page.go({ resource }))));
	}
	const study = follow('demands', note, made => {
		shown = made;
		show();
	});
	let query = page.query.resource;

	return {
		async update() {
			if (query !== page.query.resource)
				show();
			query = page.query.resource;
			await study.ask();
		},
		destroy() {
			study.destroy();
			handle?.destroy();
		},
	};
}
