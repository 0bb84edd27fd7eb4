#!/bin/bash
# upgrade.sh PACKAGES PREFIX: installs the packages over the one that held all files up to 0.2.0, in a root
# of their own, in both orders. A stand-in with the paths of its time is what is replaced. dpkg needs root.
set -euo pipefail
export LC_ALL=C
packages=$1 prefix=$2
if [ "$(id -u)" != 0 ]; then
    echo "upgrade: skipped: dpkg installs as root alone"
    exit
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() { echo "upgrade: $*" >&2; exit 1; }
install() { # install FILE...: into the root, whose other packages are not there, as apt calls dpkg
    dpkg --root="$scratch/root" --force-depends --force-script-chrootless --auto-deconfigure --log=/dev/null -i "$@" \
        >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
}
program=$(basename "$(find "$packages" -name 'ssimcu_*.deb' -o -name 'ssimcu-cpu_*.deb')")
name=${program%%_*}

# The package of 0.2.0: libraries in lib, and everything else where it is today.
mkdir -p "$scratch/old/usr/lib" "$scratch/old/DEBIAN"
cp -r "$prefix/bin" "$prefix/include" "$prefix/share" "$scratch/old/usr"
cp -r "$prefix"/lib/libssimcu*.so* "$prefix"/lib/libssimcu*.a "$prefix/lib/cmake" "$prefix/lib/ssimcu" "$scratch/old/usr/lib"
rm -r "$scratch"/old/usr/share/doc/*ssimcu*-* "$scratch"/old/usr/share/doc/libssimcu* "$scratch/old/usr/share/lintian" 2>/dev/null || true
cat >"$scratch/old/DEBIAN/control" <<END
Package: $name
Version: 0.2.0
Architecture: $(dpkg --print-architecture)
Maintainer: The ssimcu authors <ssimcu@localhost>
Description: stand-in for the package of 0.2.0
END
dpkg-deb --root-owner-group -b "$scratch/old" "$scratch/old.deb" >/dev/null

for order in program-first libraries-first; do
    rm -rf "$scratch/root"
    mkdir -p "$scratch"/root/var/lib/dpkg/{info,updates,triggers}
    touch "$scratch"/root/var/lib/dpkg/{status,available}
    install "$scratch/old.deb"
    if [ $order = program-first ]; then
        install "$packages/$program"
    fi
    install "$packages"/libssimcu*.deb "$packages/$program"
    bad=$(dpkg-query --admindir="$scratch/root/var/lib/dpkg" -W -f '${db:Status-Status} ${Package} ${Version}\n' |
        grep -v '^installed .*-1$' || true)
    [ -z "$bad" ] || fail "$order: $bad"
    left=$(find "$scratch/root/usr/lib" -maxdepth 1 -name '*ssimcu*')
    [ -z "$left" ] || fail "$order: left behind: $left"
    for file in bin/ssimcu include/ssimcu.h share/doc/ssimcu/api.html share/doc/ssimcu/README.md; do
        [ -e "$scratch/root/usr/$file" ] || fail "$order: no $file"
    done
done
echo "[PASS] upgrade"
