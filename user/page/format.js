// SPDX-License-Identifier: GPL-2.0-or-later
// Figures as people read them: three digits and a unit.

function digits(x) {
	const size = Math.abs(x);

	return size >= 99.95 ? x.toFixed(0) : size >= 9.995 ? x.toFixed(1) : x.toFixed(2);
}

function known(x) {
	return typeof x === 'number' && Number.isFinite(x);
}

export function time(ns) {
	if (!known(ns))
		return '–';
	const size = Math.abs(ns);

	if (size >= 999.5e9)
		return `${(ns / 1e9).toFixed(0)} s`;
	if (size >= 999.5e6)
		return `${digits(ns / 1e9)} s`;
	if (size >= 999.5e3)
		return `${digits(ns / 1e6)} ms`;
	if (size >= 999.5)
		return `${digits(ns / 1e3)} µs`;
	return `${ns.toFixed(0)} ns`;
}

export function big(x) {
	if (!known(x))
		return '–';
	for (const [factor, unit] of [[1e9, ' G'], [1e6, ' M'], [1e4, ' k']])
		if (Math.abs(x) >= factor)
			return `${digits(x / (unit === ' k' ? 1e3 : factor))}${unit}`;
	return Number.isInteger(x) ? String(x) : digits(x);
}

export const rate = x => known(x) ? `${digits(x)}/s` : '–';
export const share = x => known(x) ? `${!x || Math.abs(x) >= 0.0995 ? (100 * x).toFixed(0) : (100 * x).toFixed(Math.abs(x) < 0.001 ? 3 : 1)} %` : '–';
export const number = n => known(n) ? n.toLocaleString('en') : '–';
export const times = x => known(x) ? `${x >= 10 ? x.toFixed(0) : x.toFixed(1)}×` : '–';

export function span(s) {
	if (s < 120)
		return `${Math.round(s)} s`;
	if (s < 7200)
		return `${Math.round(s / 60)} min`;
	if (s < 2 * 86400)
		return `${Math.round(s / 3600)} h`;
	return `${Math.round(s / 86400)} days`;
}

// What of the history could not be read.
export function missing(rows) {
	return `${rows === 1 ? 'A row' : `${number(rows)} rows`} of the history cannot be read, and ${rows === 1 ? 'is' : 'are'} left out: ` +
		'damaged, or gone while it was read.';
}

export function clock(t_s) {
	return new Date(t_s * 1000).toLocaleTimeString('en-GB');
}

export function moment(t_s) {
	const date = new Date(t_s * 1000);

	return `${date.toLocaleDateString('en-CA')} ${date.toLocaleTimeString('en-GB')}`;
}
