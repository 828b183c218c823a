// SPDX-License-Identifier: GPL-2.0-or-later
// Own times on top of each other: where did the millisecond go?
import { el, clear, choice, keepFocus, sentence, styled, table } from './dom.js';
import { big, missing, moment, number, rate, share, time } from './format.js';
import * as chart from './chart.js';
import * as figures from './figures.js';

export const id = 'time', title = 'Time', explains = 'What each tier takes of a request of a user, over time.', past = true;

const BY = [['both', 'tier and class'], ['tier', 'tier'], ['class', 'class']];
const OF = [['request', 'a request'], ['second', 'a second']];

function add(to, from) {
	for (const name of ['count', 'traced', 'own_ns', 'response_ns'])
		from[name].forEach((value, at) => { to[name][at] += value; });
}

function empty(n, tier, cls) {
	return { tier, class: cls, count: Array(n).fill(0), traced: Array(n).fill(0), own_ns: Array(n).fill(0), response_ns: Array(n).fill(0) };
}

const nameOf = group => group.tier === null && group.class === null ? 'all others' : [group.tier, group.class].filter(x => x !== null).join('  ');

// Series as they are to be stacked, the tier in front lowest.
function groups(data, by, state) {
	const made = new Map(), n = data.t.length;

	for (const series of [...data.series, ...data.rest ? [data.rest] : []]) {
		const tier = by === 'class' ? null : series.tier, cls = by === 'tier' ? null : series.class;
		const key = figures.keyOf(tier, cls);
		if (!made.has(key))
			made.set(key, empty(n, tier, cls));
		add(made.get(key), series);
	}
	const total = group => group.own_ns.reduce((sum, x) => sum + x, 0);
	return [...made.values()].sort((a, b) => state.order(a.tier) - state.order(b.tier) || total(b) - total(a));
}

// Requests of users at each moment; those of one class have its name at all tiers.
function users(data, state) {
	const sums = Array(data.t.length).fill(0), response = Array(data.t.length).fill(0);

	for (const series of data.series)
		if (state.fronts.has(series.tier)) {
			series.count.forEach((value, at) => { sums[at] += value; });
			series.response_ns.forEach((value, at) => { response[at] += value; });
		}
	return { sums, response };
}

const ownAt = (group, at) => group.count[at] > group.traced[at] ? group.own_ns[at] * group.count[at] / (group.count[at] - group.traced[at]) : 0;

function colours(list, state) {
	const nth = new Map();

	return list.map((group, at) => {
		if (group.tier === null && group.class === null)
			return chart.colour('--faint');
		if (group.tier === null)
			return chart.shade(at);
		const cls = nth.get(group.tier) ?? 0;
		nth.set(group.tier, cls + 1);
		return chart.shade(state.order(group.tier), cls, list.filter(other => other.tier === group.tier).length);
	});
}

function legend(list, fills, values, data, per, at) {
	const sum = (array, weights) => array.reduce((all, value, i) => all + value * weights[i], 0);
	const weights = data.t.map((_, i) => per.weight[i]), all = weights.reduce((a, b) => a + b, 0);
	const means = values.map(of => all ? sum(of, weights) / all : NaN), total = means.reduce((a, b) => a + b, 0);
	const rows = list.map((group, i) => ({ group, i, mean: means[i], now: at === null ? null : values[i][at] }));

	rows.sort((a, b) => b.mean - a.mean);
	return table(at === null ? `${per.words}: mean of the time shown` : `${per.words}: mean of the time shown, and at ${moment(data.t[at])}`,
		[['', 'wide'], ['mean', 'n'], ['of all', 'n'], [at === null ? 'latest' : 'then', 'n']],
		rows.map(({ group, i, mean, now }) => [
			el('span', {}, styled(el('i', { class: 'swatch', 'aria-hidden': 'true' }), { background: fills[i] }), nameOf(group)),
			{ text: per.format(mean), raw: mean, key: nameOf(group) }, share(total ? mean / total : NaN),
			per.format(at === null ? values[i].at(-1) : now)]), { class: 'legend' });
}

function figureTable(list, values, data, per) {
	return table('Each time, the newest first', [['', ''], ['users’ requests', 'n'], ...list.map(group => [nameOf(group), 'n'])],
		data.t.map((t, at) => [moment(t), number(data.seconds[at] ? per.count[at] : null), ...values.map(of => per.format(of[at]))]).reverse());
}

export function mount(root, page) {
	const controls = el('div', { class: 'controls' }), note = el('div'), box = el('div', { class: 'chart' }), key = el('div');
	const lower = el('div', { class: 'pair' }), more = el('details', {}, el('summary', {}, 'All figures as a table'));
	let drawn = [], fillTable = null;

	root.append(controls, note, box, key, lower, more);
	more.addEventListener('toggle', () => more.open && fillTable?.());
	const options = names => [['', 'all'], ...names.map(name => [name, name])];

	function setControls(state) {
		keepFocus(controls, () => clear(controls,
			choice('By', BY, page.query.by ?? 'both', by => page.go({ by })),
			choice('Tier', options(state.tiers), page.query.tier ?? '', tier => page.go({ tier })),
			choice('Class', options(state.classes), page.query.class ?? '', cls => page.go({ class: cls })),
			choice('Time in', OF, page.query.of ?? 'request', of => page.go({ of }))));
	}

	function perOf(data, state) {
		const { sums, response } = users(data, state), second = page.query.of === 'second';

		return { count: sums, response, second, words: second ? 'Own time a second' : 'Own time for each request of a user',
			weight: second ? data.seconds : sums, by: second ? data.seconds : sums, format: ns => second ? `${time(ns)}/s` : time(ns) };
	}

	function draw(state, whole) {
		const tier = page.query.tier || null;
		const data = { ...whole, series: whole.series.filter(series => tier === null || series.tier === tier), rest: tier === null ? whole.rest : null };
		const list = groups(data, page.query.by ?? 'both', state), per = perOf(whole, state), fills = colours(list, state);
		// Where no interval is known, nothing is, which is not 0.
		const values = list.map(group => data.t.map((_, at) => !data.seconds[at] ? null : per.by[at] ? ownAt(group, at) / per.by[at] : 0));
		const layers = list.map((_, i) => ({ values: values[i], fill: fills[i] }));

		for (const handle of drawn)
			handle.destroy();
		const show = at => clear(key, legend(list, fills, values, data, per, at));
		drawn = [chart.stacked(box, `${per.words}, stacked by ${page.query.by ?? 'tier and class'}`, data.t, layers,
			{ format: per.format, moved: show, height: 320, seconds: data.seconds })];
		show(null);
		small(data, per, drawn);
		fillTable = () => clear(more, more.firstChild, figureTable(list, values, data, per));
		if (more.open)
			fillTable();
	}

	function small(data, per, handles) {
		const a = el('div', { class: 'chart' }), b = el('div', { class: 'chart' });

		clear(lower, el('section', {}, el('h3', {}, 'Response time of users’ requests, mean'), a), el('section', {}, el('h3', {}, 'Users’ requests a second'), b));
		handles.push(chart.lines(a, 'Mean response time', data.t, [{ values: per.response.map((ns, at) => per.count[at] ? ns / per.count[at] : null),
			stroke: chart.colour('--ink') }], { format: time, height: 150 }),
		chart.lines(b, 'Requests a second', data.t, [{ values: per.count.map((n, at) => data.seconds[at] ? n / data.seconds[at] : null),
			stroke: chart.colour('--ink') }], { format: big, height: 150 }));
	}

	return {
		update(state) {
			setControls(state);
			const data = state.past;
			if (!data || !data.t.length || !data.series.length) {
				clear(note, sentence(state.status.history ? 'No request is known of this time: choose a longer one.' :
					'No request has been seen yet. Start tierlensd with --history FILE, and hours and months can be looked at here.'),
				data?.missing ? sentence(missing(data.missing)) : null);
				return;
			}
			clear(note, state.status.history ? null : sentence('No history is kept, so this is what was seen since the page was opened: ' +
				'start tierlensd with --history FILE to look further back.'),
			data.rest_n ? sentence(`${data.rest_n} of the tiers and classes with the least time are together as “all others”.`) : null,
			data.missing ? sentence(missing(data.missing)) : null);
			draw(state, data);
		},
		destroy: () => drawn.forEach(handle => handle.destroy()),
	};
}
