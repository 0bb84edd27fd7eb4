"""bench_ssim_torch.py [--runs N]: times SSIM in PyTorch on bench_ssim's sizes in the same way, as rows of
the same table. One method is pytorch-msssim's, a grouped conv2d per direction and moment. The other is
torchmetrics' function. Both are checked against float64 and against each other before they are timed."""

import argparse
import datetime
import functools
import sys
from pathlib import Path

import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))
from torch_timer import Timer

try:
    from torchmetrics.functional.image import structural_similarity_index_measure
except ImportError:
    structural_similarity_index_measure = None

TAPS = 11
SIGMA = 1.5
PEAK = 255.0
C1 = (0.01 * PEAK) ** 2
C2 = (0.03 * PEAK) ** 2
CHANNELS = 3
LIMIT = 1e-4  # of a score: float32 moments of random texture, few windows

# Name, width, height, largest number of frames; as in bench_ssim.cu.
SIZES = [
    ("720p", 1280, 720, 32),
    ("1080p", 1920, 1080, 32),
    ("1440p", 2560, 1440, 32),
    ("4K", 3840, 2160, 32),
    ("8K", 7680, 4320, 32),
    ("3841x2161", 3841, 2161, 1),
    ("3839x2159", 3839, 2159, 1),
]
FRAMES = [1, 8, 32]


@functools.lru_cache(maxsize=None)
def gaussian(dtype):
    distance = torch.arange(TAPS, dtype=torch.float64, device="cuda") - TAPS // 2
    weights = torch.exp(-(distance**2) / (2 * SIGMA**2))
    return (weights / weights.sum()).to(dtype)


def ssim_map(mean, a, b):
    """Returns the SSIM map, given a function for the weighted mean under the window."""
    mean_a, mean_b = mean(a), mean(b)
    var_a = mean(a * a) - mean_a * mean_a
    var_b = mean(b * b) - mean_b * mean_b
    covariance = mean(a * b) - mean_a * mean_b
    contrast = (2 * covariance + C2) / (var_a + var_b + C2)
    return (2 * mean_a * mean_b + C1) / (mean_a * mean_a + mean_b * mean_b + C1) * contrast


def reference(ref, out):
    """Returns one score per frame in float64, from the whole 11 x 11 window, plane by plane."""
    weights = gaussian(torch.float64)
    window = torch.outer(weights, weights).reshape(1, 1, TAPS, TAPS)
    height, width = ref.shape[-2:]
    planes = [t.double().reshape(-1, 1, height, width) for t in (ref, out)]
    scores = ssim_map(lambda t: F.conv2d(t, window), *planes).mean(dim=(1, 2, 3))
    return scores.reshape(ref.shape[:2]).mean(dim=1)


def grouped_conv2d(ref, out):
    """Returns one score per frame, by two separable passes per moment, a group per channel."""
    channels = ref.shape[1]
    weights = gaussian(ref.dtype).expand(channels, 1, 1, TAPS)

    def mean(t):
        across = F.conv2d(t, weights, groups=channels)
        return F.conv2d(across, weights.transpose(2, 3), groups=channels)

    return ssim_map(mean, ref, out).mean(dim=(1, 2, 3))


def torchmetrics_ssim(ref, out):
    """Returns one score per frame."""
    return structural_similarity_index_measure(
        out, ref, sigma=SIGMA, data_range=PEAK, reduction="none"
    )


def random_pair(frames, width, height):
    """Returns random bytes, and bytes up to 6 away from them, as floats."""
    shape = (frames, CHANNELS, height, width)
    ref = torch.randint(256, shape, device="cuda", dtype=torch.int16)
    out = ref + torch.randint(-6, 7, shape, device="cuda", dtype=torch.int16)
    return ref.float(), out.clamp_(0, 255).float()


def check(methods):
    """Prints each method's error. Returns how many are wrong."""
    wrong = 0
    torch.manual_seed(1)
    for width, height in [(641, 363), (37, 53), (1280, 720)]:
        ref, out = random_pair(2, width, height)
        expected = reference(ref, out)
        scores = [method(ref, out).double() for _, method in methods]
        for (name, _), score in zip(methods, scores):
            error = (score - expected).abs().max().item()
            apart = max((score - other).abs().max().item() for other in scores)
            right = error <= LIMIT and apart <= 2 * LIMIT
            wrong += not right
            print(f"{name}, {width}x{height}: score error {error:.1e}, from the others "
                  f"{apart:.1e}{'' if right else ' WRONG'}")
    print()
    return wrong


def print_row(size, frames, name, width, height, times):
    median, low, high = (time / frames for time in times)
    megapixels = width * height * 1e-6
    print(f"| {size} | {frames} | {name} | f32 planes | valid | - | {median:.1f} "
          f"| {low:.1f} .. {high:.1f} | {median / megapixels:.2f} | | |", flush=True)


def time_size(timer, methods, size, width, height, frames):
    """Times a size. If PyTorch refuses it (memory, or too many elements to index), the row says so."""
    for name, method in methods:
        try:
            ref, out = random_pair(frames, width, height)
            times = timer.measure(2 * ref.nbytes, lambda: method(ref, out))
            print_row(size, frames, name, width, height, times)
        except RuntimeError as error:
            reason = str(error).splitlines()[0][:60]
            print(f"| {size} | {frames} | {name} | f32 planes | valid | - | {reason} | | | | |",
                  flush=True)
        ref = out = None
        torch.cuda.empty_cache()


def warm_up():
    """Copies for half a second or so, so that the clocks are up before the first row."""
    source = torch.zeros(1 << 30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    for _ in range(1000):
        target.copy_(source)
    torch.cuda.synchronize()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs is at least 1")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.manual_seed(1)
    methods = [("PyTorch grouped conv2d", grouped_conv2d)]
    if structural_similarity_index_measure:
        methods.append(("torchmetrics", torchmetrics_ssim))
    today = datetime.datetime.now(datetime.timezone.utc)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, "
          f"CUDA {torch.version.cuda}, {today:%Y-%m-%d}; {options.runs} runs\n")
    if not structural_similarity_index_measure:
        print("torchmetrics is not installed: its rows are left out\n")
    with torch.inference_mode():
        wrong = check(methods)
        if wrong:
            return 1
        warm_up()
        timer = Timer(options.runs)
        print("| size | frames | method | input | pad | map | us per frame | min .. max "
              "| us per megapixel | of V4 | of tile |\n" + "|---" * 11 + "|")
        for size, width, height, most_frames in SIZES:
            for frames in FRAMES:
                if frames <= most_frames:
                    time_size(timer, methods, size, width, height, frames)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
