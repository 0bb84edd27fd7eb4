#!/bin/bash
# python.sh PYTHON ROOT LIBRARIES [FILE...]: runs the tests of the Python package, all or these, as it lies in the tree, on
# built libraries. They need numpy and pytest, of the interpreter that SSIMCU_PYTHON names, of PYTHON or else of the
# system's Python. scikit-image, Pillow, pandas, torch, OpenCV, torchmetrics, ml_dtypes and mypy are used if they are there.
set -eu
first=$1 root=$2 libraries=$3
shift 3
# shellcheck source=tests/support/need.sh
. "$root/tests/support/need.sh"
for python in ${SSIMCU_PYTHON:-"$first" /usr/bin/python3} none; do
    ! "$python" -c "import numpy, pytest" 2>/dev/null || break
    [ "$python" = none ] || continue
    missing="${SSIMCU_PYTHON:-$first or /usr/bin/python3} with numpy and pytest"
    if [ -n "${SSIMCU_PYTHON:-}" ] || is_required numpy || is_required pytest; then
        echo "[FAIL] python: there is no $missing"
        exit 1
    fi
    echo "[SKIP] python::all there is no $missing"
    exit 77
done
export LD_LIBRARY_PATH="$libraries" PYTHONPATH="$root/lib/python" PYTHONDONTWRITEBYTECODE=1
cd "$root"
exec "$python" -m pytest -q -p no:cacheprovider "${@:-tests/python}"
