/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_FUZZ_LQN_H
#define TL_FUZZ_LQN_H

#include "fuzz.h"

#include "lqn-read.h"
#include "model/lqn.h"

/* A layered queueing network, as XML or as text. */
static inline int fuzz_lqn(const uint8_t *data, size_t size, bool xml)
{
	struct tl_faults faults = { .file = "input" };
	struct tl_lqn lqn = { 0 };
	char *text = malloc(size + 1);
	int code;

	memcpy(text, data, size);
	text[size] = '\0';
	code = tl_lqn_parse(&lqn, text, size, xml, &faults);
	fuzz_must(!code || faults.faults, "a refusal without a sentence");
	tl_lqn_free(&lqn);
	tl_faults_free(&faults);
	free(text);
	return 0;
}

#endif
