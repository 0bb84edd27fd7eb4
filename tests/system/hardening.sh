#!/bin/bash
# hardening.sh COMPILE_COMMANDS PROGRAM LIBRARY...: checks that what was built for release is hardened. It
# is position independent, with protected relocations and stack. It has a stack protector and checked
# calls of the C library, and guarded control flow if the CPU can. Every file of ours is compiled so.
set -u
export LC_ALL=C
commands=$1
shift
bad=0
complain() { echo "hardening: $*" >&2; bad=1; }
has() { # has TEXT PATTERN WHAT
    grep -qE "$2" <<<"$1" || complain "$file: no $3"
}
for file in "$@"; do
    header=$(readelf -hW "$file") segments=$(readelf -lW "$file") dynamic=$(readelf -dW "$file")
    symbols=$(readelf -sW "$file")
    has "$header" 'Type: +DYN' "position independent code"
    has "$segments" 'GNU_RELRO' "relro"
    has "$dynamic" 'BIND_NOW|FLAGS.*NOW' "immediate binding (full relro)"
    has "$segments" 'GNU_STACK.* RW +0x' "stack that is not executable"
    has "$symbols" '__stack_chk_fail' "stack protector"
    has "$symbols" '__[a-z]+_chk\>' "checked call (_FORTIFY_SOURCE)"
    ! grep -qE '\<(TEXTREL|RPATH)\>' <<<"$dynamic" || complain "$file: text relocations, or an RPATH"
done
case $(uname -m) in
x86_64) guard=-fcf-protection ;;
aarch64) guard=-mbranch-protection=standard ;;
*) guard= ;;
esac
ours=$(grep -E '"command": .* -c [^ ]*/(lib|io|cli)/[^ ]*\.c"' "$commands")
[ "$(wc -l <<<"$ours")" -ge 40 ] || complain "$commands: few files of ours"
grep -q '"command": "[^ ]*clang' "$commands" && clash= || clash=-fstack-clash-protection # see cmake/Build.cmake
for flag in -fstack-protector-strong $clash -D_FORTIFY_SOURCE=2 $guard; do
    without=$(grep -vF -- " $flag " <<<"$ours" | sed -E 's/.* -c ([^ ]*)".*/\1/')
    [ -z "$without" ] || complain "without $flag: $(head -n 3 <<<"$without" | tr "\n" " ")"
done
exit $bad
