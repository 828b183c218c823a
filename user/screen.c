// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intervals shown one after the other
 *
 * On a terminal each is drawn over the one before, line by line, so that nothing
 * flickers; the cursor is hidden meanwhile. Elsewhere blocks are separated by an
 * empty line.
 */
#include "screen.h"

#include "adaptor.h"
#include "cmd.h"
#include "error.h"
#include "out.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define HOME "\033[H"
#define CLEAR_LINE "\033[K"
#define CLEAR_BELOW "\033[J"
#define CLEAR_ALL "\033[2J"
#define CURSOR_HIDE "\033[?25l"
#define CURSOR_SHOW "\033[?25h"

/**
 * tl_screen_open() - Begin to show
 * @screen: filled in, to be given to tl_screen_close()
 * @view: as in the struct
 * @json: as in the struct
 */
void tl_screen_open(struct tl_screen *screen, enum tl_view view, bool json)
{
	memset(screen, 0, sizeof(*screen));
	screen->json = json;
	screen->view = view;
	screen->terminal = !json && isatty(STDOUT_FILENO);
	if (screen->terminal)
		fputs(CURSOR_HIDE HOME CLEAR_ALL, stdout);
}

static struct tl_room room_of_terminal(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row)
		return (struct tl_room){ 80, 24 };
	return (struct tl_room){ size.ws_col, size.ws_row };
}

static int draw(const struct tl_screen *screen)
{
	char *frame = NULL, *rest, *line;
	size_t len;
	FILE *to = open_memstream(&frame, &len);
	const char *note = screen->note[0] ? screen->note : NULL;

	if (!to)
		return tl_out_json(NULL);
	if (screen->last)
		tl_view_print(to, screen->last, screen->view, note, screen->adaptor, room_of_terminal());
	else if (note)
		fprintf(to, "%s\n", note);
	if (fclose(to)) {
		free(frame);
		return tl_out_json(NULL);
	}
	fputs(HOME, stdout);
	for (rest = frame; (line = strsep(&rest, "\n")) && rest;)
		printf("%s" CLEAR_LINE "\n", line);
	fputs(CLEAR_BELOW, stdout);
	free(frame);
	return TL_EXIT_OK;
}

static int show(struct tl_screen *screen, u64 missed)
{
	if (screen->json)
		return tl_view_json(screen->last, missed, screen->adaptor);
	if (screen->terminal)
		return draw(screen);
	if (screen->shown)
		putchar('\n');
	if (tl_view_print(stdout, screen->last, screen->view,
			  screen->note[0] ? screen->note : NULL, screen->adaptor, (struct tl_room){ 0 }))
		return tl_out_json(NULL);
	return TL_EXIT_OK;
}

/**
 * tl_screen_show() - Show the next interval
 * @screen: screen
 * @interval: the interval, now the screen's
 * @missed: intervals that were lost before it
 * @note: a sentence to show with it, "" for none
 *
 * Return: exit status; a stdout that takes no more is a failure too.
 */
int tl_screen_show(struct tl_screen *screen, struct tl_interval *interval, u64 missed,
		   const char *note)
{
	struct tl_error err;
	int status;

	tl_interval_free(screen->last);
	screen->last = interval;
	snprintf(screen->note, sizeof(screen->note), "%s", note);
	if (screen->adaptor)
		tl_adaptor_look(screen->adaptor);
	status = show(screen, missed);
	screen->shown++;
	errno = 0;
	if (status == TL_EXIT_OK && (fflush(stdout) || ferror(stdout))) {
		tl_error_write(&err, -errno, "standard output");
		status = tl_out_failed(&err);
	}
	return status;
}

/**
 * tl_screen_note() - Change the sentence that stands there
 * @screen: screen
 * @note: the sentence, "" for none
 */
void tl_screen_note(struct tl_screen *screen, const char *note)
{
	if (!strcmp(screen->note, note))
		return;
	snprintf(screen->note, sizeof(screen->note), "%s", note);
	if (screen->terminal)
		tl_screen_refresh(screen);
	else if (*note)
		tl_out_error("%s", note);
}

/**
 * tl_screen_look() - See whether tierlensd has decided something since the last interval, as it does a little later
 * @screen: screen
 */
void tl_screen_look(struct tl_screen *screen)
{
	if (!screen->terminal || !screen->last || !screen->adaptor || !tl_adaptor_look(screen->adaptor))
		return;
	draw(screen);
	fflush(stdout);
}

/**
 * tl_screen_refresh() - Draw again what stands there, after the terminal changed
 * @screen: screen
 *
 * Return: exit status.
 */
int tl_screen_refresh(struct tl_screen *screen)
{
	int status = TL_EXIT_OK;

	if (screen->terminal) {
		fputs(CLEAR_ALL, stdout);
		status = draw(screen);
		fflush(stdout);
	}
	return status;
}

/**
 * tl_screen_close() - Stop showing; what stands there stays
 * @screen: screen that was opened
 */
void tl_screen_close(struct tl_screen *screen)
{
	if (screen->terminal)
		fputs(CURSOR_SHOW, stdout);
	tl_interval_free(screen->last);
	screen->last = NULL;
}
