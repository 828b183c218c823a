/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TASKS_PAGE_H
#define TL_TASKS_PAGE_H

#include <stdio.h>

struct tl_tasks_diff;
struct tl_tasks_view;

/* tasks-page-tables.c */
void tl_tasks_page_tables(const struct tl_tasks_view *view, FILE *to);
void tl_tasks_page_changes(const struct tl_tasks_diff *diff, FILE *to);

#endif
