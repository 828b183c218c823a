/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SESSIONS_H
#define TL_SESSIONS_H

#include "model/cbmg-fit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TL_SESSIONS_TYPES 32

/**
 * struct tl_sessions_request - A request of a session
 * @id: two hashes of what tells sessions apart
 * @type: index of the user's type
 * @state: what was asked for
 * @t_s: time in the log, since the epoch
 * @whole: it is known to the second only
 * @response_s: time to answer; NAN if unknown
 */
struct tl_sessions_request {
	uint64_t id[2];
	size_t type, state;
	double t_s, response_s;
	bool whole;
};

/* Who ends what is open, and whether the log's ends are those of sessions. */
enum tl_sessions_whole { TL_SESSIONS_AUTO, TL_SESSIONS_WHOLE, TL_SESSIONS_CUT };

struct tl_session;
struct tl_way;

/**
 * struct tl_sessions_type - What sessions of one type of users did
 * @counts: what is certain
 * @edge: what is not: starts right behind the log's beginning, ends right before its end
 * @sessions: how many began in the log
 * @requests: how many they made
 */
struct tl_sessions_type {
	struct tl_cbmg_counts counts, edge;
	uint64_t sessions, requests;
};

/**
 * struct tl_sessions - Sessions that go on, and what the others did
 * @gap_s: without a request for so long a session has ended
 * @begins: times are those of a request's begin
 * @whole: sessions begin and end in the log; set when all is over
 * @type: [TL_SESSIONS_TYPES]
 * @first_s: when the log begins
 * @last_s: when it ends
 * @back: times that were earlier than the last ones by more than a gap
 * @overlaps: requests that came before the one before them was answered
 * @crowded: sessions ended because there were too many
 * @cut: sessions that may have begun before the log, or gone on behind it
 */
struct tl_sessions {
	double gap_s;
	bool begins;
	enum tl_sessions_whole whole;
	struct tl_sessions_type type[TL_SESSIONS_TYPES];
	double first_s, last_s;
	uint64_t sessions, requests, back, overlaps, crowded, cut[2];

	/* Those that go on: by hash, and in the order in which they were last heard of. */
	struct tl_session *session;
	uint32_t *bucket, free, newest, oldest;
	size_t room, buckets, open;
	/* Ways of which it is not yet certain that they count, the oldest first. */
	struct tl_way *way;
	size_t ways_room, way_first, ways;
	double clock[16];
	size_t heard;
};

int tl_sessions_request(struct tl_sessions *sessions, const struct tl_sessions_request *request);
int tl_sessions_end(struct tl_sessions *sessions);
bool tl_sessions_clock_back(const struct tl_sessions *sessions, double t_s);
void tl_sessions_free(struct tl_sessions *sessions);

#endif
