/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CHOOSE_H
#define TL_CHOOSE_H

#include "hist.h"

#include <stdbool.h>
#include <stddef.h>

struct tl_ctl;
struct tl_error;
struct tl_maps;
struct tl_origin;
struct tl_tier_info;

#define TL_CHOOSE_BYTES 32 /* smaller functions are not chosen by themselves */
#define TL_CHOOSE_MOST 65536 /* functions that are kept, once there are twice as many */

/**
 * struct tl_choose_options - Which functions are to be looked at
 * @name: [@names] patterns of those that are; none: all of the user's own code
 * @not: [@nots] of those that are not
 * @user: [@users] patterns of files whose code is the user's own, beside what is so by itself
 * @origin: tells whose a library is; NULL: by where it lies
 */
struct tl_choose_options {
	char **name, **not, **user;
	size_t names, nots, users;
	const struct tl_origin *origin;
};

/**
 * struct tl_chosen - A function
 * @far: how far behind main() it is in a program that has its libraries in itself; else 0
 * @file: what it is in, and @program: what the process runs; indices of files
 */
struct tl_chosen {
	char *name;
	u64 offset, size, far;
	size_t file, program;
};

/**
 * struct tl_choice - Functions of a tier, those first that are the likeliest
 * @fd: [@files] open for reading
 * @cut: there were more than are kept
 * @note: what a reader should know: programs that could not be looked into; "" for nothing
 */
struct tl_choice {
	struct tl_chosen *function;
	int *fd;
	size_t functions, files;
	bool cut;
	char note[600];
};

int tl_choose(struct tl_choice *choice, const struct tl_choose_options *options, const struct tl_tier_info *tiers,
	      size_t n, const char *tier, struct tl_error *err);
int tl_choose_file(struct tl_choice *choice, const struct tl_choose_options *options, int fd, size_t program,
		   const char *path);
int tl_choice_probe(const struct tl_choice *choice, const struct tl_chosen *chosen, struct tl_ctl *ctl,
		    const char *tier, u32 rate_max, u32 *id, struct tl_error *err);
bool tl_choice_is_over(int code);
void tl_choice_sort(struct tl_choice *choice);
void tl_choice_free(struct tl_choice *choice);
bool tl_choose_copies_stacks(u32 pid);
bool tl_choose_is_user(const struct tl_choose_options *options, const char *path, const char *program);

#endif
