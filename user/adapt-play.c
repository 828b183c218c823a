// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the adaptor would have done while something was recorded
 *
 * Levels of the recording are those that it was taken with, whatever is decided.
 */
#include "adapt-play.h"

#include "adapt-out.h"
#include "host.h"
#include "probe-cost.h"
#include "table.h"

#include <errno.h>
#include <math.h>

static void processors_learn(struct tl_adapt_play *p, const struct tl_interval *interval)
{
	double cpu_s, room_s;
	size_t i;

	for (i = 0; i < interval->n_hosts; i++) {
		cpu_s = 0;
		room_s = 0;
		tl_host_processors(interval, &interval->hosts[i], &cpu_s, &room_s);
		if (interval->hosts[i].value > 0.001 && room_s > 0)
			p->feed.processors = fmax(p->feed.processors, round(cpu_s / room_s));
	}
}

/**
 * tl_adapt_play_begin() - Begin to play
 * @play: filled in, to be given to tl_adapt_play_end(), after an error too
 * @options: what the adaptor goes by
 * @processors: of the recorded host; 0 if the recording is to tell
 * @tell: called for each decision and finding
 * @arg: for @tell
 *
 * Return: 0 or -ENOMEM.
 */
int tl_adapt_play_begin(struct tl_adapt_play *play, const struct tl_adapt_options *options, u64 processors,
			tl_adapt_tell_fn *tell, void *arg)
{
	*play = (struct tl_adapt_play){ .options = *options, .adapt = tl_adapt_new(options), .learn = !processors,
					.tell = tell, .arg = arg };
	play->feed.processors = (double)processors;
	play->feed.function_trap_s = TL_FUNCTION_TRAP_S;
	return play->adapt ? 0 : -ENOMEM;
}

/**
 * tl_adapt_play_add() - Play the next interval
 * @play: that has begun
 * @interval: the interval
 *
 * Return: 0, -ENOMEM, or -EINVAL for figures that are none.
 */
int tl_adapt_play_add(struct tl_adapt_play *play, const struct tl_interval *interval)
{
	const struct tl_adapt_feed *feed = &play->feed;
	struct tl_adapt_out out;
	size_t i;
	int code;

	if (play->learn)
		processors_learn(play, interval);
	code = tl_adapt_feed(&play->feed, interval);
	code = code ? code : tl_adapt_step(play->adapt, &feed->in, &out);
	if (code)
		return code;
	for (i = 0; i < out.decisions; i++) {
		play->changes += out.decision[i].from != out.decision[i].to;
		play->tell(tl_adapt_decision_json(feed, &out.decision[i], feed->in.t_s, play->options.budget), play->arg);
	}
	for (i = 0; i < out.findings; i++) {
		play->findings++;
		play->tell(tl_adapt_finding_json(feed, &out.finding[i], feed->in.t_s), play->arg);
	}
	play->intervals++;
	play->known += out.share >= 0;
	play->over += out.share > play->options.budget;
	play->most = fmax(play->most, out.share);
	return 0;
}

/**
 * tl_adapt_play_end() - Free what tl_adapt_play_begin() allocated
 * @play: play
 */
void tl_adapt_play_end(struct tl_adapt_play *play)
{
	tl_adapt_feed_free(&play->feed);
	tl_adapt_free(play->adapt);
	play->adapt = NULL;
}
