// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions of programs: which are chosen, where they are, and what is refused. */
#include "tap.h"

#include "choose.h"
#include "maps.h"
#include "error.h"
#include "origin.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char dir[] = "/tmp/test-user-choose.XXXXXX";

/* What is looked for. */
static __attribute__((noinline, noclone, used)) int large_one(int n)
{
	int i, sum = 0;

	for (i = 0; i < n; i++) {
		__asm__ volatile("" : "+r"(sum));
		sum += i ^ n;
	}
	return sum;
}

static __attribute__((noinline, noclone, used)) int other_one(int n)
{
	return large_one(n) + large_one(2 * n);
}

static bool make(const char *format, const char *to)
{
	char command[600], self[200];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len < 0)
		return false;
	self[len] = '\0';
	snprintf(command, sizeof(command), format, self, dir, to);
	return !system(command);
}

static int look(struct tl_choice *choice, const struct tl_choose_options *options, const char *name)
{
	char path[200];
	int fd, code;

	memset(choice, 0, sizeof(*choice));
	snprintf(path, sizeof(path), "%s%s%s", *name == '/' ? "" : dir, *name == '/' ? "" : "/", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	code = fd < 0 ? -1 : tl_choose_file(choice, options, fd, TL_MAPS_NO_FILE, name);
	tl_choice_sort(choice);
	return code;
}

static const struct tl_chosen *find(const struct tl_choice *choice, const char *name)
{
	size_t i;

	for (i = 0; i < choice->functions; i++)
		if (!strcmp(choice->function[i].name, name))
			return &choice->function[i];
	return NULL;
}

/* What is in the file there is what we run. */
static bool is_there(const struct tl_choice *choice, const struct tl_chosen *chosen, const void *code)
{
	unsigned char bytes[16];

	return chosen && pread(choice->fd[chosen->file], bytes, sizeof(bytes), (off_t)chosen->offset) == sizeof(bytes) &&
	       !memcmp(bytes, code, sizeof(bytes));
}

static void test_own(void)
{
	struct tl_choose_options all = { 0 };
	struct tl_choice c;
	bool odd = false;
	size_t i;

	look(&c, &all, "/proc/self/exe");
	ok(c.functions > 10, "a program's own functions: %zu", c.functions);
	ok(is_there(&c, find(&c, "large_one"), (const void *)large_one), "where they are in the file");
	for (i = 0; i < c.functions; i++) {
		odd |= i && c.function[i].size > c.function[i - 1].size;
		odd |= c.function[i].size < TL_CHOOSE_BYTES;
	}
	ok(!odd, "the largest first, and none that is very small");
	ok(!find(&c, "main") && !find(&c, "_start"), "none that never returns");
	for (odd = false, i = 0; i < c.functions; i++)
		odd |= strstr(c.function[i].name, ".cold") != NULL;
	ok(!odd, "no part that is jumped to");
	tl_choice_free(&c);
}

static void test_patterns(void)
{
	char large[] = "large_*", any[] = "*_one", none[] = "nothing*";
	char *name[] = { large }, *both[] = { any }, *nothing[] = { none };
	struct tl_choose_options options = { .name = name, .names = 1 };
	struct tl_choice c;

	look(&c, &options, "/proc/self/exe");
	ok(c.functions == 1 && find(&c, "large_one") && !*c.note, "by a pattern");
	tl_choice_free(&c);
	options = (struct tl_choose_options){ .name = both, .names = 1, .not = name, .nots = 1 };
	look(&c, &options, "/proc/self/exe");
	ok(c.functions == 1 && find(&c, "other_one"), "and not by another");
	tl_choice_free(&c);
	options = (struct tl_choose_options){ .name = nothing, .names = 1 };
	look(&c, &options, "/proc/self/exe");
	ok(!c.functions && strstr(c.note, "has no function that is asked for"), "%s", c.note);
	tl_choice_free(&c);
}

static void test_refused(void)
{
	struct tl_choose_options all = { 0 };
	struct tl_choice c;

	if (!make("objcopy --strip-all %s %s/%s 2>/dev/null", "bare")) {
		ok(true, "programs that are changed # SKIP no objcopy");
		return;
	}
	look(&c, &all, "bare");
	/* With the sanitizers a program has names for others, too. */
	ok(c.functions ? !find(&c, "large_one") : strstr(c.note, "bare: is stripped") != NULL,
	   "a stripped program: %zu functions; %s", c.functions, c.note);
	tl_choice_free(&c);
	make("objcopy --strip-all -R .dynsym -R .gnu.version %s %s/%s 2>/dev/null", "none");
	look(&c, &all, "none");
	ok(!c.functions && *c.note, "nothing left in it: %s", c.note);
	tl_choice_free(&c);
	ok(make("objcopy --add-section .gopclntab=/etc/passwd %s %s/%s 2>/dev/null", "go"), "a program in Go");
	look(&c, &all, "go");
	ok(!c.functions && strstr(c.note, "is a program in Go, whose stacks move"), "is refused: %s", c.note);
	tl_choice_free(&c);
	make(": %s; echo '#!/bin/sh' >%s/%s", "script");
	look(&c, &all, "script");
	ok(!c.functions && strstr(c.note, "is no 64-bit program"), "a script: %s", c.note);
	tl_choice_free(&c);
}

static void test_user(void)
{
	char lib[] = "/usr/lib/shop/*.so*";
	char *user[] = { lib };
	struct tl_choose_options options = { .user = user, .users = 1 };

	ok(tl_choose_is_user(&options, "/srv/shop/shop", "/srv/shop/shop"), "the program itself");
	ok(tl_choose_is_user(&options, "/srv/shop/lib/cart.so", "/srv/shop/shop"), "what lies below it");
	ok(!tl_choose_is_user(&options, "/srv/other.so", "/srv/shop/shop"), "not what lies elsewhere");
	ok(!tl_choose_is_user(&options, "/usr/bin/../lib/libc.so.6", "/usr/bin/shop"), "nor with all others");
	ok(tl_choose_is_user(&options, "/usr/lib/shop/cart.so.1", "/usr/bin/shop"), "but for what is named");
}

/* By the model that comes with it, of files that are not here. */
static void test_origin(void)
{
	struct tl_origin origin = { .sure = TL_ORIGIN_SURE };
	struct tl_choose_options options = { .origin = &origin };
	struct tl_error err;

	if (!ok(!tl_origin_open(&origin, "user/origin-model.json", "", &err), "the model that comes with it"))
		return;
	ok(tl_choose_is_user(&options, "/srv/shop/bin/shop", "/srv/shop/bin/shop"), "the program itself");
	ok(tl_choose_is_user(&options, "/srv/shop/lib/libshopcart.so", "/srv/shop/bin/shop"), "a library of its own");
	ok(!tl_choose_is_user(&options, "/srv/shop/lib/libssl.so.3", "/srv/shop/bin/shop"),
	   "not another's, also if it lies there");
	ok(!tl_choose_is_user(&options, "/usr/lib/x86_64-linux-gnu/libc.so.6", "/srv/shop/bin/shop"), "nor the system's");
	tl_origin_close(&origin);
}

static void test_greenlet(void)
{
	char path[120];
	void *at;
	int fd;

	ok(!tl_choose_copies_stacks((u32)getpid()), "without greenlet");
	snprintf(path, sizeof(path), "%s/_greenlet.cpython-311-x86_64-linux-gnu.so", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	at = fd >= 0 && !ftruncate(fd, 4096) ? mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	ok(at != MAP_FAILED && tl_choose_copies_stacks((u32)getpid()), "with greenlet");
	munmap(at, 4096);
	close(fd);
	ok(!tl_choose_copies_stacks(0), "no such process");
}

int main(void)
{
	char command[200];

	if (!mkdtemp(dir) || other_one(3) < 0)
		return 1;
	test_own();
	test_patterns();
	test_refused();
	test_greenlet();
	test_user();
	test_origin();
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) ? 1 : done();
}
