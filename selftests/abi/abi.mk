# SPDX-License-Identifier: GPL-2.0-or-later
#
# The second client of the netlink ABI and its tests: build/guest/<arch>/NAME, linked with
# libmnl, which the guests have.
#
#   make -f selftests/abi/abi.mk                          this machine's architecture
#   make -f selftests/abi/abi.mk GUEST_ARCH=arm64 $(tools/image arm64-flags)
#
# Run from the top of the tree; a makefile that includes this one gets the target abi-programs.

ABI_DIR       := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
ABI_HOST      := $(subst x86_64,amd64,$(subst aarch64,arm64,$(shell uname -m)))
GUEST_ARCH    ?= $(ABI_HOST)
GUEST_OUT     ?= build/guest/$(GUEST_ARCH)
GUEST_CC      ?= $(if $(filter $(GUEST_ARCH),$(ABI_HOST)),$(CC),aarch64-linux-gnu-gcc-12)
GUEST_CFLAGS  ?= -O2 -g
ABI_OBJ       ?= $(GUEST_OUT).obj/abi
PKG_CONFIG    ?= pkg-config
ABI_CFLAGS    ?= $(shell $(PKG_CONFIG) --cflags libmnl)
ABI_LIBS      ?= $(shell $(PKG_CONFIG) --libs libmnl)

abi-tlmnl-objs  := tlmnl tlmnl-ask tlmnl-read tl interval fields json sync symbol
abi-bad-objs    := abi-bad bad-message bad-request bad-cases bad-fuzz tl
abi-security-objs := abi-security bad-message tl
abi-strict-objs := strict interval fields json
abi-ports-objs  := ports

ABI_PROGRAMS := $(addprefix $(GUEST_OUT)/,tlmnl abi-bad abi-security abi-strict ports)

.PHONY: abi-programs
abi-programs: $(ABI_PROGRAMS)

$(ABI_OBJ)/%.o: $(ABI_DIR)/%.c
	@mkdir -p $(@D)
	$(GUEST_CC) -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Iinclude/uapi $(ABI_CFLAGS) \
		$(GUEST_CFLAGS) -MMD -MP -c -o $@ $<

$(GUEST_OUT)/tlmnl: $(abi-tlmnl-objs:%=$(ABI_OBJ)/%.o)
$(GUEST_OUT)/abi-bad: $(abi-bad-objs:%=$(ABI_OBJ)/%.o)
$(GUEST_OUT)/abi-security: $(abi-security-objs:%=$(ABI_OBJ)/%.o)
$(GUEST_OUT)/abi-strict: $(abi-strict-objs:%=$(ABI_OBJ)/%.o)
$(GUEST_OUT)/ports: $(abi-ports-objs:%=$(ABI_OBJ)/%.o)
$(ABI_PROGRAMS):
	@mkdir -p $(@D)
	$(GUEST_CC) $(GUEST_CFLAGS) $(LDFLAGS) -o $@ $^ $(ABI_LIBS)

-include $(wildcard $(ABI_OBJ)/*.d)
