"""streams.py FOLDER: makes pairs of video, ref.NAME.y4m and out.NAME.y4m, two of them raw as well, the same
on every machine. `mono` lacks two frames; the last frame of `short` is cut short."""
import random
import sys

# name, tag, bits, what width and height of chroma are divided by (None: grey), size, frames
STREAMS = [
    ("420", "420jpeg", 8, (2, 2), 181, 101, 12),
    ("444", "444", 8, (1, 1), 176, 99, 12),
    ("mono", "mono", 8, None, 97, 53, 12),
    ("420p10", "420p10", 10, (2, 2), 181, 101, 12),
    ("444p10", "444p10", 10, (1, 1), 97, 101, 12),
    ("mono10", "mono10", 10, None, 176, 101, 12),
    ("422p12", "422p12", 12, (2, 1), 61, 61, 12),
    ("420p16", "420p16", 16, (2, 2), 61, 61, 12),
    ("large", "420jpeg", 8, (2, 2), 720, 576, 4),
    ("large10", "420p10", 10, (2, 2), 720, 576, 4),
    ("short", "420jpeg", 8, (2, 2), 64, 48, 12),
]


def plane(width, height, bits, frame, noise):
    """Makes a ramp with grain; out has grain of its own, whose strength differs from frame to frame."""
    samples = width * height
    grain = random.Random(frame * 7 + width).randbytes(samples)
    more = random.Random(frame + noise).randbytes(samples) if noise else bytes(samples)
    scale = bytes(v >> (1 + frame % 4) for v in range(256))
    more = more.translate(scale)
    peak, low = (1 << bits) - 1, bits - 8
    rows = []
    for y in range(height):
        at = y * width
        ramp = range(y + frame, y + frame + width)
        values = [min(peak, ((r & 127) + (g >> 2) + m << low) + (g & (1 << low) - 1))
                  for r, g, m in zip(ramp, grain[at:at + width], more[at:at + width])]
        rows.append(bytes(values) if bits == 8 else b"".join(v.to_bytes(2, "little") for v in values))
    return b"".join(rows)


def frame_of(stream, number, noise):
    _, _, bits, chroma, width, height, _ = stream
    sizes = [(width, height)]
    if chroma:
        across, down = chroma
        sizes += [((width + across - 1) // across, (height + down - 1) // down)] * 2
    return b"".join(plane(w, h, bits, number + 100 * i, noise) for i, (w, h) in enumerate(sizes))


def write(folder, side, stream, frames, noise):
    name, tag, _, _, width, height, _ = stream
    pictures = [frame_of(stream, i, noise) for i in range(frames)]
    with open(f"{folder}/{side}.{name}.y4m", "wb") as file:
        file.write(f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C{tag}\n".encode())
        for picture in pictures:
            file.write(b"FRAME\n" + picture)
        if name == "short" and side == "out":
            file.truncate(file.tell() - 100)
    if name in ("420", "420p10"):
        with open(f"{folder}/{side}.{name}.yuv", "wb") as file:
            file.write(b"".join(pictures))


for stream in STREAMS:
    write(sys.argv[1], "ref", stream, stream[-1], 0)
    write(sys.argv[1], "out", stream, stream[-1] - 2 * (stream[0] == "mono"), 5000)
