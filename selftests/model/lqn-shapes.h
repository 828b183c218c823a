/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Networks of the shape that web applications have, as text. */
#ifndef TL_LQN_SHAPES_H
#define TL_LQN_SHAPES_H

#include <stdint.h>

/* Threads without limit; few; two cores each, and no limit; few, and each request is
 * logged by somebody; few, and processors that serve one by one. */
enum shop_kind { SHOP_FREE, SHOP_POOLS, SHOP_CORES, SHOP_LOG, SHOP_FCFS, SHOP_KINDS };

#define SHOP_MIXES 3
#define SHOP_LOADS 3

extern const char *const shop_kinds[SHOP_KINDS], *const shop_mixes[SHOP_MIXES];
extern const double shop_loads[SHOP_LOADS];

char *lqn_shop(unsigned int mix, unsigned int load, enum shop_kind kind, uint64_t seed);
char *lqn_host(unsigned int customers);
char *lqn_services(uint64_t seed);

#endif
