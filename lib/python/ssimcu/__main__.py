"""The command `ssimcu` and `python3 -m ssimcu`: runs the program inside the package, or otherwise that of the system."""

from __future__ import annotations

import os
import shutil
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "ssimcu")
    if not os.path.exists(program):
        found = shutil.which("ssimcu")
        if found is None or os.path.realpath(found) == os.path.realpath(sys.argv[0]):  # this command itself
            sys.exit("ssimcu: this package holds no program; the package ssimcu of the system does")
        program = found
    os.execv(program, ["ssimcu", *sys.argv[1:]])


if __name__ == "__main__":
    main()
