// SPDX-License-Identifier: GPL-2.0-or-later
/* What a part of the daemon has to say, until the loop comes round. */
#include "daemon/news.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/**
 * tl_news_tell() - One sentence more
 * @news: news; there is no room for more of them than somebody listens to
 * @format: as printf() has it
 */
void tl_news_tell(struct tl_news *news, const char *format, ...)
{
	va_list args;

	if (news->n == TL_NEWS_MOST)
		return;
	va_start(args, format);
	vsnprintf(news->text[news->n++], TL_NEWS_ROOM, format, args);
	va_end(args);
}

/**
 * tl_news_take() - The oldest sentence
 * @news: news, which forget it
 * @text: filled with it
 * @room: size of @text
 *
 * Return: whether there was one.
 */
bool tl_news_take(struct tl_news *news, char *text, size_t room)
{
	if (!news->n)
		return false;
	snprintf(text, room, "%s", news->text[0]);
	news->n--;
	memmove(news->text[0], news->text[1], news->n * TL_NEWS_ROOM);
	return true;
}
