/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Option values. What is wrong with one is said, and the program ends with status 2. */
#ifndef TL_TEST_OPT_H
#define TL_TEST_OPT_H

#include <stdint.h>

struct addr;

void __attribute__((noreturn)) opt_usage(const char *what, const char *value);
uint64_t opt_number(const char *text, uint64_t min, uint64_t max);
double opt_real(const char *text, double max);
unsigned int opt_word(const char *text, const char *const *words);
void opt_addr(struct addr *a, const char *text);

#endif
