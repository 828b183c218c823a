// SPDX-License-Identifier: GPL-2.0-or-later
/* A function without unwind tables; compiled twice: with a frame pointer, and without. */
#include "sync-stacks.h"

__attribute__((noipa)) void BARE(void (*then)(void))
{
	volatile char room[40];

	room[0] = 1;
	then();
	room[1] = room[0];
}
