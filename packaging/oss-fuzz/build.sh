#!/bin/bash -eu
# Builds the fuzzers of tests/fuzz into $OUT with what OSS-Fuzz sets: CC, CXX, CFLAGS, WORK. FUZZERS names some of them.
# EXR and video are left out: the system's OpenEXR is of another libstdc++, and FFmpeg has a project of its own.
cmake -S . -B "$WORK/build" -G Ninja -DCMAKE_BUILD_TYPE=None -DSSIMCU_SANITIZE=fuzzer-no-link -DSSIMCU_CUDA=OFF \
    -DSSIMCU_EXR=OFF -DSSIMCU_BENCH=OFF
for name in ${FUZZERS:-$(basename -s .c tests/fuzz/corpus/*)}; do
    fuzzer=fuzz_$name
    ninja -C "$WORK/build" "$fuzzer"
    cp "$WORK/build/tests/fuzz/$fuzzer" "$OUT/"
    # The machines that run it have the C library and no others.
    mkdir -p "$OUT/lib"
    ldd "$OUT/$fuzzer" | awk '$3 ~ /^\// && $3 !~ /\/lib(c|m|dl|rt|pthread|resolv)\.so/ { print $3 }' | xargs -I{} cp -Ln {} "$OUT/lib/"
    patchelf --set-rpath '$ORIGIN/lib' "$OUT/$fuzzer"
    seeds=(tests/fuzz/corpus/"$name"/*)
    [ "$name" != image ] || mapfile -t -O ${#seeds[@]} seeds < <(find testdata -size -16k -regex '.*\.\(png\|jpg\|tif\|dpx\)')
    zip -qX "$OUT/${fuzzer}_seed_corpus.zip" "${seeds[@]}"
    [ ! -e "tests/fuzz/dict/$name.dict" ] || cp "tests/fuzz/dict/$name.dict" "$OUT/$fuzzer.dict"
done
# A library may need others itself.
patchelf --set-rpath '$ORIGIN' "$OUT"/lib/*.so*
