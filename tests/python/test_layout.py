"""The structs, numbers and functions of the package against the record of the binary interface, which
the test `abi` holds against the headers and the compiler."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import pytest
from ssimcu import _c, _dlpack, _library

RECORD = (Path(__file__).parents[1] / "abi/lp64.txt").read_text()
STRUCTS = {}
for name, size, body in re.findall(
    r"^struct ssimcu_(\w+): (\d+) bytes\n((?:  .*\n)*)", RECORD + "\n", re.M
):
    fields = re.findall(r"  (\w+): (\d+) bytes at (\d+)", body)
    STRUCTS[name] = (int(size), {field: (int(s), int(at)) for field, s, at in fields})
ENUMS = {}
for name, body in re.findall(r"^enum (\w*)\n((?:  .*\n)*)", RECORD + "\n", re.M):
    ENUMS.setdefault(name, {}).update(
        {k: int(v) for k, v in re.findall(r"  (\w+) = (-?\d+)", body)}
    )
MIRRORS = [
    item
    for item in vars(_c).values()
    if isinstance(item, type) and issubclass(item, ctypes.Structure)
    if item not in (ctypes.Structure, _c.Region)  # Region has no name in the header
]


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


@pytest.mark.parametrize("mirror", MIRRORS, ids=lambda mirror: mirror.__name__)
def test_struct(mirror) -> None:
    size, fields = STRUCTS[snake(mirror.__name__)]
    ours = {}
    for field in mirror._fields_:
        place = getattr(mirror, field[0])
        ours[field[0]] = (place.size, place.offset)
    if mirror is _c.Record:  # its first members
        assert ours.items() <= fields.items() and list(ours) == list(fields)[: len(ours)]
        return
    assert ours == fields
    assert ctypes.sizeof(mirror) == size


def test_there_are_structs() -> None:
    assert len(MIRRORS) == 17


COUNTS = ("SSIMCU_METRICS", "SSIMCU_METRICS_ROOM")


@pytest.mark.parametrize(
    ("enum", "table", "prefix", "left_out"),
    [
        ("ssimcu_device", _c.DEVICE, "DEVICE", ()),
        ("ssimcu_pad", _c.PAD, "PAD", ()),
        ("ssimcu_color", _c.COLOR, "COLOR", ()),
        ("ssimcu_alpha", _c.ALPHA, "ALPHA", ()),
        ("ssimcu_metric", _library.metric_numbers(), "METRIC", COUNTS),
        ("ssimcu_layout", _c.LAYOUT, "LAYOUT", ()),
        ("ssimcu_type", _c.TYPE, "TYPE", ()),
        ("ssimcu_missing", _c.MISSING, "MISSING", ()),
        ("ssimcu_decode", _c.DECODE, "DECODE", ()),
        ("ssimcu_hdr", _c.HDR, "HDR", ()),
        ("ssimcu_map_style", _c.MAP, "MAP", ()),
        ("ssimcu_video_range", _c.VIDEO_RANGE, "VIDEO_RANGE", ()),
        ("ssimcu_results", _c.RESULTS, "RESULTS", ()),
        ("ssimcu_scale", _c.SCALE, "SCALE", ()),
        ("ssimcu_scaler_name", _c.SCALER, "SCALER", ()),
        ("ssimcu_junit_cases", _c.JUNIT_CASES, "JUNIT", ()),
        ("ssimcu_record_kind", _c.RECORD, "RECORD", ()),
        ("ssimcu_background", _c.BACKGROUND, "BACKGROUND", ()),
        ("ssimcu_log", _c.LOG, "LOG", ()),
    ],
)
def test_enum(enum, table, prefix, left_out) -> None:
    theirs = {k: v for k, v in ENUMS[enum].items() if k not in left_out}
    ours = {f"SSIMCU_{prefix}_{k.upper().replace('-', '_')}": v for k, v in table.items()}
    assert ours == theirs


def test_loose_numbers() -> None:
    loose = ENUMS[""]
    limits = {k: v for k, v in loose.items() if k.startswith("SSIMCU_LIMIT_")}
    assert limits == {f"SSIMCU_LIMIT_{k.upper()}": v for k, v in _c.LIMIT.items()}
    assert loose["SSIMCU_BITS_F16"] == _c.BITS_F16
    assert loose["SSIMCU_BITS_F32"] == _c.BITS_F32
    assert ENUMS["ssimcu_metric"]["SSIMCU_METRICS_ROOM"] == _c.METRICS_ROOM
    assert ENUMS["ssimcu_status"]["SSIMCU_ERROR_INTERNAL"] == _c.ERROR_INTERNAL


# What a parameter or result of C is in ctypes.
KINDS = {"uint32_t": ctypes.c_uint32, "double": ctypes.c_double, "int": ctypes.c_int}


def kind(c: str):
    """Returns the ctypes type of a declaration such as `const ssimcu_view *ref`."""
    c = re.sub(r"\b(const|struct)\s+", "", c).strip()
    base, stars = c.split()[0].rstrip("*"), c.count("*")
    if base == "uint8_t" and "[3]" in c:
        return ctypes.POINTER(ctypes.c_uint8 * 3)
    if stars == 0:
        return None if base == "void" else KINDS.get(base, ctypes.c_int)  # enums are ints
    mirror = {snake(m.__name__): m for m in MIRRORS}.get(base.replace("ssimcu_", ""))
    if base in ("char", "ssimcu_message"):
        return ctypes.c_char_p
    if stars == 1 and mirror is not None:
        return ctypes.POINTER(mirror)
    if stars == 1 and base in KINDS:
        return ctypes.POINTER(KINDS[base])
    return ctypes.c_void_p if stars == 1 else ctypes.POINTER(ctypes.c_void_p)


def test_functions() -> None:
    """Each function that is declared here has the header's parameters, one by one."""
    checked = 0
    for library in (_library.core(), _library.io(), _library.qa()):
        for name, function in vars(library).items():
            if not name.startswith("ssimcu_") or function.argtypes is None:
                continue
            found = re.search(rf"^(.*\b|.*\*){name}\((.*)\);$", RECORD, re.M)
            assert found, name
            parameters = [p for p in found[2].split(",") if p.strip() != "void"]
            text = name.endswith(("_json", "_text_free"))  # the caller frees it
            kinds = [ctypes.c_void_p if text and "char" in p else kind(p) for p in parameters]
            assert kinds == list(function.argtypes), name
            expected = ctypes.c_void_p if name.endswith("_json") else kind(found[1])
            assert function.restype == expected, name
            checked += 1
    assert checked >= 30


def test_version_is_the_soname() -> None:
    import ssimcu

    assert ssimcu.__version__.startswith(_c.SOVERSION + ".")
    for soname in re.findall(r"^library (lib\w+\.so\.[\d.]+)", RECORD, re.M):
        assert soname.endswith(".so." + _c.SOVERSION)


def test_dlpack_tensor() -> None:
    """dlpack.h: a pointer, two ints of the device, the rank, the type, three more words."""
    offsets = [getattr(_dlpack._Tensor, field[0]).offset for field in _dlpack._Tensor._fields_]
    assert offsets == [0, 8, 12, 16, 20, 21, 22, 24, 32, 40]
