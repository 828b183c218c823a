/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SELFTEST_FINDINGS_H
#define TL_SELFTEST_FINDINGS_H

#include <stdbool.h>

struct tl_session;

void tl_findings_print(const struct tl_session *session);
int tl_findings_json(const struct tl_session *session);
int tl_findings_status(const struct tl_session *session);
int tl_findings_shapes(bool json);

#endif
