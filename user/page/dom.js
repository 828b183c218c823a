// SPDX-License-Identifier: GPL-2.0-or-later
// Elements, made without any HTML: whatever a name has in it, it is text.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes)) {
		if (value === null || value === undefined || value === false)
			continue;
		if (name.startsWith('on'))
			element.addEventListener(name.slice(2), value);
		else
			element.setAttribute(name, value === true ? '' : value);
	}
	element.append(...children.flat(9).filter(child => child !== null && child !== undefined && child !== false));
	return element;
}

export function el(tag, attributes = {}, ...children) {
	return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
	return fill(document.createElementNS(SVG, tag), attributes, children);
}

// A style that depends on figures: set as a property, since the page's policy forbids styles in markup.
export function styled(element, properties) {
	for (const [name, value] of Object.entries(properties))
		element.style.setProperty(name, value);
	return element;
}

export function clear(element, ...children) {
	element.replaceChildren(...children.flat(9).filter(Boolean));
	return element;
}

// What has the keyboard keeps it when it is made anew under the same data-key.
export function keepFocus(root, remake) {
	const key = root.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;

	remake();
	if (key !== undefined)
		for (const element of root.querySelectorAll('[data-key]'))
			if (element.dataset.key === key)
				element.focus({ preventScroll: true });
}

export function sentence(text, ...more) {
	return el('p', { class: 'sentence' }, text, ...more);
}

// columns: [title, class]; rows: lists of cells, each a text, an element, or {text, raw, key}.
export function table(caption, columns, rows, attributes = {}) {
	const cell = (value, i) => {
		const made = el(i ? 'td' : 'th', { class: columns[i][1] || null, scope: i ? null : 'row' });

		if (value && value.raw !== undefined) {
			made.dataset.raw = value.raw;
			if (value.key)
				made.dataset.figure = value.key;
			made.append(value.text);
		} else {
			made.append(value ?? '–');
		}
		return made;
	};

	return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
		el('table', attributes,
			el('caption', {}, caption),
			el('thead', {}, el('tr', {}, columns.map(([title, kind]) => el('th', { scope: 'col', class: kind || null }, title)))),
			el('tbody', {}, rows.map(row => el('tr', {}, row.map(cell))))));
}

export function choice(label, options, value, changed) {
	const select = el('select', { onchange: () => changed(select.value), 'data-key': `choice ${label}` },
		options.map(([key, text]) => el('option', { value: key, selected: key === value }, text)));

	return el('label', { class: 'choice' }, `${label} `, select);
}
