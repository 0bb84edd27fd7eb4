#!/bin/sh
# python.sh PYTHON ROOT LIBRARIES: runs the tests of the Python package, as it lies in the tree, on built libraries. They need
# numpy and pytest, of PYTHON or else of the system's Python. scikit-image, Pillow, pandas, torch, OpenCV, torchmetrics, ml_dtypes
# and mypy are used if they are there.
set -eu
root=$2 libraries=$3
for python in "$1" /usr/bin/python3 none; do
    [ "$python" != none ] || { echo "python: neither $1 nor /usr/bin/python3 has numpy and pytest: skipped"; exit 77; }
    ! "$python" -c "import numpy, pytest" 2>/dev/null || break
done
export LD_LIBRARY_PATH="$libraries" PYTHONPATH="$root/lib/python" PYTHONDONTWRITEBYTECODE=1
cd "$root"
exec "$python" -m pytest -q -p no:cacheprovider -rs tests/python
