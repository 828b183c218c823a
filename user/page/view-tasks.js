// SPDX-License-Identifier: GPL-2.0-or-later
// The task model of one program, from a file: types of jobs, the tasks that they are made of, and who waits for what.
import { el, clear, sentence, styled, table } from './dom.js';
import { number, share, time } from './format.js';
import { drop } from './drop.js';

export const id = 'tasks', title = 'Task model', explains = 'What the threads of a program do for each type of job, from what tierlens tasks has found.';

const ROWS_MOST = 400;
const ns = s => s === null || s === undefined ? NaN : s * 1e9;

// Of tierlens tasks draw --json: an outline, the largest first, the slowest path marked.
function outline(model) {
	const below = new Map(), slow = new Set(model.path ?? []);
	let left = ROWS_MOST;

	for (const node of model.nodes) {
		const up = node.up ?? null;
		if (!below.has(up))
			below.set(up, []);
		below.get(up).push(node);
	}
	const level = (up, depth) => (below.get(up) ?? []).sort((a, b) => (b.time_s ?? 0) - (a.time_s ?? 0)).flatMap(node => {
		if (left-- <= 0 || depth > 40)
			return [];
		const name = el('span', {}, slow.has(node.id) ? el('b', { class: 'slow' }, node.label ?? node.type ?? 'no job') : node.label ?? node.type ?? 'no job');
		return [[styled(name, { 'padding-left': `${depth}em` }), { text: number(node.count), raw: node.count, key: `node ${node.id}` }, time(ns(node.time_s)), time(ns(node.cpu_s)), time(ns(node.wait_s)),
			share(node.share ?? NaN), styled(el('i', { class: 'part', 'aria-hidden': 'true' }), { width: `${100 * Math.min(node.share ?? 0, 1)}%` })], ...level(node.id, depth + 1)];
	});

	return [table('Jobs and their tasks; those on the path that takes longest are bold', [['task', 'wide'], ['times', 'n'], ['in all', 'n'], ['processor', 'n'], ['waited', 'n'],
		['of all', 'n'], ['', 'bars']], level(null, 0)),
	left < 0 ? sentence(`Only the first ${ROWS_MOST} are shown.`) : null];
}

// Of tierlens tasks infer --json.
function found(model) {
	const tasks = model.tasks.filter(task => task.level > 0 || model.tasks.length < 40).sort((a, b) => (b.time_s ?? 0) - (a.time_s ?? 0)).slice(0, ROWS_MOST);
	const waits = model.objects.filter(object => object.wait_s).sort((a, b) => b.wait_s - a.wait_s).slice(0, 20);

	return [
		model.paths?.length ? table('Types of jobs, by their critical paths', [['type', 'wide'], ['jobs', 'n'], ['in all', 'n'], ['handed on', 'n'], ['while another one held what it wants', 'n']],
			model.paths.map(path => [String(path.type ?? 'no job'), { text: number(path.jobs), raw: path.jobs, key: `jobs ${path.type}` }, time(ns(path.time_s)), time(ns(path.handoff_s)), time(ns(path.held_s))])) : null,
		table('Tasks, the longest first', [['task', 'wide'], ['level', 'n'], ['times', 'n'], ['in all', 'n'], ['processor', 'n'], ['waited', 'n']],
			tasks.map(task => [task.label, String(task.level), { text: number(task.count), raw: task.count, key: `task ${task.id}` }, time(ns(task.time_s)), time(ns(task.cpu_s)), time(ns(task.wait_s))])),
		waits.length ? table('What threads wait for', [['object', 'wide'], ['use', ''], ['waits', 'n'], ['in all', 'n'], ['threads', 'n']],
			waits.map(object => [object.object, object.use, number(object.waits), time(ns(object.wait_s)), number(object.waiting_threads)])) : null,
	];
}

function read(text) {
	let model;

	try {
		model = JSON.parse(text);
	} catch {
		throw new Error('it is no JSON: give what tierlens tasks infer --json or tasks draw --json wrote');
	}
	if (!Array.isArray(model.nodes) && !(Array.isArray(model.tasks) && Array.isArray(model.objects)))
		throw new Error('it is no task model: give what tierlens tasks infer --json or tasks draw --json wrote');
	return model;
}

export function mount(root) {
	const said = el('div'), box = el('div');

	root.append(drop('A file of tierlens tasks infer --json, or draw --json', '.json,application/json', (text, name) => {
		const model = read(text);

		clear(said, el('p', {}, `${name}: ${number(model.trace?.events ?? model.events)} sync points, ${number(model.trace?.lost ?? model.lost)} lost.`));
		clear(box, model.nodes ? outline(model) : found(model));
	}, why => clear(said, el('p', { class: 'sentence warn' }, why))), said, box);
	clear(said, sentence('Record the sync points of a program with tierlens tasks record, make the model with tierlens tasks infer FILE --json, and open it here.'));
	return { update() {} };
}
