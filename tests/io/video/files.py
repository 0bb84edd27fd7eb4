#!/usr/bin/env python3
"""files.py PROGRAM [NAME...]: compares video files of many containers and codecs with what ffmpeg itself
decodes of them.

Each file is made by ffmpeg, decoded by ffmpeg into y4m, frame for frame, and then compared with that: every
frame must score exactly 1 and the counts must agree. So frame n is frame n, whatever the order of decoding, edit
lists, rates, cropping or rotation say; also when only a part of the frames is asked for, and what is between them is
passed over by seeks. What ffmpeg cannot write as y4m is, in rows with `png`, written as
pictures, and in rows with `same` compared with itself in another container; a format there is what its samples
are in planes."""
import glob
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import need

CPU = ["--device", "cpu"]  # a GPU's video engines do not tell of damage, and decode other sizes

SOURCE = ["-f", "lavfi", "-i", "testsrc2=s=%s:r=%s:d=%s"]
CABAC = ["-c:v", "libx264", "-crf", "23", "-g", "10"]  # several key frames, to seek to
X265 = ["-c:v", "libx265", "-crf", "28", "-x265-params", "log-level=error:keyint=10"]

# name, size, rate, seconds, what encodes, and the file's ending
ROWS = [
    ("h264", "320x180", 25, 1, CABAC + ["-pix_fmt", "yuv420p"], "mp4"),
    ("h264_bframes", "320x180", 25, 2, CABAC + ["-pix_fmt", "yuv420p", "-bf", "8", "-b_strategy", "0"], "mkv"),
    ("h264_open_gop", "320x180", 25, 2, CABAC + ["-pix_fmt", "yuv420p", "-x264-params", "open-gop=1:keyint=12"], "mov"),
    ("h264_10bit", "320x180", 25, 1, CABAC + ["-pix_fmt", "yuv420p10"], "mp4"),
    ("h264_422", "320x180", 25, 1, CABAC + ["-pix_fmt", "yuv422p"], "mkv"),
    ("h264_444", "320x180", 25, 1, CABAC + ["-pix_fmt", "yuv444p"], "mp4"),
    ("h264_grey", "320x180", 25, 1, CABAC + ["-pix_fmt", "gray"], "mkv"),
    ("h264_cropped", "318x178", 25, 1, CABAC + ["-pix_fmt", "yuv420p"], "mp4"),
    ("h264_odd", "319x179", 25, 1, CABAC + ["-pix_fmt", "yuv444p"], "mp4"),
    ("h264_interlaced", "320x192", 25, 1, CABAC + ["-pix_fmt", "yuv420p", "-flags", "+ilme+ildct"], "mp4"),
    ("h264_ts", "320x180", 25, 1, CABAC + ["-pix_fmt", "yuv420p"], "ts"),
    ("h264_fragmented", "320x180", 25, 1, CABAC + ["-pix_fmt", "yuv420p", "-movflags", "frag_keyframe+empty_moov"], "mp4"),
    ("h264_full_range", "320x180", 25, 1, CABAC + ["-pix_fmt", "yuvj420p", "-color_range", "pc"], "mp4"),
    ("h264_one_frame", "320x180", 25, 0.04, CABAC + ["-pix_fmt", "yuv420p"], "mp4"),
    ("hevc", "320x180", 25, 1, X265 + ["-pix_fmt", "yuv420p"], "mp4"),
    ("hevc_10bit", "320x180", 25, 1, X265 + ["-pix_fmt", "yuv420p10"], "mkv"),
    ("hevc_12bit", "320x180", 25, 1, X265 + ["-pix_fmt", "yuv422p12"], "mp4"),
    ("hevc_odd", "322x182", 25, 1, X265 + ["-pix_fmt", "yuv420p"], "mp4"),
    ("hevc_open_gop", "320x180", 25, 2, ["-c:v", "libx265", "-x265-params", "log-level=error:open-gop=1:keyint=12"], "ts"),
    ("av1", "320x180", 25, 0.4, ["-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "40", "-g", "4"], "mkv"),
    ("av1_10bit", "320x180", 25, 0.4, ["-c:v", "libaom-av1", "-cpu-used", "8", "-pix_fmt", "yuv420p10", "-g", "4"], "mp4"),
    ("vp8", "320x180", 25, 1, ["-c:v", "libvpx", "-b:v", "1M", "-deadline", "realtime"], "webm"),
    ("vp9", "320x180", 25, 1, ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "8"], "webm"),
    ("vp9_444_12bit", "320x180", 25, 0.4, ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8",
                                           "-pix_fmt", "yuv444p12"], "mkv"),
    ("prores", "320x180", 25, 1, ["-c:v", "prores_ks", "-profile:v", "3", "-pix_fmt", "yuv422p10"], "mov"),
    ("prores_444", "320x180", 25, 1, ["-c:v", "prores_ks", "-profile:v", "4", "-pix_fmt", "yuv444p10"], "mov"),
    ("prores_interlaced", "320x192", 25, 1, ["-c:v", "prores_ks", "-flags", "+ildct"], "mov"),
    ("dnxhr", "320x180", 25, 1, ["-c:v", "dnxhd", "-profile:v", "dnxhr_hq", "-pix_fmt", "yuv422p"], "mxf"),
    ("dnxhr_444", "320x180", 25, 1, ["-c:v", "dnxhd", "-profile:v", "dnxhr_444", "-pix_fmt", "yuv444p10"], "mov"),
    ("ffv1", "320x180", 25, 1, ["-c:v", "ffv1", "-level", "3", "-slices", "4", "-slicecrc", "1"], "mkv"),
    ("ffv1_16bit", "320x180", 25, 0.4, ["-c:v", "ffv1", "-level", "3", "-pix_fmt", "yuv422p16"], "mkv"),
    ("ffv1_411", "320x180", 25, 0.4, ["-c:v", "ffv1", "-pix_fmt", "yuv411p"], "avi"),
    ("ffv1_grey16", "320x180", 25, 0.4, ["-c:v", "ffv1", "-level", "3", "-pix_fmt", "gray16"], "mkv"),
    ("ffv1_rgb", "320x180", 25, 0.4, ["-c:v", "ffv1", "-level", "3", "-pix_fmt", "gbrp10"], "mkv same"),
    ("utvideo_rgb", "320x180", 25, 0.4, ["-c:v", "utvideo", "-pix_fmt", "gbrp"], "avi same"),
    ("ffv1_bgr0", "320x180", 25, 0.4, ["-c:v", "ffv1", "-pix_fmt", "bgr0"], "mkv png"),
    ("ffv1_rgb16", "320x180", 25, 0.4, ["-c:v", "ffv1", "-level", "3", "-pix_fmt", "gbrp16"], "mkv png"),
    ("x264_rgb", "319x179", 25, 0.4, ["-c:v", "libx264rgb", "-crf", "28"], "mkv png"),
    ("animation", "320x180", 25, 0.4, ["-c:v", "qtrle", "-pix_fmt", "rgb24"], "mov png"),
    ("animation_alpha", "320x180", 25, 0.4, ["-c:v", "qtrle", "-pix_fmt", "argb"], "mov png"),
    ("png", "319x179", 25, 0.4, ["-c:v", "png", "-pix_fmt", "rgb24"], "mov png"),
    ("png_16bit", "320x180", 25, 0.4, ["-c:v", "png", "-pix_fmt", "rgb48be"], "mov png"),
    ("png_grey_alpha", "320x180", 25, 0.4, ["-c:v", "png", "-pix_fmt", "ya8"], "mov png"),
    ("utvideo_alpha", "320x180", 25, 0.4, ["-c:v", "utvideo", "-pix_fmt", "gbrap"], "avi png"),
    ("raw_bgr", "318x180", 25, 0.4, ["-c:v", "rawvideo", "-pix_fmt", "bgr24"], "avi png"),
    ("raw_uyvy", "320x180", 25, 0.4, ["-c:v", "rawvideo", "-pix_fmt", "uyvy422"], "mov yuv422p"),
    ("raw_nv12", "320x180", 25, 0.4, ["-c:v", "rawvideo", "-pix_fmt", "nv12"], "avi yuv420p"),
    ("prores_alpha", "320x180", 25, 0.4, ["-c:v", "prores_ks", "-profile:v", "4", "-pix_fmt", "yuva444p10"], "mov yuv444p12"),
    ("mpeg2", "320x192", 25, 2, ["-c:v", "mpeg2video", "-bf", "2", "-q:v", "4"], "ts"),
    ("mpeg2_ps", "320x192", 25, 2, ["-c:v", "mpeg2video", "-bf", "2", "-q:v", "4"], "mpg"),
    ("mpeg2_mxf", "320x192", 25, 1, ["-c:v", "mpeg2video", "-q:v", "4"], "mxf"),
    ("mjpeg", "320x180", 25, 1, ["-c:v", "mjpeg", "-q:v", "3", "-pix_fmt", "yuvj422p"], "avi"),
    ("huffyuv", "320x180", 25, 1, ["-c:v", "huffyuv", "-pix_fmt", "yuv422p"], "avi"),
    ("raw_upside_down", "320x180", 25, 0.4, ["-c:v", "rawvideo", "-pix_fmt", "yuv420p"], "avi"),
    ("h264_alone", "320x180", 25, 2, CABAC + ["-pix_fmt", "yuv420p", "-bf", "4"], "264"),
    ("hevc_alone", "320x180", 25, 1, X265 + ["-pix_fmt", "yuv420p10"], "265"),
    ("av1_alone", "320x180", 25, 0.4, ["-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "40", "-g", "4"], "obu"),
    ("mpeg2_alone", "320x192", 25, 2, ["-c:v", "mpeg2video", "-bf", "2", "-q:v", "4"], "m2v"),
    ("mpeg4_alone", "320x192", 25, 2, ["-c:v", "mpeg4", "-bf", "2", "-q:v", "4", "-f", "m4v"], "m4v"),
    ("av1_ivf", "320x180", 25, 0.4, ["-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "40", "-g", "4"], "ivf"),
    ("vp9_ivf", "320x180", 25, 1, ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "8"], "ivf"),
    ("h264_flv", "320x180", 25, 2, CABAC + ["-pix_fmt", "yuv420p", "-bf", "4"], "flv"),
    ("gif", "320x180", 25, 0.4, [], "gif png"),
    ("ntsc", "320x180", "30000/1001", 1, CABAC + ["-pix_fmt", "yuv420p"], "mp4"),
]


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)], check=True)


def encode(row):
    name, size, rate, seconds, codec, ending = row
    path = "%s.%s" % (name, ending.split()[0])
    source = [SOURCE[0], SOURCE[1], SOURCE[2], SOURCE[3] % (size, rate, seconds)]
    ffmpeg(*source, *codec, path)
    return path


def special():
    """Files that no single encoding makes: each is a path and ffmpeg's options for reading it."""
    ffmpeg(*SOURCE[:3], SOURCE[3] % ("320x180", 24, 2), *CABAC, "-pix_fmt", "yuv420p", "-g", 12, "base.mp4")
    ffmpeg("-ss", 0.6, "-i", "base.mp4", "-c", "copy", "edit_list.mp4")
    yield "edit_list.mp4"
    ffmpeg("-i", "base.mp4", "-vf", "select='not(eq(mod(n\\,5)\\,3))'", "-fps_mode", "vfr", *CABAC, "variable_rate.mkv")
    yield "variable_rate.mkv"
    try:
        ffmpeg("-display_rotation", 90, "-i", "base.mp4", "-c", "copy", "rotated.mov")
    except subprocess.CalledProcessError:  # FFmpeg 5 has no such option, and later versions ignore this one
        ffmpeg("-i", "base.mp4", "-c", "copy", "-metadata:s:v:0", "rotate=90", "rotated.mov")
    yield "rotated.mov"
    ffmpeg("-i", "base.mp4", *SOURCE[:3], SOURCE[3] % ("64x64", 1, 1), "-map", "0:v", "-map", "1:v", "-c:v:0", "copy",
           "-frames:v:1", 1, "-c:v:1", "mjpeg", "-pix_fmt:v:1", "yuvj420p", "-disposition:v:1", "attached_pic", "cover.mp4")
    yield "cover.mp4"
    ffmpeg("-i", "base.mp4", *SOURCE[:3], SOURCE[3] % ("160x90", 24, 2), "-map", "0:v", "-map", "1:v", "-c:v:0", "copy",
           "-c:v:1", "libx264", "two_streams.mkv")
    yield "two_streams.mkv"
    ffmpeg("-i", "base.mp4", "-f", "lavfi", "-i", "sine=d=2", "-c:v", "copy", "-c:a", "pcm_s16le", "sound.mkv")
    yield "sound.mkv"


def damage(path, mark, which, distance, data):
    """Writes `data` behind one of the places where `mark` is."""
    with open(path, "r+b") as file:
        places = [found.start() for found in re.finditer(re.escape(mark), file.read())]
        file.seek(places[which] + distance)
        file.write(data)
    return path


def damaged_index():
    """What a container says of one packet is wrong, so that a seek which trusts it finds another frame."""
    source = [*SOURCE[:3], SOURCE[3] % ("64x48", 25, 6)]
    ffmpeg(*source, "-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "entry_lost.avi")
    yield damage("entry_lost.avi", b"idx1", -1, 8 + 20 * 16, b"99")  # of a stream that is not there
    ffmpeg(*source, *CABAC, "-preset", "ultrafast", "-bf", 2, "-pix_fmt", "yuv420p", "-movflags", "frag_keyframe+empty_moov",
           "late_time.mp4")
    yield damage("late_time.mp4", b"trun", 3, 20 + 4 * 8 + 4, struct.pack(">I", 0x530800))  # composition time
    ffmpeg(*source, "-frames:v", 96, "-c:v", "mpeg2video", "-g", 10, "-bf", 2, "wrong_place.mxf")
    yield damage("wrong_place.mxf", b"\x3f\x0a\x05\xa8", -1, 12 + 39 * 15 + 9, b"\xad")  # of an edit unit
    ffmpeg(*source, "-frames:v", 56, "-preset", "ultrafast", "-c:v", "libx265", "-x265-params",
           "log-level=error:keyint=10:min-keyint=10:bframes=2", "hevc.mp4")
    ffmpeg("-i", "hevc.mp4", "-c", "copy", "-bsf:v", "setts=pts=if(gte(N\\,22)\\,DTS-1\\,PTS)", "decoding_times.mp4")
    yield "decoding_times.mp4"  # in the order of decoding, from packet 22 on


def frames_in(path):
    with open(path) as file:
        return {line["frame"]: line.get("score") for line in map(json.loads, file) if line["type"] == "frame"}


def frames_of(program, ref, out, *options):
    done = subprocess.run([program, *CPU, "--output", "r.jsonl", *options, ref, out], capture_output=True, text=True)
    if done.returncode != 0:
        return None, "exit %d: %s" % (done.returncode, done.stderr.strip()[:300])
    return frames_in("r.jsonl"), ""


def count(path):
    done = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "V:0", "-count_frames", "-show_entries",
                           "stream=nb_read_frames", "-of", "csv=p=0", path], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[0].strip(","))


def check(program, path, kind):
    other = "again.%04d.png"
    if kind == "png":
        for old in glob.glob("again.*.png"):
            os.remove(old)
        ffmpeg("-i", path, "-fps_mode", "passthrough", other)
    elif kind == "same":
        other = "again.mkv" if path.endswith("avi") else "again.avi"
        ffmpeg("-i", path, "-c", "copy", other)
    else:
        other = "again.y4m"
        pixels = ["-pix_fmt", kind] if kind.startswith("yuv") else []
        ffmpeg("-noautorotate", "-i", path, "-map", "0:V:0", "-fps_mode", "passthrough", "-strict", -1, *pixels, "-f",
               "yuv4mpegpipe", other)
    scores, message = frames_of(program, path, other)
    expected = count(path)
    if scores is None:
        return message
    if len(scores) != expected:
        return "%d frames, ffprobe counts %d" % (len(scores), expected)
    bad = [n for n, score in scores.items() if score != 1]
    if bad or kind == "png":
        return "frames %s differ" % bad[:5] if bad else ""
    return check_parts(program, path, other, expected)


def check_parts(program, path, other, count):
    """Few threads hold few pictures, so that a seek soon saves work."""
    far = sorted({0, count * 2 // 5, count * 3 // 4, count - 1})
    for frames in list(range(0, count, 3)), far:
        scores, message = frames_of(program, other, path, "--threads", "1", "--frames", ",".join(map(str, frames)))
        if scores is None:
            return "--frames: " + message
        if list(scores) != frames or any(score != 1 for score in scores.values()):
            return "--frames %s gives %s" % (frames, scores)
    return ""


def late_frame_of_damaged(program):
    """Damage in what a seek passes over is not seen: so this is how one sees that there was a seek."""
    ffmpeg("-i", "long.mp4", "-frames:v", 60, "-c:v", "ffv1", "-level", "3", "-slicecrc", "1", "-g", 10, "damaged.mkv")
    with open("damaged.mkv", "r+b") as file:
        file.seek(os.path.getsize("damaged.mkv") // 4)
        file.write(b"damage")
    late, message = frames_of(program, "damaged.mkv", "damaged.mkv", "--threads", "1", "--frames", "55")
    if late != {55: 1}:
        return "frame 55: %s" % (message or late)
    return "" if frames_of(program, "damaged.mkv", "damaged.mkv")[0] is None else "the damage is not seen at all"


def change_slice(path, number, header):
    """Makes a copy whose second slice of packet `number` has another header: two bytes."""
    packet = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "packet=pos,size", "-of", "csv=p=0", path],
                            capture_output=True, text=True, check=True).stdout.split()[number]
    size, at = map(int, packet.strip(",").split(","))
    with open(path, "rb") as file:
        data = bytearray(file.read())
    first = at
    while data[first + 4] >> 1 & 63 > 31:  # parameter sets
        first += 4 + struct.unpack_from(">I", data, first)[0]
    second = first + 4 + struct.unpack_from(">I", data, first)[0]
    if second + 4 >= at + size:
        raise RuntimeError("the encoder has made one slice")
    data[second + 4:second + 6] = header(data[second + 4:second + 6])
    with open("changed.mp4", "wb") as file:
        file.write(data)
    return "changed.mp4"


def slices(program):
    """Of an HEVC picture of two slices one is missing, of which the decoder says nothing: the picture fails, and what may
    be predicted from it. If that slice is of an upper layer (alpha), the file is refused."""
    ffmpeg(*SOURCE[:3], SOURCE[3] % ("320x192", 25, 1), "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
           "log-level=error:keyint=10:min-keyint=10:bframes=0:slices=2", "slices.mp4")
    lost = change_slice("slices.mp4", 12, lambda header: bytes([38 << 1, header[1]]))  # filler
    subprocess.run([program, *CPU, "-q", "--output", "r.jsonl", lost, lost], stderr=subprocess.DEVNULL)
    failed = [n for n, score in frames_in("r.jsonl").items() if score is None]
    if failed != list(range(12, 20)):
        return "frames %s failed" % failed
    layer = change_slice("slices.mp4", 0, lambda header: bytes([header[0], header[1] | 1 << 3]))
    done = subprocess.run([program, *CPU, "-q", layer, layer], capture_output=True, text=True)
    return "" if done.returncode == 4 and "has a second layer" in done.stderr else "a layer is not seen: " + done.stderr


def offsets(program):
    ffmpeg("-i", "long.mp4", "-vf", "trim=start_frame=100", "-fps_mode", "passthrough", "-f", "yuv4mpegpipe", "late.y4m")
    for ref, out, offset, first in ("long.mp4", "late.y4m", -100, 100), ("late.y4m", "long.mp4", 100, 0):
        scores, message = frames_of(program, ref, out, "--threads", "1", "--offset", str(offset))
        if scores != {first + n: 1 for n in range(300)}:
            return "--offset %d: %s" % (offset, message or scores)
    return ""


def shares(program, whole):
    for share in "123":
        frames_of(program, "long.mp4", "other.mkv", "--threads", "1", "--shard", share + "/3")
        os.rename("r.jsonl", share)
    subprocess.run([program, *CPU, "merge", "-q", "--output", "merged", "1", "2", "3"], stderr=subprocess.DEVNULL)
    return "" if frames_in("merged") == whole else "the merge of three shares is not the one run"


def killed(program, whole):
    run = subprocess.Popen([program, *CPU, "-q", "--threads", "1", "--output", "killed", "long.mp4", "other.mkv"])
    threads = scored = 0
    while run.poll() is None and scored < 150:
        time.sleep(0.005)
        threads = max(threads, len(os.listdir("/proc/%d/task" % run.pid)))
        if os.path.exists("killed.partial"):
            with open("killed.partial") as file:
                scored = sum(1 for _ in file)
    run.kill()
    run.wait()
    if threads > 2:
        return "--threads 1: %d threads" % threads
    kept = scored
    done = subprocess.run([program, *CPU, "-q", "--threads", "1", "--resume", "killed", "long.mp4", "other.mkv"])
    if done.returncode != 0 or kept < 100:
        return "exit %d of what resumes a run of %d frames" % (done.returncode, kept)
    return "" if frames_in("killed") == whole else "resumed, it is not the one run"


def check_runs(program):
    """Runs of a part of the frames of two long files, against one run of all."""
    ffmpeg(*SOURCE[:3], SOURCE[3] % ("320x180", 25, 16), *CABAC, "-preset", "superfast", "-bf", 2, "-pix_fmt", "yuv420p", "long.mp4")
    ffmpeg("-i", "long.mp4", *X265, "-preset", "ultrafast", "other.mkv")
    whole, message = frames_of(program, "long.mp4", "other.mkv")
    if whole is None or len(whole) != 400:
        return message or "%d frames of 400" % len(whole)
    return offsets(program) or shares(program, whole) or killed(program, whole) or late_frame_of_damaged(program)


def report(name, wrong):
    print("[%s] video files: %s%s" % ("FAIL" if wrong else "PASS", name, ": " + wrong if wrong else ""))
    return bool(wrong)


def main():
    program, names = os.path.realpath(sys.argv[1]), sys.argv[2:]
    count = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        rows = [(row[0], lambda row=row: encode(row), row[5].split()[-1]) for row in ROWS if not names or row[0] in names]
        for group in special, damaged_index:
            if not names or group.__name__ in names:
                rows += [(path, lambda path=path: path, "y4m") for path in group()]
        for name, make, kind in rows:
            count += 1
            failed += report(name, check(program, make(), kind))
        if not names or "slices" in names:
            failed += report("a slice is missing, or of another layer", slices(program))
        if not names or "runs" in names:
            failed += report("shares, offsets, a killed run, a late frame", check_runs(program))
        os.chdir("/")
    print("video files: %d, %d of them not read as ffmpeg reads them" % (count, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    if not need.there("ffmpeg"):
        print("[SKIP] video files: needs ffmpeg")
        sys.exit(0)
    sys.exit(main())
