#!/usr/bin/env python3
"""snippets.py CC FLAG...: compiles every code block of README.md, docs/library.md and the public headers' comments
as strict C11. A block that is a whole program is linked, too, and runs. Any other block stands in a function
that has what the words around it speak of: a context, two frames, memory. The block's own names hide them.

snippets.py --project FOLDER: writes README's CMake lines and its program as a project, which
tests/package/run.sh builds on an installed ssimcu."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path.insert(0, str(ROOT / "cmake"))
import headers  # noqa: E402

AROUND = """#include <ssimcu.h>
#include <ssimcu_cuda.h>
#include <ssimcu_io.h>
#include <ssimcu_loss.h>
#include <ssimcu_pictures.h>
#include <ssimcu_qa.h>
#include <stdio.h>
void block(ssimcu_context *context, ssimcu_frame ref, ssimcu_frame out, void *dst, const void *src,
           struct CUstream_st *stream, ssimcu_message why);
void block(ssimcu_context *context, ssimcu_frame ref, ssimcu_frame out, void *dst, const void *src,
           struct CUstream_st *stream, ssimcu_message why)
{
    {
%s
    }
}
"""
STRICT = ["-std=c11", "-pedantic", "-Wall", "-Wextra", "-Wno-unused-variable", "-Wno-unused-parameter",
          "-Wno-missing-braces", "-Wno-missing-field-initializers", "-Werror"]


def kind_of(block):
    """Returns the kind of an indented block in README.md. An unknown kind is an error, so that no block slips by."""
    if block.startswith(("find_package(", "target_link")):
        return "cmake"
    if re.match(r"(\$ |#|script/|build/|cmake |ctest |ssimcu |ssimcu-slurm |mpirun |ffmpeg )", block):
        return "shell"
    sys.exit(f"README.md: of what kind is this block?\n{block}")


FENCE = re.compile(r"^```(\w*)\n(.*?)^```\n", re.S | re.M)


def readme():
    """(kind, block) of each code block."""
    text = (ROOT / "README.md").read_text()
    found = list(FENCE.findall(text))
    for block in re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", FENCE.sub("", text), re.M):
        block = re.sub("^    ", "", block, flags=re.M)
        found.append((kind_of(block), block))
    return found


def c_blocks():
    for page, found in ("README.md", readme()), ("docs/library.md", FENCE.findall((ROOT / "docs/library.md").read_text())):
        for i, (kind, block) in enumerate(found):
            if kind == "c":
                yield f"{page}, block {i + 1}", block
    for path in headers.HEADERS:
        for prose in headers.prose_of(path):
            for kind, block in headers.blocks(prose):
                if kind == "code":
                    yield f"{path.name}: {block.splitlines()[0]}", block


def compile_block(block, compiler, flags, folder):
    source, program = Path(folder, "block.c"), Path(folder, "block")
    whole = "int main(" in block
    source.write_text(block if whole else AROUND % block)
    includes = sorted({f"-I{path.parent}" for path in headers.HEADERS})
    subprocess.run([compiler, *STRICT, *includes, str(source), "-o", str(program)] +
                   (flags if whole else ["-c"]), check=True)
    return whole and subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout


def write_project(folder):
    blocks = readme()
    program, = [block for kind, block in blocks if kind == "c" and "int main(" in block]
    lines, = [block for kind, block in blocks if kind == "cmake"]
    Path(folder, "program.c").write_text(program)
    Path(folder, "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(readme LANGUAGES C)\n"
        f"add_executable(your_program program.c)\n{lines}")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--project":
        return write_project(sys.argv[2])
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, block in c_blocks():
            output = compile_block(block, sys.argv[1], sys.argv[2:], folder)
            print(f"[PASS] snippets::{name}" + (f" -> {output.strip()}" if output else ""))
            count += 1
    if count < 6:
        sys.exit(f"only {count} blocks found")


if __name__ == "__main__":
    main()
