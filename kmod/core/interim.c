// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * HTTP's interim answers
 *
 * A server may say "100 Continue", so that its client sends the body, or "103 Early
 * Hints", and answers later. Such an answer has a status of 1xx, ends with an empty
 * line and has no body. 101 is none: it is final, and what follows is no HTTP.
 *
 * If the final answer comes in the same piece it is not missed as long as the interim
 * one ends within the bytes that are looked at. "100 Continue" does; a server that
 * sends hints early sends them apart.
 */
#include "interim.h"

#define STATUS 12 /* "HTTP/1.1 100" */

static bool is_digit(u8 byte)
{
	return byte >= '0' && byte <= '9';
}

/**
 * tl_interim() - Whether a piece of an answer is an interim answer and nothing else
 * @bytes: its first bytes
 * @n: how many of them are there, TL_INTERIM_BYTES are enough
 * @total: bytes of the piece
 *
 * Context: any.
 */
bool tl_interim(const u8 *bytes, unsigned int n, u64 total)
{
	unsigned int i;

	if (n < STATUS || memcmp(bytes, "HTTP/1.", 7) || !is_digit(bytes[7]) ||
	    bytes[8] != ' ' || bytes[9] != '1' || !is_digit(bytes[10]) ||
	    !is_digit(bytes[11]) || (bytes[10] == '0' && bytes[11] == '1'))
		return false;
	for (i = STATUS + 4; i <= n; i++)
		if (!memcmp(bytes + i - 4, "\r\n\r\n", 4))
			return i == total;
	return true;
}
