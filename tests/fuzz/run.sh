#!/bin/bash
# run.sh build DIR                  builds the fuzzers into DIR, with seeds, dictionaries, a copy of
#                                   this script and the shared libraries that they need
# run.sh run DIR SECONDS JOBS [TARGET...]
#                                   runs each target for so many seconds of CPU time, so many
#                                   processes at a time; prints executions, coverage, findings of
#                                   this run and those before it in DIR, which it goes on from
# run.sh SECONDS JOBS               both, in build/fuzz-run
#
# Needs clang. libpng, libjpeg-turbo and, if EXRs are read, OpenEXR are built with the same sanitizers
# from Debian's source packages. If these cannot be fetched, the system's are used and a line says so.
# libtiff, which reads directories alone, is the system's. `run` needs neither a compiler nor the
# repository: take DIR to a machine with many cores. What is found ends up in DIR/findings; once
# mended, it belongs in corpus/.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
all="calls check clip exr image learned limits list loss orientation ranges results"
say() { echo "fuzz: $*" >&2; }

# ---- Building -------------------------------------------------------------------------------------

build_library() { # build_library NAME SOURCE OPTION...
    local name=$1 source=$2 flags="-O1 -g -fsanitize=address,undefined,fuzzer-no-link -fno-omit-frame-pointer"
    shift 2
    # Only memory errors count: shifts and casts are these libraries' own affair.
    flags="$flags -fno-sanitize=shift,alignment,pointer-overflow,function,signed-integer-overflow,vptr"
    cmake -S "$source" -B "$name" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
        -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_PREFIX_PATH="$PWD/prefix" \
        -DCMAKE_INSTALL_PREFIX="$PWD/prefix" -DCMAKE_INSTALL_LIBDIR="$PWD/prefix/lib" "$@" &&
        ninja -C "$name" install
}

build_libraries() { # in the folder for them
    "$here/../../script/source" libpng1.6 libjpeg-turbo &&
        build_library png libpng1.6-*/ -DPNG_SHARED=OFF -DPNG_TESTS=OFF -DPNG_HARDWARE_OPTIMIZATIONS=OFF &&
        build_library jpeg libjpeg-turbo-*/ -DENABLE_SHARED=OFF -DWITH_SIMD=OFF -DWITH_TURBOJPEG=OFF
}

build_openexr() { # in the folder for them: shared libraries, which pkg-config describes whole
    "$here/../../script/source" imath openexr &&
        build_library imath imath-*/ -DBUILD_TESTING=OFF -DPYTHON=OFF &&
        build_library openexr openexr-*/ -DBUILD_TESTING=OFF -DOPENEXR_BUILD_TOOLS=OFF -DOPENEXR_BUILD_UTILS=OFF \
            -DOPENEXR_INSTALL_EXAMPLES=OFF
}

libraries() { # prints what tells CMake where they are
    local folder=$1
    mkdir -p "$folder"
    if ! [ -e "$folder/prefix/lib/libjpeg.a" ] &&
        ! (cd "$folder" && build_libraries) >"$folder/log" 2>&1; then
        say "libpng and libjpeg-turbo are the system's, without sanitizers: see $folder/log"
        return
    fi
    if pkg-config --exists OpenEXR && ! [ -e "$folder/prefix/lib/libOpenEXR.so" ] &&
        ! (cd "$folder" && build_openexr) >"$folder/log-openexr" 2>&1; then
        say "OpenEXR is the system's, without sanitizers: see $folder/log-openexr"
    fi
    echo "-DCMAKE_PREFIX_PATH=$folder/prefix"
}

copy_shared_libraries() { # not the C library: that of the other machine must be as new as ours
    ldd "$1/bin/"* | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
        grep -vE '/lib(c|m|dl|rt|pthread|resolv)\.so' | sort -u | xargs -I{} cp -L {} "$1/lib/"
}

make_seeds() { # make_seeds FOLDER
    local target
    for target in $all; do
        mkdir -p "$1/$target"
        [ "$target" = exr ] || cp "$here/corpus/$target/"* "$1/$target/"
    done
    cp "$here/corpus/image/"*.exr "$1/exr/"
    "$here/exr_seeds.sh" "$1/exr"
    find "$here/../../testdata" -size -16k \( -name '*.png' -o -name '*.jpg' -o -name '*.tif' -o -name '*.dpx' \) -exec cp {} "$1/image/" \;
}

build() { # build DIR
    local root
    root=$(realpath "$here/../..")
    mkdir -p "$1/bin" "$1/lib" "$1/seeds"
    cd "$root"
    # shellcheck disable=SC2046
    cmake --fresh --preset fuzz $(libraries "$root/build/fuzz-libraries") >"$1/build.log"
    cmake --build --preset fuzz >>"$1/build.log" || { tail -50 "$1/build.log" >&2; return 1; }
    [ -e build/fuzz/tests/fuzz/fuzz_exr ] || all=${all/exr /}
    for target in $all; do cp "build/fuzz/tests/fuzz/fuzz_$target" "$1/bin/"; done
    cp -r "$here/dict" "$here/run.sh" "$1/"
    copy_shared_libraries "$1"
    make_seeds "$1/seeds"
    say "built $1"
}

# ---- Running --------------------------------------------------------------------------------------

cpu_seconds() { awk '{ print int(($14 + $15) / 100) }' "/proc/$1/stat" 2>/dev/null || echo 0; }

# Runs one worker: rounds until it has used its CPU time, because a finding ends a round.
work() { # work TARGET NUMBER SECONDS, in DIR
    local target=$1 log=work/$1-$2.log used=0 before now findings=0 code dictionary=
    mkdir -p "work/$target" "findings/$target"
    before=$(cat "work/$1-$2.seconds" 2>/dev/null || echo 0)
    if [ -e "dict/$target.dict" ]; then dictionary=-dict=dict/$target.dict; fi
    while [ "$used" -lt "$3" ] && [ $findings -lt 5 ]; do
        "bin/fuzz_$target" "work/$target" "seeds/$target" $dictionary -max_len=16384 -timeout=25 \
            -rss_limit_mb=3000 -reload=1 -print_final_stats=1 -artifact_prefix="findings/$target/" \
            >>"$log" 2>&1 &
        now=0 code=0
        while kill -0 $! 2>/dev/null; do
            sleep 1
            now=$(($(cpu_seconds $!) > now ? $(cpu_seconds $!) : now))
            if [ $((used + now)) -ge "$3" ]; then kill -INT $! 2>/dev/null || true; fi
        done
        wait $! || code=$?
        used=$((used + now))
        if [ $code != 0 ] && [ $code != 72 ]; then findings=$((findings + 1)); fi # 72: interrupted
    done
    echo $((before + used)) >"work/$target-$2.seconds"
}

report() { # report TARGET
    local executions seconds coverage of findings
    executions=$(cat work/"$1"-*.log | awk '/^stat::number_of_executed_units/ { n += $2 } END { print n + 0 }')
    seconds=$(cat work/"$1"-*.seconds | awk '{ n += $1 } END { print n + 0 }')
    coverage=$(cat work/"$1"-*.log | grep -oE 'cov: [0-9]+' | sort -k2,2n | tail -1)
    of=$(cat work/"$1"-*.log | grep -oE '[0-9]+ inline 8-bit counters' | awk '{ print $1; exit }')
    # A slow input is no finding; one that takes 25 seconds is.
    findings=$(find "findings/$1" -type f ! -name 'slow-unit-*' | wc -l)
    printf '%-12s %6d s of CPU %12d executions   %s of %d edges   %d findings\n' "$1" "$seconds" \
        "$executions" "${coverage:-no coverage}" "$of" "$findings"
    [ "$findings" = 0 ]
}

run() { # run DIR SECONDS JOBS [TARGET...]
    local seconds=$2 jobs=$3 target workers bad=0
    cd "$1"
    shift 3
    local targets=${*:-$(find bin -name 'fuzz_*' -printf '%f\n' | sed 's/fuzz_//' | sort)}
    mkdir -p work findings
    export LD_LIBRARY_PATH=$PWD/lib ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1
    export UBSAN_OPTIONS=print_stacktrace=1
    # shellcheck disable=SC2086
    workers=$((jobs / $(wc -w <<<"$targets"))) # not more than run at a time: one left over takes as long again
    workers=$((workers > 0 ? workers : 1))
    for target in $targets; do
        for ((i = 0; i < workers; i++)); do echo "$target $i $((seconds / workers))"; done
    done | xargs -P "$jobs" -L 1 bash run.sh work
    for target in $targets; do report "$target" || bad=1; done
    [ $bad = 0 ] || say "findings are in $PWD/findings, what was printed in $PWD/work"
    return $bad
}

case ${1:-} in
build) mkdir -p "$2" && build "$(realpath "$2")" ;;
run) shift && run "$@" ;;
work) shift && work "$@" ;; # run's own
[0-9]*)
    build "$here/../../build/fuzz-run" && run "$here/../../build/fuzz-run" "$1" "$2" ;;
*) sed -n '2,/^set/{/^set/d;s/^# \?//p}' "${BASH_SOURCE[0]}" && exit 2 ;;
esac
