"""check(): frames that have no reference."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, TypedDict, Union

from typing import TYPE_CHECKING

from . import _c, _options
from ._files import Path, is_path
from ._library import Error, Message, path_bytes, qa, text_bytes
from ._library import check as check_status
from ._result import plain
from ._run import _LEVELS, Progress, _log, _text

if TYPE_CHECKING:
    from typing_extensions import Unpack


class CheckOptions(TypedDict, total=False):
    """Options of `check`. Each is the option of the program with that name (man ssimcu-check)."""

    channels: str
    format: str
    junit: Path
    layer: str
    layers: bool
    max_pixels: int
    memory_bytes: int
    output: Path
    recursive: bool
    report: Path
    resume: Path
    shard: Tuple[int, int]  # share 1 to number, number
    size: str
    stream: int
    threads: int


class Finding(NamedTuple):
    """What is wrong with a frame, or may be."""

    kind: str
    """Such as "nan"; man ssimcu-check has all of them."""
    fails: bool
    sequence: str
    """Pattern of the frame's sequence, or the path of its video."""
    path: Optional[str]
    """None: frames that are missing."""
    frame: Optional[int]
    """None: a picture without a number."""
    place: Optional[Tuple[int, int, int, int]]
    """x, y, width and height in pixels; None: the whole frame."""
    number: float
    """What such a finding counts or measures, as its text says."""
    text: str
    layer: Optional[str] = None
    """With layers=True: that of the EXR."""


class Checked(NamedTuple):
    """What a check came to."""

    passed: bool
    """Whether frames were read, and none has a finding that fails; of a share, whether all of it is written."""
    findings: List[Finding]
    frames: int
    read: int
    missing: int
    """Numbers that sequences lack."""
    failed: int
    """Frames with a finding that fails."""

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, as JSON can have them."""
        return dict(plain(self))


class _Call:
    """A call of the library on a thread of its own, so that Ctrl-C can end it."""

    def __init__(self, options: Any, progress: Optional[Progress]) -> None:
        self.options, self.progress = options, progress
        self.found: List[Finding] = []
        self.done, self.total = 0, None  # type: Tuple[int, Optional[int]]
        self.checked = _c.sized(_c.Checked)
        self.error: Optional[BaseException] = None
        self.stopped = False

    def _begin(self, _: Any, total: int) -> None:
        self.total = total if total >= 0 else None

    def _record(self, _: Any, made: Any) -> int:
        self.done += 1
        return self._call(lambda: self.progress and self.progress(self.done, self.total))

    def _finding(self, _: Any, made: Any) -> int:
        return self._call(lambda: self.found.append(_finding(made.contents)))

    def _call(self, what: Any) -> int:
        """Does what may raise, which a callback cannot."""
        try:
            what()
        except BaseException as error:
            self.error = error
        return _c.ERROR_INTERNAL if self.error or self.stopped else 0

    def run(self) -> None:
        hooks = _c.sized(_c.RunHooks)
        hooks.begin, hooks.record = _c.BEGIN(self._begin), _c.RECORD_HOOK(self._record)
        hooks.log = _c.LOG_HOOK(lambda _, level, line: _log.log(_LEVELS.get(level, 10), line.decode(errors="replace")))
        self.options.finding = _c.FINDING_HOOK(self._finding)
        why = Message()
        try:
            status = qa().ssimcu_check(ctypes.byref(self.options), ctypes.byref(hooks), ctypes.byref(self.checked), why)
            check_status(status, why)
        except Error as error:
            self.error = self.error or error


def _finding(made: Any) -> Finding:
    place = (made.x, made.y, made.width, made.height) if made.width else None
    frame = made.frame if made.frame >= 0 else None
    kind, text = made.kind.decode(), made.text.decode(errors="replace")
    sequence, path, layer = os.fsdecode(made.sequence), _text(made.path), _text(made.layer)
    return Finding(kind, bool(made.fails), sequence, path, frame, place, made.number, text, layer)


def _run_options(frames: Any, names: Optional[Path], merge: Optional[Sequence[Path]], options: Any) -> Any:
    """Returns the struct of a run, which is of frames, of a file that names them, or of results to merge."""
    if sum(given is not None for given in (frames, names, merge)) != 1:
        raise TypeError("check() takes frames, or list, or merge")
    for name in options:
        if name not in CheckOptions.__annotations__:
            raise TypeError(f"check() has no option {name!r}; it has {', '.join(sorted(CheckOptions.__annotations__))}")
    given = merge if frames is None else frames
    paths: List[Any] = [names] if given is None else [given] if is_path(given) else [*given]
    what = "list" if given is None else "merge" if frames is None else "frames"
    if not paths:
        raise Error(f"{what}: an empty list")
    encoded = [path_bytes(path, what) for path in paths]
    run = _options.make(paths[0], paths[:1], None, options)
    run.ref, run.out, run.outs = None, None, 0
    if what == "list":
        run.list = encoded[0]
    elif what == "merge":
        run.merge, run.merges = (ctypes.c_char_p * len(paths))(*encoded), len(paths)
    else:
        run.out, run.outs = (ctypes.c_char_p * len(paths))(*encoded), len(paths)
    return run


def check(
    frames: Union[None, Path, Sequence[Path]] = None,
    *,
    list: Optional[Path] = None,
    merge: Optional[Sequence[Path]] = None,
    fail_on: Optional[str] = None,
    progress: Optional[Progress] = None,
    **options: Unpack[CheckOptions],
) -> Checked:
    """Judges frames that have no reference, alone and beside their neighbours, as ``ssimcu check`` does.

    ``frames`` is a picture, a directory, a pattern (``shot.%04d.png``) or a video, or a list of them. ``list`` is a
    file that names them instead, ``merge`` the results of all shares of a check, which become those of one.
    ``fail_on`` has the kinds of findings that fail a frame, such as "nan,block", "all" or "none"; None: those that
    clean work does not have. ``progress(done, total)`` is called for each frame, on another thread. A frame that cannot
    be read is a finding. Errors: what ended the check.

    >>> import ssimcu
    >>> checked = ssimcu.check(["testdata/renders/ref", "testdata/truncated.png"])
    >>> checked.passed, [(finding.kind, finding.text) for finding in checked.findings]
    (False, [('unreadable', 'truncated PNG (IDAT ends early)')])
    """
    made = _c.sized(_c.CheckOptions, run=ctypes.pointer(_run_options(frames, list, merge, options)))
    made.fail_on = None if fail_on is None else text_bytes(fail_on, "fail_on")
    call = _Call(made, progress)
    thread = threading.Thread(target=call.run, name="ssimcu check", daemon=True)
    thread.start()
    try:
        thread.join()
    except BaseException:  # such as KeyboardInterrupt
        call.stopped = True
        thread.join()
        raise
    if call.error is not None:
        raise call.error
    done = call.checked
    return Checked(done.code == 0, call.found, done.frames, done.read, done.missing, done.failed)
