# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of the models, under prove; from the top of the tree:
#
#   make -f selftests/model/model.mk check-model   all of them
#
# MODEL_REPEATS: how many simulated services each model is held against (60).

.PHONY: check-model model-programs
check-model:

ifndef user-lib-sources
include user/user.mk
endif

PROVE ?= prove
TEST_JOBS ?= 2
model-dir := selftests/model
model-out := $(O)/model-test
model-headers := $(wildcard $(model-dir)/*.h) selftests/unit/tap.h
model-tests := $(patsubst $(model-dir)/%.c,$(model-out)/%,$(sort $(wildcard $(model-dir)/test-*.c)))
model-scripts := $(sort $(wildcard $(model-dir)/test-*.sh))

# Simulations take long under the sanitizers; the models' own tests have them.
model-plain := test-coverage test-lqn-accuracy test-lqn-coverage test-track-hours test-capacity \
	test-bottleneck test-pmu-clean sim-figures eval-pmu

# What all of them link: the command's objects, and what is beside the tests.
model-shared := $(patsubst %.c,%.o,$(filter-out $(model-dir)/test-% $(model-plain:%=$(model-dir)/%.c),\
	$(sort $(wildcard $(model-dir)/*.c))))
.SECONDARY: $(addprefix $(O)/user/,$(model-shared)) $(addprefix $(user-test-dir)/,$(model-shared))

$(O)/user/$(model-dir)/%.o $(user-test-dir)/$(model-dir)/%.o: CFLAGS += -Iselftests/unit
$(patsubst %.c,$(O)/user/%.o,$(wildcard $(model-dir)/*.c)): $(model-headers)
$(patsubst %.c,$(user-test-dir)/%.o,$(wildcard $(model-dir)/*.c)): $(model-headers)

$(model-plain:%=$(model-out)/%): $(model-out)/%: $(O)/user/$(model-dir)/%.o \
		$(addprefix $(O)/user/,$(model-shared)) $(user-lib)
	@mkdir -p $(@D)
	$(CC) -o $@ $^ $(LDFLAGS) $(user-libs)

# Another's canonical codes, to hold ours against.
$(model-out)/test-canon: user-libs += -lnauty

$(model-out)/test-%: $(user-test-dir)/$(model-dir)/test-%.o \
		$(addprefix $(user-test-dir)/,$(model-shared)) $(user-test-lib)
	@mkdir -p $(@D)
	$(CC) $(user-test-flags) -o $@ $^ $(LDFLAGS) $(user-libs)

# The command under the sanitizers, as its users run it otherwise.
$(model-out)/tierlens: $(user-test-dir)/user/main.o $(user-test-lib)
	@mkdir -p $(@D)
	$(CC) $(user-test-flags) -o $@ $^ $(LDFLAGS) $(user-libs)

model-programs: $(model-tests) $(model-out)/tierlens $(model-out)/sim-figures

check-model: model-programs ## tests of the models: closed forms, oracles, simulated services
	TIERLENS=$(model-out)/tierlens SIM=$(model-out)/sim-figures \
		$(PROVE) -j $(TEST_JOBS) -e '' $(model-tests) $(model-scripts)

.PHONY: eval-pmu
PROGRAMS ?= gzip sort awk sqlite3
eval-pmu: $(model-out)/eval-pmu ## cleaning of counters on real programs, against what is asked; EACH=1: one by one
	folder=$$($(model-dir)/pmu-series.py --slices 600 --runs 4 $(PROGRAMS)) && \
		wide=$$($(model-dir)/pmu-series.py --slices 600 --runs 4 --wide $(PROGRAMS)) && \
		$< "$$folder" "$$wide" $(PROGRAMS)
