// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gaps between intervals
 *
 * Generations count up by one while measuring goes on, and jump ahead when it is
 * turned on again or begins anew with other settings. A jump therefore means lost
 * intervals only if it took as much time as they would have; else nothing was
 * lost, because nothing was measured. They begin anew when the module is loaded anew.
 */
#include "gap.h"

#include "table.h"

#include <inttypes.h>
#include <stdio.h>

/**
 * tl_gap_look() - Look at the next interval
 * @gap: zeroed before the first; @missed and @off_ns are set
 * @interval: the interval
 */
void tl_gap_look(struct tl_gap *gap, const struct tl_interval *interval)
{
	u64 length_ns = max(gap->length_ns, interval->length_ns), jump, time_ns = 0;

	gap->missed = 0;
	gap->off_ns = 0;
	jump = interval->generation > gap->generation + 1 ?
		       interval->generation - gap->generation - 1 :
		       0;
	if (interval->start_ns > gap->end_ns)
		time_ns = interval->start_ns - gap->end_ns;
	if (gap->generation && jump) {
		/* Half an interval of slack: clocks are slewed. */
		if (time_ns + length_ns / 2 >= jump * length_ns &&
		    time_ns <= jump * length_ns + length_ns / 2)
			gap->missed = jump;
		else
			gap->off_ns = time_ns;
	} else if (gap->generation && interval->generation <= gap->generation) {
		/* The module was loaded anew: nobody counted what went between. */
		gap->off_ns = time_ns;
	}
	gap->generation = interval->generation;
	gap->end_ns = interval->start_ns + interval->length_ns;
	gap->length_ns = interval->length_ns;
}

/**
 * tl_gap_print() - The sentence for a gap
 * @to: filled in; "" if nothing is missing
 * @room: size of @to in bytes
 * @gap: after a look at the interval behind the gap
 */
void tl_gap_print(char *to, size_t room, const struct tl_gap *gap)
{
	if (gap->missed == 1)
		snprintf(to, room, "1 interval missed (generation %" PRIu64 ")",
			 gap->generation - 1);
	else if (gap->missed)
		snprintf(to, room,
			 "%" PRIu64 " intervals missed (generations %" PRIu64
			 " to %" PRIu64 ")",
			 gap->missed, gap->generation - gap->missed, gap->generation - 1);
	else if (gap->off_ns)
		snprintf(to, room, "measuring was off for %.3g s",
			 tl_ns_to_s(gap->off_ns));
	else
		snprintf(to, room, "%s", "");
}
