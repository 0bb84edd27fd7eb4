"""check(): frames without a reference."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional, Sequence, Union

from . import _options

from ._files import Path
from ._result import Finding, plain
from ._run import Progress, Run, of_files

if TYPE_CHECKING:
    from typing_extensions import Unpack


class CheckOptions(_options.FrameOptions, total=False):
    """Options of `check`. Each equals the program's option of that name (man ssimcu-check)."""

    rerender: Path  # the frames that fail, as farms take them
    stream: int


class Checked(NamedTuple):
    """The result of a check."""

    passed: bool
    """Whether frames were read and none has a finding that fails. For a share: whether all of it was written."""
    findings: List[Finding]
    frames: int
    read: int
    missing: int
    """Number of frames missing in image sequences."""
    failed: int
    """Number of frames with a finding that fails."""

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields by name, for JSON."""
        return dict(plain(self))


def check(
    frames: Union[None, Path, Sequence[Path]] = None,
    *,
    list: Optional[Path] = None,
    fail_on: Optional[str] = None,
    progress: Optional[Progress] = None,
    **options: Unpack[CheckOptions],
) -> Checked:
    """Judges frames without a reference, individually and against their neighbours, like ``ssimcu check``.

    ``frames`` is a picture, a directory, a pattern (``shot.%04d.png``) or a video, or a list of
    these. ``list`` is a file that names them instead. ``fail_on`` has the kinds of findings that
    fail a frame, such as "nan,flat-area", "all" or "none". None means the kinds that clean work
    does not have. ``progress(done, total)`` is called for each frame, on another thread. A frame
    that cannot be read is a finding. `merge` joins results of shares. Raises the error that
    ended the check.

    >>> import ssimcu
    >>> checked = ssimcu.check(["testdata/renders/ref", "testdata/truncated.png"])
    >>> checked.passed, [(finding.kind, finding.text) for finding in checked.findings]
    (False, [('unreadable', 'truncated PNG (IDAT ends early)')])
    """
    for name in options:
        if name not in CheckOptions.__annotations__:
            raise TypeError(f"check() has no option {name!r}; it has {', '.join(sorted(CheckOptions.__annotations__))}")
    limits = None if fail_on is None else {"fail_on": fail_on}
    if frames is not None and list is None:
        made = of_files("out", frames, limits, options)
    elif list is not None and frames is None:
        made = of_files("list", list, limits, options)
    else:
        raise TypeError("check() takes frames, or list")
    made.check = 1
    with contextlib.closing(Run(made, "check", progress)) as run:
        done = run.summary
        failed = sum(any(finding.fails for finding in record.findings) for record in run.records)
        return Checked(run.passed, run.findings, done["frames"], done.get("checked", 0), done["missing"], failed)
