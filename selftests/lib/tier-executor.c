// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One thread for each connection, as in mode thread, but other threads do the work. The one
 * that has read the request waits until that is done, and answers.
 */
#include "tier-crew.h"

#include <semaphore.h>

struct job {
	struct tier_conn *conn;
	int ret; /* of the work */
	sem_t done;
};

static struct tier_crew crew;
static struct job *jobs[TIER_CLIENTS]; /* by the number of the thread that waits */

static int work_elsewhere(struct tier_worker *w, struct tier_conn *c)
{
	struct job job = {.conn = c};

	sem_init(&job.done, 0, 0);
	jobs[w->number] = &job;
	tier_crew_put(&crew, w->number);
	while (sem_wait(&job.done))
		;
	sem_destroy(&job.done);
	truth_charge(&c->q);
	return job.ret;
}

static void serve(struct tier_crew *unused, struct tier_worker *w, uint32_t nr)
{
	struct job *job = jobs[nr];

	(void)unused;
	truth_charge(&job->conn->q);
	job->ret = tier_worker_work(w, job->conn);
	truth_charge(NULL);
	sem_post(&job->done);
}

const char *tier_serve_executor(struct tier *t)
{
	const char *why;

	crew = (struct tier_crew){.tier = t, .serve = serve};
	if (tier_crew_start(&crew, TIER_QUEUE_FUTEX))
		return "error";
	t->work = work_elsewhere;
	why = tier_serve_threads(t);
	tier_crew_stop(&crew);
	return why;
}
