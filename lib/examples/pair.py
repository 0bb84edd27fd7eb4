#!/usr/bin/env python3
"""pair.py REF OUT: the score of two pictures, or the mean of two directories or videos, through
ctypes. The loader finds the library: where it is installed, or on LD_LIBRARY_PATH."""
import ctypes as c
import json
import os
import sys


class Options(c.Structure):  # the first fields of ssimcu_run_options; those behind them count as 0
    _fields_ = [("struct_size", c.c_size_t), ("ref", c.c_char_p),
                ("out", c.POINTER(c.c_char_p)), ("outs", c.c_uint32)]


qa, run, why = c.CDLL("libssimcu_qa.so.0.2"), c.c_void_p(), c.create_string_buffer(512)
qa.ssimcu_run_json.restype = c.POINTER(c.c_char)
ref, out = (os.fsencode(path) for path in sys.argv[1:])
options = Options(c.sizeof(Options), ref, c.pointer(c.c_char_p(out)), 1)
if qa.ssimcu_run_open(c.byref(options), c.byref(run), why) or qa.ssimcu_run_score(run, None, why):
    sys.exit(why.value.decode(errors="replace"))
text = qa.ssimcu_run_json(run, 0)
result = json.loads(c.string_at(text))
code = qa.ssimcu_run_exit_code(run)
print(result if code else f"{result.get('score', result.get('mean')):.9f}")
qa.ssimcu_text_free(text)
qa.ssimcu_run_close(c.byref(run))
sys.exit(code)
