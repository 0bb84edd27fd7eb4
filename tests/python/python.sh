#!/bin/sh
# python.sh PYTHON ROOT LIBRARIES: runs the tests of the Python package, as it lies in the tree, on built libraries. They need
# numpy and pytest. scikit-image, Pillow, pandas, torch, ml_dtypes and mypy are used if they are there.
set -eu
python=$1 root=$2 libraries=$3
for module in numpy pytest; do
    "$python" -c "import $module" 2>/dev/null || { echo "python: $python has no $module, skipped"; exit 77; }
done
export LD_LIBRARY_PATH="$libraries" PYTHONPATH="$root/lib/python" PYTHONDONTWRITEBYTECODE=1
cd "$root"
exec "$python" -m pytest -q -p no:cacheprovider -rs tests/python
