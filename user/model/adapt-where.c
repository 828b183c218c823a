// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where on a path the time goes that it takes more than before
 *
 * For each tier and class on it: by how many times its own times are longer (in the geometric or the cut mean, as
 * the evidence has it, so that one request of a heavy tail decides nothing), times what they normally are,
 * times how often a request in front comes there. The largest is meant, if it is significant by itself and
 * a part of what the response time has grown by.
 */
#include "adapt-work.h"

#define Z 3.5
#define PART 0.2 /* of what is to be explained */

static double extra_of(const struct tl_adapt *a, const struct tl_evidence *own, double visits)
{
	bool longer = own->ill || (own->now.z >= Z && own->now.ratio >= 1 + a->options.evidence.effect / 2);

	return longer ? (own->now.ratio - 1) * own->base_s * visits : 0;
}

/**
 * tl_adapt_culprit() - Whose own time is longer
 * @a: adaptor
 * @in: window
 * @root: tier and class in front, in trouble
 * @known: set to whether it is known of all on the way what their own times were and are
 *
 * Return: the tier and class, TL_ADAPT_NONE if it is none, or not known.
 */
size_t tl_adapt_culprit(struct tl_adapt *a, const struct tl_adapt_in *in, size_t root, bool *known)
{
	const struct tl_evidence *front = &a->cell[root]->response;
	double most = PART * (front->now.ratio - 1) * front->base_s, extra;
	size_t i, culprit = TL_ADAPT_NONE;

	*known = a->place[a->cell[root]->tier].level >= TL_AT_SERVER && tl_evidence_ready(&a->cell[root]->own);
	if (!in->nodes_seen && extra_of(a, &a->cell[root]->own, 1) > most)
		return root;
	for (i = 0; i < a->ways; i++) {
		const struct tl_adapt_way *way = &a->way[i];
		const struct tl_adapt_kept *kept = way->seen && way->root == root ? a->cell[way->cell] : NULL;

		if (!kept)
			continue;
		*known &= a->place[kept->tier].level >= TL_AT_SERVER && tl_evidence_ready(&kept->own);
		extra = extra_of(a, &kept->own, way->visits);
		if (extra > most) {
			most = extra;
			culprit = way->cell;
		}
	}
	return culprit;
}
