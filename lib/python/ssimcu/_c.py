"""The structs, numbers and functions of the C headers, read from lp64.abi.

That file records the binary interface. The test `abi` compares it with the headers and the
compiler, so new fields of a header appear here once they are recorded.
"""

from __future__ import annotations

import ctypes
import functools
import os
import pkgutil
import re
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int64, c_uint32, c_void_p
from typing import Any, Dict, Iterator, Tuple

FOLDER = os.path.dirname(os.path.abspath(__file__))
_read = pkgutil.get_data(__name__, "lp64.abi")  # also from an archive
_record = (_read or b"").decode("ascii") + "\n"

# The version of the binary interface, at the end of each library's soname.
SOVERSION = re.findall(r"^library libssimcu\.so\.([\d.]+),", _record, re.M)[0]
_blocks: Dict[str, str] = dict(re.findall(r"^(?:enum|struct) (?:ssimcu_)?(\w+).*\n((?:  .*\n)*)", _record, re.M))
_numbers = {name: int(value) for name, value in re.findall(r"^  (\w+) = (-?\d+)$", _record, re.M)}
_scalars = {"int": ctypes.c_int, "char": ctypes.c_char, "float": ctypes.c_float, "double": ctypes.c_double}
_scalars.update({"size_t": ctypes.c_size_t, "ptrdiff_t": ctypes.c_ssize_t, "uint8_t": ctypes.c_uint8})
_scalars.update({"uint32_t": c_uint32, "uint64_t": ctypes.c_uint64, "int64_t": c_int64})
# Fields that are functions, or a struct without a name.
_special: Dict[str, Any] = {"run_options.region": c_uint32 * 4}


def fields(name: str) -> Dict[str, str]:
    """Returns the fields of a struct, with their types as in the header."""
    return dict(re.findall(r"  (\w+): \d+ bytes at \d+, (.*)", _blocks[name]))


@functools.lru_cache(maxsize=None)
def struct(name: str) -> Any:
    """Returns a struct type. It is pickled by its name in this module, such as Score."""
    made = [(f, _special.get(f"{name}.{f}") or _type(kind)) for f, kind in fields(name).items()]
    return type(name.title().replace("_", ""), (ctypes.Structure,), {"_fields_": made, "__module__": __name__})


def _type(kind: str) -> Any:
    """Returns the ctypes type of a C type. A text that is not const must be freed by the caller, and is a pointer."""
    words = re.sub(r"\b(const|struct) ?", "", kind).replace("ssimcu_", "")
    base, pointers, sizes = re.findall(r"^(\w*) *([* ]*)(.*)", words)[0]
    if base == "message" or (base == "char" and pointers):
        made: Any = c_char_p if "const" in kind or base == "message" else c_void_p
    elif base in _scalars or base in _blocks:
        is_struct = base in _blocks and " = " not in _blocks[base]
        made = struct(base) if is_struct else _scalars.get(base, ctypes.c_int)
        made = POINTER(made) if pointers else made
    else:
        made = c_void_p if pointers or base == "function" else None
    made = POINTER(made) if pointers.count("*") > 1 else made
    for size in re.findall(r"\w+", sizes)[::-1]:
        made = made * (_numbers[size] if size in _numbers else int(size))
    return made


def enum(name: str) -> Dict[str, int]:
    """Returns the numbers of an enum by the ends of their names: "cpu" is SSIMCU_DEVICE_CPU."""
    names = re.findall(r"  (\w+) = ", _blocks[name])
    first = os.path.commonprefix(names).rindex("_") + 1
    return {name[first:].lower(): _numbers[name] for name in names}


def functions(soname: str) -> Iterator[Tuple[str, Any, Tuple[Any, ...]]]:
    """Yields the functions of a library except those that take functions: name, result, parameters."""
    listed = _record.partition(f"library {soname},")[2].partition("\n\n")[0]
    for result, name, text in re.findall(r"^(.*?)\b(ssimcu_\w+)\(([^(]*)\);$", listed, re.M):
        kinds = [re.sub(r"\w+(\[|$)", r"\1", part.strip(), count=1) for part in text.split(",")]
        types = (POINTER(_type(kind)) if "[" in kind else _type(kind) for kind in kinds if kind)
        yield name, _type(result.strip()), tuple(types)


LIMIT = enum("limit")
DEVICE, PAD, COLOR, ALPHA = enum("device"), enum("pad"), enum("color"), enum("alpha")
LAYOUT, TYPE, SCALE, RECORD, LOG = map(enum, ("layout", "type", "scale", "record_kind", "log"))
BITS_F16, BITS_F32 = _numbers["SSIMCU_BITS_F16"], _numbers["SSIMCU_BITS_F32"]
ERROR_INTERNAL = _numbers["SSIMCU_ERROR_INTERNAL"]
NONE = 0xFFFFFFFF

Frame: Any = struct("frame")
Settings: Any = struct("settings")
DeviceInfo: Any = struct("device_info")
Score: Any = struct("score")
View: Any = struct("view")
Map: Any = struct("map")
Tiles: Any = struct("tiles")
PermuteLayout: Any = struct("permute_layout")
ImageOptions: Any = struct("image_options")
RunOptions: Any = struct("run_options")
# A hook may be NULL.
BEGIN = _special["run_hooks.begin"] = CFUNCTYPE(None, c_void_p, c_int64)
RECORD_HOOK = _special["run_hooks.record"] = CFUNCTYPE(c_uint32, c_void_p, POINTER(struct("record")))
LOG_HOOK = _special["run_hooks.log"] = CFUNCTYPE(None, c_void_p, c_uint32, c_char_p)
PROGRESS_HOOK = _special["run_hooks.progress"] = CFUNCTYPE(None, c_void_p, c_int64)
RunHooks: Any = struct("run_hooks")


def sized(kind: Any, **values: Any) -> Any:
    """Returns a struct with struct_size set."""
    return kind(struct_size=ctypes.sizeof(kind), **values)
