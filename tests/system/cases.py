#!/usr/bin/env python3
"""cases.py: what tests/cli/run.sh says of cases that fail, and that each case can be read: at most 1,000 characters of
commands stand before their expectations, and no line of a command has more than 200."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

CLI = Path(__file__).resolve().parents[1] / "cli"
MOST, LINE = 1000, 200
GOOD = """# Why
$ f() { printf 'a\\nb\\n'; }
$ echo 1 >kept
stdout
# The label
$ f
> f >&2
exit 0
stdout a
stdout b
stderr a
stderr b
file kept
nofile *.tmp
$ false
$ test $? = 1 && f
stdout a
stdout b
$ (echo c) >subshell
$ (echo $?; cat subshell)
stdout 0
stdout c
$ (exit 4)
exit 4
$ echo $?
stdout 4
""".replace("stdout\n#", "exit 0\n#")
# What is changed in it, and what run.sh must say then.
BAD = [
    (("stdout b\nstderr", "stdout c\nstderr"), "line 10: line 2 of standard output, printed by the command in line 6",
     "    expected c", "    found    b", "    # The label", "    line 6: $ f", "    > f >&2"),
    (("stderr b\n", "stderr a\n"), "line 12: line 2 of standard error, printed by the command in line 6"),
    (("stderr b\n", "stderr b\nstderr c\n"), "line 13: standard error ends after 2 lines, expected c"),
    (("stderr a\nstderr b\n", "stderr a\n"), "line 6: standard error has 2 lines or more, expected 1; too many: b"),
    (("exit 0\nstdout", "exit 3\nstdout"), "line 8: exit 0, expected 3"),
    (("$ test $? = 1 && f", "$ f; false"), "line 16: exit 1, expected 0"),
    (("$ f\n> f", "$ exit 3\n> f"), "line 8: exit missing, because the shell had ended, expected 0"),
    (("$ echo 1", "$ exit 3; echo 1"), "line 4: exit missing"),
    (("file kept", "file lost"), "line 13: files, expected file lost"),
    (("nofile *.tmp", "nofile k*"), "line 14: files, expected nofile k*"),
    (("# Why\n", "stdout a\n# Why\n"), "line 1 expects something of no command"),
    (("stdout b\n", "stdout b\n> f\n"), "line 11 continues no command"),
    (("# Why\n", "# Why\nexpects\n"), "line 2 is not one of a case"),
    (("$ echo 1", "$ for i in 1"), "Syntax error"),
    (("# Why\n", "# Why\nneeds everything\n"), "does not name everything"),
]
wrong = 0


def complain(text):
    global wrong
    wrong += 1
    print(f"[FAIL] cases::{text}")


def run(folder, text, **environment):
    file = folder / "x.case"
    file.write_text(text)
    made = subprocess.run([CLI / "run.sh", "/bin/true", file], capture_output=True, text=True,
                          env={**os.environ, "SSIMCU_REQUIRE": "", **environment})
    return made.returncode, made.stdout + made.stderr


def messages(folder):
    code, said = run(folder, GOOD)
    if code or "1 passed, 0 failed" not in said:
        complain(f"good: {said}")
    for change, *sentences in BAD:
        text = GOOD.replace(*change, 1)
        code, said = run(folder, text)
        for sentence in sentences:
            if text == GOOD or code != 1 or sentence not in said:
                complain(f"{change[1]!r}: exit {code}, expected {sentence!r} in: {said}")


def requirements(folder):
    """A name that a machine lacks is skipped, unless SSIMCU_REQUIRE has it."""
    text = f"needs tidy\n{GOOD}"
    path = folder / "bin"
    path.mkdir()
    for tool in "awk basename bash cat dirname find grep ls mkdir mktemp printf realpath rm sed sh sort tail".split():
        (path / tool).symlink_to(subprocess.run(["sh", "-c", f"command -v {tool}"], capture_output=True, text=True).stdout.strip()
                                 if tool != "printf" else "/usr/bin/printf")
    (path / "chmod").symlink_to("/bin/chmod")
    (path / "ln").symlink_to("/bin/ln")
    for required, code, sentence in (
            ("", 0, "there is no tidy"), ("zsh ffmpeg", 0, "there is no tidy"),
            ("tidy", 1, "[FAIL] cli::{}/x: tidy is required (SSIMCU_REQUIRE), but it is not here"),
            ("ffmpeg tidy zsh", 1, "tidy is required"), ("zsh tidy", 1, "tidy is required"),
            ("tidiness", 1, "[FAIL] SSIMCU_REQUIRE: no test needs tidiness"), ("ffmpeg tid", 1, "no test needs tid;")):
        found, said = run(folder, text, SSIMCU_REQUIRE=required, PATH=str(path))
        if found != code or sentence.format(folder.name) not in said:
            complain(f"SSIMCU_REQUIRE={required!r}: exit {found}, expected {sentence!r} in: {said}")


def requirements_of_python(folder):
    """need.py says the same as need.sh."""
    for required, name, code, sentence in (
            ("", "python3", 0, "True"), ("python3", "python3", 0, "True"), ("zsh", "tidy", 0, "False"), ("", "cupid", 1, "KeyError"),
            ("zsh tidy", "tidy", 1, "[FAIL] tidy is required (SSIMCU_REQUIRE), but it is not here"),
            ("python3 tidi", "python3", 1, "[FAIL] SSIMCU_REQUIRE: no test needs tidi;")):
        made = subprocess.run([sys.executable, "-c", f"import need; print(need.there('{name}'))"], capture_output=True, text=True,
                              env={"PATH": str(folder / "bin"), "SSIMCU_REQUIRE": required, "PYTHONPATH": str(CLI.parent / "support"),
                                   "PYTHONDONTWRITEBYTECODE": "1"})
        if made.returncode != code or sentence not in made.stdout + made.stderr:
            complain(f"need.py, {required!r}: exit {made.returncode}, expected {sentence!r} in: {made.stdout}{made.stderr}")


def readable(file):
    count = number = 0
    for number, line in enumerate(file.read_text().split("\n"), 1):
        name = f"{file.parent.name}/{file.name}:{number}"
        if re.match(r"[$>]( |$)", line):
            count += len(line) - 1
            if len(line) > LINE:
                complain(f"{name}: {len(line)} characters in a line; continue the command in lines that begin with '> '")
        elif re.match("(exit|stdout|score|stderr|file|nofile) ", line):
            if count > MOST:
                complain(f"{name}: {count} characters of commands before this; expect something earlier")
            count = 0


def main():
    with tempfile.TemporaryDirectory() as name:
        messages(Path(name))
        requirements(Path(name))
        (Path(name) / "bin/python3").symlink_to(sys.executable)
        requirements_of_python(Path(name))
    cases = sorted(CLI.glob("*/*.case"))
    for file in cases:
        readable(file)
    print(f"[{'FAIL' if wrong else 'PASS'}] cases::all {len(cases)} cases, {len(BAD)} messages")
    return bool(wrong)


sys.exit(main())
