"""The structs and numbers of the C headers, field for field.

tests/python/test_layout.py holds each of them against the record of the binary interface
(tests/abi/lp64.txt), so that a new field of a header cannot be forgotten here.
"""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_double,
    c_float,
    c_int64,
    c_size_t,
    c_ssize_t,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Dict

# The version of the binary interface, which is the end of each library's soname.
SOVERSION = "0.2"

DEVICE: Dict[str, int] = {"auto": 0, "cpu": 1, "cuda": 2}
PAD: Dict[str, int] = {"valid": 0, "zero": 1}
COLOR: Dict[str, int] = {"rgb": 0, "y709": 1, "y601": 2}
ALPHA: Dict[str, int] = {"worst": 0, "ignore": 1, "black": 2, "white": 3}
METRICS_ROOM = 16
LAYOUT: Dict[str, int] = {"hwc": 0, "chw": 1, "planes": 2}
TYPE: Dict[str, int] = {"u8": 0, "u16": 1, "f16": 2, "f32": 3, "bf16": 4, "f64": 5}
MISSING: Dict[str, int] = {"error": 0, "skip": 1, "end": 2}
DECODE: Dict[str, int] = {"auto": 0, "cpu": 1, "cuda": 2}
HDR: Dict[str, int] = {"default": 0, "srgb": 1, "pu21": 2, "hable": 3, "none": 4}
MAP: Dict[str, int] = {"grey": 0, "heat": 1, "overlay": 2}
VIDEO_RANGE: Dict[str, int] = {"tags": 0, "limited": 1, "full": 2}
SCALE: Dict[str, int] = {"none": 0, "ref": 1, "out": 2, "size": 3}
SCALER: Dict[str, int] = {"bicubic": 0, "bilinear": 1, "lanczos": 2, "spline36": 3}
RESULTS: Dict[str, int] = {"auto": 0, "json": 1, "csv": 2}
JUNIT_CASES: Dict[str, int] = {"frames": 0, "shots": 1}
LIMIT: Dict[str, int] = {"score": 1, "frame": 2, "tile": 4, "drop": 8, "tile_drop": 16, "shift": 32}
RECORD: Dict[str, int] = {"scored": 0, "missing": 1, "failed": 2}
BACKGROUND: Dict[str, int] = {"none": 0, "black": 1, "white": 2}
LOG: Dict[str, int] = {"warning": 0, "detail": 1}
BITS_F16, BITS_F32 = 256 + 16, 256 + 32
NONE = 0xFFFFFFFF
ERROR_INTERNAL = 11


class Frame(Structure):
    _fields_ = [
        ("width", c_uint32),
        ("height", c_uint32),
        ("channels", c_uint32),
        ("bits", c_uint32),
        ("pitch", c_size_t),
        ("data", c_void_p),
        ("linear", c_uint32),
    ]


class Settings(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("device", c_uint32),
        ("device_index", c_uint32),
        ("pad", c_uint32),
        ("color", c_uint32),
        ("alpha", c_uint32),
        ("threads", c_uint32),
        ("wait_asleep", c_uint32),
        ("transfer", c_uint32),
        ("nan_zero", c_uint32),
        ("gain", c_double),
        ("white", c_double),
        ("metrics", c_uint32),
        ("compat", c_uint32),
    ]


class DeviceInfo(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char * 128),
        ("memory_bytes", c_uint64),
        ("compute", c_uint32),
    ]


class StageMs(Structure):
    _fields_ = [
        ("upload", c_double),
        ("planes", c_double),
        ("ssim", c_double),
        ("reduce", c_double),
        ("download", c_double),
    ]


class Light(Structure):
    _fields_ = [
        ("clamped", c_uint64),
        ("not_finite", c_uint64),
    ]


class Tile(Structure):
    _fields_ = [
        ("score", c_double),
        ("x", c_uint32),
        ("y", c_uint32),
        ("width", c_uint32),
        ("height", c_uint32),
    ]


class TileShift(Structure):
    _fields_ = [
        ("levels", c_double),
        ("channel", c_uint32),
        ("x", c_uint32),
        ("y", c_uint32),
        ("width", c_uint32),
        ("height", c_uint32),
    ]


class Score(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("score", c_double),
        ("channels", c_uint32),
        ("channel", c_double * 3),
        ("bits", c_uint32),
        ("background", c_uint32),
        ("ms", StageMs),
        ("light", Light * 2),
        ("worst", Tile),
        ("shift", TileShift),
        ("metric", c_double * METRICS_ROOM),
        ("metric_channel", c_double * 3 * METRICS_ROOM),
        ("mse", c_double),
    ]


class Yuv(Structure):
    _fields_ = [
        ("red", c_double),
        ("blue", c_double),
        ("limited", c_uint32),
        ("siting", c_uint32),
    ]


class View(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("width", c_uint32),
        ("height", c_uint32),
        ("channels", c_uint32),
        ("layout", c_uint32),
        ("type", c_uint32),
        ("peak", c_double),
        ("pitch", c_ssize_t),
        ("plane_stride", c_size_t),
        ("data", c_void_p * 4),
        ("frames", c_uint32),
        ("frame_stride", c_size_t),
        ("pixel_stride", c_size_t),
        ("order", c_uint32),
        ("linear", c_uint32),
        ("yuv", Yuv),
    ]


class Map(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("width", c_uint32),
        ("height", c_uint32),
        ("channels", c_uint32),
        ("border", c_uint32),
        ("data", POINTER(c_float)),
    ]


class Tiles(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("width", c_uint32),
        ("height", c_uint32),
        ("columns", c_uint32),
        ("rows", c_uint32),
        ("data", POINTER(c_double)),
        ("shift", POINTER(c_double)),
        ("feature", POINTER(c_double) * 4),
    ]


class PermuteLayout(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("rank", c_uint32),
        ("element", c_uint32),
        ("size", c_int64 * 8),
        ("order", c_uint32 * 8),
        ("src_stride", c_int64 * 8),
        ("dst_stride", c_int64 * 8),
    ]


class ImageOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("max_pixels", c_uint64),
        ("max_file_bytes", c_uint64),
        ("remark", c_void_p),
        ("user", c_void_p),
        ("layer", c_char_p),
        ("channels", c_char_p),
        ("threads", c_uint32),
        ("wide", c_uint32),
    ]


class Record(Structure):
    """The first members of ssimcu_record. ssimcu_record_json has the others."""

    _fields_ = [
        ("frame", c_int64),
        ("out", c_uint32),
        ("kind", c_uint32),
        ("known", c_uint32),
        ("part", c_char_p),
        ("path", c_char_p * 2),
        ("missing", c_uint32 * 2),
        ("status", c_uint32),
        ("message", c_char_p),
    ]


class Region(Structure):
    _fields_ = [("width", c_uint32), ("height", c_uint32), ("x", c_uint32), ("y", c_uint32)]


class RunOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("ref", c_char_p),
        ("out", POINTER(c_char_p)),
        ("outs", c_uint32),
        ("labels", POINTER(c_char_p)),
        ("group", POINTER(c_char_p)),
        ("groups", c_uint32),
        ("variant", POINTER(c_char_p)),
        ("variants", c_uint32),
        ("list", c_char_p),
        ("merge", POINTER(c_char_p)),
        ("merges", c_uint32),
        ("recursive", c_uint32),
        ("frames", c_char_p),
        ("offset", c_int64),
        ("align", c_uint32),
        ("missing", c_uint32),
        ("shard", c_uint32),
        ("shards", c_uint32),
        ("region", Region),
        ("size", c_char_p),
        ("format", c_char_p),
        ("layer", c_char_p),
        ("channels", c_char_p),
        ("layers", c_uint32),
        ("range", c_uint32),
        ("matrix", c_char_p),
        ("max_pixels", c_uint64),
        ("scale", c_uint32),
        ("scale_width", c_uint32),
        ("scale_height", c_uint32),
        ("scaler", c_uint32),
        ("color", c_uint32),
        ("pad", c_uint32),
        ("alpha", c_uint32),
        ("tile", c_uint32),
        ("metrics", c_uint32),
        ("metric", c_uint32),
        ("compat", c_uint32),
        ("hdr", c_uint32),
        ("nan_zero", c_uint32),
        ("has_exposure", c_uint32),
        ("exposure", c_double),
        ("white", c_double),
        ("limits", c_uint32),
        ("min_score", c_double),
        ("min_frame", c_double),
        ("min_tile", c_double),
        ("max_drop", c_double),
        ("max_tile_drop", c_double),
        ("max_shift", c_double),
        ("score_limits", c_uint32),
        ("frame_limits", c_uint32),
        ("min_scores", c_double * METRICS_ROOM),
        ("min_frames", c_double * METRICS_ROOM),
        ("fail_on_hint", c_char_p),
        ("max_bad", c_uint64),
        ("baseline", c_char_p),
        ("limits_file", c_char_p),
        ("output", c_char_p),
        ("results", c_uint32),
        ("resume", c_char_p),
        ("junit", c_char_p),
        ("map", c_char_p),
        ("report", c_char_p),
        ("all_tiles", c_uint32),
        ("junit_cases", c_uint32),
        ("map_style", c_uint32),
        ("report_frames", c_uint32),
        ("worst", c_uint32),
        ("device", c_uint32),
        ("device_index", c_uint32),
        ("all_devices", c_uint32),
        ("decode", c_uint32),
        ("threads", c_uint32),
        ("memory_bytes", c_uint64),
    ]


# A hook that is NULL is none.
BEGIN = CFUNCTYPE(None, c_void_p, c_int64)
RECORD_HOOK = CFUNCTYPE(c_uint32, c_void_p, POINTER(Record))
END = CFUNCTYPE(None, c_void_p)
LOG_HOOK = CFUNCTYPE(None, c_void_p, c_uint32, c_char_p)


class RunHooks(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("user", c_void_p),
        ("begin", BEGIN),
        ("record", RECORD_HOOK),
        ("line", c_void_p),
        ("end", END),
        ("out", c_void_p),
        ("pictures", c_void_p),
        ("log", LOG_HOOK),
    ]
