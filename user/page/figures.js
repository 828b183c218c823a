// SPDX-License-Identifier: GPL-2.0-or-later
// Sums and means. No element is made here, and nothing is asked: what goes in is what tierlensd has said.

export const keyOf = (tier, cls) => JSON.stringify([tier, cls]);

// Tiers that no tier calls: what comes to them is a request of a user.
export function fronts(intervals) {
	const named = new Set(), called = new Set(), all = new Set();

	for (const interval of intervals) {
		for (const path of interval.paths ?? [])
			if (path.parent === null && path.tier !== null)
				named.add(path.tier);
		for (const edge of interval.edges ?? [])
			if (edge.tier !== null && edge.peer_tier)
				called.add(edge.peer_tier);
		for (const tier of interval.tiers)
			if (tier.cells.length)
				all.add(tier.name);
	}
	return named.size ? named : new Set([...all].filter(tier => !called.has(tier)));
}

// How far from the front a tier is, by calls.
export function depths(intervals) {
	const first = fronts(intervals), calls = new Map(), depth = new Map();

	for (const interval of intervals)
		for (const edge of interval.edges ?? [])
			if (edge.tier !== null && edge.peer_tier && edge.tier !== edge.peer_tier) {
				if (!calls.has(edge.tier))
					calls.set(edge.tier, new Set());
				calls.get(edge.tier).add(edge.peer_tier);
			}
	let layer = [...first];
	for (let at = 0; layer.length; at++) {
		for (const tier of layer)
			depth.set(tier, at);
		layer = [...new Set(layer.flatMap(tier => [...calls.get(tier) ?? []]))].filter(tier => !depth.has(tier));
	}
	return depth;
}

const FIGURES = ['count', 'traced', 'own_ns', 'response_ns'];

function cellNew(tier, cls) {
	return { tier, class: cls, count: 0, traced: 0, own_ns: 0, response_ns: 0, cpu_ns: 0, level: null, own: new Map(),
		response: new Map() };
}

// Sums by tier and class, with histograms.
export function cells(intervals) {
	const sums = new Map();

	for (const interval of intervals)
		for (const tier of interval.tiers)
			for (const cell of tier.cells) {
				const key = keyOf(tier.name, cell.class);
				if (!sums.has(key))
					sums.set(key, cellNew(tier.name, cell.class));
				const sum = sums.get(key);

				for (const figure of FIGURES)
					sum[figure] += cell[figure] ?? 0;
				sum.cpu_ns += cell.cpu_ns ?? NaN;
				sum.level = cell.level ?? sum.level;
				for (const which of ['own', 'response'])
					for (const [bucket, n] of cell.hist?.[which] ?? [])
						sum[which].set(bucket, (sum[which].get(bucket) ?? 0) + n);
			}
	return [...sums.values()];
}

// Own time of which requests are known, as if all of them were.
export function ownOf(cell) {
	const seen = cell.count - cell.traced;

	return seen > 0 ? cell.own_ns * cell.count / seen : 0;
}

export const ownMean = cell => cell.count - cell.traced > 0 ? cell.own_ns / (cell.count - cell.traced) : NaN;
export const responseMean = cell => cell.count ? cell.response_ns / cell.count : NaN;

export function seconds(intervals) {
	return intervals.reduce((sum, interval) => sum + interval.seconds, 0);
}

export function edges(intervals) {
	const sums = new Map();

	for (const interval of intervals)
		for (const edge of interval.edges ?? []) {
			const key = keyOf(edge.tier, edge.peer_tier ?? edge.peer);
			if (!sums.has(key))
				sums.set(key, { tier: edge.tier, peer: edge.peer_tier ?? edge.peer, here: !!edge.peer_tier, calls: 0, time_ns: 0,
					transit_ns: 0, joined: 0, by: {} });
			const sum = sums.get(key);

			for (const figure of ['calls', 'time_ns', 'transit_ns', 'joined'])
				sum[figure] += edge[figure] ?? 0;
			for (const [kind, n] of Object.entries(edge.by ?? {}))
				sum.by[kind] = (sum.by[kind] ?? 0) + n;
		}
	return [...sums.values()];
}

// Of a request of a user: what each tier has of it, and what is between them; in the order of the way down.
export function breakdown(intervals) {
	const first = fronts(intervals), depth = depths(intervals), tiers = new Map();
	let requests = 0, response = 0;

	for (const cell of cells(intervals)) {
		if (first.has(cell.tier)) {
			requests += cell.count;
			response += cell.response_ns;
		}
		if (!tiers.has(cell.tier))
			tiers.set(cell.tier, { tier: cell.tier, own: 0, classes: [] });
		tiers.get(cell.tier).own += ownOf(cell);
		tiers.get(cell.tier).classes.push(cell);
	}
	const transit = edges(intervals).filter(edge => edge.tier !== null).reduce((sum, edge) => sum + edge.transit_ns, 0);
	const parts = [...tiers.values()].sort((a, b) =>
		(depth.get(a.tier) ?? 99) - (depth.get(b.tier) ?? 99) || (a.tier < b.tier ? -1 : 1));
	const total = parts.reduce((sum, part) => sum + part.own, transit);

	for (const part of parts) {
		part.share = total ? part.own / total : 0;
		part.own = requests ? part.own / requests : 0;
	}
	return { requests, response: requests ? response / requests : NaN, parts, transit: requests ? transit / requests : 0,
		transitShare: total ? transit / total : 0, total: requests ? total / requests : 0 };
}

// What /api/v1/history says, made of intervals.
export function columns(intervals) {
	const series = new Map();

	intervals.forEach((interval, at) => {
		for (const tier of interval.tiers)
			for (const cell of tier.cells) {
				const key = keyOf(tier.name, cell.class);
				if (!series.has(key)) {
					const made = { tier: tier.name, class: cell.class };
					for (const figure of FIGURES)
						made[figure] = new Array(intervals.length).fill(0);
					series.set(key, made);
				}
				for (const figure of FIGURES)
					series.get(key)[figure][at] += cell[figure] ?? 0;
			}
	});
	return { t: intervals.map(i => i.t), seconds: intervals.map(i => i.seconds), gap_s: intervals.map(() => 0),
		series: [...series.values()], rest: null, rest_n: 0, missing: 0 };
}

// ---- histograms: bounds are those of kmod/core/hist.c

export function bucketLow(bucket) {
	const k = bucket - 1;

	return bucket ? (8 + k % 8) * 2 ** (Math.floor(k / 8) + 7) : 0;
}

export function quantile(hist, q) {
	const rows = [...hist].sort((a, b) => a[0] - b[0]), all = rows.reduce((sum, [, n]) => sum + n, 0);
	let left = q * all;

	for (const [bucket, n] of rows) {
		if (left <= n) {
			const low = bucketLow(bucket);
			return low + (bucketLow(bucket + 1) - low) * left / n;
		}
		left -= n;
	}
	return NaN;
}
