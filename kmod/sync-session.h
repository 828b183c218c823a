/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What hooks ask of the recording that runs; nobody else includes this. */
#ifndef TL_SYNC_SESSION_H
#define TL_SYNC_SESSION_H

struct tl_sync_thread;

struct tl_sync_thread *tl_sync_session_thread(void);

#endif
