#!/bin/sh
# Formats all C++ and CUDA sources, or with --check says which are not formatted, with the version of
# clang-format that .clang-format is written for; PyPI has it, distributions have others.
set -eu
cd "$(dirname "$0")/.."

version=19.1.7
home="${XDG_CACHE_HOME:-$HOME/.cache}/upsweep/clang-format-$version"
if [ ! -x "$home/bin/clang-format" ]; then
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
    --target "$home" "clang-format==$version"
fi
export PYTHONPATH="$home"

case "${1:-}" in
  "") action="-i" ;;
  --check) action="--dry-run --Werror" ;;
  *)
    echo "format: usage: tools/format.sh [--check]" >&2
    exit 2
    ;;
esac
git ls-files --cached --others --exclude-standard \
  '*.hpp' '*.cpp' '*.inl' '*.h' '*.c' '*.cuh' '*.cu' | grep -v '^third_party/' |
  xargs "$home/bin/clang-format" $action
