#!/bin/sh
# files.sh ROOT: prints the files of the tree ROOT, as git knows them. In a source archive, or without git, it prints what
# is there without what .gitignore names.
set -eu
cd "$1"
if [ -e .git ] && listed=$(git ls-files 2>/dev/null); then
    printf '%s\n' "$listed"
else
    find . -mindepth 1 -type d \( -name '.*' ! -name .ci ! -name .github -o -name __pycache__ -o -path ./build \) -prune -o \
        ! -type d ! -name '*.got' -print | sed 's|^\./||' | LC_ALL=C sort
fi
