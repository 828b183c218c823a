// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sessions in a stream of requests
 *
 * Only what goes on is kept: a session that has been silent for a gap has ended and is
 * counted, so the memory is that of the sessions of a gap, however long the log is.
 *
 * What the log does not show must not count for one side. A request's follower is known
 * only if there is a gap of log behind it: of the last gap neither requests that went on
 * count nor ends, else ends would be too rare (or, all taken for ends, too frequent). So
 * ways wait until the log is a gap further on. In the same way a first request is known
 * to be a start only a gap behind the log's beginning. A log that is not much longer than
 * that is taken to have whole sessions, which is said.
 *
 * Lines come in the order in which requests ended, or nearly: of a session they count in
 * the log's order. One line with a wrong time must not end all sessions: the clock is the
 * earliest and the latest of the last 16 lines, and who is a gap away from both has ended,
 * also if the clock has gone back.
 */
#include "sessions.h"

#include "hist.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define OPEN_MAX (1U << 20)
#define WAYS_MAX (1U << 22)
#define WHOLE_GAPS 4 /* a log shorter than so many is taken to be whole */
#define SLACK_S 0.005 /* clocks of different threads, times that were rounded */

/* A session that goes on. @last_s: of its requests' times; @answered_s: when. */
struct tl_session {
	uint64_t id[2];
	double last_s, answered_s;
	uint32_t next, newer, older, group;
	uint16_t type, state;
};

/* From one request to the next; @from_s: the time of the one in the log. */
struct tl_way {
	double from_s;
	float think_s;
	uint16_t group, type, from, to;
};

/* ---- those that go on ---------------------------------------------------------------- */

static void list_take(struct tl_sessions *s, uint32_t at)
{
	struct tl_session *session = &s->session[at];

	if (session->newer == NONE)
		s->newest = session->older;
	else
		s->session[session->newer].older = session->older;
	if (session->older == NONE)
		s->oldest = session->newer;
	else
		s->session[session->older].newer = session->newer;
}

static void list_put(struct tl_sessions *s, uint32_t at)
{
	s->session[at].newer = NONE;
	s->session[at].older = s->newest;
	if (s->newest == NONE)
		s->oldest = at;
	else
		s->session[s->newest].newer = at;
	s->newest = at;
}

static uint32_t *bucket_of(const struct tl_sessions *s, const uint64_t *id)
{
	return &s->bucket[id[0] & (s->buckets - 1)];
}

/* Room for twice as many, chained anew. */
static int grow(struct tl_sessions *s)
{
	size_t room = s->room ? 2 * s->room : 1024, i;
	struct tl_session *session = reallocarray(s->session, room, sizeof(*session));
	uint32_t *bucket = malloc(2 * room * sizeof(*bucket)), *head;

	if (session)
		s->session = session;
	if (!session || !bucket) {
		free(bucket);
		return -ENOMEM;
	}
	free(s->bucket);
	s->bucket = bucket;
	s->buckets = 2 * room;
	memset(bucket, 0xff, s->buckets * sizeof(*bucket));
	if (!s->room)
		s->newest = s->oldest = NONE;
	/* It grows when there is none free: all that were are in use. */
	for (i = 0; i < s->room; i++) {
		head = bucket_of(s, session[i].id);
		session[i].next = *head;
		*head = (uint32_t)i;
	}
	for (i = s->room, s->free = NONE; i < room; i++) {
		session[i].next = s->free;
		s->free = (uint32_t)i;
	}
	s->room = room;
	return 0;
}

static uint32_t find(const struct tl_sessions *s, const uint64_t *id)
{
	uint32_t at = s->room ? *bucket_of(s, id) : NONE;

	while (at != NONE && memcmp(s->session[at].id, id, sizeof(s->session[at].id)))
		at = s->session[at].next;
	return at;
}

static void forget(struct tl_sessions *s, uint32_t at)
{
	uint32_t *link = bucket_of(s, s->session[at].id);

	while (*link != at)
		link = &s->session[*link].next;
	*link = s->session[at].next;
	list_take(s, at);
	s->session[at].next = s->free;
	s->free = at;
	s->open--;
}

/* ---- what counts --------------------------------------------------------------------- */

static double earliest(const struct tl_sessions *s)
{
	size_t n = min(s->heard, ARRAY_SIZE(s->clock)), i;
	double t = INFINITY;

	for (i = 0; i < n; i++)
		t = fmin(t, s->clock[i]);
	return t;
}

static double latest(const struct tl_sessions *s)
{
	size_t n = min(s->heard, ARRAY_SIZE(s->clock)), i;
	double t = -INFINITY;

	for (i = 0; i < n; i++)
		t = fmax(t, s->clock[i]);
	return t;
}

static int way_count(struct tl_sessions *s, const struct tl_way *way, bool certain)
{
	struct tl_sessions_type *type = &s->type[way->type];

	return tl_cbmg_counts_add(certain ? &type->counts : &type->edge, way->group, way->from,
				  way->to, (double)way->think_s);
}

/* Ways that have a gap of log behind them. */
static int ways_count(struct tl_sessions *s, double until_s)
{
	int code = 0;

	while (s->ways && !code) {
		const struct tl_way *way = &s->way[s->way_first];

		if (way->from_s > until_s && s->ways < WAYS_MAX)
			break;
		code = way_count(s, way, true);
		s->way_first = (s->way_first + 1) % s->ways_room;
		s->ways--;
	}
	return code;
}

static int way_wait(struct tl_sessions *s, const struct tl_way *way)
{
	size_t room = s->ways_room ? 2 * s->ways_room : 4096, i;
	struct tl_way *grown;

	if (s->ways == s->ways_room) {
		grown = malloc(room * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		for (i = 0; i < s->ways; i++)
			grown[i] = s->way[(s->way_first + i) % s->ways_room];
		free(s->way);
		s->way = grown;
		s->way_first = 0;
		s->ways_room = room;
	}
	s->way[(s->way_first + s->ways++) % s->ways_room] = *way;
	return 0;
}

static int session_end(struct tl_sessions *s, uint32_t at, bool certain)
{
	const struct tl_session *session = &s->session[at];
	struct tl_way way = { session->last_s, NAN, (uint16_t)(session->group), session->type,
			      session->state, TL_CBMG_EXIT };
	int code = way_count(s, &way, certain);

	s->cut[1] += !certain;
	forget(s, at);
	return code;
}

/* Those that were silent for a gap, and, if there are too many, who was so the longest. */
static int old_end(struct tl_sessions *s)
{
	double from = earliest(s), to = latest(s);
	int code = 0;

	while (s->open && !code) {
		const struct tl_session *oldest = &s->session[s->oldest];

		if (s->open >= OPEN_MAX)
			s->crowded++;
		else if (oldest->last_s >= from - s->gap_s && oldest->last_s <= to + s->gap_s)
			break;
		code = session_end(s, s->oldest, true);
	}
	return code;
}

/* ---- requests ------------------------------------------------------------------------ */

static int session_begin(struct tl_sessions *s, const struct tl_sessions_request *r,
			 uint32_t *at)
{
	struct tl_way way = { r->t_s, NAN, (uint16_t)(s->sessions % TL_CBMG_GROUPS),
			      (uint16_t)r->type, TL_CBMG_START, (uint16_t)r->state };
	bool certain = r->t_s > s->first_s + s->gap_s;
	struct tl_session *session;
	uint32_t *head;

	if ((!s->room || s->free == NONE) && grow(s))
		return -ENOMEM;
	*at = s->free;
	session = &s->session[*at];
	s->free = session->next;
	*session = (struct tl_session){ .id = { r->id[0], r->id[1] }, .group = way.group,
					.type = way.type };
	head = bucket_of(s, r->id);
	session->next = *head;
	*head = *at;
	list_put(s, *at);
	s->open++;
	s->sessions++;
	s->type[r->type].sessions++;
	s->cut[0] += !certain;
	return way_count(s, &way, certain);
}

/* Times known to the second only may seem to overlap by one. */
static double think_of(struct tl_sessions *s, const struct tl_session *session,
		       const struct tl_sessions_request *r)
{
	double begin = s->begins || isnan(r->response_s) ? r->t_s : r->t_s - r->response_s;
	double think = begin - session->answered_s;

	if (think >= -SLACK_S - r->whole)
		return think;
	s->overlaps++;
	return NAN;
}

static void session_hear(struct tl_sessions *s, struct tl_session *session,
			 const struct tl_sessions_request *r)
{
	double answered = s->begins && !isnan(r->response_s) ? r->t_s + r->response_s : r->t_s;

	session->last_s = fmax(session->last_s, r->t_s);
	session->answered_s = fmax(session->answered_s, answered);
	session->state = (uint16_t)r->state;
}

static int session_go_on(struct tl_sessions *s, uint32_t at, const struct tl_sessions_request *r)
{
	struct tl_session *session = &s->session[at];
	struct tl_way way = { session->last_s, (float)think_of(s, session, r),
			      (uint16_t)session->group, session->type, session->state,
			      (uint16_t)r->state };

	list_take(s, at);
	list_put(s, at);
	return way_wait(s, &way);
}

static void clock_hear(struct tl_sessions *s, double t_s)
{
	s->back += tl_sessions_clock_back(s, t_s);
	s->clock[s->heard++ % ARRAY_SIZE(s->clock)] = t_s;
	if (s->heard <= ARRAY_SIZE(s->clock))
		s->first_s = earliest(s);
	s->last_s = earliest(s);
}

/**
 * tl_sessions_clock_back() - Whether a time is too early to be one that comes next
 * @sessions: sessions
 * @t_s: time
 *
 * Return: whether it is a gap or more before all of the last ones.
 */
bool tl_sessions_clock_back(const struct tl_sessions *sessions, double t_s)
{
	return sessions->heard && t_s < earliest(sessions) - sessions->gap_s;
}

/**
 * tl_sessions_request() - Take in the next request
 * @sessions: sessions
 * @request: request
 *
 * Return: 0 or -ENOMEM.
 */
int tl_sessions_request(struct tl_sessions *sessions, const struct tl_sessions_request *request)
{
	struct tl_sessions *s = sessions;
	const struct tl_sessions_request *r = request;
	uint32_t at;
	int code;

	clock_hear(s, r->t_s);
	code = old_end(s);
	code = code ? code : ways_count(s, earliest(s) - s->gap_s);
	if (code)
		return code;
	at = find(s, r->id);
	if (at != NONE && fabs(r->t_s - s->session[at].last_s) > s->gap_s) {
		code = session_end(s, at, true);
		at = NONE;
	}
	if (!code)
		code = at == NONE ? session_begin(s, r, &at) : session_go_on(s, at, r);
	if (code)
		return code;
	session_hear(s, &s->session[at], r);
	s->requests++;
	s->type[s->session[at].type].requests++;
	return 0;
}

static int edges_sum(struct tl_sessions *s)
{
	int code = 0;
	size_t i;

	for (i = 0; i < TL_SESSIONS_TYPES && !code; i++)
		code = tl_cbmg_counts_sum(&s->type[i].counts, &s->type[i].edge);
	return code;
}

/**
 * tl_sessions_end() - The log has ended
 * @sessions: sessions; what they did is counted, @whole is settled
 *
 * Return: 0 or -ENOMEM.
 */
int tl_sessions_end(struct tl_sessions *sessions)
{
	struct tl_sessions *s = sessions;
	double until = s->last_s - s->gap_s;
	int code = ways_count(s, until);
	size_t i;

	for (i = 0; i < s->ways && !code; i++) {
		const struct tl_way *way = &s->way[(s->way_first + i) % s->ways_room];

		code = way_count(s, way, way->from_s <= until);
	}
	s->ways = 0;
	while (s->open && !code)
		code = session_end(s, s->oldest, s->session[s->oldest].last_s <= until);
	if (s->whole == TL_SESSIONS_AUTO)
		s->whole = s->last_s - s->first_s < WHOLE_GAPS * s->gap_s ? TL_SESSIONS_WHOLE :
									    TL_SESSIONS_CUT;
	if (!code && s->whole == TL_SESSIONS_WHOLE)
		code = edges_sum(s);
	return code;
}

/**
 * tl_sessions_free() - Free what sessions hold
 * @sessions: sessions
 */
void tl_sessions_free(struct tl_sessions *sessions)
{
	size_t i;

	for (i = 0; i < TL_SESSIONS_TYPES; i++) {
		tl_cbmg_counts_free(&sessions->type[i].counts);
		tl_cbmg_counts_free(&sessions->type[i].edge);
	}
	free(sessions->session);
	free(sessions->bucket);
	free(sessions->way);
}
