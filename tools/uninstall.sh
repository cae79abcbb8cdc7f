#!/bin/sh
# Removes the files that `make install` installed, and folders that are then empty. Set DESTDIR to
# the value used for the installation.
#
#   tools/uninstall.sh MANIFEST    MANIFEST is CMake's list of files, install_manifest.txt
set -eu
manifest=$1
if [ ! -f "$manifest" ]; then
  echo "uninstall: there is no $manifest, so nothing was installed from here"
  exit 0
fi

removed=0 missing=0
while IFS= read -r file || [ -n "$file" ]; do
  file=${DESTDIR:-}$file
  if [ ! -e "$file" ] && [ ! -h "$file" ]; then
    missing=$((missing + 1))
    continue
  fi
  echo "removing $file"
  rm -- "$file"
  removed=$((removed + 1))
  # Removes only folders of ours; others, such as lib, stay even if they are empty.
  folder=${file%/*}
  while case $folder in */upsweep | */upsweep/*) ;; *) false ;; esac do
    rmdir -- "$folder" 2> /dev/null || break
    folder=${folder%/*}
  done
done < "$manifest"
echo "uninstall: $removed files removed, $missing already gone"
