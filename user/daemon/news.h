/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_NEWS_H
#define TL_DAEMON_NEWS_H

#include <stdbool.h>
#include <stddef.h>

#define TL_NEWS_MOST 8
#define TL_NEWS_ROOM 600

/* Sentences that nobody has been told yet, the oldest first. All zero: none. */
struct tl_news {
	char text[TL_NEWS_MOST][TL_NEWS_ROOM];
	unsigned int n;
};

__attribute__((format(printf, 2, 3))) void tl_news_tell(struct tl_news *news, const char *format, ...);
bool tl_news_take(struct tl_news *news, char *text, size_t room);

#endif
