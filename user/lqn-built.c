// SPDX-License-Identifier: GPL-2.0-or-later
/* A layered queueing network while it is put together, with the origin of each number. */
#include "lqn-built.h"

#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES_MAX 180 /* a file allows 200, and a number may follow */

/* Names from a recording may have anything in them: one line of a file it stays. */
__attribute__((format(printf, 2, 0))) static char *
text(struct tl_built *built, const char *fmt, va_list args)
{
	char *text = NULL, *at;

	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	built->no_memory |= !text;
	for (at = text; at && *at; at++)
		if ((unsigned char)*at < ' ')
			*at = '_';
	return text;
}

/**
 * tl_built_number() - Set a number
 * @built: network that it is of
 * @number: the number
 * @value: what it is
 * @fmt: printf format of where it comes from
 */
void tl_built_number(struct tl_built *built, struct tl_built_number *number, double value,
		     const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	free(number->origin);
	*number = (struct tl_built_number){ value, text(built, fmt, args) };
	va_end(args);
}

/**
 * tl_built_origin() - Say more about where a number comes from
 * @built: network that it is of
 * @number: the number
 * @fmt: printf format
 */
void tl_built_origin(struct tl_built *built, struct tl_built_number *number, const char *fmt,
		     ...)
{
	char *more, *both = NULL;
	va_list args;

	va_start(args, fmt);
	more = text(built, fmt, args);
	va_end(args);
	if (more && asprintf(&both, "%s%s%s", number->origin ? number->origin : "",
			     number->origin ? "; " : "", more) < 0)
		both = NULL;
	free(more);
	free(number->origin);
	number->origin = both;
	built->no_memory |= !both;
}

/* What no file could hold in a name becomes something else. */
static char *clean(char *name)
{
	char *at;

	for (at = name; at && *at; at++)
		if (*at == '"' || (unsigned char)*at < ' ')
			*at = '_';
	/* Not in the middle of a character. */
	if (name && strlen(name) > NAME_BYTES_MAX) {
		at = name + NAME_BYTES_MAX;
		while (at > name && ((unsigned char)*at & 0xc0) == 0x80)
			at--;
		*at = '\0';
	}
	return name;
}

/* The name of one of the things in a list, each of which begins with it. */
static const char *name_of(const void *list, size_t size, size_t i)
{
	return *(char *const *)((const char *)list + i * size);
}

static bool taken(const void *list, size_t size, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(name_of(list, size, i), name))
			return true;
	return false;
}

/* Of several with one name the later ones get a number. */
static char *name_own(struct tl_built *built, char *plain, const void *list, size_t size,
		      size_t n)
{
	char *own = clean(plain);
	size_t same = 1;

	while (own && taken(list, size, n, own)) {
		if (own != plain)
			free(own);
		if (asprintf(&own, "%s #%zu", plain, ++same) < 0)
			own = NULL;
	}
	if (own != plain)
		free(plain);
	built->no_memory |= !own;
	return own;
}

/* The place of a new thing with that name, which is taken over; TL_LQN_NONE without memory. */
static size_t thing(struct tl_built *built, void **list, size_t *n, size_t size, char *name)
{
	char *own = name_own(built, name, *list, size, *n), **new;

	new = own ? tl_array_append(list, n, size) : NULL;
	if (!new) {
		free(own);
		built->no_memory = true;
		return TL_LQN_NONE;
	}
	*new = own;
	return *n - 1;
}

/**
 * tl_built_processor() - Add a processor without a limit of servers
 * @built: network
 * @name: of it; a number is added if there is one of that name
 *
 * Return: its index; TL_LQN_NONE without memory. The same for tasks and entries.
 */
size_t tl_built_processor(struct tl_built *built, const char *name)
{
	size_t at = thing(built, (void **)&built->processor, &built->processors,
			  sizeof(*built->processor), strdup(name));

	if (at == TL_LQN_NONE)
		return at;
	built->processor[at].servers.value = TL_LQN_UNLIMITED;
	built->processor[at].speed.value = 1;
	return at;
}

/**
 * tl_built_task() - Add a task without a limit of threads
 * @built: network
 * @processor: index
 * @fmt: printf format of its name
 *
 * Return: its index, or TL_LQN_NONE.
 */
size_t tl_built_task(struct tl_built *built, size_t processor, const char *fmt, ...)
{
	va_list args;
	size_t at;

	va_start(args, fmt);
	at = thing(built, (void **)&built->task, &built->tasks, sizeof(*built->task),
		   text(built, fmt, args));
	va_end(args);
	if (at == TL_LQN_NONE)
		return at;
	built->task[at].processor = processor;
	built->task[at].threads.value = TL_LQN_UNLIMITED;
	return at;
}

/**
 * tl_built_entry() - Add an entry that does nothing
 * @built: network
 * @task: index
 * @fmt: printf format of its name
 *
 * Return: its index, or TL_LQN_NONE.
 */
size_t tl_built_entry(struct tl_built *built, size_t task, const char *fmt, ...)
{
	va_list args;
	size_t at;

	va_start(args, fmt);
	at = thing(built, (void **)&built->entry, &built->entries, sizeof(*built->entry),
		   text(built, fmt, args));
	va_end(args);
	if (at == TL_LQN_NONE)
		return at;
	built->entry[at].task = task;
	built->entry[at].half95_s = -1;
	return at;
}

/**
 * tl_built_call() - Add a call that the caller waits for
 * @built: network
 * @from: index of the calling entry
 * @to: index of the called one
 *
 * Return: the call, whose number is to be set; NULL without memory, or if one of the
 * entries is TL_LQN_NONE.
 */
struct tl_built_call *tl_built_call(struct tl_built *built, size_t from, size_t to)
{
	struct tl_built_call *new;

	if (from == TL_LQN_NONE || to == TL_LQN_NONE)
		return NULL;
	new = tl_array_append((void **)&built->entry[from].call, &built->entry[from].calls,
			      sizeof(*new));
	built->no_memory |= !new;
	if (new)
		new->to = to;
	return new;
}

static void entry_free(struct tl_built_entry *entry)
{
	size_t i;

	for (i = 0; i < entry->calls; i++)
		free(entry->call[i].mean.origin);
	free(entry->call);
	free(entry->demand_s.origin);
	free(entry->pause_s.origin);
	free(entry->arrivals_per_s.origin);
	free(entry->name);
}

/**
 * tl_built_free() - Free what belongs to a network
 * @built: network
 */
void tl_built_free(struct tl_built *built)
{
	size_t i;

	for (i = 0; i < built->entries; i++)
		entry_free(&built->entry[i]);
	for (i = 0; i < built->tasks; i++) {
		free(built->task[i].name);
		free(built->task[i].threads.origin);
		free(built->task[i].think_s.origin);
	}
	for (i = 0; i < built->processors; i++) {
		free(built->processor[i].name);
		free(built->processor[i].servers.origin);
		free(built->processor[i].speed.origin);
	}
	free(built->entry);
	free(built->task);
	free(built->processor);
	free(built->title);
	free(built->verdict);
	tl_faults_free(&built->notes);
}
