# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fuzzers of everything that reads what others have written; from the top of the tree:
#
#   make fuzz FUZZ_SECONDS=60   each target for so long; FUZZ="recording lqn-text": those alone
#   make check-fuzz             each for so many inputs as tools/check runs, the same ones each time
#
# One small file a target: fuzz-NAME.c, with inputs to begin with in corpus/NAME/ and, if it helps, words in NAME.dict.
# What a fuzzer has found stays there, as found-SOMETHING, once it is mended. libFuzzer comes with Debian's clang.
# Overridable: O (where to build), FUZZ_SECONDS, FUZZ, FUZZ_CC, FUZZ_RUNS.

.PHONY: fuzz check-fuzz fuzz-programs

ifndef user-lib-sources
include user/user.mk
endif

FUZZ_CC ?= clang
FUZZ_SECONDS ?= 60
fuzz-dir := selftests/fuzz
fuzz-out := $(O)/fuzz
fuzz-all := $(patsubst $(fuzz-dir)/fuzz-%.c,%,$(sort $(wildcard $(fuzz-dir)/fuzz-*.c)))
FUZZ ?= $(fuzz-all)
fuzz-flags := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-Wno-unknown-attributes -Wno-format-zero-length -Wno-missing-field-initializers
# What targets link: the command's and the daemon's own files, but for the commands themselves; of these the daemon's studies
# are three.
fuzz-commands := $(filter-out user/cmd-track.c user/cmd-lqn-build.c user/cmd-capacity.c,$(wildcard user/cmd-*.c))
fuzz-lib-sources := $(filter-out $(fuzz-commands) user/selftest/%,$(user-lib-sources))
fuzz-lib := $(fuzz-out)/lib.a

$(fuzz-out)/%.o: %.c $(user-headers) $(fuzz-dir)/fuzz.mk $(wildcard $(fuzz-dir)/*.h)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(user-cflags) -I$(fuzz-dir) -Iselftests/unit $(fuzz-flags) -fsanitize=fuzzer-no-link -c -o $@ $<

$(fuzz-lib): $(patsubst %.c,$(fuzz-out)/%.o,$(fuzz-lib-sources)) $(O)/user/remote-write.pb-c.o

# The core has a world of its own, that of its tests.
fuzz-core := $(patsubst %.c,$(fuzz-out)/%.o,$(wildcard kmod/core/*.c selftests/unit/core-*.c))
$(fuzz-core): $(wildcard selftests/unit/core-*.h)
$(fuzz-out)/fuzz-core: $(fuzz-out)/$(fuzz-dir)/fuzz-core.o $(fuzz-out)/$(fuzz-dir)/file.o $(fuzz-core)
	$(FUZZ_CC) $(fuzz-flags) -fsanitize=fuzzer -o $@ $^

.SECONDARY: $(patsubst %,$(fuzz-out)/$(fuzz-dir)/fuzz-%.o,$(fuzz-all)) $(fuzz-out)/$(fuzz-dir)/file.o
$(fuzz-out)/fuzz-%: $(fuzz-out)/$(fuzz-dir)/fuzz-%.o $(fuzz-out)/$(fuzz-dir)/file.o $(fuzz-lib)
	$(FUZZ_CC) $(fuzz-flags) -fsanitize=fuzzer -o $@ $^ $(LDFLAGS) $(user-daemon-libs) $(user-libs)

fuzz-programs: $(FUZZ:%=$(fuzz-out)/fuzz-%)

fuzz: fuzz-programs ## each parser fed with what is nearly right, FUZZ_SECONDS each (60)
	@$(fuzz-dir)/run --seconds $(FUZZ_SECONDS) $(fuzz-out) $(FUZZ)

check-fuzz: fuzz-programs
	@$(fuzz-dir)/run --runs $(fuzz-out) $(FUZZ)
