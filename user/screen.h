/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SCREEN_H
#define TL_SCREEN_H

#include "hist.h"
#include "view.h"

/**
 * struct tl_screen - Where intervals are shown one after the other
 * @json: a line of JSON each instead of a block of text
 * @view: which figures
 * @adaptor: what tierlensd is doing, looked at for each interval; NULL to leave it out, to be set by the
 *           caller, who owns it
 * @terminal: redrawn in place; else blocks follow each other
 * @shown: how many intervals were shown
 * @last: the one that stands there now; owned
 * @note: the sentence that stands there with it, "" for none
 */
struct tl_screen {
	bool json, terminal;
	enum tl_view view;
	struct tl_adaptor *adaptor;
	u64 shown;
	struct tl_interval *last;
	char note[160];
};

void tl_screen_open(struct tl_screen *screen, enum tl_view view, bool json);
int tl_screen_show(struct tl_screen *screen, struct tl_interval *interval, u64 missed,
		   const char *note);
void tl_screen_note(struct tl_screen *screen, const char *note);
void tl_screen_look(struct tl_screen *screen);
int tl_screen_refresh(struct tl_screen *screen);
void tl_screen_close(struct tl_screen *screen);

#endif
