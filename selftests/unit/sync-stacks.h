/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of sync-stacks. */
#ifndef SYNC_STACKS_H
#define SYNC_STACKS_H

void take(void);
void __three(void);
void by_pointer(void (*then)(void));
void by_nothing(void (*then)(void));

#endif
