#!/bin/sh
# Formats all C++, CUDA and Python sources, or with --check lists those that are not formatted. Uses
# the versions of clang-format and ruff for which .clang-format and pyproject.toml are written, from
# PyPI, because distributions have others.
set -eu
cd "$(dirname "$0")/.."

case "${1:-}" in
  "") clang_action="-i" ruff_action="" ;;
  --check) clang_action="--dry-run --Werror" ruff_action="--check" ;;
  *)
    echo "format: usage: tools/format.sh [--check]" >&2
    exit 2
    ;;
esac

# pinned NAME VERSION: installs that version of the tool if necessary, and prints its folder.
pinned() {
  home="${XDG_CACHE_HOME:-$HOME/.cache}/upsweep/$1-$2"
  if [ -e "$home" ] && { [ ! -O "$home" ] || [ -n "$(find "$home" -prune -perm -002)" ]; }; then
    echo "format: $home is another user's or can be written by others; set XDG_CACHE_HOME" >&2
    exit 2
  fi
  [ -x "$home/bin/$1" ] || python3 -m pip install --quiet --disable-pip-version-check \
    --root-user-action=ignore --target "$home" "$1==$2" >&2
  echo "$home"
}

# sources PATTERN...: the files of the checkout, tracked, or untracked and not ignored.
sources() {
  git ls-files --cached --others --exclude-standard "$@" | grep -v '^third_party/' |
    while read -r file; do [ ! -e "$file" ] || echo "$file"; done
}

home=$(pinned clang-format 19.1.7)
# shellcheck disable=SC2086  # zero or more separate words
sources '*.hpp' '*.cpp' '*.inl' '*.h' '*.c' '*.cuh' '*.cu' |
  PYTHONPATH="$home" xargs -n 50 -P "$(nproc)" "$home/bin/clang-format" $clang_action
home=$(pinned ruff 0.17.5)
sources '*.py' | xargs "$home/bin/ruff" format --quiet $ruff_action
