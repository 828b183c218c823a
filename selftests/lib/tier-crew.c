// SPDX-License-Identifier: GPL-2.0-or-later
#include "tier-crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct tier_member {
	struct tier_crew *crew;
	pthread_t thread;
	bool running;
	struct tier_worker worker;
};

static void *work(void *arg)
{
	struct tier_member *m = arg;
	int32_t job;

	if (tier_worker_init(&m->worker, m->crew->tier, m->worker.number))
		return NULL;
	while ((job = tier_queue_take(&m->crew->queue)) >= 0)
		m->crew->serve(m->crew, &m->worker, job);
	tier_worker_close(&m->worker);
	return NULL;
}

/* Starts as many threads as the tier's pool has. Return: 0 or a negative errno. */
int tier_crew_start(struct tier_crew *crew, enum tier_queue_kind kind)
{
	unsigned int n = crew->tier->pool;
	int err = tier_queue_open(&crew->queue, kind, crew->tier->jobs);

	crew->members = calloc(n, sizeof(*crew->members));
	if (err || !crew->members)
		return err ? err : -ENOMEM;
	for (unsigned int i = 0; i < n; i++) {
		struct tier_member *m = &crew->members[i];

		m->crew = crew;
		m->worker.number = i;
		m->running = !pthread_create(&m->thread, NULL, work, m);
	}
	return 0;
}

/* Hands over a job, which the current thread works on no more. */
void tier_crew_put(struct tier_crew *crew, uint32_t job)
{
	truth_charge(NULL);
	atomic_fetch_add(&crew->tier->truth.queued, 1);
	tier_queue_put(&crew->queue, job);
}

/* Return: false if one is still busy when the grace is over; it dies with the process. */
bool tier_crew_stop(struct tier_crew *crew)
{
	unsigned int n = crew->tier->pool;
	struct timespec until;
	bool all = true;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += TIER_GRACE_NS / 1000000000;
	for (unsigned int i = 0; i < n; i++)
		tier_queue_put(&crew->queue, -1);
	for (unsigned int i = 0; i < n; i++)
		if (crew->members[i].running &&
		    pthread_timedjoin_np(crew->members[i].thread, NULL, &until))
			all = false;
	if (all) {
		free(crew->members);
		tier_queue_close(&crew->queue);
	}
	return all;
}
