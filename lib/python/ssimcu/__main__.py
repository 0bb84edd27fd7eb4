"""The command `ssimcu` of the wheel: becomes the program inside the package."""

from __future__ import annotations

import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "ssimcu")
    if not os.path.exists(program):
        sys.exit("ssimcu: this package holds no program; the package ssimcu of the system does")
    os.execv(program, ["ssimcu", *sys.argv[1:]])


if __name__ == "__main__":
    main()
