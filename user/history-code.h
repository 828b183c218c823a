/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_HISTORY_CODE_H
#define TL_HISTORY_CODE_H

#include "hist.h"

struct tl_cell;
struct tl_interval;

/* Takes a cell of a tier; 0 or -ENOMEM. */
typedef int tl_history_cell_fn(const char *tier, const struct tl_cell *cell, void *arg);

/* Bytes that grow while they are written. @failed: there was no memory for some. */
struct tl_code_to {
	u8 *byte;
	size_t n, room;
	bool failed;
};

/* Bytes that are read. @bad: there were fewer than were to be there, or they make no sense. */
struct tl_code_from {
	const u8 *byte;
	size_t n, at;
	bool bad;
};

void tl_code_put(struct tl_code_to *to, u64 value);
u8 *tl_code_put_room(struct tl_code_to *to, size_t n);
void tl_code_put_bytes(struct tl_code_to *to, const void *bytes, size_t n);
void tl_code_put_real(struct tl_code_to *to, double value);
u64 tl_code_get(struct tl_code_from *from);
size_t tl_code_get_n(struct tl_code_from *from, size_t least);
const u8 *tl_code_get_bytes(struct tl_code_from *from, size_t n);
double tl_code_get_real(struct tl_code_from *from);

/* Histograms, by far the most of an interval, stand apart: not every reader wants them. */
enum tl_code_part { TL_CODE_SUMS, TL_CODE_HISTS, TL_CODE_PARTS };

/* Of a row: its parts, compressed. */
struct tl_packed {
	u8 *byte[TL_CODE_PARTS];
	size_t n[TL_CODE_PARTS];
};

struct tl_packer;

struct tl_packer *tl_packer_new(void);
void tl_packer_free(struct tl_packer *packer);
int tl_packer_pack(struct tl_packer *packer, const struct tl_interval *interval, int effort,
		   struct tl_packed *packed);
int tl_packer_unpack(struct tl_packer *packer, const struct tl_packed *packed, const char *tier,
		     struct tl_interval **interval);
int tl_packer_sums(struct tl_packer *packer, const struct tl_packed *packed);
int tl_packer_cells(const struct tl_packer *packer, const char *tier, tl_history_cell_fn *each, void *arg);
void tl_packed_free(struct tl_packed *packed);

/* Between the two: what is written, not compressed. */
int tl_history_encode(const struct tl_interval *interval, struct tl_code_to *sums, struct tl_code_to *hists);
int tl_history_decode(const void *sums, size_t sums_n, const void *hists, size_t hists_n, const char *tier,
		      struct tl_interval **interval);
int tl_history_cells(const void *sums, size_t n, const char *tier, tl_history_cell_fn *each, void *arg);

#endif
