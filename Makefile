# SPDX-License-Identifier: GPL-2.0-or-later
# The people's build. "make help" lists what there is to make.

O ?= build
CC = gcc
KDIR ?= /lib/modules/$(shell uname -r)/build

.PHONY: all help
all: ## module for the running kernel if its headers are here, and the command line
	@tools/setup build
	@$(MAKE) --no-print-directory user
	@if [ -e "$(KDIR)" ]; then $(MAKE) --no-print-directory module; else \
		echo "No headers of the running kernel at $(KDIR): the module was not built."; \
		echo "For another kernel: make module KDIR=/usr/src/linux-headers-VERSION"; fi

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

include user/user.mk
include selftests/lib/lib.mk
include selftests/abi/abi.mk
include selftests/model/model.mk
include selftests/bench/bench.mk
include selftests/unit/unit.mk
include selftests/fuzz/fuzz.mk

# The command's self test runs the test services.
user: $(SELFTEST_PROGRAMS)

# ---- the module ---------------------------------------------------------------

.PHONY: module install install-dkms deb uninstall
module: ## the module, for the kernel whose headers are in KDIR
	@tools/module "$(KDIR)"

PREFIX ?= /usr/local
# For whoever watches many hosts.
MONITORING := $(addprefix tools/monitoring/,prometheus.yml tierlens.rules.yml tierlens.test.yml tierlens-dashboard.json)
install: ## what was built: module for the running kernel, command line, daemon and its unit, man pages, completion, rules and dashboard
	install -D -m 755 $(O)/tierlens $(DESTDIR)$(PREFIX)/bin/tierlens
	install -D -m 755 $(O)/tierlensd $(DESTDIR)$(PREFIX)/sbin/tierlensd
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/libexec/tierlens $(SELFTEST_PROGRAMS)
	install -D -m 644 user/origin-model.json $(DESTDIR)$(PREFIX)/share/tierlens/origin-model.json
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/tierlens/monitoring $(MONITORING)
	install -D -m 644 Documentation/tierlens.1 $(DESTDIR)$(PREFIX)/share/man/man1/tierlens.1
	install -D -m 644 Documentation/tierlensd.8 $(DESTDIR)$(PREFIX)/share/man/man8/tierlensd.8
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/bash-completion/completions tools/completion/tierlens tools/completion/tierlensd
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's,/usr/local/sbin/,$(PREFIX)/sbin/,' tools/systemd/tierlensd.service \
		>$(DESTDIR)$(PREFIX)/lib/systemd/system/tierlensd.service
	@# Settings that somebody has changed are his.
	@[ -e $(DESTDIR)/etc/tierlens/tierlensd.conf ] || \
		install -D -m 644 tools/systemd/tierlensd.conf $(DESTDIR)/etc/tierlens/tierlensd.conf
	@ko="$(O)/$$(uname -r)/tierlens.ko"; if [ -f "$$ko" ]; then \
		install -D -m 644 "$$ko" "$(DESTDIR)/lib/modules/$$(uname -r)/updates/tierlens.ko" && \
		{ [ -n "$(DESTDIR)" ] || depmod; }; fi

# What the module is made of, and nothing else.
VERSION := $(shell sed -n 's/^.define TIERLENS_VERSION "\(.*\)"/\1/p' include/tierlens-version.h)
install-dkms: ## the module's source, for DKMS to build it for each kernel: then dkms add tierlens/VERSION
	find Kbuild kmod include -type f -exec install -D -m 644 {} $(DESTDIR)/usr/src/tierlens-$(VERSION)/{} \;
	sed 's/#MODULE_VERSION#/$(VERSION)/' tools/dkms.conf >$(DESTDIR)/usr/src/tierlens-$(VERSION)/dkms.conf

deb: ## Debian packages of the command and of the module's source, in build/deb/
	@tools/setup build deb
	@tools/deb

uninstall: ## the reverse; /etc/tierlens stays
	rm -f $(DESTDIR)$(PREFIX)/lib/systemd/system/tierlensd.service \
		$(DESTDIR)$(PREFIX)/bin/tierlens $(DESTDIR)$(PREFIX)/share/man/man1/tierlens.1 \
		$(DESTDIR)$(PREFIX)/sbin/tierlensd $(DESTDIR)$(PREFIX)/share/man/man8/tierlensd.8 \
		$(DESTDIR)$(PREFIX)/share/tierlens/origin-model.json \
		$(addprefix $(DESTDIR)$(PREFIX)/share/tierlens/monitoring/,$(notdir $(MONITORING))) \
		$(addprefix $(DESTDIR)$(PREFIX)/share/bash-completion/completions/,tierlens tierlensd) \
		$(addprefix $(DESTDIR)$(PREFIX)/libexec/tierlens/,$(notdir $(SELFTEST_PROGRAMS))) \
		"$(DESTDIR)/lib/modules/$$(uname -r)/updates/tierlens.ko"

# ---- demo and tests -----------------------------------------------------------

# What tools/check does: kernels of Documentation/kernels.md that the tests run on, with the machine
# that they want, each one boot. First what takes the time that others leave, then the longest.
CHECK_VM ?= 6.1+virtual 6.1-arm64+virtual 6.1 5.10 newest 6.12 6.1-arm64 6.1+single newest+single 5.10+single \
	6.1-arm64+single 6.12+single
CHECK_JOBS ?= host $(CHECK_VM) static

.PHONY: demo eval-demand eval-lqn eval-hosts eval-origin eval-page eval-push check check-deb check-long check-vm check-static guest guest-arm64 soak vm-setup clean
demo: ## a measured shop in a virtual machine, live, then its report in build/demo/
	@tools/setup build check vm
	@$(MAKE) --no-print-directory user guest
	@tools/demo

eval-demand: ## the experiment behind "tierlens demand", in a virtual machine; ARGS=--quick: ten minutes
	@tools/setup build check vm
	@$(MAKE) --no-print-directory user guest
	@tools/eval-demand $(ARGS)

eval-lqn: ## predictions of heavier loads from a light one, in a virtual machine; about forty minutes, ARGS=--quick: less
	@tools/setup build check vm
	@$(MAKE) --no-print-directory user guest
	@tools/eval-lqn $(ARGS)

eval-hosts: ## the shop on three virtual machines with a network, a Prometheus, a VictoriaMetrics: what is joined; a quarter of an hour
	@tools/setup build check vm
	@$(MAKE) --no-print-directory user guest
	@tools/kmod-build 6.1
	@tools/eval-hosts $(ARGS)

eval-page: ## the page of tierlensd in a browser, fed by a shop in a virtual machine; three minutes, pictures in build/eval-page/
	@tools/setup build check vm browser page
	@$(MAKE) --no-print-directory user guest
	@tools/kmod-build 6.1
	@tools/eval-page $(ARGS)

eval-origin: ## whose code files are, on packages held out; two minutes and 1 GB of packages. ARGS=--ship: a new model, --folds: judged within those
	@tools/setup build check
	@$(MAKE) --no-print-directory user guest-programs
	@tools/eval-origin $(ARGS)

eval-push: ## 1,000 hosts' remote write at one VictoriaMetrics, ten minutes. ARGS="--hosts 100 --seconds 120 --skip '*_bucket'": less
	@tools/setup build check
	@$(MAKE) --no-print-directory user $(O)/eval-push/push-hosts
	@tools/eval-push $(ARGS)

check: ## all tests; installs what they need
	@tools/setup build check vm deb
	@command -v npm >/dev/null || tools/setup page
	@tools/setup browser || echo "Without chromium the test of the page is skipped."
	@tools/check $(CHECK_JOBS)

soak: ## an hour of the shop in a virtual machine, levels switching, the daemon under sanitizers; ARGS="--env MINUTES=10": less
	@tools/setup build check vm
	@$(MAKE) --no-print-directory user guest $(O)/user-test/tierlensd
	@tools/kmod-build 6.1
	selftests/vm/run 6.1+single --add $(O)/user-test/tierlensd=bin/tierlensd-san $(ARGS) selftests/vm/tests/soak.sh

check-long: ## all tests on all kernels, 500 reloads, 10,000 connections, 1,000,000 short ones, the debug and KCSAN kernels, 1,000,000 messages and a minute of each fuzzer, and the packages on a clean Debian
	@TIERLENS_TESTS=all $(MAKE) --no-print-directory check
	@MODEL_REPEATS=300 $(MAKE) --no-print-directory check-model
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=60
	@prove --timer selftests/deb/clean-root.sh selftests/deb/boot.sh
	@tools/kmod-build 6.1-debug
	@tools/kmod-build 6.1-kcsan
	selftests/vm/run 6.1+single --env RELOADS=500 \
		selftests/vm/tests/reload.sh
	selftests/vm/run 6.1+single --env HELD=9000 --env THREADS=1000 --env TIERS=20 \
		selftests/vm/tests/scale.sh
	selftests/vm/run 6.1+single --timeout 9000 --env SHORT=1000000 \
		selftests/vm/tests/short.sh
	selftests/vm/run 6.1+single --env STORMS=all selftests/vm/tests/storm.sh
	selftests/vm/run 6.1-debug+single --env STORMS=all selftests/vm/tests/storm.sh
	selftests/vm/run 6.1+single --env STORMS=all --env CONNECTIONS=1000 selftests/vm/tests/storm-host.sh
	selftests/vm/run 6.1-debug+single --env STORMS=all --env CONNECTIONS=1000 selftests/vm/tests/storm-host.sh
	selftests/vm/run 6.1-debug+single --timeout 7200 --env FUZZ=1000000 selftests/vm/tests/abi-bad.sh
	selftests/vm/run 6.1-kcsan --env STORMS=all $(addprefix selftests/vm/tests/,boundaries.sh storm.sh method.sh coroutines.sh)
	selftests/vm/run 6.1-arm64+virtual --env EVENTS=24 selftests/vm/tests/pmu-turns.sh
	selftests/vm/run 6.1 --env REQUESTS=1920 selftests/vm/tests/attribution.sh
	selftests/vm/run 6.1 --env CHAINS='1:1 1:8 1:64 2:1 2:8 2:64 3:1 3:8 3:64 4:1 4:8 4:64' \
		selftests/vm/tests/depth.sh
	TIERLENS_TESTS=all prove --timer --exec selftests/vm/run 6.1-debug

guest: guest-programs abi-programs $(O)/tierlens $(O)/tierlensd
	@cp $(O)/tierlens $(O)/tierlensd $(GUEST_OUT)/

# The same for the other architecture, in a make of its own: other compiler, other libraries.
guest-arm64:
	@tools/image root-arm64
	@$(MAKE) --no-print-directory guest GUEST_ARCH=arm64 O=$(O)/arm64 \
		GUEST_OUT=$(O)/guest/arm64 $$(tools/image arm64-flags)

# Lintian, what is in the packages, and how DKMS takes them.
check-deb:
	@prove --timer selftests/deb/packages.sh

check-vm:
	@tools/setup build check vm
	@tools/check $(CHECK_VM)

check-static:
	@tools/check-static

clean: ## removes build/
	rm -rf $(O)
