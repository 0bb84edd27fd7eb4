#!/bin/bash
# run.sh BUILD: installs the build to a scratch prefix and unpacks its packages and its .tar.gz into empty
# folders. On each, outside projects find ssimcu and build, and what they print is right: with CMake and
# with pkg-config, as C11 and as C++17, shared and static, the examples, and README's own lines.
set -euo pipefail
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/support/need.sh
. "$here/../support/need.sh"
root=$(realpath "$here/../..")
testdata=$root/testdata
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CMAKE_GENERATOR=Ninja CUDAARCHS=75 LC_ALL=C

step() { echo "-- package: $* ($SECONDS s)"; }
fail() { echo "package: $*" >&2; exit 1; }
scores() { # scores NUMBER REF OUT COMMAND...
    local want=$1 ref=$testdata/$2 out=$testdata/$3
    shift 3
    "$@" "$ref" "$out" | awk -v want="$want" \
        '{ d = $1 - want } END { exit !(NR == 1 && d <= 1e-6 && d >= -1e-6) }' || fail "not $want: $*"
}
photo() { scores 0.934113312 dandelion-ref.png dandelion-jpeg-q50.jpg "$@"; }
small() { scores 0.890096434 rgb8_a.png rgb8_b.png "$@"; }
links() { readelf -d "$1" | grep -q 'NEEDED.*libssimcu'; }
with_cuda() { grep -q '^cudalibdir=' "$(find "$1" -name ssimcu.pc)"; }

# configure SOURCE NAME PREFIX [OPTION...]: an outside project in $scratch/NAME
configure() {
    local source=$1 name=$2 prefix=$3
    shift 3
    cmake -S "$source" -B "$scratch/$name" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF "$@"
}

# Every way to link, by CMake: C11 and C++17, shared and static.
check_find_package() {
    configure "$here" "outside-$2" "$1"
    cmake --build "$scratch/outside-$2"
    local program
    for program in c11 c11_static; do "$scratch/outside-$2/$program"; done
    for program in cxx17 cxx17_static; do small "$scratch/outside-$2/$program"; done
    links "$scratch/outside-$2/cxx17" || fail "cxx17 is not linked to the shared library"
    ! links "$scratch/outside-$2/cxx17_static" || fail "cxx17_static is linked to a shared library"
}

# What find_package must refuse: a newer version, an older one, a component that does not exist.
check_refusals() {
    local wrong
    mkdir "$scratch/refuse"
    for wrong in 0.99 0.1 "0.2 COMPONENTS nonsense"; do
        printf 'cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES NONE)\nfind_package(ssimcu %s REQUIRED)\n' \
            "$wrong" >"$scratch/refuse/CMakeLists.txt"
        ! configure "$scratch/refuse" refused "$1" >"$scratch/log" 2>&1 || fail "find_package(ssimcu $wrong) succeeds"
        grep -q ssimcu "$scratch/log"
    done
}

static_flags() { pkg-config --static --cflags --libs "$1" | sed -E 's/-l(ssimcu(_io|_qa)?)( |$)/-l:lib\1.a\3/g'; }

# The same by pkg-config. A static library is named by its file, as no linker option asks for one alone.
check_pkg_config() {
    local pc_dir flags
    pc_dir=$(dirname "$(find "$1" -name ssimcu.pc)")
    export PKG_CONFIG_PATH=$pc_dir
    [ "$(pkg-config --modversion ssimcu)" = "$version" ] || fail "pkg-config: version"
    # A program that links the shared library needs no .pc file of another package.
    flags=$(PKG_CONFIG_LIBDIR=$pc_dir pkg-config --cflags --libs ssimcu_io)
    cc -std=c11 "$root/lib/examples/pair.c" -o "$scratch/pc_c" $flags -Wl,-rpath,"$pc_dir/.."
    flags=$(PKG_CONFIG_LIBDIR=$pc_dir pkg-config --cflags --libs ssimcu_qa)
    c++ -std=c++17 "$here/main.cpp" -o "$scratch/pc_cxx" $flags -Wl,-rpath,"$pc_dir/.."
    # shellcheck disable=SC2046 # each flag is a word
    cc -std=c11 "$root/lib/examples/pair.c" -o "$scratch/pc_c_static" $(static_flags ssimcu_io)
    # shellcheck disable=SC2046
    c++ -std=c++17 "$here/main.cpp" -o "$scratch/pc_cxx_static" $(static_flags ssimcu_qa)
    local program
    for program in pc_c pc_cxx pc_c_static pc_cxx_static; do small "$scratch/$program"; done
    ! links "$scratch/pc_c_static" || fail "pc_c_static is linked to a shared library"
}

# The examples as they are installed; the CUDA one where the package has CUDA.
check_examples() {
    local name=examples-$2-$3 option=
    with_cuda "$1" || option=-DCMAKE_CUDA_COMPILER=NOTFOUND
    configure "$1/share/doc/ssimcu/examples" "$name" "$1" -DSSIMCU_STATIC="$3" $option
    cmake --build "$scratch/$name"
    "$root/tests/system/examples.sh" "$scratch/$name" "$(dirname "$(find "$1" -name libssimcu.so)")"
}

check_readme() {
    mkdir "$scratch/readme"
    python3 "$root/tests/system/snippets.py" --project "$scratch/readme"
    configure "$scratch/readme" readme-build "$1"
    cmake --build "$scratch/readme-build"
    "$scratch/readme-build/your_program" | grep -E '^0\.9999[0-9]+ on '
}

# Program, manual page, API page; and nothing that holds only on this machine.
check_files() {
    photo "$1/bin/ssimcu"
    "$root/tests/system/man.sh" "$1/bin/ssimcu"
    local page
    for page in "$root"/cli/*.[15]; do
        gzip -dc "$1/share/man/man${page##*.}/${page##*/}.gz" | cmp - "$page"
    done
    ! "$1/bin/ssimcu-slurm" -n 2 -- ref out 2>"$scratch/log" || fail "ssimcu-slurm takes a run without a file"
    grep -q 'expected --output FILE' "$scratch/log"
    zsh_folder=site-functions
    [ ! -d "$1/share/zsh/vendor-completions" ] || zsh_folder=vendor-completions # a Debian package
    for file in bash-completion/completions/ssimcu zsh/$zsh_folder/_ssimcu fish/vendor_completions.d/ssimcu.fish; do
        grep -q -- map-style "$1/share/$file" || fail "$file is not there"
    done
    grep -q 'Sean Barrett' "$1/share/doc/ssimcu/copyright" || fail "copyright lacks stb_image_write"
    ! with_cuda "$1" || grep -q 'NVIDIA Corporation' "$1/share/doc/ssimcu/copyright" || fail "copyright lacks the CUDA runtime"
    local name
    for name in $(sed -nE 's/.*\<(ssimcu_[a-z_0-9]+)\(.*/\1/p' "$root/lib/python/ssimcu/lp64.abi"); do
        grep -q "id=\"$name\"" "$1/share/doc/ssimcu/api.html" || fail "api.html lacks $name"
    done
    ! grep -rlE "$build|$root|$scratch" "$1" --include='*.cmake' --include='*.pc' || fail "paths of this machine"
    "$root/tests/lib/headers.sh" cc c++ "$1/include"
    [ "$(find "$1/include" -name '*.h' -o -name '*.hpp' | wc -l)" = \
        "$(find "$root/lib/include" "$root/io/include" "$root/lib/qa/include" -type f | wc -l)" ] || fail "not every header"
}

# The base says which package is missing, and finds the module once it is there.
check_module() { # check_module PREFIX NAME FILE LIBRARY: FILE is what the package ssimcu-NAME, which needs LIBRARY, reads
    local code=0 deb with=$scratch/$2
    "$1/bin/ssimcu" "$3" "$3" >"$scratch/log" 2>&1 || code=$?
    [ $code = 4 ] && grep -q "package ssimcu-$2" "$scratch/log" || fail "without ssimcu-$2: $(cat "$scratch/log")"
    deb=$(package "ssimcu-$2")
    [ -n "$deb" ] || { step "no ssimcu-$2 in this build"; return; }
    needs "$deb" "$4"
    needs "$deb" "libssimcu0.2 (= $version-1)"
    cp -r "$1" "$with"
    dpkg-deb -x "$deb" "$scratch/full"
    dpkg-deb -x "$deb" "$with.deb"
    cp -r "$with.deb/usr/." "$with"
    [ "$("$with/bin/ssimcu" "$3" "$3" 2>"$scratch/log")" = 1.000000000 ] || fail "with ssimcu-$2: $(cat "$scratch/log")"
    ! "$with/bin/ssimcu" -v "$3" "$3" 2>&1 | grep 'in this process' || fail "ssimcu-$2 does not run in ssimcu-decode"
}

step "$build: install and pack"
cmake --install "$build" --prefix "$scratch/prefix"
export SOURCE_DATE_EPOCH=1795932106 # script/packages sets the commit's time
(cd "$build" && cpack -B "$scratch/packages")
step "$build: packages have the same bytes when they are packed again"
(cd "$build" && cpack -G DEB -B "$scratch/again")
for deb in "$scratch"/again/*.deb; do cmp "$deb" "$scratch/packages/${deb##*/}"; done
rm -r "$scratch/again"
package() { find "$scratch/packages" -maxdepth 1 -name "$1_*.deb"; } # package NAME: its file
cpu=
with_cuda "$scratch/prefix" || cpu=-cpu
program=$(package "ssimcu$cpu") libraries=$(package "libssimcu0.2$cpu") dev=$(package "libssimcu$cpu-dev")
for deb in "$program" "$libraries" "$dev"; do
    dpkg-deb -I "$deb"
    dpkg-deb -x "$deb" "$scratch/deb"
    dpkg-deb -x "$deb" "$scratch/full" # check_module adds the modules
done
mkdir "$scratch/tar"
tar -xf "$scratch"/packages/*.tar.gz -C "$scratch/tar" --strip-components 1
version=$(sed -nE 's/^Version: //p' "$(find "$scratch/prefix" -name ssimcu.pc)")
if has lintian; then
    lintian --allow-root --fail-on error,warning "$scratch"/packages/*.deb
else
    step "skipped: lintian is not installed"
fi
mapfile -t shared < <(find "$scratch/deb" -name 'libssimcu*.so.*.*.*')
"$root/tests/system/hardening.sh" "$build/compile_commands.json" "$scratch/deb/usr/bin/ssimcu" "${shared[@]}"
needs() { dpkg-deb -f "$1" Depends | grep -qF "$2" || fail "$1 does not depend on $2"; }
for deb in "$program" "$libraries"; do
    needs "$deb" libpng16
    ! grep -q "^libisal_FOUND:.*=1" "$build/CMakeCache.txt" || needs "$deb" libisal2
    ! grep -q "^libtiff_FOUND:.*=1" "$build/CMakeCache.txt" || needs "$deb" libtiff6
    ! grep -q "^zimg_FOUND:.*=1" "$build/CMakeCache.txt" || needs "$deb" libzimg2
done
needs "$libraries" libseccomp2
needs "$dev" "libssimcu0.2$cpu (= $version-1)"
[ "$(dpkg-deb -f "$program" Version)" = "$version-1" ] || fail "version of the .deb"
triplet=$(cc -print-multiarch)
[ -z "$triplet" ] || [ "$(ls "$scratch/deb/usr/lib")" = "$triplet" ] || fail "libraries beside lib/$triplet: $(ls "$scratch/deb/usr/lib")"
"$here/upgrade.sh" "$scratch/packages" "$scratch/prefix"

step prefix
check_files "$scratch/prefix"
check_refusals "$scratch/prefix"
check_find_package "$scratch/prefix" prefix
check_examples "$scratch/prefix" prefix OFF
check_readme "$scratch/prefix"
step .deb
check_files "$scratch/deb/usr"
check_find_package "$scratch/deb/usr" deb
check_pkg_config "$scratch/deb/usr"
check_examples "$scratch/deb/usr" deb ON
step "EXR and video: without their packages and with them"
check_module "$scratch/deb/usr" exr "$testdata/light.exr" libopenexr
if has ffmpeg; then
    ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=64x48:d=0.2 "$scratch/a.mp4"
    check_module "$scratch/deb/usr" video "$scratch/a.mp4" libavcodec
else
    step "no ffmpeg: the package ssimcu-video was not tried"
fi
if [ -n "$(package ssimcu-exr)" ] && [ -n "$(package ssimcu-video)" ]; then
    step "three programs outside"
    "$here/outside.sh" "$scratch/full/usr"
fi
step "Python"
dpkg-deb -x "$(package python3-ssimcu)" "$scratch/full"
small env PYTHONPATH="$scratch/full/usr/lib/python3/dist-packages" LD_LIBRARY_PATH="$scratch/full/usr/lib/$triplet" \
    python3 -B -c 'import sys, ssimcu; print(f"{ssimcu.compare(*sys.argv[1:]).score:.9f}")'
step .tar.gz
check_files "$scratch/tar"
check_pkg_config "$scratch/tar"
step "done"
