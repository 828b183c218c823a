/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_REPLAY_H
#define TL_DAEMON_REPLAY_H

struct tl_daemon;
struct tl_error;

int tl_daemon_replay(const struct tl_daemon *daemon, const char *file, struct tl_error *err);

#endif
