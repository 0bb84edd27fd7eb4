#!/bin/sh
# files_alike.sh ROOT: a copy of the tree without .git, in which something was built, has the same files for files.sh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$1"
"$here/files.sh" . | while read -r file; do [ ! -e "$file" ] || echo "$file"; done | LC_ALL=C sort >"$scratch/expected"
tar cf - -T "$scratch/expected" | (mkdir "$scratch/tree" && tar xf - -C "$scratch/tree")
cd "$scratch/tree"
mkdir -p build .hidden lib/python/__pycache__
touch build/a.c .hidden/b.c lib/python/__pycache__/c.pyc tests/d.got
"$here/files.sh" . >"$scratch/got"
if ! diff "$scratch/expected" "$scratch/got"; then
    echo "[FAIL] files: other files without git"
    exit 1
fi
echo "[PASS] files: $(wc -l <"$scratch/got") with git and without"
