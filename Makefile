# sandboxtask: the one makefile. `make help` lists the targets; CONTRIBUTING.md says how to add to the tree.

VERSION := 0.1.0
.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SUFFIXES:
SHELL := bash
.SHELLFLAGS := -euo pipefail -c

# SANITIZE=address,undefined builds the host-side programs and tests under sanitizers, in a tree of their own.
SANITIZE ?=
comma := ,
# V=1 shows the commands themselves.
V ?=
say = $(if $(V),,@echo '  $(1)';)
BUILD := build$(if $(SANITIZE),/sanitize-$(subst $(comma),-,$(SANITIZE)))
JOBS ?= $(shell nproc)

include controller/layers.mk

CC := gcc
AR := gcc-ar
CPPFLAGS := -D_GNU_SOURCE -DSANDBOXTASK_VERSION='"$(VERSION)"' -Icontroller $(if $(SANITIZE),,-D_FORTIFY_SOURCE=2)
WARNINGS := -Wall -Wextra -Werror -Wshadow -Wvla -Wundef -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wformat=2 -Wcast-qual -Wwrite-strings -Wswitch-enum -Wimplicit-fallthrough -Wno-missing-field-initializers
HARDENING := -fstack-protector-strong -fstack-clash-protection -fcf-protection -fPIE
CFLAGS := -std=gnu11 -O2 -g $(WARNINGS) $(HARDENING) -include controller/base/banned.h
LDFLAGS := -pie -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--as-needed
ifneq ($(SANITIZE),)
CFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS += -fsanitize=$(SANITIZE)
endif

# --- Layers: controller/<layer>/*.c become one archive each, so that a test of a layer which reaches above it fails to link.

sources_of = $(sort $(wildcard controller/$(1)/*.c))
objects_of = $(patsubst %.c,$(BUILD)/obj/%.o,$(call sources_of,$(1)))
present_layers := $(foreach layer,$(LAYERS),$(if $(call sources_of,$(layer)),$(layer)))
archive_of = $(BUILD)/lib/lib$(1).a
# A layer, then what it uses, highest first: the order in which the linker wants them.
reversed = $(if $(1),$(call reversed,$(wordlist 2,$(words $(1)),$(1))) $(firstword $(1)))
archives_for = $(foreach layer,$(1) $(call reversed,$(USES_$(1))),$(if $(filter $(layer),$(present_layers)),$(call archive_of,$(layer))))
links_for = $(foreach library,$(sort $(foreach layer,$(1) $(USES_$(1)),$(LIBRARIES_$(layer)))),$(LINK_$(library)))

define layer_rules
$(call archive_of,$(1)): $(call objects_of,$(1))
endef
$(foreach layer,$(present_layers),$(eval $(call layer_rules,$(layer))))

$(BUILD)/lib/%.a:
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR   $@)$(AR) rcsD $@ $^

# The flags are a prerequisite of every object: changing them rebuilds.
keep_flags = mkdir -p $(@D); echo '$(subst ','\'',$(1))' | cmp -s - $@ || echo '$(subst ','\'',$(1))' >$@
$(BUILD)/flags: FORCE
	@$(call keep_flags,$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS))

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC   $<)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# --- Programs: built when their sources exist.

CONTROLLER := $(BUILD)/bin/sandboxtask-controller
PROGRAMS := build/bin/sandbox-runner $(CONTROLLER)

.PHONY: all
all: $(foreach layer,$(present_layers),$(call archive_of,$(layer))) $(PROGRAMS)

# --- Unit tests: tests/unit/<layer>/NAME.c tests controller/<layer>/NAME.c, linked with that layer and those below only.

unit_sources := $(sort $(wildcard tests/unit/*/*.c))
UNIT_TESTS := $(patsubst %.c,$(BUILD)/%.t,$(unit_sources))
tap := $(BUILD)/obj/tests/lib/tap.o
# What tests of kube have beside: a fake io, a fake API server and what belongs to it.
fakes := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/lib/fake_*.c tests/lib/uv_*.c tests/lib/ws_*.c))
# What tests of session and manager have beside: a fake io, fake websockets, and the shipped half of the runner behind them.
sandbox := $(patsubst %,$(BUILD)/obj/tests/lib/%.o,fake_io fake_ws sandbox runner_model)
# Those of manager also: a term that leads, on a fake io.
leader := $(BUILD)/obj/tests/lib/leader.o
helpers_for = $(tap) $(if $(filter kube,$(1)),$(fakes)) $(if $(filter session manager,$(1)),$(sandbox)) \
	$(if $(filter manager,$(1)),$(leader))

# Tests that need more of tests/lib/ than tap.
$(BUILD)/tests/unit/proto/proto_sides.t: $(BUILD)/obj/tests/lib/proto_world.o
$(BUILD)/tests/unit/proto/proto_golden.t: $(BUILD)/obj/tests/lib/proto_vectors.o
$(BUILD)/tests/unit/proto/runner_side.t $(BUILD)/tests/unit/proto/runner_side_broadcast.t: $(BUILD)/obj/tests/lib/runner_talk.o

define unit_rules
$(patsubst %.c,$(BUILD)/%.t,$(filter tests/unit/$(1)/%,$(unit_sources))): $(BUILD)/tests/unit/$(1)/%.t: \
		$(BUILD)/obj/tests/unit/$(1)/%.o $(call helpers_for,$(1)) $(call archives_for,$(1))
	@mkdir -p $$(@D)
	$$(call say,LINK $$@)$$(CC) $$(LDFLAGS) -o $$@ $$(filter %.o,$$^) $$(filter %.a,$$^) $(call links_for,$(1))
endef
$(foreach layer,$(present_layers),$(eval $(call unit_rules,$(layer))))
$(BUILD)/obj/tests/%.o: private CPPFLAGS += -Itests/lib

VALGRIND := valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite,possible --errors-for-leak-kinds=definite,possible
# Of those that read what hostile code may have written. The random sides take half a minute, the others seconds.
WIRE_TESTS := $(filter $(BUILD)/tests/unit/proto/%,$(UNIT_TESTS))
VALGRIND_SHORT := $(filter-out %/proto_sides.t,$(WIRE_TESTS))

.PHONY: unit unit-valgrind
unit: $(UNIT_TESTS)
	@prove --exec '' --jobs $(JOBS) $(UNIT_TESTS)
unit-valgrind: $(WIRE_TESTS)
	@prove --exec '$(VALGRIND)' --jobs $(JOBS) $(or $(VALGRIND_TESTS),$(WIRE_TESTS))

# --- The program: controller/main.c and what stands beside it, with all layers.

program_objects := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard controller/*.c)))
program_modules := $(filter-out %/main.o,$(program_objects))

$(CONTROLLER): $(program_objects) $(call archives_for,program)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(LDFLAGS) -o $@ $^ $(call links_for,program)

.PHONY: program-tests
program-tests: $(CONTROLLER) ## the controller as a process, without a cluster
	@CONTROLLER=$(CONTROLLER) prove tests/program.t

$(patsubst %.c,$(BUILD)/%.t,$(filter tests/unit/program/%,$(unit_sources))): $(BUILD)/tests/unit/program/%.t: \
		$(BUILD)/obj/tests/unit/program/%.o $(BUILD)/obj/tests/lib/fake_io.o $(tap) $(program_modules) $(call archives_for,program)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(LDFLAGS) -o $@ $^ $(call links_for,program)

# --- The runner: process 1 of the sandbox, static with musl and small, from runner-image/, base and proto.
#
# Its objects are built twice: by musl for the program that is shipped, and like everything else for tests. The program for
# tests on the host is the same objects with another main, which has no gate; it is never in an image.

runner_sources := $(call sources_of,base) $(call sources_of,proto) $(sort $(wildcard runner-image/*.c))
runner_modules := $(filter-out runner-image/main.c,$(runner_sources))
# Debian's musl has no Linux headers of its own: those of the host come last, behind musl's. Expanded when it is used, since
# the compiler may have to be installed first.
RUNNER_CC := musl-gcc
RUNNER_CFLAGS = -std=gnu11 -Os -g $(WARNINGS) -fstack-protector-strong -ffunction-sections -fdata-sections \
	-fno-asynchronous-unwind-tables -include controller/base/banned.h \
	-idirafter /usr/include -idirafter /usr/include/$(shell $(CC) -print-multiarch)
RUNNER_LDFLAGS := -static -Wl,--gc-sections -Wl,-z,relro,-z,now,-z,noexecstack,-z,noseparate-code -Wl,--build-id=none
musl_objects_of = $(patsubst %.c,build/musl/%.o,$(1))

build/musl/flags: FORCE
	@$(call keep_flags,$(RUNNER_CC) $(CPPFLAGS) $(RUNNER_CFLAGS) $(RUNNER_LDFLAGS))

build/musl/%.o: %.c build/musl/flags
	@mkdir -p $(@D)
	$(call say,MUSL $<)$(RUNNER_CC) $(CPPFLAGS) -U_FORTIFY_SOURCE -iquote runner-image $(RUNNER_CFLAGS) -MMD -MP -c -o $@ $<

build/bin/sandbox-runner: $(call musl_objects_of,$(runner_sources))
	@mkdir -p $(@D)
	$(call say,LINK $@)$(RUNNER_CC) $(RUNNER_LDFLAGS) -s -o $@ $^

build/tests/runner/ungated: $(call musl_objects_of,$(runner_modules) tests/runner/ungated.c)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(RUNNER_CC) $(RUNNER_LDFLAGS) -o $@ $^

# Under sanitizers, which can't be linked statically, the same program for tests is a dynamic one.
RUNNER_MODULES := $(filter-out $(BUILD)/obj/runner-image/main.o,$(patsubst %.c,$(BUILD)/obj/%.o,$(filter runner-image/%,$(runner_sources))))
# Looked at before -Icontroller, which has an options.h as well.
$(BUILD)/obj/runner-image/%.o $(BUILD)/obj/tests/runner/%.o $(BUILD)/obj/tests/unit/runner/%.o: private CPPFLAGS += -iquote runner-image
ifneq ($(SANITIZE),)
$(BUILD)/tests/runner/ungated: $(BUILD)/obj/tests/runner/ungated.o $(RUNNER_MODULES) $(call archives_for,proto)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(LDFLAGS) -o $@ $^
endif

$(BUILD)/tests/runner/client: $(BUILD)/obj/tests/runner/client.o $(BUILD)/obj/tests/runner/task.o $(call archives_for,proto)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(LDFLAGS) -o $@ $^

$(patsubst %.c,$(BUILD)/%.t,$(filter tests/unit/runner/%,$(unit_sources))): $(BUILD)/tests/unit/runner/%.t: \
		$(BUILD)/obj/tests/unit/runner/%.o $(tap) $(RUNNER_MODULES) $(call archives_for,proto)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(LDFLAGS) -o $@ $(filter-out $(replaced_by_test),$^)

# Its tree of processes does what the test says.
$(BUILD)/tests/unit/runner/run.t: replaced_by_test := %/runner-image/tree.o

# The runner for arm64 as far as objects: its seccomp table, its system calls and the width of its types compile there, too.
ARM64_CFLAGS := --target=aarch64-linux-gnu -isystem /usr/aarch64-linux-gnu/include -O2 $(WARNINGS) -std=gnu11 \
	-include controller/base/banned.h
ARM64_OBJECTS := $(patsubst %.c,build/arm64/%.o,$(runner_sources) tests/runner/ungated.c tests/unit/runner/seccomp.c)

build/arm64/flags: FORCE
	@$(call keep_flags,$(CPPFLAGS) $(ARM64_CFLAGS))

build/arm64/%.o: %.c build/arm64/flags
	@mkdir -p $(@D)
	$(call say,ARM  $<)clang $(CPPFLAGS) -iquote runner-image -Itests/lib $(ARM64_CFLAGS) -MMD -MP -c -o $@ $<

.PHONY: runner-arm64
runner-arm64: $(ARM64_OBJECTS) ## the runner for arm64, as far as objects

RUNNER_TEST_PROGRAMS := build/bin/sandbox-runner $(BUILD)/tests/runner/ungated $(BUILD)/tests/runner/client
.PHONY: runner-programs runner-tests
runner-programs: $(RUNNER_TEST_PROGRAMS)
runner-tests: $(RUNNER_TEST_PROGRAMS) ## the runner on the host; with GROUND=gvisor in a sandbox of runsc, without a cluster
	@BUILD=$(BUILD) prove --jobs $(JOBS) $(filter-out tests/runner/pod.t,$(sort $(wildcard tests/runner/*.t)))

.PHONY: test-runner
test-runner: cluster-for-tests packages-images runner-programs ## the runner in Pods of the cluster, through attach
	@hack/part 'wire, all under valgrind' $(MAKE) --silent unit-valgrind
	@hack/part 'runner in Pods' prove tests/runner/pod.t
	@hack/part 'runner in Pods: hostile programs' env GROUND=pod prove --jobs $(JOBS) \
		$(filter-out tests/runner/pod.t tests/runner/gate.t,$(sort $(wildcard tests/runner/*.t)))

# --- Fuzz targets: tests/fuzz/NAME_fuzz.c has LLVMFuzzerTestOneInput, tests/fuzz/corpus/NAME/ its inputs.
#
# They may use every layer that is there. Linked with replay.c, a target is a test that goes through its corpus; linked by
# clang with libFuzzer, it looks for more.

FUZZ_NAMES := $(patsubst tests/fuzz/%_fuzz.c,%,$(sort $(wildcard tests/fuzz/*_fuzz.c)))
FUZZ_TESTS := $(FUZZ_NAMES:%=$(BUILD)/tests/fuzz/%.t)
fuzz_archives := $(call archives_for,$(call reversed,$(present_layers)))
fuzz_links := $(call links_for,$(present_layers))

$(FUZZ_TESTS): $(BUILD)/tests/fuzz/%.t: $(BUILD)/obj/tests/fuzz/%_fuzz.o $(BUILD)/obj/tests/fuzz/replay.o $(tap) $(fuzz_archives)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(LDFLAGS) -o $@ $^ $(fuzz_links)

$(BUILD)/fuzzers/%: $(BUILD)/obj/tests/fuzz/%_fuzz.o $(fuzz_archives)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(fuzz_links)

.PHONY: corpora
corpora: $(FUZZ_TESTS) ## every fuzz target on the inputs that are kept for it
	@prove --exec '' --jobs $(JOBS) $(FUZZ_TESTS)

# FUZZ=NAME fuzzes one target instead of all, FUZZ_SECONDS each. What libFuzzer learns is kept outside of the tree, and the
# next run goes on from there.
FUZZ ?= $(FUZZ_NAMES)
FUZZ_SECONDS ?= 60
FUZZ_SANITIZE := fuzzer-no-link,address,undefined
.PHONY: fuzz
fuzz: packages-build ## looks for inputs that break a parser: FUZZ=NAME, FUZZ_SECONDS=60 each
	@$(MAKE) --silent --jobs $(JOBS) CC=clang SANITIZE=$(FUZZ_SANITIZE) fuzzers FUZZ='$(FUZZ)'
	@for name in $(FUZZ); do \
		hack/part "fuzz $$name" hack/fuzz build/sanitize-$(subst $(comma),-,$(FUZZ_SANITIZE))/fuzzers/$$name $(FUZZ_SECONDS); \
	done

.PHONY: fuzzers
fuzzers: $(FUZZ:%=$(BUILD)/fuzzers/%)

# --- Integration tests: tests/integration/<layer>/NAME.c, the real side of a seam against fake servers on its own loop.
# They are run plain, under sanitizers and under valgrind.

integration_sources := $(sort $(wildcard tests/integration/*/*.c))
INTEGRATION_TESTS := $(patsubst %.c,$(BUILD)/%.t,$(integration_sources))

define integration_rules
$(patsubst %.c,$(BUILD)/%.t,$(filter tests/integration/$(1)/%,$(integration_sources))): $(BUILD)/tests/integration/$(1)/%.t: \
		$(BUILD)/obj/tests/integration/$(1)/%.o $(call helpers_for,$(1)) $(call archives_for,$(1))
	@mkdir -p $$(@D)
	$$(call say,LINK $$@)$$(CC) $$(LDFLAGS) -o $$@ $$^ $(call links_for,$(1))
endef
$(foreach layer,$(present_layers),$(eval $(call integration_rules,$(layer))))

# The ones that tear at states and memory; the tables of the others gain little by it.
VALGRIND_FIRST := $(filter %/uv_endpoint.t %/uv_http_multi.t %/uv_serve.t %/uv_ws_event.t,$(INTEGRATION_TESTS))
.PHONY: integration integration-valgrind
integration: $(INTEGRATION_TESTS)
	@prove --exec '' --jobs $(JOBS) $(INTEGRATION_TESTS)
integration-valgrind: $(INTEGRATION_TESTS)
	@prove --exec '$(VALGRIND)' --jobs $(JOBS) $(or $(VALGRIND_TESTS),$(INTEGRATION_TESTS))

# --- The simulation: tests/sim/sim_*.c are a world under kube/io.h, in which the shipped code above it runs; every other file
# there is a test in that world. SCENARIO=NAME, SEED=N, SEEDS=N, STRIDE=N, POINT=N and TRACE=1 are for life.c,
# KIND="marking it" and ANSWER=503 for faults.c.

sim_world := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard tests/sim/sim_*.c))) $(BUILD)/obj/tests/lib/runner_model.o $(tap)
SIM_TESTS := $(patsubst %.c,$(BUILD)/%.t,$(filter-out tests/sim/sim_%,$(sort $(wildcard tests/sim/*.c))))

$(SIM_TESTS): $(BUILD)/tests/sim/%.t: $(BUILD)/obj/tests/sim/%.o $(sim_world) $(call archives_for,manager)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(LDFLAGS) -o $@ $^ $(call links_for,manager)

.PHONY: sim
sim: packages-build $(SIM_TESTS) ## the controller in a simulated world: SCENARIO=NAME, SEED=1, SEEDS=40, POINT=N, TRACE=1
	@prove --exec '' --jobs $(JOBS) $(SIM_TESTS)

# --- kube_probe: controller/kube against a real API server, run by tests/cluster/client.t and apiserver.t.

KUBE_PROBE := $(BUILD)/tests/cluster/kube_probe
$(KUBE_PROBE): $(BUILD)/obj/tests/cluster/kube_probe.o $(call helpers_for,kube) $(call archives_for,kube)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(LDFLAGS) -o $@ $^ $(call links_for,kube)

# --- The contract of commands.

.PHONY: packages-build packages-cluster
packages-build:
	@hack/install-packages build
packages-cluster:
	@hack/install-packages build cluster

.PHONY: check
check: packages-build ## the fast loop, no cluster: unit and integration tests plain and under sanitizers, corpora, lint
	@hack/part 'build' $(MAKE) --silent --jobs $(JOBS) all $(UNIT_TESTS) $(INTEGRATION_TESTS)
	@hack/part 'runner for arm64, as objects' $(MAKE) --silent --jobs $(JOBS) runner-arm64
	@hack/part 'unit tests' $(MAKE) --silent unit
	@hack/part 'unit tests of the wire under valgrind' $(MAKE) --silent unit-valgrind VALGRIND_TESTS='$(VALGRIND_SHORT)'
	@hack/part 'build under sanitizers' $(MAKE) --silent --jobs $(JOBS) SANITIZE=address,undefined sanitized-tests
	@hack/part 'unit tests under sanitizers' $(MAKE) --silent SANITIZE=address,undefined unit
	@hack/part 'integration tests' $(MAKE) --silent integration
	@hack/part 'integration tests under sanitizers' $(MAKE) --silent SANITIZE=address,undefined integration
	@hack/part 'integration tests under valgrind' $(MAKE) --silent integration-valgrind VALGRIND_TESTS='$(VALGRIND_FIRST)'
	@hack/part 'simulation' $(MAKE) --silent --jobs $(JOBS) sim
	@hack/part 'simulation under sanitizers' $(MAKE) --silent SANITIZE=address,undefined SEEDS=5 STRIDE=5 sim
	@hack/part 'corpora under sanitizers' $(MAKE) --silent SANITIZE=address,undefined corpora
	@hack/part 'program' $(MAKE) --silent program-tests
	@hack/part 'program under sanitizers' $(MAKE) --silent SANITIZE=address,undefined program-tests
	@hack/part 'runner on the host' $(MAKE) --silent --jobs $(JOBS) runner-tests
	@hack/part 'runner under sanitizers' $(MAKE) --silent SANITIZE=address,undefined runner-tests
	@hack/part 'kinds, manifests, chart and reference as files' $(MAKE) --silent check-api
	@hack/part 'lint and tools' prove tests/lint.t tests/tools.t
	@hack/part 'generated pages' hack/generate-reasons-docs --check

.PHONY: sanitized-tests
sanitized-tests: $(UNIT_TESTS) $(INTEGRATION_TESTS) $(FUZZ_TESTS) $(SIM_TESTS) $(RUNNER_TEST_PROGRAMS) $(CONTROLLER)

.PHONY: lint
lint: packages-build ## the rules of the tree: layers, format, sizes, shell scripts, no file without a rule
	@hack/lint

.PHONY: test
test: check ## everything: check, then images, the real cluster, and what runs on it
	@$(MAKE) --silent test-images
	@hack/part 'cluster' $(MAKE) --silent cluster-up
	@hack/part 'tests of the cluster' $(MAKE) --silent test-cluster
	@hack/part 'tests of the cluster as a foreign one' $(MAKE) --silent test-foreign
	@hack/part 'tests of the API' $(MAKE) --silent test-api
	@$(MAKE) --silent test-kube
	@$(MAKE) --silent test-runner
	@hack/part 'demo' $(MAKE) --silent demo
	@$(MAKE) --silent e2e

# --- The cluster: real Kubernetes on this machine, see docs/development-cluster.md. A foreign one is used by the tests instead
# when KUBECONFIG names it and IMAGE_LOAD is a command that loads an image's tar into it.

NODE ?= 1

.PHONY: cluster-up cluster-down cluster-status cluster-restart-apiserver
cluster-up: packages-cluster ## the cluster is there and well (NODES=2, FAST_NODE_FAILURE=1, APISERVER_FLAGS=...)
	@hack/cluster/up
cluster-down: ## the cluster is gone
	@hack/cluster/down
cluster-status: ## what of the cluster runs, and where its files are
	@hack/cluster/status
cluster-restart-apiserver: ## kills the API server and starts it again
	@hack/cluster/restart-apiserver

.PHONY: cluster-enter cluster-kill-node cluster-cut-node cluster-heal-node
cluster-enter: ## a shell inside node NODE=N
	@hack/cluster/node enter $(NODE)
cluster-kill-node: ## a power cut for node NODE=N
	@hack/cluster/node kill $(NODE)
cluster-cut-node: ## takes the network cable of node NODE=N out
	@hack/cluster/node cut $(NODE)
cluster-heal-node: ## node NODE=N has power and cable again, and is ready
	@hack/cluster/node heal $(NODE)

# For tests: the local cluster as it is by default, or the foreign one.
.PHONY: cluster-for-tests test-cluster
cluster-for-tests: packages-build $(if $(IMAGE_LOAD),,cluster-up)
# First what builds the cluster anew, then what uses it.
test-cluster: cluster-for-tests ## the cluster itself: starting, breaking, mending; what every other test relies on
	@prove $(if $(IMAGE_LOAD),,tests/cluster/lifecycle.t) tests/cluster/node.t

# The local cluster as a foreign one, so that the way to use one stays open.
.PHONY: test-foreign
test-foreign: cluster-for-tests
	@KUBECONFIG=$$(hack/cluster/kubeconfig) IMAGE_LOAD=hack/cluster/load-image prove tests/cluster/node.t

.PHONY: test-kube
test-kube: cluster-for-tests $(KUBE_PROBE) ## controller/kube against the cluster, and an API server of its own with awkward manners
	@hack/part 'integration tests, all under valgrind' $(MAKE) --silent integration-valgrind
	@hack/part 'kube on real API servers' env KUBE_PROBE=$(KUBE_PROBE) prove tests/cluster/client.t tests/cluster/apiserver.t

# --- The API: crd/, manifests/, charts/, docs/api.md.

.PHONY: check-api test-api docs
check-api: packages-build ## kinds, manifests, chart and reference as files
	@prove tests/crd.t tests/chart.t
test-api: packages-build packages-images cluster-for-tests $(PROGRAMS) ## the kinds, policies and rights on a real API server
	@prove tests/api
docs: packages-build ## what is made from other files: docs/api.md, docs/reasons.md, parts of the chart
	@hack/generate-api-docs
	@hack/generate-reasons-docs
	@hack/generate-chart

# --- End to end: tasks on a cluster, with the controller in it from its image. crash.t has one on the host that can be killed at
# a chosen moment: the very objects of the program, with failpoint_io put between them and their io by the linker.

E2E_CONTROLLER := $(BUILD)/tests/e2e/controller
$(E2E_CONTROLLER): $(program_objects) $(BUILD)/obj/tests/e2e/failpoint.o $(BUILD)/obj/tests/lib/failpoint_io.o \
		$(call archives_for,program)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(LDFLAGS) -Wl,--wrap=uv_io_new,--wrap=uv_io_delete -o $@ $^ $(call links_for,program)

E2E ?= $(patsubst tests/e2e/%.t,%,$(sort $(wildcard tests/e2e/*.t)))
.PHONY: e2e
e2e: packages-build packages-images cluster-for-tests $(PROGRAMS) $(E2E_CONTROLLER) ## tasks on a cluster: E2E=NAME runs one part
	@for name in $(E2E); do hack/part "end to end: $$name" env CONTROLLER=$(E2E_CONTROLLER) prove tests/e2e/$$name.t; done

.PHONY: demo
demo: ## from nothing to a result: cluster, images, installation, a task applied with kubectl, its status
	@hack/demo

# Part of the contract, with nothing to do yet: each says so and fails.
unbuilt := sim-mutations soak
.PHONY: $(unbuilt)
$(unbuilt):
	@echo 'make $@: nothing to run yet in this version' >&2; exit 1

# --- Figures: tests/<part>/bench.py prints a table and appends to build/bench.jsonl. BENCH=NAME runs one part.

e2e_figures := cold burst20 writes cpu rss
BENCH ?= runner $(e2e_figures)
.PHONY: bench bench-runner $(addprefix bench-,$(e2e_figures))
bench: packages-build $(addprefix bench-,$(BENCH)) ## figures, into build/bench.jsonl: BENCH="runner cold" for some of them
bench-runner: runner-programs
	@GROUND=$${GROUND:-gvisor} tests/runner/bench.py build/bench.jsonl
$(addprefix bench-,$(e2e_figures)): bench-%: cluster-for-tests
	@tests/e2e/bench.py build/bench.jsonl $*

# --- Images: tars for `ctr images import`, build/images/NAME.tar (docs/images.md).

.PHONY: packages-images image test-images
packages-images:
	@hack/install-packages images
image: packages-images $(PROGRAMS) ## the images as tars, without a registry: build/images/NAME.tar
	@hack/images/build
test-images: packages-build packages-images ## the images: reproducible, harmless, whole (as root)
	@hack/part 'images' $(MAKE) --silent image
	@hack/part 'tests of images' prove tests/images

.PHONY: clean
clean: ## removes build/ (not the cache of upstream programs, not the cluster)
	rm -rf build

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | sort | expand -t 28

.PHONY: FORCE
FORCE:

built := $(wildcard $(BUILD)/obj build/musl build/arm64)
-include $(if $(built),$(shell find $(built) -name '*.d'))
