/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TIERS_H
#define TL_TIERS_H

#include <jansson.h>

struct tl_tier_info;

json_t *tl_tiers_json(const struct tl_tier_info *tiers, size_t n);
void tl_tiers_level(char *to, size_t room, const struct tl_tier_info *tier);
void tl_tiers_print(const struct tl_tier_info *tiers, size_t n);

#endif
