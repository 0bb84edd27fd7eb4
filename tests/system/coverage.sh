#!/bin/sh
# coverage.sh: builds the preset `coverage` and prints how much of lib, io and cli the CPU tests run. It
# ignores the tests' verdicts, because other builds judge them. Tests that limit files, memory or time
# get no such limits here.
set -eu
cd "$(dirname "$0")/../.."
build=build/coverage
tests='api clip dpx exr_structure forms hints image light maps misuse misuse_views orientation permute_api pictures png qa_wrapper read_pictures report results run run_files sequence shown
       source threads tiff tiff_damaged tiles video_complaints views'
targets=$(printf 'test_%s ' $tests)
cmake --preset coverage >/dev/null
find $build -name '*.gcda' -delete
# shellcheck disable=SC2086
script/quiet cmake --build $build --target ssimcu_cli ssimcu_exr ssimcu_video gate_frames fuzz_replay $targets
# A worker gives up the right to write files, so it cannot leave its counts. Without workers the modules run in the
# program. worker and faults_worker judge what coverage.py leaves out.
rm -f $build/io/ssimcu/ssimcu-decode
pattern=$(printf '%s|' $tests)
ctest --test-dir $build --parallel 2 -R "^(${pattern}cli_.*|gate|fuzz_corpus)\$" >$build/test.log 2>&1 || :
tests/system/coverage.py $build
