# SPDX-License-Identifier: GPL-2.0-or-later
# The people's build. "make help" lists what there is to make.

O ?= build
CC = gcc
KDIR ?= /lib/modules/$(shell uname -r)/build
TL_VERSION := $(shell sed -n 's/.*TIERLENS_VERSION "\(.*\)"/\1/p' include/tierlens-version.h)

.PHONY: all help
all: ## module for the running kernel if its headers are here, and the user side
	@$(MAKE) --no-print-directory user
	@if [ -d "$(KDIR)" ]; then $(MAKE) --no-print-directory module; else \
		echo "no headers of the running kernel ($(KDIR)): module not built; make module KDIR=..."; fi

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

include user/user.mk
include selftests/lib/lib.mk

.PHONY: module
module: ## build/KERNEL/tierlens.ko for the kernel whose headers are in KDIR
	@tools/module-build "$(KDIR)"

