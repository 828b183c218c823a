// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks of threads as names of functions
 *
 * A record has a thread's registers and a copy of its stack. Where the code at a place comes
 * from, what its function is called and how its caller is found is looked up once for each
 * place in a file, however many processes run it; after that a step costs two looks into
 * tables and two reads in the copy.
 */
#include "unwind.h"

#include "binary.h"
#include "maps.h"
#include "text.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME_MAX_BYTES 200 /* of templates there are pages, less readable than what they are made of */

/**
 * struct tl_unwind_place - What is known of a place in the code
 * @at: of its call or itself: offset in a file, or address in a process
 * @in: whose: index plus 1, of a process with IN_PROCESS; 0 for none
 * @rules: how the caller is found; NULL if nobody says
 */
struct tl_unwind_place {
	u64 at;
	u32 in, name;
	bool in_c;
	struct tl_frame_rules *rules;
};

#define IN_PROCESS 0x80000000U

/* ---- what a place is called ---------------------------------------------------------------- */

static struct tl_binary *binary_of(struct tl_unwind *u, u32 file)
{
	const struct tl_map_file *it = &u->maps->file[file];

	if (!u->tried[file]) {
		u->tried[file] = true;
		if (it->fd >= 0)
			u->binary[file] = tl_binary_open(it->fd, NULL);
		else if (!strcmp(it->path, "[vdso]"))
			u->binary[file] = tl_binary_vdso();
	}
	return u->binary[file];
}

typedef char *demangler(const char *mangled, char *buffer, size_t *size, int *status);

/* C++'s own library has what makes names readable; where there is none there is no C++ either. */
static char *demangle(const char *mangled)
{
	static demangler *function;
	static bool tried;
	void *library;
	char *name;
	int status;

	if (strncmp(mangled, "_Z", 2))
		return NULL;
	if (!tried) {
		tried = true;
		library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
		function = library ? (demangler *)dlsym(library, "__cxa_demangle") : NULL;
	}
	name = function ? function(mangled, NULL, NULL, &status) : NULL;
	if (name && strlen(name) <= NAME_MAX_BYTES)
		return name;
	free(name);
	return NULL;
}

/* What may be in a list that is separated by semicolons, on a line of its own. */
static int name_set(struct tl_unwind *u, struct tl_unwind_place *place, const char *name, size_t len)
{
	char *utf8 = tl_text_utf8(name, len), *readable = utf8 ? demangle(utf8) : NULL, *text = NULL, *at;
	int code = -ENOMEM;

	if (utf8)
		text = tl_text_printable(readable ? readable : utf8);
	free(readable);

	for (at = text; at && (at = strchr(at, ';'));)
		*at = ':';
	if (text)
		code = tl_ids_of(&u->names, text, strlen(text), &place->name);
	free(text);
	free(utf8);
	return code;
}

static int name_by_address(struct tl_unwind *u, struct tl_unwind_place *place, const char *path, u64 address)
{
	const char *slash = strrchr(path, '/'), *deleted = strstr(path, " (deleted)");
	char text[400];

	if (slash && slash[1])
		path = slash + 1;
	snprintf(text, sizeof(text), "%.*s+0x%" PRIx64, deleted ? (int)(deleted - path) : 300, path, address);
	return name_set(u, place, text, strlen(text));
}

static int place_in_file(struct tl_unwind *u, struct tl_unwind_place *place, const struct tl_machine *machine)
{
	const struct tl_map_file *file = &u->maps->file[place->in - 1];
	struct tl_binary *binary = binary_of(u, place->in - 1);
	u64 address, start;
	const char *name;
	int code;

	if (!binary || !tl_binary_address(binary, place->at, &address))
		return name_by_address(u, place, file->path, place->at);
	place->in_c = tl_binary_is_c(binary);
	code = tl_frame_rules(machine, binary, address, &place->rules);
	if (code == -ENOMEM)
		return -ENOMEM;
	name = tl_binary_name(binary, address, &start);
	/* Which function begins before it in the tables says nothing of one that is not in them. */
	if (!name && code)
		start = address;
	return name ? name_set(u, place, name, strcspn(name, "@")) : name_by_address(u, place, file->path, start);
}

/* ---- the table of places ------------------------------------------------------------------- */

static size_t slot_of(const struct tl_unwind *u, const struct tl_unwind_place *key)
{
	size_t slot = ((key->at ^ (u64)key->in << 44) * 0x9e3779b97f4a7c15ULL >> 20) & (u->slots - 1);

	while (u->place[slot].in && (u->place[slot].at != key->at || u->place[slot].in != key->in))
		slot = (slot + 1) & (u->slots - 1);
	return slot;
}

static int slots_grow(struct tl_unwind *u)
{
	struct tl_unwind grown = *u;
	size_t i;

	grown.slots = u->slots ? 2 * u->slots : 1024;
	grown.place = calloc(grown.slots, sizeof(*grown.place));
	if (!grown.place)
		return -ENOMEM;
	for (i = 0; i < u->slots; i++)
		if (u->place[i].in)
			grown.place[slot_of(&grown, &u->place[i])] = u->place[i];
	free(u->place);
	u->place = grown.place;
	u->slots = grown.slots;
	return 0;
}

/* @place is set to NULL where there is no code. */
static int place_of(struct tl_unwind *u, size_t process, const struct tl_machine *machine,
		    const struct tl_frame *frame, struct tl_unwind_place **place)
{
	struct tl_unwind_place key = { .at = frame->pc - !frame->exact, .in = ((u32)process + 1) | IN_PROCESS };
	const struct tl_map *map = tl_maps_find(&u->maps->process[process], key.at);

	*place = NULL;
	if (!map || !map->code)
		return 0;
	if (map->file != TL_MAPS_NO_FILE) {
		key.at += map->offset - map->start;
		key.in = map->file + 1;
	}
	if (2 * u->places >= u->slots && slots_grow(u))
		return -ENOMEM;
	*place = &u->place[slot_of(u, &key)];
	if ((*place)->in)
		return 0;
	u->places++;
	**place = key;
	return key.in & IN_PROCESS ? name_by_address(u, *place, "[anon]", key.at) : place_in_file(u, *place, machine);
}

/* ---- stacks -------------------------------------------------------------------------------- */

static int begin(struct tl_unwind *u)
{
	if (u->binary)
		return 0;
	u->binary = calloc(u->maps->files + 1, sizeof(*u->binary));
	u->tried = calloc(u->maps->files + 1, sizeof(*u->tried));
	return u->binary && u->tried ? 0 : -ENOMEM;
}

/* Where only pointers have led, rules may need what is not known. */
static enum tl_frame_end up(const struct tl_unwind_place *place, const struct tl_machine *machine,
			    const struct tl_frame_stack *stack, struct tl_frame *frame)
{
	enum tl_frame_end end = TL_FRAME_LOST;
	bool by_pointer = !place->rules || !(frame->known >> machine->sp & 1);

	if (place->rules)
		end = tl_frame_up(machine, place->rules, stack, frame);
	return end == TL_FRAME_LOST && by_pointer ? tl_frame_up_by_pointer(machine, stack, frame) : end;
}

static int climb(struct tl_unwind *u, size_t process, const struct tl_machine *machine,
		 const struct tl_frame_stack *stack, struct tl_frame *frame, struct tl_unwind_stack *found)
{
	enum tl_frame_end end = TL_FRAME_GOES_ON;
	struct tl_unwind_place *place;
	int code;

	while (end == TL_FRAME_GOES_ON && found->n < TL_UNWIND_DEPTH) {
		code = place_of(u, process, machine, frame, &place);
		if (code)
			return code;
		if (!place)
			break;
		found->in_c[found->n] = place->in_c;
		found->name[found->n++] = place->name;
		end = up(place, machine, stack, frame);
	}
	found->cut = end != TL_FRAME_FIRST;
	return 0;
}

/**
 * tl_unwind() - The functions that a thread was in
 * @unwind: what is known by now
 * @process: whose thread it is
 * @machine: architecture
 * @registers: [@machine->registers]
 * @stack: copy of the stack, from the stack pointer on
 * @found: written
 *
 * Return: 0 or -ENOMEM.
 */
int tl_unwind(struct tl_unwind *unwind, u32 process, const struct tl_machine *machine,
	      const u64 *registers, const struct tl_frame_stack *stack, struct tl_unwind_stack *found)
{
	const struct tl_map_process *it = tl_maps_process(unwind->maps, process);
	struct tl_frame frame = { .pc = registers[machine->pc] & machine->address, .exact = true };
	int code = begin(unwind);

	found->n = 0;
	found->cut = true;
	if (code || !it)
		return code;
	memcpy(frame.value, registers, machine->registers * sizeof(*registers));
	frame.known = U64_MAX >> (64 - machine->general);
	return climb(unwind, (size_t)(it - unwind->maps->process), machine, stack, &frame, found);
}

/*
 * What the C library does below the program's own functions, and above them to start the
 * thread, is the same everywhere and says nothing.
 */
static void own_part(const struct tl_unwind_stack *stack, size_t *inner, size_t *outer)
{
	size_t from = 0, to = stack->n;

	while (from < to && stack->in_c[from])
		from++;
	/* Where a program starts is linked into it, but not its own. */
	if (!stack->cut && to > from + 1 && !stack->in_c[to - 1] && stack->in_c[to - 2])
		to--;
	while (!stack->cut && to > from && stack->in_c[to - 1])
		to--;
	*inner = from;
	*outer = to;
	if (from == to) {
		*inner = stack->n ? stack->n - 1 : 0;
		*outer = stack->n;
	}
}

/**
 * tl_unwind_text() - A stack as text
 * @unwind: has the names
 * @stack: the stack
 *
 * Return: the functions from outermost to innermost, separated by ";", without those of the C
 * library at both ends; lasts until the next call. NULL without memory.
 */
const char *tl_unwind_text(struct tl_unwind *unwind, const struct tl_unwind_stack *stack)
{
	size_t inner, outer, len = 0, room = 1, i, n;
	const char *name;
	char *grown;

	own_part(stack, &inner, &outer);
	for (i = inner; i < outer; i++) {
		tl_ids_key(&unwind->names, stack->name[i], &n);
		room += n + 1;
	}
	if (room > unwind->text_room) {
		grown = realloc(unwind->text, 2 * room);
		if (!grown)
			return NULL;
		unwind->text = grown;
		unwind->text_room = 2 * room;
	}
	for (i = outer; i-- > inner;) {
		name = tl_ids_key(&unwind->names, stack->name[i], &n);
		memcpy(unwind->text + len, name, n);
		len += n;
		if (i > inner)
			unwind->text[len++] = ';';
	}
	unwind->text[len] = '\0';
	return unwind->text;
}

/**
 * tl_unwind_free() - Free what is known
 * @unwind: it; its maps stay
 */
void tl_unwind_free(struct tl_unwind *unwind)
{
	size_t i;

	for (i = 0; i < unwind->slots; i++)
		free(unwind->place[i].rules);
	for (i = 0; unwind->binary && i < unwind->maps->files; i++)
		tl_binary_close(unwind->binary[i]);
	free(unwind->place);
	free(unwind->binary);
	free(unwind->tried);
	free(unwind->text);
	tl_ids_free(&unwind->names);
	*unwind = (struct tl_unwind){ 0 };
}
