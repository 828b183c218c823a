// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a function to the one that called it
 *
 * What the compiler says of it (.eh_frame) is read by libdw, once for each place in the
 * code, and kept as what it gives: an expression for the frame's address, and one for each
 * register that the function has saved. Nearly all are "frame's address and so much", so a
 * step is a few additions and reads in the copy of the stack. Expressions do not branch here;
 * those that would are refused, so each ends. What is not in the copy is unknown, and only
 * matters if it is needed.
 */
#include "frame.h"

#include "binary.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OPS_MAX 24
#define DEPTH 16

/**
 * struct saved - How a register is found again
 * @op: [@n] the expression, libdw's; NULL for @few. Without any the value is not known any more
 */
struct saved {
	unsigned int reg, n;
	const Dwarf_Op *op;
	Dwarf_Op few[3];
};

/**
 * struct tl_frame_rules - How a caller is found
 * @ret: the register that has the place in the caller
 * @first: nobody called
 * @signal: the kernel did, so the place is exact
 * @cfa: frame's address, [@cfa_ops]
 * @saved: [@n]
 */
struct tl_frame_rules {
	unsigned int ret, n, cfa_ops;
	bool first, signal;
	Dwarf_Op cfa[OPS_MAX];
	struct saved saved[];
};

struct machine_state {
	const struct tl_machine *machine;
	const struct tl_frame_stack *stack;
	const struct tl_frame *frame;
	u64 cfa;
};

/* What an expression gives: a place in memory, or else a value. */
struct found {
	u64 value;
	bool place;
};

static const struct tl_machine machines[] = {
	/* x86-64, then arm64 */
	{ .registers = 17, .general = 17, .sp = 7, .fp = 6, .pc = 16, .tops = true, .address = U64_MAX },
	{ .registers = 33, .general = 32, .sp = 31, .fp = 29, .pc = 32, .address = ~0ULL >> 16 },
};

/**
 * tl_machine_of() - The architecture that has so many registers
 * @registers: in a record
 *
 * Return: it, or NULL for none.
 */
const struct tl_machine *tl_machine_of(unsigned int registers)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].registers == registers)
			return &machines[i];
	return NULL;
}

/* ---- reading the rules ------------------------------------------------------------------- */

static int saved_read(Dwarf_Frame *frame, unsigned int reg, struct saved *saved)
{
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_register(frame, (int)reg, saved->few, &ops, &n))
		return -EINVAL;
	if (!n && !ops)
		return 0; /* as it is in the caller */
	saved->reg = reg;
	saved->n = (unsigned int)n;
	saved->op = ops == saved->few ? NULL : ops; /* they will move */
	return 1;
}

static int rules_read(const struct tl_machine *machine, Dwarf_Frame *frame, struct tl_frame_rules *rules)
{
	Dwarf_Op *ops;
	unsigned int reg;
	size_t n;
	int got;

	rules->ret = (unsigned int)dwarf_frame_info(frame, NULL, NULL, &rules->signal);
	if (dwarf_frame_cfa(frame, &ops, &n) || !n || n > OPS_MAX || rules->ret >= machine->general)
		return -EINVAL;
	rules->cfa_ops = (unsigned int)n;
	memcpy(rules->cfa, ops, n * sizeof(*ops));
	for (reg = 0; reg < machine->general; reg++) {
		got = saved_read(frame, reg, &rules->saved[rules->n]);
		if (got < 0)
			return got;
		rules->first |= got && reg == rules->ret && !rules->saved[rules->n].n;
		rules->n += (unsigned int)got;
	}
	return 0;
}

/**
 * tl_frame_rules() - How the caller is found from a place
 * @machine: architecture
 * @binary: where the code is
 * @address: as that file has it
 * @rules: set to them, to be freed by the caller
 *
 * Return: 0; -ENOENT if the file does not say; another negative errno if it is not understood.
 */
int tl_frame_rules(const struct tl_machine *machine, struct tl_binary *binary, u64 address,
		   struct tl_frame_rules **rules)
{
	struct tl_frame_rules *all, *fitting;
	Dwarf_Frame *frame;
	int code = tl_binary_frame(binary, address, &frame);

	if (code)
		return code;
	all = calloc(1, sizeof(*all) + machine->general * sizeof(all->saved[0]));
	code = all ? rules_read(machine, frame, all) : -ENOMEM;
	free(frame);
	if (code) {
		free(all);
		return code;
	}
	fitting = realloc(all, sizeof(*all) + all->n * sizeof(all->saved[0]));
	*rules = fitting ? fitting : all;
	return 0;
}

/* ---- following them ------------------------------------------------------------------------ */

static bool stack_read(const struct tl_frame_stack *stack, u64 at, u64 *value)
{
	if (at - stack->begin >= stack->bytes || stack->bytes - (at - stack->begin) < sizeof(*value))
		return false;
	memcpy(value, stack->byte + (at - stack->begin), sizeof(*value));
	return true;
}

static bool register_read(const struct machine_state *m, u64 reg, u64 *value)
{
	if (reg >= m->machine->general || !(m->frame->known >> reg & 1))
		return false;
	*value = m->frame->value[reg];
	return true;
}

/* Of two that lie on top; b is the uppermost. */
static bool two_apply(unsigned int atom, u64 a, u64 b, u64 *value)
{
	switch (atom) {
	case DW_OP_plus: *value = a + b; return true;
	case DW_OP_minus: *value = a - b; return true;
	case DW_OP_mul: *value = a * b; return true;
	case DW_OP_and: *value = a & b; return true;
	case DW_OP_or: *value = a | b; return true;
	case DW_OP_xor: *value = a ^ b; return true;
	case DW_OP_shl: *value = b < 64 ? a << b : 0; return true;
	case DW_OP_shr: *value = b < 64 ? a >> b : 0; return true;
	case DW_OP_eq: *value = a == b; return true;
	case DW_OP_ne: *value = a != b; return true;
	case DW_OP_ge: *value = (s64)a >= (s64)b; return true;
	case DW_OP_gt: *value = (s64)a > (s64)b; return true;
	case DW_OP_le: *value = (s64)a <= (s64)b; return true;
	case DW_OP_lt: *value = (s64)a < (s64)b; return true;
	default: return false;
	}
}

/* What puts a value on top. */
static bool one_push(const struct machine_state *m, const Dwarf_Op *op, u64 *value)
{
	unsigned int atom = op->atom;
	bool good = true;

	*value = 0;
	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
		*value = atom - DW_OP_lit0;
	} else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
		good = register_read(m, atom - DW_OP_breg0, value);
		*value += op->number;
	} else if (atom == DW_OP_bregx) {
		good = register_read(m, op->number, value);
		*value += op->number2;
	} else if (atom == DW_OP_call_frame_cfa) {
		*value = m->cfa;
	} else if (atom >= DW_OP_const1u && atom <= DW_OP_consts) {
		*value = op->number;
	} else {
		good = false;
	}
	return good;
}

static bool register_named(const struct machine_state *m, const Dwarf_Op *op, u64 *value)
{
	if (op->atom == DW_OP_regx)
		return register_read(m, op->number, value);
	return op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31 &&
	       register_read(m, op->atom - DW_OP_reg0, value);
}

/* What changes what is on top. Return: the new height, 0 if that cannot be. */
static size_t top_change(const struct machine_state *m, const Dwarf_Op *op, u64 *top, size_t height)
{
	u64 *last = top + height - 1;

	if (!height)
		return 0;
	switch (op->atom) {
	case DW_OP_plus_uconst:
		*last += op->number;
		return height;
	case DW_OP_deref:
		return stack_read(m->stack, *last, last) ? height : 0;
	case DW_OP_dup:
		last[1] = *last;
		return height + 1;
	case DW_OP_drop:
		return height - 1;
	default:
		return height > 1 && two_apply(op->atom, last[-1], last[0], last - 1) ? height - 1 : 0;
	}
}

static bool evaluate(const struct machine_state *m, const Dwarf_Op *op, size_t n, struct found *found)
{
	u64 top[DEPTH + 2];
	size_t height = 0, i;

	found->place = true;
	if (n == 1 && register_named(m, op, &found->value)) {
		found->place = false;
		return true;
	}
	for (i = 0; i < n; i++) {
		if (op[i].atom == DW_OP_stack_value)
			found->place = false;
		else if (height < DEPTH && one_push(m, &op[i], &top[height]))
			height++;
		else if (height < DEPTH)
			height = top_change(m, &op[i], top, height);
		else
			return false;
		if (!height)
			return false;
	}
	if (!height)
		return false;
	found->value = top[height - 1];
	return true;
}

static void saved_apply(const struct machine_state *m, const struct saved *saved, struct tl_frame *up)
{
	struct found found;
	bool good = saved->n && evaluate(m, saved->op ? saved->op : saved->few, saved->n, &found);

	if (good && found.place)
		good = stack_read(m->stack, found.value, &found.value);
	up->known &= ~(1ULL << saved->reg);
	if (!good)
		return;
	up->known |= 1ULL << saved->reg;
	up->value[saved->reg] = found.value;
}

/**
 * tl_frame_up() - Go to the caller
 * @machine: architecture
 * @rules: how
 * @stack: copy of the stack
 * @frame: becomes that of the caller
 *
 * Return: whether there was one, and its place is known.
 */
enum tl_frame_end tl_frame_up(const struct tl_machine *machine, const struct tl_frame_rules *rules,
			      const struct tl_frame_stack *stack, struct tl_frame *frame)
{
	struct machine_state m = { machine, stack, frame, 0 };
	struct tl_frame up = *frame;
	struct found cfa;
	unsigned int i;

	if (rules->first)
		return TL_FRAME_FIRST;
	if (!evaluate(&m, rules->cfa, rules->cfa_ops, &cfa))
		return TL_FRAME_LOST;
	m.cfa = cfa.value;
	up.value[machine->sp] = m.cfa;
	up.known |= 1ULL << machine->sp;
	for (i = 0; i < rules->n; i++)
		saved_apply(&m, &rules->saved[i], &up);
	if (!(up.known >> rules->ret & 1))
		return TL_FRAME_LOST;
	up.pc = up.value[rules->ret] & machine->address;
	up.exact = rules->signal;
	/* A function without a frame of its own, entered or interrupted, is no circle yet. */
	if (up.value[machine->sp] == frame->value[machine->sp] && up.pc == frame->pc)
		return TL_FRAME_LOST;
	*frame = up;
	return up.pc ? TL_FRAME_GOES_ON : TL_FRAME_FIRST;
}

/**
 * tl_frame_up_by_pointer() - Go to the caller by the frame pointer
 * @machine: architecture
 * @stack: copy of the stack
 * @frame: becomes that of the caller
 *
 * Return: whether the pointer leads upwards and stays within the copy.
 */
enum tl_frame_end tl_frame_up_by_pointer(const struct tl_machine *machine,
					 const struct tl_frame_stack *stack, struct tl_frame *frame)
{
	u64 fp = frame->value[machine->fp], up, pc;

	if (!(frame->known >> machine->fp & 1) || fp < frame->value[machine->sp] || fp & 7)
		return TL_FRAME_LOST;
	if (!stack_read(stack, fp, &up) || !stack_read(stack, fp + 8, &pc))
		return TL_FRAME_LOST;
	/* What else has been saved, nobody knows. */
	frame->known = 1ULL << machine->fp | (u64)machine->tops << machine->sp;
	frame->value[machine->fp] = up;
	frame->value[machine->sp] = fp + 16;
	frame->pc = pc & machine->address;
	frame->exact = false;
	return frame->pc ? TL_FRAME_GOES_ON : TL_FRAME_FIRST;
}
