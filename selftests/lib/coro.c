// SPDX-License-Identifier: GPL-2.0-or-later
#include "coro.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define STACK_BYTES (256 * 1024)
#define GUARD_BYTES 65536 /* a page on every machine */

static void run(struct coro *c)
{
	if (tier_worker_init(&c->worker, c->worker.tier, c->worker.number))
		return;
	tier_worker_serve(&c->worker, &c->conn);
	tier_worker_close(&c->worker);
}

/* makecontext() passes whole numbers only. */
static void enter(unsigned int high, unsigned int low)
{
	struct coro *c = (void *)((uintptr_t)((uint64_t)high << 32 | low));

	run(c);
	c->ended = true;
	setcontext(c->home);
}

/* On this thread, until it waits or has ended. Context: nobody else may resume it now. */
void coro_resume(struct coro *c)
{
	ucontext_t home;

	c->home = &home;
	swapcontext(&home, &c->context);
}

/*
 * From within: back to whoever resumed it. It may go on in another thread, so no caller
 * may keep the address of anything of this one, such as that of errno.
 */
void coro_yield(struct coro *c)
{
	struct truth_request *q = truth_charge(NULL);

	swapcontext(&c->context, c->home);
	truth_charge(q);
}

static struct coro *coro_new(void)
{
	struct coro *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->timer_fd = -1;
	c->stack = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (c->stack == MAP_FAILED) {
		free(c);
		return NULL;
	}
	mprotect(c->stack, GUARD_BYTES, PROT_NONE);
	return c;
}

static struct coro *slot_find(struct coro_table *table)
{
	struct coro **slot;

	for (int i = 0; i < TIER_CLIENTS; i++) {
		slot = &table->slots[i];
		if (*slot && (*slot)->taken)
			continue;
		if (!*slot)
			*slot = coro_new();
		if (*slot)
			(*slot)->worker.number = i;
		return *slot;
	}
	return NULL;
}

/* Return: a coroutine that is to be resumed, or NULL; then @fd is closed. */
struct coro *coro_start(struct coro_table *table, int fd, unsigned int endpoint)
{
	struct coro *c = slot_find(table);

	if (!c) {
		tier_complain(table->tier, "accepting", "one more connection", -EMFILE);
		close(fd);
		return NULL;
	}
	c->taken = true;
	c->ended = false;
	c->worker.tier = table->tier;
	tier_conn_init(&c->conn, fd, endpoint);
	getcontext(&c->context);
	c->context.uc_stack.ss_sp = (char *)c->stack + GUARD_BYTES;
	c->context.uc_stack.ss_size = STACK_BYTES;
	c->context.uc_link = NULL;
	makecontext(&c->context, (void (*)(void))enter, 2,
		    (unsigned int)((uint64_t)(uintptr_t)c >> 32),
		    (unsigned int)(uintptr_t)c);
	table->active++;
	return c;
}

/* @c: has ended. */
void coro_release(struct coro_table *table, struct coro *c)
{
	tier_conn_close(&c->conn);
	c->taken = false;
	table->active--;
}

/* Those that wait for a request end, the others do after their answer. */
void coro_stop_reading(struct coro_table *table)
{
	for (int i = 0; i < TIER_CLIENTS && table->slots[i]; i++)
		if (table->slots[i]->taken)
			shutdown(table->slots[i]->conn.fd, SHUT_RD);
}

void coro_free_all(struct coro_table *table)
{
	for (int i = 0; i < TIER_CLIENTS && table->slots[i]; i++) {
		if (table->slots[i]->timer_fd >= 0)
			close(table->slots[i]->timer_fd);
		munmap(table->slots[i]->stack, GUARD_BYTES + STACK_BYTES);
		free(table->slots[i]);
	}
}
