# The doors of the house. CMake does the work and can be used alone: `cmake --preset release`, see CMakePresets.json.
# `make help` lists what there is.

MAKEFLAGS += --no-print-directory

# make CUDA=1: kernels for NVIDIA GPUs, too; CUDA_ARCH is the compute capability, 90 for 9.0.
PRESET    ?= $(if $(filter-out 0,$(CUDA)),cuda,release)
PREFIX    ?= /usr/local
JOBS      ?= $(shell nproc)
RELEASE   ?= trixie
build_dir := $(CURDIR)/build/$(PRESET)
plugin    := $(build_dir)/libpetscspmv.so

# PETSC_DIR, PETSC_ARCH, Kokkos_ROOT, KOKKOS_SOURCE, here or in the environment: scripts/install-dependencies says what they do.
export JOBS CUDA CUDA_ARCH VERSIONS METHOD REQUIRES

sources    = $(shell git ls-files '*.hpp' '*.cpp' '*.h' '*.c' '*.cuh' '*.cu')

all: build

build: ## the plugin and the examples (this is what `make` does)
	@scripts/install-dependencies build
	@scripts/configure $(PRESET) $(if $(wildcard $(build_dir)/CMakeCache.txt),,-DPETSCSPMV_BUILD_TESTS=OFF) $(CMAKE_FLAGS)
	@cmake --build $(build_dir) --target product --parallel $(JOBS)
	@echo 'Built $(plugin). Try it: make demo. Test it: make check.'

bench: ## petscspmv-bench, which measures the types and what one would take instead
	@scripts/install-dependencies build bench
	@scripts/configure $(PRESET) $(if $(wildcard $(build_dir)/CMakeCache.txt),,-DPETSCSPMV_BUILD_TESTS=OFF) -DPETSCSPMV_BUILD_BENCH=ON $(CMAKE_FLAGS)
	@cmake --build $(build_dir) --target petscspmv-bench --parallel $(JOBS)
	@echo 'Built $(build_dir)/petscspmv-bench. Try it: export PATH="$(build_dir):$$PATH"; petscspmv-bench spmv (about ten minutes), petscspmv-bench --help'

demo: build ## what there is to gain, in a minute: products and solutions beside PETSc's own aij
	@scripts/demo $(build_dir)

# The bench is tested in the builds that measure.
build-tests:
	@scripts/install-dependencies build check $(if $(filter release cuda,$(PRESET)),bench)
	@scripts/configure $(PRESET) -DPETSCSPMV_BUILD_TESTS=ON $(if $(filter release cuda,$(PRESET)),-DPETSCSPMV_BUILD_BENCH=ON) $(CMAKE_FLAGS)
	@cmake --build $(build_dir) --parallel $(JOBS)

check: build-tests ## build everything and run the tests, but for most of those that take long and hardly depend on the machine
	@cd $(build_dir) && ctest --output-on-failure -j$(JOBS) -LE long

check-long: build-tests ## the tests that make check leaves out
	@cd $(build_dir) && ctest --output-on-failure -j$(JOBS) -L long

check-fresh: ## `make demo` and `make check` in a minimal Debian, made for it: RELEASE=bookworm, trixie (the default) or sid; takes root
	@scripts/check-fresh $(RELEASE)

check-bench: ## the tests of petscspmv-bench alone (a part of make check)
	@scripts/install-dependencies build check bench
	@scripts/configure $(PRESET) -DPETSCSPMV_BUILD_TESTS=ON -DPETSCSPMV_BUILD_BENCH=ON $(CMAKE_FLAGS)
	@cmake --build $(build_dir) --parallel $(JOBS)
	@cd $(build_dir) && ctest --output-on-failure -j$(JOBS) -L bench

fuzz: ## the readers of petscspmv-bench against damaged files, then ccoo on random matrices, each for FUZZ_SECONDS (default 600)
	@scripts/install-dependencies build check bench fuzz
	@scripts/bench-fuzz $(FUZZ_SECONDS)
	@scripts/formats-fuzz $(FUZZ_SECONDS)

check-petsc: build ## PETSc's own test suite with the plugin's types in place of aij (about an hour; part of it: TESTS='mat_tests-*')
	@scripts/check-petsc $(build_dir) $(TESTS)

check-programs: build ## programs of others with and without the plugin: SLEPc, dolfinx, deal.II and others (some of them: PROGRAMS='getdp slepc')
	@scripts/check-programs $(build_dir) $(PROGRAMS)

check-flavours: ## all tests with Debian's four PETSc flavours: real and complex, 32-bit and 64-bit indices
	@scripts/check-flavours

check-versions: ## the tests that depend on PETSc with 3.19 to 3.26, built from sources (hours; part of them: VERSIONS='3.23 3.25')
	@scripts/check-versions

check-asan: ## all tests under the address, leak and undefined-behaviour sanitizers
	@$(MAKE) check PRESET=asan

check-tsan: ## the tests of the formats under the thread sanitizer
	@scripts/check-tsan

check-kokkos: ## the glue and PETSc's own tests on PETSc's Kokkos matrices, with a PETSc that is built for it, once
	@scripts/check-kokkos

check-hip: ## that the kernels through Kokkos compile for AMD's GPUs (nothing is run; hipcc is Debian's)
	@scripts/check-hip

check-arm: ## every 23rd of the formats' tests on an emulated 64-bit ARM, with Debian's cross compiler
	@scripts/check-arm

coverage: ## which lines the tests run: a summary, and build/coverage/html
	@scripts/coverage

package: build-tests ## with CUDA=1: a bundle of plugin, PETSc, tests and bench for a machine with a GPU and without compilers
	@scripts/package $(build_dir)

dist: ## build/petscspmv-<version>.tar.gz, the sources of the head of this checkout
	@scripts/dist

install: build ## into PREFIX (default /usr/local)
	@cmake --install $(build_dir) --prefix $(abspath $(PREFIX)) --strip
	@echo 'Use it in any PETSc program: -options_file $(abspath $(PREFIX))/share/petscspmv/petsc_plugin.conf -mat_type aijspec'

print-plugin: ## the path of the built library, and nothing else
	@test -e '$(plugin)' || { echo 'The plugin is not built yet: run make first.' >&2; exit 1; }
	@echo '$(plugin)'

format: ## format all sources
	@scripts/install-dependencies format
	@clang-format-14 -i $(sources)

format-check: ## fail if a source is not formatted
	@scripts/install-dependencies format
	@clang-format-14 --dry-run -Werror $(sources)

tidy: ## static analysis; fails if it finds anything
	@scripts/tidy

clean: ## delete what was built
	@rm -rf build

distclean: clean ## delete Kokkos and the downloads, too
	@rm -rf .deps

help: ## this list
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/make \1 \t\2/p' makefile | expand -t 22
	@echo 'Variables: CUDA (1: for NVIDIA GPUs, too), CUDA_ARCH, PREFIX, PRESET (release, cuda, debug, asan, coverage), JOBS, RELEASE, VERSIONS, PROGRAMS, PETSC_DIR, PETSC_ARCH, Kokkos_ROOT, KOKKOS_SOURCE, CMAKE_FLAGS'

.PHONY: all build bench check-bench fuzz demo build-tests check check-long check-fresh check-petsc check-kokkos check-programs check-flavours check-versions check-asan \
        check-tsan check-hip check-arm coverage package dist install print-plugin format \
        format-check tidy clean distclean help
