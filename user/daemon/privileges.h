/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_PRIVILEGES_H
#define TL_DAEMON_PRIVILEGES_H

struct tl_error;

int tl_privileges_drop(struct tl_error *err);

#endif
