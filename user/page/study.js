// SPDX-License-Identifier: GPL-2.0-or-later
// A study of tierlensd: it is asked again until there is one.
import { clear, el, sentence } from './dom.js';
import { moment, span } from './format.js';
import * as api from './api.js';

const AGE_MS = 30000; // tierlensd makes none oftener than once a minute

export function follow(name, note, draw) {
	let timer = null, pending = false, drawn = '', over = false, ready = -Infinity;

	async function ask() {
		timer = null;
		pending = true;

		const study = await api.json(name).finally(() => {
			pending = false;
		});

		if (over)
			return;
		if (study.state === 'working') {
			clear(note, sentence('This is being computed from the history; it takes some seconds.'));
			timer = setTimeout(() => ask().catch(error => clear(note, sentence(error.message))), 700);
		} else if (study.state === 'failed') {
			ready = performance.now();
			clear(note, el('p', { class: 'sentence warn' }, `This cannot be told: ${study.error}`));
		} else if (JSON.stringify(study) !== drawn) {
			ready = performance.now();
			drawn = JSON.stringify(study);
			clear(note, el('p', { class: 'faint' }, `From at most ${span(study.to_t - study.from_t)} of history, until ${moment(study.to_t)}.`),
				study.notes.length ? el('details', {}, el('summary', {}, `${study.notes.length} notes`), el('ul', {}, study.notes.map(text => el('li', {}, text)))) : null);
			draw(study);
		}
	}
	return {
		ask: async () => {
			if (timer === null && !pending && performance.now() - ready > AGE_MS)
				await ask();
		},
		destroy: () => {
			over = true;
			clearTimeout(timer);
		},
	};
}
