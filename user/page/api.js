// SPDX-License-Identifier: GPL-2.0-or-later
// What tierlensd is asked. The token, if it wants one, is forgotten with the tab.

const KEY = 'tierlens token';

export class Refused extends Error {
	constructor(status, text) {
		super(text);
		this.status = status;
	}
}

export function tokenKeep(token) {
	if (token)
		sessionStorage.setItem(KEY, token);
	else
		sessionStorage.removeItem(KEY);
}

export function tokenThere() {
	return sessionStorage.getItem(KEY) !== null;
}

async function ask(path, values = {}) {
	const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));
	const token = sessionStorage.getItem(KEY);
	const answer = await fetch(query.size ? `${path}?${query.toString().replaceAll('+', '%20')}` : path, {
		headers: token ? { Authorization: `Bearer ${token}` } : {},
		signal: AbortSignal.timeout(20000),
	});

	if (answer.ok)
		return answer;
	let text = `it answered ${answer.status}`;
	try {
		text = (await answer.json()).error ?? text;
	} catch {
		// Not one of its sentences.
	}
	throw new Refused(answer.status, text);
}

export async function json(path, values) {
	return (await ask(`api/v1/${path}`, values)).json();
}

export async function lines(path, values) {
	const text = await (await ask(`api/v1/${path}`, values)).text();

	return text.split('\n').filter(line => line).map(line => JSON.parse(line));
}

export async function wantsToken() {
	return (await (await ask('-/token')).text()).trim() === 'needed';
}
