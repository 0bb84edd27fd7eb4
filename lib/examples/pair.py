#!/usr/bin/env python3
"""pair.py REF OUT: the score of two picture files through ctypes, without any package.

The loader finds the libraries: where they are installed, or on LD_LIBRARY_PATH.
Every struct below is written as ssimcu.h and ssimcu_io.h declare it.
"""
import ctypes as c
import os
import sys


class Frame(c.Structure):
    _fields_ = [("width", c.c_uint32), ("height", c.c_uint32), ("channels", c.c_uint32),
                ("bits", c.c_uint32), ("pitch", c.c_size_t), ("data", c.c_void_p),
                ("linear", c.c_uint32)]


class Message(c.Structure):
    _fields_ = [("text", c.c_char * 512)]


class StageMs(c.Structure):
    _fields_ = [(name, c.c_double) for name in ("upload", "planes", "ssim", "reduce", "download")]


class Score(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("score", c.c_double), ("channels", c.c_uint32),
                ("channel", c.c_double * 3), ("bits", c.c_uint32), ("background", c.c_int),
                ("ms", StageMs)]


ssimcu, io = c.CDLL("libssimcu.so"), c.CDLL("libssimcu_io.so")
io.ssimcu_image_read.argtypes = [c.c_char_p, c.c_void_p, c.POINTER(Frame), c.POINTER(Message)]
ssimcu.ssimcu_frame_free.argtypes = [c.POINTER(Frame)]
ssimcu.ssimcu_open.argtypes = [c.c_void_p, c.POINTER(c.c_void_p), c.POINTER(Message)]
ssimcu.ssimcu_close.argtypes = [c.POINTER(c.c_void_p)]
ssimcu.ssimcu_compare.argtypes = [c.c_void_p, c.POINTER(Frame), c.POINTER(Frame), c.POINTER(Score),
                                  c.POINTER(Message)]


def check(call, *arguments):
    """Calls a function that ends with a message, and raises what it says."""
    why = Message()
    if call(*arguments, why) != 0:
        raise RuntimeError(why.text.decode(errors="replace"))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: pair.py REF OUT")
    context, score = c.c_void_p(), Score(struct_size=c.sizeof(Score))
    ref, out = Frame(), Frame()
    try:
        check(io.ssimcu_image_read, os.fsencode(sys.argv[1]), None, ref)
        check(io.ssimcu_image_read, os.fsencode(sys.argv[2]), None, out)
        check(ssimcu.ssimcu_open, None, context)
        check(ssimcu.ssimcu_compare, context, ref, out, score)
        print(f"{score.score:.9f}")
    except RuntimeError as error:
        sys.exit(str(error))
    finally:
        ssimcu.ssimcu_close(context)
        ssimcu.ssimcu_frame_free(ref)
        ssimcu.ssimcu_frame_free(out)


if __name__ == "__main__":
    main()
