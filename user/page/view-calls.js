// SPDX-License-Identifier: GPL-2.0-or-later
// How calls found their requests, and in which ways figures are incomplete.
import { el, clear, sentence, styled, table } from './dom.js';
import { number, rate, share, time } from './format.js';
import * as figures from './figures.js';

export const id = 'calls', title = 'Calls and losses', explains = 'How calls found the requests that made them, and what is missing in the figures, over the last intervals.';

const KINDS = { thread: 'the thread was working on it', owner: 'the connection belonged to it', handoff: 'one thread woke another with it',
	lookback: 'the thread answered it afterwards', order: 'its result came back in order' };

const LOSSES = {
	connections_full: 'Connections were not followed: memory is at its cap. Raise memory_mib.',
	threads_full: 'Events of threads that could not be followed. Raise memory_mib.',
	cells_full: 'Requests or calls whose sums found no place. Raise memory_mib.',
	tiers_full: 'Connections of tiers that found no place.',
	peers_full: 'Calls whose endpoint is among “more”.',
	calls_full: 'Calls beyond what is kept of simultaneous ones: own times may be too long.',
	late: 'Requests ended in an interval that was already closed.',
	quiet: 'Requests that were closed by the quiet time. No loss as such.',
	unanswered: 'Requests that ended without an answer, and are in no figure: MySQL’s clients say goodbye so, and who gives up does.',
	push: 'Sends that answered no request. No loss as such.',
	ambiguous: 'Pipelined requests: counts may be too small, times too long.',
	paths_full: 'Requests whose path found no place.',
	handoffs_dropped: 'Calls that outran their places, and are of no request.',
	probes_missed: 'Probes that the kernel dropped.',
};
const NOTES = new Set(['quiet', 'unanswered', 'push']);

function strip(by, calls) {
	return el('span', { class: 'strip', 'aria-hidden': 'true' }, Object.keys(KINDS).map((kind, at) =>
		styled(el('i'), { width: `${100 * (by[kind] ?? 0) / calls}%`, background: `var(--hue-${at})` })));
}

function found(state) {
	const edges = figures.edges(state.recent).filter(edge => edge.calls), window = figures.seconds(state.recent);
	const known = edges.filter(edge => edge.tier !== null).sort((a, b) => b.calls - a.calls), none = edges.filter(edge => edge.tier === null);

	if (!edges.length)
		return sentence('No tier has called another one in the last intervals.');
	return [
		table('Calls, by how their request was found', [['from', 'wide'], ['to', ''], ['calls', 'n'], ['mean', 'n'], ['between', 'n'],
			['', ''], ...Object.keys(KINDS).map(kind => [kind, 'n'])],
		known.map(edge => [edge.tier, edge.peer, { text: rate(edge.calls / window), raw: edge.calls, key: `calls ${edge.tier} ${edge.peer}` },
			time(edge.time_ns / edge.calls), edge.joined ? time(edge.transit_ns / edge.joined) : '–', strip(edge.by, edge.calls),
			...Object.keys(KINDS).map(kind => edge.by[kind] ? share(edge.by[kind] / edge.calls) : '')])),
		el('ul', { class: 'key' }, Object.entries(KINDS).map(([kind, text], at) => el('li', {},
			styled(el('i', { class: 'swatch', 'aria-hidden': 'true' }), { background: `var(--hue-${at})` }), el('b', {}, kind), ` ${text}`))),
		none.length ? sentence(`Of no request that was found: ${none.map(edge => `${number(edge.calls)} calls to ${edge.peer}`).join(', ')}.`) : null,
	];
}

function events(state) {
	const sum = name => state.recent.reduce((all, interval) => all + (interval.events?.[name] ?? 0), 0);
	const seen = sum('seen'), attributed = sum('attributed'), unattributed = sum('unattributed');
	const of = attributed + unattributed;

	return el('div', { class: 'facts' },
		[['attributed', 'Of requests’ events, attributed', of ? share(attributed / of) : '–', of ? attributed / of : NaN],
			['unattributed', 'Unattributed', number(unattributed), unattributed], ['seen', 'Events seen', number(seen), seen]]
			.map(([key, words, text, raw]) => el('p', { class: 'fact' }, el('b', { 'data-figure': key, 'data-raw': raw }, text), el('span', {}, words))));
}

function losses(state) {
	const rows = Object.keys(LOSSES).map(kind => [kind, state.recent.reduce((all, interval) => all + (interval.losses?.[kind] ?? 0), 0)]);
	const there = rows.filter(([, n]) => n), bad = there.filter(([kind]) => !NOTES.has(kind));

	return [
		el('p', { class: bad.length ? 'sentence warn' : 'sentence good' }, bad.length ? 'Some figures of the last intervals are incomplete:' :
			'Nothing was lost in the last intervals: the figures are complete.'),
		there.length ? table('Losses and notes', [['kind', ''], ['how many', 'n'], ['what it means', 'text']],
			there.map(([kind, n]) => [kind, { text: number(n), raw: n, key: `loss ${kind}` }, LOSSES[kind]])) : null,
	];
}

export function mount(root) {
	const box = el('div');

	root.append(box);
	return {
		update(state) {
			if (!state.recent.length)
				return clear(box, sentence('No interval was read yet.'));
			return clear(box, events(state), el('h3', {}, 'How calls found their requests'), found(state), el('h3', {}, 'What is missing'), losses(state));
		},
	};
}
