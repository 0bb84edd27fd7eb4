#!/usr/bin/env python3
"""abi.py [--write] CC LIBSSIMCU LIBSSIMCU_IO LIBSSIMCU_QA: compares what programs rely on with the committed record.

The record (lib/python/ssimcu/lp64.abi) is made of the public headers and the shared libraries. It lists
sonames, every exported function as it is declared, every enum number, and the size of every struct with
each field's place and type. The Python package reads it. Exported and declared must be the same set. A difference fails.

To make a change on purpose, raise the version in ssimcu.h if the change can break a program (CHANGELOG.md
says so). Then record it with `cmake --build <build> --target abi-record`, and commit both."""
import difflib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left beside the sources
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cmake"))
import headers  # noqa: E402

RECORD = ROOT / "lib/python/ssimcu/lp64.abi"


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def items_of(names):
    for path in headers.HEADERS:
        if path.name in names:
            for section in headers.read(path)[1]:
                yield from section.items


def functions(library, names):
    """Returns the soname and the declarations of one library, which must export just these."""
    declared = {item.name: item.bare for item in items_of(names) if item.is_function}
    symbols = [line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()]
    symbols = [name for name in symbols if "@@SSIMCU_PRIVATE_" not in name]  # cmake/symbols_private.map
    exported = {name.split("@")[0] for name in symbols if name.startswith("ssimcu_")}
    versions = sorted({name.split("@@")[1] for name in symbols if "@@" in name})
    for name in sorted(exported ^ set(declared)):
        sys.exit(f"{Path(library).name}: {name} is " + ("exported, but in no public header"
                 if name in exported else "declared, but not exported"))
    soname = re.search(r"SONAME\).*\[(.*)\]", run("readelf", "-d", library)).group(1)
    return [f"library {soname}, symbols of {', '.join(versions)}"] + [declared[name] for name in sorted(declared)]


def layout(compiler):
    """Writes, builds and runs a C program that prints every enum and struct as the compiler sees them."""
    code = [f'#include "{path}"' for path in headers.HEADERS]
    code += ["#include <stdio.h>", "int main(void) {"]
    for item in items_of([path.name for path in headers.HEADERS]):
        if item.enumerators():
            code.append(f'puts("\\nenum {item.name or ""}");')
        code += [f'printf("  %s = %lld\\n", "{value}", (long long){value});'
                 for value in item.enumerators()]
        if item.fields():
            code.append(f'printf("\\nstruct {item.name}: %zu bytes\\n", sizeof({item.name}));')
        code += [f'printf("  %s: %zu bytes at %zu, %s\\n", "{field}", '
                 f'sizeof((({item.name} *)0)->{field}), offsetof({item.name}, {field}), "{kind}");'
                 for field, kind in item.fields()]
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "layout.c"), Path(folder, "layout")
        source.write_text("\n".join(code) + "\nreturn 0; }\n")
        includes = sorted({f"-I{path.parent}" for path in headers.HEADERS})
        run(compiler, "-std=c11", *includes, str(source), "-o", str(program))
        return run(str(program)).splitlines()


def main():
    write, arguments = sys.argv[1:2] == ["--write"], sys.argv[1:]
    if len(arguments) != 4 + write:
        sys.exit(__doc__)
    compiler, core, io, qa = arguments[write:]
    lines = functions(core, ["ssimcu.h", "ssimcu_permute.h", "ssimcu_cuda.h", "ssimcu_loss.h"]) + [""]
    lines += functions(io, ["ssimcu_io.h"]) + [""] + functions(qa, ["ssimcu_qa.h", "ssimcu_pictures.h"]) + layout(compiler)
    if write:
        RECORD.write_text("\n".join(lines) + "\n")
        return
    recorded = RECORD.read_text().splitlines()
    difference = list(difflib.unified_diff(recorded, lines, RECORD.name, "this build", "", "", 0, ""))
    if difference:
        sys.exit("\n".join(difference + ["", "The binary interface differs from the record; see the "
                                         "head of tests/abi/abi.py."]))


if __name__ == "__main__":
    main()
