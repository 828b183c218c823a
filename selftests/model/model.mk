# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of the models, under prove; from the top of the tree:
#
#   make -f selftests/model/model.mk check-model   all of them
#   make -f selftests/model/model.mk bench-models  how long they take; no test
#
# MODEL_REPEATS: how many simulated services each model is held against (60).

.PHONY: check-model bench-models model-programs
check-model:

ifndef user-lib-sources
include user/user.mk
endif

PROVE ?= prove
model-dir := selftests/model
model-out := $(O)/model-test
model-flags = $(user-cflags) -I$(model-dir) -Iselftests/unit
model-test-flags = $(model-flags) $(user-test-flags)
model-libs = $(LDFLAGS) $(user-libs)

model-sim := $(model-dir)/sim.c $(model-dir)/sim-shapes.c
model-headers := $(wildcard $(model-dir)/*.h) $(user-headers) selftests/unit/tap.h
model-sources := $(sort $(wildcard user/model/*.c))
model-tests := $(patsubst $(model-dir)/%.c,$(model-out)/%,$(sort $(wildcard $(model-dir)/test-*.c)))
model-scripts := $(sort $(wildcard $(model-dir)/test-*.sh))

# Networks are read from text, by what the command reads them with.
model-lqn := $(filter-out %-out.c,$(sort $(wildcard user/lqn-*.c))) user/text.c user/error.c \
	$(model-dir)/lqn-exact.c

# Simulations take long under the sanitizers; the models' own tests have them.
$(model-out)/test-lqn-coverage: $(model-dir)/test-lqn-coverage.c $(model-sim) $(model-sources) \
		$(model-lqn) $(model-headers)
	@mkdir -p $(@D)
	$(CC) $(model-flags) -o $@ $(filter %.c,$^) $(model-libs)

$(model-out)/test-lqn-accuracy: $(model-dir)/test-lqn-accuracy.c $(model-dir)/lqn-shapes.c \
		$(model-sim) $(model-sources) $(model-lqn) $(model-headers)
	@mkdir -p $(@D)
	$(CC) $(model-flags) -o $@ $(filter %.c,$^) $(model-libs)

$(model-out)/test-coverage: $(model-dir)/test-coverage.c $(model-sim) $(model-sources) $(model-headers)
	@mkdir -p $(@D)
	$(CC) $(model-flags) -o $@ $(filter %.c,$^) $(model-libs)

$(model-out)/test-lqn-sim: $(model-dir)/test-lqn-sim.c $(model-sources) $(model-lqn) \
		$(model-headers)
	@mkdir -p $(@D)
	$(CC) $(model-test-flags) -o $@ $(filter %.c,$^) $(model-libs)

$(model-out)/test-lqn-solve: $(model-dir)/test-lqn-solve.c $(model-dir)/lqn-shapes.c $(model-sim) \
		$(model-sources) $(model-lqn) $(model-headers)
	@mkdir -p $(@D)
	$(CC) $(model-test-flags) -o $@ $(filter %.c,$^) $(model-libs)

$(model-out)/test-%: $(model-dir)/test-%.c $(model-sim) $(model-sources) $(model-headers)
	@mkdir -p $(@D)
	$(CC) $(model-test-flags) -o $@ $(filter %.c,$^) $(model-libs)

$(model-out)/sim-figures $(model-out)/bench-models: $(model-out)/%: $(model-dir)/%.c $(model-sim) \
		$(model-sources) $(model-headers)
	@mkdir -p $(@D)
	$(CC) $(model-flags) -o $@ $(filter %.c,$^) $(model-libs)

# The command under the sanitizers, as its users run it otherwise.
$(model-out)/tierlens: $(user-test-dir)/user/main.o $(user-test-lib)
	@mkdir -p $(@D)
	$(CC) $(user-test-flags) -o $@ $^ $(LDFLAGS) $(user-libs)

model-programs: $(model-tests) $(model-out)/tierlens $(model-out)/sim-figures

check-model: model-programs ## tests of the models: closed forms, oracles, simulated services
	TIERLENS=$(model-out)/tierlens SIM=$(model-out)/sim-figures \
		$(PROVE) -j 2 -e '' $(model-tests) $(model-scripts)

bench-models: $(model-out)/bench-models $(O)/tierlens ## how long the models take
	$< $(O)/tierlens
