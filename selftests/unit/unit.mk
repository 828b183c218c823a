# SPDX-License-Identifier: GPL-2.0-or-later
#
# Everything in selftests/unit, under prove; from the top of the tree:
#
#   make -f selftests/unit/unit.mk check-unit    all of it
#   make -f selftests/unit/unit.mk check-core    the correlation core alone
#
# The core's tests are build/unit/test-core-NAME; the command line's are made by user/user.mk and
# the test services by selftests/lib/lib.mk, which a makefile that includes this one includes first.
# Overridable: O (where to build), CC, UNIT_CFLAGS, PROVE, TEST_JOBS (how many at once).

.PHONY: check-unit check-core unit-clean
check-unit:

ifndef user-lib-sources
include user/user.mk
endif
ifndef GUEST_PROGRAMS
include selftests/lib/lib.mk
endif
ifndef bench-dir
include selftests/bench/bench.mk
endif

O ?= build
PROVE ?= prove
TEST_JOBS ?= 2
UNIT_CFLAGS ?= -fsanitize=address,undefined -fno-sanitize-recover=all -g -O1

unit-dir := selftests/unit
unit-out := $(O)/unit
unit-warnings := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes
unit-core-dir ?= kmod/core
unit-core-cflags = -std=gnu11 $(UNIT_CFLAGS) $(unit-warnings) -Iuser/port -I$(unit-core-dir) \
	-I$(unit-dir)

# What every test of the core links: the core, and its world and reference.
unit-core-sources := $(sort $(wildcard $(unit-core-dir)/*.c) $(wildcard $(unit-dir)/core-*.c))
unit-core-headers := $(wildcard $(unit-core-dir)/*.h $(unit-dir)/core-*.h) $(unit-dir)/tap.h $(unit-dir)/any.h \
	user/port/port.h
unit-core-objects := $(patsubst %.c,$(unit-out)/obj/%.o,$(notdir $(unit-core-sources)))
unit-core-tests := $(patsubst $(unit-dir)/%.c,$(unit-out)/%,\
	$(sort $(wildcard $(unit-dir)/test-core-*.c)))
unit-scripts := $(sort $(wildcard $(unit-dir)/test-*.sh)) selftests/lib/check-shapes.sh \
	selftests/bench/check-bench.sh

# What scripts of the command line run, once there is one.
unit-user-programs := $(if $(wildcard $(unit-dir)/test-user-*.sh),\
	$(O)/tierlens $(user-test-dir)/tierlens-fake)

vpath %.c $(unit-core-dir) $(unit-dir)

$(unit-out)/obj/%.o: %.c $(unit-core-headers) $(unit-dir)/unit.mk
	@mkdir -p $(@D)
	$(CC) $(unit-core-cflags) -c -o $@ $<

$(unit-core-tests): $(unit-out)/test-core-%: $(unit-out)/obj/test-core-%.o $(unit-core-objects)
	$(CC) $(UNIT_CFLAGS) -o $@ $^

check-core: $(unit-core-tests)
	$(PROVE) -e '' $(unit-core-tests)

check-unit: $(unit-core-tests) $(user-tests) $(unit-user-programs) $(GUEST_PROGRAMS)
	TIERSERVER=$(abspath $(GUEST_OUT))/tierserver LOAD=$(abspath $(GUEST_OUT))/load \
	BENCH=$(abspath $(O))/bench TIERLENS=$(O)/tierlens TIERLENS_FAKE=$(user-test-dir)/tierlens-fake \
		$(PROVE) -j $(TEST_JOBS) -e '' $(unit-core-tests) $(user-tests) $(bench-tests) $(unit-scripts)

unit-clean:
	rm -rf $(unit-out)
