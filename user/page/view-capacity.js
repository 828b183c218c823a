// SPDX-License-Identifier: GPL-2.0-or-later
// How much load the service bears, as the layered queueing network of the last hour has it.
import { el, clear, table } from './dom.js';
import { big, rate, share, time } from './format.js';
import * as chart from './chart.js';
import { follow } from './study.js';

export const id = 'capacity', title = 'Capacity', explains = 'Response time and utilisation over the load, by a layered queueing network that is built from the last hour.';

const ns = s => typeof s === 'number' ? s * 1e9 : null;
const WORDS = { arrivals: 'requests a second', customers: 'customers at once' };

function facts(result) {
	const of = WORDS[result.of] ?? result.of;
	const fact = (key, value, words) => el('p', { class: 'fact' }, el('b', { 'data-figure': key, 'data-raw': value ?? 'null' }, value === null ? '–' : big(value)), el('span', {}, words));

	return el('div', { class: 'facts' },
		fact('max', result.max, `${of} keep the busiest processor below ${share(result.limits.utilisation ?? 0.8)}`),
		fact('saturation', result.saturation?.n ?? null, result.saturation ? `${of}: ${result.saturation.kind} “${result.saturation.name}” is saturated` : 'saturation'),
		fact('believed', result.believed?.to ?? null, result.believed ? `up to so many the model is to be believed (from ${big(result.believed.from)}): beyond is extrapolated` : 'believed'));
}

function draw(box, study) {
	const result = study.result[0], xs = result.curve.map(point => point.n), handles = [];
	const response = el('div', { class: 'chart' }), busy = el('div', { class: 'chart' });
	const marks = [{ at: result.max, text: 'limit' }, ...result.saturation ? [{ at: result.saturation.n, text: 'saturated', stroke: chart.colour('--bad') }] : [],
		...result.believed?.to ? [{ at: result.believed.to, text: 'believed until here', stroke: chart.colour('--faint') }] : []].filter(mark => Number.isFinite(mark.at));
	const resources = [...new Set(result.curve.flatMap(point => Object.keys(point.utilisation ?? {})))];
	const options = { time: false, x: big, marks };

	clear(box, facts(result), el('p', { class: 'sentence' }, `${result.verdict[0].toUpperCase()}${result.verdict.slice(1)}.`),
		el('div', { class: 'pair' }, el('section', {}, el('h3', {}, 'Response time'), response), el('section', {}, el('h3', {}, 'Utilisation'), busy)),
		el('details', {}, el('summary', {}, 'All figures as a table'), table('Curve of load', [[WORDS[result.of] ?? 'load', 'n'], ['throughput', 'n'], ['response', 'n'],
			...resources.map(name => [`busy: ${name}`, 'n'])],
		result.curve.map(point => [{ text: big(point.n), raw: point.n, key: 'n' }, rate(point.throughput), time(ns(point.response_s)), ...resources.map(name => share(point.utilisation?.[name]))]))));
	handles.push(chart.lines(response, 'Response time over load', xs, [{ values: result.curve.map(point => ns(point.response_s)), stroke: chart.colour('--hue-1') }],
		{ format: time, height: 260, ...options }));
	handles.push(chart.lines(busy, 'Utilisation over load', xs, resources.map((name, at) => ({ values: result.curve.map(point => point.utilisation?.[name] ?? null),
		stroke: chart.colour(`--hue-${at % 8}`) })), { format: share, height: 260, ...options }));
	return handles;
}

export function mount(root) {
	const note = el('div'), box = el('div');
	let handles = [];

	root.append(note, box);
	const study = follow('capacity', note, made => {
		handles.forEach(handle => handle.destroy());
		handles = draw(box, made);
	});
	return {
		update: () => study.ask(),
		destroy() {
			study.destroy();
			handles.forEach(handle => handle.destroy());
		},
	};
}
