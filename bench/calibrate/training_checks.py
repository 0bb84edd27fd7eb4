#!/usr/bin/env python3
"""training_checks.py PROGRAM [SEEDS]: does calibrate doubt a REF that is right, and does it name one with a fault?

Synthetic renders of eight kinds of noise, still and moving, six frames of 320 x 180. First every seed is REF once and
the others are the runs. Then REF has a fault in frame 4, and eight runs or three have none. It needs numpy and pillow."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image

WIDTH, HEIGHT, FRAMES = 320, 180, 6
KINDS = ['white', 'poisson', 'firefly', 'denoised', 'blue', 'quiet', 'half', 'clipped']


def smooth(a, sigma):
    k = np.exp(-np.arange(-3 * sigma, 3 * sigma + 1) ** 2 / (2 * sigma ** 2))
    k /= k.sum()
    for axis in 0, 1:
        a = np.apply_along_axis(lambda line: np.convolve(np.pad(line, len(k) // 2, mode='edge'), k, 'valid'), axis, a)
    return a


def scene(frame, moves):
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(float)
    x += 3.3 * frame * moves
    a = 90 + 50 * np.sin(x / 37) * np.cos(y / 23) + 25 * ((x // 11 + y // 9) % 2)
    a[:60] = 180 + 20 * np.sin(x[:60] / 90)
    return np.stack([a, a * .9, a * .7 + 20], -1).clip(0, 255)


def noise(kind, clean, r):
    shape = clean.shape
    if kind == 'poisson':
        n = r.poisson(clean / 255 * 16 + .01) / 16 * 255 - clean
        n[:60] *= .05
    elif kind == 'firefly':
        n = r.normal(0, 5, shape)
        hit = r.random(shape[:2]) < 4e-4
        n[hit] += r.pareto(1.5, hit.sum())[:, None] * 40
    elif kind == 'denoised':
        n = np.stack([smooth(r.normal(0, 20, shape[:2]), 4) for _ in range(3)], -1)
    elif kind == 'blue':
        n = r.normal(0, 12, shape)
        n -= np.stack([smooth(n[..., c], 2) for c in range(3)], -1)
    elif kind == 'half':
        n = r.normal(0, 8, shape) * (np.arange(WIDTH) >= 200)[None, :, None]
    elif kind == 'clipped':
        n = clean * (np.exp(r.normal(0, .6, shape) - .18) - 1) * np.where(np.arange(WIDTH) > 160, 1, .1)[None, :, None]
    else:
        n = r.normal(0, .6 if kind == 'quiet' else 12, shape)
    return n


def write(folder, kind, seed, moves, fault=None, strength=1.0):
    folder.mkdir()
    for frame in range(1, FRAMES + 1):
        clean = scene(frame, moves)
        if fault and frame == 4:
            clean = fault(clean.copy())
        r = np.random.default_rng([seed, frame, KINDS.index(kind)])
        picture = (clean + strength * noise(kind, clean, r)).clip(0, 255).round().astype('uint8')
        Image.fromarray(picture).save(folder / f'{frame:04}.png')


def doubted(program, ref, runs):
    command = [program, '-q', 'calibrate', '--output', ref.parent / 'l.json', ref, *runs]
    said = subprocess.run(command, capture_output=True, text=True).stderr
    return [int(line.split('frame ')[1].split()[0]) for line in said.splitlines() if 'REF is far' in line]


def flat(a):
    a[100:150, 100:180] = a[100:150, 100:180].mean((0, 1))
    return a


def lighter(a):
    a[100:150, 100:180] *= 1.05
    return a


def black(a):
    a[100:116, 100:116] = 0
    return a


FAULTS = {'texture missing': flat, 'square 5 % lighter': lighter, 'black square': black, 'frame 3 % lighter': lambda a: a * 1.03,
          'the next frame': lambda a: scene(5, True)}


def main():
    program, seeds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 9
    named = frames = few = 0
    less = {kind: 0 for kind in KINDS}
    found = {name: [0, 0] for name in FAULTS}
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            for moves in False, True:
                home = pathlib.Path(folder, f'{kind}{moves}')
                home.mkdir()
                runs = [home / str(seed) for seed in range(seeds)]
                for seed, run in enumerate(runs):
                    write(run, kind, seed, moves)
                for ref in range(seeds):
                    others = [run for run in runs if run != runs[ref]]
                    named += len(doubted(program, runs[ref], others))
                    few += len(doubted(program, runs[ref], others[:3]))
                    frames += FRAMES
            write(home / 'less', kind, 99, True, None, .1)
            less[kind] = len(doubted(program, home / 'less', runs[1:]))
            for name, fault in FAULTS.items():
                write(home / name, kind, 0, True, fault)
                for at, count in enumerate((len(runs), 4)):
                    found[name][at] += doubted(program, home / name, runs[1:count]) == [4]
    print(f'clean REF named: {named} of {frames} frames of {seeds - 1} runs, {few} of {frames} of 3 runs')
    print(f'REF of a tenth of the noise named: {sum(less.values())} of {FRAMES * len(KINDS)} frames')
    for name, (many, three) in found.items():
        print(f'{name}: {many} of {len(KINDS)} kinds with {seeds - 1} runs, {three} with 3')


main()
