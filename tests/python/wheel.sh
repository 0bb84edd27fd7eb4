#!/bin/bash
# wheel.sh WHEEL FILES PYTHON...: a wheel is at most 64 MB. It is installed into an empty virtual environment of each interpreter,
# without any other package. There it is imported, scores the pairs a.png b.png, a.exr b.exr and a.mp4 b.mp4 in FILES, and the
# command and its manual are on their paths. The program shares the core with Python. Uninstalling leaves nothing.
set -euo pipefail
wheel=$(realpath "$1") files=$(realpath "$2")
shift 2
fail() { echo "wheel: $*" >&2; exit 1; }
[ "$(stat -c %s "$wheel")" -le 64000000 ] || fail "$(stat -c %s "$wheel") bytes"

for python in "$@"; do
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    cd "$scratch"
    "$python" -m venv env || "$python" -m venv --without-pip env
    find env -type f ! -name '*.pyc' | sort >before
    env/bin/python -m pip install --quiet --no-index "$wheel"
    unset LD_LIBRARY_PATH PYTHONPATH
    env/bin/python - "$files" <<'EOF'
import sys
import ssimcu
folder, shown = sys.argv[1], []
for kind in ("png", "exr"):
    result = ssimcu.compare(f"{folder}/a.{kind}", f"{folder}/b.{kind}")
    assert 0 < result.score < 1 and result.worst.score <= result.tiles[0, 0], kind
    shown.append(f"{kind} {result.score:.6f}")
video = ssimcu.run(f"{folder}/a.mp4", f"{folder}/b.mp4").wait()
assert video.exit_code == 0 and video.records, video
shown.append(f"mp4 {video.summary['mean']:.6f} ({len(video.records)} frames)")
assert not {"numpy", "torch"} & set(sys.modules)
print("CPython " + sys.version.split()[0] + ", ssimcu " + ssimcu.__version__ + ":", ", ".join(shown))
EOF
    ldd env/lib/python*/site-packages/ssimcu/bin/ssimcu | grep -q '/site-packages/.*libssimcu\.so' || fail "a core in the program"
    [ "$(env/bin/ssimcu --version | cut -d' ' -f1)" = ssimcu ] || fail "the command"
    [ "$(env/bin/python -m ssimcu --version)" = "$(env/bin/ssimcu --version)" ] || fail "python -m ssimcu"
    env/bin/ssimcu --version | tr ';' '\n' | grep -q 'libssimcu_video.*FFmpeg' || fail "no video"
    for page in man1/ssimcu.1 man1/ssimcu-calibrate.1 man1/ssimcu-check.1 man5/ssimcu-limits.5 man5/ssimcu-results.5; do
        [ -s "env/share/man/$page.gz" ] || fail "no $page"
    done
    env/bin/python -m pip uninstall --quiet --yes ssimcu
    find env -type f ! -name '*.pyc' | sort >after
    cmp before after || fail "uninstalling left $(comm -13 before after | head -3)"
    cd /
    rm -rf "$scratch"
done
