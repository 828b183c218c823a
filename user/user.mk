# SPDX-License-Identifier: GPL-2.0-or-later
# The command line: what it is made of, and how.
#
# Included by the top-level Makefile; works alone too: make -f user/user.mk user.
# Overridable: O (where to build), CC, PKG_CONFIG, CFLAGS, LDFLAGS.

O ?= build
CC ?= cc
PKG_CONFIG ?= pkg-config

user-warnings := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes
user-packages := libnl-3.0 libnl-genl-3.0 jansson gsl expat sqlite3 libzstd libdw libelf libzip libcurl
user-cflags = -std=gnu11 -O2 -g $(user-warnings) -D_GNU_SOURCE \
	-Iuser -Iuser/port -Ikmod/core -Iinclude -Iinclude/uapi -I$(O)/user -I$(O) \
	$(shell $(PKG_CONFIG) --cflags $(user-packages) $(user-daemon-packages)) $(CFLAGS)
# What only the daemon needs.
user-daemon-packages := libmicrohttpd gnutls libconfig libcap-ng libprotobuf-c snappy
# libcsv is a few hundred lines and not on every server: it goes in.
user-daemon-libs = $(shell $(PKG_CONFIG) --libs $(user-daemon-packages))
user-libs = $(shell $(PKG_CONFIG) --libs $(user-packages)) -l:libcsv.a -lm -ldl

# Everything but main.c: what the tests link as well.
user-lib-sources := $(filter-out user/main.c user/daemon/main.c,$(sort $(wildcard user/*.c user/model/*.c \
	user/selftest/*.c user/daemon/*.c user/fleet/*.c))) kmod/core/hist.c
user-lib-objects := $(patsubst %.c,$(O)/user/%.o,$(user-lib-sources)) $(O)/user/remote-write.pb-c.o
user-lib := $(O)/user/lib.a

.PHONY: user user-check user-clean user-test-programs
user: $(O)/tierlens $(O)/tierlensd ## build/tierlens, the command line, and build/tierlensd

$(O)/tierlens: $(O)/user/user/main.o $(user-lib)
	$(CC) -o $@ $^ $(LDFLAGS) $(user-libs)

$(O)/tierlensd: $(O)/user/user/daemon/main.o $(user-lib)
	$(CC) -o $@ $^ $(LDFLAGS) $(user-daemon-libs) $(user-libs)

%/lib.a:
	@rm -f $@
	@$(AR) rcs $@ $^
$(user-lib): $(user-lib-objects)

# Headers are few and small: any change of one compiles everything again.
user-headers := $(wildcard user/*.h user/model/*.h user/selftest/*.h user/daemon/*.h user/fleet/*.h user/port/*.h kmod/core/*.h) \
	include/uapi/linux/tierlens.h include/uapi/linux/tierlens-sync.h include/tierlens-version.h include/tierlens-hooks.h user/user.mk
$(O)/user/%.o: %.c $(user-headers)
	@mkdir -p $(@D)
	$(CC) $(user-cflags) -c -o $@ $<

# Where these files are compiled: for use, for tests and for fuzzers. Some include what is generated.
user-builds := user user-test fuzz

# The protocol of remote write.
remote-write := $(O)/user/remote-write.pb-c.c
$(remote-write) $(remote-write:.c=.h) &: user/daemon/remote-write.proto
	@mkdir -p $(@D)
	protoc-c --proto_path=$(<D) --c_out=$(@D) $(<F)
$(O)/user/remote-write.pb-c.o: $(remote-write)
	$(CC) $(user-cflags) -c -o $@ $<
$(O)/user-test/remote-write.pb-c.o: $(remote-write)
	@mkdir -p $(@D)
	$(CC) $(user-cflags) $(user-test-flags) -c -o $@ $<
$(user-builds:%=$(O)/%/user/daemon/push-series.o) $(O)/user-test/selftests/unit/test-user-push.o: $(remote-write:.c=.h)

# What the module includes of a kernel's headers, for check-kernel to look for: what no condition guards, and
# no architecture has by itself.
kernel-headers := $(O)/user/kernel-headers.inc
$(kernel-headers): $(wildcard kmod/*.[ch] kmod/*/*.[ch]) user/user.mk
	@mkdir -p $(@D)
	@awk 'FNR == 1 { depth = 0 } /^# *if/ && !/^#ifndef [A-Z_]+_H$$/ { depth++ } /^# *endif/ { depth-- } \
		/^#include <(linux|net)\// && depth <= 0 { split($$0, part, /[<>]/); print "\"" part[2] "\"," }' \
		$(filter kmod/%,$^) | sort -u >$@
$(user-builds:%=$(O)/%/user/kernel-builds.o): $(kernel-headers)

# The page that tierlensd serves. Its files go into the program as they are.
page-files := $(O)/page/files.inc
$(page-files): $(wildcard user/page/*) tools/page tools/target.sh
	@tools/page $(@D)
$(user-builds:%=$(O)/%/user/daemon/page-files.o): $(page-files)

# The tests, and a command line whose kernel is a fake, under the sanitizers.
user-test-dir := $(O)/user-test
user-test-flags := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
user-tests := $(patsubst selftests/unit/%.c,$(user-test-dir)/%,\
	$(sort $(wildcard selftests/unit/test-user-*.c)))
user-test-lib-objects := $(patsubst %.c,$(user-test-dir)/%.o,$(user-lib-sources)) $(user-test-dir)/remote-write.pb-c.o
user-test-lib := $(user-test-dir)/lib.a
$(user-test-lib): $(user-test-lib-objects)

$(user-test-dir)/%.o: %.c $(user-headers) selftests/unit/tap.h selftests/unit/damage.h \
		selftests/unit/fake-counters.h selftests/unit/adapt-rows.h selftests/unit/made-intervals.h \
		selftests/unit/made-history.h
	@mkdir -p $(@D)
	$(CC) $(user-cflags) $(user-test-flags) -c -o $@ $<

$(user-test-dir)/test-user-%: $(user-test-dir)/selftests/unit/test-user-%.o $(user-test-lib)
	$(CC) $(user-test-flags) -o $@ $^ $(LDFLAGS) $(user-daemon-libs) $(user-libs)

user-fake := $(patsubst %.c,$(user-test-dir)/%.o,$(sort $(wildcard selftests/unit/user-fake*.c)))
$(user-fake): selftests/unit/user-fake.h
$(user-test-dir)/tierlens-fake: $(user-fake) $(user-test-dir)/user/main.o $(user-test-lib) | \
		$(user-test-dir)/sync-stacks
	$(CC) $(user-test-flags) -o $@ $^ $(LDFLAGS) $(user-libs)

$(user-test-dir)/tierlensd-fake: $(user-fake) $(user-test-dir)/user/daemon/main.o $(user-test-lib)
	$(CC) $(user-test-flags) -o $@ $^ $(LDFLAGS) $(user-daemon-libs) $(user-libs)

# The real one, under the sanitizers, for a machine that does not have them.
$(user-test-dir)/tierlensd: $(user-test-dir)/user/daemon/main.o $(user-test-lib)
	$(CC) $(user-test-flags) -static-libasan -static-libubsan -o $@ $^ $(LDFLAGS) $(user-daemon-libs) $(user-libs)

# A program as distributions build them, but for one function, to be looked at from outside.
user-stacks := $(user-test-dir)/sync-stacks
user-stacks-flags := -std=gnu11 -O2 -g $(user-warnings) -D_GNU_SOURCE -Iinclude/uapi -fno-stack-protector
user-stacks-bare := $(user-stacks-flags) -fno-asynchronous-unwind-tables -fno-unwind-tables
$(user-stacks): selftests/unit/sync-stacks.c selftests/unit/sync-stacks-bare.c selftests/unit/sync-stacks.h \
		include/uapi/linux/tierlens-sync.h user/user.mk
	@mkdir -p $(@D)
	$(CC) $(user-stacks-bare) -fno-omit-frame-pointer -DBARE=by_pointer -c -o $@-pointer.o selftests/unit/sync-stacks-bare.c
	$(CC) $(user-stacks-bare) -fomit-frame-pointer -DBARE=by_nothing -c -o $@-nothing.o selftests/unit/sync-stacks-bare.c
	$(CC) $(user-stacks-flags) -fomit-frame-pointer -o $@ selftests/unit/sync-stacks.c $@-pointer.o $@-nothing.o -pthread

user-test-programs: $(O)/tierlens $(O)/tierlensd $(user-tests) $(user-test-dir)/tierlens-fake \
		$(user-test-dir)/tierlensd-fake

# Many hosts at one receiver of remote write; no test.
$(O)/eval-push/push-hosts: selftests/eval/push-hosts.c selftests/unit/made-intervals.h $(user-lib)
	@mkdir -p $(@D)
	$(CC) $(user-cflags) -Iselftests/unit -o $@ $< $(user-lib) $(LDFLAGS) $(user-daemon-libs) $(user-libs)

user-check: user-test-programs ## tests of the command line
	@failed=0; for t in $(user-tests); do echo "# $$t"; $$t || failed=1; done; \
	for t in selftests/unit/test-user-*.sh; do TIERLENS=$(O)/tierlens \
		TIERLENS_FAKE=$(user-test-dir)/tierlens-fake $$t || failed=1; done; exit $$failed

user-clean:
	rm -rf $(O)/user $(O)/user-test $(O)/tierlens $(O)/tierlensd
