// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages of the kernel, or of whoever takes its place. The first byte tells of what command; then come messages,
 * each with its length in two bytes and its attributes.
 */
#include "fuzz.h"

#include "ctl-read.h"
#include "ctl.h"
#include "recording.h"

static tl_ctl_reader *const readers[] = { tl_ctl_read_module, tl_ctl_read_tier, tl_ctl_read_class, tl_ctl_read_hook,
					  tl_ctl_read_pmu, tl_ctl_read_function };
static const size_t sizes[] = { 0, sizeof(struct tl_tier_info), sizeof(struct tl_class_info),
				sizeof(struct tl_hook), sizeof(struct tl_pmu_info),
				sizeof(struct tl_function_info) };

/* In memory of its own size, aligned as netlink's messages are. */
static int message(tl_ctl_reader *reader, const uint8_t **data, size_t *size, void *arg)
{
	size_t len = *size < 2 ? 0 : (size_t)((*data)[0] | (*data)[1] << 8) % (*size - 1);
	void *copy = fuzz_copy(*data + 2 * (*size >= 2), len);
	int code;

	*data += len + 2;
	*size = *size < len + 3 ? 0 : *size - len - 2;
	code = reader(copy, (int)len, arg);
	free(copy);
	return code;
}

static void intervals(const uint8_t *data, size_t size)
{
	struct tl_intervals list = { 0 };
	struct tl_ctl_interval_reader reader = { &list, false };
	size_t i;

	while (size && !message(tl_ctl_read_interval, &data, &size, &reader))
		;
	for (i = 0; i < list.n; i++)
		json_decref(tl_interval_json(list.interval[i]));
	tl_intervals_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_ctl_rows rows = { 0 };
	struct tl_module module;
	size_t which;

	if (!size)
		return 0;
	which = data[0] % 7;
	data++;
	size--;
	if (which == 6) {
		intervals(data, size);
		return 0;
	}
	memset(&module, 0, sizeof(module));
	rows.size = sizes[which];
	while (size && !message(readers[which], &data, &size, which ? (void *)&rows : &module))
		;
	free(rows.row);
	return 0;
}
