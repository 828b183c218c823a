// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All that runs at an event, from what a hook saw to the sums, as one unit
 *
 * A tenth of what an event costs is calls between these files, which the compiler can
 * spare only if it sees them together. Each of them can be compiled on its own, too, and
 * the tests do so; but names of what is static must be unlike in all of them.
 */
#include "track.c"
#include "turn.c"
#include "server.c"
#include "client.c"
#include "conn.c"
#include "thread.c"
#include "send.c"
#include "usage.c"
#include "path.c"
#include "join.c"
#include "errand.c"
#include "ledger.c"
#include "shard.c"
#include "core/correlate.c"
#include "core/request.c"
#include "core/link.c"
#include "core/cell.c"
#include "core/hist.c"
