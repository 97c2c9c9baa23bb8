# The doors of the house. CMake does the work and can be used alone: `cmake --preset release`, see CMakePresets.json.
# `make help` lists what a user needs (##), `make help-developers` the rest (###).

MAKEFLAGS += --no-print-directory

# make CUDA=1: kernels for NVIDIA GPUs, too; CUDA_ARCH is the compute capability, 90 for 9.0.
PRESET    ?= $(if $(filter-out 0,$(CUDA)),cuda,release)
PREFIX    ?= /usr/local
JOBS      ?= $(shell nproc)
RELEASE   ?= trixie
build_dir := $(CURDIR)/build/$(PRESET)
plugin    := $(build_dir)/libpetscspmv.so
targets    = product

# PETSC_DIR, PETSC_ARCH, Kokkos_ROOT, KOKKOS_SOURCE, here or in the environment: scripts/install-dependencies says what they do.
export JOBS CUDA CUDA_ARCH VERSIONS METHOD REQUIRES

sources    = $(shell git ls-files '*.hpp' '*.cpp' '*.h' '*.c' '*.cuh' '*.cu')

all: build

build: ## the plugin and the examples; `make` alone does this
	@scripts/install-dependencies build
	@scripts/configure $(PRESET) $(if $(wildcard $(build_dir)/CMakeCache.txt),,-DPETSCSPMV_BUILD_TESTS=OFF) $(CMAKE_FLAGS)
	@cmake --build $(build_dir) --target $(targets) --parallel $(JOBS)
	@echo 'Built $(plugin). Try it: make demo. Test it: make check.'

demo: targets = petscspmv example_solve
demo: build ## where you gain, and where not, beside PETSc's aij
	@scripts/demo $(build_dir)

# The bench is tested in the builds that measure.
build-tests:
	@scripts/install-dependencies build check $(if $(filter release cuda,$(PRESET)),bench)
	@scripts/configure $(PRESET) -DPETSCSPMV_BUILD_TESTS=ON $(if $(filter release cuda,$(PRESET)),-DPETSCSPMV_BUILD_BENCH=ON) $(CMAKE_FLAGS)
	@cmake --build $(build_dir) --parallel $(JOBS)

check: build-tests ## builds everything and runs all but the long tests
	@cd $(build_dir) && ctest --output-on-failure -j$(JOBS) -LE long

bench: ## petscspmv-bench, which measures your matrices
	@scripts/install-dependencies build bench
	@scripts/configure $(PRESET) $(if $(wildcard $(build_dir)/CMakeCache.txt),,-DPETSCSPMV_BUILD_TESTS=OFF) -DPETSCSPMV_BUILD_BENCH=ON $(CMAKE_FLAGS)
	@cmake --build $(build_dir) --target petscspmv-bench --parallel $(JOBS)
	@echo 'Built $(build_dir)/petscspmv-bench. Try it: export PATH="$(build_dir):$$PATH"; petscspmv-bench spmv (about ten minutes), petscspmv-bench --help'

install: build ## into PREFIX (default /usr/local)
	@cmake --install $(build_dir) --prefix $(abspath $(PREFIX)) --strip
	@echo 'Use it in any PETSc program: -options_file $(abspath $(PREFIX))/share/petscspmv/petsc_plugin.conf -mat_spmv auto'

print-plugin: ## the path of the built library, and nothing else
	@test -e '$(plugin)' || { echo 'The plugin is not built yet: run make first.' >&2; exit 1; }
	@echo '$(plugin)'

clean: ## deletes what was built
	@rm -rf build

distclean: clean ## deletes Kokkos and the downloads, too
	@rm -rf .deps

help: ## this list
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/make \1\t\2/p' makefile | expand -t 22
	@echo
	@echo 'Variables, on the command line or in the environment:'
	@printf '%s\t%s\n' 'CUDA=1' 'kernels for NVIDIA GPUs, too' \
	  'CUDA_ARCH' 'their compute capability, 90 (the default) for 9.0' \
	  'PETSC_DIR PETSC_ARCH' "PETSc; default: pkg-config's, else Debian's" \
	  'Kokkos_ROOT' "Kokkos; default: PETSc's, CMake's, or built into .deps" \
	  'KOKKOS_SOURCE' 'folder or tarball of Kokkos to build' \
	  'PREFIX JOBS' 'where to install; how many jobs build' \
	  'CMAKE_FLAGS' 'more flags for CMake' | expand -t 22

help-developers: ## the commands of developers: more checks, packages, format
	@sed -nE 's/^([a-z-]+):[^#]*### (.*)/make \1\t\2/p' makefile | expand -t 22
	@echo 'Variables of these: PRESET (release, cuda, debug, asan, coverage), and those that their lines name'

check-all: ### every check there is, into docs/checks.md (a day); CHECKS='asan tidy': some of them
	@scripts/check-all $(CHECKS)

check-long: build-tests ### the tests that make check leaves out
	@cd $(build_dir) && ctest --output-on-failure -j$(JOBS) -L long

check-bench: ### the tests of petscspmv-bench alone (a part of make check)
	@scripts/install-dependencies build check bench
	@scripts/configure $(PRESET) -DPETSCSPMV_BUILD_TESTS=ON -DPETSCSPMV_BUILD_BENCH=ON $(CMAKE_FLAGS)
	@cmake --build $(build_dir) --parallel $(JOBS)
	@cd $(build_dir) && ctest --output-on-failure -j$(JOBS) -L bench

check-fresh: ### make demo and make check in a minimal Debian; takes root; RELEASE=bookworm, trixie (default), sid
	@scripts/check-fresh $(RELEASE)

check-petsc: build ### PETSc's own test suite with -mat_spmv METHOD (aijspec; an hour); TESTS='mat_tests-*': these
	@scripts/check-petsc $(build_dir) $(TESTS)

check-programs: build ### SLEPc, dolfinx and others with and without the plugin; PROGRAMS='getdp slepc': these
	@scripts/check-programs $(build_dir) $(PROGRAMS)

check-flavours: ### all tests with Debian's four flavours of PETSc: real and complex, 32-bit and 64-bit indices
	@scripts/check-flavours

check-versions: ### tests with each PETSc to 3.26 that Debian has not, built here (hours); VERSIONS='3.23 3.25': these
	@scripts/check-versions

check-asan: ### all tests under the address, leak and undefined-behaviour sanitizers
	@$(MAKE) check PRESET=asan

check-tsan: ### the tests of the formats under the thread sanitizer
	@scripts/check-tsan

check-kokkos: ### the glue and PETSc's own tests on PETSc's Kokkos matrices; builds a PETSc for it, once
	@scripts/check-kokkos

check-hip: ### that the kernels through Kokkos compile for AMD's GPUs (runs nothing; hipcc is Debian's)
	@scripts/check-hip

check-arm: ### every 23rd of the formats' tests on an emulated 64-bit ARM, with Debian's cross compiler
	@scripts/check-arm

fuzz: ### the bench's readers on damaged files, ccoo on random matrices, each for FUZZ_SECONDS (600)
	@scripts/install-dependencies build check bench fuzz
	@scripts/bench-fuzz $(FUZZ_SECONDS)
	@scripts/formats-fuzz $(FUZZ_SECONDS)

coverage: ### which lines the tests run: a summary, and build/coverage/html
	@scripts/coverage

tidy: ### static analysis; fails if it finds anything
	@scripts/tidy

format: ### formats all sources
	@scripts/install-dependencies format
	@clang-format-14 -i $(sources)

format-check: ### fails if a source is not formatted
	@scripts/install-dependencies format
	@clang-format-14 --dry-run -Werror $(sources)

package: build-tests ### with CUDA=1: plugin, PETSc, tests and bench for a machine with a GPU and no compilers
	@scripts/package $(build_dir)

dist: ### build/petscspmv-<version>.tar.gz, the sources of the head of this checkout
	@scripts/dist

.PHONY: all build demo build-tests check bench install print-plugin clean distclean help help-developers check-all check-long check-bench \
        check-fresh check-petsc check-programs check-flavours check-versions check-asan check-tsan check-kokkos check-hip check-arm fuzz \
        coverage tidy format format-check package dist
