// SPDX-License-Identifier: GPL-2.0-or-later
// The page: asks tierlensd once an interval, and shows one view of what it says.
import { el, clear, choice, keepFocus, sentence } from './dom.js';
import { clock, moment, span } from './format.js';
import * as api from './api.js';
import * as chart from './chart.js';
import * as figures from './figures.js';
import { where } from './where.js';
import * as map from './view-map.js';
import * as time from './view-time.js';
import * as histogram from './view-histogram.js';
import * as calls from './view-calls.js';
import * as levels from './view-levels.js';
import * as demands from './view-demands.js';
import * as capacity from './view-capacity.js';
import * as counters from './view-counters.js';
import * as tasks from './view-tasks.js';

const VIEWS = [map, time, histogram, calls, levels, demands, capacity, counters, tasks];
const RANGES = [300, 900, 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400, 365 * 86400];
const RECENT = 60; // intervals that are “now”: as many as tierlensd keeps
const KEPT = 900; // that the page keeps, where there is no history
const BASE_S = 3600; // that is “usual”
const BUSY_S = 10; // between two looks at the history at least

const $ = id => document.getElementById(id);
const state = { status: null, intervals: [], recent: [], base: null, past: null, tiers: [], classes: [], fronts: new Set(), from: 0, end: 0 };
const asked = { base: 0, past: '', pastAt: 0 };
let shown = null, view = null, timer = null, failing = null;

// ---- where we are: #view?name=value

function here() {
	const [name, query = ''] = location.hash.slice(1).split('?');

	return { view: VIEWS.find(of => of.id === name) ?? map, query: Object.fromEntries(new URLSearchParams(query)) };
}

function hash(id, query) {
	const set = Object.entries(query).filter(([, value]) => value !== '' && value !== null && value !== undefined);

	return `#${id}${set.length ? `?${new URLSearchParams(set)}` : ''}`;
}

const page = {
	query: {},
	range: 3600,
	go(changes) {
		location.hash = hash(here().view.id, { ...page.query, ...changes });
	},
};

// ---- what tierlensd says

function learn() {
	const depth = figures.depths(state.intervals), all = figures.cells(state.recent);

	state.recent = state.intervals.slice(-RECENT);
	state.fronts = figures.fronts(state.recent);
	const names = new Set([...all.map(cell => cell.tier), ...state.past?.series.map(series => series.tier) ?? []]);
	state.tiers = [...names].sort((a, b) => (depth.get(a) ?? 99) - (depth.get(b) ?? 99) || (a < b ? -1 : 1));
	state.classes = [...new Set([...all.map(cell => cell.class), ...state.past?.series.map(series => series.class) ?? []])].sort();
}

state.order = tier => {
	const at = state.tiers.indexOf(tier);

	return at < 0 ? state.tiers.length : at;
};
state.hue = tier => `var(--hue-${state.order(tier) % 8})`;

async function intervalsAsk() {
	const last = state.status.last_interval, have = state.intervals.at(-1)?.generation ?? 0;

	if (!last || last.generation === have)
		return;
	const missing = Math.min(Math.max(last.generation - have, 1), RECENT);
	for (const interval of await api.lines('intervals', { last: missing }))
		if (interval.generation > (state.intervals.at(-1)?.generation ?? 0))
			state.intervals.push(interval);
	state.intervals.splice(0, state.intervals.length - KEPT);
	state.end = last.t + last.seconds;
}

async function baseAsk() {
	if (!state.status.history || !state.end || state.end - asked.base < BASE_S / 60)
		return;
	asked.base = state.end;
	state.base = await api.json('history', { from: Math.max(state.end - BASE_S, 0), points: 60, series: 100 });
}

async function pastAsk() {
	const cls = page.query.class || null, tier = page.query.tier || null;
	const key = JSON.stringify([cls, tier, page.range]);

	if (!view.past)
		return;
	if (!state.status.history) {
		const cut = { ...figures.columns(state.intervals) };
		cut.series = cut.series.filter(series => !cls || series.class === cls);
		state.past = cut;
		return;
	}
	if (key === asked.past && state.end - asked.pastAt < Math.max(BUSY_S, page.range / 240))
		return;
	Object.assign(asked, { past: key, pastAt: state.end });
	state.past = await api.json('history', { from: state.from, points: 240, series: 40, class: cls });
}

// ---- what is shown

function stateTell() {
	const { status } = state, last = status.last_interval;
	const late = Date.now() / 1000 - state.end;
	let text;

	if (!last)
		text = status.measuring ? 'No interval has ended yet: the first one is under way.' : 'Measuring is off: “tierlens enable” turns it on.';
	else if (status.replay)
		text = `A recording, until ${moment(state.end)}`;
	else if (!status.measuring)
		text = `Measuring is off since ${moment(state.end)}: “tierlens enable” turns it on.`;
	else
		text = `Live: until ${clock(state.end)}${Math.abs(late) > 120 ? `, by the clock of the host, which is ${span(Math.abs(late))} ${late > 0 ? 'behind' : 'ahead of'} that of this browser` : ''}`;
	$('state').textContent = text;
	$('state').className = status.measuring && !status.replay ? 'live' : '';
}

function navTell() {
	const links = VIEWS.map(of => el('a', { href: hash(of.id, { range: page.query.range, tier: page.query.tier, class: page.query.class }), 'data-key': `view ${of.id}`,
		'aria-current': of === view ? 'page' : null }, of.title));

	keepFocus($('views'), () => clear($('views'), links));
}

function mount() {
	const { view: wanted, query } = here(), moved = wanted !== view;

	page.query = query;
	page.range = Number(query.range) > 0 ? Number(query.range) : 3600;
	if (!moved)
		return;
	shown?.destroy?.();
	chart.destroyAll();
	view = wanted;
	document.title = `${view.title} – tierlens`;
	const box = el('div', { class: `view ${view.id}` }), range = el('div', { class: 'controls', id: 'range' });
	clear($('main'), el('h2', {}, view.title), el('p', { class: 'explains' }, view.explains), range, el('div', { id: 'trouble' }), box);
	shown = view.mount(box, page);
}

function rangeTell() {
	const box = $('range');

	if (!box || !(view.past || view === histogram) || !state.status.history)
		return box && clear(box);
	return keepFocus(box, () => clear(box, choice('The last', RANGES.map(s => [String(s), s === 86400 ? '24 h' : span(s)]), String(page.range), range => page.go({ range }))));
}

function troubleTell(error) {
	clear($('trouble') ?? $('main'), el('p', { class: 'sentence warn' }, `This view cannot be shown: ${error.message}`));
}

async function update() {
	state.from = Math.max(state.end - page.range, 0);
	await pastAsk();
	learn();
	navTell();
	rangeTell();
	stateTell();
	where($('where'), state);
	try {
		await shown.update(state);
		clear($('trouble'));
	} catch (error) {
		if (error instanceof api.Refused && error.status === 401)
			throw error;
		troubleTell(error);
	}
}

function askToken(wrong) {
	const input = el('input', { type: 'password', name: 'token', autocomplete: 'off', required: true, minlength: 16, maxlength: 255, 'data-key': 'token' });

	shown?.destroy?.();
	shown = view = null;
	clear($('where'));
	clear($('views'));
	$('state').textContent = 'A token is needed.';
	clear($('main'), el('form', { class: 'token', onsubmit: event => {
		event.preventDefault();
		api.tokenKeep(input.value);
		turn();
	} }, el('h2', {}, 'Token'), el('p', {}, wrong ? 'That was not the token. ' : '', 'It is in the file that tierlensd was given with --token-file. This tab alone keeps it, until it is closed.'),
	el('label', {}, 'Token ', input), el('button', {}, 'Show the figures')));
	input.focus();
}

async function turn() {
	clearTimeout(timer);
	try {
		if (!api.tokenThere() && state.status === null && await api.wantsToken())
			return askToken(false);
		state.status = await api.json('status');
		await intervalsAsk();
		learn();
		await baseAsk();
		mount();
		await update();
		failing = null;
	} catch (error) {
		if (error instanceof api.Refused && error.status === 401) {
			api.tokenKeep(null);
			state.status = null;
			return askToken(true);
		}
		failing ??= Date.now() / 1000;
		$('state').className = 'bad';
		$('state').textContent = error instanceof api.Refused ? `tierlensd says: ${error.message}` : `tierlensd does not answer since ${clock(failing)}: is it running?`;
	}
	const pause = state.status?.replay ? 10 : Math.min(Math.max(state.status?.interval_s ?? 2, 1), 10);
	timer = setTimeout(() => document.hidden ? null : turn(), failing ? 3000 : pause * 1000);
	return undefined;
}

// What is drawn has colours of the old scheme.
function redraw() {
	if (!view)
		return;
	shown?.destroy?.();
	chart.destroyAll();
	view = shown = null;
	turn();
}

addEventListener('hashchange', () => {
	if (state.status === null)
		return;
	const before = view;
	mount();
	if (view !== before)
		$('main').focus({ preventScroll: true });
	turn();
});
document.addEventListener('visibilitychange', () => document.hidden || turn());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
turn();
