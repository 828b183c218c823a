/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_FRAME_H
#define TL_FRAME_H

#include "hist.h"

#include <stdbool.h>
#include <stddef.h>

#define TL_FRAME_REGISTERS 33 /* of the architecture that has most */

struct tl_binary;
struct tl_frame_rules;

/**
 * struct tl_machine - What of an architecture's registers one has to know, by DWARF's numbers
 * @registers: how many a record has
 * @general: those that can be saved on a stack
 * @sp: stack pointer, @fp: frame pointer
 * @pc: where it is; for DWARF also where the caller is, if that is no register of its own
 * @tops: what the frame pointer points to is the uppermost of the frame; else the caller's stack
 *	  pointer is not known by it
 * @address: bits of an address, without what signs it
 */
struct tl_machine {
	unsigned int registers, general, sp, fp, pc;
	bool tops;
	u64 address;
};

/**
 * struct tl_frame - A thread as one of its functions sees it
 * @known: bit mask of those in @value that are right; the stack pointer is not above it in any case
 * @pc: in that function
 * @exact: it is where @pc says, not behind a call
 */
struct tl_frame {
	u64 value[TL_FRAME_REGISTERS];
	u64 known, pc;
	bool exact;
};

/* A copy of a thread's stack, from @begin on. */
struct tl_frame_stack {
	const unsigned char *byte;
	size_t bytes;
	u64 begin;
};

enum tl_frame_end { TL_FRAME_GOES_ON, TL_FRAME_FIRST, TL_FRAME_LOST };

const struct tl_machine *tl_machine_of(unsigned int registers);
int tl_frame_rules(const struct tl_machine *machine, struct tl_binary *binary, u64 address,
		   struct tl_frame_rules **rules);
enum tl_frame_end tl_frame_up(const struct tl_machine *machine, const struct tl_frame_rules *rules,
			      const struct tl_frame_stack *stack, struct tl_frame *frame);
enum tl_frame_end tl_frame_up_by_pointer(const struct tl_machine *machine,
					 const struct tl_frame_stack *stack, struct tl_frame *frame);

#endif
