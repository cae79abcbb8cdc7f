#!/bin/sh
# Builds the Python module with the library of a build directory, and runs the package's tests:
#
#   tools/python_check.sh [BUILD]   BUILD: a configured build directory (build)
#
# `make python` tests the wheel. Says so and ends with 0 if nanobind cannot be installed.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
python=$PWD/.venv/bin/python
[ -x "$python" ] || python3 -m venv .venv
if ! "$python" -m pip install --quiet 'numpy>=2' 'nanobind>=3.1' 'nanobind-backend>=1.0' pytest \
    hypothesis; then
  echo "python_check: nanobind, NumPy or pytest cannot be installed; the package is not tested"
  exit 0
fi
cmake -B "$build" -DUPSWEEP_PYTHON=ON -DPython_EXECUTABLE="$python" --log-level=WARNING > /dev/null
cmake --build "$build" -j "${JOBS:-$(nproc)}" --target upsweep_python upsweep_python_stub
cp python/upsweep/*.py python/upsweep/py.typed "$build/python/upsweep/"
cd python/tests
PYTHONPATH=$(cd "../../$build/python" && pwd) "$python" -m pytest --quiet
