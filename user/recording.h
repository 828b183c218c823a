/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_RECORDING_H
#define TL_RECORDING_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#define TL_RECORDING_FORMAT 1

struct tl_error;
struct tl_interval;
struct tl_recording;

/* Of recordings and of the history: what begins from @from_ns on and before @to_ns; 0 for no bound. */
struct tl_while {
	uint64_t from_ns, to_ns;
};

/* For all that is opened from now on: it is given by options that every command has. */
extern struct tl_while tl_recording_while;

json_t *tl_interval_json(const struct tl_interval *interval);
int tl_recording_write(FILE *to, const char *name, const struct tl_interval *interval,
		       struct tl_error *err);

int tl_recording_open(struct tl_recording **recording, const char *file,
		      struct tl_error *err);
void tl_recording_close(struct tl_recording *recording);
int tl_recording_next(struct tl_recording *recording, struct tl_interval **interval,
		      struct tl_error *err);
const char *tl_recording_warning(const struct tl_recording *recording);

/* Takes an interval that stays the caller's; 0 or a negative errno. */
typedef int tl_interval_fn(const struct tl_interval *interval, void *arg);

int tl_recording_each(const char *file, tl_interval_fn *fn, void *arg, char *warning,
		      size_t room, struct tl_error *err);

/* One line, in recording-parse.c. @place: "file:line". */
int tl_recording_parse(const char *line, size_t len, const char *place,
		       struct tl_interval **interval, struct tl_error *err);

#endif
