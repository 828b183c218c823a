/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_KERNEL_CONFIG_H
#define TL_KERNEL_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

struct tl_error;

/* What it means if an option is not as it should be. */
enum tl_option_weight {
	TL_OPTION_NEEDED, /* without it there is no measuring */
	TL_OPTION_USED, /* without it something is missing */
	TL_OPTION_TELLS, /* it decides what has to be done for the module to be loaded */
};

/**
 * struct tl_kernel_option - An option that matters to the module
 * @name: without CONFIG_
 * @weight: how much
 * @tells: what is missing without it, or what it asks for if it is set
 * @value: "y", "m", a string without its quotes; "n" if it is not set; "" if nobody knows
 */
struct tl_kernel_option {
	const char *name;
	enum tl_option_weight weight;
	const char *tells;
	char value[160];
};

#define TL_KERNEL_OPTIONS_MAX 40

size_t tl_kernel_options(struct tl_kernel_option *options);
int tl_kernel_config_read(struct tl_kernel_option *options, size_t n, const char *path,
			  struct tl_error *err);
const char *tl_kernel_option(const struct tl_kernel_option *options, size_t n, const char *name);
bool tl_kernel_option_is_on(const struct tl_kernel_option *option);

#endif
