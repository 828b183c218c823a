// SPDX-License-Identifier: GPL-2.0-or-later
// A file of the user's, looked at in the browser alone: it goes nowhere.
import { el } from './dom.js';

const BYTES_MOST = 64 << 20;

export function drop(words, accept, taken, refused) {
	const input = el('input', { type: 'file', accept, 'data-key': `file ${words}`, onchange: () => input.files[0] && read(input.files[0]) });
	const box = el('div', { class: 'drop', ondragover: event => event.preventDefault(), ondrop: event => {
		event.preventDefault();
		if (event.dataTransfer.files[0])
			read(event.dataTransfer.files[0]);
	} }, el('label', {}, `${words} `, input), el('span', { class: 'faint' }, 'Choose it or drop it here; it stays in this browser.'));

	async function read(file) {
		try {
			if (file.size > BYTES_MOST)
				throw new Error('it is larger than 64 MB');
			taken(await file.text(), file.name);
		} catch (error) {
			refused(`${file.name}: ${error.message}`);
		}
	}
	return box;
}
