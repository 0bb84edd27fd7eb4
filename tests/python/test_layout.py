"""What the package makes of the record of the binary interface, which the test `abi` holds against the headers and
the compiler: places, sizes and prototypes."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from ssimcu import _c, _dlpack, _library

RECORD = Path(_c.__file__).with_name("lp64.abi").read_text()
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


@pytest.mark.parametrize("name", STRUCTS)
def test_struct(name) -> None:
    size, fields = STRUCTS[name]
    mirror = _c.struct(name)
    places = {field[0]: getattr(mirror, field[0]) for field in mirror._fields_}
    assert {field: (place.size, place.offset) for field, place in places.items()} == fields
    assert ctypes.sizeof(mirror) == size


def test_there_are_structs() -> None:
    assert len(STRUCTS) >= 35


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
        ("ssimcu_missing", _c.enum("missing"), "MISSING", ()),
        ("ssimcu_decode", _c.enum("decode"), "DECODE", ()),
        ("ssimcu_hdr", _c.enum("hdr"), "HDR", ()),
        ("ssimcu_map_style", _c.enum("map_style"), "MAP", ()),
        ("ssimcu_video_range", _c.enum("video_range"), "VIDEO_RANGE", ()),
        ("ssimcu_results", _c.enum("results"), "RESULTS", ()),
        ("ssimcu_scale", _c.SCALE, "SCALE", ()),
        ("ssimcu_scaler_name", _c.enum("scaler_name"), "SCALER", ()),
        ("ssimcu_junit_cases", _c.enum("junit_cases"), "JUNIT", ()),
        ("ssimcu_record_kind", _c.RECORD, "RECORD", ()),
        ("ssimcu_background", _c.enum("background"), "BACKGROUND", ()),
        ("ssimcu_log", _c.LOG, "LOG", ()),
    ],
)
def test_enum(enum, table, prefix, left_out) -> None:
    theirs = {k: v for k, v in ENUMS[enum].items() if k not in left_out}
    ours = {f"SSIMCU_{prefix}_{k.upper().replace('-', '_')}": v for k, v in table.items()}
    assert ours == theirs


def test_loose_numbers() -> None:
    loose = ENUMS[""]
    assert loose["SSIMCU_BITS_F16"] == _c.BITS_F16
    assert loose["SSIMCU_BITS_F32"] == _c.BITS_F32
    assert ENUMS["ssimcu_status"]["SSIMCU_ERROR_INTERNAL"] == _c.ERROR_INTERNAL


# What a parameter or result of C is in ctypes.
KINDS = {"uint32_t": ctypes.c_uint32, "double": ctypes.c_double, "float": ctypes.c_float, "int": ctypes.c_int,
         "size_t": ctypes.c_size_t, "uint8_t": ctypes.c_uint8}


def kind(c: str):
    """Returns the ctypes type of a declaration such as `const ssimcu_view *ref`."""
    c = re.sub(r"\b(const|struct)\s+", "", c).strip()
    base, stars = c.split()[0].rstrip("*"), c.count("*")
    size = re.search(r"\[(\d+)\]", c)
    if size:
        return ctypes.POINTER(KINDS[base] * int(size[1]))
    name = base.replace("ssimcu_", "")
    mirror = _c.struct(name) if name in STRUCTS else None
    if stars == 0:
        return None if base == "void" else mirror or KINDS.get(base, ctypes.c_int)  # enums are ints
    if base in ("char", "ssimcu_message"):
        return ctypes.c_char_p
    if base in KINDS and stars == 1:
        return ctypes.POINTER(KINDS[base])
    made = mirror and ctypes.POINTER(mirror) or ctypes.c_void_p
    return made if stars == 1 else ctypes.POINTER(made)


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


@pytest.mark.parametrize("version", ["0.0.9", _c.SOVERSION + "1.0", "1.0.0", "10.0.0", "99.1.2"])
def test_other_libraries_are_refused(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from ssimcu import _device

    library = SimpleNamespace(ssimcu_version=lambda: version.encode())
    monkeypatch.setattr(_device, "core", lambda: library)
    with pytest.raises(ImportError, match=re.escape(f"found is {version}")):
        _device._version()


def test_dlpack_tensor() -> None:
    """dlpack.h: a pointer, two ints of the device, the rank, the type, three more words."""
    offsets = [getattr(_dlpack._Tensor, field[0]).offset for field in _dlpack._Tensor._fields_]
    assert offsets == [0, 8, 12, 16, 20, 21, 22, 24, 32, 40]
