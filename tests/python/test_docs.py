"""Every example that people read runs: docstrings, README, docs/python.md, the notebook; and types."""

from __future__ import annotations

import ast
import base64
import doctest
import importlib
import importlib.util
import json
import pkgutil
import re
import subprocess
import sys
import types
from pathlib import Path

import needed
import pytest
import ssimcu

NEED_TORCH = () if importlib.util.find_spec("torch") else ("torch", "_loss")
MODULES = [
    m.name
    for m in pkgutil.iter_modules(ssimcu.__path__)
    if m.name not in ("__main__", "pytest_plugin", *NEED_TORCH)
]


def test_docstrings(root, monkeypatch) -> None:
    monkeypatch.chdir(root)
    tried = 0
    for name in MODULES + [""]:
        module = importlib.import_module(f"ssimcu.{name}" if name else "ssimcu")
        result = doctest.testmod(module)
        assert result.failed == 0
        tried += result.attempted
    assert tried >= 25


def test_each_name_is_described() -> None:
    for name in ssimcu.__all__:
        if not name.startswith("_"):
            assert len(getattr(ssimcu, name).__doc__) > 20, name


NUMBER = re.compile(r"-?\d+\.\d+")
# How far the numbers of two processors or devices may be apart. What is promised of a metric has its name before it.
PROMISED = {"ssimulacra2": 1e-3, "psnr": 1e-5, "ms-ssim": 1e-6, "": 1e-6}
ON_CPUS = {**PROMISED, "ssimulacra2": 5e-5}  # six digits: those without AVX-512 differ in the ninth


def check_alike(said: str, shown: str, promised: dict[str, float] = PROMISED) -> None:
    """What an example says is what a page shows, to the digits that are promised."""
    assert NUMBER.sub("#", said) == NUMBER.sub("#", shown)
    for now, kept in zip(NUMBER.finditer(said), NUMBER.finditer(shown)):
        named = re.search(r"([a-z0-9-]+)'?:? $", said[: now.start()])
        within = promised.get(named[1] if named else "", promised[""])
        last = 10.0 ** -len(kept[0].split(".")[1])  # a rounded number may fall on either side
        assert abs(float(now[0]) - float(kept[0])) <= within + last, (said, shown)


def test_alike() -> None:
    check_alike("ssimulacra2 68.783386105, ssim 0.902745035", "ssimulacra2 68.783913000, ssim 0.902745935")
    check_alike("ssimulacra2 68.783386105", "ssimulacra2 68.783386093", ON_CPUS)
    with pytest.raises(AssertionError):
        check_alike("ssimulacra2 68.783386105", "ssimulacra2 68.783486105", ON_CPUS)
    for said, shown in (
        ("ssim 0.902745035", "ssim 0.902747035"),
        ("ssimulacra2 68.783386105", "ssimulacra2 68.784913000"),
        ("psnr 31.138669886", "psnr 31.138689886"),
        ("0.9 at 64x64+0+0", "0.9 at 64x64+0+64"),
        ("Tile(score=0.5000000, x=0)", "Tile(score=0.5000020, x=0)"),
    ):
        with pytest.raises(AssertionError):
            check_alike(said, shown)


def blocks(path: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", path.read_text(), re.M | re.S)


def has_gpu() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def can_run(block: str) -> bool:
    return has_gpu() if "cuda" in block else not ("torch" in block and NEED_TORCH)


class Bar:
    """tqdm's."""

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        assert self.count == 2

    def update(self) -> None:
        self.count = getattr(self, "count", 0) + 1


def test_golden_pictures(root, pytester, monkeypatch) -> None:
    """The page's test of a renderer's runs as one of pytest's."""
    (block,) = [block for block in blocks(root / "docs/python.md") if "assert_similar" in block]
    renders = "import numpy as np\n\ndef render(scene):\n    return np.add.outer(np.arange(80), np.arange(90)).astype('u1')\n\n"
    pytester.makepyfile(test_page=renders + block)
    if not any(entry.value == "ssimcu.pytest_plugin" for entry in plugins()):
        monkeypatch.setenv("PYTEST_PLUGINS", "ssimcu.pytest_plugin")
    for options in (["--ssimcu-update"], []):
        pytester.runpytest_subprocess(*options).assert_outcomes(passed=1)


def plugins():
    import importlib.metadata

    found = importlib.metadata.entry_points()
    return found.select(group="pytest11") if hasattr(found, "select") else found["pytest11"]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/loss.md"])
def test_page(root, page, monkeypatch, tmp_path, capsys) -> None:
    """The blocks of a page run one after the other. A comment that is the end of a line with `print`
    is what it prints. Blocks with "cuda" need a GPU, and tests of pytest's run as such (test_golden_pictures)."""
    found = blocks(root / page)
    assert found
    for name in ("ref", "out"):
        (tmp_path / name).mkdir()
        for k in (1, 2):
            source = "dandelion-ref.png" if name == "ref" else "dandelion-jpeg-q50.jpg"
            (tmp_path / name / f"{k}.{source[-3:]}").symlink_to(root / "testdata" / source)
            (tmp_path / f"{name}.{source[-3:]}").unlink(missing_ok=True)
            (tmp_path / f"{name}.{source[-3:]}").symlink_to(root / "testdata" / source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(tqdm=Bar))
    space: dict = {}
    for block in found:
        tree = ast.parse(block)
        if "assert_similar" in block or not can_run(block):
            continue
        exec(compile(tree, page, "exec"), space)
        said = re.findall(r"^ *print\(.*# (.+)$", block, re.M)
        lines = capsys.readouterr().out.split("\n")[:-1]
        assert len(lines) == len(said)
        for line, shown in zip(lines, said):
            check_alike(line, shown)


def test_notebook(root, monkeypatch) -> None:
    """The cells run, and what they show is what the notebook has."""
    book = json.loads((root / "docs/python.ipynb").read_text())
    monkeypatch.chdir(root / "docs")
    space: dict = {}
    shown = 0
    for cell in book["cells"]:
        if cell["cell_type"] != "code":
            continue
        *body, last = ast.parse("".join(cell["source"])).body
        value = None
        if not isinstance(last, ast.Expr):
            body, last = body + [last], None
        exec(compile(ast.Module(body, []), "notebook", "exec"), space)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "notebook", "eval"), space)
        wanted = [output["data"] for output in cell["outputs"] if "data" in output]
        assert bool(wanted) == (value is not None)
        for data in wanted:
            shown += 1
            on_cpu = getattr(value, "device", "") == "cpu"
            check_alike(repr(value), "".join(data["text/plain"]), ON_CPUS if on_cpu else PROMISED)
            if "text/html" in data:
                page = re.split(r"base64,|\"></?", value._repr_html_())
                kept = re.split(r"base64,|\"></?", "".join(data["text/html"]))
                assert page[0] == kept[0]
                for picture in (page[1], kept[1]):  # zlib may pack it otherwise
                    assert base64.b64decode(picture.split('"')[0])[:4] == b"\x89PNG"
    assert shown >= 4


def test_types(root) -> None:
    needed.module("mypy")
    needed.module("torch")  # the types of ssimcu.torch are torch's
    source = str(Path(ssimcu.__file__).parent)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "/dev/null", source],
        capture_output=True,
        text=True,
        cwd=root / "docs",
    )
    assert done.returncode == 0, done.stdout


def test_types_of_a_caller(tmp_path) -> None:
    """What a caller writes is checked as well: right code passes, wrong code does not."""
    needed.module("mypy")
    (tmp_path / "right.py").write_text(
        "import ssimcu\n"
        "score: float = ssimcu.compare('a.png', 'b.png', metric=('ssim', 'psnr'), map=True).score\n"
        "for record in ssimcu.run('a', 'b', limits={'min_tile': 0.9}, tile=None):\n"
        "    frame: int = record.frame\n"
    )
    (tmp_path / "wrong.py").write_text("import ssimcu\nssimcu.run('a', 'b', tiles=3)\n")
    package = Path(ssimcu.__file__).parents[1]
    for name, code in (("right", 0), ("wrong", 1)):
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "/dev/null", f"{name}.py"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={"MYPYPATH": str(package), "PATH": "/usr/bin:/bin"},
        )
        assert done.returncode == code, done.stdout
