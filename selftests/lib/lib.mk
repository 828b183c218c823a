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
GUEST_ARCH    ?= $(subst x86_64,amd64,$(subst aarch64,arm64,$(shell uname -m)))
GUEST_OUT     ?= build/guest/$(GUEST_ARCH)
GUEST_OBJ     ?= $(GUEST_OUT).obj
GUEST_CC      ?= $(if $(filter $(GUEST_ARCH),$(subst x86_64,amd64,$(subst aarch64,arm64,$(shell uname -m)))),$(CC),aarch64-linux-gnu-gcc)
GUEST_CFLAGS  ?= -O2 -g
GUEST_LDFLAGS ?= -static

guest-tierserver-objs := tierserver tier tier-sync tier-thread tier-pool tier-epoll \
			 truth frame addr
guest-load-objs       := load load-run load-ask load-mix load-stats truth frame addr

GUEST_PROGRAMS := $(addprefix $(GUEST_OUT)/,tierserver load)

.PHONY: guest-programs
guest-programs: $(GUEST_PROGRAMS)

$(GUEST_OBJ)/%.o: $(GUEST_DIR)/%.c
	@mkdir -p $(@D)
	$(GUEST_CC) -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -pthread $(GUEST_CFLAGS) \
		-MMD -MP -c -o $@ $<

$(GUEST_OUT)/tierserver: $(guest-tierserver-objs:%=$(GUEST_OBJ)/%.o)
	@mkdir -p $(@D)
	$(GUEST_CC) -pthread $(GUEST_CFLAGS) $(GUEST_LDFLAGS) -o $@ $^

$(GUEST_OUT)/load: $(guest-load-objs:%=$(GUEST_OBJ)/%.o)
	@mkdir -p $(@D)
	$(GUEST_CC) -pthread $(GUEST_CFLAGS) $(GUEST_LDFLAGS) -o $@ $^ -lm

-include $(wildcard $(GUEST_OBJ)/*.d)
