// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers that are a picture, a table or JSON, as the user asked. */
#include "drawn.h"

#include "cmd.h"
#include "dot.h"
#include "error.h"
#include "lqn-faults.h"
#include "lqn-out.h"
#include "out.h"

#include <string.h>

static void draw(const void *arg, FILE *to)
{
	const struct tl_drawn *drawn = arg;

	drawn->draw(drawn->what, drawn->least, to);
}

static int write_picture(const struct tl_drawn *drawn)
{
	struct tl_error err;
	int code = tl_dot_write(drawn->output, !drawn->dot, draw, drawn, &err);

	return code ? tl_out_failed(&err) : TL_EXIT_OK;
}

/**
 * tl_drawn_show() - print an answer
 * @drawn: the answer
 *
 * A picture to standard output is all that is printed.
 *
 * Return: the exit status; TL_EXIT_FAILED, with the reason printed, where a picture is
 * asked for and there is nothing to draw, or it cannot be written.
 */
int tl_drawn_show(const struct tl_drawn *drawn)
{
	bool picture = drawn->output || drawn->dot;
	bool only = picture && (!drawn->output || !strcmp(drawn->output, "-"));
	int status = TL_EXIT_OK;

	if (!drawn->json)
		tl_lqn_notes_print(drawn->notes);
	if (picture && !drawn->figures) {
		tl_out_error("%s: there is nothing to draw: %s", drawn->notes->file,
			     drawn->verdict);
		return TL_EXIT_FAILED;
	}
	if (picture)
		status = write_picture(drawn);
	if (status || only)
		return status;
	if (drawn->json)
		return tl_out_json(drawn->as_json(drawn->what));
	drawn->print(drawn->what, stdout);
	return TL_EXIT_OK;
}
