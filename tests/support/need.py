"""need.py: the one place in Python that knows what a machine has, and what SSIMCU_REQUIRE asks for. need.sh is the same
for the shell, require.h for C. The names are those of needs.txt.

    sys.path.insert(0, str(ROOT / "tests/support"))
    import need

    if not need.there("ffmpeg"):
        print("[SKIP] files::all there is no ffmpeg")
"""
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

TABLE = {line.split()[0]: line.split() for line in Path(__file__).with_name("needs.txt").read_text().split("\n")[1:] if line}
REQUIRED = os.environ.get("SSIMCU_REQUIRE", "").split()


def fail(text):
    """Ends the program."""
    print(f"[FAIL] {text}", flush=True)
    sys.exit(1)


def is_there(name):
    _, kind, *others = TABLE[name]
    if kind == "program":
        return any(map(shutil.which, (name, *others)))
    if kind == "module":
        return importlib.util.find_spec(name) is not None
    return bool(shutil.which("nvidia-smi")) and subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0


def missing(name):
    """Says why a test may not be skipped for the lack of `name`; None if it may."""
    return f"{name} is required (SSIMCU_REQUIRE), but it is not here" if name in REQUIRED else None


def there(name):
    """Whether it is there. If it is missing and required, this ends the program with a failure."""
    if is_there(name):
        return True
    if missing(name):
        fail(missing(name))
    return False


def use_python():
    """Goes on in the interpreter that SSIMCU_PYTHON names, if it names one."""
    python = os.environ.get("SSIMCU_PYTHON")
    if python and sys.executable != python:
        os.execv(python, [python, *sys.argv])


for name in REQUIRED:
    if name not in TABLE:
        fail(f"SSIMCU_REQUIRE: no test needs {name}; the names are in tests/support/needs.txt")
