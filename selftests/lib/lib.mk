# SPDX-License-Identifier: GPL-2.0-or-later
#
# The test services, for the machine and for the guests: build/guest/<arch>/NAME, linked
# statically so that they run in any root.
#
#   make -f selftests/lib/lib.mk                          this machine's architecture
#   make -f selftests/lib/lib.mk GUEST_ARCH=arm64         cross-built
#   make -f selftests/lib/lib.mk GUEST_OUT=DIR GUEST_CFLAGS=-fsanitize=address GUEST_LDFLAGS=…
#
# Run from the top of the tree; a makefile that includes this one gets the target guest-programs.

GUEST_DIR     := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
guest-native  := $(subst x86_64,amd64,$(subst aarch64,arm64,$(shell uname -m)))
GUEST_ARCH    ?= $(guest-native)
GUEST_OUT     ?= build/guest/$(GUEST_ARCH)
GUEST_OBJ     ?= $(GUEST_OUT).obj
GUEST_CC      ?= $(if $(filter $(GUEST_ARCH),$(guest-native)),$(CC),aarch64-linux-gnu-gcc-12)
GUEST_CFLAGS  ?= -O2 -g
GUEST_LDFLAGS ?= -static

guest-tierserver-objs := tierserver tier tier-answer tier-sync tier-thread tier-executor tier-fork \
			 tier-pool tier-crew tier-queue tier-epoll tier-coro tier-uring coro truth truth-write frame addr opt
guest-load-objs       := load load-run load-ask load-frame load-mix load-walk load-stats truth frame addr opt

# A cross-built library is found by a pkg-config of its own only. Without it the modes of
# tierserver that need it say so.
guest-pkg-config := $(if $(filter $(GUEST_ARCH),$(guest-native)),pkg-config,false)
GUEST_URING   := $(shell $(or $(filter-out pkg-config,$(PKG_CONFIG)),$(guest-pkg-config)) \
			--silence-errors --cflags --libs liburing)
guest-uring-cflags := $(if $(GUEST_URING),-DTIER_URING $(filter -I%,$(GUEST_URING)))

# What tierlens selftest runs: these are installed with it.
SELFTEST_PROGRAMS := $(addprefix $(GUEST_OUT)/,tierserver load)
GUEST_PROGRAMS := $(SELFTEST_PROGRAMS) $(addprefix $(GUEST_OUT)/,jobber jobber-bare replog lockloop stepper switcher recorder-lock.so)

.PHONY: guest-programs
guest-programs: $(GUEST_PROGRAMS)

$(GUEST_OBJ)/%.o: $(GUEST_DIR)/%.c
	@mkdir -p $(@D)
	$(GUEST_CC) -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -pthread $(guest-uring-cflags) \
		$(GUEST_CFLAGS) -MMD -MP -c -o $@ $<

$(GUEST_OUT)/tierserver: $(guest-tierserver-objs:%=$(GUEST_OBJ)/%.o)
	@mkdir -p $(@D)
	$(GUEST_CC) -pthread $(GUEST_CFLAGS) $(GUEST_LDFLAGS) -o $@ $^ \
		$(filter -L% -l%,$(GUEST_URING))

$(GUEST_OUT)/load: $(guest-load-objs:%=$(GUEST_OBJ)/%.o)
	@mkdir -p $(@D)
	$(GUEST_CC) -pthread $(GUEST_CFLAGS) $(GUEST_LDFLAGS) -o $@ $^ -lm

# Their libraries' functions are watched, so they have some; and their own are to be found on the stack.
$(patsubst %,$(GUEST_OBJ)/%.o,jobber replog lockloop stepper switcher): private GUEST_CFLAGS += -fno-optimize-sibling-calls -fno-ipa-icf
$(GUEST_OUT)/jobber: $(GUEST_OBJ)/jobber.o
$(GUEST_OUT)/replog: $(patsubst %,$(GUEST_OBJ)/%.o,replog addr opt)
$(GUEST_OUT)/lockloop: $(patsubst %,$(GUEST_OBJ)/%.o,lockloop addr opt)
$(GUEST_OUT)/stepper: $(patsubst %,$(GUEST_OBJ)/%.o,stepper frame addr opt)
$(GUEST_OUT)/switcher: $(patsubst %,$(GUEST_OBJ)/%.o,switcher addr opt)
$(GUEST_OUT)/jobber $(GUEST_OUT)/replog $(GUEST_OUT)/lockloop $(GUEST_OUT)/stepper $(GUEST_OUT)/switcher:
	@mkdir -p $(@D)
	$(GUEST_CC) -pthread $(GUEST_CFLAGS) $(filter-out -static,$(GUEST_LDFLAGS)) -o $@ $^

# The same as others may have built it: no names, nothing that tells how to come to a caller.
$(GUEST_OBJ)/jobber-bare.o: private GUEST_CFLAGS += -g0 -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables
$(GUEST_OBJ)/jobber-bare.o: $(GUEST_DIR)/jobber.c
	@mkdir -p $(@D)
	$(GUEST_CC) -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -pthread $(GUEST_CFLAGS) -MMD -MP -c -o $@ $<
$(GUEST_OUT)/jobber-bare: $(GUEST_OBJ)/jobber-bare.o
	@mkdir -p $(@D)
	$(GUEST_CC) -pthread -s $(GUEST_CFLAGS) $(filter-out -static,$(GUEST_LDFLAGS)) -o $@ $^

$(GUEST_OBJ)/recorder-lock.o: private GUEST_CFLAGS += -fPIC
$(GUEST_OUT)/recorder-lock.so: $(GUEST_OBJ)/recorder-lock.o
	@mkdir -p $(@D)
	$(GUEST_CC) -pthread -shared $(GUEST_CFLAGS) $(filter-out -static,$(GUEST_LDFLAGS)) -o $@ $^ -ldl

-include $(wildcard $(GUEST_OBJ)/*.d)
