#!/bin/bash
# wheel_arm64.sh WHEEL: tries the wheel of `script/wheel OUT aarch64` under qemu, with Debian's Python for arm64 and numpy, which
# it gets into a folder of its own (build/wheel-aarch64/try). Arrays score as reference.py has it; PNG, JPEG, TIFF and DPX are
# read; EXR is refused; and the program runs. Needs qemu-user, unzip and pip.
set -euo pipefail
wheel=$(realpath "$1") here=$(realpath "$(dirname "$0")")
cd "$here/../.."
try=$PWD/build/wheel-aarch64/try work=$PWD/build/wheel-aarch64
mkdir -p "$try/debs" "$try/wheels"
from_debian() { apt-get -qq -o Dir::Etc::sourcelist="$work/apt/from.sources" -o Dir::Etc::sourceparts=/dev/null \
    -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::Lists="$work/apt/lists" -o APT::Sandbox::User=root "$@"; }
if [ ! -e "$try/root/usr/bin/python3.11" ]; then
    (cd "$try/debs" && from_debian download python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libc6 libexpat1 \
        zlib1g libffi8 libssl3 libgcc-s1 libstdc++6 libbz2-1.0 liblzma5 libuuid1 libcrypt1)
    for package in "$try"/debs/*.deb; do dpkg -x "$package" "$try/root"; done
fi
python3 -m pip download -q --platform manylinux_2_28_aarch64 --platform manylinux2014_aarch64 --python-version 3.11 \
    --only-binary=:all: -d "$try/wheels" 'numpy<3'
rm -rf "$try/site"
for file in "$wheel" "$try"/wheels/*.whl; do unzip -qo "$file" -d "$try/site"; done
chmod +x "$try/site/ssimcu/bin/ssimcu"
unset LD_LIBRARY_PATH
export PYTHONPATH=$try/site:$here PYTHONDONTWRITEBYTECODE=1
qemu-aarch64 -L "$try/root" "$try/root/usr/bin/python3.11" - <<'EOF'
import os
import sys
import numpy as np
import reference
import ssimcu
assert os.uname().machine == "aarch64" and "NEON" in ssimcu.devices()[0].name
rng, tried = np.random.default_rng(1), 0
for dtype, white in (("u1", 255), ("u2", 65535), ("f4", 1), ("f8", 1)):
    for shape in ((40, 61), (67, 52, 3)):
        ref = rng.random(shape)
        out = np.clip(ref + 0.1 * rng.standard_normal(shape), 0, 1)
        sides = [(side * white).astype(dtype) for side in (ref, out)]
        result = ssimcu.compare(*sides, metric=("ssim", "psnr"))
        assert abs(result.score - reference.ssim(*sides, white)) < 1e-6, (dtype, shape)
        assert ssimcu.compare(sides[0], sides[0]).score == 1
        tried += 1
for name in ("testdata/odd37x23_progressive.jpg", "testdata/grey_alpha.png", "testdata/rgb8_a.dpx", "testdata/rgb8_a.tif"):
    picture = ssimcu.read(name)
    assert ssimcu.compare(name, picture).score == 1, name
    tried += 1
try:  # qemu cannot start the decoder's process, and on a machine of its own the decoder has no module
    ssimcu.compare("testdata/light.exr", "testdata/light.exr")
    raise AssertionError("an EXR was scored")
except ssimcu.Error as error:
    assert "light.exr" in str(error), error
print("aarch64, CPython", sys.version.split()[0], "numpy", np.__version__, "ssimcu", ssimcu.__version__, tried, "scores and files")
EOF
qemu-aarch64 -L "$try/root" "$try/site/ssimcu/bin/ssimcu" --version | grep -q 'libssimcu_video.*not installed'
echo "wheel_arm64: PASS, $(basename "$wheel"), $(stat -c %s "$wheel") bytes"
