/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text with a few things wrong with it, the same in every run. */
#ifndef TL_DAMAGE_H
#define TL_DAMAGE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint64_t damage_state = 88172645463325252ULL;

static inline size_t damage_below(size_t n)
{
	damage_state ^= damage_state << 13;
	damage_state ^= damage_state >> 7;
	damage_state ^= damage_state << 17;
	return n ? damage_state % n : 0;
}

/*
 * One change: a byte, a piece put in, a span cut out, a span doubled. Returns the length
 * after it, which is never more than @room.
 */
static inline size_t damage(char *text, size_t len, size_t room, const char *const *pieces,
			    size_t n_pieces)
{
	size_t at = damage_below(len + 1), n;
	const char *piece = pieces[damage_below(n_pieces)];

	switch (damage_below(4)) {
	case 0:
		if (at < len)
			text[at] = (char)damage_below(256);
		return len;
	case 1:
		n = strlen(piece);
		if (len + n > room)
			return len;
		memmove(text + at + n, text + at, len - at);
		memcpy(text + at, piece, n);
		return len + n;
	case 2:
		n = damage_below(len - at < 40 ? len - at + 1 : 40);
		memmove(text + at, text + at + n, len - at - n);
		return len - n;
	default:
		n = damage_below(len - at < 200 ? len - at + 1 : 200);
		if (len + n > room)
			return len;
		memmove(text + at + n, text + at, len - at);
		return len + n;
	}
}

#endif
