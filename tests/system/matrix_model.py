"""The model that matrix.py holds the program against: pictures, scores, limits and verdicts in float64.

It follows ssimcu.h, ssimcu(1), ssimcu-limits(5) and ssimcu-results(5), and shares no line with the program. Everything
is done in the plainest way: windows are counted one by one, and pixels that are ignored are looked up.
"""
import fnmatch
import functools
import math
import re
import struct
import zlib

TILE, REACH = 24, 5
SIZES = {"sh010": (56, 40, 3, 8), "sh020": (53, 38, 1, 16)}  # width, height, channels and bits
NEAR = 1e-6  # a number that is closer to its limit, and not equal to it, may be on either side
LOWER = ("min_frame", "min_tile", "min_frame_psnr")
LIMITS = ("min_frame", "min_tile", "max_drop", "max_tile_drop", "max_level_shift", "min_frame_psnr")  # in the order of faults


class Near(Exception):
    """A number lies so close to a limit that float64 does not tell on which side."""


# ---- Pictures ------------------------------------------------------------------------------------


def encode_png(width, height, channels, bits, samples):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    row, form = width * channels, "B" if bits == 8 else "H"
    lines = b"".join(b"\0" + struct.pack(f">{row}{form}", *samples[y * row:(y + 1) * row]) for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, bits, 2 if channels == 3 else 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines, 1)) + chunk(b"IEND", b"")


def draw_picture(random, shot):
    """A texture over waves, as a list of samples."""
    width, height, channels, bits = SIZES[shot]
    wave = [random.uniform(3, 9) for _ in range(4)]
    samples = []
    for y in range(height):
        for x in range(width):
            light = 0.5 + 0.2 * math.sin(x / wave[0] + wave[1]) + 0.15 * math.sin(y / wave[2] + wave[3])
            samples += [round((light + random.uniform(-0.1, 0.1)) * (2 ** bits - 1)) for _ in range(channels)]
    return samples


def damage(random, shot, samples, kind):
    """The same frame of another render: equal, noisy, with a black square or a spot, or brighter in parts."""
    width, height, channels, bits = SIZES[shot]
    white, made = 2 ** bits - 1, list(samples)
    if kind in ("noisy", "noisier"):
        spread = 0.02 if kind == "noisy" else 0.08
        return [min(max(round(s + random.gauss(0, spread) * white), 0), white) for s in made]
    across, down, side = random.randrange(width - 14), random.randrange(height - 14), 14 if kind != "spot" else 1
    if kind == "tint":  # one channel of the left half
        across, down, side = 0, 0, max(width, height)
    for y in range(down, min(down + side, height)):
        for x in range(across, min(across + side, width if kind != "tint" else width // 2)):
            for c in range(channels):
                at = (y * width + x) * channels + c
                if kind in ("square", "spot"):
                    made[at] = 0
                elif kind == "bright" or kind == "tint" and c == channels - 1:
                    made[at] = min(made[at] + round(0.05 * white), white)
    return made


class Picture:
    def __init__(self, path, shot, samples):
        self.path, self.shot, self.samples = path, shot, samples
        path.write_bytes(encode_png(*SIZES[shot], samples))


class Mask:
    def __init__(self, path, width, height, rectangles, channels):
        self.width, self.height, self.rectangles = width, height, rectangles
        samples = []
        for y in range(height):
            for x in range(width):
                samples += [0] * (channels - 1) + [1 if self.ignores(x, y) else 0]  # what is not black is ignored
        path.write_bytes(encode_png(width, height, channels, 8, samples))

    def ignores(self, x, y):
        return any(a <= x < a + w and b <= y < b + h for a, b, w, h in self.rectangles)


class Frame:
    """A frame of a combination: its pictures, or None where there is none; `variants`: directories with their REF."""

    def __init__(self, shot, number, in_tree):
        self.shot, self.number, self.named = shot, number, shot if in_tree else None
        self.name = f"{shot}/{number}" if in_tree else str(number)
        self.file = f"{shot}/{number}.png" if in_tree else f"{number}.png"
        self.ref = self.out = self.before = self.out_path = None
        self.variants = []


# ---- The numbers of a pair -----------------------------------------------------------------------

GAUSS = [math.exp(-k * k / 4.5) for k in range(-5, 6)]
GAUSS = [g / sum(GAUSS) for g in GAUSS]


def under_windows(values, width, height):
    """The weighted means under all windows that lie inside, as rows."""
    g0, g1, g2, g3, g4, g5 = GAUSS[:6]

    def weigh(lists):
        return [g0 * (a + k) + g1 * (b + j) + g2 * (c + i) + g3 * (d + h) + g4 * (e + g) + g5 * f
                for a, b, c, d, e, f, g, h, i, j, k in zip(*lists)]
    rows = [values[y * width:(y + 1) * width] for y in range(height)]
    rows = [weigh([row[k:width - 10 + k] for k in range(11)]) for row in rows]
    return [weigh(rows[y:y + 11]) for y in range(height - 10)]


def windows_of(ref, out, width, height, peak):
    """SSIM and OUT - REF of the means under each window, as rows, for one channel."""
    products = [[a * b for a, b in zip(*two)] for two in ((ref, ref), (out, out), (ref, out))]
    fields = [under_windows(values, width, height) for values in (ref, out, *products)]
    c1, c2, ssim, shift = (0.01 * peak) ** 2, (0.03 * peak) ** 2, [], []
    for rows in zip(*fields):
        ssim.append([(2 * m * n + c1) * (2 * (mn - m * n) + c2) / ((m * m + n * n + c1) * (mm - m * m + nn - n * n + c2))
                     for m, n, mm, nn, mn in zip(*rows)])
        shift.append([n - m for m, n in zip(*rows[:2])])
    return ssim, shift


class Tile:
    """x, y, width, height; `centres`: of its windows; the sum of SSIM over them and the channels; mean shifts."""

    def __init__(self, column, row, width, height):
        self.x, self.y = column * TILE, row * TILE
        self.width, self.height = min(TILE, width - self.x), min(TILE, height - self.y)
        self.across = [x for x in range(self.x, self.x + TILE) if REACH <= x < width - REACH]
        self.down = [y for y in range(self.y, self.y + TILE) if REACH <= y < height - REACH]
        self.windows, self.score, self.shift, self.same = len(self.across) * len(self.down), 0.0, [], True

    def place(self):
        return {"x": self.x, "y": self.y, "width": self.width, "height": self.height}

    def touches(self, x, y):
        """Whether a window that is centred here has the pixel."""
        return self.across[0] - REACH <= x <= self.across[-1] + REACH and self.down[0] - REACH <= y <= self.down[-1] + REACH


class Numbers:
    """What ssimcu.h says of a pair: tiles, and the mean squared error of all samples."""

    def __init__(self, shot, ref, out):
        width, height, channels, bits = self.size = SIZES[shot]
        peak = 2 ** bits - 1
        self.mse = sum((a - b) ** 2 for a, b in zip(ref, out)) / len(ref) / peak ** 2
        self.tiles = [Tile(c, r, width, height) for r in range(-(-(height - REACH) // TILE))
                      for c in range(-(-(width - REACH) // TILE))]
        other = [i // channels for i, (a, b) in enumerate(zip(ref, out)) if a != b]
        maps = [windows_of(ref[c::channels], out[c::channels], width, height, peak) for c in range(channels)]
        for tile in self.tiles:
            places = [(x - REACH, y - REACH) for y in tile.down for x in tile.across]
            tile.score = math.fsum(ssim[y][x] for ssim, _ in maps for x, y in places) / len(places) / channels
            tile.shift = [math.fsum(shift[y][x] for x, y in places) / len(places) * 255 / peak for _, shift in maps]
            tile.same = not any(tile.touches(i % width, i // width) for i in other)


@functools.cache
def numbers(ref, out):
    """Of two pictures of one shot."""
    return Numbers(ref.shot, ref.samples, out.samples)


def score_pair(ref, out, ignored, psnr):
    """The record of a scored pair. `ignored`: a function of x and y. Worst tile and largest shift are lists of all that
    float64 cannot tell apart."""
    pair = numbers(ref, out)
    width, height, channels, _ = pair.size
    black = [(x, y) for y in range(height) for x in range(width) if ignored(x, y)]
    gone = [t for t in pair.tiles if any(t.touches(x, y) for x, y in black)]
    kept = [t for t in pair.tiles if t not in gone]
    if not kept:
        return {"status": "failed"}
    score = sum(t.score * t.windows for t in kept) / sum(t.windows for t in kept)
    least = min(t.score for t in kept)
    shifts = [(abs(t.shift[c]), t, c) for c in range(channels) for t in kept]
    most = max(s for s, *_ in shifts)
    same = all(t.same for t in kept)
    record = {"status": "ok", "same": same, "score": 1.0 if same else score, "tile": 1.0 if same else least, "level_shift": most,
              "tiles": [t.place() for t in kept if t.score <= least + NEAR],
              "shifts": [(t.place(), t.shift[c], c) for s, t, c in shifts if s >= most - 1e-4]}
    if same:  # the first of equals
        record["tiles"], record["shifts"], record["level_shift"] = record["tiles"][:1], record["shifts"][:1], 0.0
    if gone:
        share = sum(t.width * t.height for t in gone) / (width * height)
        record["ignored"] = {"tiles": len(gone), "of": len(pair.tiles), "share": share,
                             "crc": zlib.crc32(bytes(t in gone for t in pair.tiles))}
    if psnr:
        record["mse"], record["psnr"] = pair.mse, decibels(pair.mse)
    return record


def decibels(mse):
    return math.inf if mse == 0 else 10 * math.log10(1 / mse)


# ---- Rules ---------------------------------------------------------------------------------------


def in_ranges(text, part, number):
    """Whether "sh010/1001-1005x2,1007" has the frame."""
    own, ranges = text.rsplit("/", 1) if "/" in text else (None, text)
    if own is not None and own != part:
        return False
    for piece in ranges.split(","):
        piece, step = piece.split("x") if "x" in piece else (piece, "1")
        first, last = piece.split("-") if "-" in piece else (piece, piece)
        if number in range(int(first), int(last) + 1, int(step)):
            return True
    return False


def is_for(rule, frame):
    if "frames" in rule and not in_ranges(rule["frames"], frame.named, frame.number):
        return False
    texts = [frame.name] + ([frame.out_path] if frame.out_path else [])
    return "match" not in rule or any(fnmatch.fnmatchcase(text, rule["match"]) for text in texts)


def spread(rule):
    """The limits that a rule names, by the names of faults."""
    named = {key: rule[key] for key in LIMITS if key in rule}
    if isinstance(rule.get("min_frame"), dict):
        named.pop("min_frame")
        named.update({"min_frame" if key == "ssim" else f"min_frame_{key}": value for key, value in rule["min_frame"].items()})
    return named


def limits_of(case, frame):
    """The limits of a frame, each with its rule or None, and whether it may be missing."""
    limits, missing = {}, case.missing == "skip"
    for rule in case.rules:
        if not is_for(rule, frame):
            continue
        limits.update({key: (value, rule.get("match", rule.get("frames"))) for key, value in spread(rule).items()})
        if "may_be_missing" in rule and case.missing != "skip":
            missing = rule["may_be_missing"]
    limits.update({key: (value, None) for key, value in case.options.items() if key in LIMITS})
    return limits, missing


def ignored_in(case, frame):
    """A function of x and y: whether rules ignore the pixel. None: a mask is of another size."""
    parts, masks = [], []
    for rule in case.rules:
        if is_for(rule, frame):
            parts += rule.get("ignore", [])
            masks += [case.masks[rule["ignore_mask"]]] if "ignore_mask" in rule else []
    width, height, *_ = SIZES[frame.shot]
    if any((mask.width, mask.height) != (width, height) for mask in masks):
        return None
    return lambda x, y: (any(a <= x < a + w and b <= y < b + h for a, b, w, h in parts) or
                         any(mask.ignores(x, y) for mask in masks))


# ---- Verdicts ------------------------------------------------------------------------------------


def is_beyond(kind, number, limit):
    if number != limit and abs(number - limit) < (2e-3 if kind == "max_level_shift" else 2 * NEAR):
        raise Near
    return number < limit if kind in LOWER else number > limit


def judge_frame(record, limits, before):
    """The faults of a scored frame, and those of them that nothing could be held against."""
    faults, unjudged = [], []
    for kind in LIMITS:
        if kind not in limits:
            continue
        number = {"min_frame": record["score"], "min_tile": record["tile"], "max_level_shift": record["level_shift"],
                  "min_frame_psnr": record.get("psnr")}.get(kind)
        if kind in ("max_drop", "max_tile_drop"):
            key = "score" if kind == "max_drop" else "tile"
            number = before[key] - record[key] if before else None
        if number is None:
            unjudged.append(kind)
        if number is None or is_beyond(kind, number, limits[kind][0]):
            faults.append(kind)
    return faults, unjudged


def score_frame(case, frame, ref, out):
    ignored = ignored_in(case, frame)
    return {"status": "failed"} if ignored is None else score_pair(ref, out, ignored, case.psnr)


def expect_frame(case, frame):
    """The record of a frame, with its limits and faults."""
    limits, may_be_missing = limits_of(case, frame)
    if frame.ref is None or frame.out is None:
        return {"status": "missing", "missing": "out" if frame.out is None else "ref", "limits": limits, "unjudged": [],
                "faults": [] if may_be_missing else ["missing"], "before": None}
    record = score_frame(case, frame, frame.ref, frame.out)
    if record["status"] == "failed":
        return dict(record, limits=limits, faults=["failed"], unjudged=[], before=None)
    before = score_frame(case, frame, frame.ref, frame.before) if frame.before else None
    faults, unjudged = judge_frame(record, limits, before)
    for directory, ref in frame.variants if faults else []:
        other = score_frame(case, frame, ref, frame.out)
        found, alone = judge_frame(other, limits, before)
        if not found:
            record, faults, unjudged = dict(other, variant=directory), found, alone
            break
    return dict(record, limits=limits, faults=faults, unjudged=unjudged, before=before)


def cut_end(frames):
    """--missing end: the run ends with the shorter side."""
    ends = [max((i + 1 for i, f in enumerate(frames) if side(f) is not None), default=0)
            for side in (lambda f: f.ref, lambda f: f.out)]
    return frames[:min(ends)]


def expect_run(case):
    """What a run comes to: records by name, means, reasons, and its exit status."""
    frames = cut_end(case.frames) if case.missing == "end" else case.frames
    records = {frame.name: expect_frame(case, frame) for frame in frames}
    scored = [r for r in records.values() if r["status"] == "ok"]
    held = {kind: [r for r in scored if kind in r["limits"]] for kind in LIMITS}
    idle = any(of and all(kind in r["unjudged"] for r in of) for kind, of in held.items())
    bad = sum(bool(r["faults"]) for r in scored)
    too_many = bad > case.max_bad or idle
    reasons, mean, psnr = ([] if scored else ["nothing scored"]), None, None
    if scored:
        mean = math.fsum(r["score"] for r in scored) / len(scored)
        psnr = decibels(math.fsum(r["mse"] for r in scored) / len(scored)) if case.psnr else None
        for kind, key, value in (("min_score", "min_frame", mean), ("min_score_psnr", "min_frame_psnr", psnr)):
            if kind in case.options and is_beyond(key, value, case.options[kind]):
                reasons.append(kind)
        if any(spread(rule) for rule in case.rules) and not any(r["limits"] for r in scored):
            reasons.append("no limit")
    for kind in (*LIMITS, "missing", "failed"):
        names = [name for name, r in records.items() if kind in r["faults"]]
        if names and (kind in ("missing", "failed") or too_many):
            reasons.append((kind, names))
    unsound = any({"missing", "failed"} & set(r["faults"]) for r in records.values())
    # An idle limit has faults, of which `too_many` makes reasons.
    code = 4 if not scored else 3 if unsound else 1 if reasons else 0
    return {"records": records, "mean": mean, "psnr": psnr, "reasons": reasons, "too_many": too_many, "exit": code}


# ---- Comparing ---------------------------------------------------------------------------------


def alike(a, b, most=NEAR):
    return a == b or None not in (a, b) and abs(a - b) <= most


def record_checks(got, want):
    """What of a record must be what, each with whether it is."""
    failed = got.get("status") not in ("ok", "missing", None)
    yield "status", got.get("status") == want["status"] or failed and want["status"] == "failed"
    yield "missing", got.get("missing") == want.get("missing")
    if want["status"] != "ok" or got.get("status") != "ok":
        return
    tile, shift = dict(got["tile"]), dict(got["level_shift"])
    score, levels, channel = tile.pop("score"), shift.pop("levels"), shift.pop("channel")
    yield "score", alike(got["score"], want["score"]) and (got["score"] == 1) == want["same"]
    yield "tile", alike(score, want["tile"]) and (score == 1) == want["same"] and tile in want["tiles"]
    yield "level_shift", any(shift == place and channel in ("rgb"[c], "grey") and alike(levels, value, 1e-3 + 2e-5 * abs(value))
                       for place, value, c in want["shifts"])
    ignored, own = got.get("ignored", {}), want.get("ignored", {})
    yield "ignored", ignored.keys() == own.keys() and all(alike(ignored[key], own[key], 1e-12) for key in own)
    psnr = got.get("metrics", {}).get("psnr", {})
    yield "psnr", psnr.get("score") == (None if want.get("psnr") == math.inf else psnr.get("score"))
    yield "psnr", psnr.get("score") is None or alike(psnr["score"], want.get("psnr"))
    yield "mse", alike(psnr.get("mse"), want.get("mse"), 1e-12)
    yield "variant", got.get("variant", {"path": "/"})["path"].split("/")[0] == want.get("variant", "")


def finding_checks(finding, record):
    """What of the finding of a limit must be what, each with whether it is."""
    kind, (limit, rule), before = finding["kind"], record["limits"][finding["kind"]], record["before"]
    key = {"min_frame": "score", "min_tile": "tile", "max_drop": "score", "max_tile_drop": "tile", "max_level_shift": "level_shift",
           "min_frame_psnr": "psnr"}[kind]
    number = None if kind in record["unjudged"] else record[key]
    if number is not None and "drop" in kind:
        number = before[key] - number
    yield "limit", finding.get("limit") == limit
    yield "value", alike(finding.get("value"), number, 2e-3 if kind == "max_level_shift" else 2 * NEAR)
    yield "text", number is None or finding["text"].endswith(f" of {rule}") == bool(rule)
    yield "place", number is None or ("width" in finding) == (key in ("tile", "level_shift"))


def flat(record):
    """A record as CSV has it."""
    row = {key: record.get(key, "") for key in ("frame", "shot", "status", "score")}
    for own, keys in (("tile", ("score", "x", "y", "width", "height")), ("ignored", ("tiles", "of", "crc", "share")),
                      ("level_shift", ("levels", "channel", "x", "y", "width", "height"))):
        row.update({f"{own}_{key}": record.get(own, {}).get(key, "") for key in keys})
    psnr = record.get("metrics", {}).get("psnr", {"score": "", "mse": ""})
    return {**row, "psnr": "inf" if psnr["score"] is None else psnr["score"], "mse": psnr["mse"]}


SHORT = ("status", "score", "tile", "tiles", "level_shift", "shifts", "ignored", "metrics", "psnr")


def short(record):
    return {k: v for k, v in record.items() if k in SHORT}


def without_hints(value):
    """Leaves the findings of limits, and of pairs without a score; the number of each kind goes as well."""
    if isinstance(value, dict):
        if "kind" in value and "text" in value and not re.match("(min|max)_|learned|missing|failed", value["kind"]):
            return None
        kept = {key: without_hints(own) for key, own in value.items()
                if key != "hinted" and not (key == "findings" and isinstance(own, dict))}
        return {key: own for key, own in kept.items() if key != "findings" or own}
    if not isinstance(value, list):
        return value
    return [own for own in map(without_hints, value) if own is not None]
