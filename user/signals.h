/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SIGNALS_H
#define TL_SIGNALS_H

#include <stdbool.h>

void tl_signals_catch(void);
void tl_signals_catch_reload(void);
bool tl_signals_reload(void);
bool tl_signals_stopped(void);
bool tl_signals_resized(void);
void tl_signals_sleep(double seconds);

#endif
