# SPDX-License-Identifier: GPL-2.0-or-later
#
# Benchmarks; from the top of the tree:
#
#   make bench            all of them, without a kernel: what is measured, and how, says Documentation/performance.md
#   make bench ARGS="-o FILE --compare OLD"
#
# Overridable: O (where to build), CC, CFLAGS.

.PHONY: bench bench-vm bench-programs

ifndef model-dir
include selftests/model/model.mk
endif

bench-dir := selftests/bench
bench-out := $(O)/bench
# What of the module runs at events, down from tl_track_*().
bench-kmod := class events handoff keyed memory peer process stats tier track-handoff
# These are one unit there.
bench-events := $(shell sed -n 's,^\#include "\(.*\.c\)",kmod/\1,p' kmod/events.c)
bench-core := $(patsubst kmod/core/%.c,%,$(filter-out $(bench-events),$(wildcard kmod/core/*.c)))
bench-headers := $(wildcard $(bench-dir)/*.h $(bench-dir)/kernel/*.h kmod/*.h kmod/core/*.h) user/port/port.h
bench-objects := $(addprefix $(bench-out)/,bench.o core.o module.o absent.o $(bench-kmod:%=kmod/%.o) $(bench-core:%=core/%.o))
# As the kernel is compiled, as far as it matters for speed.
bench-cflags = -std=gnu11 -O2 -g -Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers -Wno-format-truncation \
	-fno-strict-aliasing -D_GNU_SOURCE -I$(bench-out)/include -I$(bench-dir) -I$(bench-dir)/kernel -Iuser/port -Ikmod \
	-Ikmod/core -Iinclude -Iinclude/uapi $(CFLAGS)

# For each header of the kernel that is asked for, one that leads to kernel.h.
bench-include := $(bench-out)/include/made
$(bench-include): $(wildcard kmod/*.[ch]) $(bench-dir)/bench.mk
	@rm -rf $(@D) && mkdir -p $(@D)
	@sed -n 's,^#include <\(\(linux\|net\)/.*\)>,\1,p' $(wildcard kmod/*.[ch]) | grep -v '^linux/errno.h' | sort -u | \
		while read -r header; do mkdir -p $(@D)/$$(dirname $$header); \
		echo '#include "kernel.h"' >$(@D)/$$header; done
	@touch $@

$(bench-out)/kmod/%.o: kmod/%.c $(bench-include) $(bench-headers)
	@mkdir -p $(@D)
	$(CC) $(bench-cflags) -c -o $@ $<
$(bench-out)/kmod/events.o: $(bench-events)
# As in Kbuild; the second only where the compiler knows it, which is one processor's.
$(bench-out)/kmod/events.o: bench-cflags += --param max-inline-insns-auto=60 --param large-function-insns=10000 \
	--param inline-unit-growth=200 \
	$(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),$(bench-words))
bench-words := -mmemset-strategy=unrolled_loop:256:noalign,libcall:-1:noalign \
	-mmemcpy-strategy=unrolled_loop:256:noalign,libcall:-1:noalign
$(bench-out)/core/%.o: kmod/core/%.c $(bench-include) $(bench-headers)
	@mkdir -p $(@D)
	$(CC) $(bench-cflags) -c -o $@ $<
$(bench-out)/%.o: $(bench-dir)/%.c $(bench-include) $(bench-headers)
	@mkdir -p $(@D)
	$(CC) $(bench-cflags) -c -o $@ $<
$(bench-out)/absent.o: $(bench-dir)/kernel/absent.c $(bench-include) $(bench-headers)
	@mkdir -p $(@D)
	$(CC) $(bench-cflags) -c -o $@ $<

$(bench-out)/bench: $(bench-objects)
	$(CC) -o $@ $^ -pthread

# The models are the command's own objects, and what is made up for them is that of their tests.
bench-model-objects := $(patsubst %.c,$(O)/user/%.o,$(bench-dir)/bench.c $(bench-dir)/models.c)
$(O)/user/$(bench-dir)/%.o: CFLAGS += -I$(model-dir) -Iselftests/unit -Wno-missing-field-initializers
$(bench-model-objects) $(O)/user/$(bench-dir)/history.o: $(wildcard $(bench-dir)/*.h) $(model-headers) \
	selftests/unit/made-intervals.h

$(bench-out)/models: $(bench-model-objects) $(addprefix $(O)/user/,$(model-shared)) $(user-lib)
	@mkdir -p $(@D)
	$(CC) -o $@ $^ $(LDFLAGS) $(user-libs) -pthread

$(bench-out)/history: $(O)/user/$(bench-dir)/history.o $(user-lib)
	@mkdir -p $(@D)
	$(CC) -o $@ $^ $(LDFLAGS) $(user-libs)

bench-programs: $(bench-out)/bench $(bench-out)/models

bench: bench-programs $(O)/tierlens ## core, tables and models by themselves: times and instructions. ARGS="-o FILE --compare OLD --only PATTERN"
	@TIERLENS=$(abspath $(O))/tierlens $(bench-dir)/run --program $(bench-out)/bench --program $(bench-out)/models $(ARGS)

bench-vm: ## what the module costs real servers, in a virtual machine, in instructions; an hour. ARGS="--loads shop --turns 2", ARGS=--others: other tools
	@tools/setup build check vm
	@$(MAKE) --no-print-directory user guest
	@tools/kmod-build 6.1
	@tools/bench-vm $(ARGS)

# What of the module runs without a kernel can be tested without one, too.
bench-tests := $(addprefix $(bench-out)/,test-handoff test-pools test-shard)
$(bench-tests:=.o): bench-cflags += -Iselftests/unit
$(bench-tests:=.o): selftests/unit/tap.h
$(bench-out)/test-handoff: private bench-wrap := -Wl,--wrap=tl_ledger_told
$(bench-tests): $(bench-out)/%: $(bench-out)/%.o $(bench-out)/test-alloc.o \
	$(filter-out %/bench.o %/core.o %/module.o,$(bench-objects))
	$(CC) $(bench-wrap) -o $@ $^

# Whether they still measure what they say is a test like others.
check-unit: bench-programs $(bench-tests)

.PHONY: bench-history
bench-history: $(bench-out)/history ## a year of history of 20 tiers and 10 classes: its size, queries, cost of an interval
	$< $(O)/history-year.db 366; rm -f $(O)/history-year.db*
