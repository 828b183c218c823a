// SPDX-License-Identifier: GPL-2.0-or-later
/* Intervals compressed (zstd), each part with a checksum: damage of a disk is no figure. */
#include "history-code.h"

#include "table.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <zstd.h>

#define KEPT_BYTES (6 << 20)
#define PART_BYTES_MAX (256U << 20) /* far more than any interval; who says more is no history */

/* What packing needs again and again. */
struct tl_packer {
	ZSTD_CCtx *to;
	ZSTD_DCtx *from;
	struct tl_code_to plain[TL_CODE_PARTS];
};

/**
 * tl_packer_new() - What packing and unpacking need
 *
 * Return: to be given to tl_packer_free(); NULL without memory.
 */
struct tl_packer *tl_packer_new(void)
{
	struct tl_packer *packer = calloc(1, sizeof(*packer));

	/* Intervals come and go, a megabyte each: the kernel is not to be asked for it every time. */
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	if (!packer)
		return NULL;
	packer->to = ZSTD_createCCtx();
	packer->from = ZSTD_createDCtx();
	if (packer->to && packer->from && !ZSTD_isError(ZSTD_CCtx_setParameter(packer->to, ZSTD_c_checksumFlag, 1)))
		return packer;
	tl_packer_free(packer);
	return NULL;
}

/**
 * tl_packer_free() - Free it
 * @packer: packer or NULL
 */
void tl_packer_free(struct tl_packer *packer)
{
	int i;

	if (!packer)
		return;
	ZSTD_freeCCtx(packer->to);
	ZSTD_freeDCtx(packer->from);
	for (i = 0; i < TL_CODE_PARTS; i++)
		free(packer->plain[i].byte);
	free(packer);
}

/**
 * tl_packed_free() - Free the bytes of a row
 * @packed: row
 */
void tl_packed_free(struct tl_packed *packed)
{
	int i;

	for (i = 0; i < TL_CODE_PARTS; i++)
		free(packed->byte[i]);
	memset(packed, 0, sizeof(*packed));
}

static int part_pack(struct tl_packer *packer, int part, struct tl_packed *packed)
{
	const struct tl_code_to *plain = &packer->plain[part];
	size_t room = ZSTD_compressBound(plain->n), n;
	u8 *to = malloc(room);

	if (!to)
		return -ENOMEM;
	n = ZSTD_compress2(packer->to, to, room, plain->byte, plain->n);
	if (ZSTD_isError(n)) {
		free(to);
		return -ENOMEM;
	}
	packed->byte[part] = realloc(to, n);
	if (!packed->byte[part])
		packed->byte[part] = to;
	packed->n[part] = n;
	return 0;
}

/**
 * tl_packer_pack() - An interval as a row
 * @packer: packer
 * @interval: the interval, its paths linked
 * @effort: 1 for the quickest, as zstd counts
 * @packed: filled in, to be given to tl_packed_free()
 *
 * Return: 0 or -ENOMEM, with nothing in @packed then.
 */
int tl_packer_pack(struct tl_packer *packer, const struct tl_interval *interval, int effort,
		   struct tl_packed *packed)
{
	int part, code;

	memset(packed, 0, sizeof(*packed));
	for (part = 0; part < TL_CODE_PARTS; part++) {
		packer->plain[part].n = 0;
		packer->plain[part].failed = false;
	}
	ZSTD_CCtx_setParameter(packer->to, ZSTD_c_compressionLevel, effort);
	code = tl_history_encode(interval, &packer->plain[TL_CODE_SUMS], &packer->plain[TL_CODE_HISTS]);
	for (part = 0; part < TL_CODE_PARTS && !code; part++)
		code = part_pack(packer, part, packed);
	if (code)
		tl_packed_free(packed);
	return code;
}

static int part_unpack(struct tl_packer *packer, const struct tl_packed *packed, int part)
{
	struct tl_code_to *plain = &packer->plain[part];
	unsigned long long n = ZSTD_getFrameContentSize(packed->byte[part], packed->n[part]);
	u8 *grown;

	if (n > PART_BYTES_MAX) /* as are both that mean that it is no frame */
		return -EBADMSG;
	if (n > plain->room) {
		grown = realloc(plain->byte, (size_t)n);
		if (!grown)
			return -ENOMEM;
		plain->byte = grown;
		plain->room = (size_t)n;
	}
	plain->n = ZSTD_decompressDCtx(packer->from, plain->byte, plain->room, packed->byte[part], packed->n[part]);
	return ZSTD_isError(plain->n) || plain->n != n ? -EBADMSG : 0;
}

/**
 * tl_packer_unpack() - A row as an interval
 * @packer: packer
 * @packed: the row; without histograms they are left empty
 * @tier: as tl_history_decode() has it
 * @interval: set to the interval, to be given to tl_interval_free()
 *
 * Return: 0; -EBADMSG if it is damaged; -ENOMEM.
 */
int tl_packer_unpack(struct tl_packer *packer, const struct tl_packed *packed, const char *tier,
		     struct tl_interval **interval)
{
	const struct tl_code_to *sums = &packer->plain[TL_CODE_SUMS], *hists = &packer->plain[TL_CODE_HISTS];
	int code = part_unpack(packer, packed, TL_CODE_SUMS);
	bool with = packed->byte[TL_CODE_HISTS];

	*interval = NULL;
	if (!code && with)
		code = part_unpack(packer, packed, TL_CODE_HISTS);
	return code ? code : tl_history_decode(sums->byte, sums->n, with ? hists->byte : NULL, with ? hists->n : 0, tier,
					       interval);
}

/**
 * tl_packer_sums() - Unpack the sums of a row for tl_packer_cells()
 * @packer: packer
 * @packed: the row
 *
 * Return: 0; -EBADMSG if it is damaged, by its checksum; -ENOMEM.
 */
int tl_packer_sums(struct tl_packer *packer, const struct tl_packed *packed)
{
	return part_unpack(packer, packed, TL_CODE_SUMS);
}

/**
 * tl_packer_cells() - Look at the cells of the row that was unpacked last, and nothing else
 * @packer: packer, after tl_packer_sums()
 * @tier: as tl_history_cells() has it, as are the others
 * @each: told of each cell
 * @arg: for @each
 *
 * Return: as tl_history_cells().
 */
int tl_packer_cells(const struct tl_packer *packer, const char *tier, tl_history_cell_fn *each, void *arg)
{
	const struct tl_code_to *sums = &packer->plain[TL_CODE_SUMS];

	return tl_history_cells(sums->byte, sums->n, tier, each, arg);
}
