/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ORIGIN_PACKAGES_H
#define TL_ORIGIN_PACKAGES_H

#include <stdbool.h>

struct tl_error;
struct tl_origin_packages;

int tl_origin_packages_read(struct tl_origin_packages **packages, const char *root, struct tl_error *note);
const char *tl_origin_package_of(const struct tl_origin_packages *packages, const char *path);
bool tl_origin_packages_list(const struct tl_origin_packages *packages);
bool tl_origin_package_same(const struct tl_origin_packages *packages, const char *a, const char *b);
void tl_origin_packages_free(struct tl_origin_packages *packages);

#endif
