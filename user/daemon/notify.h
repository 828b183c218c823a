/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_NOTIFY_H
#define TL_DAEMON_NOTIFY_H

void tl_notify(const char *state);
void tl_notify_reloading(void);
void tl_notify_watchdog(void);

#endif
