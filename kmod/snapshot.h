/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SNAPSHOT_H
#define TL_SNAPSHOT_H

void tl_snapshot(void);

#endif
