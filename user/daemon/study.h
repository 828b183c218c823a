/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_STUDY_H
#define TL_DAEMON_STUDY_H

struct tl_board;
struct tl_studies;

/* What is computed of the history only when somebody wants to see it. */
enum tl_study {
	TL_STUDY_DEMANDS,
	TL_STUDY_CAPACITY,
	TL_STUDY_KINDS
};

extern const char *const tl_study_names[TL_STUDY_KINDS];

struct tl_studies *tl_studies_new(struct tl_board *board);
void tl_studies_free(struct tl_studies *studies);
char *tl_study_answer(struct tl_studies *studies, enum tl_study which);

/* study-run.c: the process that computes one. */
#define TL_STUDY_OPTION "--study"
int tl_study_run(int argc, char **argv);

#endif
