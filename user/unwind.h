/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_UNWIND_H
#define TL_UNWIND_H

#include "frame.h"
#include "model/ids.h"

#define TL_UNWIND_DEPTH 1024

struct tl_maps;
struct tl_binary;
struct tl_unwind_place;

/**
 * struct tl_unwind - Stacks as names of functions; all zero but @maps at first
 * @maps: what is mapped where; the caller's, and not to be changed any more
 * @names: of functions, by number
 * @binary: [@maps->files] those that were wanted; @tried: of each
 * @place: [@slots] what is known of places in the code, by where that is
 * @text: the last stack as text
 */
struct tl_unwind {
	const struct tl_maps *maps;
	struct tl_ids names;
	struct tl_binary **binary;
	bool *tried;
	struct tl_unwind_place *place;
	size_t places, slots;
	char *text;
	size_t text_room;
};

/**
 * struct tl_unwind_stack - What a thread was in, from the innermost on
 * @name: [@n] number of its name, @in_c: it is of the C library
 * @cut: what called the outermost could not be found
 */
struct tl_unwind_stack {
	u32 name[TL_UNWIND_DEPTH];
	bool in_c[TL_UNWIND_DEPTH];
	size_t n;
	bool cut;
};

int tl_unwind(struct tl_unwind *unwind, u32 process, const struct tl_machine *machine,
	      const u64 *registers, const struct tl_frame_stack *stack, struct tl_unwind_stack *found);
const char *tl_unwind_text(struct tl_unwind *unwind, const struct tl_unwind_stack *stack);
void tl_unwind_free(struct tl_unwind *unwind);

#endif
