/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Test Anything Protocol, without a plan ahead: ok(), is_u64(), done(). */
#ifndef TL_TAP_H
#define TL_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* While it is set, a failure is expected and does not count: # TODO reason. */
static const char *tap_todo __attribute__((unused));
static unsigned int tap_run, tap_failed;

__attribute__((format(printf, 2, 0))) static inline bool
tap_result(bool good, const char *format, va_list args)
{
	printf("%sok %u - ", good ? "" : "not ", ++tap_run);
	vprintf(format, args);
	if (tap_todo)
		printf(" # TODO %s", tap_todo);
	else if (!good)
		tap_failed++;
	putchar('\n');
	return good;
}

/* One line of TAP; returns whether it was good. */
__attribute__((format(printf, 2, 3))) static inline bool ok(bool good, const char *format,
							    ...)
{
	va_list args;

	va_start(args, format);
	tap_result(good, format, args);
	va_end(args);
	return good;
}

/* The same, which says what it got and wanted if they differ. */
__attribute__((format(printf, 3, 4))) static inline bool
is_u64(uint64_t got, uint64_t want, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tap_result(got == want, format, args);
	va_end(args);
	if (got != want)
		printf("#      got %" PRIu64 "\n# expected %" PRIu64 "\n", got, want);
	return got == want;
}

/* The plan, at the end; returns what main() should. */
static inline int done(void)
{
	printf("1..%u\n", tap_run);
	return tap_failed || !tap_run;
}

#endif
