// SPDX-License-Identifier: GPL-2.0-or-later
// Charts, drawn by uPlot: areas on top of each other, lines with intervals, histograms. Colours are those of the page.
import uPlot from 'uplot';

const drawn = new Set();

export function colour(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const HUES = 8;

// A colour for each tier, and a shade of it for each class.
export function shade(tier, cls = 0, classes = 1) {
	const step = classes > 1 ? Math.min(cls / Math.max(classes - 1, 2), 1) : 0;

	return `color-mix(in oklab, ${colour(`--hue-${tier % HUES}`)} ${100 - 62 * step}%, ${colour('--paper')})`;
}

// Canvas does not know color-mix in all browsers that the page does.
const mixed = new Map();
export function plain(css) {
	if (!css.startsWith('color-mix'))
		return css;
	if (!mixed.has(css)) {
		const probe = document.createElement('i');

		probe.style.color = css;
		document.body.append(probe);
		mixed.set(css, getComputedStyle(probe).color);
		probe.remove();
	}
	return mixed.get(css);
}

function axes(format, x) {
	const look = { stroke: colour('--faint'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false },
		font: '12px system-ui, sans-serif' };

	return [{ ...look, grid: { show: false }, space: 70, gap: 9, size: 44, ...x },
		{ ...look, values: (_, ticks) => ticks.map(format), size: 74, space: 36 }];
}

const TIMES = [
	[3600 * 24 * 365, '{YYYY}', null, null, null, null, null, null, 1],
	[3600 * 24 * 28, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
	[3600 * 24, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
	[3600, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
	[60, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
	[1, '{HH}:{mm}:{ss}', null, null, null, null, null, null, 1],
];

// The chart follows the width of its box, and the keyboard moves its cursor.
function place(box, label, options, data, moved) {
	const height = options.height;
	const chart = new uPlot({
		...options, width: Math.max(box.clientWidth, 200), legend: { show: false },
		cursor: { y: false, points: { show: false }, drag: { x: false, y: false }, ...options.cursor },
		hooks: { ...options.hooks, setCursor: [u => moved?.(u.cursor.idx ?? null)] },
	}, data, box);
	const watch = new ResizeObserver(() => {
		if (box.clientWidth && box.clientWidth !== chart.width)
			chart.setSize({ width: box.clientWidth, height });
	});

	watch.observe(box);
	box.tabIndex = 0;
	box.setAttribute('role', 'img');
	box.setAttribute('aria-label', `${label}. Left and right keys move along it.`);
	box.onkeydown = event => {
		const step = { ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }[event.key];
		const xs = chart.data[0];

		if (!step || !xs.length)
			return;
		event.preventDefault();
		const at = Math.min(Math.max((chart.cursor.idx ?? xs.length) + step, 0), xs.length - 1);
		chart.setCursor({ left: chart.valToPos(xs[at], 'x'), top: 10 });
	};
	box.onblur = () => chart.setCursor({ left: -10, top: -10 });
	const handle = { destroy() { watch.disconnect(); chart.destroy(); drawn.delete(handle); } };
	drawn.add(handle);
	return handle;
}

export function destroyAll() {
	for (const handle of [...drawn])
		handle.destroy();
}

// Gaps are gaps: no line across a time of which nothing is known.
function gapped(values, data) {
	return values.map((value, at) => data.seconds[at] ? value : null);
}

// layers: {values, fill}, the lowest first.
export function stacked(box, label, xs, layers, { format, height = 300, moved, seconds }) {
	const sums = [];
	let below = new Array(xs.length).fill(0);

	for (const layer of layers) {
		below = below.map((value, at) => value + (layer.values[at] ?? 0));
		sums.push(seconds ? gapped(below, { seconds }) : below);
	}
	// The highest first, and the others over it.
	const order = layers.map((_, at) => layers.length - 1 - at);
	return place(box, label, {
		height, axes: axes(format, { values: TIMES }), scales: { x: { time: true }, y: { range: (_, low, high) => [0, high * 1.05 || 1] } },
		series: [{}, ...order.map(at => ({ fill: plain(layers[at].fill), stroke: colour('--paper'), width: 0.5,
			points: { show: false }, paths: uPlot.paths.stepped({ align: 1 }) }))],
	}, [xs, ...order.map(at => sums[at])], moved);
}

// lines: {values, stroke, low, high, dash}; low and high make an interval around it.
export function lines(box, label, xs, series, { format, height = 220, moved, time = true, x, log, marks = [] }) {
	const columns = [], bands = [], data = [xs];

	for (const line of series) {
		if (line.low) {
			const fill = plain(`color-mix(in oklab, ${line.stroke} 22%, transparent)`);

			bands.push({ series: [data.length, data.length + 1], fill });
			columns.push({ stroke: 'transparent', width: 0, points: { show: false } }, { stroke: 'transparent', width: 0, points: { show: false } });
			data.push(line.high, line.low);
		}
		columns.push({ stroke: plain(line.stroke), width: 1.8, dash: line.dash, points: { show: !!line.points, size: 5 } });
		data.push(line.values);
	}
	const range = log ? undefined : (_, low, high) => [Math.min(0, low ?? 0), (high || 1) * 1.08];
	return place(box, label, {
		height, bands, axes: axes(format, time ? { values: TIMES } : { values: (_, ticks) => ticks.map(x), ...axes(format)[0], grid: { show: false } }),
		scales: { x: { time }, y: log ? { distr: 3 } : { range } }, series: [{}, ...columns], hooks: { draw: [u => mark(u, marks)] },
	}, data, moved);
}

// marks: {at, text, stroke} across the chart.
function mark(u, marks) {
	const { ctx, bbox } = u, ratio = devicePixelRatio || 1;
	let taken = -1e9, row = 0;

	ctx.save();
	ctx.textAlign = 'left';
	ctx.textBaseline = 'alphabetic';
	ctx.font = `${12 * ratio}px system-ui, sans-serif`;
	for (const { at, text, stroke } of [...marks].sort((a, b) => a.at - b.at)) {
		const left = Math.round(u.valToPos(at, 'x', true));

		if (!(left >= bbox.left && left <= bbox.left + bbox.width))
			continue;
		ctx.strokeStyle = ctx.fillStyle = plain(stroke ?? colour('--ink'));
		ctx.setLineDash([4 * ratio, 4 * ratio]);
		ctx.beginPath();
		ctx.moveTo(left, bbox.top);
		ctx.lineTo(left, bbox.top + bbox.height);
		ctx.stroke();
		const wide = ctx.measureText(text).width, right = left + wide + 10 * ratio > bbox.left + bbox.width;
		const from = right ? left - wide - 5 * ratio : left + 5 * ratio;
		row = from < taken ? row + 1 : 0;
		taken = Math.max(taken, from + wide + 8 * ratio);
		ctx.fillText(text, from, bbox.top + (14 + 16 * row) * ratio);
	}
	ctx.restore();
}

// 1, 2, 5, 10, ...; powers of ten alone, where there are many.
function ticksOf(low, high) {
	const ticks = [], steps = high / low > 300 ? [1] : [1, 2, 5];

	for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++)
		for (const step of steps)
			if (step * 10 ** power >= low && step * 10 ** power <= high)
				ticks.push(step * 10 ** power);
	return ticks;
}

// shapes: {values, stroke, fill} over buckets; xs are lower bounds, on a logarithmic scale.
export function histogram(box, label, xs, shapes, { x, format, marks, height = 280, moved }) {
	return place(box, label, {
		height, axes: axes(format, { values: (_, ticks) => ticks.map(x), splits: (_, at, low, high) => ticksOf(low, high), filter: (_, ticks) => ticks }),
		scales: { x: { time: false, distr: 3, range: (_, low, high) => [low, high] }, y: { range: (_, low, high) => [0, (high || 1) * 1.12] } },
		series: [{}, ...shapes.map(shape => ({ stroke: plain(shape.stroke), fill: shape.fill ? plain(shape.fill) : undefined, width: 1.6,
			points: { show: false }, paths: uPlot.paths.stepped({ align: 1 }) }))],
		hooks: { draw: [u => mark(u, marks)] },
	}, [xs, ...shapes.map(shape => shape.values)], moved);
}
