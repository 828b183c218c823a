/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one place that names the release. */
#ifndef TIERLENS_VERSION_H
#define TIERLENS_VERSION_H

#define TIERLENS_VERSION "0.1.0"

#endif
